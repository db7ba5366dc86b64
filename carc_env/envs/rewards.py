"""Contains compiled code for rewards. For each player, the functions of this module compute the quantity that the
setting `reward` names: the margin, the outcome or the potential. A player's reward is the change in this quantity.
"""

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.scoring import lead, score_now
from carc_env.rules.state import Phase

REWARDS = ("margin", "outcome", "potential")
MARGIN, OUTCOME, POTENTIAL = range(len(REWARDS))


@jit
def write_values(games, tiles, reward, out):
    """Depending on `reward`, write the margin, the outcome or the potential of each player of each game to out[n,
    MAX_PLAYERS]. A player's reward is the change in this number.
    """
    trial = np.empty(1, games.dtype)
    for i in range(len(games)):
        write_value(games[i], tiles[0], reward, trial, out[i])


@jit
def write_value(game, tiles, reward, trial_game, out):
    """Depending on `reward`, write the margin, the outcome or the potential of each player of a game to `out`. A
    player's reward is the change in this number. `trial_game` is working space for a copy of the game.
    """
    over = game.phase == Phase.GAME_OVER
    out[:] = 0.0
    if reward == OUTCOME and not over:
        return
    if reward == POTENTIAL:
        trial_game[0] = game
        score_now(trial_game[0], tiles)
        write_margins(trial_game[0], out)
    else:
        write_margins(game, out)
    if reward == OUTCOME:
        for player in range(int64(game.n_players)):
            out[player] = np.sign(out[player])


@jit
def write_margins(game, out):
    """Write each player's score minus the highest score of the other players to `out`."""
    for player in range(int64(game.n_players)):
        out[player] = lead(game, player)
