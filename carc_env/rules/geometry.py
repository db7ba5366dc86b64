"""Cells of the torus, their neighbours and their coordinates."""

import numpy as np
from numpy import int64

from carc_env.jit import jit
from carc_env.rules.state import N_CELLS, SIZE

_field = np.void.__getitem__  # finds a field of a record much sooner than np.record does


def _cell(row: int, column: int) -> int:
    return row % SIZE * SIZE + column % SIZE


# The neighbour of a cell on its side N, E, S, W, and the nine cells around and with it, row by row. Compiled code asks
# `neighbour` and `nearby`: on a GPU every function that reads a table gets a copy of it, and there is room for 64 KB.
NEIGHBOUR = np.array([[_cell(r - 1, c), _cell(r, c + 1), _cell(r + 1, c), _cell(r, c - 1)]
                      for r in range(SIZE) for c in range(SIZE)], np.int16)
NINE = np.array([[_cell(r + dr, c + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1)]
                 for r in range(SIZE) for c in range(SIZE)], np.int16)
# The cells at most two steps north, east, south or west of a cell, itself the first.
TWO_STEPS = np.array([[_cell(r + dr, c + dc) for dr, dc in sorted(
    ((dr, dc) for dr in range(-2, 3) for dc in range(-2, 3) if abs(dr) + abs(dc) <= 2), key=lambda d: abs(d[0]) + abs(d[1]))]
    for r in range(SIZE) for c in range(SIZE)])
CENTRE = 4  # which of the nine is the cell itself
assert NEIGHBOUR.shape == (N_CELLS, 4)


def cell_of(x: int, y: int, on_sheet: bool) -> int:
    """The cell of (x, y)."""
    shift = 0 if on_sheet else SIZE // 2
    return _cell(y + shift, x + shift)

@jit
def neighbour(cell, side):
    """The neighbour of a cell on its side N, E, S, W."""
    return int64(NEIGHBOUR[cell, side])


@jit
def nearby(cell, k):
    """Number k of the nine cells around and with a cell, row by row."""
    return int64(NINE[cell, k])


@jit
def is_near(cell, other):
    """Whether a cell is another one, or one of the eight around it."""
    for k in range(9):
        if nearby(cell, k) == other:
            return True
    return False


@jit
def unwrapped(index, low):
    """The coordinate from low - 1 up that lies in row or column `index` of the torus."""
    first = int(low) - 1
    return first + (index - SIZE // 2 - first) % SIZE


@jit
def x_of(game, cell):
    """The x of a cell on, or beside, the layout."""
    return int(cell) % SIZE if game.systems.maps.on_sheet else unwrapped(int(cell) % SIZE, game.x_range[0])


@jit
def y_of(game, cell):
    """The y of a cell on, or beside, the layout."""
    return int(cell) // SIZE if game.systems.maps.on_sheet else unwrapped(int(cell) // SIZE, game.y_range[0])


@jit
def is_within_span(game, cell):
    """A placement may not stretch the layout over more than SIZE - 1 cells in a direction."""
    return may_reach(game, x_of(game, cell), y_of(game, cell))


@jit
def may_reach(game, x, y):
    """Whether the layout may reach to x, y."""
    width = max(x, int(game.x_range[1])) - min(x, int(game.x_range[0])) + 1
    height = max(y, int(game.y_range[1])) - min(y, int(game.y_range[0])) + 1
    return width < SIZE and height < SIZE


def coordinates(game: np.record, cell: int) -> tuple[int, int]:
    """(x, y) of a cell on, or beside, the layout; for people and programs, not for compiled code."""
    row, column = divmod(int(cell), SIZE)
    if _field(_field(_field(game, "systems"), "maps"), "on_sheet"):
        return column, row
    first_x, first_y = int(_field(game, "x_range")[0]) - 1, int(_field(game, "y_range")[0]) - 1
    return first_x + (column - SIZE // 2 - first_x) % SIZE, first_y + (row - SIZE // 2 - first_y) % SIZE
