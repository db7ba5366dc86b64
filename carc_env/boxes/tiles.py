"""Reads and checks the files of boxes. A box contains the tiles and pieces of the base game or of one expansion. Its
file is systems/<box>/tiles.toml.

`read_box(path)` reads one box file, and `library()` reads all files of the package. `tile_table()` returns all kinds of
tiles in the form that the compiled rules use: an array that contains one `TILES` record. For an invalid box file,
`read_box` raises a `BoxError` that names the file, the tile and the reason.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.common import toml
from carc_env.common.arguments import brief, check_fields, check_keys, is_of
from carc_env.common.errors import CarcError
from carc_env.rules.state import (
    FIRST_HALF,
    FIRST_OF_SECOND,
    FIRST_PRINTED,
    MAX_KINDS,
    MAX_TILE_SEGMENTS,
    NONE,
    TILE,
    TILES,
    Figure,
    Kind,
    Terrain,
)

HOMES = Path(__file__).parents[1] / "systems"
BOX_NAMES = (
    "base",
    "goldmines",
    "inns_and_cathedrals",
    "traders_and_builders",
    "abbot",
    "crop_circles",
    "map_chips",
    "abbeys",
    "castles",
    "ferries",
    "shrines",
    "special_monasteries",
    "darmstadt",
    "baba_yaga",
    "german_cathedrals",
    "german_castles",
)
# the ids of the tiles with the highest indices in `tile_kinds()`, including the two squares of each German castle
LAST_IDS = (
    *(f"GK{number}" for number in range(1, 7)),
    "abbey",
    *(f"GC{number}{square}" for number in range(1, 7) for square in "ab"),
)
EDITIONS = ("C1", "C2")
ILLUSTRATIONS = ("cowshed", "water_tower", "highwaymen")  # small pictures on tiles; they have no effect in these rules
SIDES = ("N", "E", "S", "W")
HALVES = ("Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")
MIDDLES = ("mid", "mid2")
SPOTS = (
    SIDES
    + HALVES
    + MIDDLES
    + ("monastery", "garden", "shrine", "hut", "castle", "cathedral", "lying")
    + tuple(f"2{spot}" for spot in SIDES + HALVES)
)  # in the order of state.Spot
# -: the edge between the two squares of a German castle; all four edges of an abbey also have the letter -
TERRAINS = {"C": Terrain.CITY, "R": Terrain.ROAD, "F": Terrain.FIELD, "-": 0}
BUILDINGS = {  # the spots of each kind of building
    "monastery": ("monastery",),
    "garden": ("garden",),
    "abbey": ("monastery",),
    "shrine": ("shrine",),
    "special_monastery": ("monastery", "lying"),
    "church": ("monastery",),
    "hut": ("hut",),
    "german_castle": ("castle",),
    "german_cathedral": ("cathedral",),
}
BOX_OF_KIND = {
    "garden": "abbot",
    "abbey": "abbeys",
    "shrine": "shrines",
    "special_monastery": "special_monasteries",
    "church": "darmstadt",
    "hut": "baba_yaga",
    "german_castle": "german_castles",
    "german_cathedral": "german_cathedrals",
    "castle": "castles",
}
GOODS = ("wine", "grain", "cloth")
FIGURES = tuple(figure.name.lower() for figure in Figure)
KINDS = tuple(kind.name.lower() for kind in Kind)
# for each Kind of feature: the word for it in the notation; an abbey is called a monastery
WORDS = tuple(BUILDINGS.get(kind, (kind,))[0] for kind in KINDS)


class BoxError(CarcError):
    """An invalid box file. The error message names the file, the tile and the reason."""


@dataclass(frozen=True)
class Segment:
    """One road, city, field or building on a tile that is not rotated."""

    kind: str  # one of KINDS
    spots: tuple[str, ...]  # edges (N E S W), half-edges (Nw ...), mid, mid2; or the spot of a building
    marks: tuple[str, ...] = ()  # the marks printed on the segment, such as "inn"
    adjoins: tuple[int, ...] = ()  # for a field: the indices of the tile's city segments that the field adjoins
    beyond: tuple[str, ...] = ()  # the segment's spots on the other square of a double tile

    @property
    def pennants(self) -> int:
        """The number of pennants on the segment."""
        return sum(marks()[self.kind][mark].get("pennants", 0) for mark in self.marks)


@dataclass(frozen=True)
class TileKind:
    """One kind of tile. All sides and spots refer to the unrotated tile."""

    id: str
    box: str
    edges: str  # a letter of TERRAINS for each of the edges north, east, south and west
    counts: Mapping[str, int]  # for each edition: the number of tiles of this kind
    segments: tuple[Segment, ...]  # cities, roads, fields, and buildings
    symbols: tuple[str, ...] = ()  # the symbols printed on the whole tile
    illustrations: tuple[str, ...] = ()  # small pictures without any meaning in these rules (ILLUSTRATIONS)

    def segments_turned(self, rotation: int) -> tuple[tuple[str, ...], ...]:
        """Return the spots of each segment after the tile has been rotated by `rotation` quarter turns. The spots of a
        segment are in the order of SPOTS.
        """
        return tuple(
            tuple(sorted((turned(s, rotation) for s in segment.spots), key=SPOTS.index)) for segment in self.segments
        )

    @property
    def is_land(self) -> bool:
        """True if the tile is drawn from the stack. Abbeys and German castles are not in the stack: players hold them
        from the start.
        """
        return "-" not in self.edges

    @property
    def inner(self) -> int:
        """The edge that this square shares with the other square of its double tile. The edge is given for the
        unrotated tile. The value is NONE for a kind of tile that has only one square.
        """
        return self.edges.index("-") if self.edges.count("-") == 1 else NONE

    @property
    def name(self) -> str:
        """The id of the whole tile. The two squares of a double tile also have ids of their own."""
        return self.id if self.inner == NONE else self.id[:-1]


@dataclass(frozen=True)
class Box:
    """The content of one box."""

    name: str
    title: str
    kinds: tuple[TileKind, ...]
    tiles: Mapping[str, int]  # for each edition: the number of tiles
    figures: Mapping[str, int]  # for each kind of figure: the number of figures that each player gets
    ingots: int = 0
    start: str | None = None  # the start tile


def turned(spot: str, rotation: int) -> str:
    """Return the name that a spot has after its tile has been rotated clockwise by `rotation` quarter turns."""
    for ring in (SIDES, HALVES):
        if spot in ring:
            return ring[(ring.index(spot) + rotation * len(ring) // 4) % len(ring)]
    return spot


# --- reading ------------------------------------------------------------------------------------------------------
def read_box(path: Path | str) -> Box:
    """Read and check one box file. Raises BoxError."""
    path = Path(path)
    try:
        data = toml.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, toml.TOMLDecodeError) as error:
        raise BoxError(f"{path.name} cannot be read: {error}") from None
    try:
        return _box(data)
    except BoxError as error:
        raise BoxError(f"{path.name}: {error}") from None


def _box(data: dict[str, Any]) -> Box:
    check_fields(
        data,
        {"name": str, "title": str, "tiles": dict, "figures": dict},
        {"start": str, "ingots": int, "tile": list, "symbols": dict, "marks": dict},
        "the box",
        BoxError,
    )
    _check_meanings(data.get("symbols", {}), "symbol")
    for kind, meanings in data.get("marks", {}).items():
        if kind not in ("road", "city"):
            raise BoxError(f"marks: {brief(kind)} should be road or city")
        _check_meanings(meanings, f"mark of a {kind}")
    _check_numbers(data["tiles"], EDITIONS, "tiles")
    _check_numbers(data["figures"], FIGURES, "figures")
    kinds = tuple(_tile(entry, data["name"]) for entry in data.get("tile", []))
    ids = [kind.id for kind in kinds]
    for repeated in {i for i in ids if ids.count(i) > 1}:
        raise BoxError(f"tile {repeated} is listed twice")
    for edition in EDITIONS:
        total = sum(kind.counts[edition] for kind in kinds)
        if total != data["tiles"][edition]:
            raise BoxError(f"{edition} has {total} tiles, but the field `tiles` says {data['tiles'][edition]}")
    if data.get("start") not in (None, *ids):
        raise BoxError(f"start tile {data['start']} is not in the box")
    return Box(
        data["name"], data["title"], kinds, data["tiles"], data["figures"], data.get("ingots", 0), data.get("start")
    )


def _tile(entry: dict[str, Any], box: str) -> TileKind:
    name = entry.get("id", "?") if isinstance(entry, dict) else "?"
    try:
        check_fields(
            entry,
            {"id": str, "count": dict, "edges": str},
            {
                "cities": list,
                "roads": list,
                "fields": list,
                "monastery": bool,
                "garden": bool,
                "symbols": list,
                "illustrations": list,
            },
            "the tile",
            BoxError,
        )
        _check_numbers(entry["count"], EDITIONS, "count")
        if len(entry["edges"]) != 4 or set(entry["edges"]) - set(TERRAINS):
            raise BoxError(f"edges {brief(entry['edges'])} should be four letters, each one of C, R, F, -")
        for symbol in entry.get("symbols", []):
            if not isinstance(symbol, str) or symbol not in symbols():
                raise BoxError(f"unknown symbol {brief(symbol)}; choose from {', '.join(symbols())}")
        for illustration in entry.get("illustrations", []):
            if illustration not in ILLUSTRATIONS:
                raise BoxError(f"unknown illustration {brief(illustration)}; choose from {', '.join(ILLUSTRATIONS)}")
        segments = _segments(entry)
        _check_edges(entry["edges"], segments)
    except BoxError as error:
        raise BoxError(f"tile {name}: {error}") from None
    return TileKind(
        name,
        box,
        entry["edges"],
        entry["count"],
        segments,
        tuple(entry.get("symbols", ())),
        tuple(entry.get("illustrations", ())),
    )


def _segments(entry: dict[str, Any]) -> tuple[Segment, ...]:
    cities = [_printed("city", text) for text in entry.get("cities", [])]
    roads = [_printed("road", text) for text in entry.get("roads", [])]
    fields = [_field(text, cities) for text in entry.get("fields", [])]
    built = [kind for kind in ("monastery", "garden") if entry.get(kind)]
    built += [symbols()[symbol]["building"] for symbol in entry.get("symbols", []) if "building" in symbols()[symbol]]
    buildings = [Segment(kind, BUILDINGS[kind]) for kind in built]
    segments = cities + roads + fields + buildings
    if len(segments) > MAX_TILE_SEGMENTS:
        raise BoxError(f"{len(segments)} segments; at most {MAX_TILE_SEGMENTS} are allowed")
    return tuple(segments)


def _printed(kind: str, text: object) -> Segment:
    """Parse a string that describes a road or city. Marks such as an inn follow after a colon and are separated by
    commas.
    """
    spots, _, extra = _string(text).partition(":")
    printed = tuple(mark.strip() for mark in extra.split(",")) if extra.strip() else ()
    for mark in printed:
        if mark not in marks()[kind]:
            raise BoxError(
                f"{kind} {brief(text)}: the text after the colon should be one of {', '.join(marks()[kind])}, "
                f"not {brief(mark)}"
            )
    return Segment(kind, _spots(spots, SIDES), printed)


def _field(text: str, cities: list[Segment]) -> Segment:
    spots, _, beside = _string(text).partition("[")
    adjoins = []
    for edge in beside.rstrip("] ").split():
        owners = [number for number, city in enumerate(cities) if edge in city.spots]
        if not owners:
            raise BoxError(f"field {brief(text)} adjoins a city on edge {edge}, but the tile has no city there")
        adjoins += owners
    return Segment("field", _spots(spots, HALVES + MIDDLES), adjoins=tuple(dict.fromkeys(adjoins)))


def _spots(text: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    spots = tuple(_string(text).split())
    for spot in spots:
        if spot not in allowed:
            raise BoxError(f"{brief(text)} has the unknown spot {brief(spot)}; the known spots are {' '.join(allowed)}")
    if not spots:
        raise BoxError("a segment has no spot")
    return spots


def _string(text: object) -> str:
    if not isinstance(text, str):
        raise BoxError(f"{brief(text)} should be a string that lists spots")
    return text


# --- checking -----------------------------------------------------------------------------------------------------
def _check_meanings(meanings: object, what: str) -> None:
    """Check the definitions of symbols or marks. A definition either specifies a building or sets members of the record
    TILE. The value of a member is either a number or the name of a feature kind, such as `city`.
    """
    if not isinstance(meanings, dict):
        raise BoxError(f"{what}: {brief(meanings)} should be a table")
    for name, fields in meanings.items():
        check_keys(fields, ("building", *(TILE.names or ())), f"{what} {brief(name)}", BoxError)
        for field, value in fields.items():
            if field == "building" and value not in BUILDINGS:
                raise BoxError(
                    f"{what} {brief(name)}: building = {brief(value)} should be one of {', '.join(BUILDINGS)}"
                )
            if not is_of(value, int) and value not in KINDS:
                raise BoxError(
                    f"{what} {brief(name)}: {field} = {brief(value)} should be a number or one of {', '.join(KINDS)}"
                )


def _check_numbers(table: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    for key, value in table.items():
        if key not in names or type(value) is not int or value < 0:
            raise BoxError(
                f"{what}: {key} = {brief(value)} is invalid: the key should be one of {', '.join(names)}, "
                "and the value should be an int of 0 or more"
            )
    if names is EDITIONS and set(table) != set(EDITIONS):
        raise BoxError(f"{what}: should give the number of tiles for every edition ({', '.join(EDITIONS)})")


def _check_edges(edges: str, segments: tuple[Segment, ...]) -> None:
    """Check that the letters of a tile's edges agree with the segments at these edges. Every half-edge of a field edge
    or road edge must lie in exactly one field.
    """
    on = {spot: [s.kind for s in segments if spot in s.spots] for spot in SIDES + HALVES + MIDDLES}
    for spot, kinds in on.items():
        if len(kinds) > 1 or any(s.spots.count(spot) > 1 for s in segments):
            raise BoxError(f"spot {spot} lies in more than one segment")
    for side, letter in zip(SIDES, edges):
        if letter == "-":
            continue
        expected = {"C": ["city"], "R": ["road"], "F": []}[letter]
        if on[side] != expected:
            raise BoxError(
                f"edge {side} is {letter}, but {'no' if not on[side] else 'a ' + on[side][0]} segment is on it"
            )
        for half in (h for h in HALVES if h[0] == side):
            if bool(on[half]) == (letter == "C"):
                raise BoxError(
                    f"edge {side} is {letter}, so half-edge {half} should lie in "
                    f"{'no' if letter == 'C' else 'exactly one'} field"
                )
    for segment in segments:
        if segment.kind == "field" and set(segment.spots) & set(MIDDLES) and len(segment.spots) > 1:
            raise BoxError(
                f"field {' '.join(segment.spots)}: the spots mid and mid2 are only for a field that touches no edge"
            )


# --- the library of all boxes and the table for the rules -------------------------------------------------------------
@functools.cache
def symbols() -> dict[str, dict[str, Any]]:
    """Return a dict with the definitions of all symbols. A symbol belongs to a whole tile, not to a single road or
    city. A definition either specifies a kind of building (key `building`) or sets members of the record TILE.
    """
    return {
        symbol: _values(meaning) for data in _files().values() for symbol, meaning in data.get("symbols", {}).items()
    }


@functools.cache
def marks() -> dict[str, dict[str, dict[str, int]]]:
    """Return the definitions of all marks. A mark is printed on a road or a city; an inn is an example. The definition
    of a mark sets members of the record TILE for the marked segment.
    """
    return {
        kind: {
            mark: _values(meaning)
            for data in _files().values()
            for mark, meaning in data.get("marks", {}).get(kind, {}).items()
        }
        for kind in ("road", "city")
    }


def _values(meaning: dict[str, Any]) -> dict[str, Any]:
    return {
        field: KINDS.index(value) if isinstance(value, str) and field != "building" else value
        for field, value in meaning.items()
    }


@functools.cache
def _files() -> dict[str, dict[str, Any]]:
    return {name: toml.loads((HOMES / name / "tiles.toml").read_text(encoding="utf-8")) for name in BOX_NAMES}


@functools.cache
def library() -> dict[str, Box]:
    """Return all boxes of the package, by name."""
    return {name: _box(data) for name, data in _files().items()}


@functools.cache
def tile_kinds() -> tuple[TileKind, ...]:
    """Return all kinds of tiles of all boxes. The compiled rules identify a kind of tile by its index in the returned
    tuple. The index of a kind of tile never changes.
    """
    kinds = [kind for box in library().values() for kind in box.kinds]
    return tuple(sorted(kinds, key=lambda kind: LAST_IDS.index(kind.id) if kind.id in LAST_IDS else NONE))


@functools.cache
def printed_kinds() -> tuple[TileKind, ...]:
    """Return the 16 kinds of large-city squares, one for each combination of open edges. In the compiled rules, the
    indices of large-city squares begin at FIRST_PRINTED.
    """
    kinds = []
    for number in range(16):
        edges = "".join("C" if number >> side & 1 else "F" for side in range(4))
        spots = tuple(side for side, letter in zip(SIDES, edges) if letter == "C")
        kinds.append(TileKind(f"large city {edges}", "", edges, {}, (Segment("city", spots),)))
    return tuple(kinds)


@functools.cache
def tile_numbers() -> dict[str, int]:
    """Return a dict that maps the id of each kind of tile to the index of this kind."""
    return {kind.id: number for number, kind in enumerate(tile_kinds())}


def tile_kind(name: str) -> TileKind:
    """Return the kind of tile with this id. Each square of a German castle also has an id. Raises BoxError.

    >>> tile_kind("GM1").illustrations
    ('cowshed',)
    """
    if not isinstance(name, str) or name not in tile_numbers():
        raise BoxError(f"unknown tile {brief(name)}")
    return tile_kinds()[tile_numbers()[name]]


@functools.cache
def held_tiles() -> frozenset[str]:
    """The ids of the tiles that players hold from the start: the abbey, the German castles, and the squares of these
    castles.
    """
    return frozenset(name for kind in tile_kinds() if not kind.is_land for name in (kind.id, kind.name))


@functools.cache
def tile_table() -> np.ndarray:
    """Return all kinds of tiles in the form that the compiled rules use: a read-only array with one TILES record."""
    table = np.zeros(1, TILES)
    assert len(tile_kinds()) <= FIRST_PRINTED and FIRST_PRINTED + len(printed_kinds()) <= MAX_KINDS
    for first, kinds in ((0, tile_kinds()), (FIRST_PRINTED, printed_kinds())):
        for number, kind in enumerate(kinds, first):
            _fill(table[0]["kinds"][number], kind if kind.inner == NONE else with_both_squares(kind))
    table[0]["abbey"], table[0]["german_castle"] = tile_numbers()["abbey"], tile_numbers()["GC1a"]
    table.flags.writeable = False
    return table


def _fill(tile: np.record, kind: TileKind) -> None:
    for field in ("side_segment", "half_segment", "spot", "by_spot", "spot_segment"):
        tile[field] = NONE
    tile["rotations"] = different_rotations(kind)
    tile["n_segments"] = len(kind.segments)
    tile["crop_circle"] = tile["good"] = NONE
    for symbol in kind.symbols:
        for field, value in symbols()[symbol].items():
            if field != "building":
                tile[field] = value
    for number, segment in enumerate(kind.segments):
        tile["kind"][number] = KINDS.index(segment.kind)
        tile["open"][number] = (
            len([s for s in segment.spots + segment.beyond if s in SIDES + HALVES]) or segment.kind in BUILDINGS
        )
        for mark in segment.marks:
            for field, value in marks()[segment.kind][mark].items():
                tile[field][number] = value
        tile["adjoins"][number] = sum(1 << city for city in segment.adjoins)
    for rotation in range(4):
        tile["edges"][rotation] = sum(TERRAINS[kind.edges[(side - rotation) % 4]] << 2 * side for side in range(4))
        tile["all_edges"] |= int(tile["edges"][rotation]) << 8 * rotation
        _fill_rotation(tile, kind, rotation)


def _fill_rotation(tile: np.record, kind: TileKind, rotation: int) -> None:
    for number, (spots, names) in enumerate(zip(kind.segments_turned(rotation), names_turned(kind, rotation))):
        places = [SPOTS.index(spot) for spot in spots]
        tile["spot"][rotation, number] = min(names, default=0)  # a closed square of a large city has no spot
        for place in [*names, *places] if is_second(kind, rotation) else names:
            tile["spot_segment"][rotation, place] = number
        for place in places:
            if place < FIRST_HALF:
                tile["side_segment"][rotation, place] = number
            elif place < FIRST_HALF + 8:
                tile["half_segment"][rotation, place - FIRST_HALF] = number
    for side, segment in enumerate(tile["side_segment"][rotation]):
        others = sum(
            3 << 2 * other
            for other in range(4)
            if other != side and tile["side_segment"][rotation, other] == segment != NONE
        )
        tile["linked"][side] |= others << 8 * rotation
    order = np.argsort(tile["spot"][rotation, : len(kind.segments)], kind="stable")
    tile["by_spot"][rotation, : len(kind.segments)] = order


def different_rotations(kind: TileKind) -> int:
    """Return how many of a tile's four rotations are distinct: 1, 2 or 4. Rotations that look the same count once."""
    middles = {SPOTS.index(spot) for spot in MIDDLES}

    def picture(rotation: int) -> set[Any]:
        edges = [frozenset(names - middles) for names in names_turned(kind, rotation)]
        return {
            (s.kind, edges[number], s.marks, frozenset(edges[city] for city in s.adjoins))
            for number, s in enumerate(kind.segments)
        }

    return next(r for r in (1, 2, 4) if picture(r) == picture(0))


