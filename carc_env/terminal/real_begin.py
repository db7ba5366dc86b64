"""Start `carc play --real-table`. Find out who plays, and which start tiles, chips and castle tiles the game uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from carc_env.boxes.sheets import read_sheet
from carc_env.common.errors import BotError, CarcError, ConfigError, PlayerError
from carc_env.common.exit_status import GOOD
from carc_env.games.real_table import RealTable
from carc_env.render import sheet_letters
from carc_env.setup.config import as_config
from carc_env.systems import SET_OUTS, SetOut, set_outs
from carc_env.terminal import play as playing
from carc_env.terminal.asked_bots import Seats, check_judge, is_safe
from carc_env.terminal.begin import a_display, short_name
from carc_env.terminal.cardboard import ADVISER, PERSON, RealSitting
from carc_env.terminal.frame import Display
from carc_env.terminal.kept_games import Keeper, load_real


@dataclass(frozen=True)
class Wish:
    """The arguments of `carc play --real-table`."""

    preset: str | None = None
    seats: Sequence[str] | None = None  # for each seat: "person", "person:Ann", or the spec of a bot
    advise: int | None = None  # the seat of the person who is advised
    hints: str = ADVISER  # the bot that advises
    # what lies on the table at the start; each key is the `key` of a SetOut in SET_OUTS
    lying: Mapping[str, Sequence[str]] = field(default_factory=dict)
    file: str | None = None  # a saved game to continue
    is_plain: bool = False


def play(wish: Wish) -> int:
    """Run `carc play --real-table`, and return the exit status. Raises a CarcError, for example ConfigError, BotError
    or FileError, if an argument is invalid.
    """
    check_judge(wish.hints)
    display = a_display(wish.is_plain)
    try:
        real, known = load_real(wish.file) if wish.file is not None else (laid(wish, display), None)
    except EOFError:
        return GOOD
    seats = list(wish.seats or trusted(known) or default_seats(real.game.players))
    if len(seats) != real.game.players:
        raise ConfigError(f"--seats: {len(seats)} seats are given, but the game has {real.game.players} players")
    people, bots = who_sits(seats)
    if wish.advise is not None and wish.advise not in people:
        raise PlayerError(
            f"--advise {wish.advise}: only people can be advised; "
            f"seats with people: {', '.join(map(str, people)) or 'none'}"
        )
    keeper = Keeper(f"real-{short_name(real.game)}")
    try:
        playing_bots = Seats(bots, real.game)
    except BotError as error:
        raise BotError(f"--seats: {error}; a person is written as `person` or `person:NAME`") from None
    return playing.play(RealSitting(real, playing_bots, people, display, keeper, wish.hints, wish.advise))


def default_seats(players: int) -> list[str]:
    """Return the default value of `--seats`: a bot as the last player, and people as all other players."""
    return [PERSON] * (players - 1) + [ADVISER]


def trusted(seats: Sequence[str] | None) -> list[str]:
    """Return the seats given in a file. Return an empty list if the file gives no seats, or if a bot in one of the
    seats is not safe to use (see `is_safe`).
    """
    known = seats or []
    return list(known) if all(seat.partition(":")[0] == PERSON or is_safe(seat) for seat in known) else []


def who_sits(seats: Sequence[str]) -> tuple[dict[int, str], dict[int, str]]:
    """Return two dicts: the names of the people, and the specs of the bots. The keys are the player numbers."""
    people, bots = dict[int, str](), dict[int, str]()
    for seat, who in enumerate(seats):
        kind, _, name = who.partition(":")
        if kind == PERSON:
            people[seat] = name
        else:
            bots[seat] = who
    return people, bots


# --- the setup of the table
# -----------------------------------------------------------------------------------------------
def laid(wish: Wish, display: Display) -> RealTable:
    """Return a game with cardboard tiles. The command line describes the setup of the game. If the command line lacks a
    part of the setup, the function asks the person for this part.

    Raises a CarcError if the command line is invalid, and EOFError at the end of the input.
    """
    config = as_config(wish.preset or "goldmines", len(wish.seats) if wish.seats else None)
    said = {part.key: part.read(" ".join(wish.lying[part.key])) for part in SET_OUTS if part.key in wish.lying}
    unsaid = [part for part in set_outs(config) if part.key not in said]
    if unsaid and config.sheet is not None:
        display.say([*sheet_letters(read_sheet(config.sheet)).splitlines(), ""], wrap=False)
    while True:
        typed = {part.key: asked(display, part) for part in unsaid}
        try:
            return RealTable(config, said | typed)
        except CarcError as error:
            if not unsaid:
                raise
            display.say([str(error)])


def asked(display: Display, part: SetOut) -> Any:
    """Ask for a part of the setup, and return the answer. If the input is invalid, ask again. Raises EOFError at the
    end of the input.
    """
    while True:
        display.say([f"{part.question} {part.example}"])
        try:
            return part.read(display.ask())
        except CarcError as error:
            display.say([str(error)])
