"""The probability of winning a game of two players, computed from the expected margin.

The probability of winning is a logistic function of the expected margin; see `observing/value_network.py`. If the
package has a value network for the configuration of the game, the scale of the logistic function comes from the
checkpoint of this network. For a configuration without a value network, the scale that was measured on the preset
`base` is used.
"""

from carc_env.bots.learned import shipped_prices
from carc_env.games.game import Game
from carc_env.observing.prospects import LEARNED
from carc_env.observing.value_network import Asked, chance_to_win, scale_of_winning


def chance_in(game: Game, margin: float) -> float | None:
    """Return a player's probability of winning. `margin` is the player's expected final margin, in points. A tie counts
    as half a win.

    Returns None for a game with more than two players, because the logistic function was fitted to two-player games
    only.
    """
    if game.players != 2:
        return None
    scale = scale_of_winning(shipped_prices(game.config, Asked.NOTHING)[LEARNED])
    return round(float(chance_to_win(margin, game.tiles_left, scale)), 4)
