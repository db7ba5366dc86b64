"""Defines the actions of ferries. The action `ferry S-W` puts a ferry on the lake of the tile that was just placed. The
action `ferry 2,3 E-S` moves the ferry of the lake at 2,3.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from carc_env.boxes.tiles import SIDES, SPOTS, TileKind, tile_table
from carc_env.common.errors import NotationError
from carc_env.rules.answers import ferry_answer, ferry_of
from carc_env.rules.expansions.ferries import PAIRS
from carc_env.rules.geometry import coordinates
from carc_env.rules.state import MAX_FERRIES, NONE, Phase
from carc_env.systems.base.words import MOST_OF_ROAD
from carc_env.systems.ferries.signs import PIECES, SIGNS, ferry_lying
from carc_env.systems.system import CELL, Form, Letters, Makings, Question, Scene, System
from carc_env.systems.where import COMPASS, Cell, OnPoint

NAMES = tuple("-".join(SIDES[side] for side in pair) for pair in PAIRS.tolist())  # the names of the pairs of edges
PAIR = "([NESW])-([NESW])"
# the character for a ferry in the text board; the character looks like the road that the ferry forms
LETTERS = {
    frozenset(ends): letter
    for ends, letter in (("NE", "\\"), ("SW", "\\"), ("NW", "/"), ("ES", "/"), ("NS", "|"), ("EW", "-"))
}
# the points on a lake where players choose a ferry between two edges
POINTS = {"N-E": (68, 32), "E-S": (68, 68), "S-W": (32, 68), "N-W": (32, 32), "N-S": (50, 36), "E-W": (50, 56)}


def between(pair: str) -> str:
    """Describe a pair of edges in words, such as "from east to south"."""
    one, other = pair.split("-")
    return f"from {COMPASS[one]} to {COMPASS[other]}"


def crossing(pair: str, cell: Cell | None = None) -> OnPoint:
    """Return the point on a lake where players click to choose a ferry between the two edges of a pair."""
    one, other = pair.split("-")
    return OnPoint(POINTS[pair], cell, sign="boat", scale=0.7, joins=(one, other))


def cell_of(game: np.record, ferry: int) -> int:
    """The cell of a ferry's lake."""
    return int(game["segments"]["cell"][game["systems"]["ferries"]["lying"]["ends"][ferry, 0]])


def row_by_row(game: np.record) -> list[int]:
    """Return the indices of the ferries on the table, in the order of their cells (row by row)."""
    places = [coordinates(game, cell_of(game, ferry)) for ferry in range(game["systems"]["ferries"]["n_lying"])]
    return sorted(range(len(places)), key=lambda ferry: (places[ferry][1], places[ferry][0]))


def movable(game: np.record) -> list[int]:
    """Return the indices of the ferries that can be moved now, in the order of their cells (row by row)."""
    return [ferry for ferry in row_by_row(game) if game["systems"]["ferries"]["movable"] >> ferry & 1]


def read_pair(one: str, other: str) -> int:
    """Return the index of a pair of edges. The two edges can be given in either order. Raises NotationError."""
    if one == other:
        raise NotationError(f"'{one}-{other}': a ferry joins two different edges")
    return NAMES.index("-".join(sorted((one, other), key=SIDES.index)))


def without_road(scene: Scene, cell: int, pair: int) -> str:
    """Check that roads lead from the lake on a cell to both edges of a pair. If a road is missing, return the name of
    an edge without a road. If both roads exist, return an empty string.
    """
    edges = (
        side
        for side in PAIRS[pair].tolist()
        if scene.segment_at(cell, side) == NONE or scene.kind_at(cell, side) != "road"
    )
    return next((SIDES[side] for side in edges), "")


