"""Questions with the values of their actions. A network learns the differences between the actions of a question."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from carc_env.boxes.layout import N_SHOWN

from .buffer import stretches

HUBER = 3.0  # points of difference from which an error counts in a straight line
NEAR, LEAST = 5.0, 0.03  # an answer so many points below the best has 1/e of its weight, and at least so much


@dataclass(frozen=True)
class Questions:
    """Questions with the values of their actions. The actions of all questions follow each other."""

    rows: np.ndarray  # float32[answers, columns]
    count: np.ndarray  # int64[n], answers of each question
    worth: np.ndarray  # float32[answers], points; only differences within a question mean something
    weight: np.ndarray  # float32[answers], how much an answer counts

    def __len__(self) -> int:
        return len(self.count)

    @classmethod
    def of_answers(cls, columns: dict[str, np.ndarray], shown: int = N_SHOWN) -> "Questions":
        """The questions of `carc_env.arena.noted_answers`, by price, with so many columns of their actions."""
        count, price = groups(columns)[1], columns["price"]
        return cls(np.ascontiguousarray(columns["row"][:, :shown]), count, price, weights(price, count))

    @classmethod
    def of_comparisons(cls, columns: dict[str, np.ndarray]) -> "Questions":
        """The questions of `carc_env.arena.noted_comparisons`. The values are the difference between what rollouts
        expect and what prospects promise.
        """
        more = (columns["value"] - columns["promised"]).astype(np.float32)
        return cls(columns["inputs"], groups(columns)[1], more, np.ones_like(more))

    def some(self, which: np.ndarray) -> "Questions":
        """The questions with these numbers."""
        answers = stretches(np.cumsum(self.count)[which] - self.count[which], self.count[which])
        return Questions(self.rows[answers], self.count[which], self.worth[answers], self.weight[answers])

    def loss(self, points: Callable[[Tensor], Tensor], device: torch.device | str = "cpu") -> Tensor:
        """The error of a network that gives points to each row: the mean over questions of the error in the differences
        of values.
        """
        found = points(torch.as_tensor(self.rows, device=device))
        return difference_loss(found, self.worth, self.count, self.weight)

    def regret(self, points: np.ndarray) -> float:
        """The points that the action with the highest output loses on average."""
        first = np.cumsum(self.count) - self.count
        best = np.maximum.reduceat(self.worth, first)
        is_chosen = points == np.repeat(np.maximum.reduceat(points, first), self.count)
        chosen = np.where(is_chosen, self.worth, -np.inf)
        return float(np.mean(best - np.maximum.reduceat(chosen, first)))


def weights(price: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The weight of each action by its price, float32[answers]: poor actions, which nobody would choose, count
    little.
    """
    below = np.repeat(np.maximum.reduceat(price, np.cumsum(count) - count), count) - price
    return np.maximum(np.exp(-below / NEAR), LEAST).astype(np.float32)


def difference_loss(points: Tensor, worth: np.ndarray, count: np.ndarray, weight: np.ndarray) -> Tensor:
    """The difference between points and values, without the part that all actions of a question share: a mean over
    questions.

    Args:
        points: the outputs of a network, [answers], question by question.
        worth: their targets, float32[answers].
        count: the number of actions of each question, int64[questions].
        weight: the weight of each action, float32[answers].
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
    """The first row of each question of shards, and its number of rows."""
    keys = np.stack([columns["game"], columns["move"]])
    first = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(0)])
    return first, np.diff(np.r_[first, len(columns["game"])])
