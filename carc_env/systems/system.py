"""What each box shows to Python: its questions and their texts, its settings, its events, how long and dear it can make
a game.

A `System` is the one place outside its rules (rules/expansions) where a box is spoken of; all else goes over the
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
    """What a question is asked about, now or when a recorded answer was given."""

    game: np.record
    phase: int
    player: int
    tile: int  # the kind in hand, or just placed
    placed: int  # the cell of the tile just placed, NONE before
    spot: int = NONE  # kept with the recorded answer

    @property
    def size(self) -> int:
        """Rows and columns of the table."""
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
        """What the rules know of the kind of tile on a cell, and its rotation in quarter turns."""
        square = self.game["board"][cell]
        return tile_table()[0]["kinds"][square["tile"]], int(square["rotation"])

    def segment_at(self, cell: int, spot: int) -> int:
        """The number of the segment at a spot of the tile on a cell, or NONE."""
        tile, rotation = self.facts(cell)
        return int(tile["spot_segment"][rotation, spot])

    def kind_at(self, cell: int, spot: int) -> str:
        """What texts call the feature at a spot of the tile on a cell."""
        return WORDS[self.facts(cell)[0]["kind"][self.segment_at(cell, spot)]]

    def where(self, cell: int) -> str:
        """A cell as `x,y`."""
        x, y = coordinates(self.game, cell)
        return f"{x},{y}"

    def at(self, cell: int) -> Cell:
        """A cell as (x, y)."""
        return coordinates(self.game, cell)

    def cell(self, x: str, y: str) -> int:
        """The cell of x,y, which must be on or beside the layout: further away the torus would repeat itself. Raises
        NotationError.
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
        """The segments of the tile just placed, as answers name them."""
        tile, rotation = self.facts(self.placed)
        spots = {*tile["spot"][rotation, : tile["n_segments"]].tolist(), Spot.LYING}
        named = (
            (self.kind_at(self.placed, spot), SPOTS[spot])
            for spot in sorted(spots)
            if tile["spot_segment"][rotation, spot] != NONE
        )
        return [kind if kind == spot else f"{kind} {spot}" for kind, spot in named]

    def supply(self, figure: int) -> int:
        """How many figures of a kind the player has in supply."""
        slots = self.game["players"][self.player]["figures"][FIRST_SLOT[figure] : FIRST_SLOT[figure + 1]]
        return int((slots == IN_SUPPLY).sum())

    def about_tile(self) -> str:
        """What ends a message about a tile to be placed, or about a figure on the tile just placed; else nothing."""
        if self.phase == Phase.PLACE_TILE:
            return f"; tile {self.in_hand} is in hand"
        return f"; tile {self.just_placed} was just placed" if self.phase == Phase.PLACE_FIGURE else ""


CELL = r"(-?[0-9]{1,3}),(-?[0-9]{1,3})"
FIGURE = rf"({'|'.join(FIGURES)})"


class Form(NamedTuple):
    """A form that texts of answers can have."""

    pattern: str  # of the whole text, its words one space apart; the groups go to `read`
    read: Callable[..., int]  # read(scene, *groups): the answer. Raises NotationError
    not_now: str  # what is said where another question is asked

    def match(self, text: str) -> re.Match[str] | None:
        """Whether a text has this form."""
        return re.fullmatch(self.pattern, text)


