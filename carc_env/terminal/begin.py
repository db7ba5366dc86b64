"""Starts `carc play` and `carc watch`. Sets up the game from the arguments, and chooses the output: a full screen or
plain lines.
"""

import os
import sys
from collections.abc import Sequence

from carc_env.bots.level import in_words
from carc_env.common.errors import ConfigError
from carc_env.games.game import Game
from carc_env.notation.notes import Notes, told_apart
from carc_env.render.one_line import name
from carc_env.setup.config import as_config
from carc_env.terminal import play as playing
from carc_env.terminal import watch as watching
from carc_env.terminal.asked_bots import DEFAULT, YOU, Seats, check_judge, remembered, seated, table_for
from carc_env.terminal.frame import Display
from carc_env.terminal.kept_games import Keeper, load
from carc_env.terminal.keys import can_be_heard
from carc_env.terminal.plain import Plain

PAUSE = 1.0  # seconds between two actions on a full screen, by default


def play(
    preset: str,
    against: Sequence[str] | None,
    seat: int | None,
    seed: int | None,
    file: str | None,
    is_plain: bool,
    hints: str = DEFAULT,
) -> int:
    """Run `carc play`, and return the exit status. Raises a CarcError, for example ConfigError or BotError, if an
    argument is invalid.
    """
    if file is None:
        config, specs = table_for(preset, against)
        game = Game(config, seed)
        seats = seated(specs, seat or 0)
    else:
        game = load(file)
        seats = seats_of(game, file, against, seat)
    check_judge(hints)
    game.notes = Notes(told_apart([in_words(seats[n]) if n in seats else YOU for n in range(game.players)]))
    (person,) = set(range(game.players)) - set(seats)
    keeper = Keeper(short_name(game))
    return playing.play(playing.Sitting(game, person, Seats(seats, game), a_display(is_plain), keeper, hints))


def seats_of(game: Game, file: str, against: Sequence[str] | None, seat: int | None) -> dict[int, str]:
    """Return a dict with the spec of each bot in a saved game. The keys are the player numbers. By default, the specs
    come from the record (see `remembered`). If `against` or `seat` is given, the bots are those in `against` (by
    default `greedy`). These bots are also used if the record does not give a safe spec for each bot. Raises ConfigError
    if `against` has the wrong number of bots.
    """
    known = remembered(game) if against is None and seat is None else None
    if known is not None:
        return known
    specs = table_for(game.config, against)[1]
    if len(specs) + 1 != game.players:
        raise ConfigError(
            f"--against: {len(specs)} bots are given, but the game in {file} has {game.players} players and needs "
            f"{game.players - 1} bots"
        )
    return seated(specs, seat or 0)


def watch(a: str, b: str, preset: str, seed: int | None, delay: float | None, is_plain: bool) -> int:
    """Run `carc watch`, and return the exit status. Raises a CarcError, for example ConfigError or BotError, if an
    argument is invalid.
    """
    game = Game(as_config(preset, 2), seed)
    seats, display = Seats(seated([a, b], None), game), a_display(is_plain)
    if isinstance(display, Plain) or not can_be_heard():
        return watching.tell(game, seats, display, delay or 0.0)
    return watching.watch(game, seats, display, PAUSE if delay is None else delay)


def a_display(is_plain: bool) -> Display:
    """Return the output of a game: a full screen or plain lines. Plain lines are used if `is_plain` is True, if the
    terminal is simple or small, or if input or output is not a terminal. Plain lines are also used if the library
    `rich` is not installed. In this case, a message on standard error names the missing library.
    """
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if is_plain or not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        return Plain()
    try:
        from carc_env.terminal.screen import Screen
    except ImportError as error:
        print(
            f"carc: printing plain lines, because the full screen needs a library that is not installed: {error}",
            file=sys.stderr,
        )
        return Plain()
    screen = Screen()
    if screen.is_large_enough:
        return screen
    return Plain()


def short_name(game: Game) -> str:
    """Return a short name of the configuration, for file names."""
    known = name(game.config)
    return known if known.replace("-", "").isalnum() else "own"
