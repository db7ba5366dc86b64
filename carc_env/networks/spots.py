"""What the planes show at a spot of a tile: the road, city, field or building in which a figure stands there, or would stand.

So a network need not learn anew for each spot what a feature is worth.
"""

import torch
from torch import Tensor, nn

from carc_env.boxes import FIGURES, SPOTS
from carc_env.layout import plane
from carc_env.networks.parts import NAMES, Inputs

AT_EDGES = ("city", "road", "open", "control", "extras", "bonus", "goods", "field", "worth")  # planes named after an edge or half-edge
OF_BUILDINGS = ("building", "building_control", "neighbours")
HOUSES = ("monastery", "garden", "shrine", "hut", "castle", "cathedral", "lying")  # spots of buildings
NOWHERE = -1


def shown_at(spot: str) -> list[int]:
    """The planes that tell of a spot, one for each of AT_EDGES and OF_BUILDINGS, NOWHERE for those that do not.

    Nothing tells of a field that touches no edge, and of the second square of a German castle.
    """
    edges = [NAMES.index(f"{group}_{spot}") if f"{group}_{spot}" in NAMES else NOWHERE for group in AT_EDGES]
    return edges + [NAMES.index(name) if spot in HOUSES else NOWHERE for name in OF_BUILDINGS]


def example(group: str) -> int:
    """A plane of a group of AT_EDGES; all of them have the same range."""
    return next(number for number, name in enumerate(NAMES) if name.startswith(f"{group}_"))


class Spots(nn.Module):
    """Numbers from 0 to 1 for spots.

    Attributes:
        width: how many there are for a spot.
    """

    planes: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("planes", torch.tensor([shown_at(spot) for spot in SPOTS] + [shown_at("")]), persistent=False)
        self.inputs = Inputs([*(example(group) for group in AT_EDGES), *(NAMES.index(name) for name in OF_BUILDINGS)])
        self.width = self.inputs.width

    def forward(self, planes: Tensor, question: Tensor, cell: Tensor, spot: Tensor) -> Tensor:
        """The numbers, [spots, width]: of each the question whose planes show it, its cell and its number; len(SPOTS) for none, which gives 0."""
        which = self.planes[spot]
        shown = planes.flatten(2)[question[:, None], which.clamp(min=0), cell[:, None]]
        return self.inputs(shown * (which != NOWHERE))


class Figures(nn.Module):
    """What the figures on the table stand in, put through a small network and added up: those of the observer, and those of the others.

    Args:
        context_width: of what is known of each question.
        width: of the network.

    Attributes:
        width: how many numbers come out for each question.
    """

    def __init__(self, context_width: int, width: int):
        super().__init__()
        self.spots, self.width, self._half = Spots(), width, width // 2
        self.first = nn.Linear(self.spots.width + len(FIGURES) + 1, width)
        self.of_question, self.second = nn.Linear(context_width, width, bias=False), nn.Linear(width, self._half)

    def forward(self, planes: Tensor, context: Tensor) -> Tensor:
        """The sums, [n, width]."""
        question, row, column = (planes[:, plane("figure_player")] > 0).nonzero(as_tuple=True)
        is_other = planes[question, plane("figure_player"), row, column] != 1
        seen = self.spots(planes, question, row * planes.shape[3] + column, planes[question, plane("figure_spot"), row, column].long() - 1)
        figures = planes[question, plane("figure_meeple"):plane("figure_meeple") + len(FIGURES), row, column].float()
        x = torch.relu(self.first(torch.cat([seen, figures, is_other[:, None].float()], 1)) + self.of_question(context)[question])
        x = torch.relu(self.second(x)) / 4
        return x.new_zeros(2 * len(planes), self._half).index_add(0, 2 * question + is_other.long(), x).reshape(len(planes), -1)
