"""The roads and cities of a tile. For a tile to be placed, each of them as it will be after the placement; for a tile
on the table, the one where a figure would stand.

A small network processes each of them, and its outputs are added up. So the network treats a completed city alike at
any edge of any tile.
"""

import numpy as np
import torch
from torch import Tensor, nn

from carc_env.boxes.tiles import SIDES, tile_table
from carc_env.rules.state import NONE, Kind

# rows down and columns to the right of the cell on each side, its edge there
BESIDE = ((-1, 0, "S"), (0, 1, "W"), (1, 0, "N"), (0, -1, "E"))
EDGES = ("city", "road", "open", "control")  # planes of such an edge
MORE_EDGES = {"extras": 1, "bonus": 3}  # those that not every layout has, and what a number of them is divided by
LEADS = (1, 2, 3)  # values of control
MANY = 32  # tiles, or ends, from which on no more are told apart
COMPLETED = 13  # of the inputs: whether nothing is left open
NO_HOLE = 2.0  # where nothing is left open: more than any count of tiles that fit


class Summed(nn.Module):
    """A small network for each part of a tile, and the sum of its outputs.

    Args:
        inputs: the number of inputs for each part.
        width: the width of the network.

    Attributes:
        width: the number of outputs for each tile.
    """

    def __init__(self, inputs: int, width: int):
        super().__init__()
        self.first, self.second, self.width = nn.Linear(inputs, width), nn.Linear(width, width), width

    def summed(self, parts: Tensor, which: Tensor, tiles: int) -> Tensor:
        """The sums, [tiles, width], for parts [n, inputs], where `which` gives the tile of each part; 0 for a tile
        without parts.
        """
        x = torch.relu(self.second(torch.relu(self.first(parts)))) / 2
        return x.new_zeros(tiles, self.width).index_add(0, which, x)


class Joins(Summed):
    """The roads and cities of tiles that are to be placed, or on which a figure is to be placed.

    A feature that meets the tile on two sides counts twice. Together, sums and maxima distinguish it from two features
    that are joined.

    Args:
        columns: row, column and plane of each number of a view, see `neighborhood_scorer.columns`.
        width: the width of the network.
    """

    facing: Tensor
    here: Tensor
    same: Tensor
    is_first: Tensor
    own: Tensor

    def __init__(self, columns: list[tuple[int, int, str]], width: int):
        more = [group for group in MORE_EDGES if (0, 0, f"{group}_N") in columns]
        super().__init__(17 + len(more), width)
        self._more = more
        for name, edges in (("facing", BESIDE), ("here", [(0, 0, side) for side in SIDES])):
            at = [
                [columns.index((row, column, f"{group}_{edge}")) for group in (*EDGES, *more)]
                for row, column, edge in edges
            ]
            self.register_buffer(name, torch.tensor(at), persistent=False)
        kinds = tile_table()[0]["kinds"]
        same, is_first = firsts(kinds["side_segment"][:, 0])
        self.register_buffer("same", same, persistent=False)
        self.register_buffer("is_first", is_first, persistent=False)
        self.register_buffer("own", torch.tensor([[[0.0] * 4] * 4] + [own(tile) for tile in kinds]), persistent=False)

    def forward(
        self, view: Tensor, holes: Tensor, tile: Tensor, is_laid: Tensor, side: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The sums, [tiles, width], which are 0 for other actions, and the features that a placed tile completes, by
        their first side, bool[tiles, sides].

        Args:
            view: the bytes seen from each tile, [tiles, columns].
            holes: the description of the empty squares beside it, [tiles, Holes.width].
            tile: the number of the tile; 0 for none.
            is_laid: True if the tile is to be placed.
            side: the edge of the road or city where a figure would stand, seen from the tile; NONE if there is none.
        """
        asked = self.is_first[tile] & is_laid[:, None] | (side[:, None] == torch.arange(len(SIDES), device=side.device))
        which, side = asked.nonzero(as_tuple=True)
        joined = self.joined(view[which], holes[which], tile[which], is_laid[which], side)
        closes = torch.zeros_like(asked)
        closes[which, side] = joined[:, COMPLETED] == 1
        return self.summed(joined, which, len(tile)), closes

    def joined(self, view: Tensor, holes: Tensor, tile: Tensor, is_laid: Tensor, side: Tensor) -> Tensor:
        """The inputs for roads and cities, each represented by a side of its tile, [n, inputs]."""
        same, laid = self.same[tile, side].float(), is_laid[:, None]
        edges = torch.where(laid[:, :, None], view[:, self.facing], view[:, self.here]).float()
        city, road, ends, control, *more = edges.unbind(2)
        there, fit, end = (holes.reshape(-1, len(SIDES), 3) * same[:, :, None]).unbind(2)
        size = same * (city + road)
        met = (size > 0).float()
        left = torch.where(is_laid, (met * (ends - 1)).sum(1) + there.sum(1), (met * ends).amax(1))
        counts = torch.stack([size.sum(1), size.amax(1), (met * ends).amax(1), left], 1).clamp(
            max=MANY
        ).log1p() / np.log1p(MANY)
        leads = [(met * (control == value)).sum(1) for value in LEADS]
        few = [torch.where(there > 0, tiles, NO_HOLE).amin(1) for tiles in (fit, end)]
        most = [(met * numbers).amax(1) / MORE_EDGES[group] for group, numbers in zip(self._more, more)]
        rest = [(left == 0).float(), *most, met.sum(1) / 4, there.sum(1) / 4, is_laid.float()]
        return torch.cat([self.own[tile, side], counts, torch.stack([*leads, *few, *rest], 1)], 1)


def firsts(segments: np.ndarray) -> tuple[Tensor, Tensor]:
    """For the edges of a tile: which edges have the same segment, bool[tiles, edges, edges], and which is the first
    edge of its segment, bool[tiles, edges].

    `segments` are the numbers of the segments at the edges, [kinds, edges], NONE for none. Both results are indexed by
    the number of the tile; tile 0 has no segments.
    """
    found = torch.cat([torch.full((1, segments.shape[1]), NONE), torch.tensor(segments.astype(int))])
    same = (found[:, :, None] == found[:, None]) & (found != NONE)[:, None]
    before = torch.ones(same.shape[1:]).tril(-1).bool()
    return same, same.any(2) & ~(same & before).any(2)


def own(tile: np.void) -> list[list[float]]:
    """The road or city at each side of a tile: if it is a city, if it is a road, its pennants, and if it has an inn or
    a cathedral.
    """
    found = []
    for segment in tile["side_segment"][0].tolist():
        kind, pennants, inns, cathedrals = (tile[name][segment] for name in ("kind", "pennants", "inns", "cathedrals"))
        found.append(
            [
                float(number) * (segment != NONE)
                for number in (kind == Kind.CITY, kind == Kind.ROAD, pennants, inns + cathedrals)
            ]
        )
    return found
