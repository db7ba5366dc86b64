"""Computes network inputs that describe tiles. The inputs describe the appearance of each kind of tile, and tell how
many remaining tiles fit into an empty square.

The inputs are looked up in arrays that are computed from the tiles of the boxes. As in the plane `tile`, the index of a
tile is the index of its kind plus 1. The index 0 means no tile.
"""

import numpy as np
import torch
from torch import Tensor, nn

from carc_env.boxes.layout import LAND_KINDS
from carc_env.boxes.tiles import HALVES, SIDES, tile_table
from carc_env.networks.cells import BESIDE, at_steps, seen_from, with_border
from carc_env.observing.spaces import Layout
from carc_env.rules.state import BUILDINGS, MAX_KINDS, NONE, Kind, Terrain

# The number of shapes. A shape tells which edges the neighbours of an empty square require. A shape has two bits for
# each side of the square. The lowest two bits belong to side N. The bits of a side hold the Terrain that the neighbour
# on this side requires, or 0 if nothing is required.
SHAPES = 4 ** len(SIDES)
PAIRS = [(a, b) for a in range(len(HALVES)) for b in range(a)]
BUILT = [kind for kind in Kind if BUILDINGS[kind].any() or kind == Kind.GERMAN_CATHEDRAL]


def listed(layout: Layout, prefix: str) -> tuple[slice, list[int]]:
    """Return the slice of the global features whose names begin with `prefix`, and the tile indices of these features.
    `prefix` is `hand_` or `left_`.
    """
    tiles = [name.removeprefix(prefix) for name in layout.globals if name.startswith(prefix)]
    first = list(layout.globals).index(prefix + tiles[0])
    return slice(first, first + len(tiles)), [LAND_KINDS.index(tile) + 1 for tile in tiles]


class Hand(nn.Module):
    """Reads the tile in hand from the global features of an observation.

    Attributes:
        at: the slice of the global features for the tile in hand.
    """

    numbers: Tensor

    def __init__(self, layout: Layout):
        super().__init__()
        self.at, numbers = listed(layout, "hand_")
        self.register_buffer("numbers", torch.tensor(numbers), persistent=False)

    def forward(self, globals_: Tensor) -> Tensor:
        """For each observation, return the index of the tile in hand, [n]. Without a tile in hand, the index is 0."""
        hand = globals_[:, self.at]
        return torch.where(hand.any(1), self.numbers[hand.argmax(1)], 0)


def described(tile: np.void, turns: int) -> list[float]:
    """Return numbers that describe a rotated tile: its sides, the connections between its sides, its fields with their
    adjacent cities, and its buildings.
    """
    sides, halves = tile["side_segment"][turns].tolist(), tile["half_segment"][turns].tolist()
    found: list[float] = []
    for segment in sides:
        lies = segment != NONE
        found += [lies and tile["kind"][segment] == kind for kind in (Kind.CITY, Kind.ROAD)]
        found += [
            lies * tile["open"][segment] / 4,
            lies * tile["pennants"][segment],
            lies * (tile["inns"][segment] + tile["cathedrals"][segment]),
        ]
    found += [sides[a] == sides[b] != NONE for a, b in PAIRS if a < len(SIDES)]
    found += [halves[a] == halves[b] != NONE for a, b in PAIRS]
    found += [half != NONE and side != NONE and tile["adjoins"][half] >> side & 1 for half in halves for side in sides]
    kinds = set(tile["kind"][: tile["n_segments"]].tolist())
    return [float(number) for number in (*found, *(kind in kinds for kind in BUILT))]


def fits(tile: np.void) -> np.ndarray:
    """Return five masks as bool[5, SHAPES]. Each mask has one entry for each combination of edges that the neighbours
    of an empty square can require. Such a combination is a *shape* of the square. The first mask is True where the tile
    fits the shape in at least one rotation. Each of the other four masks belongs to one side of the square: the mask is
    True where the tile fits the shape and adds no open end to the feature on this side.
    """
    demands = np.arange(SHAPES)[:, None] >> 2 * np.arange(4) & 3  # [shape, side]
    found = np.zeros((5, SHAPES), bool)
    for turns in range(4 * bool(tile["n_segments"])):
        edges, segments = tile["edges"][turns] >> 2 * np.arange(4) & 3, tile["side_segment"][turns]
        is_fit = ((demands == 0) | (demands == edges)).all(1)
        found[0] |= is_fit
        for side in np.flatnonzero(segments != NONE):
            found[1 + side] |= is_fit & (demands != 0)[:, segments == segments[side]].all(1)
    return found


