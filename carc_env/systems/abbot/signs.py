"""Draws the symbol of a garden."""

from carc_env.common import palette as p
from carc_env.common.markup import circle, element, path
from carc_env.systems.sign import Sign, Wooden

ABBOT = (
    "M0-14C2.4-11.8 3.9-9.8 3.9-7.4C3.9-5.6 3.4-4.6 2.9-3.9C6.2-2.6 7.2 0 7.8 3L9.6 10.6"
    "C9.8 11.5 9.4 12 8.4 12L-8.4 12C-9.4 12-9.8 11.5-9.6 10.6L-7.8 3C-7.2 0-6.2-2.6-2.9-3.9"
    "C-3.4-4.6-3.9-5.6-3.9-7.4C-3.9-9.8-2.4-11.8 0-14Z"
)


def garden() -> str:
    """Draw a walled garden from above, with four beds around a well."""
    beds = "".join(element("rect", x=x, y=y, width=6.4, height=6.4, rx=1.3) for x in (-7.8, 1.4) for y in (-7.8, 1.4))
    flowers = "".join(
        circle(x, y, 1.1)
        for x, y in ((-6, -5.8), (-3.2, -3.4), (3.2, -3.4), (6, -6), (-5.8, 5.8), (-3.4, 3.2), (3.4, 3.2), (5.8, 6))
    )
    wall = path("M-10-10H10V10H-10Z", p.ROAD, p.WALL, 1.6, stroke_linejoin="round")
    return (
        wall
        + element("g", beds, fill=p.TREE)
        + element("g", flowers, fill=p.FLOWER)
        + circle(0, 0, 2.2, p.WATER, p.WALL, 0.8)
    )


SIGNS = {"garden": Sign(garden, "G", room=11.0)}
WOODEN = {"abbot": Wooden(ABBOT, "a", 1.1, "M0-1.6v9.2M-3 1.6h6")}  # a cross
