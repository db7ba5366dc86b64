"""Defines games that people play with cardboard tiles on a real table. A person enters every drawn tile, every revealed
chip and every action.

The order of the tiles in the bag and the faces of face-down chips are never entered, so bots cannot know them.
Internally, the game is an `OpenGame`, which contains no hidden information. Entries are stored as strings and can be
taken back.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from carc_env.boxes.tiles import tile_kinds
from carc_env.common.arguments import Kinds, brief, check_fields
from carc_env.common.errors import ConfigError, IllegalAction, RecordError
from carc_env.games.game import Game, copied
from carc_env.games.open_game import CHIP, TILE, OpenGame
from carc_env.games.replay import replay
from carc_env.notation.events import Event
from carc_env.notation.positions import short
from carc_env.notation.records import FORMAT
from carc_env.rules.geometry import coordinates
from carc_env.setup.config import ConfigSource, GameConfig, as_config
from carc_env.setup.template import full_deck
from carc_env.systems import SET_OUTS, set_outs

STARTS = "starts"  # `lying` can contain this key even if the configuration does not require the key
KEYS: dict[str, Kinds] = {"carc_env": int, "config": (dict, str), "lying": dict, "entries": list}
OPTIONAL: dict[str, Kinds] = {"seats": list}  # the values of `carc play --seats`; this class does not use them


class Entry(NamedTuple):
    """An action or a draw that a person has entered."""

    player: int | None  # the player who acted, or None for a draw
    text: str  # "tile D", "chip orange 2", "D@1,0/90"


class RealTable(OpenGame):
    """A game that people play with cardboard tiles on a real table. Change the game only with `enter` and `take_back`.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        lying: a dict that describes the setup of the real game. `systems.set_outs(config)` lists the required keys. The
            key `starts` holds the start tiles as (tile, x, y, degrees). The key `chips` holds the squares (x, y) that
            have a chip. The key `german_castles` holds the castle tiles of each player.

    Attributes:
        game: the current position as a Game. The caller must not change `game`. While a draw is pending, `game` is the
            position before the action that causes the draw.
        entries: the actions and draws entered so far, each as an `Entry`.
        events: the events that the last entry caused, including the events of forced actions.

    Raises ConfigError, ChipError or RecordError if a key of `lying` is missing or unknown, or if no game can begin with
    the setup.

    >>> table = RealTable("base")
    >>> table.enter("D")
    >>> table.enter("D@1,0/180")
    >>> table.enter("pass")
    >>> [entry.text for entry in table.entries], table.is_chance
    (['tile D', 'D@1,0/180', 'pass'], True)
    """

    def __init__(self, config: ConfigSource = "goldmines", lying: Mapping[str, Any] | None = None):
        self.lying = dict(lying or {})
        self._laid = laid_table(as_config(config), self.lying)
        self._begin()

    def _begin(self) -> None:
        self.entries: list[Entry] = []
        self.events: list[Event] = []
        self.game = self._laid.clone()
        self._lay()

    # --- entries ------------------------------------------------------------------------------------------------------
    def enter(self, text: str) -> None:
        """Enter the tile or chip that was drawn, or the action of the acting player. An impossible entry raises
        IllegalAction and leaves the game unchanged.
        """
        words = " ".join(text.split())
        if self.is_over:
            raise IllegalAction(f"{brief(text)}: the game is over")
        if self.is_chance:
            number = self.drawn_by(words)
            entry = Entry(None, self.name_of(number))
            self.events = []
            self.decide(number)
        else:
            action = self.game.action(words)
            entry = Entry(self.game.player, self.game.text(action))
            self.events = []
            self.play(action)
        self.entries.append(entry)

    def take_back(self) -> Entry:
        """Take back the last entry and the forced actions after it. Returns the entry. Raises IllegalAction if nothing
        has been entered yet.
        """
        if not self.entries:
            raise IllegalAction("nothing has been entered yet, so there is nothing to take back")
        *kept, last = self.entries
        self._begin()
        for entry in kept:
            self.enter(entry.text)
        return last

    def drawn_by(self, words: str) -> int:
        """Return the id of the outcome with a given name, such as `tile D` or `chip orange 2`. The words `tile` and
        `chip` may be left out. Raises IllegalAction.
        """
        chances, wanted = self.chances(), words.lower()
        for chance in chances:
            if chance.name.lower() in (wanted, f"{TILE} {wanted}", f"{CHIP} {wanted}"):
                return chance.number
        if self.wanted == CHIP:
            names = ", ".join(chance.name for chance in chances)
            raise IllegalAction(f"{brief(words)}: a chip has to be turned up; write one of {names}")
        if wanted.removeprefix(f"{TILE} ") in {kind.id.lower() for kind in tile_kinds()}:
            raise IllegalAction(f"{brief(words)}: no such tile is left in the bag")
        raise IllegalAction(
            f"{brief(words)}: this is not the id of a tile; write the id of the drawn tile, such as {chances[0].name[5:]}"
        )

    @property
    def wanted(self) -> str | None:
        """The type of the pending draw: "tile" or "chip". None if no draw is pending."""
        return self._open()[0] if self.is_chance else None

    @property
    def may_be_drawn(self) -> dict[str, int]:
        """The possible outcomes of the pending draw. The keys are outcomes, such as "tile D" or "chip orange 2". The
        values are the numbers of copies that are left of each tile or chip. The dict is empty if no draw is pending.
        """
        if not self.is_chance:
            return {}
        numbers = self._open()[1]
        return {self.name_of(number): numbers[number] for number in sorted(numbers)}

    @property
    def square(self) -> tuple[int, int] | None:
        """The square whose chip is being revealed, or None if no chip is being revealed."""
        if self.wanted != CHIP:
            return None
        return coordinates(self.game.state, self._draws[len(self._drawn)][1])

    @property
    def table(self) -> Game:
        """The game to display. While a tile draw is pending, the returned Game already contains the action that caused
        the draw. Until the tile is drawn, ignore the attribute `tile` of the returned Game.
        """
        if self.wanted != TILE:
            return self.game
        after = Game._around(self.game.config, self._carried_out())
        return self.game if after.is_over else after

    def _stand(self, game: Game) -> None:
        """Make `game` the current game, and add its new events to the attribute `events`. `game.last_events` lists all
        events since a player last made a choice. Events that were added before are not added again.
        """
        was_chosen = len(self.game.legal_actions()) > 1
        self.events += game.last_events[0 if was_chosen else len(self.game.last_events) :]
        super()._stand(game)

    def clone(self) -> "RealTable":
        """Return an independent copy."""
        copy = object.__new__(RealTable)
        copy.game, copy._tables, copy._answer = self.game.clone(), self._tables, self._answer
        copy._drawn, copy._draws = self._drawn.copy(), self._draws
        copy._laid, copy.lying, copy.entries, copy.events = self._laid, self.lying, self.entries[:], self.events[:]
        return copy

    # --- records ------------------------------------------------------------------------------------------------------
    def record(self) -> dict[str, Any]:
        """Return the game as a dict for JSON. For a finished game, the dict is the game record. For an unfinished game,
        the dict contains all entries, and `from_record` can restore the `RealTable`.
        """
        if self.is_over:
            return self.game.record()
        return {
            "carc_env": FORMAT,
            "config": short(self.game.config),
            "lying": self.lying,
            "entries": [entry.text for entry in self.entries],
        }

    @classmethod
    def from_record(cls, record: Any) -> "RealTable":
        """Make a `RealTable` from the dict that `record` returns for an unfinished game. Raises RecordError."""
        check_fields(record, KEYS, OPTIONAL, "the game with cardboard tiles", RecordError)
        if record["carc_env"] != FORMAT:
            raise RecordError(
                f"carc_env = {brief(record['carc_env'])}: should be {FORMAT}, the format that this version reads"
            )
        try:
            table = cls(record["config"], record["lying"])
        except ValueError as error:
            raise RecordError(f"the game with cardboard tiles: {error}") from None
        for number, text in enumerate(record["entries"]):
            if not isinstance(text, str):
                raise RecordError(f"entries[{number}] should be a string, not {brief(text)}")
            try:
                table.enter(text)
            except IllegalAction as error:
                raise RecordError(f"entries[{number}]: {error}") from None
        return table


def is_real_table(record: object) -> bool:
    """True if a JSON object describes an unfinished `RealTable`. False if the object is a game record."""
    return isinstance(record, Mapping) and "entries" in record


# --- how the table lies -----------------------------------------------------------------------------------------------
def laid_table(config: GameConfig, lying: Mapping[str, Any]) -> Game:
    """Return a game before its first decision, with the start tiles, the chips and the castle tiles that `lying`
    describes. The order of the stack and the faces of the chips are unknown. The returned game contains arbitrary
    values for them.

    Raises ConfigError, ChipError or RecordError if `lying` does not describe a valid setup.
    """
    needed = {part.key: part for part in set_outs(config)}
    known = {part.key: part for part in SET_OUTS if part.key in needed or part.key == STARTS}
    for key, part in needed.items():
        if key not in lying:
            raise ConfigError(f"{key}: {part.question} For example, {part.example}")
    for key in lying:
        if key not in known:
            raise ConfigError(
                f"the setup of the table: unknown key {brief(key)}; the known keys are {', '.join(known)}"
            )
    try:
        dictated = {key: [*map(as_list, known[key].dictated(value))] for key, value in lying.items()}
        starts: Any = dictated.get(STARTS, config.starts)
        begun = dataclasses.replace(config, starts=starts)
    except TypeError as error:
        raise ConfigError(f"the table: {error}") from None
    record = {"carc_env": FORMAT, "config": config.to_dict(), "deck": full_deck(begun), "moves": [], **dictated}
    game = replay(record | {STARTS: [*map(list, begun.starts or ())]})
    return Game._around(config, copied(game._template()))


def as_list(value: Any) -> Any:
    """Convert a tuple to a list, for JSON."""
    return list(value) if isinstance(value, tuple) else value
