"""Contains the compiled functions of `inputs.py`. The functions rescale planes with a lookup table, and crop planes and
action masks to a window around the placed tiles.

Without a map sheet, the table is a torus: its rows and columns wrap around. A map sheet has a border, which a window
does not cross. In the common layout, however, the table of a map sheet also counts as a torus. The functions treat a
torus and a map sheet alike, except when they compute the corner of a window.
"""

from carc_env.compiling.jit import jit
from carc_env.rules.state import NONE


@jit
def look_up(planes, source, lookup, out):
    """Look up a new value for each byte of the planes, and write the new planes to `out`. The new plane k is made from
    the old plane source[k]. Each possible byte of the old plane, from 0 to 255, becomes `lookup[k, byte]` in the new
    plane. The shape of `planes` and `out` is [games, planes, cells].
    """
    for i in range(len(planes)):
        for k in range(len(source)):
            for cell in range(planes.shape[2]):
                out[i, k, cell] = lookup[k, planes[i, source[k], cell]]


@jit
def find_corners(planes, masks, n_answers, tile, placed, is_torus, size, corners):
    """Compute the north-west corner of each game's window, and write it to corners[n, 2].

    The first `n_answers` columns of masks[n, ids] belong to the actions that refer to a cell. If an action is the index
    of a candidate, `n_answers` is 0, and `masks` is not used. `tile` and `placed` are the indices of the planes with
    these names.
    """
    rows, columns = planes.shape[2], planes.shape[3]
    for i in range(len(planes)):
        corners[i, 0] = corner_around(middle_of(planes[i, tile], is_torus), rows, size, is_torus)
        corners[i, 1] = corner_around(middle_of(planes[i, tile].T, is_torus), columns, size, is_torus)
        first = NONE
        is_seen = False
        for answer in range(n_answers):
            if masks[i, answer]:
                cell = answer % (rows * columns)
                first = cell if first == NONE else first
                is_seen = is_seen or is_within(cell, corners[i], rows, columns, size)
        if first == NONE:
            first = placed_cell(planes[i, placed])
        if first != NONE and not is_seen and not is_within(first, corners[i], rows, columns, size):
            corners[i, 0] = corner_around(first // columns, rows, size, is_torus)
            corners[i, 1] = corner_around(first % columns, columns, size, is_torus)


@jit
def corner_around(middle, rows, size, is_torus):
    """Return the first row of a window around the row `middle`. `size` is the number of rows of the window, and `rows`
    is the number of rows of the table. To get the first column of the window, pass the middle column and the number of
    columns.
    """
    if is_torus:
        return (middle - size // 2) % rows
    return max(0, min(middle - size // 2, rows - size))


@jit
def middle_of(tiles, is_torus):
    """Return the middle row of the placed tiles. The array `tiles` has the shape [rows, columns], and its entries are 0
    for empty cells.
    """
    return middle_on_torus(tiles) if is_torus else middle_on_sheet(tiles)


@jit
def middle_on_torus(tiles):
    """Return the middle row of the placed tiles on a torus. The longest run of empty rows is left out, and the result
    is the middle one of the remaining rows.
    """
    rows = len(tiles)
    gap, longest, end = 0, 0, 0
    for k in range(2 * rows):
        gap = 0 if tiles[k % rows].any() else gap + 1
        if gap == rows:  # there are no tiles
            return rows // 2
        if gap > longest:
            longest, end = gap, k + 1
    return (end + (rows - longest - 1) // 2) % rows


@jit
def middle_on_sheet(tiles):
    """On a map sheet, return the row halfway between the first and the last row with tiles."""
    first, last = NONE, NONE
    for row in range(len(tiles)):
        if tiles[row].any():
            first = row if first == NONE else first
            last = row
    return len(tiles) // 2 if first == NONE else (first + last) // 2


@jit
def placed_cell(placed):
    """Return the cell of the tile just placed, or NONE if there is no such tile."""
    columns = placed.shape[1]
    for cell in range(placed.size):
        if placed[cell // columns, cell % columns]:
            return cell
    return NONE


@jit
def is_within(cell, corner, rows, columns, size):
    """True if a cell lies in the window whose north-west corner is `corner`."""
    return (cell // columns - corner[0]) % rows < size and (cell % columns - corner[1]) % columns < size


@jit
def cut_planes(planes, corners, out):
    """Copy the planes of the windows to out[n, planes, size, size]."""
    size, rows, columns = out.shape[2], planes.shape[2], planes.shape[3]
    for i in range(len(planes)):
        seam = min(size, columns - corners[i, 1])  # the number of window columns up to the last column of the table
        for plane in range(planes.shape[1]):
            for y in range(size):
                row = (corners[i, 0] + y) % rows
                for x in range(seam):
                    out[i, plane, y, x] = planes[i, plane, row, corners[i, 1] + x]
                for x in range(seam, size):
                    out[i, plane, y, x] = planes[i, plane, row, x - seam]


@jit
def cut_masks(masks, corners, n_answers, rows, columns, size, out):
    """Copy the masks of the windows from masks[n, ids] to out[n, actions]. The first `n_answers` columns of `masks`
    belong to the actions that refer to a cell.
    """
    for i in range(len(masks)):
        at = 0
        for first in range(0, n_answers, rows * columns):
            for y in range(size):
                row = (corners[i, 0] + y) % rows
                for x in range(size):
                    out[i, at] = masks[i, first + row * columns + (corners[i, 1] + x) % columns]
                    at += 1
        for rest in range(n_answers, masks.shape[1]):
            out[i, at] = masks[i, rest]
            at += 1
