"""Reads and checks map sheets. A map sheet is a printed map on which a game is played. The file data/sheets/france.toml
is an example of the file format.
"""

import functools
import itertools
import os
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carc_env.boxes.tiles import SIDES
from carc_env.common import toml
from carc_env.common.arguments import brief, check_fields
from carc_env.common.errors import CarcError
from carc_env.rules.expansions.maps import STARTS_USED
from carc_env.rules.state import MAX_LARGE, MAX_SEGMENTS, MAX_SIZE, MAX_STARTS, N_CHIPS

SHEETS = Path(__file__).parents[1] / "data" / "sheets"
GRAPES = ("purple", "light_blue", "orange")
STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
MOST_COATS = 9  # the largest number of coats of arms on one square or border connection
LONGEST_TEXT = 100  # the largest number of characters in a name or a title
MOST_LISTED = 12  # the largest number of squares listed in an error message
RECONSTRUCTION = "a reconstruction, not the publisher's layout"  # the remark on a reconstructed map sheet
Square = tuple[int, int]
# a name, a TOML string of more than one line, the path of a TOML file, or a dict
SheetSource = str | os.PathLike[str] | Mapping[str, Any]


class SheetError(CarcError):
    """An invalid map sheet. The error message names the square and the reason."""


def colour_of(grape: str) -> str:
    """Return a grape colour in plain words, such as `light blue` for `light_blue`."""
    return grape.replace("_", " ")


@dataclass(frozen=True)
class LargeSquare:
    """One printed square of a large city."""

    city: str
    number: int  # the number of the large city, from 1
    square: Square
    edges: str  # one letter each for the north, east, south and west edge: C open, F closed
    pennants: int


@dataclass(frozen=True)
class Town:
    """A square with a printed town. A tile can be placed on the square of a town."""

    name: str
    square: Square
    grape: str
    start: bool  # True for a start square


@dataclass(frozen=True)
class Border:
    """A border connection: a road or city that is printed at the border of a map sheet."""

    square: Square
    edge: str  # N, E, S, W
    kind: str  # road, city
    coats: int  # number of coats of arms
    to: str


@dataclass(frozen=True)
class Sheet:
    """A printed map to play on."""

    name: str
    title: str
    reconstruction: bool
    columns: int
    rows: int
    squares: frozenset[Square]  # the squares on which tiles can be placed
    large: tuple[LargeSquare, ...]
    towns: tuple[Town, ...]
    borders: tuple[Border, ...]

    @property
    def starts(self) -> tuple[Square, ...]:
        """The start squares."""
        return tuple(town.square for town in self.towns if town.start)


def beside(square: Square, edge: str) -> Square:
    """The neighbouring square on the other side of an edge."""
    dx, dy = STEPS[edge]
    return square[0] + dx, square[1] + dy


@functools.cache
def sheets() -> tuple[str, ...]:
    """The names of the map sheets that come with the package."""
    return tuple(sorted(path.stem for path in SHEETS.glob("*.toml")))


def read_sheet(sheet: SheetSource) -> Sheet:
    """Read and check a map sheet. A map sheet can be a name, the path of a TOML file, a TOML string, or a dict with the
    keys of such a file. Raises SheetError.
    """
    return _read(sheet_text(sheet))


def sheet_text(sheet: SheetSource) -> str:
    """Return the string that stands for a map sheet in a configuration: the name of a sheet in the package, or the
    whole sheet as TOML.

    A TOML file is read again at each call, so changes to the file take effect. Raises SheetError.
    """
    if isinstance(sheet, Mapping):
        return _as_toml(dict(sheet))
    if not isinstance(sheet, (str, os.PathLike)):
        raise SheetError(f"{brief(sheet)} should be the name of a sheet, the path of a TOML file, or a dict")
    if isinstance(sheet, str) and ("\n" in sheet or sheet in sheets()):
        return sheet
    path = Path(sheet)
    if path.suffix != ".toml" or "\0" in str(path):
        raise SheetError(
            f"unknown sheet {brief(str(sheet))}; give one of {', '.join(sheets())}, or the path of a TOML file"
        )
    data = _load(path)
    try:
        return _as_toml(data)
    except SheetError as error:
        raise SheetError(f"{path.name}: {error}") from None