class Question:
    """A question of a box: the texts of its answers, where they are given, and what people are told about it."""

    asked = ""  # what the player asked does, after "player 1"; {tile} is the tile in hand or just placed
    passing = "pass"  # what people are told that `pass` means
    forms: Sequence[Form] = ()

    def example(self, scene: Scene) -> str:
        """What an answer looks like, after "write"."""
        raise NotImplementedError

    def write(self, scene: Scene, action: int) -> str:
        """The text of an answer."""
        raise NotImplementedError

    def place(self, scene: Scene, action: int) -> Place:
        """Where an answer is given on the board, now or when it was given (`systems/where.py`); a button by default."""
        return Button()

    def in_words(self, scene: Scene, action: int) -> str:
        """What people call an answer; by default as its text does."""
        place = self.place(scene, action)
        return str(place) if isinstance(place, Laid) else self.write(scene, action)

    def held(self, game: Any) -> list[str] | None:
        """The tiles of which the player asked may lay one; None: the tile in hand, if there is one. `game` is a
        Game.
        """
        return None

    def spot(self, scene: Scene, action: int) -> int:
        """The spot to be kept with an answer (MOVE.spot), before it is given."""
        return NONE

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        """Why an answer is not legal; `legal` gives the texts of those that are."""
        raise NotImplementedError


@dataclass(frozen=True)
class Told:
    """One event as the rules note it."""

    player: int
    source: int
    amount: int
    x: Any  # int; None for what happens on no cell
    y: Any


class Happening:
    """Something that an answer caused; it prints as a sentence."""

    def said(self, who: str) -> str:
        """The sentence, with the player so called."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.said(f"player {getattr(self, 'player', None)}")


class Makings(NamedTuple):
    """All that can come to lie on the table in a game."""

    config: Any  # GameConfig
    starts: tuple[TileKind, ...]  # start tiles that do not come from the deck
    deck: tuple[TileKind, ...]
    sheet: Any  # Sheet, or None
    held: tuple[TileKind, ...] = ()  # tiles in the hands of players, or their squares

    @property
    def tiles(self) -> tuple[TileKind, ...]:
        """The start tiles and those of the deck."""
        return self.starts + self.deck

    @property
    def all_tiles(self) -> tuple[TileKind, ...]:
        """These, and the tiles that players hold."""
        return self.tiles + self.held

    @property
    def most_parts(self) -> int:
        """How many parts the turns of a game have at most: in each a tile is placed."""
        return len(self.deck) + len({kind.name for kind in self.held if kind.inner != NONE}) + self.config.players


class Letters(NamedTuple):
    """What lies on a cell, in a game as text."""

    point: tuple[float, float]  # of the cell, in hundredths of its side
    word: str
    look: str = ""  # the colours of the word, a key of render.ansi.COLOURS; empty: those of the player
    player: int | None = None  # whose it is


class Item(NamedTuple):
    """One thing on a player's card in the drawing: what is drawn, and how many of it the player holds."""

    sign: str  # "ingot", a good, "chip purple 2", "tile abbey"
    kind: str  # what the drawing calls it, such as "goods"
    count: int | None = None  # type: ignore[assignment]  # tuple.count is not asked for; None: there is one, and no number is written
    about: Mapping[str, Any] = {}  # what the drawing notes of it
    half: float = 9  # half of its width
    scale: float = 1  # in which a piece is drawn
    art: str = ""  # SVG around (0, 0) to be drawn instead of the sign
    tile: str = ""  # a tile to be drawn instead of the sign
    name: str = ""  # what people call it, where that is not its sign
    at_end: bool = False  # stands at the right end of its line


class SetOut(NamedTuple):
    """Something that is drawn before a game: at a real table people say how it lies."""

    key: str  # in records, and as a word of the command line
    question: str  # put to people
    example: str  # of what they write
    read: Callable[[str], Any]  # that; raises CarcErrors
    dictated: Callable[[Any], Any] = list  # as a game record has it; raises CarcErrors


