"""Defines a network that scores each legal action from the planes around the action's cell. The planes are rotated so
that the tile always has the same orientation.

If a tile is rotated clockwise by 90 degrees, its west edge faces north. The planes around the tile are then rotated
back by 90 degrees. What the network learns for one rotation therefore applies to all four rotations. The network also
has inputs for the roads, cities and fields on the placed tile. These inputs describe the features after the action.
Further inputs are an embedding of the tile, and a description of the feature on which a figure would stand. For each
empty square beside the tile, the inputs also tell how many remaining tiles fit into the square. Only legal actions are
processed.
"""

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor, nn
from torch.nn.functional import linear

from carc_env.boxes.tiles import HALVES, SIDES, SPOTS
from carc_env.common.errors import ArgumentError
from carc_env.networks.cells import at_steps, with_border
from carc_env.networks.fields import Fields
from carc_env.networks.layers import Context, Inputs, Places, check_planes, mlp, sorts
from carc_env.networks.roads_and_cities import Joins
from carc_env.networks.spots import Spots
from carc_env.networks.tile_knowledge import Holes
from carc_env.networks.values import Value
from carc_env.observing.spaces import Layout
from carc_env.rules.state import N_SPOTS, NONE

AROUND = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1)]
# Planes whose values depend on the rotation. The network uses the planes of edges instead.
FRAMED = ("tile", "rotation", "figure_spot", "ferry", "castle_side")


def turned(name: str, turns: int) -> str:
    """Return the new name of a plane after the tile is rotated clockwise by `turns` quarter turns. If the plane `name`
    describes an edge or half-edge of the tile, the new name is that of the plane for the rotated edge or half-edge. Any
    other plane keeps its name.

    >>> turned("city_N", 1), turned("field_Wn", 1), turned("coats", 1)
    ('city_E', 'field_Ne', 'coats')
    """
    group, _, place = name.rpartition("_")
    for names in (SIDES, HALVES):
        if place in names:
            return f"{group}_{names[(names.index(place) + turns * len(names) // 4) % len(names)]}"
    return name