class PlaceFerry(Question):
    """After placing a tile with a lake, the player decides which two roads the lake's ferry joins."""

    asked = "puts the ferry on {tile}"
    why = (
        "The lake just placed gets a ferry. The ferry joins two roads of the lake into one road. The other roads end "
        "at the lake."
    )

    def __init__(self) -> None:
        self.forms = (
            Form(
                f"ferry {PAIR}",
                lambda scene, one, other: ferry_answer(scene.size, 0, read_pair(one, other)),
                "no lake waits for its ferry now",
            ),
        )

    def example(self, scene: Scene) -> str:
        return "the edges of the two roads that the ferry joins, such as 'ferry E-S'"

    def write(self, scene: Scene, action: int) -> str:
        return f"ferry {NAMES[ferry_of(scene.size, action)[1]]}"

    def place(self, scene: Scene, action: int) -> OnPoint:
        return crossing(NAMES[ferry_of(scene.size, action)[1]])

    def in_words(self, scene: Scene, action: int) -> str:
        return f"ferry {between(NAMES[ferry_of(scene.size, action)[1]])}"

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        number, pair = ferry_of(scene.size, action)
        edge = without_road(scene, scene.placed, pair) if number == 0 else ""
        return (
            f"the lake has no road on edge {edge}"
            if edge
            else f"player {scene.player} puts the ferry on the lake just placed: {legal()}"
        )


class MoveFerry(Question):
    """After placing a tile, the player decides whether to move one of the ferries nearest to this tile. If the player
    moves a ferry, the player also decides which two edges of the lake this ferry then joins.
    """

    asked = "may move a ferry"
    why = (
        "After placing a tile, follow each of its roads to the nearest ferry. You may move these ferries. A moved ferry "
        "joins a different pair of roads of its lake. This can change who owns the roads, and which roads are complete."
    )
    passing = "move no ferry"

    def __init__(self) -> None:
        self.forms = (Form(f"ferry {CELL} {PAIR}", self._read, "no ferry can be moved now"),)

    def example(self, scene: Scene) -> str:
        return "a ferry and the two edges that it will join, such as 'ferry 2,3 E-S', or 'pass'"

    def spot(self, scene: Scene, action: int) -> int:
        return movable(scene.game)[ferry_of(scene.size, action)[0]]

    def write(self, scene: Scene, action: int) -> str:
        return f"ferry {scene.where(cell_of(scene.game, scene.spot))} {NAMES[ferry_of(scene.size, action)[1]]}"

    def place(self, scene: Scene, action: int) -> OnPoint:
        cell, pair = cell_of(scene.game, scene.spot), NAMES[ferry_of(scene.size, action)[1]]
        return crossing(pair, scene.at(cell))

    def in_words(self, scene: Scene, action: int) -> str:
        where = scene.where(cell_of(scene.game, scene.spot))
        return f"ferry on {where} {between(NAMES[ferry_of(scene.size, action)[1]])}"

    def _read(self, scene: Scene, x: str, y: str, one: str, other: str) -> int:
        cell, pair = scene.cell(x, y), read_pair(one, other)
        here = [ferry for ferry in row_by_row(scene.game) if cell_of(scene.game, ferry) == cell]
        if not here:
            raise NotationError(f"no ferry lies on {scene.where(cell)}")
        if here[0] not in movable(scene.game):
            raise NotationError(
                f"the ferry on {scene.where(cell)} cannot be moved now; "
                "a player may move only the ferries nearest to the tile just placed, and each of them only once"
            )
        return ferry_answer(scene.size, movable(scene.game).index(here[0]), pair)

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        (number, pair), ferries = ferry_of(scene.size, action), movable(scene.game)
        if not 0 <= number < len(ferries):
            return f"player {scene.player} can move a ferry: {legal()}"
        cell = cell_of(scene.game, ferries[number])
        edge = without_road(scene, cell, pair)
        return (
            f"the lake on {scene.where(cell)} has no road on edge {edge}"
            if edge
            else f"the ferry on {scene.where(cell)} already joins these edges"
        )


