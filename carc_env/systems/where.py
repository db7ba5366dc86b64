"""Where an answer is given on the board with the mouse, and what people call spots and figures.

A question says of each answer which of these it is (`Question.place`); the page, the menu of the terminal and the
drawing read that. `cell` is the cell (x, y) that the answer names; None stands for the tile just placed.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

Cell = tuple[int, int]
COMPASS = {"N": "north", "E": "east", "S": "south", "W": "west"}
FIGURE_NAMES = {"big": "big meeple"}  # of those that are not called as texts call them
# of the edges of a cell, in hundredths of its side
EDGE_MIDDLES = {"N": (50, 0), "E": (100, 50), "S": (50, 100), "W": (0, 50)}


class Laid(NamedTuple):
    """A cell on which a tile is laid; of a double tile its northern or western one."""

    cell: Cell
    tile: str
    rotation: int = 0  # degrees clockwise

    def __str__(self) -> str:
        turned = f", turned by {self.rotation} degrees" if self.rotation else ""
        return f"{self.tile} on {self.cell[0]},{self.cell[1]}{turned}"


class OnTile(NamedTuple):
    """A tile as a whole."""

    cell: Cell


class OnFeature(NamedTuple):
    """A feature of a tile, or where a figure would stand on it."""

    kind: str  # as texts call it
    spot: str | None = None  # None: a building, which is known by its kind
    cell: Cell | None = None
    figure: str = ""  # that would stand there
    sign: str = ""  # the piece that is shown there (System.pieces)
    scale: float = 1.0  # in which it is shown

    def __str__(self) -> str:
        return self.kind if self.spot in (None, self.kind) else f"{self.kind} {self.spot}"


class OnPoint(NamedTuple):
    """A point of a tile."""

    point: tuple[float, float]  # x, y from the north-west corner of the cell, in hundredths of its side
    cell: Cell | None = None
    sign: str = ""
    scale: float = 1.0
    joins: tuple[str, str] | None = None  # the two edges of the cell between which there would be a way


@dataclass(frozen=True)
class Standing:
    """Where the figure of a kind stands that the player asked has on the table."""

    figure: str
    cell: ClassVar[None] = None


@dataclass(frozen=True)
class Button:
    """Nowhere: a button says it; what is written on it where it is shown over the board."""

    label: str = ""
    below: str = ""  # a second, smaller line
    colour: str = ""  # of the button, a key of the page's style
    cell: ClassVar[None] = None


Place = Laid | OnTile | OnFeature | OnPoint | Standing | Button


def spot_in_words(spot: str | None) -> str:
    """A spot by the points of the compass; a half-edge by its edge and its half.

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
    """What people call a figure.

    >>> figure_in_words("big")
    'big meeple'
    """
    return FIGURE_NAMES.get(figure, figure)
