"""Draws the symbol of an abbey."""

from carc_env.common import palette as p
from carc_env.common.markup import circle, element, path
from carc_env.systems.sign import Sign


def abbey() -> str:
    """Draw a large church with wings, in the middle of a walled garden."""
    return (
        element("ellipse", cy=20, rx=31, ry=5, fill=p.GRASS, opacity=0.6)
        + path("M-26 20V5H26V20ZM-9 20V-6H9V20Z", p.PLASTER)
        + path("M-29 6L-23-5H23L29 6Z", p.ROOF)
        + path("M-9 20V-6L0-14L9-6V20Z", p.PLASTER)
        + path("M-11.4-4.4L0-15L11.4-4.4L9.4-2.4L0-11L-9.4-2.4Z", p.ROOF_SHADE)
        + path("M-4-13V-24H4V-13L0-15Z", p.PLASTER)
        + path("M-5.6-23L0-36L5.6-23Z", p.ROOF_SHADE)
        + path("M0-36V-43M-3-40H3", stroke=p.WALL, width=1.7)
        + circle(0, -1, 3.6, p.SHIELD, p.WALL, 1)
        + path("M-4 20V12.4a4 4 0 0 1 8 0V20Z", p.WALL)
        + path("".join(f"M{x} 16V11.4a1.8 1.8 0 0 1 3.6 0V16Z" for x in (-22.4, -16, 12.4, 18.8)), p.WALL)
        + path(
            "M-26 20V6M26 20V6M-26 20H26M-29 6L-23-5H-10.4M10.4-5H23L29 6H9M-29 6H-9M-9 20V-3M9 20V-3M-4-14V-23M4-14V-23"
            "M-5.6-23L0-36L5.6-23Z",
            **p.OUTLINE,
        )
    )


def gardens(fine: bool) -> str:
    """Draw the ground of the abbey tile: gardens with walls on all four sides. All sides look the same, because any
    edge fits beside an abbey.
    """
    ring = "M7 7H93V93H7Z"
    beds = "".join(f"M{x} {y}h22v22h-22z" for x in (14, 64) for y in (14, 64))
    corners = "".join(circle(x, y, 5.4, p.WALL_TOP, p.WALL, 1.4) for x in (7, 93) for y in (7, 93))
    stones = path(ring, stroke=p.WALL, width=4, stroke_dasharray="1 4.6") if fine else ""
    return (
        path("M0 0h100v100h-100z", p.PAVING)
        + path(ring, p.COURT)
        + path(beds, p.GRASS, p.TREE, 1.2)
        + path(ring, stroke=p.WALL, width=7)
        + path(ring, stroke=p.WALL_TOP, width=4.2)
        + stones
        + corners
    )


SIGNS = {"abbey": Sign(abbey, "A", "A abbey in its walls :", 30.0, in_middle=True, ground=gardens)}
