"""What the drawing needs to know of a tile, taken from the boxes: the one place where render meets the tile data."""

from __future__ import annotations

import functools
from typing import NamedTuple

from carc_env import boxes

EDGES = ("N", "E", "S", "W")
HALVES = ("Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")  # clockwise; half-edges 2k and 2k + 1 lie on edge k
BUILDINGS = ("monastery", "garden")


class Segment(NamedTuple):
    """One road, city, field or building of a tile at rotation 0."""

    kind: str
    spots: tuple[str, ...]
    pennants: int = 0
    adjoins: tuple[int, ...] = ()  # field: numbers of the segments (cities) it adjoins
    inn: bool = False
    cathedral: bool = False
    good: str | None = None  # wine, grain, cloth


@functools.cache
def tile_segments(tile: str) -> tuple[Segment, ...]:
    """The segments of a tile kind, in the order of its box."""
    return tuple(
        Segment(s.kind, tuple(s.spots), s.pennants, tuple(s.adjoins),
                getattr(s, "inn", False), getattr(s, "cathedral", False), getattr(s, "good", None))
        for s in _kind(tile).segments)


@functools.cache
def tile_symbols(tile: str) -> tuple[str, ...]:
    """What is printed on a tile as a whole: `gold`, `crop_circle`."""
    return tuple(name for name in ("gold", "crop_circle") if getattr(_kind(tile), name, None))


def turned(spot: str, rotation: int) -> str:
    """The name in board orientation of a tile's spot when the tile lies turned by `rotation` degrees."""
    return boxes.turned(spot, rotation // 90)


def segment_at(tile: str, rotation: int, kind: str, spot: str) -> int:
    """Number of the segment of this kind at a spot (board orientation) of a tile that lies turned."""
    segments = tile_segments(tile)
    numbers = [i for i, s in enumerate(segments) if s.kind == kind]
    if kind in BUILDINGS:
        return numbers[0]
    return next(i for i in numbers if any(turned(s, rotation) == spot for s in segments[i].spots))


def _kind(tile: str) -> boxes.TileKind:
    return boxes.tile_kinds()[boxes.tile_numbers()[tile]]
