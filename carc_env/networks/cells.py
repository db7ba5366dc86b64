"""The neighbourhood of cells in the planes of a layout. On a torus, cells at opposite edges of the planes are
neighbours.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from carc_env.observing.spaces import Layout

BESIDE = ((-1, 0), (0, 1), (1, 0), (0, -1))  # offset (rows down, columns to the right) of the neighbour on each side


def at_steps(layout: Layout, steps: Sequence[tuple[int, int]]) -> Tensor:
    """Return the cells at the offsets `steps` (rows down, columns to the right) from each cell, int64[steps, cells].

    The index of a cell beyond the border is the number of cells, see `with_border`.
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
    """Append a 0 for all cells beyond the border to numbers of cells, [..., cells]. A torus has no border, and nothing
    is appended.
    """
    return numbers if layout.is_torus else pad(numbers, (0, 1))


def seen_from(numbers: Tensor, down: int, right: int, layout: Layout) -> Tensor:
    """Return, for each cell, the number of the cell `down` rows below and `right` columns to the right, [n, rows,
    columns]. Both offsets are -1, 0 or 1. The number is 0 beyond a border.
    """
    if layout.is_torus:
        return numbers.roll((-down, -right), (1, 2))
    return pad(numbers, (1, 1, 1, 1))[:, 1 + down : 1 + down + layout.rows, 1 + right : 1 + right + layout.columns]
