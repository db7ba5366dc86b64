"""Prepares observations as the input of a network. `Rescale` scales numbers to the range from 0 to 1, or from -1 to 1
for signed numbers. `Window` cuts the planes to a square window around the placed tiles.

Construct a `Rescale` or `Window` object from an observation space. If you call the object with an observation, it
returns the changed observation. A `Window` object also needs the corners of the windows, as a second argument. The
wrappers in `carc_env.envs.wrappers` apply `Rescale` and `Window` to environments.
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
WIDEST = 16  # the maximum number of new planes for a plane of category ids; a plane with more ids is not split


class Rescaled(ObservationSpace):
    """The space of rescaled observations. The attribute `layout` describes the raw observations."""


def layout_in(space: spaces.Dict) -> Layout:
    """Return the layout of a space of raw (not rescaled) observations. The layout describes the arrays and the actions.
    Raises ArgumentError if the space has no layout or its observations are already rescaled.
    """
    if isinstance(space, Rescaled):
        raise ArgumentError("these observations are already rescaled; apply the rescaling last")
    layout = getattr(space, "layout", None)
    if not isinstance(layout, Layout):
        raise ArgumentError(
            "the observation space should have a `layout`, as in carc_env's environments and window wrappers; "
            f"this {type(space).__name__} has none"
        )
    shapes = {
        "planes": (len(layout.planes), layout.rows, layout.columns),
        "globals": (len(layout.globals),),
        "table": (len(layout.table),),
    }
    for name, shape in shapes.items():
        if name in space.spaces and space[name].shape != shape:
            raise ArgumentError(
                f"this observation space has {name} of shape {space[name].shape}, but its layout has {shape}; "
                "the space comes from another version of carc_env"
            )
    return layout


def columns_in(space: spaces.Dict) -> dict[str, Entry]:
    """Return a dict that maps the name of each column of the array `candidates` to its Entry. `space` must be a space
    of raw (not rescaled) observations. If the space has no candidates, the dict contains the default columns.
    """
    n = box_spaces(space)["candidates"].shape[1] if "candidates" in space.spaces else N_SHOWN
    return dict(list(COLUMNS.items())[:n])


# --- numbers from -1 to 1 ---------------------------------------------------------------------------------------------
class Rescale:
    """Rescales the numbers of an observation to the range from 0 to 1, or from -1 to 1 for signed numbers. The bounds
    of the numbers come from the layout of the observation space.

    Flags and fractions (values from 0 to 1) are not changed. With counts="log", a count or a signed number x keeps its
    sign, and |x| becomes log(1 + |x|) / log(1 + h). Here, h is the largest possible value of |x|. With counts="linear",
    each count or signed number is divided by its largest possible absolute value. A plane of category ids is split into
    one new plane for each category id except 0. The new plane for an id is 1 in the cells with this id, and 0 in all
    other cells. If a plane has more than `widest` category ids, not counting 0, the plane is not split, and its values
    are divided by the highest id. For a plane with many category ids, it is better to feed the raw ids to an embedding
    layer of the network. Masks and action ids are not changed. The method `raw` reverses the rescaling.

    Args:
        space: the space of the raw observations of one game.
        dtype: the dtype of the rescaled numbers, "float32" or "float16".
        counts: the scale of counts and signed numbers, "log" or "linear".
        widest: a plane with at most `widest` category ids, not counting 0, is split into one plane per category. In a
            plane with more category ids, the values are divided by the highest id.

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
        """Return the new value for each of the 256 possible byte values in a plane."""
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
        """Rescale the observation of one game or of several games. For several games, each array has an additional
        first axis.

        Args:
            observation: raw arrays.
            out: the result of an earlier call for the same number of games. The arrays in `out` are overwritten, so no
                new arrays are allocated.
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
        # `look_up` only copies the numbers. They are copied as integers, because numba has no float16.
        words = f"u{self.dtype.itemsize}"
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
        """Recover the raw observation from a rescaled observation, as exactly as the dtype allows. With the dtype
        float32, the planes and the counts in the global features are exact.
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
    """Return the Box spaces that an observation space contains, by name."""
    return cast("dict[str, spaces.Box]", space.spaces)


