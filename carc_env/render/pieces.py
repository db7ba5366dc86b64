"""Small drawings of our own around the point (0, 0): figures, ingots and what is printed on tiles.

A figure takes its fill from the `<use>` that shows it; everything else brings its own colours.
"""

import functools
from typing import Any

from carc_env.render import palette as p
from carc_env.render.markup import circle, element, path

INK: dict[str, Any] = {"stroke": p.WALL, "width": 1, "stroke_linejoin": "round"}  # the outline of what is built

# --- figures ------------------------------------------------------------------------------------------------
_MEEPLE = (
    "M-3.2-4.2C-4.9-5.6-4.8-11.4 0-11.4C4.8-11.4 4.9-5.6 3.2-4.2C6.4-3.6 10.4-1.9 11.2.3"
    "C11.8 2.1 10.4 3.3 8.5 3.1L5 2.6C5.5 6 8 8.5 8.8 10.4C9.3 11.5 8.7 12 7.6 12L3 12"
    "C1.7 12 1.3 9.4 0 7.6C-1.3 9.4-1.7 12-3 12L-7.6 12C-8.7 12-9.3 11.5-8.8 10.4C-8 8.5-5.5 6-5 2.6"
    "L-8.5 3.1C-10.4 3.3-11.8 2.1-11.2.3C-10.4-1.9-6.4-3.6-3.2-4.2Z"
)
_ABBOT = (
    "M0-14C2.4-11.8 3.9-9.8 3.9-7.4C3.9-5.6 3.4-4.6 2.9-3.9C6.2-2.6 7.2 0 7.8 3L9.6 10.6"
    "C9.8 11.5 9.4 12 8.4 12L-8.4 12C-9.4 12-9.8 11.5-9.6 10.6L-7.8 3C-7.2 0-6.2-2.6-2.9-3.9"
    "C-3.4-4.6-3.9-5.6-3.9-7.4C-3.9-9.8-2.4-11.8 0-14Z"
)
_BUILDER = (
    "M-6.8-6.9L-4.4-7.2C-4.4-10.6-2.6-12.4 0-12.4C2.6-12.4 4.4-10.6 4.4-7.2L6.8-6.9"
    "C7.3-6.8 7.3-5.8 6.8-5.7L3.6-5.4C3.4-4.6 3.1-4 2.8-3.6C4.6-3 6-2 7-.6L10.6-6.6"
    "C11.4-7.8 13.4-6.8 12.8-5.4L8.9 3.1C8.3 4.3 7 4.5 6 3.7L4.4 2.6L4.9 12L-4.9 12L-4.4 2.6L-6 3.7"
    "C-7 4.5-8.3 4.3-8.9 3.1L-10.8-1C-11.4-2.4-9.6-3.3-8.8-2.1L-7-.6"
    "C-6-2-4.6-3-2.8-3.6C-3.1-4-3.4-4.6-3.6-5.4L-6.8-5.7C-7.3-5.8-7.3-6.8-6.8-6.9Z"
)
_PIG = (
    "M-13.4-1.2C-13.9-.2-13.9 2.2-13.2 2.8C-12 3.4-10.6 3.4-9.8 3.6C-9.2 4.9-8.6 5.6-7.9 6.1L-8 9.3"
    "C-8 9.9-7.6 10.2-7 10.2L-4.4 10.2C-3.8 10.2-3.5 9.9-3.4 9.3L-3.1 7.2C-1 7.6 2 7.6 4.2 7.1L4.6 9.3"
    "C4.7 9.9 5 10.2 5.6 10.2L8.1 10.2C8.7 10.2 9 9.9 9 9.3L9.2 5.2C10.4 3.9 11 2 11-.2"
    "C12.6.2 13.9-.8 13.8-2.4C13.7-3.4 12.4-3.5 12.5-2.5C12.5-2 11.8-1.9 11.4-2.4"
    "C10.4-5.2 7.4-7 3.6-7.1C.2-7.2-3-6.9-5.2-6"
    "L-8.9-8.4C-9.5-8.7-9.9-8.4-9.8-7.7L-9.4-4.4C-10.6-3.6-12.2-2.4-13.4-1.2Z"
)

