"""Baba Yaga's hut wants to be alone: 1 for the hut and 1 for each empty square around it (state.BUILDINGS, column
EMPTY).

So a hut that is surrounded on all sides pays 1, under every setting.
"""

from numpy import int64

from carc_env.compiling.jit import jit


@jit(absent=0)
def count_empty(game, building):
    """How many of the squares around a building are empty; on a sheet only squares that exist count."""
    square = game.board[game.segments[building].cell]
    return int64(square.around) - int64(square.neighbours)
