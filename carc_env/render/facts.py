"""What the drawing needs to know of a tile, taken from the boxes."""

import functools

from carc_env import boxes
from carc_env.boxes import BUILDINGS, HALVES, SIDES, Segment

__all__ = ["BUILDINGS", "CENTRE_PIECES", "HALVES", "SIDES", "Segment", "has_centre_piece", "segment_at",
           "tile_segments", "tile_symbols", "turned"]

# Symbols of the boxes that stand for something built, at which roads may end.
CENTRE_PIECES = ("lake", "bazaar", "shrine", "special monastery", "church", "Baba Yaga's hut")


@functools.cache
def tile_segments(tile: str) -> tuple[Segment, ...]:
    """The segments of a tile kind, in the order of its box."""
    return _kind(tile).segments


@functools.cache
def tile_symbols(tile: str) -> tuple[str, ...]:
    """What is printed on a tile as a whole, such as "gold" or "lake"."""
    return _kind(tile).symbols


def has_centre_piece(tile: str) -> bool:
    """Whether a building or a lake is printed on a tile, at which roads may end."""
    built = [s.kind for s in tile_segments(tile)] + list(tile_symbols(tile))
    return any(name in ("monastery", *CENTRE_PIECES) for name in built)


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
