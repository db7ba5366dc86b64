"""The bot `random`, which plays a random legal action. All legal actions have equal probability."""

import secrets

import numpy as np

from carc_env.bots.bot import Bot
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.games.games import Games
from carc_env.rules.batch import choose_random


class RandomBot(Bot):
    """Plays random legal actions. The seed and the position determine each action.

    Args:
        seed: integer from 0 to 2**64 - 1. If the seed is None, the operating system supplies a random seed.
    """

    name, threaded = "random", True

    def __init__(self, seed: int | None = None):
        self.reseed(secrets.randbits(64) if seed is None else seed)

    def reseed(self, seed: int) -> None:
        """Set the seed for all further random actions. The seed is an integer from 0 to 2**64 - 1."""
        self._seed = seed_words([seed])

    def choose_batch(self, games: Games) -> np.ndarray:
        """Return a random legal action for each game, as an array int64[n]. For a game that is over, the action is
        NONE.
        """
        return self._choose(games, np.arange(len(games)), np.repeat(self._seed, len(games), 0))

    def _look(self, games: Games, which: np.ndarray, strict: bool) -> np.ndarray:
        return self._choose(games, which, np.repeat(self._seed, len(which), 0))

    def choose_for(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Return a random legal action for each game whose index is in `which`. `seeds` contains one seed for each
        index in `which`.
        """
        return self._choose(games, which, seed_words(seeds))

    def _choose(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        out = np.empty(len(which), np.int64)
        choose_random(games.records, which, tile_table(), seeds, out)
        return out
