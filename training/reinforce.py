"""REINFORCE (Williams 1992), the simplest algorithm of the benchmark. The algorithm plays whole games, sums up their
rewards, and then makes one gradient step.
"""

from typing import Any

import numpy as np
import torch

from .algorithms import Budget, seed_for
from .answering import Answering


class Reinforce(Answering):
    """Plays a batch of games to the end, and then makes one gradient step. The advantage of an action is its return
    minus the mean return of the unfinished games at the same step. The advantages of a batch are divided by their
    standard deviation.

    In self-play, each return is computed from the point of view of the player who acted.
    """

    settings: dict[str, Any] = {"games": 32, "learning_rate": 1e-3, "points": 10.0, "max_gradient": 0.5, "width": 64}

    def fit(self, budget: Budget) -> None:
        """Learn until the budget is spent."""
        envs = self._task.environment(self.settings["games"])
        while budget.left > 0:
            steps = self._play(envs, seed_for(self._seed, budget.made))
            made = np.concatenate([step["live"] for step in steps]).sum()
            self._learn(steps)
            budget.spend(int(made))
        envs.close()

    def _play(self, envs: Any, seed: int) -> list[dict[str, Any]]:
        """Play each game to its end. Returns a list of steps. A step contains one decision of each game. In the array
        `live` of a step, the entry of a game is False if the game ended before this step.
        """
        observations, infos = envs.reset(seed=seed)
        live, steps = np.ones(envs.num_envs, bool), []
        while live.any():
            actions = self._drawn(observations)
            step = {"seen": observations, "actions": actions, "live": live.copy(), "player": infos["player"]}
            observations, rewards, ended, _, infos = envs.step(actions)
            steps.append(step | {"rewards": rewards / self.settings["points"]})
            live &= ~ended
        return steps

    def _learn(self, steps: list[dict[str, Any]]) -> None:
        """Make one gradient step."""
        returns = returns_to_go(*(np.stack([step[name] for step in steps]) for name in ("rewards", "player", "live")))
        live = np.stack([step["live"] for step in steps])
        advantages = returns - np.sum(returns * live, 1, keepdims=True) / live.sum(1, keepdims=True)
        advantages /= advantages[live].std() + 1e-8
        self._optimizer.zero_grad()
        for step, advantage in zip(steps, advantages):
            now = step["live"]
            choices = self._choices({name: array[now] for name, array in step["seen"].items()})
            actions, gained = (
                torch.as_tensor(array[now], device=self._device)
                for array in (step["actions"], advantage.astype(np.float32))
            )
            (-(choices.log_prob(actions) * gained).sum() / live.sum()).backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), self.settings["max_gradient"])
        self._optimizer.step()


def returns_to_go(rewards: np.ndarray, players: np.ndarray, live: np.ndarray) -> np.ndarray:
    """Compute the return of each action, as float64[steps, games].

    The return of an action is the sum of the acting player's rewards from this action to the end of the game.

    `rewards` contains the reward of the player who acted. Self-play is a zero-sum game of two players, so the other
    player gets the negative reward. Against bots, the learner is the same player throughout a game.

    >>> returns_to_go(np.array([[1.0], [2.0], [4.0]]), np.array([[0], [0], [1]]), np.ones((3, 1), bool))[:, 0].tolist()
    [-1.0, -2.0, 4.0]
    """
    side = np.where(players == 0, 1.0, -1.0)
    later = np.cumsum((rewards * side * live)[::-1], 0)[::-1]
    return later * side
