"""Draws the symbol of a shrine."""

from carc_env.common import palette as p
from carc_env.common.markup import circle, element, path
from carc_env.systems.sign import BUILDING, Sign


def shrine() -> str:
    """Draw a pagan shrine: standing stones under a purple canopy, with a fire between them."""
    return (
        element("ellipse", cy=11, rx=17, ry=4.4, fill=p.GRASS, opacity=0.6)
        + path(
            "M-16.4 12L-15.8 3L-12.8 1.6L-11.8 12ZM11.8 12L12.6 0L15.4 1L16.4 12Z",
            p.STONE,
            p.STONE_SHADE,
            1,
            stroke_linejoin="round",
        )
        + path("M-6-5H6V1.6C4 4 2 1.6 0 3.6C-2 1.6-4 4-6 1.6Z", p.PURPLE_SHADE)
        + path("M-10 12L-9.4-5H-5L-5.2 12ZM5.2 12L5-5H9.4L10 12Z", p.STONE, p.STONE_SHADE, 1, stroke_linejoin="round")
        + path("M-13.4-4C-8-6.6-3-11-1-16H1C3-11 8-6.6 13.4-4Z", p.PURPLE, p.PURPLE_SHADE, 1.1, stroke_linejoin="round")
        + circle(0, -17, 1.7, p.GOLD, p.GOLD_SHADE, 0.8)
        + path("M0 12C-4 12-4.4 8.4-2.4 6.4C-1.8 7.4-1.2 7-.6 4C3 6 5 12 0 12Z", p.GOLD, p.GOLD_SHADE, 0.9)
    )


SIGNS = {"shrine": Sign(shrine, "S", "S shrine", BUILDING, in_middle=True)}
