"""Defines GameConfig, the configuration of a game. A configuration can be read from a preset or a TOML file."""

import dataclasses
import functools
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from carc_env.boxes.sheets import Sheet, SheetError, as_table, read_sheet, sheet_text
from carc_env.boxes.tiles import BOX_NAMES, EDITIONS, held_tiles, library, tile_numbers
from carc_env.common import toml
from carc_env.common.arguments import brief, check_keys, whole_number
from carc_env.common.errors import ConfigError
from carc_env.rules.state import MAX_SIZE, MAX_TILES, MIN_SIZE
from carc_env.systems import SYSTEMS

PRESETS = Path(__file__).parents[1] / "data" / "presets"


SHEET = "sheet"
# The default table size depends on the number of tiles. Each entry is (size, maximum number of tiles), where the size
# is the number of rows and the number of columns. The sizes are chosen so that at most 1 game in 10,000 needs a larger
# table; docs/table.md has the measurements.
TABLE_SIZES = ((25, 100), (31, 150), (75, MAX_TILES))


def _setting(default: object, *allowed: object, about: str | None = None, kind: type | None = None) -> Any:
    """Make a field of GameConfig.

    Args:
        default: the default value.
        allowed: the values that the field accepts. Without `allowed`, the field accepts any value of its type.
        about: the box to which the setting belongs, or SHEET if the setting concerns map sheets. In a game without this
            box (for SHEET: without a map sheet), the field must keep its default value.
        kind: the type of the field's values. If `default` is None, `kind` is required.
    """
    return field(default=default, metadata={"allowed": allowed, "about": about, "kind": kind})


TYPES: dict[Any, str] = {tuple: "a list"}  # the names of types in error messages; in TOML and JSON, tuples are lists


class _FilledIn:
    """The base class of field values that GameConfig computes itself.

    If the argument for a field is None, GameConfig computes the field's value. When `dataclasses.replace` copies a
    configuration, GameConfig computes the value again for the copy.
    """


class _Meeples(_FilledIn, int):
    pass


class _TableSize(_FilledIn, int):
    pass


class _Starts(_FilledIn, tuple[tuple[str, int, int, int], ...]):
    __slots__ = ()


