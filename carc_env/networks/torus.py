"""Defines a network of convolutions over the table. Without a map sheet, the table is a torus: its opposite borders are
adjacent. The convolutions are circular on a torus. On a map sheet, the planes are padded with zeros.

The last layers score the legal actions.
"""

from typing import Literal

import torch
from gymnasium import spaces
from torch import Tensor, nn

from carc_env.networks.layers import Context, Inputs, Places, check_planes, mlp, sorts
from carc_env.networks.spots import Spots
from carc_env.networks.tile_knowledge import Tiles
from carc_env.networks.values import Value


class Block(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, channels: int, mode: Literal["zeros", "circular"]):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, padding_mode=mode) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        """Apply two convolutions to the input. Add the input to their output, and return the ReLU of the sum. The
        output has the same shape as the input.
        """
        return torch.relu(x + self.second(torch.relu(self.first(x))))


class TorusScorer(nn.Module):
    """Scores each legal action from the output of the convolutions at the action's cell. An action without a cell is
    scored from the output at the cell of the tile just placed.

    The embedding `Tiles` represents each tile on the table and each tile in hand.

    Args:
        observation_space: the observation space of the environment, with unscaled planes. The planes can show the whole
            table or a window of the table. The planes of a window or a map sheet are padded with zeros.
        outputs: the number of outputs for each action.
        channels: the number of channels of the convolutions.
        blocks: the number of residual blocks.

    Raises:
        ArgumentError: if the observations have no unscaled planes.
    """

    kinds: Tensor

    def __init__(self, observation_space: spaces.Dict, outputs: int = 1, channels: int = 32, blocks: int = 2):
        super().__init__()
        layout, width = check_planes(observation_space), 2 * channels
        mode: Literal["zeros", "circular"] = "circular" if layout.is_torus else "zeros"
        names, self.places = list(layout.planes), Places(layout)
        self._tile, self._rotation = names.index("tile"), names.index("rotation")
        self.seen = [k for k, name in enumerate(names) if name not in ("tile", "rotation")]
        self.inputs, self.tile, self.spots = (
            Inputs([layout.planes[names[k]] for k in self.seen]),
            Tiles(channels),
            Spots(layout),
        )
        self.table = nn.Conv2d(self.inputs.width, channels, 1)
        self.trunk = nn.Sequential(*(Block(channels, mode) for _ in range(blocks)))
        self.context = Context(layout, width)
        self.register_buffer("kinds", torch.as_tensor(sorts(layout)), persistent=False)
        self.kind = nn.Embedding(int(self.kinds[-1]) + 1, width)
        nn.init.normal_(self.kind.weight, std=0.1)
        self.first, self.of_question = (
            nn.Linear(2 * channels + self.spots.width, width),
            nn.Linear(width, width, bias=False),
        )
        self.second, self.last = nn.Linear(width, width), mlp(width, width, 0, outputs)
        self.value = Value(layout, width)

    def forward(self, obs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return two arrays:

        - the scores of the legal actions of all observations, in the order of the observations, [actions, outputs]
        - the values of the observations, [n, 1]
        """
        planes, globals_, legal = obs["planes"].to(torch.uint8), obs["globals"], obs["action_mask"] == 1
        question, answer = legal.nonzero(as_tuple=True)
        cell, turns, number, spot = self.places(planes, globals_, question, answer)
        table = self.trunk(torch.relu(self.cells(planes))).flatten(2)[question, :, cell]
        x = self.first(torch.cat([table, self.tile.turned(number, turns), self.spots(planes, question, cell, spot)], 1))
        x = x + self.kind(self.kinds[answer]) + self.of_question(self.context(globals_))[question]
        x = torch.relu(self.second(torch.relu(x)))
        return self.last(x), self.value(planes, globals_, x, legal.sum(1))

    def cells(self, planes: Tensor) -> Tensor:
        """Return the input of the convolutions, [n, channels, rows, columns]."""
        last = planes.movedim(1, -1)
        tiles = self.tile.turned(last[..., self._tile].long(), last[..., self._rotation].long())
        return self.table(self.inputs(last[..., self.seen]).movedim(-1, 1)) + tiles.movedim(-1, 1)
