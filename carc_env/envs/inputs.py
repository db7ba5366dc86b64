"""Observations as input of a network: rescaled numbers from -1 to 1, and a window of the table around the layout.

Both are functions of an observation of one or many games, and are made for one observation space. The wrappers of
`carc_env.envs.wrappers` apply them to environments.
"""

from collections.abc import Mapping
from typing import cast

import numpy as np
from gymnasium import spaces

from carc_env.boxes.layout import COLUMNS, N_SHOWN, Entry
from carc_env.common.arguments import as_count
from carc_env.common.errors import ArgumentError
from carc_env.envs.common import ObservationSpace, one_of
from carc_env.envs.window_cuts import cut_masks, cut_planes, find_corners, look_up
from carc_env.observing.spaces import Layout, window_of
from carc_env.rules.state import NONE

Arrays = Mapping[str, np.ndarray]

COUNTS = ("log", "linear")
DTYPES = ("float32", "float16")
VECTORS = ("globals", "candidates", "table")
WIDEST = 16  # a category with more numbers than that is scaled, not made into so many planes


class Rescaled(ObservationSpace):
    """The space of rescaled observations. `layout` is that of the raw observations."""


def layout_in(space: spaces.Dict) -> Layout:
    """The layout of a space of raw observations: what its numbers and actions mean. Raises ArgumentError for a space
    that has none or is rescaled.
    """
    layout = getattr(space, "layout", None)
    if isinstance(space, Rescaled) or not isinstance(layout, Layout):
        raise ArgumentError(
            "the observation space should have a `layout`, as the environments of carc_env and their "
            f"windows have; this one, a {type(space).__name__}, "
            + ("is already rescaled; rescale last" if isinstance(space, Rescaled) else "has none")
        )
    shapes = {
        "planes": (len(layout.planes), layout.rows, layout.columns),
        "globals": (len(layout.globals),),
        "table": (len(layout.table),),
    }
    for name, shape in shapes.items():
        if name in space.spaces and space[name].shape != shape:
            raise ArgumentError(
                f"this observation space has {name} of shape {space[name].shape}, but its layout {shape}: "
                "it comes from another version of carc_env"
            )
    return layout


def columns_in(space: spaces.Dict) -> dict[str, Entry]:
    """The columns of the candidates in a space of raw observations. If the space has none, the columns that are shown
    by default.
    """
    n = box_spaces(space)["candidates"].shape[1] if "candidates" in space.spaces else N_SHOWN
    return dict(list(COLUMNS.items())[:n])