class System:
    """What a box shows to Python; a box overrides what it has."""

    set_out: SetOut | None = None  # what of it is drawn before a game that does not dictate it

    box: str
    questions: Mapping[Phase, Question] = {}
    choices = 0  # of the block `choose_cell`: how many its answers use
    answers: Mapping[str, str] = {}  # what an answer of a block of ids (actions.TABLE) means here
    # answers that have one text in every game, as rules/answers.py counts those that name no cell
    words: Mapping[str, int] = {}
    in_words: Mapping[int, str] = {}  # what people call such an answer
    places: Mapping[int, Place] = {}  # where such an answer is given; by default with a button
    refusals: Mapping[int, str] = {}  # why such an answer is not legal where figures are placed; {player} is asked
    events: Mapping[EventKind, Callable[[Told], Any]] = {}
    sources: Mapping[str, str] = {}  # what people call a source of points, where that is not its name
    most_players = 5  # that can play with it
    # in drawings: what is printed on its tiles, by symbol, building or mark; its figures; what lies on tiles, by id
    signs: Mapping[str, Sign] = {}
    figures: Mapping[str, Wooden] = {}
    pieces: Mapping[str, Callable[[], str]] = {}
    layer = ""  # what the layer is called in which `lying` is drawn, between the tiles and the figures
    lying_key = ""  # what the key of a game as text says of it
    line = ""  # the line of a player's card on which `on_card` stands; boxes may share one; empty: that of the figures

    def is_in_play(self, config: Any) -> bool:
        """Whether a game has it."""
        return self.box in config.boxes

    def is_set_out(self, config: Any) -> bool:
        """Whether a game needs `set_out`."""
        return self.set_out is not None and self.is_in_play(config)

    def check(self, config: Any) -> None:
        """Raise ConfigError where the configuration is not as the box needs it; asked of every configuration."""

    def stack(self, config: Any, counts: dict[str, int]) -> None:
        """Change how many of each tile are in the stack."""

    def variants(self, config: Any) -> Mapping[str, int]:
        """The settings of the box as the rules know them (state.VARIANTS)."""
        return {}

    def held(self, config: Any) -> tuple[TileKind, ...]:
        """The tiles, or squares of tiles, of the box that players may hold, where it is in play."""
        return ()

    def set_up(self, game: np.record, config: Any) -> None:
        """Write to a game what only this box knows of it before it begins; asked of every game."""

    def hand(self, game: Any, player: int) -> str:
        """What a player holds of this box, for one line of text behind the points; `game` is a Game."""
        return ""

    def supply(self, game: Any) -> str:
        """What of this box lies beside the table for all players, in words; `game` is a Game."""
        return ""

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        """What a player holds of this box, for his card in the drawing; `game` is a Game."""
        return ()

    # what of it lies on the tiles and is no figure
    def lying(self, game: Any, board: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
        """What lies there: x, y and what `draw` and `letters` are to know of each; `game` is a Game, `board` its
        tiles.
        """
        return ()

    def draw(self, x: int, y: int, *what: Any) -> str:
        """One of these as an element of SVG, 100 a cell."""
        raise NotImplementedError

    def draw_here(self, *what: Any) -> str:
        """One of these on cell 0,0."""
        return self.draw(0, 0, *what)

    def letters(self, *what: Any) -> Letters:
        """One of these in a game as text."""
        raise NotImplementedError

    def more_key(self, game: Any, board: Sequence[Any], printed: Collection[str]) -> list[str]:
        """What the key of a game as text says besides what it always says; `printed` are the signs on the table."""
        said = [sign.key for name, sign in self.signs.items() if sign.key and name in printed]
        lies = self.lying_key and self.box in game.config.boxes and self.lying(game, board)
        return said + [self.lying_key] * bool(lies)

    # the worst that the box can add to a game, where it is in play; see setup/limits.py
    def most_answers(self, makings: Makings) -> int:
        """How many answers it can add to a game at most."""
        return 0

    def most_completed(self, makings: Makings) -> int:
        """How many features more can be completed in one turn at most, castles that score included."""
        return 0

    def most_of_features(self, makings: Makings) -> int:
        """How many points more all features together can pay at most, if each pays once and one player owns them
        all.
        """
        return 0

    def most_besides(self, makings: Makings, once: int) -> int:
        """How many points more a player can get at most besides what all features pay `once`."""
        return 0
