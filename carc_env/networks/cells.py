"""The cells of the planes in a layout: which cells are neighbours, across the seam of a torus or within a border."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from carc_env.observing.spaces import Layout

BESIDE = ((-1, 0), (0, 1), (1, 0), (0, -1))  # rows down and columns to the right of the neighbour on each side


def at_steps(layout: Layout, steps: Sequence[tuple[int, int]]) -> Tensor:
    """The cells so many rows down and columns to the right of each cell, int64[steps, cells].

    A cell beyond a border gets the number of cells as its index, see `with_border`.
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
    """The numbers of cells, [..., cells]. If there is a border, a 0 is appended for everything beyond it."""
    return numbers if layout.is_torus else pad(numbers, (0, 1))


def seen_from(numbers: Tensor, down: int, right: int, layout: Layout) -> Tensor:
    """What each cell sees so many rows down and columns to the right, [n, rows, columns], at most one of each; 0 beyond
    a border.
    """
    if layout.is_torus:
        return numbers.roll((-down, -right), (1, 2))
    return pad(numbers, (1, 1, 1, 1))[:, 1 + down : 1 + down + layout.rows, 1 + right : 1 + right + layout.columns]
