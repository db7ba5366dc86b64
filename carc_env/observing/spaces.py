"""A layout defines the order of the planes, the global features, the actions, and the entries of `table` in an
environment.

Game records, notation, bots and the rules use the common numbering. The common numbering is the same in all games on
tables of the same size. The module `layout` defines the common numbering of observations, and the module `actions`
defines the common numbering of actions. By default (spaces="game"), an environment has only the planes, global features
and actions that its configuration can use. These planes, global features and actions have the same order as in the
common numbering. With spaces="common", an environment has all planes, global features and actions. A Layout translates
action ids and observations between the numbering of its environment and the common numbering.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any

import numpy as np

from carc_env.boxes.actions import Block, table
from carc_env.boxes.layout import GLOBALS, PLANES, STANDING, Entry
from carc_env.boxes.sheets import read_sheet
from carc_env.boxes.tiles import BOX_OF_KIND, FIGURES, KINDS, library, tile_kinds, tile_table
from carc_env.boxes.writing import WHERE
from carc_env.common.arguments import brief
from carc_env.common.errors import ArgumentError, DeckError
from carc_env.common.renamed import OldName
from carc_env.rules.answers import ids_of
from carc_env.rules.state import NONE, STANDS, Kind, Phase, Spot
from carc_env.setup.config import GameConfig, tiles_of
from carc_env.systems import BOX_OF_QUESTION, SYSTEMS

SPACES = ("game", "common")


@dataclass(frozen=True, eq=False)
class Layout:
    """The ordered lists of an environment's planes, global features, actions, and entries of `table`. A layout
    translates between its own action ids and the common action ids. Common action ids are the same in all games on
    tables of the same size.

    Attributes:
        spaces: "game" if the layout has only the entries that its configuration can use; "common" if the layout has the
            entries for all games on tables of the same size.
        size: the number of rows and columns of the table.
        rows, columns: the size of the planes. The planes show the table, the map sheet, or only a part of the table (a
            window).
        planes, globals, table: dicts that map each name to its Entry (meaning, kind and range).
        blocks: the blocks of actions. The action ids in a block are those of this layout, not the common ids.
        labels: a dict that maps each block's name to tuples, one for each axis of the block (such as row, column or
            spot). Each tuple translates indices from this layout to the common layout: entry i is the index in the
            common layout that corresponds to the index i in this layout. In a window, rows and columns are counted
            within the window.
        window: the number of rows and columns that a `carc_env.envs.inputs.Window` shows, or 0 without a window.
    """

    spaces: str
    config: GameConfig | None  # the configuration, or None for all games on a table of this size
    size: int
    rows: int
    columns: int
    planes: Mapping[str, Entry]
    globals: Mapping[str, Entry]
    table: Mapping[str, Entry]
    blocks: tuple[Block, ...]
    labels: Mapping[str, tuple[tuple[int, ...], ...]]
    window: int = 0

    # --- numbers ------------------------------------------------------------------------------------------------------
    @cached_property
    def plane_numbers(self) -> np.ndarray:
        """The index of each plane in the common layout, int64[n]."""
        return _numbers(self.planes, PLANES)

    @cached_property
    def global_numbers(self) -> np.ndarray:
        """The index of each global feature in the common layout, int64[n]."""
        return _numbers(self.globals, GLOBALS)

    @cached_property
    def table_numbers(self) -> np.ndarray:
        """The index of each entry of `table` in the common layout, int64[n]."""
        return _numbers(self.table, STANDING)

    @cached_property
    def action_ids(self) -> np.ndarray:
        """The common id of each action of this layout, int64[n], in ascending order. Raises ArgumentError for a layout
        of a window, because the common ids depend on the position of the window on the table.
        """
        if self.window:
            raise ArgumentError(
                "the common ids of a window's actions depend on the position of the window; "
                "use Window.ids to translate them"
            )
        starts, found = {block.name: block for block in table(self.size)}, []
        for block in self.blocks:
            common = starts[block.name]
            places = np.array(list(product(*self.labels[block.name])), np.int64).reshape(block.size, len(common.shape))
            found.append(common.start + np.ravel_multi_index(tuple(places.T), common.shape))
        return _fixed(np.concatenate(found))

    @cached_property
    def n_actions(self) -> int:
        """The number of actions."""
        return self.blocks[-1].start + self.blocks[-1].size

    @cached_property
    def _own(self) -> np.ndarray:
        """For each common action id, the action of this layout, or NONE if this layout does not have the action. The
        array ends with an additional entry, whose value is NONE. The index NONE (-1) selects the last entry of the
        array, so NONE is translated to NONE.
        """
        own = np.full(ids_of(self.size).n + 1, NONE, np.int64)
        own[self.action_ids] = np.arange(self.n_actions)
        return _fixed(own)

    @property
    def pass_action(self) -> int:
        """The id of the action `pass`, which is the highest action id of this layout."""
        return self.n_actions - 1

    @property
    def is_common(self) -> bool:
        """True if this is the common layout, which is the same for all games on tables of the same size."""
        return self.config is None

    @property
    def is_torus(self) -> bool:
        """True if the planes wrap around: the first row is adjacent to the last row, and the first column to the last
        column. Planes of a window do not wrap around, because the observation does not contain the cells outside the
        window. Planes of a map sheet do not wrap around, because there are no cells beyond the border of the sheet. The
        common layout always wraps around, because it does not depend on the map sheet.
        """
        return self.rows == self.columns == self.size  # a map sheet is always smaller than its table

    def to_common(self, actions: Any) -> Any:
        """Translate action ids of this layout to action ids of the common layout. `actions` is an int or an array.
        Invalid actions become NONE (-1). Raises ArgumentError for the layout of a window (see `action_ids`).
        """
        given = np.asarray(actions, np.int64)
        known = (given >= 0) & (given < self.n_actions)
        found = np.where(known, self.action_ids[np.where(known, given, 0)], NONE)
        return found if found.ndim else int(found)

    def from_common(self, ids: Any) -> Any:
        """Translate action ids of the common layout to action ids of this layout. `ids` is an int or an array. An id
        that is missing in this layout becomes NONE (-1). Raises ArgumentError for the layout of a window (see
        `action_ids`).
        """
        given = np.asarray(ids, np.int64)
        known = (given >= 0) & (given < len(self._own) - 1)
        found = np.where(known, self._own[np.where(known, given, NONE)], NONE)
        return found if found.ndim else int(found)

    def from_common_legal(self, ids: np.ndarray) -> np.ndarray:
        """Translate the ids of legal actions from the common layout to this layout. NONE stays NONE. This method is
        faster than `from_common`, because it does not check whether this layout contains the actions.
        """
        own: np.ndarray = self._own[ids]
        return own

    common, own = OldName("common", "to_common"), OldName("own", "from_common")
    passing = OldName("passing", "pass_action")

    # --- things without a place in the layout ------------------------------------------------------------------------
    @cached_property
    def _unseen_tiles(self) -> frozenset[str]:
        """The ids of the tiles that this layout cannot show."""
        return frozenset(kind.id for kind in tile_kinds() if f"left_{kind.id}" not in self.globals)

    def check_deck(self, deck: Any) -> None:
        """Raise DeckError if a given deck has a tile that this layout cannot show."""
        for place, tile in enumerate(deck if isinstance(deck, (list, tuple)) else ()):
            if isinstance(tile, str) and tile in self._unseen_tiles:
                raise DeckError(
                    f"deck[{place}] = {brief(tile)}: the configuration does not contain this tile, so observations "
                    "with spaces='game' cannot show it. Make the environment with spaces='common' to observe this tile"
                )

    # --- compiled code ------------------------------------------------------------------------------------------------
    @cached_property
    def where(self) -> np.ndarray:
        """A one-element array of the dtype `writing.WHERE`. The array tells compiled code the positions of all planes,
        cells, global features and actions.
        """
        found = np.zeros(1, WHERE)
        where, cells = found[0], self.rows * self.columns
        where["planes"] = NONE
        where["planes"][self.plane_numbers] = cells * np.arange(len(self.planes))
        where["n_bytes"], where["n_cells"], where["columns"] = cells * len(self.planes), cells, self.columns
        where["cells"] = NONE
        row, column = np.divmod(np.arange(self.size**2), self.size)
        inside = (row < self.rows) & (column < self.columns)
        where["cells"][: self.size**2] = np.where(inside, row * self.columns + column, NONE)
        where["globals"] = NONE
        where["globals"][self.global_numbers] = np.arange(len(self.globals))
        where["globals_before"] = np.searchsorted(self.global_numbers, np.arange(len(GLOBALS) + 1))
        where["actions"] = NONE
        where["actions"][: len(self._own) - 1] = self._own[:-1]
        return _fixed(found)

    # --- identity -----------------------------------------------------------------------------------------------------
    def __reduce__(self) -> tuple[Any, ...]:
        whole = self.config or self.size, self.spaces
        return (window_of, (layout_of(*whole), self.window)) if self.window else (layout_of, whole)

    def __copy__(self) -> "Layout":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Layout":
        return self

    def __repr__(self) -> str:
        return (
            f"<Layout spaces={self.spaces!r}: {len(self.planes)} planes of {self.rows} x "
            f"{self.columns}{' in a window' * (self.window > 0)}, {len(self.globals)} globals, "
            f"{len(self.table)} numbers of table, {self.n_actions} actions>"
        )


def layout_of(config: GameConfig | int, spaces: str = "game") -> Layout:
    """Return the layout for the observations of a configuration. Calls with equal arguments return the same Layout
    object. Raises ArgumentError for an invalid argument.

    With spaces="common", all configurations with the same table size have the same layout. The argument `config` can
    then also be an integer: the number of rows of the table.
    """
    if not isinstance(spaces, str) or spaces not in SPACES:
        raise ArgumentError(f"spaces = {brief(spaces)}: should be one of {', '.join(map(repr, SPACES))}")
    if spaces == "common":
        return _common(config if isinstance(config, int) else int(config.table_size))
    if isinstance(config, int):
        raise ArgumentError("with spaces = 'game', config should be a configuration, not the size of a table")
    return _of_game(config)


@cache
def _common(size: int) -> Layout:
    blocks = table(size)
    return Layout(
        "common",
        None,
        size,
        size,
        size,
        PLANES,
        GLOBALS,
        STANDING,
        blocks,
        {block.name: tuple(tuple(range(n)) for n in block.shape) for block in blocks},
    )


@cache
def _of_game(config: GameConfig) -> Layout:
    things, sheet, size = (
        things_of(config),
        None if config.sheet is None else read_sheet(config.sheet),
        int(config.table_size),
    )
    rows, columns = (size, size) if sheet is None else (sheet.rows, sheet.columns)
    labels, blocks, start = {}, [], 0
    for block in table(size):
        axes = _labels(block, config, rows, columns)
        if axes is not None:
            labels[block.name] = axes
            blocks.append(Block(block.name, start, tuple(map(len, axes)), block.axes))
            start += blocks[-1].size
    planes, numbers, counts = (
        {name: entry for name, entry in entries.items() if entry.is_in(things)}
        for entries in (PLANES, GLOBALS, STANDING)
    )
    return Layout("game", config, size, rows, columns, planes, numbers, counts, tuple(blocks), labels)


@cache
def window_of(layout: Layout, size: int) -> Layout:
    """Return the layout of a window, which shows only `size` rows and columns of the table."""
    blocks, labels, start = [], {}, 0
    for block in layout.blocks:
        cells = {"row": tuple(range(size)), "column": tuple(range(size))}
        labels[block.name] = tuple(
            cells.get(axis, values) for axis, values in zip(block.axes, layout.labels[block.name])
        )
        blocks.append(Block(block.name, start, tuple(map(len, labels[block.name])), block.axes))
        start += blocks[-1].size
    return replace(layout, rows=size, columns=size, blocks=tuple(blocks), labels=labels, window=size)


def things_of(config: GameConfig) -> frozenset[str]:
    """Return the names of everything that a configuration contains: boxes, players, figures, tiles, decisions, and
    elements of the map sheet. These names are used to select the entries of the observation.
    """
    found = {
        *config.boxes,
        *(f"player {player}" for player in range(config.players)),
        *(f"figure {name}" for name in figures_of(config)),
    }
    found |= {f"tile {tile}" for tile, count in tiles_of(config).items() if count}
    found |= {f"tile {start[0]}" for start in config.starts or ()}
    found |= {
        f"phase {phase.name.lower()}"
        for phase in Phase
        if phase == Phase.GAME_OVER or BOX_OF_QUESTION[phase] in ("base", *config.boxes)
    }
    if "goldmines" in config.boxes and config.gold_rule != "hig":
        found.add("ingots feature by feature")
    if config.sheet is not None:
        sheet = read_sheet(config.sheet)
        found |= {
            name
            for name, there in (
                ("sheet", True),
                ("large cities", sheet.large),
                ("borders", sheet.borders),
                ("towns", sheet.towns),
                ("coats", [border for border in sheet.borders if border.coats]),
            )
            if there
        }
    return frozenset(found)


def figures_of(config: GameConfig) -> tuple[str, ...]:
    """Return the kinds of figures that the players have in a configuration."""
    there = {"meeple"}.union(*(library()[name].figures for name in config.boxes))
    return tuple(name for name in FIGURES if name in there)


def _labels(block: Block, config: GameConfig, rows: int, columns: int) -> tuple[tuple[int, ...], ...] | None:
    """For each axis of a block, return the indices that actions can have in games of this configuration. A block of
    actions has axes such as row, column or spot. If games of this configuration have no action in this block, the
    function returns None.
    """
    whole = tuple(tuple(range(n)) for n in block.shape)
    if block.name == "place_tile":
        return (whole[0], tuple(range(rows)), tuple(range(columns)))
    if block.name == "choose_cell":
        choices = max(system.choices for system in SYSTEMS if system.is_in_play(config))
        return (tuple(range(choices)), tuple(range(rows)), tuple(range(columns))) if choices else None
    if block.name == "place_figure":
        return tuple(FIGURES.index(name) for name in figures_of(config)), spots_of(config)
    return whole if any(block.name in system.answers for system in SYSTEMS if system.is_in_play(config)) else None


@cache
def spots_of(config: GameConfig) -> tuple[int, ...]:
    """Return the spots on which a figure can be placed. The result contains the spots of all segments that figures can
    occupy on the configuration's tiles, in all rotations.
    """
    things, found, figures = things_of(config), set(), [FIGURES.index(name) for name in figures_of(config)]
    for number, kind in enumerate(tile_kinds()):
        if f"tile {kind.id}" in things or not kind.is_land and kind.box in config.boxes:
            tile = tile_table()[0]["kinds"][number]
            for segment, what in enumerate(tile["kind"][: tile["n_segments"]].tolist()):
                if STANDS[figures, what].any() and BOX_OF_KIND.get(KINDS[what], "base") in ("base", *config.boxes):
                    found |= {*tile["spot"][:, segment].tolist(), *[int(Spot.LYING)] * (what == Kind.SPECIAL_MONASTERY)}
    return tuple(sorted(found))


def _numbers(names: Mapping[str, Entry], entries: Mapping[str, Entry]) -> np.ndarray:
    """Return the index in `entries` of each name in `names`."""
    places = {name: number for number, name in enumerate(entries)}
    return _fixed(np.array([places[name] for name in names], np.int64))


def _fixed(array: np.ndarray) -> np.ndarray:
    """Make an array read-only."""
    array.flags.writeable = False
    return array
