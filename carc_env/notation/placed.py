"""Defines the descriptions of tiles, figures and features that `Game` returns."""

from typing import NamedTuple


class Figure(NamedTuple):
    """A figure on the table."""

    figure: str  # the type of the figure: meeple, big, abbot, builder or pig
    player: int
    feature: str  # the feature under the figure: road, city, field, monastery, garden, shrine, hut, castle or cathedral
    spot: str  # the figure's spot on the tile; the compass directions are those of the board


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
    tiles: int  # the number of tiles that the feature covers
    # for a road, a city, or a small city with a castle token: the number of edges without a neighbour; for a field: the
    # number of half-edges without a neighbour; for a building (also a German castle): the number of empty squares
    # around it; for a German cathedral: the number of unfinished roads that lead to it
    open: int
    pennants: int
    strength: tuple[int, ...]  # the strength of each player's followers
    # always False for a field, for a castle with a lord, and for a special monastery with a lying follower
    is_complete: bool
