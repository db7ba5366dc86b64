"""Writes the results of a ladder: as a table for the terminal, and as files in the ladder's folder."""

import json
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from carc_env.arena.ladder import Ladder, Played, Standing
from carc_env.common.errors import FileError
from carc_env.render.ratings_plot import Rating, ratings_plot

COLUMNS = ("rank", "bot", "rating", "95 %", "games", "wins", "margin", "s a move")
PLAYED = ("A", "B", "pairs", "wins of A", "95 %", "margin", "95 %", "better")
WIDTH = 100  # the maximum number of characters in a line


def text_table(ladder: Ladder) -> str:
    """Return the standings as a table for the terminal."""
    rows = [COLUMNS, *map(row_of, ladder.standings)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(
            word.ljust(width) if name == "bot" else word.rjust(width) for word, width, name in zip(row, widths, COLUMNS)
        ).rstrip()
        for row in rows
    )


def row_of(one: Standing) -> tuple[str, ...]:
    """Return a bot's standing as a row of the table."""
    low, high = one.rating_ci95
    return (
        str(one.rank),
        one.bot,
        f"{one.rating:.0f}",
        f"{low:.0f} to {high:.0f}",
        str(one.games),
        f"{one.wins:g}",
        f"{one.margin:+.1f}",
        f"{one.seconds_per_move:.2g}",
    )


def played_row(one: Played) -> tuple[str, ...]:
    """Return the results of two bots against each other as a row of the table."""
    margin = "" if one.margin_ci95 is None else "{:+.1f} to {:+.1f}".format(*one.margin_ci95)
    return (
        one.a,
        one.b,
        str(one.pairs),
        f"{one.win_rate_a:.1%}",
        "{:.1%} to {:.1%}".format(*one.ci95),
        f"{one.margin:+.1f}",
        margin,
        {"a": one.a, "b": one.b}.get(one.better or "", ""),
    )


def title_of(ladder: Ladder) -> str:
    """Return a title for the ladder: its preset, and the number of players if there are more than two."""
    return f"Ladder of {ladder.preset}" + f" for {ladder.players} players" * (ladder.players > 2)


def settings_of(ladder: Ladder) -> str:
    """Return a few sentences that describe the settings of the ladder."""
    met = (
        "every other bot"
        if ladder.neighbours is None
        else f"its neighbours on the command line: the bots at most {ladder.neighbours} places before or after it"
    )
    until = (
        ""
        if ladder.until is None
        else f" A match ended early if a sequential test with error probability {ladder.until:g} found the better bot."
    )
    return (
        f"Seed {ladder.seed}. Each bot played against {met}. A match had {ladder.pairs} pairs of games.{until} "
        "The results include pairs of games that earlier commands had already saved in the ladder's folder."
    )


def markdown(ladder: Ladder) -> str:
    """Return the Markdown page with the table of standings and the table of results."""
    illegal = sum(one.illegal for one in ladder.played)
    told = [f"{illegal} games were forfeited because a bot returned an illegal action or none.", ""] if illegal else []
    return "\n".join(
        [
            f"# {title_of(ladder)}",
            "",
            *textwrap.wrap(settings_of(ladder), WIDTH),
            "",
            "A tie counts as half a win. One bot has the fixed rating 1000. The 95 % interval of any other rating",
            "describes the uncertainty of the difference from this fixed rating. The ratings count one additional",
            "tied game between any two bots that met (the prior). If a bot won or lost all its games, one end of",
            "its interval is finite only because of the prior.",
            "",
            "![Ratings with their intervals](ladder.svg)",
            "",
            *markdown_table(COLUMNS, map(row_of, ladder.standings)),
            "",
            *told,
            "## Who met whom",
            "",
            *markdown_table(PLAYED, map(played_row, ladder.played)),
            "",
        ]
    )


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table. Vertical bars inside cells are escaped."""
    written = [[word.replace("|", "\\|") for word in row] for row in (columns, *rows)]
    lines = [f"| {' | '.join(row)} |" for row in written]
    return [lines[0], "|" + "---|" * len(columns), *lines[1:]]


def write(ladder: Ladder, folder: Path) -> None:
    """Write `ladder.json`, `ladder.md` and `ladder.svg` into a folder. Raises FileError."""
    dots = [Rating(one.bot, one.rating, *one.rating_ci95) for one in ladder.standings]
    texts = {
        "json": json.dumps(ladder.to_dict(), indent=1) + "\n",
        "md": markdown(ladder),
        "svg": ratings_plot(title_of(ladder), dots),
    }
    for suffix, text in texts.items():
        path = folder / f"ladder.{suffix}"
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise FileError(f"{path}: {error.strerror}") from None