@dataclass(frozen=True)
class GameConfig:
    """The players, boxes, variants and table of a game. Raises ConfigError for invalid values.

    >>> import dataclasses
    >>> dataclasses.replace(preset("goldmines"), players=3).players
    3
    """

    players: int = 2  # the number of players: 2 to 5, or 6 with Inns & Cathedrals
    boxes: tuple[str, ...] = ("base",)  # boxes whose tiles, figures and rules are all in play
    # boxes of which only the tiles are used; the special symbols on these tiles have no effect
    tiles_only: tuple[str, ...] = ()
    edition: str = _setting("C2", *EDITIONS)  # the edition of the artwork; it determines which tiles are in a box
    meeples: int | None = _setting(None, kind=int)  # normal meeples per player, at most 9; None: 7, or 9 on a map sheet
    # the map sheet: its name, the path of its TOML file, or its content as a dict; GameConfig stores the string that
    # `sheets.sheet_text` returns
    sheet: str | None = _setting(None, kind=str)
    # the start tiles as (tile, x, y, rotation in degrees); None: the tile D at 0,0 with rotation 0; on a map sheet,
    # start tiles that depend on the seed
    starts: tuple[tuple[str, int, int, int], ...] | None = _setting(None, kind=tuple)
    # the crop circle tiles in the stack; None: the six tiles of the edition
    crop_circle_tiles: tuple[str, ...] | None = _setting(None, about="crop_circles", kind=tuple)
    small_city_points: int = _setting(4, 4, 2)  # points for a completed two-tile city; 2 is the rule of old printings
    # how players share out ingots
    gold_rule: str = _setting("hig", "hig", "rgg_rounds", "rgg_single_pass", about="goldmines")
    # what an unfinished feature with an inn or cathedral scores at the end of the game: 0, or its normal points
    unfinished_inn_cathedral: str = _setting("zero", "zero", "ignore", about="inns_and_cathedrals")
    # 2: a coat of arms at the border counts as a pennant of its city; 0: it does not count
    border_city_coat_points: int = _setting(2, 2, 0, about=SHEET)
    # points that a completed road scores for each coat of arms printed beside it at the border of the map sheet
    border_road_coat_points: int = _setting(0, 0, 2, about=SHEET)
    # points for a completed building at the border. "count_tiles": 1 point for the building, and 1 for each square of
    # the sheet around it; "nine": the same points as away from the border (9, or 12 for a German castle). A hut is
    # always worth 1 point
    border_monastery: str = _setting("count_tiles", "count_tiles", "nine", about=SHEET)
    # the sides of a large city that must have no chip next to them: all sides, or only those with open edges
    chip_large_city_rule: str = _setting("any_edge", "any_edge", "open_edges_only", about="map_chips")
    # whether a player may sell wine once in the whole turn, or once in each part of a double turn
    wine_sales_per_turn_scope: str = _setting("whole_turn", "whole_turn", "turn_part", about="map_chips")
    # whether players may or must add a follower after choice A of a crop circle
    crop_add: str = _setting("may", "may", "must", about="crop_circles")
    # whether the special monasteries replace the monasteries of the base game (tiles A and B), or are added to them
    special_monasteries: str = _setting("replace", "replace", "keep", about="special_monasteries")
    # whether a lake gets a ferry only if the active player has just placed a follower on one of the lake's roads
    ferry_requires_highwayman: bool = _setting(False, False, True, about="ferries")
    # whether players may place their remaining abbeys when no other tile can be placed, or lose these abbeys
    abbey_end: str = _setting("offer_once", "offer_once", "end_with_stack", about="abbeys")
    # the number n of rows and of columns of the table; the tiles can span at most n - 1 rows and n - 1 columns. None:
    # the result of `usual_table_size`
    table_size: int = _setting(None, kind=int)

    def __post_init__(self) -> None:
        for setting in dataclasses.fields(self):
            if isinstance(getattr(self, setting.name), _FilledIn):
                object.__setattr__(self, setting.name, None)
        self._take_in_sheet()
        self._check_types()
        self._check_boxes()
        most = max(system.most_players for system in SYSTEMS if system.is_in_play(self))
        if not 2 <= self.players <= most:
            more = "".join(
                f", or up to {system.most_players} with the box {system.box}"
                for system in SYSTEMS
                if system.most_players > most
            )
            raise ConfigError(f"players = {brief(self.players)}: should be from 2 to {most}{more}")
        if self.meeples is None:
            object.__setattr__(self, "meeples", _Meeples(9 if self.sheet else 7))
        if self.meeples is None or not 1 <= self.meeples <= 9:
            raise ConfigError(f"meeples = {brief(self.meeples)}: should be from 1 to 9")
        for setting in dataclasses.fields(self):
            allowed, value = setting.metadata.get("allowed"), getattr(self, setting.name)
            if allowed and value not in allowed:
                raise ConfigError(f"{setting.name} = {brief(value)}: should be one of {', '.join(map(repr, allowed))}")
        self._check_settings()
        self._check_starts()
        self._check_table()
        for system in SYSTEMS:
            system.check(self)

    def _take_in_sheet(self) -> None:
        """Store the content of the map sheet instead of its file name, so that game records contain the whole sheet."""
        if self.sheet is not None:
            try:
                object.__setattr__(self, "sheet", sheet_text(self.sheet))
                read_sheet(self.sheet)
            except SheetError as error:
                raise ConfigError(f"sheet: {error}") from None

    def _check_types(self) -> None:
        """Convert lists to tuples, and check the types of all fields."""
        for setting in dataclasses.fields(self):
            value, kind = getattr(self, setting.name), setting.metadata.get("kind") or type(setting.default)
            if kind is tuple and isinstance(value, (list, tuple)):
                value = tuple(tuple(entry) if isinstance(entry, list) else entry for entry in value)
                object.__setattr__(self, setting.name, value)
            if type(value) is not kind and not (value is None and setting.default is None):
                raise ConfigError(
                    f"{setting.name} = {brief(value)}: should be {TYPES.get(kind) or f'of type {kind.__name__}'}"
                )

    def _check_boxes(self) -> None:
        named = self.boxes + self.tiles_only
        for name in named:
            if name not in BOX_NAMES:
                raise ConfigError(f"unknown box {brief(name)}; known boxes are {', '.join(BOX_NAMES)}")
            if named.count(name) > 1:
                raise ConfigError(f"box {brief(name)} is named twice in boxes and tiles_only")
        if not named:
            raise ConfigError("boxes: the game needs at least one box with tiles")

    def _check_settings(self) -> None:
        """Check each setting whose value is not the default value: the setting must apply to the game.

        A setting of a box applies if the box is in play. A setting that concerns map sheets applies if the game has a
        map sheet.
        """
        for setting in dataclasses.fields(self):
            value, about = getattr(self, setting.name), setting.metadata.get("about")
            if about is None or value == setting.default:
                continue
            if about == SHEET and self.sheet is None:
                raise ConfigError(
                    f"{setting.name} = {brief(value)} applies to the border of a sheet, but this game has no sheet"
                )
            if about != SHEET and about not in self.boxes:
                raise ConfigError(f"{setting.name} = {brief(value)} applies to the box {about}, which is not in boxes")

    def _check_starts(self) -> None:
        if self.starts is None:
            if self.sheet is None:
                object.__setattr__(self, "starts", _Starts((("D", 0, 0, 0),)))
            return
        if not self.starts:
            raise ConfigError("starts: at least one start tile is needed")
        for start in self.starts:
            types = tuple(map(type, start)) if isinstance(start, tuple) else None
            if types != (str, int, int, int):
                raise ConfigError(f"start {brief(start)} should be (tile, x, y, rotation)")
            if start[0] in held_tiles():
                raise ConfigError(
                    f"start {brief(start)}: such tiles are in the players' hands and cannot be start tiles"
                )
            if start[0] not in tile_numbers():
                raise ConfigError(f"start {brief(start)}: unknown tile {brief(start[0])}")
            if start[3] not in (0, 90, 180, 270):
                raise ConfigError(f"start {brief(start)}: rotation should be 0, 90, 180 or 270")

    def _check_table(self) -> None:
        """Check that the size of the table is within its limits, and large enough for the map sheet."""
        sheet = None if self.sheet is None else read_sheet(self.sheet)
        if self.table_size is None:
            object.__setattr__(self, "table_size", _TableSize(usual_table_size(tiles_of(self).total(), sheet)))
        if self.table_size is None or not MIN_SIZE <= self.table_size <= MAX_SIZE:
            raise ConfigError(
                f"table_size = {brief(self.table_size)}: should be from {MIN_SIZE} to {MAX_SIZE} rows and columns"
            )
        if sheet is not None and max(sheet.rows, sheet.columns) >= self.table_size:
            raise ConfigError(
                f"table_size = {self.table_size} is too small: the sheet {sheet.name} has "
                f"{sheet.columns} x {sheet.rows} squares, so at least "
                f"{max(sheet.rows, sheet.columns) + 1} rows and columns are needed"
            )

    @property
    def all_boxes(self) -> tuple[str, ...]:
        """The boxes whose tiles are in the stack."""
        return self.boxes + self.tiles_only

    def to_dict(self) -> dict[str, Any]:
        """Return all fields of the configuration as a dict for JSON."""
        found = {setting.name: getattr(self, setting.name) for setting in dataclasses.fields(self)}
        found["meeples"], found["table_size"] = int(self.meeples or 0), int(self.table_size)
        found["sheet"] = None if self.sheet is None else as_table(self.sheet)
        return {
            key: [list(v) if isinstance(v, tuple) else v for v in value] if isinstance(value, tuple) else value
            for key, value in found.items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "GameConfig":
        """Make a configuration from a dict of its fields. Raises ConfigError for unknown keys."""
        check_keys(data, [setting.name for setting in dataclasses.fields(cls)], "the configuration", ConfigError)
        return cls(**data)

    @classmethod
    def from_toml(cls, path: Path | str) -> "GameConfig":
        """Read a configuration from a TOML file whose keys are the fields of `GameConfig`.

        If the file gives the path of a map sheet, this path is relative to the folder of the file.
        """
        try:
            data = toml.loads(Path(path).read_text(encoding="utf-8"))
            sheet = data.get("sheet")
            if isinstance(sheet, str) and sheet.endswith(".toml"):
                data["sheet"] = str(Path(path).parent / sheet)
            return cls.from_dict(data)
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or error}") from None
        except ValueError as error:  # not a text file, not TOML, or an invalid configuration
            raise ConfigError(f"{path}: {error}") from None

    def to_toml(self) -> str:
        """The configuration as a string in TOML format."""
        import tomli_w

        return tomli_w.dumps({key: value for key, value in self.to_dict().items() if value is not None})


