"""What a tile joins where it is laid: each of its roads and cities as it will be, with all that it meets beside it.

Each is put through a small network by itself, and what comes out is added up: so a city closed is a city closed at any edge of any tile.
"""

import numpy as np
import torch
from torch import Tensor, nn

from carc_env.boxes import SIDES, tile_table
from carc_env.rules.state import NONE, Kind

BESIDE = ((-1, 0, "S"), (0, 1, "W"), (1, 0, "N"), (0, -1, "E"))  # rows down and columns to the right of the cell on each side, its edge there
EDGES = ("city", "road", "open", "control", "extras", "bonus")  # planes of such an edge
LEADS = (1, 2, 3)  # values of control
MANY = 32  # tiles, or ends, from which on no more are told apart
NO_HOLE = 2.0  # where nothing is left open: more than any count of tiles that fit


class Joins(nn.Module):
    """Roads and cities of tiles that are to be laid.

    One that is met on two sides counts twice; sums and maxima together tell it from two that are joined.

    Args:
        columns: row, column and plane of each number of a view, see `answers.columns`.
        width: of the network.

    Attributes:
        width: how many numbers come out for each tile.
    """

    def __init__(self, columns: list[tuple[int, int, str]], width: int):
        super().__init__()
        at = [[columns.index((row, column, f"{group}_{edge}")) for group in EDGES] for row, column, edge in BESIDE]
        self.register_buffer("at", torch.tensor(at), persistent=False)
        kinds = tile_table()[0]["kinds"]
        sides = torch.cat([torch.full((1, len(SIDES)), NONE), torch.tensor(kinds["side_segment"][:, 0].astype(int))])
        same = (sides[:, :, None] == sides[:, None]) & (sides != NONE)[:, None]
        is_first = same.any(2) & ~(same & torch.ones(4, 4).tril(-1).bool()).any(2)
        self.register_buffer("same", same, persistent=False)  # of each tile, [sides, sides]
        self.register_buffer("is_first", is_first, persistent=False)  # of the sides that a road or city leads to
        self.register_buffer("own", torch.tensor([[[0.0] * 4] * 4] + [own(tile) for tile in kinds]), persistent=False)
        self.first, self.second, self.width = nn.Linear(18, width), nn.Linear(width, width), width

    def forward(self, view: Tensor, holes: Tensor, tile: Tensor, is_laid: Tensor) -> Tensor:
        """The sums, [tiles, width]; 0 for what is not to be laid.

        Args:
            view: the bytes seen from each tile, [tiles, columns].
            holes: what is known of the empty squares beside it, [tiles, Holes.width].
            tile: its number, 0: none.
            is_laid: whether it is to be laid.
        """
        which, side = (self.is_first[tile] & is_laid[:, None]).nonzero(as_tuple=True)
        x = torch.relu(self.first(self.joined(view[which], holes[which], tile[which], side)))
        return x.new_zeros(len(tile), self.width).index_add(0, which, torch.relu(self.second(x)) / 2)

    def joined(self, view: Tensor, holes: Tensor, tile: Tensor, side: Tensor) -> Tensor:
        """The inputs for roads and cities, each named by the first side of its tile, [n, 18]."""
        same, edges = self.same[tile, side].float(), view[:, self.at].float()
        city, road, ends, control, extras, bonus = edges.unbind(2)
        there, fit, end = (holes.reshape(-1, len(SIDES), 3) * same[:, :, None]).unbind(2)
        size = same * (city + road)
        met = (size > 0).float()
        left = (met * (ends - 1)).sum(1) + there.sum(1)
        counts = torch.stack([size.sum(1), size.amax(1), (met * ends).amax(1), left], 1).clamp(max=MANY).log1p() / np.log1p(MANY)
        leads = [(met * (control == value)).sum(1) for value in LEADS]
        few = [torch.where(there > 0, tiles, NO_HOLE).amin(1) for tiles in (fit, end)]
        more = [(left == 0).float(), (met * extras).amax(1), (met * bonus).amax(1) / 3, met.sum(1) / 4, there.sum(1) / 4]
        return torch.cat([self.own[tile, side], counts, torch.stack([*leads, *few, *more], 1)], 1)


def own(tile: np.void) -> list[list[float]]:
    """The road or city at each side of a tile: whether it is a city, or a road, its pennants, whether it has an inn or a cathedral."""
    found = []
    for segment in tile["side_segment"][0].tolist():
        kind, pennants, inns, cathedrals = (tile[name][segment] for name in ("kind", "pennants", "inns", "cathedrals"))
        found.append([float(number) * (segment != NONE) for number in (kind == Kind.CITY, kind == Kind.ROAD, pennants, inns + cathedrals)])
    return found