def _as_toml(data: dict[str, Any]) -> str:
    """Check a map sheet that is given as a dict, and return it as TOML."""
    import tomli_w

    _checked(data)
    try:
        return tomli_w.dumps(data) + "\n"
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise SheetError(f"the map sheet cannot be written as TOML: {error}") from None


def _load(path: Path) -> dict[str, Any]:
    try:
        return toml.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SheetError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # the file is not a text file, or not TOML
        raise SheetError(f"{path} is not valid TOML: {error}") from None


@functools.lru_cache(maxsize=64)
def _read(name_or_text: str) -> Sheet:
    """Read and check a map sheet from a string that `sheet_text` returned."""
    if "\n" not in name_or_text:
        return _checked(_load(SHEETS / f"{name_or_text}.toml"))
    try:
        data = toml.loads(name_or_text)
    except ValueError as error:
        raise SheetError(f"the sheet is not valid TOML: {error}") from None
    return _checked(data)


def _checked(data: dict[str, Any]) -> Sheet:
    sheet = _sheet(data)
    _check(sheet)
    return sheet


def as_table(name_or_text: str) -> str | dict[str, Any]:
    """Return a map sheet in the format of game records: the name of a sheet in the package, or the sheet as a dict."""
    return toml.loads(name_or_text) if "\n" in name_or_text else name_or_text


# --- reading ----------------------------------------------------------------------------------------------------------
def _sheet(data: dict[str, Any]) -> Sheet:
    check_fields(
        data,
        {"name": str, "title": str, "rows": list},
        {"reconstruction": bool, "town": list, "large_city": list, "border": list},
        "the sheet",
        SheetError,
    )
    for key in ("name", "title"):
        _check_text(data, key, "the sheet")
    rows = data["rows"]
    _check_rows(rows)
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter not in ".oC":
                raise SheetError(f"rows: {letter!r} at {x},{y} should be one of . o C")
    squares = frozenset((x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == "o")
    printed = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == "C"}
    if len(printed) > MAX_SEGMENTS:
        raise SheetError(
            f"rows: {len(printed)} squares have the letter C; "
            f"at most {MAX_SEGMENTS} squares of large cities are allowed"
        )
    large = tuple(part for number, city in enumerate(data.get("large_city", []), 1) for part in _large(city, number))
    _check_printed(large, printed)
    towns = tuple(_town(town) for town in data.get("town", []))
    borders = tuple(_border(border, number) for number, border in enumerate(data.get("border", []), 1))
    return Sheet(
        data["name"],
        data["title"],
        data.get("reconstruction", False),
        len(rows[0]),
        len(rows),
        squares,
        large,
        towns,
        borders,
    )


def _check_rows(rows: list[Any]) -> None:
    """Check that the rows are strings of the same length, and that the map sheet is not too large."""
    if not rows or not all(isinstance(row, str) and row for row in rows):
        raise SheetError(f"rows should be one or more strings, with one letter for each square, not {brief(rows)}")
    for y, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise SheetError(
                f"rows: row {y} has {len(row)} letters and row 0 has {len(rows[0])}; "
                "all rows should have the same length"
            )
    if max(len(rows), len(rows[0])) > MAX_SIZE - 1:
        raise SheetError(
            f"the sheet has {len(rows[0])} x {len(rows)} squares; at most {MAX_SIZE - 1} x {MAX_SIZE - 1} are allowed"
        )


def _check_printed(large: tuple[LargeSquare, ...], printed: set[Square]) -> None:
    """Check that the large cities consist of exactly the squares with the letter C, and that no square belongs to two
    cities.
    """
    owner: dict[Square, str] = {}
    for part in large:
        at = _list([part.square])
        if part.square in owner:
            raise SheetError(f"large city {part.city}: {at} already belongs to large city {owner[part.square]}")
        if part.square not in printed:
            raise SheetError(f"large city {part.city}: {at} does not have the letter C in `rows`")
        owner[part.square] = part.city
    if printed - set(owner):
        raise SheetError(f"rows: the letter C is at {_list(printed - set(owner))}, but no [[large_city]] contains it")


