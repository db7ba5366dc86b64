"""Draws the symbols of Inns & Cathedrals: a cathedral and an inn."""

from carc_env.common import palette as p
from carc_env.common.markup import circle, element, path
from carc_env.systems.base.signs import MEEPLE
from carc_env.systems.sign import BUILDING, Sign, Wooden


def cathedral() -> str:
    """Draw the front of a church with two towers and a rose window."""
    return (
        path("M-14 14V-6H-6V0H6V-6H14V14Z", p.PLASTER)
        + path("M-6 1L0-8L6 1Z", p.ROOF)
        + path("M-15-6L-10-17L-5-6ZM5-6L10-17L15-6Z", p.ROOF_SHADE)
        + circle(0, 4.2, 2.7, p.SHIELD)
        + path("M-2.6 14v-3a2.6 2.6 0 0 1 5.2 0v3z", p.WALL)
        + path("M-11.4 2a1.4 1.4 0 0 1 2.8 0v4h-2.8zM8.6 2a1.4 1.4 0 0 1 2.8 0v4h-2.8z", p.WALL)
        + path("M-14 14V-6M-6 14V-6M6 14V-6M14 14V-6M-14 14H14M-6 1L0-8L6 1", **p.OUTLINE)
    )


def inn() -> str:
    """Draw an inn beside its pond."""
    return (
        element("ellipse", cx=2.5, cy=4.5, rx=9, ry=4.6, fill=p.WATER, stroke=p.PLASTER, stroke_width=1)
        + path("M-8 3V-3H3V3Z", p.PLASTER)
        + path("M-9.6-2.4L-6.4-8H1.4L4.6-2.4Z", p.ROOF_BROWN)
        + path("M-4 3V-.6H-1.4V3Z", p.WALL)
        + path("M-8 3V-2.4M3 3V-2.4M-8 3H3M-9.6-2.4L-6.4-8H1.4L4.6-2.4Z", **p.OUTLINE)
    )


SIGNS = {"cathedral": Sign(cathedral, "C", room=BUILDING), "inn": Sign(inn, "i")}
# two bars, because a big meeple counts as two followers
WOODEN = {"big": Wooden(MEEPLE, "B", 1.5, "M-4.6-1.4H4.6M-3.4 1.4H3.4")}
