"""Defines the descriptions of tiles, figures and features that `Game` returns."""

from typing import NamedTuple


class Figure(NamedTuple):
    """A figure on the table."""

    figure: str  # meeple, big, abbot, builder, pig
    player: int
    feature: str  # road, city, field, monastery, garden, castle
    spot: str  # a spot of the tile, in board orientation


class Placed(NamedTuple):
    """A tile on the table."""

    tile: str
    x: int
    y: int
    rotation: int  # degrees clockwise
    ingots: int
    figures: tuple[Figure, ...]


class Feature(NamedTuple):
    """A road, city, field or building on the table."""

    kind: str
    segments: tuple[tuple[int, int, str], ...]  # (x, y, spot), sorted
    tiles: int  # the number of different tiles
    # edges (half-edges of a field) without a neighbour; empty squares around a building; open roads of a German
    # cathedral
    open: int
    pennants: int
    strength: tuple[int, ...]  # the strength of each player's followers
    is_complete: bool  # always False for a field, and for a castle that has a lord
