"""Draws the symbol of a special monastery."""

from carc_env.common import palette as p
from carc_env.common.markup import element, path
from carc_env.systems.sign import BUILDING, Sign


def special_monastery() -> str:
    """Draw a monastery with a dome between two towers."""
    return (
        element("ellipse", cy=12, rx=20, ry=4.6, fill=p.GRASS, opacity=0.55)
        + path("M-18 12V-5H-11.6V12ZM11.6 12V-5H18V12ZM-11.6 12V1H11.6V12ZM-6.6 1V-4H6.6V1Z", p.PLASTER)
        + path("M-7.8-3.6C-8.4-10-4.4-14 0-16C4.4-14 8.4-10 7.8-3.6Z", p.SHIELD)
        + path(
            "M-19-4.6C-19.4-8-17-9.6-14.8-13C-12.6-9.6-10.2-8-10.6-4.6ZM10.6-4.6C10.2-8 12.6-9.6 14.8-13C17-9.6 19.4-8 19-4.6Z",
            p.SHIELD,
        )
        + path("M0-16V-21M-2.2-19H2.2", stroke=p.WALL, width=1.4)
        + path(
            "M-3 12V7.6a3 3 0 0 1 6 0V12ZM-9.4 10V6.4a1.5 1.5 0 0 1 3 0V10ZM6.4 10V6.4a1.5 1.5 0 0 1 3 0V10Z", p.WALL
        )
        + path("M-16 1.4a1.2 1.2 0 0 1 2.4 0V4.4H-16ZM13.6 1.4a1.2 1.2 0 0 1 2.4 0V4.4H13.6Z", p.WALL)
        + path("M-18 12V-5M-11.6 12V-5M11.6 12V-5M18 12V-5M-18 12H18M-11.6 1H11.6M-6.6 1V-4M6.6 1V-4", **p.OUTLINE)
        + path("M-7.8-3.6C-8.4-10-4.4-14 0-16C4.4-14 8.4-10 7.8-3.6Z", **p.OUTLINE)
    )


SIGNS = {"special_monastery": Sign(special_monastery, "L", "L special monastery", BUILDING, in_middle=True)}
