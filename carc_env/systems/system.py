"""The base class of systems: the questions of a box with their texts, its settings, its events, and its limits.

A `System` is the only place outside the rules (rules/expansions) that deals with a box. All other code goes over the
systems.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from carc_env.boxes.tiles import FIGURES, SPOTS, WORDS, TileKind, tile_kinds, tile_table
from carc_env.common.errors import NotationError
from carc_env.rules.answers import Ids, ids_of
from carc_env.rules.geometry import cell_of, coordinates, size_of
from carc_env.rules.state import FIRST_SLOT, IN_SUPPLY, NONE, EventKind, Phase, Spot
from carc_env.systems.sign import Sign, Wooden
from carc_env.systems.where import Button, Cell, Laid, Place


@dataclass(frozen=True)
class Scene:
    """The position in which a question is asked, either now or when a recorded answer was given."""

    game: np.record
    phase: int
    player: int
    tile: int  # the kind of the tile in hand or just placed
    placed: int  # the cell of the tile just placed, or NONE
    spot: int = NONE  # stored with the recorded answer

    @property
    def size(self) -> int:
        """The number of rows and columns of the table."""
        return size_of(self.game)

    @property
    def ids(self) -> Ids:
        """The action ids of this table."""
        return ids_of(self.size)

    @property
    def in_hand(self) -> str:
        """The id of the tile in hand."""
        return tile_kinds()[self.tile].name

    @property
    def just_placed(self) -> str:
        """The id of the tile just placed."""
        return tile_kinds()[int(self.game["board"][self.placed]["tile"])].name

    def facts(self, cell: int) -> tuple[np.record, int]:
        """The kind of tile on a cell for the rules, and its rotation in quarter turns."""
        square = self.game["board"][cell]
        return tile_table()[0]["kinds"][square["tile"]], int(square["rotation"])

    def segment_at(self, cell: int, spot: int) -> int:
        """The number of the segment at a spot of the tile on a cell, or NONE."""
        tile, rotation = self.facts(cell)
        return int(tile["spot_segment"][rotation, spot])

    def kind_at(self, cell: int, spot: int) -> str:
        """The word for the feature at a spot of the tile on a cell."""
        return WORDS[self.facts(cell)[0]["kind"][self.segment_at(cell, spot)]]

    def where(self, cell: int) -> str:
        """A cell as `x,y`."""
        x, y = coordinates(self.game, cell)
        return f"{x},{y}"

    def at(self, cell: int) -> Cell:
        """A cell as (x, y)."""
        return coordinates(self.game, cell)

    def cell(self, x: str, y: str) -> int:
        """The cell of x,y. It must be on or beside the layout, because further away the torus would repeat itself.
        Raises NotationError.
        """
        cell = cell_of(int(x), int(y), bool(self.game["systems"]["maps"]["on_sheet"]), self.size)
        if coordinates(self.game, cell) != (int(x), int(y)):
            raise NotationError(f"{int(x)},{int(y)} is not beside the tiles on the table{self.about_tile()}")
        return cell

    def spots(self) -> list[str]:
        """The spots of the tile just placed."""
        tile, rotation = self.facts(self.placed)
        return [SPOTS[spot] for spot in np.flatnonzero(tile["spot_segment"][rotation] != NONE)]

    def segments(self) -> list[str]:
        """The segments of the tile just placed, in the words of answers."""
        tile, rotation = self.facts(self.placed)
        spots = {*tile["spot"][rotation, : tile["n_segments"]].tolist(), Spot.LYING}
        named = (
            (self.kind_at(self.placed, spot), SPOTS[spot])
            for spot in sorted(spots)
            if tile["spot_segment"][rotation, spot] != NONE
        )
        return [kind if kind == spot else f"{kind} {spot}" for kind, spot in named]

    def supply(self, figure: int) -> int:
        """The number of figures of a kind in the player's supply."""
        slots = self.game["players"][self.player]["figures"][FIRST_SLOT[figure] : FIRST_SLOT[figure + 1]]
        return int((slots == IN_SUPPLY).sum())

    def about_tile(self) -> str:
        """The end of a message about a tile to place, or about a figure on the tile just placed; otherwise empty."""
        if self.phase == Phase.PLACE_TILE:
            return f"; tile {self.in_hand} is in hand"
        return f"; tile {self.just_placed} was just placed" if self.phase == Phase.PLACE_FIGURE else ""


CELL = r"(-?[0-9]{1,3}),(-?[0-9]{1,3})"
FIGURE = rf"({'|'.join(FIGURES)})"


