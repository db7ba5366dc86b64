"""Behaviour cloning of the bot `greedy`, as an algorithm of the benchmark.

The bot `greedy` plays, and the network learns to choose the same actions.
"""

from typing import Any

import numpy as np
import torch

from carc_env.bots import make

from .algorithms import Budget, seed_for
from .answering import Answering, Observations
from .tasks import Task


class Clone(Answering):
    """Lets `greedy` play a batch of games, and trains a network to choose the same actions. Each action of `greedy`
    counts as one decision.
    """

    settings: dict[str, Any] = {
        "games": 32, "steps": 64, "epochs": 4, "minibatch": 512, "width": 64, "learning_rate": 2e-3,
        "final_learning_rate": 1e-4, "max_gradient": 0.5,
    }  # fmt: skip

    def __init__(self, task: Task, seed: int, device: str = "cpu"):
        super().__init__(task, seed, device)
        self._teacher, self._rng = make("greedy"), np.random.default_rng(seed)

    def fit(self, budget: Budget) -> None:
        """Learn until the budget is spent. The learning rate falls linearly from its initial value to its final
        value.
        """
        envs = self._task.environment(self.settings["games"])
        observations, _ = envs.reset(seed=seed_for(self._seed, budget.made))
        while budget.left > 0:
            first, last = self.settings["learning_rate"], self.settings["final_learning_rate"]
            for group in self._optimizer.param_groups:
                group["lr"] = first + (last - first) * budget.share
            seen, answers, observations = self._play(envs, observations)
            self._learn(seen, answers)
            budget.spend(len(answers))
        envs.close()

    def _play(self, envs: Any, observations: Observations) -> tuple[Observations, np.ndarray, Observations]:
        """Let `greedy` play in all games at once. The setting `steps` is the number of actions in each game. Returns
        the observations, greedy's actions, and the next observations.
        """
        asked, given = [], []
        for _ in range(self.settings["steps"]):
            answers = answers_of(self._teacher, envs, observations)
            asked.append(observations)
            given.append(answers)
            observations = envs.step(answers)[0]
        seen = {name: np.concatenate([one[name] for one in asked]) for name in observations}
        return seen, np.concatenate(given), observations

    def _learn(self, seen: Observations, answers: np.ndarray) -> None:
        """Train the network with the cross-entropy loss, in `epochs` passes over the recorded actions."""
        size = self.settings["minibatch"]
        for _ in range(self.settings["epochs"]):
            order = self._rng.permutation(len(answers))
            for first in range(0, len(order), size):
                some = order[first : first + size]
                choices = self._choices({name: array[some] for name, array in seen.items()})
                loss = -choices.log_prob(torch.as_tensor(answers[some], device=self._device)).mean()
                self._optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self._network.parameters(), self.settings["max_gradient"])
                self._optimizer.step()


def answers_of(bot: Any, envs: Any, observations: Observations) -> np.ndarray:
    """Return a bot's action in each of n games, as int64[n]. If the observations are candidates, an action is the index
    of a candidate. If the observations are planes, an action is an action id of the environment.
    """
    ids = envs.layout.from_common(bot.choose_batch(envs.games))
    if "candidate_actions" not in observations:
        return ids
    return (observations["candidate_actions"] == ids[:, None]).argmax(1)