def _values(entry: Entry, widest: int) -> tuple[int | None, ...]:
    """If a plane is split, return the category ids of the new planes. Otherwise, return (None,)."""
    return tuple(range(1, entry.high + 1)) if entry.kind == "category" and entry.high <= widest else (None,)


# --- a window around the placed tiles ---------------------------------------------------------------------------------
class Window:
    """Crops the planes to a window of `size` x `size` cells around the middle of the placed tiles. The window has its
    own action ids. In the action ids, rows and columns are counted within the window, not on the table.

    The blocks of action ids have the same order as in the environment. The first block contains the `place_tile`
    actions for the cells of the window, row by row. The second block contains the `choose_cell` actions of these cells.
    All actions that do not refer to a cell come last. A legal action outside the window cannot be chosen. If all cells
    to which legal actions refer lie outside the window, the window moves to the first of these cells. At least one
    legal action can therefore always be chosen. If no legal action refers to a cell, the window contains the tile just
    placed. Without a map sheet, the rows and columns of the table wrap around, and the window can cross the edges of
    the planes. On a map sheet with spaces="game", the window stays within the border of the sheet. On a map sheet with
    spaces="common", the window can cross the border. In the cells beyond the border, all planes are 0 and no action is
    legal.

    Args:
        space: the space of the raw observations of one game. The observation space must contain planes.
        size: the number of rows and columns of the window. The size is at least 3, and the window must not be larger
            than the planes.

    Attributes:
        space: the observation space after cropping. The attribute `layout` of this space describes the cropped
            observations and the action ids.
        n_actions: the number of action ids.

    Raises:
        ArgumentError: if the space has no planes or no layout, or if its planes are already cropped.
        CountError: for a size out of range.
    """

    def __init__(self, space: spaces.Dict, size: int):
        if "planes" not in space.spaces:
            raise ArgumentError("a window needs planes, so the observation should be 'planes' or 'both'")
        self._table = layout_in(space)
        if self._table.window:
            raise ArgumentError("a window cannot be cut out of another window")
        self.size = as_count(size, "size", 3, min(self._table.rows, self._table.columns))
        layout, given = window_of(self._table, self.size), box_spaces(space)
        planes, mask = given["planes"], given["action_mask"]
        self._by_row = mask.shape[0] != self._table.n_actions
        # the number of action ids that refer to a cell: first on the whole table, then in the window
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
        """For each window, return the table row and table column of its north-west cell, as int64[n, 2]."""
        found = np.empty((len(observation["planes"]), 2), np.int64)
        masks = np.zeros((len(found), 1), np.int8) if self._by_row else observation["action_mask"]
        find_corners(
            observation["planes"], masks, 0 if self._by_row else self._naming[0], *self._seen, self.size, found
        )
        return found

    def __call__(
        self, observation: Arrays, corners: np.ndarray, out: dict[str, np.ndarray] | None = None
    ) -> dict[str, np.ndarray]:
        """Crop the observations of n games to windows with the given corners. If `out` is the result of an earlier
        call, its arrays are overwritten.
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
        """Convert action ids of a window to action ids of the environment. `corners` holds the row and the column of
        each window's north-west cell. Invalid ids become NONE.
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
        """Convert action ids of the environment to action ids of a window. If an action refers to a cell outside the
        window, its id becomes NONE. The value NONE stays unchanged.
        """
        if self._by_row:
            return ids
        (n_ids, n_own), (rows, columns) = self._naming, (self._table.rows, self._table.columns)
        area, cell = self.size**2, ids % (rows * columns)
        row, column = (cell // columns - corners[..., 0]) % rows, (cell % columns - corners[..., 1]) % columns
        is_shown = (ids >= 0) & ((ids >= n_ids) | (row < self.size) & (column < self.size))
        actions = np.where(ids < n_ids, ids // (rows * columns) * area + row * self.size + column, ids - n_ids + n_own)
        return np.where(is_shown, actions, NONE)
