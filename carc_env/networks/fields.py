"""Defines a network for the fields of a tile. For an action that places a tile, the network processes each field of the
tile together with the adjacent fields of the neighbouring tiles. For an action that places a farmer, the network
processes only the field where the farmer would stand.

A small network processes each field, and the outputs for all fields of a tile are summed. Roads and cities are
processed in the same way (see `roads_and_cities`).
"""

import numpy as np
import torch
from torch import Tensor

from carc_env.boxes.tiles import HALVES, SIDES, tile_table
from carc_env.networks.roads_and_cities import BESIDE, LEADS, MANY, Summed, firsts
from carc_env.rules.state import NONE, Kind

# for each half-edge of a tile: the adjacent half-edge of the neighbouring tile
OPPOSITE = [(half + 5 if half % 2 == 0 else half + 3) % 8 for half in range(8)]


class Fields(Summed):
    """A network for the fields of tiles.

    Args:
        columns: the inputs from the cells around a tile, as returned by `neighborhood_scorer.columns`.
        width: the width of the layers.
    """

    met: Tensor
    lies: Tensor
    ends: Tensor
    same: Tensor
    is_first: Tensor
    cities: Tensor

    def __init__(self, columns: list[tuple[int, int, str]], width: int):
        super().__init__(2 * len(LEADS) + 6, width)
        met = [
            [columns.index((*BESIDE[half // 2][:2], f"{group}_{HALVES[OPPOSITE[half]]}")) for half in range(8)]
            for group in ("field", "worth")
        ]
        lies = [[columns.index((0, 0, f"{group}_{half}")) for half in HALVES] for group in ("field", "worth")]
        self.register_buffer("met", torch.tensor(met), persistent=False)
        self.register_buffer("lies", torch.tensor(lies), persistent=False)
        ends = [[columns.index((0, 0, f"{group}_{side}")) for side in SIDES] for group in ("city", "open")]
        self.register_buffer("ends", torch.tensor(ends), persistent=False)
        kinds = tile_table()[0]["kinds"]
        same, is_first = firsts(kinds["half_segment"][:, 0])
        self.register_buffer("same", same, persistent=False)
        self.register_buffer("is_first", is_first, persistent=False)
        self.register_buffer(
            "cities", torch.tensor([[[0.0] * 4] * 8] + [cities(tile) for tile in kinds]), persistent=False
        )

    def forward(
        self, view: Tensor, holes: Tensor, tile: Tensor, is_laid: Tensor, closes: Tensor, half: Tensor
    ) -> Tensor:
        """Return the sum of the network's outputs over the fields of each tile, [tiles, width]. The sums are 0 for
        actions that concern no field.

        Args:
            view, holes, tile, is_laid: have the same meaning as in `Joins`.
            closes: the roads and cities that the tile completes, as returned by `Joins`.
            half: for actions that place a farmer, the half-edge at which the farmer stands. The half-edges are numbered
                on the unrotated tile. For all other actions, `half` is NONE.
        """
        asked = self.is_first[tile] & is_laid[:, None] | (
            half[:, None] == torch.arange(len(HALVES), device=half.device)
        )
        which, half = asked.nonzero(as_tuple=True)
        return self.summed(
            self.looked_at(view[which], holes[which], tile[which], is_laid[which], closes[which], half),
            which,
            len(tile),
        )

    def looked_at(
        self, view: Tensor, holes: Tensor, tile: Tensor, is_laid: Tensor, closes: Tensor, half: Tensor
    ) -> Tensor:
        """Return the inputs of the network for n fields, [n, inputs]. For each field, `tile` contains the index of its
        tile, and `half` contains a half-edge that belongs to the field.
        """
        same, laid = self.same[tile, half].float(), is_laid[:, None]
        leads, worth = (
            torch.where(laid, view[:, met], view[:, lies]).float() * same for met, lies in zip(self.met, self.lies)
        )
        there = holes[:, ::3].repeat_interleave(2, 1) * same
        beside, (city, ends) = self.cities[tile, half], view[:, self.ends].unbind(1)
        done = torch.where(laid, closes, (city > 0) & (ends == 0)).float() * beside
        counts = torch.stack([worth.sum(1), worth.amax(1)], 1).clamp(max=MANY).log1p() / np.log1p(MANY)
        kinds = [(leads == value).float() for value in LEADS]
        flags = [
            *(kind.amax(1) for kind in kinds),
            *(kind.sum(1) / 4 for kind in kinds),
            done.sum(1),
            (beside - done).sum(1),
            there.sum(1) / 4,
            is_laid.float(),
        ]
        return torch.cat([counts, torch.stack(flags, 1)], 1)


def cities(tile: np.void) -> list[list[float]]:
    """Mark the cities that border on the field at each half-edge of a tile. The result has one row for each half-edge
    and one column for each side of the tile. A city that borders on the field is marked by a single 1: at the first of
    the sides N, E, S, W that the city touches. All other entries are 0.
    """
    sides, found = tile["side_segment"][0].tolist(), []
    for field in tile["half_segment"][0].tolist():
        adjoins = tile["adjoins"][field] if field != NONE else 0
        found.append(
            [
                float(
                    segment != NONE
                    and tile["kind"][segment] == Kind.CITY
                    and sides.index(segment) == side
                    and adjoins >> segment & 1
                )
                for side, segment in enumerate(sides)
            ]
        )
    return found