def lying(game: np.record) -> list[tuple[int, int, str]]:
    """List all ferries on the table. They are ordered by their cells, row by row. Each entry is a tuple of three items:
    x and y of the ferry's cell, and the pair of edges that the ferry joins.
    """
    found = []
    for ferry in row_by_row(game):
        cell, ends = cell_of(game, ferry), game["systems"]["ferries"]["lying"]["ends"][ferry]
        square = game["board"][cell]
        spots = tile_table()[0]["kinds"]["spot"][square["tile"], square["rotation"], ends - square["first_segment"]]
        found.append((*coordinates(game, cell), "-".join(SPOTS[spot] for spot in spots)))
    return found


def count_ferries(tiles: Iterable[TileKind]) -> int:
    """The number of ferries in a game with the given tiles."""
    return min(MAX_FERRIES, sum("lake" in kind.symbols for kind in tiles))


def road_edges(kind: TileKind) -> list[int]:
    """Return a list with one number for each road of a tile: the number of edges that the road touches."""
    return [len(segment.spots) for segment in kind.segments if segment.kind == "road"]


class Ferries(System):
    """Ferries."""

    box = "ferries"
    signs = SIGNS
    pieces = PIECES
    layer = "ferries"
    lying_key = "~-~ its ferry"
    questions = {Phase.PLACE_FERRY: PlaceFerry(), Phase.MOVE_FERRY: MoveFerry()}
    answers = {
        "ferry": "put a ferry between two edges of its lake (N-E, N-S, N-W, E-S, E-W, S-W). A ferry on a new "
        "lake has the index 0. Ferries that can be moved are numbered row by row, beginning with index 0"
    }

    def lying(self, game: Any, board: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
        """The ferries on the table, each with the rotation of its lake."""
        rotations = {(tile.x, tile.y): tile.rotation for tile in board}
        return [(x, y, ends, rotations[x, y]) for x, y, ends in game.ferries]

    def draw(self, x: int, y: int, *what: Any) -> str:
        """Draw planks across the lake, with the boat beside them."""
        return ferry_lying(x, y, *what)

    def letters(self, *what: Any) -> Letters:
        """Return the character for a ferry on the board in text form. The character is in the middle of the lake."""
        ends, _ = what
        return Letters((50, 50), LETTERS[frozenset(ends.split("-"))], "wood")

    def variants(self, config: Any) -> Mapping[str, int]:
        return {"ferry_requires_highwayman": config.ferry_requires_highwayman}

    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions about ferries. Each new lake adds one decision about its
        ferry. Each placed tile adds one decision for each ferry that the tile can reach.

        A placed tile reaches ferries through the edges where its roads meet roads of neighbouring tiles. In games
        without branched roads, the tile reaches at most one ferry through each of these edges. Each meeting of two
        roads uses up two road edges. Therefore, the number of meetings in a game is at most half the number of road
        edges. A road that touches n > 2 edges of its tile has n - 2 branches. For each branch in the game, every
        placed tile can reach one more ferry.
        """
        ferries = count_ferries(makings.deck)
        edges = sum(edges for kind in makings.tiles for edges in road_edges(kind))
        branches = sum(max(0, edges - 2) for kind in makings.tiles for edges in road_edges(kind))
        with_roads = sum(len(road_edges(kind)) > 0 for kind in makings.deck)
        return ferries + min(edges // 2 + branches * with_roads, ferries * with_roads)

    def most_completed(self, makings: Makings) -> int:
        """Return an upper limit for the number of features completed in one turn. The limit assumes that every ferry is
        moved and that each move completes three roads.
        """
        return 3 * count_ferries(makings.tiles)

    def most_besides(self, makings: Makings, once: int) -> int:
        """Return an upper limit for the additional points that one player scores because of ferries. Moving a ferry can
        reopen a completed road at the ferry's lake. The limit assumes that every road scores one more time for each
        ferry.

        After a reopened road has been scored, no later tile can reach the moved ferry along this road. Therefore, a
        road scores at most one additional time for each ferry.
        """
        roads = sum(segment.kind == "road" for kind in makings.all_tiles for segment in kind.segments)
        coats = sum(border.coats for border in makings.sheet.borders) if makings.sheet else 0
        return count_ferries(makings.tiles) * (MOST_OF_ROAD * roads + 3 * coats)
