"""The probability of winning that follows from an expected margin in a game of two players.

It is a logistic function of the margin; see `observing/value_network.py`. Its scale is learned with the value network
of a preset. A game without such a network uses the scale of `base`.
"""

from carc_env.bots.learned import shipped_prices
from carc_env.games.game import Game
from carc_env.observing.prospects import LEARNED
from carc_env.observing.value_network import Asked, chance_to_win, scale_of_winning


def chance_in(game: Game, margin: float) -> float | None:
    """The probability, from 0 to 1, that a player wins who expects this margin in points. A draw counts as half a win.

    None for more than two players, because the function is not known there.
    """
    if game.players != 2:
        return None
    scale = scale_of_winning(shipped_prices(game.config, Asked.NOTHING)[LEARNED])
    return round(float(chance_to_win(margin, game.tiles_left, scale)), 4)
