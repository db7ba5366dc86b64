"""Defines the base class `System`. An object of this class defines the decisions, actions, settings, events and limits
of one box (the base game or an expansion).

Code that is specific to a box is in its `System` and in its rules (rules/expansions). The rest of the package treats
all boxes alike and loops over the `System` objects.
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
    """The position in which a player makes a decision: the current position, or a position from a game record."""

    game: np.record
    phase: int
    player: int
    tile: int  # the kind of the tile in hand, or NONE; in a game record: the kind of the tile placed last
    placed: int  # the cell of the tile just placed, or NONE
    spot: int = NONE  # the spot stored with the recorded action

    @property
    def size(self) -> int:
        """The number of rows and columns of the table."""
        return size_of(self.game)

    @property
    def ids(self) -> Ids:
        """The ids of all actions. The ids depend on the size of the table."""
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
        """Return two facts about the tile on a cell: the record of its kind, and its rotation in quarter turns."""
        square = self.game["board"][cell]
        return tile_table()[0]["kinds"][square["tile"]], int(square["rotation"])

    def segment_at(self, cell: int, spot: int) -> int:
        """Return the index of the segment at a spot of the tile on a cell. If the tile lacks this spot, return NONE."""
        tile, rotation = self.facts(cell)
        return int(tile["spot_segment"][rotation, spot])

    def kind_at(self, cell: int, spot: int) -> str:
        """Return the kind of feature, such as "city", at a spot of the tile on a cell."""
        return WORDS[self.facts(cell)[0]["kind"][self.segment_at(cell, spot)]]

    def where(self, cell: int) -> str:
        """Return the coordinates of a cell as the string `x,y`."""
        x, y = coordinates(self.game, cell)
        return f"{x},{y}"

    def at(self, cell: int) -> Cell:
        """Return the coordinates (x, y) of a cell."""
        return coordinates(self.game, cell)

    def cell(self, x: str, y: str) -> int:
        """Return the index of the cell at (x, y). Raises NotationError if (x, y) is so far from the tiles on the table
        that the coordinates would wrap around.
        """
        cell = cell_of(int(x), int(y), bool(self.game["systems"]["maps"]["on_sheet"]), self.size)
        if coordinates(self.game, cell) != (int(x), int(y)):
            raise NotationError(f"{int(x)},{int(y)} is not beside the tiles on the table{self.about_tile()}")
        return cell

    def spots(self) -> list[str]:
        """The names of the spots of the tile just placed, such as "N" or "monastery"."""
        tile, rotation = self.facts(self.placed)
        return [SPOTS[spot] for spot in np.flatnonzero(tile["spot_segment"][rotation] != NONE)]

    def segments(self) -> list[str]:
        """Return the names of the segments of the tile just placed, such as "city N"."""
        tile, rotation = self.facts(self.placed)
        spots = {*tile["spot"][rotation, : tile["n_segments"]].tolist(), Spot.LYING}
        named = (
            (self.kind_at(self.placed, spot), SPOTS[spot])
            for spot in sorted(spots)
            if tile["spot_segment"][rotation, spot] != NONE
        )
        return [kind if kind == spot else f"{kind} {spot}" for kind, spot in named]

    def supply(self, figure: int) -> int:
        """The number of figures of one kind in the player's supply."""
        slots = self.game["players"][self.player]["figures"][FIRST_SLOT[figure] : FIRST_SLOT[figure + 1]]
        return int((slots == IN_SUPPLY).sum())

    def about_tile(self) -> str:
        """Return words for the end of an error message, such as "; tile D is in hand". When the player places a tile,
        the words name the tile in hand. When the player places a figure, the words name the tile that was just placed.
        In other phases, the text is empty.
        """
        if self.phase == Phase.PLACE_TILE:
            return f"; tile {self.in_hand} is in hand"
        return f"; tile {self.just_placed} was just placed" if self.phase == Phase.PLACE_FIGURE else ""


