"""DQN and QR-DQN that never play an illegal action: they explore among the actions that the mask in the observation
allows.
"""

from typing import Any

import numpy as np
from sb3_contrib import QRDQN
from stable_baselines3 import DQN


def random_legal(mask: np.ndarray) -> np.ndarray:
    """A uniformly random legal action for each mask, int64[...] for masks [..., actions]. It uses NumPy's global
    generator, as DQN does.
    """
    return np.where(mask == 1, np.random.random_sample(mask.shape), -1.0).argmax(-1)


class _Legal:
    """The common part of both classes.

    Attributes:
        made: the number of decisions before the present buffer. After a continuation, the initial phase of random
            actions
            is not repeated, but the buffer has to fill before anything is learned.
    """

    made = 0
    learning_starts: int  # as of the algorithms

    def go_on(self, made: int) -> None:
        """Continue after so many decisions, with an empty buffer."""
        self.made, self.learning_starts = made, self.learning_starts + made

    def predict(
        self,
        observation: dict[str, np.ndarray],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """The actions for one question or several, and the state. With the exploration rate, an action is a random
        legal one.
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
    """Stable-Baselines3's DQN. Its policy, such as `NeighborhoodQPolicy`, masks the values."""


class LegalQRDQN(_Legal, QRDQN):
    """sb3-contrib's QR-DQN. Its policy, such as `NeighborhoodQuantilePolicy`, masks the quantiles."""
