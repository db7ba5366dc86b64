"""Defines a network for the roads and cities of a tile. For an action that places a tile, the network processes all
roads and cities of the tile as they are after the placement. For an action that places a figure, the network processes
only the road or city where the figure would stand.

A small network processes each road or city, and the outputs for all roads and cities of a tile are summed. Therefore a
completed city is treated in the same way at any edge of any tile.
"""

import numpy as np
import torch
from torch import Tensor, nn

from carc_env.boxes.tiles import SIDES, tile_table
from carc_env.rules.state import NONE, Kind

# for each side of a tile: the offset of the neighbouring cell (rows down, columns to the right), and the edge at which
# this cell touches the tile
BESIDE = ((-1, 0, "S"), (0, 1, "W"), (1, 0, "N"), (0, -1, "E"))
EDGES = ("city", "road", "open", "control")  # groups of planes that describe an edge
# groups of planes that only some layouts have, and the number by which the values of each group are divided
MORE_EDGES = {"extras": 1, "bonus": 3}
LEADS = (1, 2, 3)  # all possible results of `encode.control`, except 0
MANY = 32  # numbers of tiles and of open ends are limited to this maximum
COMPLETED = 13  # index of the input that is 1 if the feature has no open end
# At a side without an empty square beside it, this value replaces the scaled number of fitting tiles. The value is
# larger than every scaled number, so it does not change the minimum over the sides of a road or city.
NO_HOLE = 2.0


class Summed(nn.Module):
    """Applies a small network to each road and city (or each field) of a tile, and sums the outputs.

    Args:
        inputs: the number of inputs for each road, city or field.
        width: the width of the network.

    Attributes:
        width: the number of outputs for each tile.
    """

    def __init__(self, inputs: int, width: int):
        super().__init__()
        self.first, self.second, self.width = nn.Linear(inputs, width), nn.Linear(width, width), width

    def summed(self, parts: Tensor, which: Tensor, tiles: int) -> Tensor:
        """Return the sum of the network's outputs for each tile, [tiles, width]. Each row of `parts` contains the
        inputs for one road, city or field on one of the tiles, [n, inputs]. The array `which` contains the index of the
        tile for each row of `parts`, [n]. For a tile without any road, city or field, the sum is 0.
        """
        x = torch.relu(self.second(torch.relu(self.first(parts)))) / 2
        return x.new_zeros(tiles, self.width).index_add(0, which, x)


class Joins(Summed):
    """A network for the roads and cities of tiles. The network evaluates actions that place a tile, and actions that
    place a figure on a tile.

    At each side of the tile, the planes show the size of the road or city that touches this side. For each road or city
    on the tile, two inputs of the network are the sum and the maximum of these sizes over the sides that it touches. If
    the same road touches the tile on two sides, the sum counts the road twice. The sum and the maximum together help to
    distinguish one road that touches the tile twice from two different roads.

    Args:
        columns: the inputs from the cells around a tile, as returned by `neighborhood_scorer.columns`.
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
        """Return two arrays. The first array contains the sum of the network's outputs over the roads and cities of
        each tile, [tiles, width]. The sums are 0 for actions that concern no road or city. The second array marks the
        roads and cities that a placed tile completes, bool[tiles, sides]. Each completed road or city is marked only at
        the first side that it touches (in the order N, E, S, W).

        Args:
            view: an array [tiles, columns] with the view of each tile, as returned by `NeighborhoodScorer.view`.
            holes: the output of `Holes` for the empty squares beside each tile, [tiles, Holes.width].
            tile: the index of each tile, or 0 where there is no tile.
            is_laid: True for actions that place the tile.
            side: for actions that place a figure on a road or city, the edge at which the figure stands. The edges are
                numbered on the unrotated tile. For all other actions, `side` is NONE.
        """
        asked = self.is_first[tile] & is_laid[:, None] | (side[:, None] == torch.arange(len(SIDES), device=side.device))
        which, side = asked.nonzero(as_tuple=True)
        joined = self.joined(view[which], holes[which], tile[which], is_laid[which], side)
        closes = torch.zeros_like(asked)
        closes[which, side] = joined[:, COMPLETED] == 1
        return self.summed(joined, which, len(tile)), closes

    def joined(self, view: Tensor, holes: Tensor, tile: Tensor, is_laid: Tensor, side: Tensor) -> Tensor:
        """Return the inputs of the network for n roads or cities, [n, inputs]. For each road or city, `tile` contains
        the index of its tile, and `side` contains a side at which the road or city touches this tile.
        """
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
    """Return two arrays:

    - For each pair of edges of a tile: True if both edges belong to the same segment, bool[tiles, edges, edges]
    - For each edge of a tile: True if no earlier edge belongs to the same segment, bool[tiles, edges]

    `segments` contains the index of the segment at each edge, or NONE for an edge without a segment, [kinds, edges].
    The first axis of each returned array is the index of the tile, and index 0 means that there is no tile.
    """
    found = torch.cat([torch.full((1, segments.shape[1]), NONE), torch.tensor(segments.astype(int))])
    same = (found[:, :, None] == found[:, None]) & (found != NONE)[:, None]
    before = torch.ones(same.shape[1:]).tril(-1).bool()
    return same, same.any(2) & ~(same & before).any(2)


def own(tile: np.void) -> list[list[float]]:
    """Describe the road or city at each side of a tile by four numbers. The first number is 1 for a city, and the
    second number is 1 for a road. The third number counts the pennants, and the fourth number counts the inns and
    cathedrals.
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
