"""The chance to win that an expected margin means in a game of two players.

It is a logistic curve of the margin, see `observing/value_network.py`. Its scale is learned with the value network of a
preset; a game without one takes the scale of `base`.
"""

from carc_env.bots.learned import shipped_prices
from carc_env.games.game import Game
from carc_env.observing.prospects import LEARNED
from carc_env.observing.value_network import Asked, chance_to_win, scale_of_winning


def chance_in(game: Game, margin: float) -> float | None:
    """The chance to win, from 0 to 1, of a player who expects this margin in points; a draw counts half a win.

    None for more than two players: the curve is not known there.
    """
    if game.players != 2:
        return None
    scale = scale_of_winning(shipped_prices(game.config, Asked.NOTHING)[LEARNED])
    return round(float(chance_to_win(margin, game.tiles_left, scale)), 4)
