"""The opponents of the learner: the learner itself, earlier versions of the learner, `greedy` and `random`."""

import numpy as np

from carc_env.bots import Bot
from carc_env.bots.policy import Network
from carc_env.boxes.tiles import tile_table
from carc_env.games.games import Games
from carc_env.networks.candidates import Score
from carc_env.observing.candidates import candidates, room_for
from carc_env.observing.prospects import default_prices
from carc_env.rules.state import NONE

from .config import TrainConfig


class Snapshot(Bot):
    """A bot that plays with a copy of a network. The bot samples its actions from the policy, as the learner does.

    Args:
        rows: the maximum number of candidates that the network sees.
        score: the network that the bot copies. If `score` is None, set the weights with the method `take` before the
            bot plays.
    """

    name, threaded = "snapshot", True

    def __init__(self, rows: int, score: Score | None = None):
        self._rows, self._seed = rows, 0
        if score is not None:
            self.take(score.numbers())

    def take(self, numbers: dict[str, np.ndarray]) -> None:
        """Set the network's weights to `numbers`, which is a result of `Score.numbers`."""
        self.numbers, self._network = numbers, Network(numbers)

    def reseed(self, seed: int) -> None:
        """Set the seed for all later actions."""
        self._seed = seed

    def choose_batch(self, games: Games) -> np.ndarray:
        """Return an action id for each of n games, as int64[n]. For a finished game, the action id is NONE."""
        return self._choose(games, np.full(len(games), self._seed, np.uint64))

    def choose_for(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Return an action id for each game whose index is in `which`. `seeds` contains the seeds of these games."""
        return self._choose(games[which], np.asarray(seeds, np.uint64))

    def _choose(self, games: Games, seeds: np.ndarray) -> np.ndarray:
        rows, ids = room_for(len(games), self._rows, self._network.columns)
        every = np.arange(len(games))
        candidates(games.records, every, tile_table(), default_prices(), rows, ids)
        logits = self._network.padded_logits(rows, ids != NONE)
        upto = np.exp(logits - logits.max(1, keepdims=True, initial=-1e9)).cumsum(1)
        chosen = (upto <= chances(seeds, games.records["n_moves"])[:, None] * upto[:, -1:]).sum(1)
        return ids[every, np.minimum(chosen, np.maximum((ids != NONE).sum(1) - 1, 0))].astype(np.int64)


def chances(seeds: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return an array of pseudo-random numbers in [0, 1). Entry `i` depends only on `seeds[i]` and `numbers[i]`.

    The random number generator is SplitMix64 (Steele, Lea and Flood 2014).
    """
    x = seeds + (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return ((x ^ x >> np.uint64(31)) >> np.uint64(11)) * 2.0**-53


class Opponents:
    """Holds all opponents of the learner.

    In the environment, the opponents have this order: the current network (`self`), `greedy`, `random`, earlier
    versions.
    """

    def __init__(self, config: TrainConfig):
        self._every = config.past_every
        self.present = Snapshot(config.rows)
        self.past = [Snapshot(config.rows) for _ in range(config.past_kept)]
        shares = {"self": config.share_self, "greedy": config.share_greedy, "random": config.share_random}
        met = [(name, {"self": self.present}.get(name, name), share) for name, share in shares.items()]
        met += [("past", snapshot, config.share_past / len(self.past)) for snapshot in self.past]
        self.names = [name for name, _, share in met if share > 0]
        self.pool = [(bot, share) for _, bot, share in met if share > 0]

    def begin(self, score: Score) -> None:
        """Set the weights of all snapshots to the weights of the untrained network."""
        for snapshot in (self.present, *self.past):
            snapshot.take(score.numbers())

    def follow(self, score: Score, update: int) -> None:
        """After an update, copy the current network to the opponent named `self`. After every `past_every` updates, the
        current network also replaces the oldest stored version.
        """
        self.present.take(score.numbers())
        if update % self._every == 0:
            self.past[update // self._every % len(self.past)].take(score.numbers())
