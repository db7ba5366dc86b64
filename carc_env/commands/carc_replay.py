"""The command `carc replay`, which checks the games in a file. It can also show a position of one game, analyse the
game, or save it as a movie.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from carc_env.commands.shared import Command, Parser, complain, count, positive, seconds
from carc_env.common.exit_status import GOOD, INTERRUPTED, WRONG_USAGE


def add(command: Command) -> None:
    """Add `carc replay`."""
    replay = command(
        "replay",
        run,
        "replay and check the game records in a file, and show the final board of the last game",
        "the result of each game",
    )
    replay.add_argument("file", metavar="FILE", help="a file of game records, one JSON object per line")
    replay.add_argument(
        "--move",
        type=count,
        metavar="N",
        help="show one game after its first N moves. With 0, show the start of the game",
    )
    replay.add_argument(
        "--game",
        type=positive,
        metavar="K",
        help="show game number K of the file (default: 1). The first game of the file has number 1",
    )
    replay.add_argument(
        "--picture",
        metavar="OUT",
        help="save a drawing of the position as OUT.svg or OUT.png. The option --move selects the position "
        "(default: the last position)",
    )
    add_analysis(replay)
    replay.add_argument(
        "--movie",
        metavar="OUT",
        help="save a movie of one game as OUT.gif or OUT.svg. The movie has a picture for each move",
    )
    replay.add_argument(
        "--delay",
        metavar="SECONDS",
        type=seconds_shown,
        help="with --movie: the display time of each picture, in seconds (default: 0.6)",
    )


def add_analysis(replay: Parser) -> None:
    """Add the options of `carc replay` for the analysis of a game by a bot."""
    replay.add_argument(
        "--analyze",
        "--analyse",
        action="store_true",
        help="for each move of one game, print its value and the value of the best move",
    )
    replay.add_argument(
        "--bot",
        "--with",
        metavar="SPEC",
        dest="judge",
        help="the bot that estimates the values of the moves, such as ppo, level:5 or rollout:ms=200 (default: greedy)",
    )
    replay.add_argument(
        "--plot",
        metavar="OUT",
        help="with --analyze: save a plot as OUT.svg or OUT.png. The plot shows the scores, the "
        "expected margins, and the points that each move lost",
    )


def seconds_shown(text: str) -> float:
    """Parse the number of seconds for which each picture of a movie is shown."""
    from carc_env.arena.movie import LONGEST, SHORTEST

    return seconds(text, SHORTEST, LONGEST)


def run(arguments: argparse.Namespace) -> int:
    """Run `carc replay` for all games in a file, or for one of them."""
    if wrong := wrong_mixture(arguments):
        return complain(wrong, WRONG_USAGE)
    if arguments.analyze:
        return run_analysis(arguments)
    if arguments.movie is not None:
        return run_movie(arguments)
    if (arguments.move, arguments.game, arguments.picture) != (None, None, None):
        return run_position(arguments)
    from carc_env.arena.check_files import replay_file
    from carc_env.render import ansi

    found = []
    for number, game in enumerate(replay_file(arguments.file), 1):
        found.append(outcome(game))
        if not arguments.json:
            print(f"game {number}: {outcome_line(game)}")
    print(
        json.dumps({"file": arguments.file, "games": found})
        if arguments.json
        else "\n" + ansi(game, colour=sys.stdout.isatty()),
        end="\n" if arguments.json else "",
    )
    return GOOD


def wrong_mixture(arguments: argparse.Namespace) -> str:
    """Check that the options of `carc replay` can be combined. Returns an error message, or an empty string if there
    is no error.
    """
    is_movie = arguments.movie is not None
    if arguments.analyze and is_movie:
        return "give either --analyze or --movie, not both"
    for name, value, needed, is_given in (
        ("--plot", arguments.plot, "--analyze", arguments.analyze),
        ("--delay", arguments.delay, "--movie", is_movie),
        ("--bot", arguments.judge, "--analyze", arguments.analyze),
    ):
        if value is not None and not is_given:
            return f"{name} needs {needed}"
    if arguments.picture is not None and (arguments.analyze or is_movie):
        return f"--picture cannot be used with {'--analyze' if arguments.analyze else '--movie'}"
    return ""


def outcome(game: Any) -> dict[str, Any]:
    """Return the outcome of a game as a dict for JSON. The dict contains the number of moves and the scores. If the
    players' names are known, or if a player forfeited the game, the dict also contains this information.
    """
    return {"moves": len(game.moves), "over": game.is_over, "scores": game.scores.tolist(), **game.notes.to_dict()}


def outcome_line(game: Any) -> str:
    """Return the outcome of a game in words, such as `140 moves, Ada 85 : greedy 92 points`."""
    names = [f"{name} " for name in game.notes.names] or [""] * game.players
    scores = " : ".join(f"{name}{score}" for name, score in zip(names, game.scores.tolist()))
    return f"{len(game.moves)} moves, {scores} points{ending(game)}"


def ending(game: Any) -> str:
    """Return a phrase that says why a game was not played to its end. The phrase is empty if the game is over."""
    from carc_env.render.facts import names_of

    if game.notes.forfeit is not None:
        return f", a forfeit by {names_of(game)[game.notes.forfeit]}"
    return "" if game.is_over else ", not over"


def run_position(arguments: argparse.Namespace) -> int:
    """Run `carc replay` for one game, and show the position after a move. The other games in the file are not
    checked.
    """
    from carc_env.arena.check_files import position_after
    from carc_env.render import ansi, picture_kind

    if arguments.picture is not None:
        picture_kind(arguments.picture)
    game, number, lines = game_asked_for(arguments)
    moves = len(game.moves) if arguments.move is None else arguments.move
    position = position_after(game, moves)
    if arguments.picture is not None:
        position.save(arguments.picture)
    last = last_move(position, moves)
    if arguments.json:
        print(
            json.dumps(
                {
                    "file": arguments.file,
                    "games": [outcome(game)],
                    "position": {"game": number, "move": moves, **last, **outcome(position)},
                }
            )
        )
    else:
        print(
            f"game {number} of {lines}, {move_line(moves, len(game.moves), game.notes.names, **last)}\n\n"
            f"{ansi(position, colour=sys.stdout.isatty())}",
            end="",
        )
    return GOOD


def game_asked_for(arguments: argparse.Namespace) -> tuple[Any, int, int]:
    """Return the selected game, its number in the file, and the number of games in the file. Raises CountError if the
    file has too few games for --game, or if the game has too few moves for --move.
    """
    from carc_env.arena.check_files import read_text, record_lines, replay_line
    from carc_env.common.errors import CountError

    lines = record_lines(arguments.file, read_text(arguments.file))
    number = arguments.game or 1
    if number > len(lines):
        raise CountError(f"--game {number}: {arguments.file} has {len(lines)} game record{'s' * (len(lines) != 1)}")
    game = replay_line(*lines[number - 1])
    if (arguments.move or 0) > len(game.moves):
        raise CountError(f"--move {arguments.move}: game {number} of {arguments.file} has {len(game.moves)} moves")
    return game, number, len(lines)


def part_asked_for(arguments: argparse.Namespace) -> tuple[Any, int]:
    """Return the selected game and its number in the file. If --move is given, the returned game ends after the
    selected move.
    """
    from carc_env.arena.check_files import position_after

    game, number, _ = game_asked_for(arguments)
    return (game if arguments.move is None else position_after(game, arguments.move)), number


def last_move(game: Any, moves: int) -> dict[str, Any]:
    """Return the last move that a player chose before a position. The result is a dict with the player, the text of the
    move and the forced moves after this move.
    """
    player = int(game.state["moves"][moves - 1]["player"]) if moves else None
    return {"player": player, "text": game.moves[moves - 1] if moves else None, "followed": game.moves[moves:]}


def move_line(
    number: int, of: int, names: Sequence[str], player: int | None, text: str | None, followed: Sequence[str]
) -> str:
    """Return a line of text for a move, such as `move 40 of 132: player 1 played 'take 0,1'`. If the players have
    names, the line contains a name instead of `player 1`.
    """
    who = names[player] if names and player is not None else f"player {player}"
    line = f"move {number} of {of}: {who} played {text!r}" if number else f"before the first of {of} moves"
    return line + (f"; the engine then played {', '.join(map(repr, followed))}" if followed else "")


def run_analysis(arguments: argparse.Namespace) -> int:
    """Run `carc replay --analyze`. If the command is interrupted, print the analysis of the moves so far."""
    from carc_env.arena.analysis import how_many, judged, save_plot, totals
    from carc_env.bots import make
    from carc_env.common.progress import progress
    from carc_env.render import picture_kind
    from carc_env.render.facts import names_of

    if arguments.plot is not None:
        picture_kind(arguments.plot)
    (game, number), bot, answers, status = part_asked_for(arguments), make(arguments.judge or "greedy", 0), [], GOOD
    of = how_many(game)
    with progress() as show:
        try:
            for answer in judged(game, bot):
                answers.append(answer)
                show(f"moves judged by {bot.name}", len(answers), of)
        except KeyboardInterrupt:
            status = INTERRUPTED
    if status == INTERRUPTED:
        complain(f"interrupted after {len(answers)} of {of} moves", status)
    summary = totals(answers, game.players)
    if arguments.plot is not None:
        save_plot(answers, game, bot, arguments.plot)
    if arguments.json:
        print(
            json.dumps(
                {
                    "file": arguments.file,
                    "game": number,
                    "with": bot.name,
                    **outcome(game),
                    "answers": [asdict(answer) for answer in answers],
                    "players": [total.to_dict() for total in summary],
                }
            )
        )
    else:
        print_analysis(answers, summary, names_of(game))
    return status


def print_analysis(answers: Sequence[Any], summary: Sequence[Any], names: Sequence[str]) -> None:
    """Print a table of the analysed moves, and the points that each player lost by mistakes. On a terminal, the table
    has colours.
    """
    from carc_env.arena.analysis import COLUMNS, NUMBERS, lines_of, row_of, total_line

    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, header_style="bold")
        for column in COLUMNS:
            table.add_column(column, justify="right" if column in NUMBERS else "left")
        for answer in answers:
            table.add_row(
                *row_of(answer, names),
                style="bold red" if (answer.lost or 0) >= 2 else "yellow" if (answer.lost or 0) >= 0.5 else "",
            )
        Console().print(table)
    else:
        print("\n".join(lines_of(answers, names)))
    print("\n" + "\n".join(total_line(total, names) for total in summary))


def run_movie(arguments: argparse.Namespace) -> int:
    """Run `carc replay --movie`. If the command is interrupted, no file is written."""
    from carc_env.arena.analysis import how_many
    from carc_env.arena.movie import DELAY, movie_kind, save_movie
    from carc_env.common.progress import progress

    movie_kind(arguments.movie)
    game, number = part_asked_for(arguments)
    with progress() as show:
        of = how_many(game) + 1
        pictures = save_movie(game, arguments.movie, arguments.delay or DELAY, lambda made: show("pictures", made, of))
    print(
        json.dumps({"file": arguments.file, "game": number, "movie": arguments.movie, "pictures": pictures})
        if arguments.json
        else f"game {number}: {pictures} pictures in {arguments.movie}"
    )
    return GOOD
