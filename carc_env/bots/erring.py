"""A bot that errs: draws an answer by the prices of `greedy`, the likelier the higher its price."""

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
