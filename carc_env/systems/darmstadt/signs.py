"""Draws the symbols of the Darmstadt promo: a church, and the Darmstadtium."""

from carc_env.common import palette as p
from carc_env.common.markup import element, path
from carc_env.systems.sign import BUILDING, Sign


def church() -> str:
    """Draw a round church with a wide copper dome. The church stands behind columns."""
    return (
        element("ellipse", cy=12, rx=18, ry=4.6, fill=p.GRASS, opacity=0.55)
        + path("M-14.4 10V0H14.4V10Z", p.PLASTER)
        + path("M-16 0C-15.6-9.4-8-14.4 0-14.4C8-14.4 15.6-9.4 16 0Z", p.COPPER)
        + path(
            "M-5.6-13.4C-9.4-10-10.6-5-10.8 0M5.6-13.4C9.4-10 10.6-5 10.8 0M0-14.4V0", stroke=p.COPPER_SHADE, width=1
        )
        + path("M-2-14.2V-17.4H2V-14.2Z", p.PLASTER, **p.OUTLINE)
        + path("M0-17.4V-22M-2-20H2", stroke=p.WALL, width=1.4)
        + path("M-10.6 10V2.4M-6.4 10V2.4M6.4 10V2.4M10.6 10V2.4", stroke=p.STONE_SHADE, width=1.6)
        + path("M-3 10V5.4a3 3 0 0 1 6 0V10Z", p.WALL)
        + path("M-17 13V10H17V13Z", p.STONE, **p.OUTLINE)
        + path("M-14.4 10V0M14.4 10V0M-16 0C-15.6-9.4-8-14.4 0-14.4C8-14.4 15.6-9.4 16 0Z", **p.OUTLINE)
    )


def darmstadtium() -> str:
    """Draw a modern glass hall with facets."""
    hall = "M-17 11L-13-7L1-3L17-15V11Z"
    return (
        path(hall, p.GLASS)
        + path("M-13-7L-6 11H-17ZM1-3L17-15L9 11Z", p.GLASS_LIGHT)
        + path("M-13-7L-6 11L1-3L9 11L17-15M-15 2L-9.6 2M3.6 4L12.4 0", stroke=p.GLASS_LINE, width=1)
        + path(hall, stroke=p.GLASS_LINE, width=1.5, stroke_linejoin="round")
    )


SIGNS = {
    "church": Sign(church, "T", "T church", BUILDING, in_middle=True),
    "Darmstadtium": Sign(darmstadtium, "D", "D Darmstadtium", BUILDING, in_middle=True),
}
