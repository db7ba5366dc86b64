"""Circular convolutions: the table is a torus, so that they need no border. A head scores the legal answers, four rotations of a tile a cell."""

from typing import Literal

import torch
from gymnasium import spaces
from torch import Tensor, nn

from carc_env.errors import ArgumentError
from carc_env.networks.parts import NAMES, ROTATION, SETS, SIZE, TILE, Context, Inputs, check_planes, mlp, place
from carc_env.networks.spots import Spots
from carc_env.networks.tiles import Tiles
from carc_env.networks.values import Value
from carc_env.rules.answers import N_ACTIONS, PLACE_FIGURE


class Block(nn.Module):
    """Two convolutions, added to what goes in."""

    def __init__(self, channels: int, mode: Literal["zeros", "circular"]):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, padding_mode=mode) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        """The same shape as goes in."""
        return torch.relu(x + self.second(torch.relu(self.first(x))))


class TorusScorer(nn.Module):
    """Scores legal answers on what convolutions make of the table at their cells; those that name no cell at the tile just placed.

    Tiles, those on the table and the one in hand, are what they look like as they lie.

    Args:
        observation_space: of the environment, with raw planes; a window of them will do, whose border is padded with zeros.
        outputs: numbers for each answer.
        channels: of the convolutions.
        blocks: of two convolutions each.

    Raises:
        ArgumentError: for other observations.
    """

    kinds: Tensor

    def __init__(self, observation_space: spaces.Dict, outputs: int = 1, channels: int = 32, blocks: int = 2):
        super().__init__()
        size, width = check_planes(observation_space), 2 * channels
        kinds = [*(number for number in range(SETS) for _ in range(size**2)), *range(SETS, SETS + N_ACTIONS - PLACE_FIGURE)]
        if observation_space["action_mask"].shape != (len(kinds),):
            raise ArgumentError("this network answers with ids: leave out actions='candidates'")
        mode: Literal["zeros", "circular"] = "circular" if size == SIZE else "zeros"
        self.seen = [k for k in range(len(NAMES)) if k not in (TILE, ROTATION)]
        self.inputs, self.tile, self.spots = Inputs(self.seen), Tiles(channels), Spots()
        self.table = nn.Conv2d(self.inputs.width, channels, 1)
        self.trunk = nn.Sequential(*(Block(channels, mode) for _ in range(blocks)))
        self.context = Context(width)
        self.register_buffer("kinds", torch.tensor(kinds), persistent=False)
        self.kind = nn.Embedding(kinds[-1] + 1, width)
        nn.init.normal_(self.kind.weight, std=0.1)
        self.first, self.of_question = nn.Linear(2 * channels + self.spots.width, width), nn.Linear(width, width, bias=False)
        self.second, self.last = nn.Linear(width, width), mlp(width, width, 0, outputs)
        self.value = Value(width)

    def forward(self, obs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Scores of the legal answers, question by question, [answers, outputs], and values [n, 1]."""
        planes, globals_, legal = obs["planes"].to(torch.uint8), obs["globals"], obs["action_mask"] == 1
        question, answer = legal.nonzero(as_tuple=True)
        cell, turns, number, spot = place(planes, globals_, question, answer)
        table = self.trunk(torch.relu(self.cells(planes))).flatten(2)[question, :, cell]
        x = self.first(torch.cat([table, self.tile.turned(number, turns), self.spots(planes, question, cell, spot)], 1))
        x = x + self.kind(self.kinds[answer]) + self.of_question(self.context(globals_))[question]
        x = torch.relu(self.second(torch.relu(x)))
        return self.last(x), self.value(planes, globals_, x, legal.sum(1))

    def cells(self, planes: Tensor) -> Tensor:
        """What convolutions begin with, [n, channels, rows, columns]."""
        last = planes.movedim(1, -1)
        tiles = self.tile.turned(last[..., TILE].long(), last[..., ROTATION].long())
        return self.table(self.inputs(last[..., self.seen]).movedim(-1, 1)) + tiles.movedim(-1, 1)
