"""The teacher of the agent's network. In the first updates of a run, the network imitates the teacher.

The teacher is a bot that estimates the values of actions with a learned value function.

First, the value function is learned from games, as in `python -m training.learn_values`. Then the teacher plays against
itself, using the learned value function. At each decision, the teacher records the values of all legal actions. The
agent's network observes the features of the legal actions. For each decision, the agent's network learns the
differences between the recorded values of the legal actions, in points.
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

SEED = 2 * 10**9  # the seed of the first recorded game, if the seed of the training run is 0
STRIDE = 10**5  # the maximum number of recorded games in a training run
GATE_PAIRS = 200  # pairs of games in the match that tests the value function of a round
SEEDS = 10**5  # the seed of the value function is below SEEDS, so the seeds of its games fit into 64 bits
# points per unit of the logits: if action A is 1 point worse than action B, A is exp(-2) times as likely as B
POINTS = 0.5
VALUE, ANSWERS = "value", "answers"  # the folders of the value function, and of the teacher's games


def value_run(config: TrainConfig, folder: Path) -> Run:
    """Return the run that learns the teacher's value function. The progress of the run is saved under `folder`."""
    plan = Plan(
        config.preset, config.value_rounds, config.value_games, horizon=config.value_horizon, sweeps=1,
        steps=config.value_steps, gate_pairs=GATE_PAIRS, seed=config.seed % SEEDS,
    )  # fmt: skip
    return Run(folder / VALUE, plan, config.threads, game=config.game_config)


def value_agent(config: TrainConfig, folder: Path) -> Path | None:
    """Return the checkpoint of the teacher's value function under `folder`. If there is no checkpoint, return None."""
    run = value_run(config, folder) if config.lessons else None
    return run.agent(run.state.passed) if run and run.state.passed else None


class Teacher:
    """Learns a value function, plays the games of the teacher that are not recorded yet, and trains a network to
    imitate the recorded values.

    Args:
        config: the settings of the training run.
        folder: the folder for games and value functions.
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
        """Train a network to imitate the teacher, in one update of `lesson_steps` gradient steps. `lesson` is the index
        of the update, counted from 0. The decisions are divided among the ranks. Returns the mean loss.
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