SHAPES = {"meeple": _MEEPLE, "big": _MEEPLE, "abbot": _ABBOT, "builder": _BUILDER, "pig": _PIG}
# a cross; two bars, for the strength of two
SIGNS_ON = {"abbot": "M0-1.6v9.2M-3 1.6h6", "big": "M-4.6-1.4H4.6M-3.4 1.4H3.4"}
SCALES = {"meeple": 1.12, "big": 1.5, "abbot": 1.1, "builder": 1.1, "pig": 1.0}


def figure(kind: str) -> str:
    """A figure seen from the front, its feet some 12 units below the middle."""
    d = SHAPES[kind]
    halo = path(d, stroke=p.PLASTER, width=3, stroke_linejoin="round")
    body = path(d, None, p.FIGURE_LINE, 0.8, stroke_opacity=0.8, stroke_linejoin="round")
    return halo + body + (path(SIGNS_ON[kind], stroke=p.PLASTER, width=1.5) if kind in SIGNS_ON else "")


def ingot() -> str:
    """One gold bar, 17 wide and 10 high, seen from above its long side."""
    outline = "M-8.6 5L-6.2-2.2L-4.4-5L4.4-5L6.2-2.2L8.6 5Z"
    return (
        path(outline, p.GOLD)
        + path("M-6.2-2.2L-4.4-5L4.4-5L6.2-2.2Z", p.GOLD_LIGHT)
        + path(outline, stroke=p.GOLD_SHADE, width=1.1, stroke_linejoin="round")
    )


def roof(x: float, y: float, across: bool, long: float = 4.8, wide: float = 3.5) -> tuple[str, str]:
    """A house from above: the sunny and the shady half of its roof, as two paths."""
    if across:
        sunny, shady = (x - long, y - wide, 2 * long, wide), (x - long, y, 2 * long, wide)
    else:
        sunny, shady = (x - wide, y - long, wide, 2 * long), (x, y - long, wide, 2 * long)
    first, second = (f"M{a:.4g} {b:.4g}h{w:.4g}v{h:.4g}h-{w:.4g}z" for a, b, w, h in (sunny, shady))
    return first, second


# --- buildings ----------------------------------------------------------------------------------------------
def monastery() -> str:
    """A small cloister: a nave with a tower, seen from the front."""
    return (
        element("ellipse", cy=11.5, rx=17, ry=4.5, fill=p.GRASS, opacity=0.55)
        + path("M-14 12V0H8V12ZM8 12V-5H15V12Z", p.PLASTER)
        + path("M-16.2 1L-11-7.5H8V1Z", p.ROOF)
        + path("M6.4-4.4L11.5-14L16.6-4.4Z", p.ROOF_SHADE)
        + path("M11.5-14V-19M9.3-17H13.7", stroke=p.WALL, width=1.4)
        + path("M-10.8 12V7.4a2 2 0 0 1 4 0V12ZM-3.8 12V7.4a2 2 0 0 1 4 0V12Z", p.WALL)
        + path("M10 3.4a1.5 1.5 0 0 1 3 0V6.4H10Z", p.WALL)
        + path("M-14 12V1M-14 12H15V-4M-16.2 1L-11-7.5H8M-16.2 1H8V12M6.4-4.4L11.5-14L16.6-4.4Z", **INK)
    )


def garden() -> str:
    """A walled garden from above: four beds around a well."""
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


def cathedral() -> str:
    """A church front with two towers and a rose window."""
    return (
        path("M-14 14V-6H-6V0H6V-6H14V14Z", p.PLASTER)
        + path("M-6 1L0-8L6 1Z", p.ROOF)
        + path("M-15-6L-10-17L-5-6ZM5-6L10-17L15-6Z", p.ROOF_SHADE)
        + circle(0, 4.2, 2.7, p.SHIELD)
        + path("M-2.6 14v-3a2.6 2.6 0 0 1 5.2 0v3z", p.WALL)
        + path("M-11.4 2a1.4 1.4 0 0 1 2.8 0v4h-2.8zM8.6 2a1.4 1.4 0 0 1 2.8 0v4h-2.8z", p.WALL)
        + path("M-14 14V-6M-6 14V-6M6 14V-6M14 14V-6M-14 14H14M-6 1L0-8L6 1", **INK)
    )