class Tiles(nn.Module):
    """An embedding for each kind of tile. The embedding is the sum of a learned function of the tile's appearance and a
    learned vector for the kind of tile.

    Args:
        width: the size of the embedding.
    """

    table: Tensor

    def __init__(self, width: int):
        super().__init__()
        table = torch.tensor([[described(tile, turns) for tile in tile_table()[0]["kinds"]] for turns in range(4)])
        self.register_buffer("table", torch.cat([torch.zeros_like(table[:, :1]), table], 1), persistent=False)
        self.own, self.looks, self.width = nn.Embedding(MAX_KINDS + 1, width), nn.Linear(table.shape[2], width), width
        nn.init.normal_(self.own.weight, std=0.1)

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the embeddings of unrotated tiles, [..., width]."""
        return (self.own.weight + self.looks(self.table[0]))[numbers]

    def turned(self, numbers: Tensor, turns: Tensor) -> Tensor:
        """Return the embeddings of tiles that are rotated by `turns` quarter turns, [..., width]."""
        return (self.own.weight + self.looks(self.table))[turns, numbers]


class Holes(nn.Module):
    """Describes the empty squares beside a tile. There is a description for each of the four sides of the tile. The
    sides are ordered as on the unrotated tile.

    Each side of the tile is described by three numbers. The first number tells whether the square beside this side is
    empty. The second number counts the remaining tiles that fit into the empty square. The third number counts the
    remaining tiles that fit into the empty square without adding an open end to the feature on this side.

    Args:
        layout: the layout of the planes and global features.

    Attributes:
        width: the number of values for each tile.
    """

    fits: Tensor
    edges: Tensor
    beside: Tensor
    width = 3 * len(SIDES)

    def __init__(self, layout: Layout):
        super().__init__()
        kinds, names = tile_table()[0]["kinds"], list(layout.planes)
        self._layout, (self._left, numbers) = layout, listed(layout, "left_")
        found = np.stack([fits(kinds[number - 1]) for number in numbers]).reshape(len(numbers), -1)
        self.register_buffer("fits", torch.tensor(found, dtype=torch.float32), persistent=False)
        edges = kinds["edges"][:, :, None] >> 2 * np.arange(4) & 3
        self.register_buffer(
            "edges", torch.cat([torch.zeros(1, 4, 4, dtype=torch.long), torch.tensor(edges).long()]), persistent=False
        )
        self.register_buffer("beside", at_steps(layout, BESIDE), persistent=False)
        self._tile, self._square = names.index("tile"), names.index("square")
        self._city, self._road = (
            [names.index(f"{what}_{SIDES[(side + 2) % 4]}") for side in range(4)] for what in ("city", "road")
        )
        self._printed = [names.index(f"border_{side}") if f"border_{side}" in names else None for side in SIDES]

    def forward(
        self, planes: Tensor, globals_: Tensor, question: Tensor, cell: Tensor, turns: Tensor, tile: Tensor
    ) -> Tensor:
        """Return the descriptions of the empty squares beside each tile, [tiles, width]. The counts of tiles are scaled
        logarithmically.

        Args:
            planes, globals_: the planes and global features of the batch.
            question, cell, turns, tile: four arrays with one entry for each tile. `question` is the index of the
                observation, `cell` is the cell of the tile, `turns` is the rotation in quarter turns, and `tile` is the
                index of the tile.
        """
        is_empty = with_border(((planes[:, self._tile] == 0) & (planes[:, self._square] == 1)).flatten(1), self._layout)
        demanded, count = (
            with_border(self.demanded(planes), self._layout),
            torch.log1p(globals_[:, self._left].float() @ self.fits) / 4,
        )
        found = []
        for side in range(4):
            way = (side + turns) % 4
            hole, back = self.beside[way, cell], (way + 2) % 4
            there = is_empty[question, hole].float()
            shape = demanded[question, hole] | self.edges[tile, turns, way] << 2 * back
            found += [there, there * count[question, shape], there * count[question, SHAPES * (1 + back) + shape]]
        return torch.stack(found, 1)

    def demanded(self, planes: Tensor) -> Tensor:
        """For each cell, return the edges that a tile on this cell must have, int64[n, cells]. The edges must match the
        neighbouring tiles, and the roads and cities printed at the border of the map sheet. The comment on SHAPES
        explains how the edges are encoded.
        """
        lies, found = planes[:, self._tile] > 0, torch.zeros_like(planes[:, self._tile], dtype=torch.long)
        for side, (down, right) in enumerate(BESIDE):
            city, road = planes[:, self._city[side]] > 0, planes[:, self._road[side]] > 0
            terrain = (
                torch.where(city, int(Terrain.CITY), torch.where(road, int(Terrain.ROAD), int(Terrain.FIELD))) * lies
            )
            demand, at = seen_from(terrain, down, right, self._layout), self._printed[side]
            if at is not None:
                printed = planes[:, at].long()  # 1: a road, 2: a city
                demand = demand | torch.where(printed > 0, 3 - printed, 0)
            found |= demand << 2 * side
        return found.flatten(1)


assert (Terrain.CITY, Terrain.ROAD, Terrain.FIELD) == (1, 2, 3)
