"""Cells of the torus, their neighbours and their coordinates."""

from math import isqrt

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit, know_by_type

_field = np.void.__getitem__  # finds a field of a record much sooner than np.record does


# --- the size of the table --------------------------------------------------------------------------------------------
def size_of(game) -> int:
    """Rows and columns of the table on which a game is played: a constant of its record's type, which compiled code
    knows.
    """
    return isqrt(len(_field(game, "board")))


know_by_type(size_of, "board", isqrt)


# --- cells ------------------------------------------------------------------------------------------------------------
DOWN, RIGHT = np.array([-1, 0, 1, 0]), np.array([0, 1, 0, -1])  # rows and columns of a step to the side N, E, S, W
# The same of the way to each cell at most two such steps away; the nearest first, and of those as near row by row.
DIAMOND = sorted(
    ((down, right) for down in range(-2, 3) for right in range(-2, 3) if abs(down) + abs(right) <= 2),
    key=lambda way: abs(way[0]) + abs(way[1]),
)
DIAMOND_DOWN, DIAMOND_RIGHT = (np.array(ways) for ways in zip(*DIAMOND))
TWO_STEPS = len(DIAMOND)
# likewise, to the nine cells around and with a cell, row by row
NINE_DOWN, NINE_RIGHT = np.repeat([-1, 0, 1], 3), np.tile([-1, 0, 1], 3)
CENTRE = 4  # which of the nine cells around and with a cell is itself


def cell_of(x: int, y: int, on_sheet: bool, size: int) -> int:
    """The cell of (x, y) on a table of this size."""
    shift = 0 if on_sheet else size // 2
    return (y + shift) % size * size + (x + shift) % size


@jit
def n_cells(game):
    """The cells of the table."""
    return size_of(game) * size_of(game)


@jit
def end_of_sheet(game):
    """The squares of a sheet are among the cells below this one: its rows are the first of the table."""
    return (int64(game.y_range[1]) + 1) * size_of(game)


@jit
def row_of(game, cell):
    """The row of the table in which a cell is. One division of unsigned numbers by a constant is what it takes."""
    return int64(np.uint32(cell) // np.uint32(size_of(game)))


@jit
def moved(game, cell, down, right):
    """The cell so many rows down and columns to the right, fewer of either than the table has."""
    size, row = size_of(game), row_of(game, cell)
    return wrapped(size, row + down) * size + wrapped(size, cell - row * size + right)


@jit
def wrapped(size, index):
    """The row or column of the torus that is meant by one that may lie beyond its edge."""
    if index < 0:
        return index + size
    return index - size if index >= size else index


@jit
def neighbour(game, cell, side):
    """The neighbour of a cell on its side N, E, S, W."""
    return moved(game, int64(cell), int64(DOWN[side]), int64(RIGHT[side]))


@jit
def nearby(game, cell, k):
    """Number k of the nine cells around and with a cell, row by row."""
    return moved(game, int64(cell), int64(NINE_DOWN[k]), int64(NINE_RIGHT[k]))


@jit
def two_steps(game, cell, k):
    """Number k of the TWO_STEPS cells at most two steps away from a cell, itself the first."""
    return moved(game, int64(cell), int64(DIAMOND_DOWN[k]), int64(DIAMOND_RIGHT[k]))


@jit
def is_near(game, cell, other):
    """Whether a cell is another one, or one of the eight around it."""
    size, row, other_row = size_of(game), row_of(game, cell), row_of(game, other)
    return is_step(size, row - other_row) and is_step(size, int64(cell) - row * size - int64(other) + other_row * size)


@jit
def is_step(size, difference):
    """Whether two rows or columns with this difference are the same, or side by side on the torus."""
    apart = abs(difference)
    return apart <= 1 or apart == size - 1


@jit
def unwrapped(size, index, low):
    """The coordinate from low - 1 up that lies in row or column `index` of the torus."""
    first = int(low) - 1
    return first + (index - size // 2 - first) % size


@jit
def x_of(game, cell):
    """The x of a cell on, or beside, the layout."""
    size = size_of(game)
    return int(cell) % size if game.systems.maps.on_sheet else unwrapped(size, int(cell) % size, game.x_range[0])


@jit
def y_of(game, cell):
    """The y of a cell on, or beside, the layout."""
    size = size_of(game)
    return int(cell) // size if game.systems.maps.on_sheet else unwrapped(size, int(cell) // size, game.y_range[0])


@jit
def is_within_span(game, cell):
    """A placement may not stretch the layout over more cells in a direction than `most_spanned`."""
    return may_reach(game, x_of(game, cell), y_of(game, cell))


@jit
def most_spanned(size):
    """How many cells of a free table a layout may span: one row or column stays empty, which lies beside both of its
    ends then.
    """
    return size - 1


@jit
def may_reach(game, x, y):
    """Whether the layout may reach to x, y."""
    return is_narrow(game, x, game.x_range) and is_narrow(game, y, game.y_range)


@jit
def is_narrow(game, place, reach):
    """Whether the layout may reach to a coordinate, from the smallest and the largest that it has on that axis; a sheet
    has all its squares.
    """
    span = max(place, int(reach[1])) - min(place, int(reach[0])) + 1
    return span <= most_spanned(size_of(game)) or game.systems.maps.on_sheet > 0


def coordinates(game: np.record, cell: int) -> tuple[int, int]:
    """(x, y) of a cell on, or beside, the layout; for people and programs, not for compiled code."""
    size = size_of(game)
    row, column = divmod(int(cell), size)
    if _field(_field(_field(game, "systems"), "maps"), "on_sheet"):
        return column, row
    first_x, first_y = int(_field(game, "x_range")[0]) - 1, int(_field(game, "y_range")[0]) - 1
    return first_x + (column - size // 2 - first_x) % size, first_y + (row - size // 2 - first_y) % size
