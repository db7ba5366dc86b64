"""A teacher for the first updates: what search found in games of its own, which a network learns to tell in one glance.

Two kinds of questions are learned from. Those that are judged say of the promising answers what rollouts found them
worth. They are few, as each takes up to 36 games of four tiles. Those that are priced say of all answers what they are
worth by the prices of the bot keen. They cost next to nothing.

What is learned is the difference between the answers of one question, in points: rollouts on common decks tell it far
better than what an answer is worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from carc_env.arena.noted_answers import Answers
from carc_env.arena.shards import read, write_shards
from carc_env.boxes.layout import N_COLUMNS, N_SHOWN
from carc_env.common.progress import progress
from carc_env.networks.candidates import Score
from carc_env.observing.keen import keen_prices

from .buffer import stretches
from .config import TrainConfig

PRICED_SEED, JUDGED_SEED = 2 * 10**9, 3 * 10**9  # of the first games, further on for each seed of a training
STRIDE = 10**5  # games that a training may have
HUBER = 3.0  # points of difference from which an error counts in a straight line
UNSURE = 0.1  # weight of an answer of a judged question that was not rolled out
NEAR, LEAST = 8.0, 0.05  # a priced answer so many points below the best has 1/e of its weight, and at least so much
FAR = 60.0  # points below the best at which prices are cut off
POINTS = 0.5  # that make a logit of 1: so the policy, which draws its answers, rarely draws one that is a point worse
PRICED_SHARE = 0.3  # of the loss, once judged questions are learned from


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
    def of(cls, columns: dict[str, np.ndarray], shown: int = N_SHOWN) -> "Questions":
        """The questions of shards, with so many columns of their answers."""
        keys = np.stack([columns["game"], columns["move"]])
        first = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(0)])
        count = np.diff(np.r_[first, len(columns["game"])])
        question = np.repeat(np.arange(len(first)), count)
        price, value = columns["price"].astype(np.float64), columns["value"].astype(np.float64)
        judged = ~np.isnan(value)
        gain = np.bincount(question, np.where(judged, value - price, 0.0)) / np.maximum(
            np.bincount(question, judged), 1
        )
        below = np.minimum(np.maximum.reduceat(price, first)[question] - price, FAR)
        by_price = np.where(
            np.bincount(question, judged)[question] > 0, UNSURE, np.maximum(np.exp(-below / NEAR), LEAST)
        )
        return cls(
            np.ascontiguousarray(columns["row"][:, :shown]),
            count,
            np.where(judged, value, price + gain[question]).astype(np.float32),
            np.where(judged, 1.0, by_price).astype(np.float32),
        )

    def loss(self, score: Score, some: np.ndarray, device: torch.device | str = "cpu") -> Tensor:
        """How far a network is from the differences of worth in some of the questions, a mean over them."""
        first, count = np.cumsum(self.count)[some] - self.count[some], self.count[some]
        which = stretches(first, count)
        question = torch.as_tensor(np.repeat(np.arange(len(some)), count), device=device)
        weight = torch.as_tensor(self.weight[which], device=device)
        points = POINTS * score(torch.as_tensor(self.rows[which], device=device))
        error = points - torch.as_tensor(self.worth[which], device=device)
        sums = torch.zeros(2, len(some), device=device).index_add(1, question, torch.stack([weight * error, weight]))
        apart = error - (sums[0] / sums[1].clamp(1e-6))[question]
        return (
            weight * functional.huber_loss(apart, torch.zeros_like(apart), reduction="none", delta=HUBER)
        ).sum() / len(some)


class Teacher:
    """Plays the games that a training is to learn from, as far as its folder does not have them, and gives lessons.

    Args:
        config: of the training.
        folder: of the shards.
    """

    def __init__(self, config: TrainConfig, folder: Path):
        self._config = config
        self._priced = self._questions(folder / "priced", PRICED_SEED, config.priced, 0)
        self._judged = self._questions(folder / "judged", JUDGED_SEED, config.judged, config.stacks)

    def _questions(self, folder: Path, seed: int, games: int, stacks: int) -> Questions | None:
        """The questions of so many games; None without games."""
        if not games:
            return None
        plan = Answers(self._config.game_config, keen_prices(), stacks, self._config.depth)
        with progress() as show:
            paths = write_shards(
                folder, plan, games, seed + STRIDE * self._config.seed, self._config.threads,
                lambda done, total: show(f"games for the teacher, {folder.name}", done, total),
            )  # fmt: skip
        return Questions.of(read(paths), N_COLUMNS if self._config.price else N_SHOWN)

    @property
    def questions(self) -> tuple[int, int]:
        """How many questions are priced, and how many judged."""
        return tuple(len(found) if found else 0 for found in (self._priced, self._judged))  # type: ignore[return-value]

    def give(self, score: Score, optimizer: torch.optim.Optimizer, lesson: int) -> float:
        """The lesson with this number, from 0 on: some steps of the gradient. Returns the mean loss."""
        config, losses = self._config, []
        rng = np.random.default_rng([config.seed, lesson])
        is_late = self._priced is None or 2 * lesson >= config.lessons
        learned = [(self._judged, 1.0), (self._priced, PRICED_SHARE)] if is_late else [(self._priced, 1.0)]
        for step in range(config.lesson_steps):
            left = 1 - (lesson + step / config.lesson_steps) / config.lessons
            for group in optimizer.param_groups:
                group["lr"] = config.lesson_rate * max(left, 0.02)
            loss = self._loss(score, learned, rng)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
        return float(np.mean(losses))

    def _loss(
        self, score: Score, learned: Sequence[tuple[Questions | None, float]], rng: np.random.Generator
    ) -> Tensor:
        device = score.scale.mean.device
        found = torch.zeros((), device=device)
        for questions, share in learned:
            if questions is not None:
                some = rng.integers(len(questions), size=self._config.lesson_questions)
                found = found + share * questions.loss(score, some, device)
        return found