def inn() -> str:
    """An inn beside its pond."""
    return (
        element("ellipse", cx=2.5, cy=4.5, rx=9, ry=4.6, fill=p.WATER, stroke=p.PLASTER, stroke_width=1)
        + path("M-8 3V-3H3V3Z", p.PLASTER)
        + path("M-9.6-2.4L-6.4-8H1.4L4.6-2.4Z", p.ROOF_BROWN)
        + path("M-4 3V-.6H-1.4V3Z", p.WALL)
        + path("M-8 3V-2.4M3 3V-2.4M-8 3H3M-9.6-2.4L-6.4-8H1.4L4.6-2.4Z", **INK)
    )


def bazaar() -> str:
    """A market stall with a striped awning."""
    return (
        path("M-11-1V9H11V-1", p.PLASTER, **INK)
        + path("M-13 0L-9-9H9L13 0Z", p.ROOF)
        + path("M-8.6 0L-5.4-9H-1.8L-2.6 0ZM3 0L2.2-9H5.8L8.6 0Z", p.PLASTER)
        + path("M-8 9V4H8V9Z", p.ROOF_BROWN)
        + path("M-13 0L-9-9H9L13 0Z", **INK)
    )


def shrine() -> str:
    """A place of an old cult: standing stones under a purple canopy, and a fire between them."""
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


def special_monastery() -> str:
    """A domed monastery between two towers."""
    return (
        element("ellipse", cy=12, rx=20, ry=4.6, fill=p.GRASS, opacity=0.55)
        + path("M-18 12V-5H-11.6V12ZM11.6 12V-5H18V12ZM-11.6 12V1H11.6V12ZM-6.6 1V-4H6.6V1Z", p.PLASTER)
        + path("M-7.8-3.6C-8.4-10-4.4-14 0-16C4.4-14 8.4-10 7.8-3.6Z", p.SHIELD)
        + path(
            "M-19-4.6C-19.4-8-17-9.6-14.8-13C-12.6-9.6-10.2-8-10.6-4.6ZM10.6-4.6C10.2-8 12.6-9.6 14.8-13C17-9.6 19.4-8 19-4.6Z",
            p.SHIELD,
        )
        + path("M0-16V-21M-2.2-19H2.2", stroke=p.WALL, width=1.4)
        + path(
            "M-3 12V7.6a3 3 0 0 1 6 0V12ZM-9.4 10V6.4a1.5 1.5 0 0 1 3 0V10ZM6.4 10V6.4a1.5 1.5 0 0 1 3 0V10Z", p.WALL
        )
        + path("M-16 1.4a1.2 1.2 0 0 1 2.4 0V4.4H-16ZM13.6 1.4a1.2 1.2 0 0 1 2.4 0V4.4H13.6Z", p.WALL)
        + path("M-18 12V-5M-11.6 12V-5M11.6 12V-5M18 12V-5M-18 12H18M-11.6 1H11.6M-6.6 1V-4M6.6 1V-4", **INK)
        + path("M-7.8-3.6C-8.4-10-4.4-14 0-16C4.4-14 8.4-10 7.8-3.6Z", **INK)
    )


def church() -> str:
    """A round church under one wide copper dome, behind columns."""
    return (
        element("ellipse", cy=12, rx=18, ry=4.6, fill=p.GRASS, opacity=0.55)
        + path("M-14.4 10V0H14.4V10Z", p.PLASTER)
        + path("M-16 0C-15.6-9.4-8-14.4 0-14.4C8-14.4 15.6-9.4 16 0Z", p.COPPER)
        + path(
            "M-5.6-13.4C-9.4-10-10.6-5-10.8 0M5.6-13.4C9.4-10 10.6-5 10.8 0M0-14.4V0", stroke=p.COPPER_SHADE, width=1
        )
        + path("M-2-14.2V-17.4H2V-14.2Z", p.PLASTER, **INK)
        + path("M0-17.4V-22M-2-20H2", stroke=p.WALL, width=1.4)
        + path("M-10.6 10V2.4M-6.4 10V2.4M6.4 10V2.4M10.6 10V2.4", stroke=p.STONE_SHADE, width=1.6)
        + path("M-3 10V5.4a3 3 0 0 1 6 0V10Z", p.WALL)
        + path("M-17 13V10H17V13Z", p.STONE, **INK)
        + path("M-14.4 10V0M14.4 10V0M-16 0C-15.6-9.4-8-14.4 0-14.4C8-14.4 15.6-9.4 16 0Z", **INK)
    )


