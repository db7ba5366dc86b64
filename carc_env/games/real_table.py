"""A game that people play with cardboard and somebody enters here: the tiles drawn, the chips turned up, and the
actions.

It is an `OpenGame`. A bot cannot know what is still in the bag or lies face down, because nobody has entered it.
Entries can be taken back. They are kept as a list of texts.
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

STARTS = "starts"  # may be given off a sheet too
KEYS: dict[str, Kinds] = {"carc_env": int, "config": (dict, str), "lying": dict, "entries": list}


class Entry(NamedTuple):
    """Something that was entered."""

    player: int | None  # who gave this answer; None: something was drawn
    text: str  # "tile D", "chip orange 2", "D@1,0/90"


class RealTable(OpenGame):
    """A game at a real table. Change it only with `enter` and `take_back`.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        lying: how the table is laid out, by the key of each of `systems.set_outs(config)`. `starts` are the start tiles
            as (tile, x, y, degrees), `chips` the squares (x, y) with a chip, and `german_castles` the castle tiles of
            each player.

    Attributes:
        game: the game as it was when a player was last asked, or an empty table at the start. Only look at it.
        entries: all entries so far.
        events: the events that the last entry caused, including all that the engine did afterwards.

    Raises ConfigError, ChipError or RecordError for a layout that is impossible.

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

    # --- what is said -------------------------------------------------------------------------------------------------
    def enter(self, text: str) -> None:
        """Enter what was drawn, or the action of the player who has to act. Raises IllegalAction; nothing has changed
        then.
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
        """Take back the last entry and all that followed from it. Returns the entry. Raises IllegalAction if there is
        none.
        """
        if not self.entries:
            raise IllegalAction("nothing has been entered yet, so there is nothing to take back")
        *kept, last = self.entries
        self._begin()
        for entry in kept:
            self.enter(entry.text)
        return last

    def drawn_by(self, words: str) -> int:
        """The number of an outcome by its name: `tile D` or `D`, `chip orange 2` or `orange 2`. Raises
        IllegalAction.
        """
        chances, wanted = self.chances(), words.lower()
        for chance in chances:
            if chance.name.lower() in (wanted, f"{TILE} {wanted}", f"{CHIP} {wanted}"):
                return chance.number
        if self.wanted == CHIP:
            names = ", ".join(chance.name for chance in chances)
            raise IllegalAction(f"{brief(words)}: a chip is turned up now; write one of {names}")
        if wanted.removeprefix(f"{TILE} ") in {kind.id.lower() for kind in tile_kinds()}:
            raise IllegalAction(f"{brief(words)}: no such tile is left in the bag")
        raise IllegalAction(f"{brief(words)}: a tile is drawn now; write its id, such as {chances[0].name[5:]}")

    @property
    def wanted(self) -> str | None:
        """What has to be drawn now: "tile", "chip", or None."""
        return self._open()[0] if self.is_chance else None

    @property
    def may_be_drawn(self) -> dict[str, int]:
        """The outcomes that are possible now, "tile D" or "chip orange 2", with the number of each; empty if nothing
        has to be drawn.
        """
        if not self.is_chance:
            return {}
        numbers = self._open()[1]
        return {self.name_of(number): numbers[number] for number in sorted(numbers)}

    @property
    def square(self) -> tuple[int, int] | None:
        """The square whose chip is turned up now; None if there is none."""
        if self.wanted != CHIP:
            return None
        return coordinates(self.game.state, self._draws[len(self._drawn)][1])

    @property
    def table(self) -> Game:
        """The table as it looks now. Do not use its tile in hand while a tile has to be drawn."""
        if self.wanted != TILE:
            return self.game
        after = Game._around(self.game.config, self._carried_out())
        return self.game if after.is_over else after

    def _stand(self, game: Game) -> None:
        """Make this the game as it is now. It lists events until somebody has a choice; those listed before are left
        out.
        """
        was_chosen = len(self.game.legal_actions()) > 1
        self.events += game.last_events[0 if was_chosen else len(self.game.last_events) :]
        super()._stand(game)

    def clone(self) -> "RealTable":
        """An independent copy."""
        copy = object.__new__(RealTable)
        copy.game, copy._tables, copy._answer = self.game.clone(), self._tables, self._answer
        copy._drawn, copy._draws = self._drawn.copy(), self._draws
        copy._laid, copy.lying, copy.entries, copy.events = self._laid, self.lying, self.entries[:], self.events[:]
        return copy

    # --- records ------------------------------------------------------------------------------------------------------
    def record(self) -> dict[str, Any]:
        """All entries as a dict that can be written as JSON and that `from_record` reads. A finished game gives a game
        record.
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
        """The table that `record` described. Raises RecordError."""
        check_fields(record, KEYS, {}, "the real table", RecordError)
        if record["carc_env"] != FORMAT:
            raise RecordError(f"carc_env = {brief(record['carc_env'])}: this version reads format {FORMAT}")
        try:
            table = cls(record["config"], record["lying"])
        except ValueError as error:
            raise RecordError(f"the real table: {error}") from None
        for number, text in enumerate(record["entries"]):
            if not isinstance(text, str):
                raise RecordError(f"entries[{number}] = {brief(text)}: should be a text")
            try:
                table.enter(text)
            except IllegalAction as error:
                raise RecordError(f"entries[{number}]: {error}") from None
        return table


def is_real_table(record: object) -> bool:
    """True if a JSON object is an unfinished game at a real table and not a game record."""
    return isinstance(record, Mapping) and "entries" in record


# --- how the table lies -----------------------------------------------------------------------------------------------
def laid_table(config: GameConfig, lying: Mapping[str, Any]) -> Game:
    """A game before its first question, with the table laid out as described. The hidden items are in the order of the
    boxes.

    Raises ConfigError, ChipError or RecordError.
    """
    needed = {part.key: part for part in set_outs(config)}
    known = {part.key: part for part in SET_OUTS if part.key in needed or part.key == STARTS}
    for key, part in needed.items():
        if key not in lying:
            raise ConfigError(f"{key}: {part.question} Such as {part.example}")
    for key in lying:
        if key not in known:
            raise ConfigError(f"{brief(key)} does not lie on this table; known are {', '.join(known)}")
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
    """A tuple as a list, for JSON."""
    return list(value) if isinstance(value, tuple) else value
