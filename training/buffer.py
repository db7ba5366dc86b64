"""A rollout buffer for observations with candidates. The buffer stores the candidates without their padding."""

from collections.abc import Generator
from typing import Any

import numpy as np
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBufferSamples, MaskableRolloutBuffer


class CandidateBuffer(MaskableRolloutBuffer):
    """Stores the decisions that one update learns from. The class differs from the buffers of Stable-Baselines3 only in
    how it stores observations.
    """

    def reset(self) -> None:
        """Empty the buffer."""
        shape = self.buffer_size, self.n_envs
        self.rows: list[np.ndarray] = []  # of each step
        self.count = np.zeros(shape, np.int64)
        space: Any = self.observation_space  # a Dict
        self.table = np.zeros((*shape, *space["table"].shape), np.float32)
        self.actions = np.zeros((*shape, 1), np.int64)
        for name in ("rewards", "returns", "episode_starts", "values", "log_probs", "advantages"):
            setattr(self, name, np.zeros(shape, np.float32))
        self.pos, self.full = 0, False

    def add(  # type: ignore[override]  # SB3 declares an array but passes the observation dict
        self,
        obs: dict[str, np.ndarray],
        action: np.ndarray,
        reward: np.ndarray,
        episode_start: np.ndarray,
        value: Any,
        log_prob: Any,
        action_masks: np.ndarray | None = None,
    ) -> None:
        """Add one step of each game."""
        at, is_candidate = self.pos, obs["action_mask"] == 1
        self.count[at] = is_candidate.sum(1)
        self.rows.append(obs["candidates"][is_candidate])
        self.table[at] = obs["table"]
        self.actions[at] = action.reshape(-1, 1)
        self.rewards[at], self.episode_starts[at] = reward, episode_start
        self.values[at] = value.cpu().numpy().flatten()
        self.log_probs[at] = log_prob.cpu().numpy()
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def get(  # type: ignore[override]  # as with SB3's own buffer for dicts
        self, batch_size: int | None = None
    ) -> Generator[MaskableDictRolloutBufferSamples, None, None]:
        """Yield all decisions in random order, in minibatches."""
        n = self.buffer_size * self.n_envs
        order = np.random.permutation(n)
        rows, count = np.concatenate(self.rows), self.count.reshape(n)
        first = np.cumsum(count) - count
        arrays = [
            array.reshape(n) for array in (self.actions, self.values, self.log_probs, self.advantages, self.returns)
        ]
        for at in range(0, n, batch_size or n):
            some = order[at : at + (batch_size or n)]
            obs = {
                "rows": self.to_torch(rows[stretches(first[some], count[some])], copy=False),
                "count": self.to_torch(count[some]),
                "table": self.to_torch(self.table.reshape(n, -1)[some]),
            }
            actions, values, log_probs, advantages, returns = (self.to_torch(array[some]) for array in arrays)
            no_masks: Any = None  # all candidates are legal
            yield MaskableDictRolloutBufferSamples(
                obs, actions, values, log_probs, advantages, returns, action_masks=no_masks
            )


def stretches(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Concatenate ranges of integers. The i-th range has `count[i]` integers and begins with `first[i]`.

    >>> stretches(np.array([7, 2]), np.array([3, 2])).tolist()
    [7, 8, 9, 2, 3]
    """
    ends = np.cumsum(count)
    return np.arange(ends[-1]) + np.repeat(first - (ends - count), count)
