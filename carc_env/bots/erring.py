"""A bot that makes mistakes. The bot chooses an action at random. Actions with a better heuristic value are more
likely.
"""

import numpy as np

from carc_env.bots.greedy import GreedyBot
from carc_env.bots.random import RandomBot
from carc_env.boxes.tiles import tile_table
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing.prospects import default_prices
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.rollouts import LISTED, room_for
from carc_env.searching.softmax import draw_answers


class ErringBot(RandomBot):
    """Looks ahead to the end of its own turn like `greedy`, but makes mistakes. The probability of an action is
    proportional to `exp(value / temperature)`. In this formula, `value` is the heuristic value, in points, that
    `greedy` assigns to the action.

    Args:
        seed: integer from 0 to 2**64 - 1. If the seed is None, the operating system supplies a random seed.
        temperature: the temperature of the softmax, in points. If the heuristic values of two actions differ by
            `temperature` points, the worse action is less likely by a factor of e.
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
        """Return the legal actions with `greedy`'s values, best first. The bot does not always play the first action of
        this list, because it chooses its action at random.
        """
        return GreedyBot().analyse(game)
