"""Draws the symbols of the base game: a monastery, and the pennant of a city."""

from carc_env.common import palette as p
from carc_env.common.markup import element, path
from carc_env.systems.sign import BUILDING, Sign, Wooden

MEEPLE = (
    "M-3.2-4.2C-4.9-5.6-4.8-11.4 0-11.4C4.8-11.4 4.9-5.6 3.2-4.2C6.4-3.6 10.4-1.9 11.2.3"
    "C11.8 2.1 10.4 3.3 8.5 3.1L5 2.6C5.5 6 8 8.5 8.8 10.4C9.3 11.5 8.7 12 7.6 12L3 12"
    "C1.7 12 1.3 9.4 0 7.6C-1.3 9.4-1.7 12-3 12L-7.6 12C-8.7 12-9.3 11.5-8.8 10.4C-8 8.5-5.5 6-5 2.6"
    "L-8.5 3.1C-10.4 3.3-11.8 2.1-11.2.3C-10.4-1.9-6.4-3.6-3.2-4.2Z"
)


def monastery() -> str:
    """Draw a small monastery from the front: a nave with a tower."""
    return (
        element("ellipse", cy=11.5, rx=17, ry=4.5, fill=p.GRASS, opacity=0.55)
        + path("M-14 12V0H8V12ZM8 12V-5H15V12Z", p.PLASTER)
        + path("M-16.2 1L-11-7.5H8V1Z", p.ROOF)
        + path("M6.4-4.4L11.5-14L16.6-4.4Z", p.ROOF_SHADE)
        + path("M11.5-14V-19M9.3-17H13.7", stroke=p.WALL, width=1.4)
        + path("M-10.8 12V7.4a2 2 0 0 1 4 0V12ZM-3.8 12V7.4a2 2 0 0 1 4 0V12Z", p.WALL)
        + path("M10 3.4a1.5 1.5 0 0 1 3 0V6.4H10Z", p.WALL)
        + path("M-14 12V1M-14 12H15V-4M-16.2 1L-11-7.5H8M-16.2 1H8V12M6.4-4.4L11.5-14L16.6-4.4Z", **p.OUTLINE)
    )


def pennant() -> str:
    """Draw a shield with a light cross."""
    shield = "M-5.6-6.4H5.6V-.6C5.6 3.6 2.8 6 0 7.4C-2.8 6-5.6 3.6-5.6-.6Z"
    return (
        path(shield, p.SHIELD)
        + path("M-1.5-6.4h3v13l-1.5.8-1.5-.8zM-5.6-2.6H5.6v2.8H-5.6z", p.PLASTER)
        + path(shield, stroke=p.WALL, width=1.3, stroke_linejoin="round")
    )


SIGNS = {"monastery": Sign(monastery, "M", room=BUILDING, in_middle=True), "pennant": Sign(pennant, "!")}
WOODEN = {"meeple": Wooden(MEEPLE, "m", 1.12)}
