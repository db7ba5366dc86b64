"""Finds the neighbours of cells in the planes of a layout. If the planes wrap around (a torus), cells at opposite edges
of the planes are neighbours.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from carc_env.observing.spaces import Layout

BESIDE = ((-1, 0), (0, 1), (1, 0), (0, -1))  # for each side: the neighbour's offset (rows down, columns to the right)


def at_steps(layout: Layout, steps: Sequence[tuple[int, int]]) -> Tensor:
    """Return the indices of neighbouring cells, as an array [steps, cells]. `steps` contains offsets, which are pairs
    (rows down, columns to the right). The entry [i, c] is the index of the cell that lies at the offset `steps[i]` from
    cell c.

    Every cell beyond the border has the index `rows * columns`, which is one more than the highest index of a real
    cell. See `with_border`.
    """
    row, column = np.divmod(np.arange(layout.rows * layout.columns), layout.columns)
    found = []
    for down, right in steps:
        there, across = row + down, column + right
        is_inside = (there >= 0) & (there < layout.rows) & (across >= 0) & (across < layout.columns)
        cell = there % layout.rows * layout.columns + across % layout.columns
        found.append(cell if layout.is_torus else np.where(is_inside, cell, layout.rows * layout.columns))
    return torch.as_tensor(np.stack(found))


def with_border(numbers: Tensor, layout: Layout) -> Tensor:
    """Append a 0 to the last axis of an array of the shape [..., cells], which has a value for each cell. For every
    cell beyond the border, the function `at_steps` returns the index of this 0. All cells beyond the border therefore
    have the value 0. On a torus, nothing is appended, because there is no border.
    """
    return numbers if layout.is_torus else pad(numbers, (0, 1))


def seen_from(numbers: Tensor, down: int, right: int, layout: Layout) -> Tensor:
    """Shift an array of the shape [n, rows, columns]. The array has a value for each cell. Each cell receives the value
    of the cell that lies `down` rows below it and `right` columns to its right. If that cell lies beyond the border,
    the value is 0. `down` and `right` are each -1, 0 or 1.
    """
    if layout.is_torus:
        return numbers.roll((-down, -right), (1, 2))
    return pad(numbers, (1, 1, 1, 1))[:, 1 + down : 1 + down + layout.rows, 1 + right : 1 + right + layout.columns]
