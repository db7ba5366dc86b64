"""Estimates the chance that a shrine or a monastery loses its challenge. The heuristic estimates in observations and
bots include the chance of losing a challenge.
"""

from numpy import int64

from carc_env.boxes.closing import chance_of_filling
from carc_env.compiling.jit import jit
from carc_env.rules.expansions import shrines
from carc_env.rules.features import is_complete, is_occupied, lies
from carc_env.rules.geometry import is_near, nearby
from carc_env.rules.state import NONE


@jit(absent=0.0)
def chance_of_losing(view, game, tiles, building):
    """Return the chance that a shrine or monastery loses its challenge because the opposing building is completed
    first.
    """
    return chance_against(view, game, tiles, building) if game.boxes.shrines else 0.0


@jit
def chance_against(view, game, tiles, building):
    """Compute `chance_of_losing` for games with shrines."""
    opponents = shrines.opponents_of(game, game.features[building].kind)
    if opponents == 0 or lies(game, building):
        return 0.0
    for k in range(9):
        other = shrines.building_on(game, nearby(game, game.segments[building].cell, k), opponents)
        if other != NONE and is_occupied(game, other) and not lies(game, other):
            if is_complete(game, other):
                return 1.0
            mine, theirs = count_missing(game, building, other), count_missing(game, other, building)
            return chance_of_filling(view, game, tiles, other) * mine / max(1, mine + theirs)
    return 0.0


@jit
def count_missing(game, building, other):
    """Return the number of empty squares that are around `building` but not around `other`."""
    cell, beside, missing = int64(game.segments[building].cell), int64(game.segments[other].cell), 0
    for k in range(9):
        near = nearby(game, cell, k)
        missing += game.board[near].is_square and game.board[near].tile == NONE and not is_near(game, beside, near)
    return missing


@jit(absent=0)
def further(game):
    """A placed tile can change the heuristic estimates of buildings within a certain distance of the tile. Return how
    many squares shrines add to this distance. In games with shrines, the result is 1, because the estimate of a
    building in a challenge also depends on the opposing building, which is on an adjacent or diagonal square. In games
    without shrines, the result is 0.
    """
    return int64(game.boxes.shrines)
