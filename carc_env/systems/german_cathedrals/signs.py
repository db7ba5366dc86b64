"""Draws the symbol of a German cathedral."""

from carc_env.common import palette as p
from carc_env.common.markup import circle, path
from carc_env.systems.sign import BUILDING, Sign


def german_cathedral() -> str:
    """Draw a cathedral of grey stone with two tall spires, on a paved circle from which the roads start."""
    return (
        circle(0, 3, 17, p.PAVING, p.ROAD_LINE, 1.3)
        + path("M-12.6 13V-8H-4.6V0H4.6V-8H12.6V13Z", p.STONE)
        + path("M-13.6-7.4L-8.6-27L-3.6-7.4ZM3.6-7.4L8.6-27L13.6-7.4ZM-4.6 0L0-8L4.6 0Z", p.SLATE)
        + circle(0, 2.6, 2.5, p.GOLD, p.STONE_SHADE, 0.9)
        + path("M-2.6 13v-3.6L0 6.4l2.6 3V13z", p.STONE_SHADE)
        + path("M-10-3.4l1.4-2.4 1.4 2.4V5.6H-10ZM7.2-3.4l1.4-2.4 1.4 2.4V5.6H7.2Z", p.STONE_SHADE)
        + path(
            "M-12.6 13V-7.4M-4.6 13V-7.4M4.6 13V-7.4M12.6 13V-7.4M-12.6 13H12.6M-4.6 0L0-8L4.6 0"
            "M-13.6-7.4L-8.6-27L-3.6-7.4ZM3.6-7.4L8.6-27L13.6-7.4Z",
            stroke=p.STONE_SHADE,
            width=1,
            stroke_linejoin="round",
        )
    )


SIGNS = {"german_cathedral": Sign(german_cathedral, "X", "X German cathedral", BUILDING, in_middle=True)}
