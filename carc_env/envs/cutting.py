"""The compiled part of inputs.py: looking numbers up, and cutting windows out of the table."""

from carc_env.jit import jit
from carc_env.layout import PLANES
from carc_env.rules.answers import N_ACTIONS, PLACE_FIGURE
from carc_env.rules.state import N_CELLS, NONE, SIZE

PLACED, TILE = list(PLANES).index("placed"), list(PLANES).index("tile")
REST = N_ACTIONS - PLACE_FIGURE  # ids that name no cell


@jit
def look_up(planes, source, lookup, out):
    """Write what the bytes of the planes become: out[n, k, cells] from planes[n, :, cells], by lookup[k, 256] of plane source[k]."""
    for i in range(len(planes)):
        for k in range(len(source)):
            for cell in range(planes.shape[2]):
                out[i, k, cell] = lookup[k, planes[i, source[k], cell]]


@jit
def find_corners(planes, masks, size, corners):
    """Write where the windows of n games begin, corners[n, 2]; masks[n, 1] say nothing of the answers."""
    for i in range(len(planes)):
        corners[i, 0] = (middle_of(planes[i, TILE]) - size // 2) % SIZE
        corners[i, 1] = (middle_of(planes[i, TILE].T) - size // 2) % SIZE
        first = NONE
        is_seen = False
        if masks.shape[1] > 1:
            for answer in range(PLACE_FIGURE):
                if masks[i, answer]:
                    first = answer % N_CELLS if first == NONE else first
                    is_seen = is_seen or is_within(answer % N_CELLS, corners[i], size)
        if first == NONE:
            first = placed_cell(planes[i, PLACED])
        if first != NONE and not is_seen and not is_within(first, corners[i], size):
            corners[i, 0] = (first // SIZE - size // 2) % SIZE
            corners[i, 1] = (first % SIZE - size // 2) % SIZE


@jit
def middle_of(tiles):
    """The middle row of the layout on the torus: opposite the middle of the widest gap; tiles[SIZE, SIZE] are 0 where none lies."""
    gap, longest, end = 0, 0, 0
    for k in range(2 * SIZE):
        gap = 0 if tiles[k % SIZE].any() else gap + 1
        if gap == SIZE:  # none lies anywhere
            return SIZE // 2
        if gap > longest:
            longest, end = gap, k + 1
    return (end + (SIZE - longest - 1) // 2) % SIZE


@jit
def placed_cell(placed):
    """The cell of the tile just placed; NONE: there is none."""
    for cell in range(N_CELLS):
        if placed[cell // SIZE, cell % SIZE]:
            return cell
    return NONE


@jit
def is_within(cell, corner, size):
    """Whether a window with this corner shows a cell."""
    return (cell // SIZE - corner[0]) % SIZE < size and (cell % SIZE - corner[1]) % SIZE < size


@jit
def cut_planes(planes, corners, out):
    """Write what the windows show, out[n, planes, size, size]."""
    size = out.shape[2]
    for i in range(len(planes)):
        seam = min(size, SIZE - corners[i, 1])  # columns of the window before the table begins anew
        for plane in range(planes.shape[1]):
            for y in range(size):
                row = (corners[i, 0] + y) % SIZE
                for x in range(seam):
                    out[i, plane, y, x] = planes[i, plane, row, corners[i, 1] + x]
                for x in range(seam, size):
                    out[i, plane, y, x] = planes[i, plane, row, x - seam]


@jit
def cut_masks(masks, corners, size, out):
    """Write the masks of the windows, out[n, 8 * size * size + REST], from masks[n, N_ACTIONS]."""
    for i in range(len(masks)):
        at = 0
        for first in range(0, PLACE_FIGURE, N_CELLS):
            for y in range(size):
                row = (corners[i, 0] + y) % SIZE
                for x in range(size):
                    out[i, at] = masks[i, first + row * SIZE + (corners[i, 1] + x) % SIZE]
                    at += 1
        for rest in range(REST):
            out[i, at + rest] = masks[i, PLACE_FIGURE + rest]
