"""Draws a lake, a boat, and a ferry across a lake."""

from carc_env.common import palette as p
from carc_env.common.markup import element, move, number, path, use
from carc_env.systems.sign import Sign


def lake() -> str:
    """Draw a lake with reeds and ripples, about 44 units wide and 37 units high."""
    shore = "M-21 2C-22.4-9-13-17.4-2-17C10-18 20.4-12 21-1C22 10 13 17 2 17C-10 18-20 13-21 2Z"
    return (
        path(shore, p.WATER, p.SHORE, 4)
        + path(shore, stroke=p.WATER_LINE, width=1.2)
        + path(
            "M-12-6q2.6-2.4 5.2 0t5.2 0M2 9q2.6-2.4 5.2 0t5.2 0M4-9q2-1.8 4 0t4 0M-11 8q2-1.8 4 0t4 0",
            stroke=p.WATER_LIGHT,
            width=1.5,
            stroke_linecap="round",
        )
    )


def boat() -> str:
    """Draw a ferry boat with a sail, about 15 units wide."""
    return (
        path("M.4 1V-9L6.4-1Z", p.PLASTER, p.WALL, 0.9, stroke_linejoin="round")
        + path("M0 2V-10", stroke=p.TIMBER_SHADE, width=1.2)
        + path("M-7.6 1H7.6L5 5.4H-5Z", p.ROOF, p.TIMBER_SHADE, 1.1, stroke_linejoin="round")
    )


# distances from the middle of a lake to its shore: to the east or west, and to the north or south
SHORE = (21.0, 17.0)


def ferry_lying(x: int, y: int, ends: str, rotation: int) -> str:
    """Draw a ferry on the lake of a cell: planks from one road to another, with a boat beside the planks. `rotation` is
    the rotation of the lake.
    """
    along, across = SHORE if rotation in (0, 180) else SHORE[::-1]
    away = {"N": (0, -across), "E": (along, 0), "S": (0, across), "W": (-along, 0)}
    one, other = ((50 + away[end][0], 50 + away[end][1]) for end in ends.split("-"))
    way = f"M{number(one[0])} {number(one[1])}Q50 50 {number(other[0])} {number(other[1])}"
    bend = [a + b - 100 for a, b in zip(one, other)]
    aside = [50 - 0.4 * side for side in bend] if any(bend) else (61, 50) if "N" in ends else (50, 40)
    return element(
        "g",
        path(way, stroke=p.TIMBER_SHADE, width=9.4),
        path(way, stroke=p.PLANKS, width=6.8),
        path(way, stroke=p.TIMBER, width=6.8, stroke_dasharray=".9 2.8"),
        use("boat", *aside),
        class_="ferry",
        transform=move(100 * x, 100 * y),
        data_x=x,
        data_y=y,
        data_ends=ends,
    )


SIGNS = {"lake": Sign(lake, "~~~", "~ lake", 22.0, in_middle=True, turns=True, look="water")}
PIECES = {"boat": boat}