class Form(NamedTuple):
    """A form of texts of answers."""

    pattern: str  # for the whole text, with single spaces between words; the groups are passed to `read`
    read: Callable[..., int]  # read(scene, *groups): the answer. Raises NotationError
    not_now: str  # the message if another question is asked

    def match(self, text: str) -> re.Match[str] | None:
        """Match a text with this form."""
        return re.fullmatch(self.pattern, text)


class Question:
    """A question of a box: the texts of its answers, their places on the board, and its texts for people."""

    asked = ""  # what the player does, after "player 1"; {tile} is the tile in hand or just placed
    why = ""  # why it is asked, in whole sentences for people who do not know the rules
    passing = "pass"  # the meaning of `pass` in words
    forms: Sequence[Form] = ()

    def example(self, scene: Scene) -> str:
        """An example of an answer, after "write"."""
        raise NotImplementedError

    def write(self, scene: Scene, action: int) -> str:
        """The text of an answer."""
        raise NotImplementedError

    def place(self, scene: Scene, action: int) -> Place:
        """The place on the board where an answer is given, now or when it was given (`systems/where.py`). The default
        is a button.
        """
        return Button()

    def in_words(self, scene: Scene, action: int) -> str:
        """The words for an answer. The default is its text."""
        place = self.place(scene, action)
        return str(place) if isinstance(place, Laid) else self.write(scene, action)

    def held(self, game: Any) -> list[str] | None:
        """The tiles of which the player may place one, or None for the tile in hand, if any. `game` is a Game."""
        return None

    def spot(self, scene: Scene, action: int) -> int:
        """The spot that is stored with an answer (MOVE.spot), before it is given."""
        return NONE

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        """The reason why an answer is not legal. `legal` returns the texts of the legal answers."""
        raise NotImplementedError


@dataclass(frozen=True)
class Told:
    """An event in the form of the rules."""

    player: int
    source: int
    amount: int
    x: Any  # int, or None for an event without a cell
    y: Any


class Happening:
    """An event caused by an answer. It prints as a sentence."""

    def said(self, who: str) -> str:
        """The sentence, with this name for the player."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.said(f"player {getattr(self, 'player', None)}")


class Makings(NamedTuple):
    """Everything that can come to lie on the table in a game."""

    config: Any  # GameConfig
    starts: tuple[TileKind, ...]  # the start tiles that are not drawn from the deck
    deck: tuple[TileKind, ...]
    sheet: Any  # Sheet, or None
    held: tuple[TileKind, ...] = ()  # the tiles that players hold, or their squares

    @property
    def tiles(self) -> tuple[TileKind, ...]:
        """The start tiles and those of the deck."""
        return self.starts + self.deck

    @property
    def all_tiles(self) -> tuple[TileKind, ...]:
        """The start tiles, the tiles of the deck, and the tiles that players hold."""
        return self.tiles + self.held

    @property
    def most_parts(self) -> int:
        """The maximum number of turn parts in a game: a tile is placed in each of them."""
        return len(self.deck) + len({kind.name for kind in self.held if kind.inner != NONE}) + self.config.players


class Letters(NamedTuple):
    """A word on a cell in the text board."""

    point: tuple[float, float]  # on the cell, in hundredths of its side
    word: str
    look: str = ""  # the colours of the word, a key of render.ansi.COLOURS; empty for those of the player
    player: int | None = None  # the player to whom it belongs


class Item(NamedTuple):
    """Something on a player's card in the drawing, and how many of it the player holds."""

    sign: str  # "ingot", a good, "chip purple 2", "tile abbey"
    kind: str  # its class in the drawing, such as "goods"
    count: int | None = None  # type: ignore[assignment]  # tuple.count is not asked for; None: there is one, and no number is written
    about: Mapping[str, Any] = {}  # the data attributes of the drawing
    half: float = 9  # half of its width
    scale: float = 1  # the scale of a piece
    art: str = ""  # SVG around (0, 0), drawn instead of the sign
    tile: str = ""  # a tile, drawn instead of the sign
    name: str = ""  # its name for people, if that is not the sign
    at_end: bool = False  # True if it is at the right end of its line


class SetOut(NamedTuple):
    """Something that is drawn before a game. For a game on a real table, people say how it lies."""

    key: str  # its name in records and on the command line
    question: str  # the question to people
    example: str  # an example of an answer
    read: Callable[[str], Any]  # reads an answer; raises CarcErrors
    dictated: Callable[[Any], Any] = list  # converts it to the form of game records; raises CarcErrors