def _large(city: dict[str, Any], number: int) -> list[LargeSquare]:
    check_fields(city, {"name": str, "squares": list}, {}, _called("large city", city), SheetError)
    _check_text(city, "name", "a large city")
    if not city["squares"]:
        raise SheetError(f"large city {city['name']} has no squares")
    found = []
    for entry in city["squares"]:
        check_fields(
            entry, {"square": list, "edges": str, "pennants": int}, {}, f"large city {city['name']}", SheetError
        )
        if len(entry["edges"]) != 4 or set(entry["edges"]) - set("CF"):
            raise SheetError(
                f"large city {city['name']}: edges {brief(entry['edges'])} should be four letters, each C or F"
            )
        _check_few(entry["pennants"], f"large city {city['name']}: pennants")
        square = _square(entry["square"], f"large city {city['name']}")
        found.append(LargeSquare(city["name"], number, square, entry["edges"], entry["pennants"]))
    return found


def _town(town: dict[str, Any]) -> Town:
    check_fields(town, {"name": str, "square": list, "grape": str}, {"start": bool}, _called("town", town), SheetError)
    _check_text(town, "name", "a town")
    if town["grape"] not in GRAPES:
        raise SheetError(f"town {town['name']}: grape {brief(town['grape'])} should be one of {', '.join(GRAPES)}")
    return Town(town["name"], _square(town["square"], f"town {town['name']}"), town["grape"], town.get("start", False))


def _border(border: dict[str, Any], number: int) -> Border:
    where = f"border connection {number}"
    check_fields(border, {"square": list, "edge": str, "kind": str}, {"coats": int, "to": str}, where, SheetError)
    square = _square(border["square"], where)
    where = f"border connection {_list([square])}"
    if border["edge"] not in SIDES:
        raise SheetError(f"{where}: edge {brief(border['edge'])} should be one of {', '.join(SIDES)}")
    where = f"{where} {border['edge']}"
    if border["kind"] not in ("road", "city"):
        raise SheetError(f"{where}: kind {brief(border['kind'])} should be road or city")
    _check_text({"to": ""} | border, "to", where)
    _check_few(border.get("coats", 1), f"{where}: coats")
    return Border(square, border["edge"], border["kind"], border.get("coats", 1), border.get("to", ""))


def _called(what: str, entry: object) -> str:
    """Return the name of a town or a large city for an error message, such as "town Paris"."""
    name = entry.get("name") if isinstance(entry, dict) else None
    return f"{what} {name}" if isinstance(name, str) and _is_short(name) else f"a {what}"


def _is_short(text: str) -> bool:
    """True if a text is short, and contains only characters that can be printed on one line."""
    return len(text) <= LONGEST_TEXT and text.isprintable()


def _check_text(table: Mapping[str, Any], key: str, what: str) -> None:
    """Check that a name or a title can be printed on one line. The error message begins with `what`."""
    if not _is_short(table[key]):
        raise SheetError(
            f"{what}: {key} should have at most {LONGEST_TEXT} characters, all of them printable, "
            f"not {brief(table[key])}"
        )


def _check_few(number: int, what: str) -> None:
    if not 0 <= number <= MOST_COATS:
        raise SheetError(f"{what} should be from 0 to {MOST_COATS}, not {brief(number)}")


def _square(value: object, what: str) -> Square:
    if not (isinstance(value, list) and len(value) == 2 and all(type(v) is int and abs(v) < 1000 for v in value)):
        raise SheetError(f"{what}: square = {brief(value)} should be [x, y]")
    return value[0], value[1]


# --- checking ---------------------------------------------------------------------------------------------------------
def _check(sheet: Sheet) -> None:
    _check_towns(sheet)
    _check_borders(sheet)
    _check_large(sheet)
    _check_large_hang_together(sheet)
    reached = reachable(sheet)
    if reached != sheet.squares:
        raise SheetError(f"these squares cannot be reached from the start squares: {_list(sheet.squares - reached)}")


