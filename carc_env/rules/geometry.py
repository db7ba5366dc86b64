"""Computes the neighbours and coordinates of the cells of the table. The opposite edges of the table are joined (a
torus).
"""

from math import isqrt

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit, know_by_type

_field = np.void.__getitem__  # reads a field of a record, much faster than np.record does


# --- the size of the table --------------------------------------------------------------------------------------------
def size_of(game) -> int:
    """Return the size of a game's table. The size is the number of rows of the table, and also the number of columns.
    In compiled code, the size is a constant that follows from the type of the record.
    """
    return isqrt(len(_field(game, "board")))


know_by_type(size_of, "board", isqrt)


# --- cells ------------------------------------------------------------------------------------------------------------
# the offsets of the neighbours on the sides N, E, S, W: the rows down, and the columns to the right
DOWN, RIGHT = np.array([-1, 0, 1, 0]), np.array([0, 1, 0, -1])
# The cells that can be reached by at most two steps to the north, east, south or west. Each cell is a pair: the number
# of rows down, and the number of columns to the right. The nearest cells come first. Cells at the same distance are
# ordered by row, and within a row from west to east.
DIAMOND = sorted(
    ((down, right) for down in range(-2, 3) for right in range(-2, 3) if abs(down) + abs(right) <= 2),
    key=lambda way: abs(way[0]) + abs(way[1]),
)
DIAMOND_DOWN, DIAMOND_RIGHT = (np.array(ways) for ways in zip(*DIAMOND))
TWO_STEPS = len(DIAMOND)
# the offsets of the 3 x 3 cells around a cell, row by row: the rows down, and the columns to the right
NINE_DOWN, NINE_RIGHT = np.repeat([-1, 0, 1], 3), np.tile([-1, 0, 1], 3)
CENTRE = 4  # the index of the middle cell among these nine cells


def cell_of(x: int, y: int, on_sheet: bool, size: int) -> int:
    """Return the index of the cell at the coordinates (x, y) on a table of this size."""
    shift = 0 if on_sheet else size // 2
    return (y + shift) % size * size + (x + shift) % size


@jit
def n_cells(game):
    """The number of cells of the table."""
    return size_of(game) * size_of(game)


@jit
def end_of_sheet(game):
    """Return the index of the first cell that is below the map sheet. The map sheet lies on the first rows of the
    table, so every cell of the map sheet has a smaller index. If the map sheet occupies all rows, the result is the
    number of cells.
    """
    return (int64(game.y_range[1]) + 1) * size_of(game)


