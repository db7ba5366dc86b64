"""Decisions with the values of their legal actions. A network learns the differences between the values of the legal
actions at each decision.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from carc_env.boxes.layout import N_SHOWN

from .buffer import stretches

HUBER = 3.0  # in points; the loss is quadratic for errors below HUBER, and linear for larger errors
NEAR, LEAST = 5.0, 0.03  # a value NEAR points below the best one has the weight 1/e; no weight is below LEAST


@dataclass(frozen=True)
class Questions:
    """Decisions with the values of their legal actions. The actions of all decisions are concatenated."""

    rows: np.ndarray  # float32[actions, columns]
    count: np.ndarray  # int64[n], the number of actions of each decision
    worth: np.ndarray  # float32[actions], the actions' values in points; only differences within a decision matter
    weight: np.ndarray  # float32[actions], the weight of each action in the loss

    def __len__(self) -> int:
        return len(self.count)

    @classmethod
    def of_answers(cls, columns: dict[str, np.ndarray], shown: int = N_SHOWN) -> "Questions":
        """Build a `Questions` object from shards written by `carc_env.arena.noted_answers`.

        `columns` contains the columns of the shards. The value of an action is its heuristic value (the column
        `price`). For each action, only the first `shown` features are used.
        """
        count, price = groups(columns)[1], columns["price"]
        return cls(np.ascontiguousarray(columns["row"][:, :shown]), count, price, weights(price, count))

    @classmethod
    def of_comparisons(cls, columns: dict[str, np.ndarray]) -> "Questions":
        """Build a `Questions` object from shards written by `carc_env.arena.noted_comparisons`.

        `columns` contains the columns of the shards. The value of an action is its mean margin in rollouts minus the
        heuristic estimate of this margin. The column `promised` contains this estimate.
        """
        more = (columns["value"] - columns["promised"]).astype(np.float32)
        return cls(columns["inputs"], groups(columns)[1], more, np.ones_like(more))

    def some(self, which: np.ndarray) -> "Questions":
        """Return the decisions with the indices in `which`."""
        answers = stretches(np.cumsum(self.count)[which] - self.count[which], self.count[which])
        return Questions(self.rows[answers], self.count[which], self.worth[answers], self.weight[answers])

    def loss(self, points: Callable[[Tensor], Tensor], device: torch.device | str = "cpu") -> Tensor:
        """Return the loss of predicted values. The function `points` predicts a value in points from the features of an
        action. See `difference_loss`.
        """
        found = points(torch.as_tensor(self.rows, device=device))
        return difference_loss(found, self.worth, self.count, self.weight)

    def regret(self, points: np.ndarray) -> float:
        """Return the mean regret per decision, in points.

        The regret of a decision is the value of the best action minus the value of the chosen action. The chosen action
        is the action with the highest predicted value. `points` contains the predicted value of each action, in points.
        """
        first = np.cumsum(self.count) - self.count
        best = np.maximum.reduceat(self.worth, first)
        is_chosen = points == np.repeat(np.maximum.reduceat(points, first), self.count)
        chosen = np.where(is_chosen, self.worth, -np.inf)
        return float(np.mean(best - np.maximum.reduceat(chosen, first)))


def weights(price: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return the weight of each action in the loss, as float32[actions]. An action has a small weight if the action's
    value is far below the best value.
    """
    below = np.repeat(np.maximum.reduceat(price, np.cumsum(count) - count), count) - price
    return np.maximum(np.exp(-below / NEAR), LEAST).astype(np.float32)


def difference_loss(points: Tensor, worth: np.ndarray, count: np.ndarray, weight: np.ndarray) -> Tensor:
    """Return the weighted Huber loss of predicted values, averaged over decisions.

    The loss depends only on the differences between the predicted values of one decision. If a constant is added to all
    predicted values of a decision, the loss stays the same.

    Args:
        points: the network's output for each action, [actions]. The actions of all decisions are concatenated.
        worth: the target of each action, a value in points, float32[actions].
        count: the number of actions of each decision, int64[decisions].
        weight: the weight of each action in the loss, float32[actions].
    """
    question = torch.as_tensor(np.repeat(np.arange(len(count)), count), device=points.device)
    weighs, error = (torch.as_tensor(array, device=points.device) for array in (weight, worth))
    error = points - error
    sums = torch.zeros(2, len(count), device=points.device).index_add(
        1, question, torch.stack([weighs * error, weighs])
    )
    apart = error - (sums[0] / sums[1].clamp(1e-6))[question]
    far = functional.huber_loss(apart, torch.zeros_like(apart), reduction="none", delta=HUBER)
    return (weighs * far).sum() / len(count)


def groups(columns: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of each decision's first row, and the number of rows of each decision.

    `columns` contains the columns of the shards. Each row of a shard describes one action.
    """
    keys = np.stack([columns["game"], columns["move"]])
    first = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(0)])
    return first, np.diff(np.r_[first, len(columns["game"])])
