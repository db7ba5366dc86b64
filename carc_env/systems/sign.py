"""Defines the classes that describe how symbols and figures look in all pictures."""

from collections.abc import Callable
from typing import NamedTuple

BUILDING, SMALL = 16.0, 9.0  # the radius of a building, and of any other sign


class Sign(NamedTuple):
    """A symbol that is printed on a tile or on one of the tile's segments."""

    draw: Callable[[], str]  # SVG around the point (0, 0); a tile is 100 wide
    letter: str = "?"  # its letter in the text board
    key: str = ""  # its explanation in the legend of the text board; empty if the legend always explains it
    room: float = SMALL
    in_middle: bool = False  # drawn in the middle of a tile where roads end
    turns: bool = False  # turns with the tile; other signs stay upright
    look: str = "sign"  # the colours of the letter, a key of render.ansi.COLOURS
    ground: Callable[[bool], str] | None = None  # SVG of a background for the whole tile, with or without fine details


class Wooden(NamedTuple):
    """How one kind of figure, such as the abbot, is drawn."""

    outline: str  # an SVG path around (0, 0): the front view, with the feet about 12 units below the middle
    letter: str  # its letter in the text board
    scale: float = 1.0  # the scale of the drawing
    mark: str = ""  # an SVG path that is drawn on the figure