def tiles_of(config: GameConfig) -> Counter[str]:
    """Count the copies of each tile in the boxes of a configuration, including start tiles."""
    counts = Counter(
        {kind.id: kind.counts[config.edition] for name in config.all_boxes for kind in library()[name].kinds}
    )
    for system in SYSTEMS:
        system.stack(config, counts)
    return counts


def usual_table_size(n_tiles: int, sheet: Sheet | None = None) -> int:
    """Return the default number of rows and columns of the table for a game with `n_tiles` tiles.

    On a map sheet, the result is the smallest size in TABLE_SIZES that is large enough for the sheet. If no size in
    TABLE_SIZES is large enough, the result is the size that the sheet needs.
    """
    if sheet is None:
        return next((size for size, most in TABLE_SIZES if n_tiles <= most), TABLE_SIZES[-1][0])
    least = max(sheet.rows, sheet.columns) + 1
    return next((size for size, _ in TABLE_SIZES if least <= size), least)


ConfigSource = GameConfig | Mapping[str, Any] | os.PathLike[str] | str


@functools.cache
def presets() -> tuple[str, ...]:
    """Return the names of all presets."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))


def preset(name: str) -> GameConfig:
    """Return the configuration of the preset with this name. Raises ConfigError for an unknown name."""
    if name not in presets():
        raise ConfigError(f"unknown preset {brief(name)}; known presets are {', '.join(presets())}")
    return _preset(name)


@functools.cache
def _preset(name: str) -> GameConfig:
    return GameConfig.from_toml(PRESETS / f"{name}.toml")


def as_config(config: ConfigSource, players: int | None = None) -> GameConfig:
    """Convert a configuration in any of the accepted forms to a GameConfig. Raises ConfigError.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset. A string that ends
            in .toml is the path of a TOML file.
        players: the number of players, if it differs from the number in the configuration.

    >>> as_config({"boxes": ["base", "abbot"]}, players=3).players
    3
    """
    if isinstance(config, Mapping):
        config = GameConfig.from_dict(config)
    elif isinstance(config, os.PathLike) or isinstance(config, str) and config.endswith(".toml"):
        config = GameConfig.from_toml(Path(config))
    elif isinstance(config, str):
        config = preset(config)
    if not isinstance(config, GameConfig):
        raise ConfigError(
            "a configuration should be a GameConfig, a dict of its fields, the path of a TOML file or the name of a "
            f"preset, not {brief(config)}"
        )
    if players is None:
        return config
    number = whole_number(players)
    return dataclasses.replace(config, players=players if number is None else number)
