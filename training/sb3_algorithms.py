"""The algorithms of Stable-Baselines3 in the benchmark, with the networks of `carc_env.networks`. All algorithms in
this module play only legal actions.
"""

from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from . import sb3_model, weights
from .algorithms import Budget
from .sb3_config import SB3Config
from .tasks import Task

PPO_SETTINGS = {
    "n_steps": 128,
    "batch_size": 512,
    "n_epochs": 3,
    "learning_rate": 1e-3,
    "gamma": 1.0,
    "gae_lambda": 0.9,
    "ent_coef": 0.005,
}
# the same values as in ppo_single_file.PLANES; on planes, the learning rate falls to 0
ON_PLANES = {"n_steps": 32, "batch_size": 128, "gae_lambda": 0.75, "ent_coef": 0.01}
OFF_POLICY = {
    "buffer_size": 10_000,
    "learning_starts": 2_000,
    "batch_size": 64,
    "train_freq": 4,
    "gamma": 1.0,
    "learning_rate": 5e-4,
    "exploration_fraction": 0.3,
    "exploration_final_eps": 0.03,
    "target_update_interval": 1_000,
}


class SB3Algorithm:
    """Adapts an algorithm of Stable-Baselines3 to the benchmark. In self-play, the current network also acts for the
    opponent.

    Attributes:
        settings: the configuration without the seed (see `sb3_config`).
        model: the Stable-Baselines3 model.
    """

    algorithm: str  # of SB3Config
    games = 16  # in parallel
    arguments: dict[str, Any] = PPO_SETTINGS
    # for planes: arguments that replace those in `arguments`; if `on_planes` is not empty, the learning rate falls to 0
    on_planes: dict[str, Any] = {}

    def __init__(self, task: Task, seed: int, device: str = "cpu"):
        is_planes = task.observation == "planes"
        network = {} if is_planes else {"measured_on": task.preset}
        self.config = SB3Config(
            preset=task.preset,
            game={"players": task.players},
            spaces=task.spaces,
            opponent=task.opponent,
            games=self.games,
            threads=1,
            algorithm=self.algorithm,
            network="neighborhood" if is_planes else "candidates",
            rows=task.rows,
            settings=self.arguments | (self.on_planes if is_planes else {}),
            network_settings=network,
            seed=seed,
            decisions=task.decisions,
            reward=task.reward,
            anneal=is_planes and bool(self.on_planes),
            check_pairs=0,
            eval_pairs=0,
        )
        self.settings = {name: value for name, value in self.config.to_dict().items() if name != "seed"}
        threads = torch.get_num_threads()
        self.model = sb3_model.make_model(self.config, None, seed, device)
        torch.set_num_threads(threads)  # restores the number of threads, which `make_model` has changed

    def fit(self, budget: Budget) -> None:
        """Learn until the budget is spent."""
        if budget.left > 0:
            spending = Spending(budget, self.model.num_timesteps)
            self.model.learn(budget.left, spending, reset_num_timesteps=False)
            spending.spend()

    def act(self, observations: dict[str, np.ndarray]) -> np.ndarray:
        """Return the best action for each of n observations, as int64[n]."""
        return self.model.predict(observations, deterministic=True)[0]

    def state(self) -> dict[str, np.ndarray]:
        """Return the weights of the network and the state of the optimiser, as arrays."""
        return weights.numbers(self.model.policy, self.model.policy.optimizer) | {
            "updates": np.array(self.model._n_updates)
        }

    def set_state(self, arrays: dict[str, np.ndarray], made: int) -> None:
        """Restore what `state` returned. The training continues in new games, and with an empty replay buffer."""
        sb3_model.go_on(self.model, arrays, made, int(arrays["updates"]))


class Spending(BaseCallback):
    """A callback that subtracts the number of the algorithm's decisions from the budget.

    A decision counts after the algorithm has learned from it.
    """

    def __init__(self, budget: Budget, made: int):
        super().__init__()
        self._budget, self._told = budget, made

    def _on_rollout_start(self) -> None:
        self.spend()

    def _on_step(self) -> bool:
        return True

    def spend(self) -> None:
        """Report the decisions that have not been reported yet."""
        made = self.model.num_timesteps
        if made > self._told:
            self._budget.spend(made - self._told)
        self._told = made


class MaskablePPO(SB3Algorithm):
    """MaskablePPO of sb3-contrib."""

    algorithm, on_planes = "MaskablePPO", ON_PLANES


class PPO(SB3Algorithm):
    """PPO of Stable-Baselines3. The network of the algorithm masks the illegal actions."""

    algorithm, on_planes = "PPO", ON_PLANES


class A2C(SB3Algorithm):
    """A2C of Stable-Baselines3. The network of the algorithm masks the illegal actions."""

    algorithm = "A2C"
    arguments = {"n_steps": 16, "learning_rate": 5e-4, "gamma": 1.0, "gae_lambda": 0.9, "ent_coef": 0.005}


class DQN(SB3Algorithm):
    """DQN that explores only among legal actions."""

    algorithm, games = "DQN", 8
    arguments = OFF_POLICY


class QRDQN(SB3Algorithm):
    """QR-DQN that explores only among legal actions."""

    algorithm, games = "QRDQN", 8
    arguments = OFF_POLICY
