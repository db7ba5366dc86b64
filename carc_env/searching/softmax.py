"""Answers drawn by price: the likelier, the higher the price of an answer (softmax)."""

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.chance import CHANCE, mixed, random_below, seed_chance
from carc_env.rules.history import mixed_with_history
from carc_env.rules.state import NONE
from carc_env.searching.rollouts import list_answers

FINE = 1 << 24  # steps of a random number from 0 to 1


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
