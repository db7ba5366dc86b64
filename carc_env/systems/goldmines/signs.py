"""Draws the gold symbol of a tile, and an ingot."""

from carc_env.common import palette as p
from carc_env.common.markup import path
from carc_env.systems.sign import Sign


def gold() -> str:
    """Draw the gold symbol of a tile: three nuggets."""
    nuggets = "".join(
        f"M{x} {y}l3.4-2 3.6 1 1.4 3.2-2.6 2.6-4.2.2-2.6-2.4z" for x, y in ((-3.6, -4.4), (-7.4, 1.8), (0.2, 2))
    )
    return path(nuggets, p.GOLD, p.GOLD_SHADE, 1.1, stroke_linejoin="round") + path(
        "M-4.6 2.4l2-.8M3 2.6l2-.8M-.8-3.8l2-.8", stroke=p.GOLD_LIGHT, width=1
    )


def ingot() -> str:
    """Draw an ingot, 17 units wide and 10 units high."""
    outline = "M-8.6 5L-6.2-2.2L-4.4-5L4.4-5L6.2-2.2L8.6 5Z"
    return (
        path(outline, p.GOLD)
        + path("M-6.2-2.2L-4.4-5L4.4-5L6.2-2.2Z", p.GOLD_LIGHT)
        + path(outline, stroke=p.GOLD_SHADE, width=1.1, stroke_linejoin="round")
    )


SIGNS = {"gold": Sign(gold, "*")}
PIECES = {"ingot": ingot}
