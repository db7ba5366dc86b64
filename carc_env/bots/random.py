"""The bot `random`: any legal answer, each as likely as the others."""

import secrets

import numpy as np

from carc_env.boxes import tile_table
from carc_env.bots.base import Bot
from carc_env.games import Games
from carc_env.jit import jit
from carc_env.rules.answers import ROOM
from carc_env.rules.chance import mixed, random_below, seed_chance
from carc_env.rules.state import NONE
from carc_env.rules.turn import legal_answers
from carc_env.setup import seed_words


@jit
def history(game, word):
    """A 32-bit word mixed with the tiles drawn and the answers given so far: all that the players saw happen."""
    for i in range(game.n_drawn):
        word = mixed(word ^ int(game.deck[i]))
    for i in range(game.n_moves):
        word = mixed(word ^ int(game.moves[i].answer))
    return word


@jit
def choose_random(games, which, boxes, seeds, out):
    """Write a random legal answer for each game numbered which[k] to out[k], NONE where the game is over.

    The generator starts afresh from the seed (two words, seeds[k]) and the history, so a game's answer depends on nothing else.
    """
    rooms = np.empty(1, ROOM)
    chance = np.empty(2, np.int64)
    for k in range(len(which)):
        game = games[which[k]]
        n = legal_answers(game, boxes[0], rooms[0])
        seed_chance(chance, history(game, mixed(int(seeds[k, 0]))), int(seeds[k, 1]))
        out[k] = rooms[0].answers[random_below(chance, n)] if n else NONE


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

    def choose_for(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """A random legal answer in each of the games numbered `which`, each with its own seed."""
        return self._choose(games, which, seed_words(seeds))

    def _choose(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        out = np.empty(len(which), np.int64)
        choose_random(games.records, which, tile_table(), seeds, out)
        return out
