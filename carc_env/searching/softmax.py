"""Random actions by softmax: an action with a higher heuristic value is more likely."""

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.chance import CHANCE, mixed, random_below, seed_chance
from carc_env.rules.history import mixed_with_history
from carc_env.rules.state import NONE
from carc_env.searching.rollouts import list_answers

FINE = 1 << 24  # random numbers from 0 to 1 are multiples of 1 / FINE


@jit
def draw_answers(games, which, tiles, prices, temperature, seeds, rooms, trials, listed, out):
    """For each k, draw a random action for the game `games[which[k]]`, and write it to `out[k]`. The probabilities are
    the softmax of the heuristic values. If the game is over, NONE is written.

    The random generator is seeded with `seeds[k]` and with the history of the game. `seeds[k]` holds the low and the
    high 32 bits of a seed. `rooms`, `trials` and `listed` are working memory.
    """
    chances = np.zeros(1, CHANCE)
    for k in range(len(which)):
        i = int64(which[k])
        n = list_answers(games[i : i + 1], tiles, prices, rooms, trials, listed)
        seed_chance(chances[0], mixed_with_history(games[i], mixed(int(seeds[k, 0]))), int(seeds[k, 1]))
        out[k] = listed[drawn(listed, n, temperature, chances[0])].answer if n else NONE


@jit
def drawn(listed, n, temperature, chance):
    """Return the index of a random action among the first n listed actions. The probability of an action is
    proportional to `exp(price / temperature)`, where `price` is the heuristic value of the action.
    """
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
    return n - 1  # reached only if rounding errors keep `left` from falling below 0
