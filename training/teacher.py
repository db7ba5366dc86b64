"""A teacher for the first updates. It searches with a learned value, and a network learns its values of actions.

First a value is learned from games, as in `python -m training.learn_values`. Then the bot that uses it plays against
itself and notes the value of each action at each question. A network that sees the rows of the actions learns the
differences between them, in points.
"""

from pathlib import Path

import numpy as np
import torch

from carc_env.arena.noted_answers import Answers
from carc_env.arena.shards import read, write_shards
from carc_env.boxes.layout import N_COLUMNS, N_SHOWN
from carc_env.common.progress import progress
from carc_env.networks.candidates import Score

from .config import TrainConfig
from .learn_values import Plan, Run
from .questions import Questions
from .ranks import ALONE, Ranks

SEED = 2 * 10**9  # of the first game whose answers are noted, further on for each seed of a training
STRIDE = 10**5  # games that a training may have
GATE_PAIRS = 200  # of games between the value of a round and that before
SEEDS = 10**5  # of the value's games: more would not fit into 64 bits
POINTS = 0.5  # that make a logit of 1: so the policy, which draws its answers, rarely draws one that is a point worse
VALUE, ANSWERS = "value", "answers"  # folders of what the teacher played


def value_run(config: TrainConfig, folder: Path) -> Run:
    """The run that learns the value for the teacher in this folder, as far as it is."""
    plan = Plan(
        config.preset, config.value_rounds, config.value_games, horizon=config.value_horizon, steps=config.value_steps,
        gate_pairs=GATE_PAIRS, seed=config.seed % SEEDS,
    )  # fmt: skip
    return Run(folder / VALUE, plan, config.threads, game=config.game_config)


def value_agent(config: TrainConfig, folder: Path) -> Path | None:
    """The checkpoint of the value that the teacher in this folder learned; None if there is none."""
    run = value_run(config, folder) if config.lessons else None
    return run.agent(run.state.passed) if run and run.state.passed else None


class Teacher:
    """Learns the value, plays the missing games to learn from, and gives lessons.

    Args:
        config: the settings of the training.
        folder: the folder for games and values.
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
        self.questions = Questions.of_answers(read(paths), N_COLUMNS if config.price else N_SHOWN)

    def give(self, score: Score, optimizer: torch.optim.Optimizer, lesson: int, ranks: Ranks = ALONE) -> float:
        """Give the lesson with this number, from 0 on: some gradient steps. Returns the mean loss. Each rank uses its
        share of the questions.
        """
        config, losses = self._config, []
        device, rng = score.scale.mean.device, np.random.default_rng([config.seed, lesson])
        for step in range(config.lesson_steps):
            left = 1 - (lesson + step / config.lesson_steps) / config.lessons
            for group in optimizer.param_groups:
                group["lr"] = config.lesson_rate * max(left, 0.02)
            some = rng.integers(len(self.questions), size=config.lesson_questions)[ranks.number :: ranks.count]
            loss = self.questions.some(some).loss(lambda rows: POINTS * score(rows), device)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
        return float(np.mean(losses))