# --- numbers from -1 to 1 ---------------------------------------------------------------------------------------------
class Rescale:
    """Rescales an observation to numbers from 0 to 1, or from -1 to 1 if they have a sign, by the layout of its space.

    Flags and shares stay as they are. A count or signed number x of at most h becomes log(1 + |x|) / log(1 + h) with
    the sign of x, or x / h if counts="linear". In the planes, a category becomes one plane for each of its numbers
    except 0; for 0 all these planes are 0. A category of more than `widest` numbers (tile kinds, spots) becomes x / h,
    because it needs an embedding anyway. Masks and ids stay as they are. `raw` is the inverse.

    Args:
        space: the space of the raw observations of one game.
        dtype: "float32" or "float16".
        counts: "log" or "linear".
        widest: categories with more numbers do not become planes.

    Attributes:
        space: the space of the rescaled observations.
        layout: the layout of the raw observations.
        planes: the names of the rescaled planes, such as "city_N" and "control_N=1".

    Raises:
        ArgumentError: for a space without a layout.
    """

    def __init__(self, space: spaces.Dict, dtype: str = "float32", counts: str = "log", widest: int = WIDEST):
        dtype = dtype if isinstance(dtype, str) else np.dtype(dtype).name
        one_of("dtype", dtype, DTYPES)
        one_of("counts", counts, COUNTS)
        self.dtype, self._is_log, widest = np.dtype(dtype), counts == "log", as_count(widest, "widest", 1)
        self.layout = layout_in(space)
        self._vectors = {"globals": self.layout.globals, "candidates": columns_in(space), "table": self.layout.table}
        shown = [
            (k, name, value)
            for k, (name, entry) in enumerate(self.layout.planes.items())
            for value in _values(entry, widest)
        ]
        self.planes = tuple(name if value is None else f"{name}={value}" for _, name, value in shown)
        self._source = np.array([k for k, _, _ in shown])
        self._value = np.array([0 if value is None else value for _, _, value in shown])
        self._entries = list(self.layout.planes.values())
        self._lookup = np.stack([self._row(self._entries[k], value) for k, _, value in shown])
        self._ends = {
            name: np.array([max(-entry.low, entry.high) for entry in self._vectors[name].values()], np.float64)
            for name in VECTORS
        }
        self._straight = {
            name: np.array([entry.kind in ("flag", "share") for entry in self._vectors[name].values()])
            for name in VECTORS
        }
        self.space = Rescaled({name: self._space(name, box) for name, box in box_spaces(space).items()})
        self.space.layout = self.layout

    def _row(self, entry: Entry, value: int | None) -> np.ndarray:
        """The new value for each byte of a plane, [256]."""
        numbers = np.minimum(np.arange(256), entry.high)
        if value is not None:
            flags: np.ndarray = (numbers == value).astype(self.dtype)
            return flags
        is_log = self._is_log and entry.kind == "count"
        return (np.log1p(numbers) / np.log1p(entry.high) if is_log else numbers / entry.high).astype(self.dtype)

    def _space(self, name: str, box: spaces.Box) -> spaces.Box:
        if name == "planes":
            return spaces.Box(0, 1, (len(self.planes), *box.shape[1:]), self.dtype)
        if name not in VECTORS:
            return box
        return spaces.Box(np.sign(box.low).astype(self.dtype), np.ones(box.shape, self.dtype), dtype=self.dtype)

    def __call__(self, observation: Arrays, out: dict[str, np.ndarray] | None = None) -> dict[str, np.ndarray]:
        """The rescaled observation of one game, or of n games if the arrays have an additional first axis.

        Args:
            observation: raw arrays.
            out: the result of an earlier call for as many games. Its arrays are overwritten.
        """
        found = {} if out is None else out
        for name, array in observation.items():
            if name == "planes":
                found[name] = self._planes(array, found.get(name))
            elif name in VECTORS:
                found[name] = self._vector(name, array, found.get(name))
            elif name in found:
                found[name][...] = array
            else:
                found[name] = array.copy()
        return found

    def _planes(self, planes: np.ndarray, out: np.ndarray | None) -> np.ndarray:
        if out is None:
            out = np.empty((*planes.shape[:-3], len(self.planes), *planes.shape[-2:]), self.dtype)
        cells = planes.shape[-2] * planes.shape[-1]
        words = f"u{self.dtype.itemsize}"  # numba knows no float16, and only copies
        look_up(
            planes.reshape(-1, len(self._entries), cells),
            self._source,
            self._lookup.view(words),
            out.reshape(-1, len(self.planes), cells).view(words),
        )
        return out

    def _vector(self, name: str, array: np.ndarray, out: np.ndarray | None) -> np.ndarray:
        ends = self._ends[name]
        scaled = np.sign(array) * np.log1p(np.abs(array)) / np.log1p(ends) if self._is_log else array / ends
        scaled = np.where(self._straight[name], array, scaled)
        if out is None:
            return scaled.astype(self.dtype)
        out[...] = scaled
        return out

    def raw(self, observation: Arrays) -> dict[str, np.ndarray]:
        """The raw observation from which this one was made, as exactly as its dtype allows: float32 restores all whole
        numbers.
        """
        return {
            name: self._raw_planes(array)
            if name == "planes"
            else self._raw_vector(name, array)
            if name in VECTORS
            else array.copy()
            for name, array in observation.items()
        }

    def _raw_planes(self, planes: np.ndarray) -> np.ndarray:
        out = np.zeros((*planes.shape[:-3], len(self._entries), *planes.shape[-2:]), np.uint8)
        for k, (source, value) in enumerate(zip(self._source, self._value)):
            plane = planes[..., k, :, :]
            if value:
                out[..., source, :, :][plane == 1] = value
            else:
                row = self._lookup[k, : self._entries[source].high + 1]
                out[..., source, :, :] = np.minimum(np.searchsorted(row, plane), len(row) - 1)
        return out

    def _raw_vector(self, name: str, array: np.ndarray) -> np.ndarray:
        ends, array = self._ends[name], array.astype(np.float64)
        numbers = np.sign(array) * np.expm1(np.abs(array) * np.log1p(ends)) if self._is_log else array * ends
        whole = np.array([entry.kind == "count" for entry in self._vectors[name].values()]) & (name == "globals")
        return np.where(self._straight[name], array, np.where(whole, np.round(numbers), numbers)).astype(np.float32)


def box_spaces(space: spaces.Dict) -> dict[str, spaces.Box]:
    """The parts of an observation space. All of them are boxes."""
    return cast("dict[str, spaces.Box]", space.spaces)


def _values(entry: Entry, widest: int) -> tuple[int | None, ...]:
    """The numbers of a category that get their own planes. None stands for a single plane with the number."""
    return tuple(range(1, entry.high + 1)) if entry.kind == "category" and entry.high <= widest else (None,)


