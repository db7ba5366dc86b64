"""Makes the pictures of Map-Chips France: a chip face down, a chip in hand, and a glass of wine."""

from collections.abc import Iterable

from carc_env.boxes.sheets import Square
from carc_env.common import palette as p
from carc_env.common.lettering import text
from carc_env.common.markup import circle, path, use


def chip_back() -> str:
    """Return the picture of a chip that lies face down. The backs of all chips look alike."""
    return (
        circle(1.2, 2, 21, p.CHIP_SHADE)
        + circle(0, 0, 21, p.CHIP, p.CHIP_SHADE, 2)
        + circle(0, 0, 16.4, "none", p.CHIP_LIGHT, 1.4)
        + path("M-6-10H6C6.6-3 4.6 1 0 1.4C-4.6 1-6.6-3-6-10Z", p.CHIP_LIGHT)
        + path("M0 1V9M-5 9.6H5", stroke=p.CHIP_LIGHT, width=2, stroke_linecap="round")
    )


def chips(squares: Iterable[Square]) -> str:
    """Return SVG elements that show one face-down chip on each square in `squares`."""
    return "".join(use("chip", 100 * x + 50, 100 * y + 50, class_="chip", data_x=x, data_y=y) for x, y in squares)


def chip_face(colour: str, value: int) -> str:
    """Return the picture of a chip in hand, face up, about 18 units wide."""
    return circle(0, 0, 9, p.GRAPES[colour], p.GRAPE_LINES[colour], 1.6) + text(
        str(value), 0, 4.4, 8.8, p.PLASTER, "middle", 2
    )


def glass() -> str:
    """Draw a glass of wine, about 10 units wide and 18 units high."""
    return (
        path("M-4.6-8H4.6C5-2 3.4.6 0 1C-3.4.6-5-2-4.6-8Z", p.PLASTER, p.WALL, 1)
        + path("M-4.6-4.6H4.6C4.4-1.4 2.8.2 0 .5C-2.8.2-4.4-1.4-4.6-4.6Z", p.WINE)
        + path("M0 1V8M-3.6 8.4H3.6", stroke=p.WALL, width=1.3, stroke_linecap="round")
    )
