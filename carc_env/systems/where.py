"""Defines the places on the board where players choose actions with the mouse. The module also describes spots and
figures in words.

`Question.place` returns the place where an action is chosen. The web page, the terminal's menu and the pictures use the
returned places. The attribute `cell` of a place contains the coordinates (x, y) of the cell to which the action refers.
If an OnFeature or OnPoint is on the tile just placed, `cell` is None. A Button or a Standing never has a cell.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

Cell = tuple[int, int]
COMPASS = {"N": "north", "E": "east", "S": "south", "W": "west"}
FIGURE_NAMES = {"big": "big meeple"}  # the display names of figures that differ from the names in the notation
# the middle of each edge of a cell; a cell is 100 units wide
EDGE_MIDDLES = {"N": (50, 0), "E": (100, 50), "S": (50, 100), "W": (0, 50)}


class Laid(NamedTuple):
    """A cell on which an action places a tile. For a double tile, this is the northern or western cell."""

    cell: Cell
    tile: str
    rotation: int = 0  # degrees clockwise

    def __str__(self) -> str:
        turned = f", turned by {self.rotation} degrees" if self.rotation else ""
        return f"{self.tile} on {self.cell[0]},{self.cell[1]}{turned}"


class OnTile(NamedTuple):
    """A whole tile."""

    cell: Cell


class OnFeature(NamedTuple):
    """A feature of a tile, or the position of a figure on this feature."""

    kind: str  # the word for the feature in the notation
    spot: str | None = None  # the name of the spot; for a building, None is also allowed
    cell: Cell | None = None
    figure: str = ""  # the figure that the action would place there
    sign: str = ""  # the piece to draw there (a key of System.pieces)
    scale: float = 1.0  # the scale of the drawing

    def __str__(self) -> str:
        return self.kind if self.spot in (None, self.kind) else f"{self.kind} {self.spot}"


class OnPoint(NamedTuple):
    """A position on a tile, given by its coordinates."""

    point: tuple[float, float]  # x, y from the north-west corner of the cell, in hundredths of the cell's width
    cell: Cell | None = None
    sign: str = ""
    scale: float = 1.0
    joins: tuple[str, str] | None = None  # the two edges that a ferry would join; None for other actions


@dataclass(frozen=True)
class Standing:
    """A figure on the board that belongs to the acting player. `figure` is the kind of figure, such as `abbot`."""

    figure: str
    cell: ClassVar[None] = None


@dataclass(frozen=True)
class Button:
    """A button for an action that has no place on the board."""

    label: str = ""
    below: str = ""  # a second line of text, in smaller letters
    colour: str = ""  # the colour of the button, as a CSS class of the web page
    cell: ClassVar[None] = None


Place = Laid | OnTile | OnFeature | OnPoint | Standing | Button


def spot_in_words(spot: str | None) -> str:
    """Describe a spot of a tile in words, for example an edge by its compass direction.

    >>> spot_in_words("N"), spot_in_words("Ws"), spot_in_words("2E")
    ('north', 'west, southern half', 'east on the second square')
    """
    if spot is None:
        return ""
    name, second = spot.removeprefix("2"), " on the second square" if spot.startswith("2") else ""
    edge, half = name[:1], name[1:]
    if edge not in COMPASS:
        return spot
    return COMPASS[edge] + (f", {COMPASS[half.upper()]}ern half" if half else "") + second


def figure_in_words(figure: str) -> str:
    """Return the display name of a kind of figure.

    >>> figure_in_words("big")
    'big meeple'
    """
    return FIGURE_NAMES.get(figure, figure)