# --- double tiles -----------------------------------------------------------------------------------------------------
# for each spot of the western square on the edge that the two squares share: the opposite spot of the eastern square
FACING = {"E": "W", "En": "Wn", "Es": "Ws"}


def is_second(kind: TileKind, rotation: int) -> bool:
    """True if this square of a double tile is the southern or eastern square after the rotation."""
    return kind.inner != NONE and SIDES[(kind.inner + rotation) % 4] in ("N", "W")


def names_turned(kind: TileKind, rotation: int) -> list[set[int]]:
    """Return the spots of each segment on the rotated tile, as indices in SPOTS. The spots on the second square of a
    double tile have names of their own.
    """

    def numbers(spots: tuple[str, ...], second: bool) -> set[int]:
        at = (SPOTS.index(turned(spot, rotation)) for spot in spots)
        return {spot + FIRST_OF_SECOND * (second and spot < FIRST_HALF + 8) for spot in at}

    second = is_second(kind, rotation)
    return [numbers(segment.spots, second) | numbers(segment.beyond, not second) for segment in kind.segments]


# the parts of one segment of a double tile. Each part is a pair: 0 for the western square or 1 for the eastern square,
# and the segment of this square
Parts = tuple[tuple[int, Segment], ...]


@functools.cache
def joined_parts(name: str) -> tuple[Parts, ...]:
    """List the segments of a whole double tile. A segment is a tuple of its parts, and each part lies on one of the two
    squares. Parts that meet at the edge between the two squares belong to one segment.
    """
    parts = [(east, segment) for east in range(2) for segment in tile_kind(name + "ab"[east]).segments]
    whole = list(range(len(parts)))  # for each part, the first part to which it is connected
    for facing in FACING.items():
        meeting = {whole[number] for number, (east, segment) in enumerate(parts) if facing[east] in segment.spots}
        whole = [min(meeting) if first in meeting else first for first in whole]
    return tuple(
        tuple(part for part, its_first in zip(parts, whole) if its_first == first) for first in dict.fromkeys(whole)
    )


