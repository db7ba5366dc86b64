"""Draws the symbol of Baba Yaga's hut."""

from carc_env.common import palette as p
from carc_env.common.markup import element, path
from carc_env.systems.sign import BUILDING, Sign


def hut() -> str:
    """Draw a witch's hut on chicken legs."""
    return (
        element("ellipse", cy=14.6, rx=12, ry=3, fill=p.GRASS, opacity=0.7)
        + path("M-4 2L-6.4 7.6L-4.6 13M4 2L6.4 7.6L4.6 13", stroke=p.GOLD_SHADE, width=2.4, stroke_linejoin="round")
        + path(
            "M-9.4 15.2L-4.6 12.6L-5.4 15.6M-4.6 12.6L-1 15M9.4 15.2L4.6 12.6L5.4 15.6M4.6 12.6L1 15",
            stroke=p.GOLD_SHADE,
            width=1.9,
            stroke_linecap="round",
        )
        + path("M-9.6 3.4L-9-6H9L9.6 3.4Z", p.TIMBER, p.TIMBER_SHADE, 1.1)
        + path("M-9.4-2.8H9.4M-9.5.4H9.5", stroke=p.TIMBER_SHADE, width=0.9)
        + path("M5.4-10V-17H8.4V-8Z", p.STONE, p.TIMBER_SHADE, 0.9)
        + path("M-13.4-5L-2.6-18L13.4-5C8-6.6-8-6.6-13.4-5Z", p.TREE, p.TIMBER_SHADE, 1.1, stroke_linejoin="round")
        + path("M-3 1.4V-2.6a3 3 0 0 1 6 0V1.4Z", p.GOLD, p.TIMBER_SHADE, 1)
    )


SIGNS = {"hut": Sign(hut, "H", "H hut", BUILDING, in_middle=True)}