@jit
def row_of(game, cell):
    """The row of a cell. With unsigned integers, the computation takes only one division by a constant."""
    return int64(np.uint32(cell) // np.uint32(size_of(game)))


@jit
def moved(game, cell, down, right):
    """The cell that lies `down` rows below and `right` columns to the right of a cell. `down` and `right` can be
    negative. The absolute values of `down` and `right` must be smaller than the size of the table.
    """
    size, row = size_of(game), row_of(game, cell)
    return wrapped(size, row + down) * size + wrapped(size, cell - row * size + right)


@jit
def wrapped(size, index):
    """Bring the index of a row or column into the range from 0 to `size - 1`. The opposite edges of the table are
    joined, so the row above row 0 is row `size - 1`. `index` can have any value from `-size` to `2 * size - 1`.
    """
    if index < 0:
        return index + size
    return index - size if index >= size else index


@jit
def neighbour(game, cell, side):
    """The neighbour of a cell on its side N, E, S or W."""
    return moved(game, int64(cell), int64(DOWN[side]), int64(RIGHT[side]))


@jit
def nearby(game, cell, k):
    """Return cell k of the block of 3 x 3 cells around a cell. The nine cells are numbered row by row, from 0. Number 4
    (CENTRE) is the given cell itself.
    """
    return moved(game, int64(cell), int64(NINE_DOWN[k]), int64(NINE_RIGHT[k]))


@jit
def two_steps(game, cell, k):
    """Return one of the cells that can be reached from a given cell by at most two steps to the north, east, south or
    west. `k` is the index of the cell in DIAMOND, and k = 0 stands for the given cell itself.
    """
    return moved(game, int64(cell), int64(DIAMOND_DOWN[k]), int64(DIAMOND_RIGHT[k]))


@jit
def is_near(game, cell, other):
    """True if two cells are equal or touch each other, even if only at a corner."""
    size, row, other_row = size_of(game), row_of(game, cell), row_of(game, other)
    return is_step(size, row - other_row) and is_step(size, int64(cell) - row * size - int64(other) + other_row * size)


@jit
def is_step(size, difference):
    """True if two rows (or two columns) are the same or adjacent. `difference` is the difference of the two indices.
    The first and the last row (or column) are adjacent, because the opposite edges of the table are joined.
    """
    apart = abs(difference)
    return apart <= 1 or apart == size - 1


@jit
def unwrapped(size, index, low):
    """Return the coordinate of the row or column with the index `index`. Coordinates that differ by a multiple of the
    table's size have the same index, because indices wrap around at the edges of the table. Of these coordinates, the
    function returns the smallest that is at least `low - 1`.
    """
    first = int(low) - 1
    return first + (index - size // 2 - first) % size


@jit
def x_of(game, cell):
    """The x coordinate of a cell that has a tile or is next to one."""
    size = size_of(game)
    return int(cell) % size if game.systems.maps.on_sheet else unwrapped(size, int(cell) % size, game.x_range[0])


@jit
def y_of(game, cell):
    """The y coordinate of a cell that has a tile or is next to one."""
    size = size_of(game)
    return int(cell) // size if game.systems.maps.on_sheet else unwrapped(size, int(cell) // size, game.y_range[0])


@jit
def is_within_span(game, cell):
    """True if the layout still spans at most `most_spanned` rows and columns after a tile is placed on this cell."""
    return may_reach(game, x_of(game, cell), y_of(game, cell))


@jit
def most_spanned(size):
    """The largest number of rows (or columns) that a layout may span on a table without a map sheet. The opposite edges
    of the table are joined. One row and one column must stay empty, so that tiles at opposite ends of the layout cannot
    touch.
    """
    return size - 1


@jit
def may_reach(game, x, y):
    """True if the layout may extend to the coordinates (x, y)."""
    return is_narrow(game, x, game.x_range) and is_narrow(game, y, game.y_range)


@jit
def is_narrow(game, place, reach):
    """True if the layout still fits on the table after a tile is placed at the x (or y) coordinate `place`. `reach`
    holds the smallest and the largest x (or y) coordinate of the tiles on the table, or of the map sheet. On a map
    sheet, the result is always True.
    """
    span = max(place, int(reach[1])) - min(place, int(reach[0])) + 1
    return span <= most_spanned(size_of(game)) or game.systems.maps.on_sheet > 0


def coordinates(game: np.record, cell: int) -> tuple[int, int]:
    """The coordinates (x, y) of a cell that has a tile or is next to one. This function is for uncompiled code."""
    x, y = _on_the_layout(game, *divmod(int(cell), size_of(game)))
    return x, y


def coordinates_of(game: np.record, cells: np.ndarray) -> list[tuple[int, int]]:
    """Return a list with the coordinates (x, y) of every cell in the array `cells`. This function is for uncompiled
    code.

    Args:
        game: the state of a game.
        cells: int64[n]. Each cell has a tile or is next to one.
    """
    x, y = _on_the_layout(game, *np.divmod(cells, size_of(game)))
    return list(zip(x.tolist(), y.tolist()))


def _on_the_layout(game, row, column):
    """Convert a row and a column to coordinates x and y. The row and the column can also be arrays."""
    if _field(_field(_field(game, "systems"), "maps"), "on_sheet"):
        return column, row
    size = size_of(game)
    first_x, first_y = int(_field(game, "x_range")[0]) - 1, int(_field(game, "y_range")[0]) - 1
    return first_x + (column - size // 2 - first_x) % size, first_y + (row - size // 2 - first_y) % size
