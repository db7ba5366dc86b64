"""Darmstadt churches give a bonus for the followers around them. A city with the Darmstadtium gets additional points
(TILE.bonus, FEATURE.bonus).
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.double_tiles import is_tile_near
from carc_env.rules.scoring import add_points
from carc_env.rules.state import FIRST_SLOT, Figure, Kind, Source

CHURCH_BONUS = 3
END_OF_FOLLOWERS = int(FIRST_SLOT[Figure.BUILDER])  # builders and pigs do not count


@jit(absent=None)
def score_bonuses(game, tiles):
    """Award the bonus of each church just completed, whether it is occupied or not. The player with the most followers
    on the church's tile and around it gets the bonus. If several players tie, each of them gets the bonus.

    A follower counts even if it returns to the supply in the same scoring.
    """
    for i in range(game.n_completed):
        church = int64(game.completed[i].feature)
        if game.features[church].kind == Kind.CHURCH:
            score_bonus(game, tiles, int64(game.segments[church].cell))


@jit
def score_bonus(game, tiles, cell):
    """Award the bonus of the church on a cell. Nobody gets the bonus if there is no follower on the church's tile or
    around it.
    """
    most = 0
    for player in range(int64(game.n_players)):
        most = max(most, count_followers(game, tiles, player, cell))
    for player in range(int64(game.n_players)):
        if most > 0 and count_followers(game, tiles, player, cell) == most:
            add_points(game, player, Source.CHURCHES, CHURCH_BONUS, cell)


@jit
def count_followers(game, tiles, player, cell):
    """Return how many followers a player has on a tile and on the eight tiles around it. The followers can stand on any
    kind of feature. A big meeple counts as one follower.
    """
    followers = 0
    for slot in range(END_OF_FOLLOWERS):
        node = int64(game.players[player].figures[slot])
        followers += node >= 0 and is_tile_near(game, cell, int64(game.segments[node].cell))
    return followers
