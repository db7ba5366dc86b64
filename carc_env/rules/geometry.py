"""Cells of the torus, their neighbours and their coordinates."""

from functools import cache
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy import int64

from carc_env.jit import jit, know_by_type

_field = np.void.__getitem__  # finds a field of a record much sooner than np.record does


# --- the size of the table ------------------------------------------------------------------------------------------------
def size_of(game) -> int:
    """Rows and columns of the table on which a game is played: a constant of its record's type, which compiled code knows."""
    return isqrt(len(_field(game, "board")))


class Neighbours(NamedTuple):
    """What lies around each cell of a table, by its size."""

    beside: np.ndarray  # int16[cells, 4]: the neighbour on the side N, E, S, W
    nine: np.ndarray  # int16[cells, 9]: the cells around and with it, row by row
    two_steps: np.ndarray  # int16[cells, 13]: the cells at most two steps north, east, south or west, itself the first


LARGEST_LISTED = 40  # compiled code works out the neighbours on larger tables: their lists are longer than what a core, or a GPU, has at hand
NEAR = ((-1, 0), (0, 1), (1, 0), (0, -1))
SQUARE = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1))
DIAMOND = tuple(sorted(((row, column) for row in range(-2, 3) for column in range(-2, 3) if abs(row) + abs(column) <= 2),
                       key=lambda step: abs(step[0]) + abs(step[1])))


@cache
def neighbours(size: int) -> Neighbours:
    """The neighbours of all cells of a table of this size."""
    rows, columns = np.divmod(np.arange(size * size), size)
    found = []
    for steps in (NEAR, SQUARE, DIAMOND):
        down, right = np.array(steps).T
        found.append((rows[:, None] + down) % size * size + (columns[:, None] + right) % size)
    return Neighbours(found[0].astype(np.int16), found[1].astype(np.int16), found[2].astype(np.int16))


def beside_of(game):
    """`Neighbours.beside` of the table on which a game is played."""
    return neighbours(size_of(game)).beside


def nine_of(game):
    """`Neighbours.nine` of that table."""
    return neighbours(size_of(game)).nine


def two_steps_of(game):
    """`Neighbours.two_steps` of that table."""
    return neighbours(size_of(game)).two_steps


def _listed(neighbour_lists: np.ndarray, size: int) -> np.ndarray:
    """The lists for a table of this size, none of them if it is too large to have them at hand."""
    return neighbour_lists if size <= LARGEST_LISTED else neighbour_lists[:0]


# On a GPU each function that reads an array gets a copy of it.
know_by_type(size_of, "board", isqrt)
know_by_type(beside_of, "board", lambda cells: _listed(neighbours(isqrt(cells)).beside, isqrt(cells)))
know_by_type(nine_of, "board", lambda cells: _listed(neighbours(isqrt(cells)).nine, isqrt(cells)))
know_by_type(two_steps_of, "board", lambda cells: _listed(neighbours(isqrt(cells)).two_steps, isqrt(cells)))


# --- cells ------------------------------------------------------------------------------------------------------------------
DOWN, RIGHT = (np.array(steps) for steps in zip(*NEAR))
DIAMOND_DOWN, DIAMOND_RIGHT = (np.array(steps) for steps in zip(*DIAMOND))
TWO_STEPS = len(DIAMOND)
CENTRE = 4  # which of the nine is the cell itself


def cell_of(x: int, y: int, on_sheet: bool, size: int) -> int:
    """The cell of (x, y) on a table of this size."""
    shift = 0 if on_sheet else size // 2
    return (y + shift) % size * size + (x + shift) % size


@jit
def n_cells(game):
    """The cells of the table."""
    return size_of(game) * size_of(game)


@jit
def moved(game, cell, down, right):
    """The cell so many rows down and columns to the right, few of either."""
    size = size_of(game)
    return (cell // size + down + size) % size * size + (cell % size + right + size) % size


@jit
def neighbour(game, cell, side):
    """The neighbour of a cell on its side N, E, S, W."""
    if size_of(game) <= LARGEST_LISTED:
        return int64(beside_of(game)[cell, side])
    return moved(game, int64(cell), int64(DOWN[side]), int64(RIGHT[side]))


@jit
def nearby(game, cell, k):
    """Number k of the nine cells around and with a cell, row by row."""
    if size_of(game) <= LARGEST_LISTED:
        return int64(nine_of(game)[cell, k])
    return moved(game, int64(cell), int64(k) // 3 - 1, int64(k) % 3 - 1)


@jit
def two_steps(game, cell, k):
    """Number k of the TWO_STEPS cells at most two steps away from a cell, itself the first."""
    if size_of(game) <= LARGEST_LISTED:
        return int64(two_steps_of(game)[cell, k])
    return moved(game, int64(cell), int64(DIAMOND_DOWN[k]), int64(DIAMOND_RIGHT[k]))


@jit
def is_near(game, cell, other):
    """Whether a cell is another one, or one of the eight around it."""
    for k in range(9):
        if nearby(game, cell, k) == other:
            return True
    return False


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
    """How many cells of a free table a layout may span: one row or column stays empty, which lies beside both of its ends then."""
    return size - 1


@jit
def may_reach(game, x, y):
    """Whether the layout may reach to x, y."""
    return is_narrow(game, x, game.x_range) and is_narrow(game, y, game.y_range)


@jit
def is_narrow(game, place, reach):
    """Whether the layout may reach to a coordinate, from the smallest and the largest that it has on that axis; a sheet has all its squares."""
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
