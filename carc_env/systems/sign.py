"""What is printed on tiles, as a system shows it in every drawing."""

from collections.abc import Callable
from typing import NamedTuple

BUILDING, SMALL = 16.0, 9.0  # the room that a building takes, and any other sign, as a radius


class Sign(NamedTuple):
    """Something printed on a tile or on one of its segments."""

    draw: Callable[[], str]  # SVG around the point (0, 0), a tile being 100 wide
    letter: str = "?"  # what stands for it in a game as text
    key: str = ""  # what is said of the letter where it lies on the table; nothing where the key says it always
    room: float = SMALL
    in_middle: bool = False  # stands in the middle of a tile where roads end there
    turns: bool = False  # turns with the tile; all else stays upright
    look: str = "sign"  # the colours of the letter, a key of render.ansi.COLOURS
    ground: Callable[[bool], str] | None = None  # SVG of the whole tile below it, with fine details or without


class Wooden(NamedTuple):
    """A kind of figure."""

    outline: str  # an SVG path around (0, 0): seen from the front, its feet some 12 units below the middle
    letter: str  # what stands for it in a game as text
    scale: float = 1.0  # in which it is drawn
    mark: str = ""  # a path on it
