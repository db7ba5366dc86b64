"""The base class of algorithms with a network that scores the legal actions."""

from typing import Any

import numpy as np
import torch
from torch import nn

from carc_env.networks.candidates import CandidatesScorer
from carc_env.networks.layers import Choices
from carc_env.networks.neighborhood_scorer import NeighborhoodScorer

from . import weights
from .tasks import Task

Observations = dict[str, np.ndarray]
SEEN = ("planes", "globals", "candidates", "table", "action_mask")


class Answering:
    """Holds a network and its optimiser. The network scores the legal actions of a task.

    Args:
        task: the task.
        seed: the seed of all random numbers.
        device: the device of the network.

    Attributes:
        settings: the settings of the algorithm, including `learning_rate` and the network's `width`.
    """

    settings: dict[str, Any]

    def __init__(self, task: Task, seed: int, device: str = "cpu"):
        torch.manual_seed(seed)
        width = self.settings["width"]
        self._task, self._seed, self._device = task, seed, device
        self._network: nn.Module = (
            NeighborhoodScorer(task.space, 1, width)
            if task.observation == "planes"
            else CandidatesScorer(task.space, 1, width, measured_on=task.preset)
        ).to(device)
        self._optimizer = torch.optim.Adam(self._network.parameters(), self.settings["learning_rate"])

    def act(self, observations: Observations) -> np.ndarray:
        """Return the best action for each of n observations, as int64[n]."""
        with torch.no_grad():
            return self._choices(observations).best().cpu().numpy()

    def _drawn(self, observations: Observations) -> np.ndarray:
        """Sample an action from the policy for each of n observations. Returns int64[n]."""
        with torch.no_grad():
            return self._choices(observations).sample().cpu().numpy()

    def _choices(self, observations: Observations) -> Choices:
        """Return the policy's distribution over the legal actions."""
        seen = {name: torch.as_tensor(observations[name], device=self._device) for name in SEEN if name in observations}
        return Choices(self._network(seen)[0][:, 0], seen["action_mask"] == 1)

    def state(self) -> Observations:
        """Return the weights of the network and the state of the optimiser, as arrays."""
        return weights.numbers(self._network, self._optimizer)

    def set_state(self, arrays: Observations, made: int) -> None:
        """Restore the network and the optimiser from the arrays that `state` returned."""
        weights.take(self._network, self._optimizer, arrays)