def darmstadtium() -> str:
    """A modern hall of glass, all facets."""
    hall = "M-17 11L-13-7L1-3L17-15V11Z"
    return (
        path(hall, p.GLASS)
        + path("M-13-7L-6 11H-17ZM1-3L17-15L9 11Z", p.GLASS_LIGHT)
        + path("M-13-7L-6 11L1-3L9 11L17-15M-15 2L-9.6 2M3.6 4L12.4 0", stroke=p.GLASS_LINE, width=1)
        + path(hall, stroke=p.GLASS_LINE, width=1.5, stroke_linejoin="round")
    )


def hut() -> str:
    """A witch's hut on chicken legs."""
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


def abbey() -> str:
    """A large church with its wings, in the middle of a walled garden."""
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
            **INK,
        )
    )


def german_cathedral() -> str:
    """A cathedral of grey stone with two tall spires, on a square from which the roads start."""
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


def german_castle() -> str:
    """The keep of a castle: two round towers with pointed roofs and a flag."""
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


# --- pieces that lie on tiles -------------------------------------------------------------------------------
def castle_token() -> str:
    """The token of a castle, some 52 wide and 34 high, in the colour of its player: two towers and a gate where the
    lord stands.
    """
    d = (
        "M-26 20V-14H-22V-9.6H-18.6V-14H-14.4V-9.6H-11V-14H-7V-5H-4V-8.6H-1.4V-5H1.4V-8.6H4V-5H7V-14H11V-9.6H14.4V-14H18.6V-9.6H22"
        "V-14H26V20Z"
    )
    return (
        path(d, stroke=p.PLASTER, width=6, stroke_linejoin="round")
        + path(d, None, p.FIGURE_LINE, 1.6, stroke_linejoin="round")
        + path("M-19.4-4V2M19.4-4V2M-19.4 9V14M19.4 9V14", stroke=p.PLASTER, width=2.6)
        + path("M-12.4 20V6a12.4 12.4 0 0 1 24.8 0V20Z", p.PLASTER, p.FIGURE_LINE, 1.2)
    )


def castle_gate() -> str:
    """What closes the gate of a castle whose lord has gone home."""
    return path("M-12.4 20V6a12.4 12.4 0 0 1 24.8 0V20Z", p.WALL, p.FIGURE_LINE, 1.2) + path(
        "M-6.4 20V-4M0 20V-6M6.4 20V-4M-12 5H12M-12 12.4H12", stroke=p.WALL_TOP, width=1.5
    )


def boat() -> str:
    """A ferry boat with a sail, some 15 wide."""
    return (
        path("M.4 1V-9L6.4-1Z", p.PLASTER, p.WALL, 0.9, stroke_linejoin="round")
        + path("M0 2V-10", stroke=p.TIMBER_SHADE, width=1.2)
        + path("M-7.6 1H7.6L5 5.4H-5Z", p.ROOF, p.TIMBER_SHADE, 1.1, stroke_linejoin="round")
    )


# --- signs --------------------------------------------------------------------------------------------------
def pennant() -> str:
    """A shield with a light cross."""
    shield = "M-5.6-6.4H5.6V-.6C5.6 3.6 2.8 6 0 7.4C-2.8 6-5.6 3.6-5.6-.6Z"
    return (
        path(shield, p.SHIELD)
        + path("M-1.5-6.4h3v13l-1.5.8-1.5-.8zM-5.6-2.6H5.6v2.8H-5.6z", p.PLASTER)
        + path(shield, stroke=p.WALL, width=1.3, stroke_linejoin="round")
    )


