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
def choose_random(games, boxes, low, high, out):
    """Write a random legal answer for each game to out[n], NONE where the game is over.

    The generator starts afresh from the seed (two words) and the history, so a game's answer depends on nothing else.
    """
    rooms = np.empty(1, ROOM)
    chance = np.empty(2, np.int64)
    for i in range(len(games)):
        n = legal_answers(games[i], boxes[0], rooms[0])
        seed_chance(chance, history(games[i], mixed(low)), high)
        out[i] = rooms[0].answers[random_below(chance, n)] if n else NONE


class RandomBot(Bot):
    """Answers at random, seeded.

    Args:
        seed: integer from 0 to 2**64 - 1; drawn from the operating system if None.
    """

    name = "random"

    def __init__(self, seed: int | None = None):
        self.reseed(secrets.randbits(64) if seed is None else seed)

    def reseed(self, seed: int) -> None:
        """Go on with another seed, an integer from 0 to 2**64 - 1."""
        self._low, self._high = (int(word) for word in seed_words([seed])[0])

    def choose_batch(self, games: Games) -> np.ndarray:
        """A random legal answer in each game, int64[n]; NONE where the game is over."""
        out = np.empty(len(games), np.int64)
        choose_random(games.records, tile_table(), self._low, self._high, out)
        return out
