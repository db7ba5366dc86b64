"""The bot `random`: any legal answer, each as likely as the others."""

import secrets

import numpy as np

from carc_env.bots.bot import Bot
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.games.games import Games
from carc_env.rules.batch import choose_random


class RandomBot(Bot):
    """Answers at random, seeded.

    Args:
        seed: integer from 0 to 2**64 - 1; drawn from the operating system if None.
    """

    name, threaded = "random", True

    def __init__(self, seed: int | None = None):
        self.reseed(secrets.randbits(64) if seed is None else seed)

    def reseed(self, seed: int) -> None:
        """Go on with another seed, an integer from 0 to 2**64 - 1."""
        self._seed = seed_words([seed])

    def choose_batch(self, games: Games) -> np.ndarray:
        """A random legal answer in each game, int64[n]; NONE where the game is over."""
        return self._choose(games, np.arange(len(games)), np.repeat(self._seed, len(games), 0))

    def _look(self, games: Games, which: np.ndarray, strict: bool) -> np.ndarray:
        return self._choose(games, which, np.repeat(self._seed, len(which), 0))

    def choose_for(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """A random legal answer in each of the games numbered `which`, each with its own seed."""
        return self._choose(games, which, seed_words(seeds))

    def _choose(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        out = np.empty(len(which), np.int64)
        choose_random(games.records, which, tile_table(), seeds, out)
        return out