def turned_spot(spot: int, turns: int) -> int:
    """Return where a spot of a tile lies after the tile is rotated clockwise by `turns` quarter turns."""
    second, name = SPOTS[spot].startswith("2"), SPOTS[spot].removeprefix("2")
    for names in (SIDES, HALVES):
        if name in names:
            return SPOTS.index("2" * second + names[(names.index(name) + turns * len(names) // 4) % len(names)])
    return spot


def columns(layout: Layout) -> list[tuple[int, int, str]]:
    """Return the list of the inputs in a view. A view is the part of an observation around a tile. An input is a tuple
    of a row, a column and the name of a plane. Row and column are relative to the cell of the tile. Planes that
    describe edges or half-edges are included for all four edges of the tile itself. For a neighbouring cell, such
    planes are included only for the edge that the cell shares with the tile.
    """
    facing = {(-1, 0): "S", (0, 1): "W", (1, 0): "N", (0, -1): "E"}
    found = []
    for row, column in AROUND:
        for name in layout.planes:
            place = name.rpartition("_")[2]
            is_edge = place in SIDES or place in HALVES
            shared = place[0].upper() == facing.get((row, column))
            if name not in FRAMED and ((row, column) == (0, 0) or not is_edge or shared):
                found.append((row, column, name))
    return found


def views(layout: Layout) -> Tensor:
    """Return the indices of the network's inputs (see `columns`) in the flattened planes, int64[4, cells, columns].
    There are indices for each rotation of a tile and for each cell on which the tile can lie.

    All inputs from cells beyond a border have the same index: the index of the 0 that `cells.with_border` appends.
    """
    found, names, n_cells = [], list(layout.planes), layout.rows * layout.columns
    for turns in range(4):
        steps, planes = [], []
        for row, column, name in columns(layout):
            for _ in range(turns):
                row, column = column, -row
            steps.append((row, column))
            planes.append(names.index(turned(name, turns)))
        cells = at_steps(layout, steps).T
        found.append(torch.where(cells < n_cells, torch.tensor(planes) * n_cells + cells, len(names) * n_cells))
    return torch.stack(found)


def kinds(layout: Layout) -> Tensor:
    """Return the types of all actions for each rotation of the tile, int64[4, actions]. If an action places a figure,
    the type of the action depends on the figure and on its spot on the unrotated tile.
    """
    found = np.tile(np.maximum(sorts(layout) - 3, 0), (4, 1))  # a placement has the same type in all four rotations
    figures = next(block for block in layout.blocks if block.name == "place_figure")
    spots, first = layout.labels["place_figure"][1], found[0, figures.start]
    figure, spot = np.divmod(np.arange(figures.size), len(spots))
    # the rotation of a spot of the layout can give a spot that is not in the layout
    every = sorted({turned_spot(one, -turns) for one in spots for turns in range(4)})
    end = figures.start + figures.size
    found[:, end:] += (figure[-1] + 1) * (len(every) - len(spots))
    for turns in range(4):
        unturned = np.array([every.index(turned_spot(one, -turns)) for one in spots])
        found[turns, figures.start : end] = first + figure * len(every) + unturned[spot]
    return torch.as_tensor(found)


def seen_edges(names: tuple[str, ...]) -> Tensor:
    """Return where each spot of a rotated tile lies on the unrotated tile, int64[4, N_SPOTS + 1]. The first axis is the
    rotation. Each entry is the index of the unrotated spot in `names`, or NONE if `names` does not contain this spot.
    """
    spots = [[SPOTS[turned_spot(spot, -turns)] for spot in range(N_SPOTS)] + [""] for turns in range(4)]
    return torch.tensor([[names.index(spot) if spot in names else NONE for spot in row] for row in spots])


class NeighborhoodScorer(nn.Module):
    """Scores each legal action. A separate network computes the value of the position. The gradient of the value loss
    does not reach the network that computes the scores.

    Args:
        observation_space: the observation space of the environment, with unscaled planes.
        outputs: the number of outputs for each action.
        width: the width of the hidden layers.

    Raises:
        ArgumentError: if the observations have no unscaled planes, or show only a window of the table.
    """

    views: Tensor
    kinds: Tensor
    as_side: Tensor
    as_half: Tensor

    def __init__(self, observation_space: spaces.Dict, outputs: int = 1, width: int = 128):
        super().__init__()
        self._layout = layout = check_planes(observation_space)
        if layout.window and not layout.is_torus:
            raise ArgumentError("this network needs the planes of the whole table; leave out the window")
        seen = columns(layout)
        self.places = Places(layout)
        self.register_buffer("views", views(layout), persistent=False)
        self.register_buffer("kinds", kinds(layout), persistent=False)
        for name, spots in (("as_side", SIDES), ("as_half", HALVES)):
            self.register_buffer(name, seen_edges(spots), persistent=False)
        self.inputs, self.spots, self.holes = (
            Inputs([layout.planes[name] for _, _, name in seen]),
            Spots(layout),
            Holes(layout),
        )
        self.context = Context(layout, width // 2)
        self.kind = nn.Embedding(int(self.kinds.max()) + 1, width)
        nn.init.normal_(self.kind.weight, std=0.1)
        self.joins, self.fields = Joins(seen, width // 2), Fields(seen, width // 2)
        self.widths = [
            self.inputs.width + self.spots.width + self.holes.width,
            self.context.tile_width + self.joins.width + self.fields.width,
        ]
        self.first = nn.Linear(sum(self.widths), width)
        self.of_question = nn.Linear(self.context.width, width, bias=False)
        self.second, self.last = nn.Linear(width, width), mlp(width, width, 0, outputs)
        self.value = Value(layout, width)

    def forward(self, obs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return two arrays:

        - the scores of the legal actions, ordered by observation, [actions, outputs]
        - the values of the observations, [n, 1]
        """
        planes, globals_, legal = obs["planes"].to(torch.uint8), obs["globals"], obs["action_mask"] == 1
        question, answer = legal.nonzero(as_tuple=True)
        cell, turns, tile, spot = self.places(planes, globals_, question, answer)
        is_laid, view = self.places.is_laid(answer), self.view(planes, question, cell, turns)
        holes = self.holes(planes, globals_, question, cell, turns, tile)
        joins, closes = self.joins(view, holes, tile, is_laid, self.as_side[turns, spot])
        fields = self.fields(view, holes, tile, is_laid, closes, self.as_half[turns, spot])
        x = self.begun(
            [self.inputs(view), self.spots(planes, question, cell, spot), holes],
            [self.context.tile(tile), joins, fields],
        )
        x = x + self.kind(self.kinds[turns, answer]) + self.of_question(self.context(globals_))[question]
        x = torch.relu(self.second(torch.relu(x)))
        return self.last(x), self.value(planes, globals_, x, legal.sum(1))

    def view(self, planes: Tensor, question: Tensor, cell: Tensor, turns: Tensor) -> Tensor:
        """Compute the network's inputs from the planes around each tile. Returns an array, uint8[tiles, columns].

        Args:
            planes: the planes of the batch.
            question: for each tile, the index of its observation in the batch.
            cell: the cell of each tile.
            turns: the rotation of each tile in quarter turns.
        """
        return with_border(planes.flatten(1), self._layout)[question[:, None], self.views[turns, cell]]

    def begun(self, seen: list[Tensor], learned: list[Tensor]) -> Tensor:
        """Apply the first layer to two groups of inputs. The inputs in `seen` come directly from the observation, so
        they need no gradients. The inputs in `learned` are outputs of other layers. The two groups are processed
        separately, so that no gradients are computed for `seen`, which is the larger group.
        """
        of_seen, of_learned = self.first.weight.split(self.widths, 1)
        return linear(torch.cat(seen, 1), of_seen, self.first.bias) + linear(torch.cat(learned, 1), of_learned)
