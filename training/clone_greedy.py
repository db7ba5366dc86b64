"""Behaviour cloning of `greedy` as an algorithm of the benchmark: the loss and the network of `training.clone`, in
games played for it.
"""

from typing import Any

import numpy as np
import torch

from carc_env.common.errors import ConfigError
from carc_env.envs.inputs import box_spaces
from carc_env.networks.candidates import Score
from carc_env.networks.layers import pad

from . import weights
from .algorithms import Budget, seed_for
from .clone import Decisions, learn
from .config import TrainConfig
from .env import greedy_rows
from .tasks import Task

GAMES, STEPS = 32, 64  # games side by side, and questions in each of them before it learns


class Clone:
    """Plays as greedy does and learns to give its answers, a batch of games after the other.

    Raises ConfigError for a task without candidates.
    """

    def __init__(self, task: Task, seed: int):
        if task.observation != "candidates":
            raise ConfigError(f"clone learns from candidates, but {task.name} shows {task.observation}")
        torch.manual_seed(seed)
        self._config = TrainConfig(
            preset=task.preset, minibatch=512, epochs=4, learning_rate=2e-3, final_learning_rate=1e-4, seed=seed
        )
        self.settings: dict[str, Any] = {
            name: getattr(self._config, name)
            for name in ("minibatch", "epochs", "learning_rate", "final_learning_rate", "width", "layers")
        }
        self._task, self._seed, self._rng = task, seed, np.random.default_rng(seed)
        self._score = Score(self._config.width, self._config.layers, box_spaces(task.space)["candidates"].shape[1])
        self._optimizer = torch.optim.Adam(self._score.parameters(), 1.0)

    def fit(self, budget: Budget) -> None:
        """Learn until the budget is spent; the learning rate falls with it in a straight line."""
        first, last = self._config.learning_rate, self._config.final_learning_rate
        envs = self._task.environment(GAMES)
        observations, _ = envs.reset(seed=seed_for(self._seed, budget.made))
        while budget.left > 0:
            decisions, observations = played(envs, observations)
            if budget.made == 0:
                self._score.scale.measure(decisions.rows)
            schedule = torch.optim.lr_scheduler.LambdaLR(
                self._optimizer, lambda _: first + (last - first) * budget.share
            )
            for _ in range(self._config.epochs):
                learn(self._score, decisions, self._config, self._optimizer, schedule, self._rng)
            budget.spend(len(decisions))
        envs.close()

    def act(self, observations: dict[str, np.ndarray]) -> np.ndarray:
        """The best answers, rows of the candidates, int64[n]."""
        valid = torch.as_tensor(observations["action_mask"] == 1)
        with torch.no_grad():
            return pad(self._score(torch.as_tensor(observations["candidates"])[valid]), valid).argmax(1).numpy()

    def state(self) -> dict[str, np.ndarray]:
        """What was learned."""
        return weights.numbers(self._score, self._optimizer)

    def set_state(self, arrays: dict[str, np.ndarray], made: int) -> None:
        """Go on from what `state` gave."""
        weights.take(self._score, self._optimizer, arrays)


def played(envs: Any, observations: dict[str, np.ndarray]) -> tuple[Decisions, dict[str, np.ndarray]]:
    """Some questions of all games with greedy's answers, and what is seen after them."""
    rows, counts, choices = [], [], []
    for _ in range(STEPS):
        valid, answers = observations["action_mask"] == 1, greedy_rows(observations)
        rows.append(observations["candidates"][valid])
        counts.append(valid.sum(1))
        choices.append(answers)
        observations = envs.step(answers)[0]
    games = np.tile(np.arange(envs.num_envs), STEPS)
    return Decisions(np.concatenate(rows), np.concatenate(counts), np.concatenate(choices), games), observations
