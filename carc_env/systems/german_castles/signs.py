"""Draws the symbol of a German castle."""

from carc_env.common import palette as p
from carc_env.common.markup import path
from carc_env.systems.sign import BUILDING, Sign


def german_castle() -> str:
    """Draw the keep of a castle with two round towers, pointed roofs and a flag."""
    return (
        path("M-11 12V-3H11V12Z", p.STONE)
        + path("M-14 13V-6H-6V13ZM6 13V-6H14V13Z", p.STONE)
        + path("M-6-3V-6.4H-3.6V-4.4H-1.2V-6.4H1.2V-4.4H3.6V-6.4H6V-3Z", p.STONE, p.STONE_SHADE, 0.9)
        + path(
            "M-15.4-5.4L-10-17L-4.6-5.4ZM4.6-5.4L10-17L15.4-5.4Z", p.SLATE, p.SLATE_SHADE, 1, stroke_linejoin="round"
        )
        + path("M10-17V-24", stroke=p.STONE_SHADE, width=1.2)
        + path("M10.4-24L18-21.6L10.4-19.2Z", p.COAT)
        + path("M-3.4 13V7a3.4 3.4 0 0 1 6.8 0V13Z", p.SLATE_SHADE)
        + path("M-11-1V3M11-1V3", stroke=p.STONE_SHADE, width=1.8)
        + path("M-14 13V-5.4M-6 13V-5.4M6 13V-5.4M14 13V-5.4M-14 13H14", stroke=p.STONE_SHADE, width=1)
    )


SIGNS = {"german_castle": Sign(german_castle, "[K]", "[K] German castle", BUILDING, in_middle=True)}
