"""Defines the descriptions of tiles, figures and features that `Game` returns."""

from typing import NamedTuple


class Figure(NamedTuple):
    """A figure on the table."""

    figure: str  # meeple, big, abbot, builder, pig
    player: int
    feature: str  # road, city, field, monastery, garden, shrine, hut, castle, cathedral
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
    # for a road, a city, or a small city with a castle token: edges without a neighbour; for a field: half-edges
    # without a neighbour; for a building (also a German castle): empty squares around it; for a German cathedral:
    # unfinished roads that lead to it
    open: int
    pennants: int
    strength: tuple[int, ...]  # the strength of each player's followers
    # always False for a field, for a castle with a lord, and for a special monastery with a lying follower
    is_complete: bool