def gold() -> str:
    """The mark of a gold tile: three nuggets."""
    nuggets = "".join(
        f"M{x} {y}l3.4-2 3.6 1 1.4 3.2-2.6 2.6-4.2.2-2.6-2.4z" for x, y in ((-3.6, -4.4), (-7.4, 1.8), (0.2, 2))
    )
    return path(nuggets, p.GOLD, p.GOLD_SHADE, 1.1, stroke_linejoin="round") + path(
        "M-4.6 2.4l2-.8M3 2.6l2-.8M-.8-3.8l2-.8", stroke=p.GOLD_LIGHT, width=1
    )


CROP_MARKS = {  # what is pressed into the middle of a crop circle, by the followers that it is about
    "knights": "M-4-4.6H4V0C4 2.8 2 4.4 0 5.4C-2 4.4-4 2.8-4 0Z",  # a shield
    "farmers": "M0 6V-1M-3.6-5.4V-2.6C-3.6.2 3.6.2 3.6-2.6V-5.4M0-1V-5.4",  # a fork
    "road": "M-3.4 6C-3.4 1 3.4-1 3.4-6M-5.6 4.4C-5 1 1-1.4 1.2-6",  # a winding road
}


def crop_circle(role: str) -> str:
    """A ring pressed into the corn, three smaller ones around it, and in its middle a mark of the followers meant."""
    satellites = "".join(circle(x, y, 2, p.CORN, p.CORN_LINE, 0.8) for x, y in ((0, -12.4), (10.8, 6.2), (-10.8, 6.2)))
    return (
        satellites
        + circle(0, 0, 9.4, p.CORN, p.CORN_LINE, 1.8)
        + path(CROP_MARKS[role], stroke=p.CORN_LINE, width=1.7, stroke_linecap="round", stroke_linejoin="round")
    )


def lake() -> str:
    """A lake with reeds and ripples, some 44 wide and 37 high."""
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


def wine() -> str:
    """Wine: a barrel on a token."""
    return (
        _token()
        + path("M-3-4.4H3C4.6-1.6 4.6 1.6 3 4.4H-3C-4.6 1.6-4.6-1.6-3-4.4Z", p.WINE)
        + path("M-4-2H4M-4 2H4", stroke=p.PLASTER, width=1)
    )


def grain() -> str:
    """Grain: an ear on a token."""
    return _token() + path(
        "M0 5V-4.6M-3-2.6L0-.4L3-2.6M-3 .4L0 2.6L3 .4", stroke=p.GOLD_SHADE, width=1.6, stroke_linecap="round"
    )


def cloth() -> str:
    """Cloth: a folded bale on a token."""
    return (
        _token() + path("M-4.4-2.6H4.4V3.4H-4.4Z", p.SHIELD) + path("M-4.4.2H4.4M0-2.6V3.4", stroke=p.PLASTER, width=1)
    )


def _token() -> str:
    return circle(0, 0, 7, p.PLASTER, p.WALL, 1.1)


SIGNS = {
    "monastery": monastery,
    "garden": garden,
    "abbey": abbey,
    "shrine": shrine,
    "special_monastery": special_monastery,
    "church": church,
    "hut": hut,
    "german_castle": german_castle,
    "german_cathedral": german_cathedral,
    "pennant": pennant,
    "cathedral": cathedral,
    "inn": inn,
    "wine": wine,
    "grain": grain,
    "cloth": cloth,
    "gold": gold,
    "lake": lake,
    "bazaar": bazaar,
    "Darmstadtium": darmstadtium,
} | {f"crop circle: {role}": functools.partial(crop_circle, role) for role in CROP_MARKS}


PIECES = {"ingot": ingot, "castle-token": castle_token, "castle-gate": castle_gate, "boat": boat}  # by their ids


def sign_id(sign: str) -> str:
    """The id under which a printed thing is defined in a drawing."""
    return "".join(letter if letter.isalnum() else "-" for letter in sign.lower())