def _check_towns(sheet: Sheet) -> None:
    towns_on = Counter(town.square for town in sheet.towns)
    for town in sheet.towns:
        if town.square not in sheet.squares:
            raise SheetError(f"town {town.name}: {_list([town.square])} is not a square for tiles")
        if towns_on[town.square] > 1:
            raise SheetError(f"town {town.name}: square {_list([town.square])} has two towns")
    if not STARTS_USED <= len(sheet.starts) <= MAX_STARTS:
        raise SheetError(
            f"the sheet has {len(sheet.starts)} start squares (towns with start = true); "
            f"it needs {STARTS_USED} to {MAX_STARTS}"
        )


def _check_borders(sheet: Sheet) -> None:
    inside = sheet.squares | {part.square for part in sheet.large}
    seen = set()
    for border in sheet.borders:
        where = f"border connection {_list([border.square])} {border.edge}"
        if border.square not in sheet.squares:
            raise SheetError(f"{where} is not on a square for tiles")
        if beside(border.square, border.edge) in inside:
            raise SheetError(f"{where}: the edge does not lie at the border")
        if (border.square, border.edge) in seen:
            raise SheetError(f"{where} is listed twice")
        seen.add((border.square, border.edge))


def _check_large(sheet: Sheet) -> None:
    if len({part.number for part in sheet.large}) > MAX_LARGE:
        raise SheetError(f"the sheet has more than {MAX_LARGE} large cities")
    at = {part.square: part for part in sheet.large}
    for part in sheet.large:
        for side, edge in enumerate(SIDES):
            other = at.get(beside(part.square, edge))
            if other and other.edges[(side + 2) % 4] != part.edges[side]:
                raise SheetError(
                    f"large city {part.city}: the edges between {_list([part.square])} and "
                    f"{_list([other.square])} do not match"
                )


def _check_large_hang_together(sheet: Sheet) -> None:
    """Check that the squares of each large city are connected through open edges."""
    for parts in _cities(sheet).values():
        at = {part.square: part for part in parts}
        found, todo = set(), [parts[0].square]
        while todo:
            square = todo.pop()
            if square in at and square not in found:
                found.add(square)
                todo += [beside(square, edge) for edge, letter in zip(SIDES, at[square].edges) if letter == "C"]
        if len(found) < len(parts):
            raise SheetError(
                f"large city {parts[0].city}: the squares {_list(at)} are not connected through open edges"
            )


def _cities(sheet: Sheet) -> dict[int, list[LargeSquare]]:
    """Return a dict that maps the number of each large city to the squares of this city."""
    cities: dict[int, list[LargeSquare]] = {}
    for part in sheet.large:
        cities.setdefault(part.number, []).append(part)
    return cities


def reachable(sheet: Sheet) -> set[Square]:
    """Return all squares that can hold a tile and can be reached from the start squares. A path from square to square
    can lead across large cities.
    """
    large = {part.square: part.number for part in sheet.large}
    unseen = {number: [part.square for part in parts] for number, parts in _cities(sheet).items()}
    found, todo = set(), list(sheet.starts)
    while todo:
        square = todo.pop()
        if square in found or square not in sheet.squares and square not in large:
            continue
        found.add(square)
        todo += [beside(square, edge) for edge in SIDES]
        # the number 0 stands for no large city, because large cities are numbered from 1
        todo += unseen.pop(large.get(square, 0), [])
    return found & sheet.squares


# --- room for chips ---------------------------------------------------------------------------------------------------
def room_for_chips(sheet: Sheet, used: Iterable[Square], open_edges_only: bool) -> int:
    """Return the largest number of chips that fit on the map sheet when start tiles lie on the squares `used`.

    Two chips must not lie on neighbouring squares. The result is therefore the size of a maximum independent set in
    the graph of neighbouring squares. This graph is bipartite, like a chessboard. By König's theorem, the size of a
    maximum independent set is the number of squares minus the size of a maximum matching.
    """
    free = _free_for_chips(sheet, used, open_edges_only)
    return len(free) - _most_pairs(free)