CELL = r"(-?[0-9]{1,3}),(-?[0-9]{1,3})"
FIGURE = rf"({'|'.join(FIGURES)})"


class Form(NamedTuple):
    """The pattern for the notation of one kind of action."""

    pattern: str  # matches the whole text, with single spaces between words; its groups are passed to `read`
    read: Callable[..., int]  # read(scene, *groups) returns the action. Raises NotationError
    not_now: str  # the error message if the player has to make a decision of another kind

    def match(self, text: str) -> re.Match[str] | None:
        """Match the notation of an action against the pattern."""
        return re.fullmatch(self.pattern, text)


class Question:
    """A decision that a box adds to the game. The class defines how each action is written, and where a player clicks
    to choose it. The class also explains the decision in plain English.
    """

    # words that follow "player 1", such as "places {tile}"; {tile} is the tile in hand or the tile just placed
    asked = ""
    why = ""  # why the player has to decide, in whole sentences for people who do not know the rules
    passing = "pass"  # the meaning of `pass` in words
    forms: Sequence[Form] = ()

    def example(self, scene: Scene) -> str:
        """Return an example of an action. In an error message, the example is preceded by the word "write"."""
        raise NotImplementedError

    def write(self, scene: Scene, action: int) -> str:
        """Return the notation of an action, such as `D@1,0/90`."""
        raise NotImplementedError

    def place(self, scene: Scene, action: int) -> Place:
        """Return the place on the board where a player clicks to choose an action (see `systems/where.py`). By default,
        the player chooses an action with a button.
        """
        return Button()

    def in_words(self, scene: Scene, action: int) -> str:
        """Return a description of an action in plain English. By default, a tile placement is described by the tile,
        its cell and its rotation. By default, any other action is described by its notation.
        """
        place = self.place(scene, action)
        return str(place) if isinstance(place, Laid) else self.write(scene, action)

    def held(self, game: Any) -> list[str] | None:
        """The ids of the tiles that the player may place. If the result is None, the player may place only the tile in
        hand. `game` is a Game.
        """
        return None

    def spot(self, scene: Scene, action: int) -> int:
        """Return the spot that the game stores with an action (MOVE.spot). This method must be called before the
        action is played.
        """
        return NONE

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        """The reason why an action is not legal. The function `legal` returns the notation of the legal actions."""
        raise NotImplementedError


@dataclass(frozen=True)
class Told:
    """An event in the form in which the compiled rules record it."""

    player: int
    source: int
    amount: int
    x: Any  # int, or None for an event without a cell
    y: Any


