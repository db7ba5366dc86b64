"""Baba Yaga's hut gives 1 point, and 1 more point for each empty square around the hut. See the column EMPTY of
`state.BUILDINGS`.

A hut without empty squares around it is worth 1 point, even with the variant `border_monastery_nine`.
"""

from numpy import int64

from carc_env.compiling.jit import jit


@jit(absent=0)
def count_empty(game, building):
    """The number of empty squares around a building. On a map sheet, only squares of the sheet count."""
    square = game.board[game.segments[building].cell]
    return int64(square.around) - int64(square.neighbours)
