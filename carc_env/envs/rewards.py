"""Contains compiled code for rewards. The setting `reward` selects which value is computed for each player: the margin,
the outcome or the potential. A player's reward is the change in the selected value.

The margin is the player's score minus the highest score of any other player. The outcome is 0 until the game is over.
At the end of the game, the outcome is +1 for a win, 0 for a tie and -1 for a loss. The potential is the margin that the
player would have if the game ended now.
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
    """Write the margin, the outcome or the potential of each player to `out`, as `reward` specifies. `out` is
    float64[n, MAX_PLAYERS]. The change in a player's entry of `out` is the player's reward.
    """
    trial = np.empty(1, games.dtype)
    for i in range(len(games)):
        write_value(games[i], tiles[0], reward, trial, out[i])


@jit
def write_value(game, tiles, reward, trial_game, out):
    """For each player of a game, write the margin, the outcome or the potential to `out`, as `reward` specifies. The
    change in a player's entry of `out` is the player's reward. `trial_game` is memory for a copy of the game.
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
    """Write the margin of each player to `out`: the player's score minus the highest score of any other player."""
    for player in range(int64(game.n_players)):
        out[player] = lead(game, player)
