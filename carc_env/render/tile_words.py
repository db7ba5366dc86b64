"""Describe tiles in words. `tile_in_words` names the features and symbols of a tile. `tile_turned` names the features
of a rotated tile with their directions.
"""

from collections.abc import Iterable
from functools import cache

from carc_env.boxes.tiles import Segment
from carc_env.render.facts import spots_turned, tile_segments, tile_symbols
from carc_env.systems.where import COMPASS

COUNTS = ("no", "a", "two", "three", "four", "five", "six")
IRREGULAR = {"city": "cities", "monastery": "monasteries", "special monastery": "special monasteries"}
# special names of marks and symbols; all others are named by their id with an article. An empty name is left out
CALLED = {
    "pennant": "a pennant",
    "2 pennants": "two pennants",
    "grain": "grain",
    "cloth": "cloth",
    "wine": "wine",
    "not a semicircle": "",
    "crop circle: knights": "a crop circle for knights",
    "crop circle: farmers": "a crop circle for farmers",
    "crop circle: road": "a crop circle for highwaymen",
    "Darmstadtium": "the Darmstadtium",
}
GOLD = "gold"


@cache
def tile_in_words(tile: str) -> str:
    """Return a description of a tile by its features and symbols.

    >>> tile_in_words("GM5"), tile_in_words("S"), tile_in_words("A")
    ('a gold tile with two roads', 'a tile with a city with a pennant and a road', 'a tile with a road and a monastery')
    """
    kinds = [segment for segment in tile_segments(tile) if segment.kind != "field"]
    parts = []
    for kind in dict.fromkeys(segment.kind for segment in kinds):
        of_kind = [segment for segment in kinds if segment.kind == kind]
        some = " (one with {})" if len(of_kind) > 1 else " with {}"
        marks = marked(mark for segment in of_kind for mark in segment.marks)
        parts.append(counted(kind, len(of_kind)) + (some.format(marks) if marks else ""))
    parts += [called(symbol) for symbol in tile_symbols(tile) if symbol != GOLD]
    name = "a gold tile" if GOLD in tile_symbols(tile) else "a tile"
    return f"{name} with {listed(parts)}" if parts else f"{name} of fields alone"


@cache
def tile_turned(tile: str, rotation: int) -> str:
    """Return a description of a rotated tile, with the directions of each feature.

    >>> tile_turned("S", 90)
    'city with a pennant to the north, east and south, road to the west'
    """
    parts = [
        part_turned(segment, spots_turned(tile, rotation, segment))
        for segment in tile_segments(tile)
        if segment.kind != "field"
    ]
    gold = ["gold"] if GOLD in tile_symbols(tile) else []
    return ", ".join([*parts, *gold]) or "fields alone"


def part_turned(segment: Segment, spots: Iterable[str]) -> str:
    """Return a description of a feature: its symbols, and its edges in clockwise order from the north."""
    edges = {spot.removeprefix("2")[:1] for spot in spots if spot.removeprefix("2") in COMPASS}
    marks = marked(segment.marks)
    name = named(segment.kind) + (f" with {marks}" if marks else "")
    ways = [COMPASS[edge] for edge in COMPASS if edge in edges]
    return f"{name} to the {listed(ways)}" if ways else name


def named(kind: str) -> str:
    """Return the name of a kind of segment, such as `German castle`."""
    return kind.replace("_", " ").replace("german", "German")


def counted(kind: str, number: int) -> str:
    """Return words that tell how many features of one kind there are, such as `two cities`."""
    name = named(kind)
    return with_article(name) if number == 1 else f"{COUNTS[number]} {IRREGULAR.get(name, f'{name}s')}"


def marked(marks: Iterable[str]) -> str:
    """Return a list of symbols in words, such as `a pennant and wine`."""
    return listed([words for mark in dict.fromkeys(marks) if (words := called(mark))])


def called(mark: str) -> str:
    """Return the usual name of a symbol with its article."""
    return CALLED.get(mark, with_article(mark.replace("_", " ")))


def with_article(name: str) -> str:
    """Return a name with its article, such as `an inn` or `a road`."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def listed(parts: list[str]) -> str:
    """Return a list in words, such as `a, b and c`."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
