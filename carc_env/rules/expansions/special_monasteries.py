"""There are three sets of special monasteries with the same rules: the German, the Dutch & Belgian and the Japanese
monasteries. On a special monastery, a follower either stands (as a monk) or lies on its side.

If the follower is a monk, the building is scored like any monastery. If the follower lies on its side, the building is
never completed (features.lies). A follower that lies on its side therefore stays even if all squares around the
building are occupied.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.geometry import neighbour
from carc_env.rules.state import NONE


@jit(absent=0)
def points_lying(game, building):
    """Return the points of a follower that lies on its side. The follower scores 1 point for the building and 1 for
    each occupied square in the four straight lines from the building.
    """
    points = 1
    for side in range(4):
        points += count_line(game, int64(game.segments[building].cell), side)
    return points


@jit
def count_line(game, cell, side):
    """The number of occupied squares in a straight line from a cell. The line ends at the first empty square or at the
    edge of the map sheet.

    Squares of large cities and both squares of a German castle count as occupied squares.
    """
    squares = 0
    beside = neighbour(game, cell, side)
    while game.board[beside].tile != NONE:
        squares += 1
        beside = neighbour(game, beside, side)
    return squares