def number_on_whole(whole: Sequence[Parts], part: tuple[int, Segment]) -> int:
    """Return the index of the segment that contains `part`. `whole` lists the segments of a whole double tile, and
    `part` is a segment of one of its two squares.
    """
    return next(number for number, parts in enumerate(whole) if part in parts)


def outer_spots(parts: Parts, east: int) -> tuple[str, ...]:
    """Return the spots of a segment on one square of a double tile: the western square if `east` is 0, and the eastern
    square if `east` is 1. The result does not include spots on the edge that the two squares share.
    """
    inner = (FACING.keys(), FACING.values())[east]
    return tuple(spot for at, segment in parts if at == east for spot in segment.spots if spot not in inner)


def marks_of(parts: Parts) -> tuple[str, ...]:
    """Return the marks, such as pennants, that are printed on a segment of a double tile."""
    return tuple(mark for _, segment in parts for mark in segment.marks)


def with_both_squares(kind: TileKind) -> TileKind:
    """Take the `TileKind` of one square of a double tile, and return a copy that has the segments of the whole tile."""
    own, whole = "ab".index(kind.id[-1]), joined_parts(kind.name)

    def adjoining(east: int, segment: Segment) -> list[int]:
        square = tile_kind(kind.name + "ab"[east])
        return [number_on_whole(whole, (east, square.segments[city])) for city in segment.adjoins]

    segments = tuple(
        Segment(
            parts[0][1].kind,
            outer_spots(parts, own),
            marks_of(parts),
            tuple(dict.fromkeys(city for part in parts for city in adjoining(*part))),
            outer_spots(parts, 1 - own),
        )
        for parts in whole
    )
    return replace(kind, segments=segments)