# --- a window around the layout ---------------------------------------------------------------------------------------
class Window:
    """Cuts a window of `size` x `size` cells out of the planes, around the middle of the layout. Actions name its
    cells.

    There are fewer action ids, in the same order: first those of `place_tile` and then those of `choose_cell` for the
    cells of the window, row by row, and then all ids that name no cell. A legal action outside the window cannot be
    chosen. If no legal action lies in the window, the window moves to the first one, so there is always a legal action.
    If no legal action names a cell, the window contains the tile just placed. On a free table, which is a torus, the
    window can cross the seam; on a sheet it stays within the border.

    Args:
        space: the space of the raw observations of one game. It must have planes.
        size: the number of rows and columns of the window, from 3 to those of the planes.

    Attributes:
        space: the space of the window's observations. Its `layout` describes them and the numbering of actions.
        n_actions: the number of action ids.

    Raises:
        ArgumentError: for a space without planes or without a layout, and for the space of a window.
        CountError: for an impossible size.
    """

    def __init__(self, space: spaces.Dict, size: int):
        if "planes" not in space.spaces:
            raise ArgumentError("a window needs observation = 'planes' or 'both'")
        self._table = layout_in(space)
        if self._table.window:
            raise ArgumentError("a window cannot be cut out of another window")
        self.size = as_count(size, "size", 3, min(self._table.rows, self._table.columns))
        layout, given = window_of(self._table, self.size), box_spaces(space)
        planes, mask = given["planes"], given["action_mask"]
        self._by_row = mask.shape[0] != self._table.n_actions
        # ids that name cells
        self._naming = [sum(block.size for block in one.blocks if "row" in block.axes) for one in (self._table, layout)]
        names = list(layout.planes)
        self._seen = names.index("tile"), names.index("placed"), self._table.is_torus
        self.n_actions = mask.shape[0] if self._by_row else layout.n_actions
        changed: dict[str, spaces.Box] = {
            "planes": spaces.Box(
                planes.low[:, : self.size, : self.size], planes.high[:, : self.size, : self.size], dtype=planes.dtype
            ),
            "action_mask": spaces.Box(0, 1, (self.n_actions,), mask.dtype),
        }
        if "candidate_actions" in space.spaces and not self._by_row:
            changed["candidate_actions"] = spaces.Box(
                NONE, self.n_actions - 1, given["candidate_actions"].shape, np.int32
            )
        self.space = ObservationSpace({name: changed.get(name, box) for name, box in given.items()})
        self.space.layout = layout

    def corners(self, observation: Arrays) -> np.ndarray:
        """The row and column of the table at the north-west corner of each window, int64[n, 2] for n games."""
        found = np.empty((len(observation["planes"]), 2), np.int64)
        masks = np.zeros((len(found), 1), np.int8) if self._by_row else observation["action_mask"]
        find_corners(
            observation["planes"], masks, 0 if self._by_row else self._naming[0], *self._seen, self.size, found
        )
        return found

    def __call__(
        self, observation: Arrays, corners: np.ndarray, out: dict[str, np.ndarray] | None = None
    ) -> dict[str, np.ndarray]:
        """The observations of n games through windows with these corners. They are written to `out`, the result of an
        earlier call, if it is given.
        """
        n, found = len(corners), {} if out is None else out
        for name, array in observation.items():
            space = box_spaces(self.space)[name]
            given = found.setdefault(name, np.empty((n, *space.shape), space.dtype))
            if name == "planes":
                cut_planes(array, corners, given)
            elif name == "action_mask" and not self._by_row:
                cut_masks(array, corners, self._naming[0], self._table.rows, self._table.columns, self.size, given)
            elif name == "candidate_actions" and not self._by_row:
                given[:] = self.actions(array, corners[:, None])
            else:
                given[...] = array
        return found

    def ids(self, actions: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """Translate actions of windows with these corners[..., 2] to actions of the environment. NONE stands for
        invalid actions.
        """
        if self._by_row:
            return actions
        (n_ids, n_own), (rows, columns) = self._naming, (self._table.rows, self._table.columns)
        area, within = self.size**2, actions % self.size**2
        row, column = (corners[..., 0] + within // self.size) % rows, (corners[..., 1] + within % self.size) % columns
        ids = np.where(
            actions < n_own, actions // area * (rows * columns) + row * columns + column, actions - n_own + n_ids
        )
        return np.where((actions >= 0) & (actions < self.n_actions), ids, NONE)

    def actions(self, ids: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """Translate actions of the environment to actions of the window. NONE stands for cells outside, and stays
        NONE.
        """
        if self._by_row:
            return ids
        (n_ids, n_own), (rows, columns) = self._naming, (self._table.rows, self._table.columns)
        area, cell = self.size**2, ids % (rows * columns)
        row, column = (cell // columns - corners[..., 0]) % rows, (cell % columns - corners[..., 1]) % columns
        is_shown = (ids >= 0) & ((ids >= n_ids) | (row < self.size) & (column < self.size))
        actions = np.where(ids < n_ids, ids // (rows * columns) * area + row * self.size + column, ids - n_ids + n_own)
        return np.where(is_shown, actions, NONE)
