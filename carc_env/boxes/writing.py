"""Contains compiled functions that write a player's view of a game into the arrays of an observation.

The modules `encode`, `stepping` and `carc_env.systems.*.seen` call the functions of this module. The callers refer to
planes and global features by common indices, which are the same in all games. The functions translate the common
indices to indices in the arrays of one layout. If the layout leaves out a plane or a global feature, the functions do
not write it.
"""

from typing import NamedTuple

import numpy as np

from carc_env.boxes.layout import N_GLOBALS, N_PLANES
from carc_env.compiling.jit import jit
from carc_env.rules.answers import ids_of
from carc_env.rules.state import MAX_CELLS, MAX_SIZE, NONE, record

# The positions of planes, global features and actions in the arrays of an observation; see spaces.Layout.
WHERE = record(
    ("planes", "i4", (N_PLANES,)),  # for each plane: the index of its first byte, or NONE if the plane is left out
    ("n_bytes", "i4"),  # the number of bytes of all planes together
    ("n_cells", "i4"),  # the number of cells of a plane
    ("columns", "i4"),  # the number of columns of a plane
    ("globals", "i2", (N_GLOBALS,)),  # for each global feature: its position, or NONE if it is left out
    # for each global feature: how many global features with a smaller index are in the layout
    ("globals_before", "i2", (N_GLOBALS + 1,)),
    # for each cell of the table: its position in a plane, or NONE if the cell is outside the map sheet
    ("cells", "i2", (MAX_CELLS,)),
    # for each common action id: the id of the same action in the layout, or NONE if the layout leaves the action out
    ("actions", "i4", (ids_of(MAX_SIZE).n,)),
)

# Each array of a game is stored in a record, because passing a record to a compiled function costs nothing. The length
# of each array is one more than the largest length that any layout needs. A smaller layout uses only the beginning of
# the array, and the functions do not read or write the rest.
PICTURE = record(("planes", "u1", (N_PLANES * MAX_CELLS + 1,)))
NUMBERS = record(("globals", "f4", (N_GLOBALS + 1,)))
MASK = record(("legal", "i1", (ids_of(MAX_SIZE).n + 1,)))


class Picture(NamedTuple):
    """The planes of one game."""

    bytes: np.record  # PICTURE
    where: np.record  # WHERE


class Numbers(NamedTuple):
    """The global features of one game."""

    numbers: np.record  # NUMBERS
    where: np.record  # WHERE


# --- planes -----------------------------------------------------------------------------------------------------------
@jit(inline=True)
def put(picture, plane, cell, value):
    """Write a value into one cell of a plane."""
    first = picture.where.planes[plane]
    if first != NONE:
        picture.bytes.planes[first + picture.where.cells[cell]] = value


@jit(inline=True)
def shown(picture, plane, cell):
    """Return the value in one cell of a plane, or 0 if the layout does not contain the plane."""
    first = picture.where.planes[plane]
    return int(picture.bytes.planes[first + picture.where.cells[cell]]) if first != NONE else 0


@jit
def wipe(picture, plane):
    """Set all cells of a plane to 0."""
    first = picture.where.planes[plane]
    if first != NONE:
        picture.bytes.planes[first : first + picture.where.n_cells] = 0


@jit
def wipe_all(picture):
    """Set all cells of all planes to 0."""
    picture.bytes.planes[: picture.where.n_bytes] = 0


# --- globals ----------------------------------------------------------------------------------------------------------
@jit(inline=True)
def tell(numbers, which, value):
    """Write the value of a global feature of the observation."""
    at = numbers.where.globals[which]
    if at != NONE:
        numbers.numbers.globals[at] = value


@jit(inline=True)
def tell_more(numbers, which, more):
    """Add `more` to the value of a global feature of the observation."""
    at = numbers.where.globals[which]
    if at != NONE:
        numbers.numbers.globals[at] += more


@jit
def forget(numbers, first, end):
    """Write 0 to all global features whose indices are from `first` to `end - 1`."""
    for at in range(numbers.where.globals_before[first], numbers.where.globals_before[end]):
        numbers.numbers.globals[at] = 0.0
