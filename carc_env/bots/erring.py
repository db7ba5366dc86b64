"""A bot that errs: draws an answer by the prices of `greedy`, the likelier the higher its price."""

import numpy as np
from numpy import int64

from carc_env.bots.greedy import GreedyBot
from carc_env.bots.random import RandomBot
from carc_env.boxes.tiles import tile_table
from carc_env.compiling.jit import jit
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing.prospects import default_prices
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.rules.chance import CHANCE, mixed, random_below, seed_chance
from carc_env.rules.history import mixed_with_history
from carc_env.rules.state import NONE
from carc_env.searching.rollouts import LISTED, list_answers, room_for

FINE = 1 << 24  # steps of a random number from 0 to 1


class ErringBot(RandomBot):
    """Looks one turn ahead as `greedy` does and errs: draws an answer with a probability that is proportional to
    `exp(price / temperature)`.

    Args:
        seed: integer from 0 to 2**64 - 1; drawn from the operating system if None.
        temperature: points by which the price of an answer has to be lower for it to be e times less likely.
    """

    def __init__(self, seed: int | None = None, temperature: float = 1.0):
        super().__init__(seed)
        self.name, self.temperature = f"erring, {temperature:g} points", temperature

    def _choose(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        out = np.empty(len(which), np.int64)
        listed, rooms = np.zeros(MAX_ANSWERS, LISTED), room_for(games.records.dtype)
        draw_answers(games.records, which, tile_table(), default_prices(), self.temperature, seeds, *rooms, listed, out)
        return out

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """The legal answers as `greedy` values them, best first; which of them it plays is up to chance."""
        return GreedyBot().analyse(game)


@jit
def draw_answers(games, which, tiles, prices, temperature, seeds, rooms, trials, listed, out):
    """Write an answer to out[k] for each game numbered which[k], drawn by price; NONE where the game is over.

    The generator starts afresh from the seed (two words, seeds[k]) and the history. `rooms`, `trials` and `listed` are
    room to work in.
    """
    chances = np.zeros(1, CHANCE)
    for k in range(len(which)):
        i = int64(which[k])
        n = list_answers(games[i : i + 1], tiles, prices, rooms, trials, listed)
        seed_chance(chances[0], mixed_with_history(games[i], mixed(int(seeds[k, 0]))), int(seeds[k, 1]))
        out[k] = listed[drawn(listed, n, temperature, chances[0])].answer if n else NONE


@jit
def drawn(listed, n, temperature, chance):
    """The number of one of the first n answers that are listed, drawn with probabilities as `exp(price / temperature)`."""
    best, total = listed[0].price, 0.0
    for k in range(n):
        best = max(best, listed[k].price)
    for k in range(n):
        total += np.exp((listed[k].price - best) / temperature)
    left = total * random_below(chance, FINE) / FINE
    for k in range(n):
        left -= np.exp((listed[k].price - best) / temperature)
        if left < 0.0:
            return k
    return n - 1  # the sums were rounded