def _free_for_chips(sheet: Sheet, used: Iterable[Square], open_edges_only: bool) -> frozenset[Square]:
    """Return the squares on which the rules allow a chip when start tiles lie on the squares `used`."""
    used = set(used)
    barred = {town.square for town in sheet.towns} | used | {beside(s, e) for s in used for e in SIDES}
    for part in sheet.large:
        barred |= {
            beside(part.square, edge) for edge, letter in zip(SIDES, part.edges) if letter == "C" or not open_edges_only
        }
    return sheet.squares - barred


def _most_pairs(squares: frozenset[Square]) -> int:
    """Return the size of a maximum matching of neighbouring squares: the largest number of pairs of neighbours such
    that each square is in at most one pair.
    """
    neighbours = {square: [other for edge in SIDES if (other := beside(square, edge)) in squares] for square in squares}
    partner: dict[Square, Square] = {}
    for square in sorted(squares):  # begin with a simple matching: pair each square with an unpaired neighbour, if any
        if square not in partner:
            for other in neighbours[square]:
                if other not in partner:
                    partner[square], partner[other] = other, square
                    break
    while _augment(neighbours, partner):
        pass
    return len(partner) // 2


def _augment(neighbours: Mapping[Square, list[Square]], partner: dict[Square, Square]) -> bool:
    """Try to make a matching of neighbouring squares larger. Return True if the matching is larger now, and False if it
    already was a maximum matching.

    The squares are coloured dark and light like a chessboard. The function searches for augmenting paths from all
    unpaired dark squares at the same time. The paths that it finds have no squares in common. `partner` maps each
    paired square to its partner, and is changed in place.
    """
    # for each dark square that the search has reached: the first square of the path to it
    origin = {square: square for square in neighbours if sum(square) % 2 and square not in partner}
    before: dict[Square, Square] = {}  # for each light square on a path: the dark square before it
    done = set()  # the first squares of the augmenting paths found so far
    todo = deque(origin)
    while todo:
        dark = todo.popleft()
        for light in neighbours[dark]:
            if origin[dark] in done:
                break
            if light in before:
                continue
            before[light] = dark
            if light in partner:
                origin[partner[light]] = origin[dark]
                todo.append(partner[light])
            else:
                done.add(origin[dark])
                _swap(light, before, partner)
    return bool(done)


def _swap(light: Square | None, before: Mapping[Square, Square], partner: dict[Square, Square]) -> None:
    """Change the pairs along an augmenting path, so that the matching has one more pair. `light` is the last square of
    the path.
    """
    while light is not None:
        dark = before[light]
        next_light = partner.get(dark)
        partner[light], partner[dark] = dark, light
        light = next_light


@functools.lru_cache(maxsize=64)
def check_room_everywhere(sheet: Sheet, open_edges_only: bool) -> None:
    """Check that all chips fit on the map sheet for every possible choice of start squares. Raises SheetError."""
    for used in itertools.combinations(sheet.starts, STARTS_USED):
        check_room(sheet, used, open_edges_only)


def check_room(sheet: Sheet, used: Iterable[Square], open_edges_only: bool) -> None:
    """Check that all chips fit on the map sheet when start tiles lie on the squares `used`. Raises SheetError."""
    free = _free_for_chips(sheet, used, open_edges_only)
    dark = sum(sum(square) % 2 for square in free)
    if max(dark, len(free) - dark) >= N_CHIPS:  # no two squares of the same colour are neighbours
        return
    room = len(free) - _most_pairs(free)
    if room < N_CHIPS:
        raise SheetError(
            f"{sheet.name}: only {room} of {N_CHIPS} chips fit if start tiles lie on "
            f"{_list(used)}; play without the box map_chips, or specify the deck, the start tiles and the chips"
        )


def _list(squares: Iterable[Square]) -> str:
    """Return the coordinates of squares as a string for an error message. If there are more than MOST_LISTED squares,
    the string lists the first MOST_LISTED squares and the number of further squares.
    """
    found = [f"{x},{y}" for x, y in sorted(squares)]
    more = len(found) - MOST_LISTED
    return " ".join(found) if more <= 0 else f"{' '.join(found[:MOST_LISTED])} and {more} more"
