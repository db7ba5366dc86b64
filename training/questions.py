"""Questions with what their answers are worth: a network learns how much the answers of one question differ."""

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
    """Questions with what their answers are worth. The answers of all of them stand one after another."""

    rows: np.ndarray  # float32[answers, columns]
    count: np.ndarray  # int64[n], answers of each question
    worth: np.ndarray  # float32[answers], points; only differences within a question mean something
    weight: np.ndarray  # float32[answers], how much an answer counts

    def __len__(self) -> int:
        return len(self.count)

    @classmethod
    def of_answers(cls, columns: dict[str, np.ndarray], shown: int = N_SHOWN) -> "Questions":
        """The questions of `carc_env.arena.noted_answers`, by price, with so many columns of their answers."""
        first, count = groups(columns)
        price = columns["price"]
        below = np.repeat(np.maximum.reduceat(price, first), count) - price
        weight = np.maximum(np.exp(-below / NEAR), LEAST)
        return cls(np.ascontiguousarray(columns["row"][:, :shown]), count, price, weight.astype(np.float32))

    @classmethod
    def of_comparisons(cls, columns: dict[str, np.ndarray]) -> "Questions":
        """The questions of `carc_env.arena.noted_comparisons`: how much more rollouts expect than prospects promise."""
        more = (columns["value"] - columns["promised"]).astype(np.float32)
        return cls(columns["inputs"], groups(columns)[1], more, np.ones_like(more))

    def some(self, which: np.ndarray) -> "Questions":
        """The questions with these numbers."""
        answers = stretches(np.cumsum(self.count)[which] - self.count[which], self.count[which])
        return Questions(self.rows[answers], self.count[which], self.worth[answers], self.weight[answers])

    def loss(self, points: Callable[[Tensor], Tensor], device: torch.device | str = "cpu") -> Tensor:
        """How far a network, which gives each row its points, is from the differences of worth: a mean over questions."""
        question = torch.as_tensor(np.repeat(np.arange(len(self)), self.count), device=device)
        weight = torch.as_tensor(self.weight, device=device)
        error = points(torch.as_tensor(self.rows, device=device)) - torch.as_tensor(self.worth, device=device)
        sums = torch.zeros(2, len(self), device=device).index_add(1, question, torch.stack([weight * error, weight]))
        apart = error - (sums[0] / sums[1].clamp(1e-6))[question]
        far = functional.huber_loss(apart, torch.zeros_like(apart), reduction="none", delta=HUBER)
        return (weight * far).sum() / len(self)

    def regret(self, points: np.ndarray) -> float:
        """Points that are lost on average by the answer to which a network gives most."""
        first = np.cumsum(self.count) - self.count
        best = np.maximum.reduceat(self.worth, first)
        is_chosen = points == np.repeat(np.maximum.reduceat(points, first), self.count)
        chosen = np.where(is_chosen, self.worth, -np.inf)
        return float(np.mean(best - np.maximum.reduceat(chosen, first)))


def groups(columns: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Where each question of shards begins, and how many rows it has."""
    keys = np.stack([columns["game"], columns["move"]])
    first = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(0)])
    return first, np.diff(np.r_[first, len(columns["game"])])
