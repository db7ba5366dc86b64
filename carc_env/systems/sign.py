"""Defines the classes that describe how symbols and figures look in all pictures."""

from collections.abc import Callable
from typing import NamedTuple

BUILDING, SMALL = 16.0, 9.0  # the radius of the symbol of a building, and of any other symbol


class Sign(NamedTuple):
    """A symbol that is printed on a tile or on one of the tile's segments."""

    draw: Callable[[], str]  # returns SVG around the point (0, 0); a tile is 100 units wide
    letter: str = "?"  # the letter for the symbol in the text board
    key: str = ""  # the explanation for the legend of the text board; empty if the constant ansi.KEY contains it
    room: float = SMALL
    in_middle: bool = False  # True if the symbol lies in the middle of the tile when a road ends on the tile
    turns: bool = False  # True if the symbol turns with the tile; other symbols stay upright
    look: str = "sign"  # the colours of the letter, as a key of render.ansi.COLOURS
    ground: Callable[[bool], str] | None = None  # ground(fine) returns the SVG background of the whole tile


class Wooden(NamedTuple):
    """How one kind of figure, such as the abbot, is drawn."""

    outline: str  # an SVG path around (0, 0): the front view, with the feet about 12 units below the middle
    letter: str  # the letter for the figure in the text board
    scale: float = 1.0  # the scale of the drawing
    mark: str = ""  # an SVG path that is drawn on the figure
