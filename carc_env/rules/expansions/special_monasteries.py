"""Special monasteries: German, Dutch & Belgian and Japanese ones. A follower stands there as a monk, or lies there as
an abbot.

A monk is as in any monastery. Who lies there stays until the end (features.lies): the building is never completed.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.geometry import neighbour
from carc_env.rules.state import NONE


@jit(absent=0)
def points_lying(game, building):
    """A lying follower scores 1 for the building and 1 for each square in the four straight lines from it."""
    points = 1
    for side in range(4):
        points += count_line(game, int64(game.segments[building].cell), side)
    return points


@jit
def count_line(game, cell, side):
    """How many squares beside a cell are occupied in a straight line, up to the first gap or the edge of the sheet.

    Squares of large cities count, and both squares of a German castle.
    """
    squares = 0
    beside = neighbour(game, cell, side)
    while game.board[beside].tile != NONE:
        squares += 1
        beside = neighbour(game, beside, side)
    return squares
