"""Describes a spot on a tile by the planes of the road, city, field or building at this spot. A spot is a place where a
figure stands or may be placed.

If the inputs of a network describe the feature at a spot, the network does not have to learn the value of a feature
separately for each spot.
"""

import torch
from torch import Tensor, nn

from carc_env.boxes.layout import Entry
from carc_env.boxes.tiles import FIGURES, SPOTS
from carc_env.networks.layers import Inputs
from carc_env.observing.spaces import Layout

# groups of planes; each plane of a group is named after an edge or half-edge
AT_EDGES = ("city", "road", "open", "control", "extras", "bonus", "goods", "field", "worth")
OF_BUILDINGS = ("building", "building_control", "neighbours")
HOUSES = ("monastery", "garden", "shrine", "hut", "castle", "cathedral", "lying")  # spots of buildings
NOWHERE = -1


def edge_groups(layout: Layout) -> list[str]:
    """Return those groups in AT_EDGES whose planes are part of a layout."""
    return [group for group in AT_EDGES if any(name.startswith(f"{group}_") for name in layout.planes)]


def shown_at(layout: Layout, spot: str) -> list[int]:
    """Return the indices of the planes that describe a spot. The list contains one index for each group in the result
    of `edge_groups`, and one index for each plane in OF_BUILDINGS. The index for a group is NOWHERE if no plane of the
    group describes the spot. The indices for OF_BUILDINGS are NOWHERE if the spot has no building.

    No plane describes the spots of fields that touch no edge of the tile, or the spots on the second square of a German
    castle.
    """
    names = list(layout.planes)
    edges = [names.index(f"{group}_{spot}") if f"{group}_{spot}" in names else NOWHERE for group in edge_groups(layout)]
    return edges + [names.index(name) if spot in HOUSES else NOWHERE for name in OF_BUILDINGS]


def example(layout: Layout, group: str) -> Entry:
    """Return the entry that describes the first plane of a group. All planes of a group have the same range."""
    return next(entry for name, entry in layout.planes.items() if name.startswith(f"{group}_"))


class Spots(nn.Module):
    """Computes network inputs for spots: numbers from 0 to 1 that describe the feature at each spot.

    Args:
        layout: the layout of the planes.

    Attributes:
        width: the number of inputs for each spot.
    """

    planes: Tensor

    def __init__(self, layout: Layout):
        super().__init__()
        self.register_buffer(
            "planes", torch.tensor([shown_at(layout, spot) for spot in (*SPOTS, "")]), persistent=False
        )
        self.inputs = Inputs(
            [
                *(example(layout, group) for group in edge_groups(layout)),
                *(layout.planes[name] for name in OF_BUILDINGS),
            ]
        )
        self.width = self.inputs.width

    def forward(self, planes: Tensor, question: Tensor, cell: Tensor, spot: Tensor) -> Tensor:
        """Return the inputs for each spot, [spots, width]. The arrays `question`, `cell` and `spot` have one entry for
        each spot. `question` contains the index of the observation, and `cell` contains the cell of the spot. `spot`
        contains the index of the spot in SPOTS, or len(SPOTS) for no spot. For the index len(SPOTS), all inputs are 0.
        """
        which = self.planes[spot]
        shown = planes.flatten(2)[question[:, None], which.clamp(min=0), cell[:, None]]
        return self.inputs(shown * (which != NOWHERE))


class Figures(nn.Module):
    """A small network for the features on which figures stand. The network's outputs are summed separately for the
    observer's figures and for the other players' figures.

    Args:
        layout: the layout of the planes.
        context_width: the width of the encoded global features (see `layers.Context`).
        width: the width of the layers.

    Attributes:
        width: the number of outputs for each observation.
    """

    def __init__(self, layout: Layout, context_width: int, width: int):
        super().__init__()
        names = list(layout.planes)
        self._player, self._spot = names.index("figure_player"), names.index("figure_spot")
        kinds = [names.index(f"figure_{figure}") for figure in FIGURES if f"figure_{figure}" in names]
        self._kinds = slice(kinds[0], kinds[-1] + 1)
        self.spots, self.width, self._half = Spots(layout), width, width // 2
        self.first = nn.Linear(self.spots.width + len(kinds) + 1, width)
        self.of_question, self.second = nn.Linear(context_width, width, bias=False), nn.Linear(width, self._half)

    def forward(self, planes: Tensor, context: Tensor) -> Tensor:
        """Return the sums of the network's outputs for the figures of each observation, [n, width]. The first half of a
        row is the sum for the observer's figures, and the second half is the sum for the other players' figures.
        """
        question, row, column = (planes[:, self._player] > 0).nonzero(as_tuple=True)
        is_other = planes[question, self._player, row, column] != 1
        seen = self.spots(
            planes, question, row * planes.shape[3] + column, planes[question, self._spot, row, column].long() - 1
        )
        figures = planes[question, self._kinds, row, column].float()
        x = torch.relu(
            self.first(torch.cat([seen, figures, is_other[:, None].float()], 1)) + self.of_question(context)[question]
        )
        x = torch.relu(self.second(x)) / 4
        return (
            x.new_zeros(2 * len(planes), self._half)
            .index_add(0, 2 * question + is_other.long(), x)
            .reshape(len(planes), -1)
        )
