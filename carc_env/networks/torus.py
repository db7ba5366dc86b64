"""Circular convolutions: the table is a torus, so that they need no border. A head gives a score for each rotation on each cell."""

from typing import Literal

import torch
from gymnasium import spaces
from torch import Tensor, nn

from carc_env.errors import ArgumentError
from carc_env.networks.parts import NAMES, SIZE, TILE, Board, Context, Inputs, check_planes, mlp, placed_cell
from carc_env.rules.answers import N_ACTIONS, PLACE_FIGURE

SETS = 8  # four rotations of a tile laid on a cell, four sets of choices of a cell


class Block(nn.Module):
    """Two convolutions, added to what goes in."""

    def __init__(self, channels: int, mode: Literal["zeros", "circular"]):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, padding_mode=mode) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        """The same shape as goes in."""
        return torch.relu(x + self.second(torch.relu(self.first(x))))


class TorusScorer(nn.Module):
    """Scores all answers; those that name no cell on the tile just placed and on the mean of the table.

    Args:
        observation_space: of the environment, with raw planes; a window of them will do, whose border is padded with zeros.
        outputs: numbers for each answer.
        channels: of the convolutions.
        blocks: of two convolutions each.

    Raises:
        ArgumentError: for other observations.
    """

    def __init__(self, observation_space: spaces.Dict, outputs: int = 1, channels: int = 32, blocks: int = 2):
        super().__init__()
        size, self.outputs = check_planes(observation_space), outputs
        self.n_rest = N_ACTIONS - PLACE_FIGURE
        if observation_space["action_mask"].shape != (SETS * size**2 + self.n_rest,):
            raise ArgumentError("this network answers with ids: leave out actions='candidates'")
        mode: Literal["zeros", "circular"] = "circular" if size == SIZE else "zeros"
        self.seen = [k for k in range(len(NAMES)) if k != TILE]
        self.inputs, self.context, self.board = Inputs(self.seen), Context(2 * channels), Board()
        self.first = nn.Conv2d(self.inputs.width + self.context.tile_width, channels, 1)
        self.of_question, self.gain = nn.Linear(2 * channels, channels, bias=False), nn.Linear(2 * channels, channels)
        self.trunk = nn.Sequential(*(Block(channels, mode) for _ in range(blocks)))
        self.on_cells = nn.Conv2d(channels, SETS * outputs, 1)
        self.rest = mlp(4 * channels, 2 * channels, 1, self.n_rest * outputs)
        self.value = mlp(3 * channels + self.board.width, 2 * channels, 1)
        nn.init.normal_(self.on_cells.weight, std=0.01)

    def forward(self, obs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Scores of the legal answers, question by question, [answers, outputs], and values [n, 1]."""
        planes, context = obs["planes"].to(torch.uint8), self.context(obs["globals"])
        n = len(planes)
        last = planes.movedim(1, -1)
        x = torch.cat([self.inputs(last[..., self.seen]), self.context.tile(last[..., TILE].long())], -1).movedim(-1, 1)
        x = self.trunk(torch.relu(self.first(x) + self.of_question(context)[:, :, None, None]))
        mean, placed = x.mean((2, 3)), x.flatten(2)[torch.arange(n, device=x.device), :, placed_cell(planes)]
        on_cells = self.on_cells(x * self.gain(context)[:, :, None, None]).reshape(n, SETS, self.outputs, -1).transpose(2, 3).flatten(1, 2)
        rest = self.rest(torch.cat([mean, placed, context], 1)).reshape(n, self.n_rest, self.outputs)
        scores = torch.cat([on_cells, rest], 1)[obs["action_mask"] == 1]
        return scores, self.value(torch.cat([mean, context, self.board(planes)], 1))
