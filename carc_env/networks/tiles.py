"""What networks know of tiles without learning it: what each kind looks like, and how many of the tiles left fit a hole.

Both are tables made from the tiles of the boxes. A tile's number is that of its kind plus 1, as in the plane `tile`; 0 is none.
"""

import numpy as np
import torch
from torch import Tensor, nn

from carc_env.boxes import HALVES, SIDES, tile_table
from carc_env.layout import LAND_KINDS, plane, scalar
from carc_env.rules.state import BUILDINGS, MAX_KINDS, N_CELLS, NONE, SIZE, Kind, Terrain

SHAPES = 4 ** len(SIDES)  # of holes: what its four neighbours demand, a Terrain or 0 in two bits for each side, N lowest
PAIRS = [(a, b) for a in range(len(HALVES)) for b in range(a)]
BUILT = [kind for kind in Kind if BUILDINGS[kind].any() or kind == Kind.GERMAN_CATHEDRAL]
LEFT, TILE, SQUARE = scalar(f"left_{LAND_KINDS[0]}"), plane("tile"), plane("square")
BESIDE = ((-1, 0), (0, 1), (1, 0), (0, -1))  # rows down and columns to the right of the neighbour on each side


def described(tile: np.void, turns: int) -> list[float]:
    """What a tile looks like with a rotation: its sides, what joins them, its fields and the cities beside them, its buildings."""
    sides, halves = tile["side_segment"][turns].tolist(), tile["half_segment"][turns].tolist()
    found: list[float] = []
    for segment in sides:
        lies = segment != NONE
        found += [lies and tile["kind"][segment] == kind for kind in (Kind.CITY, Kind.ROAD)]
        found += [lies * tile["open"][segment] / 4, lies * tile["pennants"][segment], lies * (tile["inns"][segment] + tile["cathedrals"][segment])]
    found += [sides[a] == sides[b] != NONE for a, b in PAIRS if a < len(SIDES)]
    found += [halves[a] == halves[b] != NONE for a, b in PAIRS]
    found += [half != NONE and side != NONE and tile["adjoins"][half] >> side & 1 for half in halves for side in sides]
    kinds = set(tile["kind"][:tile["n_segments"]].tolist())
    return [float(number) for number in (*found, *(kind in kinds for kind in BUILT))]


def fits(tile: np.void) -> np.ndarray:
    """In which holes a tile fits, and where it then ends what leads to it from each side, bool[1 + 4, SHAPES]."""
    demands = np.arange(SHAPES)[:, None] >> 2 * np.arange(4) & 3  # by shape and side
    found = np.zeros((5, SHAPES), bool)
    for turns in range(4 * bool(tile["n_segments"])):
        edges, segments = tile["edges"][turns] >> 2 * np.arange(4) & 3, tile["side_segment"][turns]
        is_fit = ((demands == 0) | (demands == edges)).all(1)
        found[0] |= is_fit
        for side in np.flatnonzero(segments != NONE):
            found[1 + side] |= is_fit & (demands != 0)[:, segments == segments[side]].all(1)
    return found


class Tiles(nn.Module):
    """Some numbers for each kind of tile, learned from what it looks like, and beside that for each kind by itself.

    Args:
        width: how many numbers.
    """

    table: Tensor

    def __init__(self, width: int):
        super().__init__()
        table = torch.tensor([[described(tile, turns) for tile in tile_table()[0]["kinds"]] for turns in range(4)])
        self.register_buffer("table", torch.cat([torch.zeros_like(table[:, :1]), table], 1), persistent=False)
        self.own, self.looks, self.width = nn.Embedding(MAX_KINDS + 1, width), nn.Linear(table.shape[2], width), width
        nn.init.normal_(self.own.weight, std=0.1)

    def forward(self, numbers: Tensor) -> Tensor:
        """The numbers of some tiles as they are unturned, [..., width]."""
        return (self.own.weight + self.looks(self.table[0]))[numbers]

    def turned(self, numbers: Tensor, turns: Tensor) -> Tensor:
        """The same of tiles as they lie, turned by so many quarters [...]."""
        return (self.own.weight + self.looks(self.table))[turns, numbers]


class Holes(nn.Module):
    """The empty squares beside a tile, one side of the unturned tile after the other.

    Whether there is one, how many of the tiles left would fit there with the tile in its place, and how many of these would end what leads there.

    Attributes:
        width: how many numbers there are for each tile.
    """

    fits: Tensor
    edges: Tensor
    beside: Tensor
    width = 3 * len(SIDES)

    def __init__(self) -> None:
        super().__init__()
        kinds = tile_table()[0]["kinds"]
        found = np.stack([fits(tile) for tile in kinds[:len(LAND_KINDS)]]).reshape(len(LAND_KINDS), -1)
        self.register_buffer("fits", torch.tensor(found, dtype=torch.float32), persistent=False)
        edges = kinds["edges"][:, :, None] >> 2 * np.arange(4) & 3
        self.register_buffer("edges", torch.cat([torch.zeros(1, 4, 4, dtype=torch.long), torch.tensor(edges).long()]), persistent=False)
        row, column = torch.arange(N_CELLS) // SIZE, torch.arange(N_CELLS) % SIZE
        beside = [(row + down) % SIZE * SIZE + (column + right) % SIZE for down, right in BESIDE]
        self.register_buffer("beside", torch.stack(beside), persistent=False)

    def forward(self, planes: Tensor, globals_: Tensor, question: Tensor, cell: Tensor, turns: Tensor, tile: Tensor) -> Tensor:
        """The numbers, [tiles, width], from 0 to 1.

        Args:
            planes, globals_: of all questions.
            question, cell, turns, tile: of each tile: the question it is about, where it lies or is to lie, how, and its number.
        """
        demanded, is_empty = self.demanded(planes), ((planes[:, TILE] == 0) & (planes[:, SQUARE] == 1)).flatten(1)
        count = torch.log1p(globals_[:, LEFT:LEFT + len(LAND_KINDS)].float() @ self.fits) / 4
        found = []
        for side in range(4):
            way = (side + turns) % 4
            hole, back = self.beside[way, cell], (way + 2) % 4
            there = is_empty[question, hole].float()
            shape = demanded[question, hole] | self.edges[tile, turns, way] << 2 * back
            found += [there, there * count[question, shape], there * count[question, SHAPES * (1 + back) + shape]]
        return torch.stack(found, 1)

    def demanded(self, planes: Tensor) -> Tensor:
        """What the neighbours of each cell, and what is printed at the border, demand of a tile there, int64[n, N_CELLS]; see SHAPES."""
        lies, found = planes[:, TILE] > 0, torch.zeros_like(planes[:, TILE], dtype=torch.long)
        for side, (down, right) in enumerate(BESIDE):
            facing = SIDES[(side + 2) % 4]
            city, road = (planes[:, plane(f"{what}_{facing}")] > 0 for what in ("city", "road"))
            terrain = torch.where(city, int(Terrain.CITY), torch.where(road, int(Terrain.ROAD), int(Terrain.FIELD))) * lies
            printed = planes[:, plane(f"border_{SIDES[side]}")].long()  # 1 a road, 2 a city
            found |= (terrain.roll((-down, -right), (1, 2)) | torch.where(printed > 0, 3 - printed, 0)) << 2 * side
        return found.flatten(1)


assert (Terrain.CITY, Terrain.ROAD, Terrain.FIELD) == (1, 2, 3)
