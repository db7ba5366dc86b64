"""A teacher for the first updates: what a value of the table finds in games of its own, which a network learns to tell in
one glance.

First the value is learned from games, as by `python -m training.learn_values`. Then the bot that goes by it plays
itself, and notes what each answer to each question is worth. A network that sees the rows of the answers learns how much
they differ, in points.
"""

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

from .buffer import stretches
from .config import TrainConfig
from .learn_values import Plan, Run
from .ranks import ALONE, Ranks

SEED = 2 * 10**9  # of the first game whose answers are noted, further on for each seed of a training
STRIDE = 10**5  # games that a training may have
GATE_PAIRS = 200  # of games between the value of a round and that before
SEEDS = 10**5  # of the value's games: more would not fit into 64 bits
HUBER = 3.0  # points of difference from which an error counts in a straight line
NEAR, LEAST = 5.0, 0.03  # an answer so many points below the best has 1/e of its weight, and at least so much
POINTS = 0.5  # that make a logit of 1: so the policy, which draws its answers, rarely draws one that is a point worse
VALUE, ANSWERS = "value", "answers"  # folders of what the teacher played


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
        price = columns["price"]
        below = np.repeat(np.maximum.reduceat(price, first), count) - price
        weight = np.maximum(np.exp(-below / NEAR), LEAST)
        return cls(np.ascontiguousarray(columns["row"][:, :shown]), count, price, weight.astype(np.float32))

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


def value_run(config: TrainConfig, folder: Path) -> Run:
    """The run that learns the value for the teacher with this folder, as far as it is."""
    plan = Plan(
        config.preset, config.value_rounds, config.value_games, horizon=config.value_horizon, steps=config.value_steps,
        gate_pairs=GATE_PAIRS, seed=config.seed % SEEDS,
    )  # fmt: skip
    return Run(folder / VALUE, plan, config.threads, game=config.game_config)


def value_agent(config: TrainConfig, folder: Path) -> Path | None:
    """The checkpoint of the value that the teacher with this folder learned; None where there is none."""
    run = value_run(config, folder) if config.lessons else None
    return run.agent(run.state.passed) if run and run.state.passed else None


class Teacher:
    """Learns the value and plays the games that a training is to learn from, as far as its folder does not have them, and
    gives lessons.

    Args:
        config: of the training.
        folder: of what it plays and learns.
    """

    def __init__(self, config: TrainConfig, folder: Path):
        self._config = config
        value = value_run(config, folder)
        value.go_on()
        plan = Answers(config.game_config, value.prices(), stacks=0)
        with progress() as show:
            paths = write_shards(
                folder / ANSWERS, plan, config.lesson_games, SEED + STRIDE * config.seed, config.threads,
                lambda done, total: show("games for the lessons", done, total),
            )  # fmt: skip
        self.questions = Questions.of(read(paths), N_COLUMNS if config.price else N_SHOWN)

    def give(self, score: Score, optimizer: torch.optim.Optimizer, lesson: int, ranks: Ranks = ALONE) -> float:
        """The lesson with this number, from 0 on: some steps of the gradient. Returns the mean loss. Each rank takes its
        share of the questions.
        """
        config, losses = self._config, []
        device, rng = score.scale.mean.device, np.random.default_rng([config.seed, lesson])
        for step in range(config.lesson_steps):
            left = 1 - (lesson + step / config.lesson_steps) / config.lessons
            for group in optimizer.param_groups:
                group["lr"] = config.lesson_rate * max(left, 0.02)
            some = rng.integers(len(self.questions), size=config.lesson_questions)[ranks.number :: ranks.count]
            loss = self.questions.loss(score, some, device)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
        return float(np.mean(losses))