class Happening:
    """An event caused by an action. The string form of the event is a sentence that describes it."""

    def said(self, who: str) -> str:
        """The sentence that describes the event, with `who` as the name of the player."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.said(f"player {getattr(self, 'player', None)}")


class Makings(NamedTuple):
    """The configuration and all tiles of a game. This object is used to compute limits, such as the maximum number of
    decisions in a game.
    """

    config: Any  # GameConfig
    starts: tuple[TileKind, ...]  # the start tiles that are not drawn from the deck
    deck: tuple[TileKind, ...]
    sheet: Any  # Sheet, or None
    held: tuple[TileKind, ...] = ()  # the tiles that players hold; a double tile is listed as its two squares

    @property
    def tiles(self) -> tuple[TileKind, ...]:
        """The start tiles, followed by the tiles of the deck."""
        return self.starts + self.deck

    @property
    def all_tiles(self) -> tuple[TileKind, ...]:
        """The start tiles, the tiles of the deck, and the tiles that players hold."""
        return self.tiles + self.held

    @property
    def most_parts(self) -> int:
        """The maximum number of turns in a game. Each part of a double turn counts as a turn, because a tile is placed
        in each part.
        """
        return len(self.deck) + len({kind.name for kind in self.held if kind.inner != NONE}) + self.config.players


class Letters(NamedTuple):
    """A word to write on a cell of the text board."""

    point: tuple[float, float]  # the position on the cell, in hundredths of the cell's side
    word: str
    look: str = ""  # the colours of the word, as a key of render.ansi.COLOURS; if empty, the colours of `player`
    player: int | None = None  # the player who owns the piece


class Item(NamedTuple):
    """A kind of piece that a player holds, with the number of these pieces. Pictures show the `Item` in the player's
    section of the panel.
    """

    sign: str  # the name of the piece, such as "ingot", "wine", "chip purple 2" or "tile abbey"
    kind: str  # the CSS class of the drawing, such as "goods"
    count: int | None = None  # type: ignore[assignment]  # not tuple.count; None: one piece, drawn without a number
    about: Mapping[str, Any] = {}  # the data attributes of the drawing
    half: float = 9  # half of the width of the drawing
    scale: float = 1  # the scale of the drawing
    art: str = ""  # SVG around (0, 0) to draw instead of the piece `sign`
    tile: str = ""  # a tile to draw instead of the piece `sign`
    name: str = ""  # the display name of the piece, if it differs from `sign`
    at_end: bool = False  # True if the item is at the right end of the line


class SetOut(NamedTuple):
    """A part of the setup that is drawn at random before a game, such as the start tiles. In a game with cardboard
    tiles, the players draw this part themselves and enter the result.
    """

    key: str  # the name of this part in game records and on the command line
    question: str  # the question that people are asked
    example: str  # an example of an answer
    read: Callable[[str], Any]  # parses the answer; raises CarcErrors
    dictated: Callable[[Any], Any] = list  # converts the parsed answer to the form in game records; raises CarcErrors


class System:
    """The interface between one box and the rest of the package. The class of each box overrides the methods and
    attributes that the box needs.
    """

    set_out: SetOut | None = None  # the part of the setup that is drawn at random if the caller does not give it

    box: str
    questions: Mapping[Phase, Question] = {}
    choices = 0  # for each cell: the number of this box's actions in the action block `choose_cell`
    answers: Mapping[str, str] = {}  # for each block of actions (see actions.TABLE): its meaning in this box
    # for each action whose notation is the same in every game: its number among the actions that refer to no cell
    words: Mapping[str, int] = {}
    in_words: Mapping[int, str] = {}  # for each number in `words`: the action's description in plain English
    places: Mapping[int, Place] = {}  # for each number in `words`: where players choose the action; by default a button
    # for each number in `words`: the error message if the action is not legal when a player has to place a figure;
    # {player} stands for the number of the player
    refusals: Mapping[int, str] = {}
    events: Mapping[EventKind, Callable[[Told], Any]] = {}
    # for keys of `final_scores` that differ from their display names: the display names
    sources: Mapping[str, str] = {}
    most_players = 5  # the maximum number of players with this box
    # for drawings: the symbols on the tiles of the box (by symbol, building or mark), the figures of the box, and the
    # other pieces on tiles (by id)
    signs: Mapping[str, Sign] = {}
    figures: Mapping[str, Wooden] = {}
    pieces: Mapping[str, Callable[[], str]] = {}
    layer = ""  # the name of the layer for the pieces in `lying`; the layer is between the tiles and the figures
    lying_key = ""  # the explanation of the pieces in `lying` for the legend of the text board
    # the line of a player's card that shows the pieces in `on_card`. Several boxes can share a line. If `line` is
    # empty, the line with the figures shows the pieces
    line = ""

    def is_in_play(self, config: Any) -> bool:
        """True if the box is in play in a game with this configuration."""
        return self.box in config.boxes

    def is_set_out(self, config: Any) -> bool:
        """True if games with this configuration draw a part of the setup at random when the caller does not give this
        part. The attribute `set_out` describes the part, for example the start tiles.
        """
        return self.set_out is not None and self.is_in_play(config)

    def check(self, config: Any) -> None:
        """Raise ConfigError if the configuration is invalid for this box. This method is called for every
        configuration, even if the box is not in play.
        """

    def stack(self, config: Any, counts: dict[str, int]) -> None:
        """Change the stack if the box requires it. `counts` maps the id of each kind of tile to the number of these
        tiles in the stack.
        """

    def variants(self, config: Any) -> Mapping[str, int]:
        """Return the settings of the box for the compiled rules, as values for fields of state.VARIANTS."""
        return {}

    def held(self, config: Any) -> tuple[TileKind, ...]:
        """The tiles that players can hold because of this box. For a double tile, the result contains its two squares
        as two entries.
        """
        return ()

    def set_up(self, game: np.record, config: Any) -> None:
        """Initialize the fields of a game's state that only this box uses. The method is called once for each
        configuration, even if the box is not in play. Games begin as copies of the resulting state.
        """

    def call_compiled(self, game: Any, tiles: np.record, cell: int) -> None:
        """Call each compiled function that Python uses for this box, so that it is compiled in advance. `game` is a
        Game, `tiles` is the TILES record, and a tile lies on `cell`.
        """

    def hand(self, game: Any, player: int) -> str:
        """Describe the pieces of this box that a player holds. The text becomes part of the line with the player's
        points. `game` is a Game.
        """
        return ""

    def supply(self, game: Any) -> str:
        """Describe the pieces of this box in the common supply. `game` is a Game."""
        return ""

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        """Return the pieces of this box that a player holds. Pictures show these pieces in the player's section. `game`
        is a Game.
        """
        return ()

    def occasion(self, game: Any) -> tuple[str, str]:
        """Explain why a rule of this box leads to the current decision. Returns two texts: a few words to append to the
        description of the decision, and a whole sentence. If no rule of this box leads to the decision, both texts are
        empty. `game` is a Game.
        """
        return "", ""

    # the pieces on tiles, without the figures
    def lying(self, game: Any, board: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
        """Return the pieces of this box that lie on tiles, without the figures. Each piece is a tuple `(x, y, *what)`.
        The values `what` are arguments of `draw` and `letters`. `game` is a Game. `board` lists the tiles of the game.
        """
        return ()

    def draw(self, x: int, y: int, *what: Any) -> str:
        """Draw one of the pieces that `lying` returns, as an SVG element. A cell is 100 units wide."""
        raise NotImplementedError

    def draw_here(self, *what: Any) -> str:
        """On cell 0,0, draw one of the pieces that `lying` returns."""
        return self.draw(0, 0, *what)

    def letters(self, *what: Any) -> Letters:
        """Return the letters that stand for a piece on the text board. `lying` returns the possible pieces."""
        raise NotImplementedError

    def more_key(self, game: Any, board: Sequence[Any], printed: Collection[str]) -> list[str]:
        """Return the lines that the box adds to the legend of the text board. `printed` contains the names of all
        symbols, buildings and marks on the placed tiles.
        """
        said = [sign.key for name, sign in self.signs.items() if sign.key and name in printed]
        lies = self.lying_key and self.box in game.config.boxes and self.lying(game, board)
        return said + [self.lying_key] * bool(lies)

    # the limits of what the box can add to a game; see setup/limits.py
    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions that the box adds to a game."""
        return 0

    def most_completed(self, makings: Makings) -> int:
        """Return an upper limit for the number of features that one turn can complete because of this box. Features
        counted by other boxes are left out. Each castle that scores counts as one completed feature.
        """
        return 0

    def most_of_features(self, makings: Makings) -> int:
        """Return an upper limit for the points that the box adds for all features together. The limit assumes that one
        player owns all features and that each feature scores once.
        """
        return 0

    def most_besides(self, makings: Makings, once: int) -> int:
        """Return an upper limit for the points that one player can score because of this box. Points that are already
        counted by `most_of_features` are left out. `once` is the number of points for all features of the game if each
        feature scores once.
        """
        return 0
