"""Computes the array `table`, which is a summary of the position for one player. A value function can use the array
`table` as input, in addition to the candidates.
"""

import numpy as np
from numpy import int64

from carc_env.boxes.layout import standing
from carc_env.boxes.prospect_parts import N_PARTS
from carc_env.compiling.jit import jit
from carc_env.observing.pricing import WORK, forget_parts, take_prices
from carc_env.observing.prospects import VIEW, count_left, value_all
from carc_env.rules.scoring import lead, score_now
from carc_env.systems.goldmines import seen as goldmines

MARGIN, TILES_LEFT = standing("margin"), standing("tiles_left")
# the indices at which the player's estimates and the other players' estimates begin
OWN, OTHERS = standing("own_now"), standing("others_now")


@jit
def survey(games, which, tiles, prices, observers, out):
    """For each game in `which`, write the array `table` to a row of `out`. The array is from the perspective of the
    game's observer. `which` contains indices of games. Each row has N_STANDING numbers.
    """
    view, trial, works = np.zeros(1, VIEW), np.zeros(1, games.dtype), np.empty(1, WORK)
    take_prices(view[0], works[0], prices[0])
    forget_parts(works[0])
    for i in which:
        trial[0] = games[i]
        game, seat, parts = trial[0], int64(observers[i]), works[0].parts
        count_left(view[0], game, tiles[0])
        value_all(view[0], game, tiles[0], parts)
        score_now(game, tiles[0])
        out[i] = 0.0
        out[i, TILES_LEFT] = view[0].n_left / game.n_deck
        goldmines.write_table(game, seat, out[i])
        share = 1.0 / (game.n_players - 1)
        for part in range(N_PARTS):
            out[i, OWN + part] = parts[seat, part]
            for other in range(int64(game.n_players)):
                if other != seat:
                    out[i, OTHERS + part] += share * parts[other, part]
        out[i, MARGIN] = lead(game, seat)