class System:
    """The interface of a box. Each box overrides what it needs."""

    set_out: SetOut | None = None  # what is drawn before a game, unless it is given

    box: str
    questions: Mapping[Phase, Question] = {}
    choices = 0  # how many choices of the block `choose_cell` its answers use
    answers: Mapping[str, str] = {}  # the meaning of the answers of a block of ids (actions.TABLE) in this box
    # answers with the same text in every game: their numbers in rules/answers.py among those that name no cell
    words: Mapping[str, int] = {}
    in_words: Mapping[int, str] = {}  # the words for such an answer
    places: Mapping[int, Place] = {}  # the place of such an answer; a button by default
    # the reason why such an answer is not legal when figures are placed; {player} has to act
    refusals: Mapping[int, str] = {}
    events: Mapping[EventKind, Callable[[Told], Any]] = {}
    sources: Mapping[str, str] = {}  # the name of a source of points, if it differs from its key
    most_players = 5  # the maximum number of players with this box
    # for drawings: what is printed on its tiles (by symbol, building or mark), its figures, and what lies on tiles (by
    # id)
    signs: Mapping[str, Sign] = {}
    figures: Mapping[str, Wooden] = {}
    pieces: Mapping[str, Callable[[], str]] = {}
    layer = ""  # the name of the layer in which `lying` is drawn, between the tiles and the figures
    lying_key = ""  # its explanation in the key of the text board
    line = ""  # the line of `on_card` on a player's card; boxes may share one; empty for the line of the figures

    def is_in_play(self, config: Any) -> bool:
        """True if the system is part of a game."""
        return self.box in config.boxes

    def is_set_out(self, config: Any) -> bool:
        """True if a game needs `set_out`."""
        return self.set_out is not None and self.is_in_play(config)

    def check(self, config: Any) -> None:
        """Raise ConfigError if the configuration is invalid for this box. Called for every configuration."""

    def stack(self, config: Any, counts: dict[str, int]) -> None:
        """Change the number of each tile in the stack."""

    def variants(self, config: Any) -> Mapping[str, int]:
        """The settings of the box in the form of the rules (state.VARIANTS)."""
        return {}

    def held(self, config: Any) -> tuple[TileKind, ...]:
        """The tiles, or squares of tiles, of the box that players can hold."""
        return ()

    def set_up(self, game: np.record, config: Any) -> None:
        """Write the fields that only this box needs to a game before it begins. Called for every game."""

    def hand(self, game: Any, player: int) -> str:
        """What a player holds of this box, for a line of text after the points. `game` is a Game."""
        return ""

    def supply(self, game: Any) -> str:
        """What lies beside the table for all players, in words. `game` is a Game."""
        return ""

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        """What a player holds of this box, for the player's card in the drawing. `game` is a Game."""
        return ()

    # things on the tiles that are not figures
    def lying(self, game: Any, board: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
        """All such things: x, y, and the further arguments of `draw` and `letters` for each. `game` is a Game, and
        `board` has its tiles.
        """
        return ()

    def draw(self, x: int, y: int, *what: Any) -> str:
        """One such thing as an SVG element; a cell is 100 wide."""
        raise NotImplementedError

    def draw_here(self, *what: Any) -> str:
        """One such thing on cell 0,0."""
        return self.draw(0, 0, *what)

    def letters(self, *what: Any) -> Letters:
        """One such thing in the text board."""
        raise NotImplementedError

    def more_key(self, game: Any, board: Sequence[Any], printed: Collection[str]) -> list[str]:
        """The lines that the box adds to the key of the text board. `printed` has the signs on the table."""
        said = [sign.key for name, sign in self.signs.items() if sign.key and name in printed]
        lies = self.lying_key and self.box in game.config.boxes and self.lying(game, board)
        return said + [self.lying_key] * bool(lies)

    # the most that the box can add to a game; see setup/limits.py
    def most_answers(self, makings: Makings) -> int:
        """The maximum number of answers that it adds to a game."""
        return 0

    def most_completed(self, makings: Makings) -> int:
        """The maximum number of additional features that one turn can complete, including castles that score."""
        return 0

    def most_of_features(self, makings: Makings) -> int:
        """The maximum of additional points for all features together, if each pays once and one player owns all of
        them.
        """
        return 0

    def most_besides(self, makings: Makings, once: int) -> int:
        """The maximum of additional points for a player, besides the points `once` for all features."""
        return 0
