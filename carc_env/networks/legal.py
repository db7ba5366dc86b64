"""Versions of DQN and QR-DQN that never play an illegal action. The algorithms explore only among the actions that the
mask in the observation allows.
"""

from typing import Any

import numpy as np
from sb3_contrib import QRDQN
from stable_baselines3 import DQN


def random_legal(mask: np.ndarray) -> np.ndarray:
    """Return a uniformly random legal action for each mask. The shape of `mask` is [..., actions], and the result is
    int64[...]. The function uses NumPy's global random number generator, as Stable-Baselines3's DQN does.
    """
    return np.where(mask == 1, np.random.random_sample(mask.shape), -1.0).argmax(-1)


class _Legal:
    """The base class of `LegalDQN` and `LegalQRDQN`, which explore only among legal actions.

    Attributes:
        made: the number of decisions made before the current replay buffer was created. When training is continued, the
            replay buffer is empty. Learning therefore starts only after L further decisions, where L is the algorithm's
            argument `learning_starts`. The initial phase of random actions is not repeated.
    """

    made = 0
    learning_starts: int  # set by the algorithms

    def go_on(self, made: int) -> None:
        """Prepare to continue a training run with an empty replay buffer. `made` is the number of decisions so far."""
        self.made, self.learning_starts = made, self.learning_starts + made

    def predict(
        self,
        observation: dict[str, np.ndarray],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """Return the actions for one or several observations, and return the argument `state` unchanged. With a
        probability equal to the exploration rate, all returned actions are random legal actions. With
        `deterministic=True`, there is no exploration.
        """
        if not deterministic and np.random.rand() < self.exploration_rate:
            return random_legal(observation["action_mask"]), state
        return self.policy.predict(observation, state, episode_start, deterministic)

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        is_early = self.num_timesteps < learning_starts - self.made
        actions = random_legal(self._last_obs["action_mask"]) if is_early else self.predict(self._last_obs)[0]
        return actions, actions


class LegalDQN(_Legal, DQN):
    """Stable-Baselines3's DQN with exploration among legal actions. The policy, such as `NeighborhoodQPolicy`, masks
    the values of illegal actions.
    """


class LegalQRDQN(_Legal, QRDQN):
    """sb3-contrib's QR-DQN with exploration among legal actions. The policy, such as `NeighborhoodQuantilePolicy`,
    masks the quantiles of illegal actions.
    """
