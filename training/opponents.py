"""Who plays against the learner: itself, itself of earlier, greedy and random."""

import copy

import numpy as np
import torch

from carc_env.envs.sb3 import greedy, is_candidate, uniform
from training.config import TrainConfig
from training.network import Score, pad


class Snapshot:
    """A network as it was at some time. It draws its answers as the learner does, by their probabilities."""

    def __init__(self, score: Score):
        self.score = copy.deepcopy(score)

    def take(self, score: Score) -> None:
        """Become the network as it is now."""
        self.score.load_state_dict(score.state_dict())

    def __call__(self, rows: np.ndarray, count: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """An answer to each question, see carc_env.envs.sb3.Opponent."""
        valid = is_candidate(count, rows.shape[1])
        device = self.score.greedy.weight.device
        with torch.no_grad():
            logits = pad(self.score(torch.as_tensor(rows[valid], device=device)), torch.as_tensor(valid, device=device))
            upto = torch.softmax(logits, 1).cumsum(1).cpu().numpy()
        return (upto <= rng.random((len(rows), 1), np.float32) * upto[:, -1:]).sum(1).clip(0, count - 1)


class Opponents:
    """All opponents, in the order in which an environment has them: self, greedy, random, then those of the past.

    Args:
        score: the network before training.
    """

    def __init__(self, config: TrainConfig, score: Score):
        self._every = config.past_every
        self.present = Snapshot(score)
        self.past = [Snapshot(score) for _ in range(config.past_kept)]
        self.players = [self.present, greedy, uniform, *self.past]
        self.names = ["self", "greedy", "random", *("past" for _ in self.past)]
        self.shares = [config.share_self, config.share_greedy, config.share_random,
                       *(config.share_past / len(self.past) for _ in self.past)]

    def follow(self, score: Score, update: int) -> None:
        """Become the network after an update; now and then it also replaces the oldest of the past."""
        self.present.take(score)
        if update % self._every == 0:
            self.past[update // self._every % len(self.past)].take(score)
