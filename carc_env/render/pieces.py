"""Small drawings of our own around the point (0, 0): figures, ingots and what is printed on tiles.

A figure takes its fill from the `<use>` that shows it; everything else brings its own colours.
"""

import functools

from carc_env.render import palette as p
from carc_env.render.markup import circle, element, path

INK = {"stroke": p.WALL, "width": 1, "stroke_linejoin": "round"}  # the outline of what is built

# --- figures ------------------------------------------------------------------------------------------------
_MEEPLE = ("M-3.2-4.2C-4.9-5.6-4.8-11.4 0-11.4C4.8-11.4 4.9-5.6 3.2-4.2C6.4-3.6 10.4-1.9 11.2.3"
           "C11.8 2.1 10.4 3.3 8.5 3.1L5 2.6C5.5 6 8 8.5 8.8 10.4C9.3 11.5 8.7 12 7.6 12L3 12"
           "C1.7 12 1.3 9.4 0 7.6C-1.3 9.4-1.7 12-3 12L-7.6 12C-8.7 12-9.3 11.5-8.8 10.4C-8 8.5-5.5 6-5 2.6"
           "L-8.5 3.1C-10.4 3.3-11.8 2.1-11.2.3C-10.4-1.9-6.4-3.6-3.2-4.2Z")
_ABBOT = ("M0-14C2.4-11.8 3.9-9.8 3.9-7.4C3.9-5.6 3.4-4.6 2.9-3.9C6.2-2.6 7.2 0 7.8 3L9.6 10.6"
          "C9.8 11.5 9.4 12 8.4 12L-8.4 12C-9.4 12-9.8 11.5-9.6 10.6L-7.8 3C-7.2 0-6.2-2.6-2.9-3.9"
          "C-3.4-4.6-3.9-5.6-3.9-7.4C-3.9-9.8-2.4-11.8 0-14Z")
_BUILDER = ("M-6.8-6.9L-4.4-7.2C-4.4-10.6-2.6-12.4 0-12.4C2.6-12.4 4.4-10.6 4.4-7.2L6.8-6.9"
            "C7.3-6.8 7.3-5.8 6.8-5.7L3.6-5.4C3.4-4.6 3.1-4 2.8-3.6C4.6-3 6-2 7-.6L10.6-6.6"
            "C11.4-7.8 13.4-6.8 12.8-5.4L8.9 3.1C8.3 4.3 7 4.5 6 3.7L4.4 2.6L4.9 12L-4.9 12L-4.4 2.6L-6 3.7"
            "C-7 4.5-8.3 4.3-8.9 3.1L-10.8-1C-11.4-2.4-9.6-3.3-8.8-2.1L-7-.6"
            "C-6-2-4.6-3-2.8-3.6C-3.1-4-3.4-4.6-3.6-5.4L-6.8-5.7C-7.3-5.8-7.3-6.8-6.8-6.9Z")
_PIG = ("M-13.4-1.2C-13.9-.2-13.9 2.2-13.2 2.8C-12 3.4-10.6 3.4-9.8 3.6C-9.2 4.9-8.6 5.6-7.9 6.1L-8 9.3"
        "C-8 9.9-7.6 10.2-7 10.2L-4.4 10.2C-3.8 10.2-3.5 9.9-3.4 9.3L-3.1 7.2C-1 7.6 2 7.6 4.2 7.1L4.6 9.3"
        "C4.7 9.9 5 10.2 5.6 10.2L8.1 10.2C8.7 10.2 9 9.9 9 9.3L9.2 5.2C10.4 3.9 11 2 11-.2"
        "C12.6.2 13.9-.8 13.8-2.4C13.7-3.4 12.4-3.5 12.5-2.5C12.5-2 11.8-1.9 11.4-2.4"
        "C10.4-5.2 7.4-7 3.6-7.1C.2-7.2-3-6.9-5.2-6"
        "L-8.9-8.4C-9.5-8.7-9.9-8.4-9.8-7.7L-9.4-4.4C-10.6-3.6-12.2-2.4-13.4-1.2Z")

SHAPES = {"meeple": _MEEPLE, "big": _MEEPLE, "abbot": _ABBOT, "builder": _BUILDER, "pig": _PIG}
SIGNS_ON = {"abbot": "M0-1.6v9.2M-3 1.6h6", "big": "M-4.6-1.4H4.6M-3.4 1.4H3.4"}  # a cross; two bars, for the strength of two
SCALES = {"meeple": 1.12, "big": 1.5, "abbot": 1.1, "builder": 1.1, "pig": 1.0}


def figure(kind: str) -> str:
    """A figure seen from the front, its feet some 12 units below the middle."""
    d = SHAPES[kind]
    halo = path(d, stroke=p.PLASTER, width=3, stroke_linejoin="round")
    body = path(d, None, p.FIGURE_LINE, .8, stroke_opacity=.8, stroke_linejoin="round")
    return halo + body + (path(SIGNS_ON[kind], stroke=p.PLASTER, width=1.5) if kind in SIGNS_ON else "")


def ingot() -> str:
    """One gold bar, 17 wide and 10 high, seen from above its long side."""
    outline = "M-8.6 5L-6.2-2.2L-4.4-5L4.4-5L6.2-2.2L8.6 5Z"
    return (path(outline, p.GOLD) + path("M-6.2-2.2L-4.4-5L4.4-5L6.2-2.2Z", p.GOLD_LIGHT)
            + path(outline, stroke=p.GOLD_SHADE, width=1.1, stroke_linejoin="round"))


def roof(x: float, y: float, across: bool, long: float = 4.8, wide: float = 3.5) -> tuple[str, str]:
    """A house from above: the sunny and the shady half of its roof, as two paths."""
    if across:
        sunny, shady = (x - long, y - wide, 2 * long, wide), (x - long, y, 2 * long, wide)
    else:
        sunny, shady = (x - wide, y - long, wide, 2 * long), (x, y - long, wide, 2 * long)
    return tuple(f"M{a:.4g} {b:.4g}h{w:.4g}v{h:.4g}h-{w:.4g}z" for a, b, w, h in (sunny, shady))


# --- buildings ----------------------------------------------------------------------------------------------
def monastery() -> str:
    """A small cloister: a nave with a tower, seen from the front."""
    return (element("ellipse", cy=11.5, rx=17, ry=4.5, fill=p.GRASS, opacity=.55)
            + path("M-14 12V0H8V12ZM8 12V-5H15V12Z", p.PLASTER)
            + path("M-16.2 1L-11-7.5H8V1Z", p.ROOF) + path("M6.4-4.4L11.5-14L16.6-4.4Z", p.ROOF_SHADE)
            + path("M11.5-14V-19M9.3-17H13.7", stroke=p.WALL, width=1.4)
            + path("M-10.8 12V7.4a2 2 0 0 1 4 0V12ZM-3.8 12V7.4a2 2 0 0 1 4 0V12Z", p.WALL)
            + path("M10 3.4a1.5 1.5 0 0 1 3 0V6.4H10Z", p.WALL)
            + path("M-14 12V1M-14 12H15V-4M-16.2 1L-11-7.5H8M-16.2 1H8V12M6.4-4.4L11.5-14L16.6-4.4Z", **INK))


def garden() -> str:
    """A walled garden from above: four beds around a well."""
    beds = "".join(element("rect", x=x, y=y, width=6.4, height=6.4, rx=1.3)
                   for x in (-7.8, 1.4) for y in (-7.8, 1.4))
    flowers = "".join(circle(x, y, 1.1) for x, y in (
        (-6, -5.8), (-3.2, -3.4), (3.2, -3.4), (6, -6), (-5.8, 5.8), (-3.4, 3.2), (3.4, 3.2), (5.8, 6)))
    wall = path("M-10-10H10V10H-10Z", p.ROAD, p.WALL, 1.6, stroke_linejoin="round")
    return (wall + element("g", beds, fill=p.TREE) + element("g", flowers, fill=p.FLOWER)
            + circle(0, 0, 2.2, p.WATER, p.WALL, .8))


def cathedral() -> str:
    """A church front with two towers and a rose window."""
    return (path("M-14 14V-6H-6V0H6V-6H14V14Z", p.PLASTER) + path("M-6 1L0-8L6 1Z", p.ROOF)
            + path("M-15-6L-10-17L-5-6ZM5-6L10-17L15-6Z", p.ROOF_SHADE) + circle(0, 4.2, 2.7, p.SHIELD)
            + path("M-2.6 14v-3a2.6 2.6 0 0 1 5.2 0v3z", p.WALL)
            + path("M-11.4 2a1.4 1.4 0 0 1 2.8 0v4h-2.8zM8.6 2a1.4 1.4 0 0 1 2.8 0v4h-2.8z", p.WALL)
            + path("M-14 14V-6M-6 14V-6M6 14V-6M14 14V-6M-14 14H14M-6 1L0-8L6 1", **INK))


def inn() -> str:
    """An inn beside its pond."""
    return (element("ellipse", cx=2.5, cy=4.5, rx=9, ry=4.6, fill=p.WATER, stroke=p.PLASTER, stroke_width=1)
            + path("M-8 3V-3H3V3Z", p.PLASTER) + path("M-9.6-2.4L-6.4-8H1.4L4.6-2.4Z", p.ROOF_BROWN)
            + path("M-4 3V-.6H-1.4V3Z", p.WALL)
            + path("M-8 3V-2.4M3 3V-2.4M-8 3H3M-9.6-2.4L-6.4-8H1.4L4.6-2.4Z", **INK))


def bazaar() -> str:
    """A market stall with a striped awning."""
    return (path("M-11-1V9H11V-1", p.PLASTER, **INK) + path("M-13 0L-9-9H9L13 0Z", p.ROOF)
            + path("M-8.6 0L-5.4-9H-1.8L-2.6 0ZM3 0L2.2-9H5.8L8.6 0Z", p.PLASTER)
            + path("M-8 9V4H8V9Z", p.ROOF_BROWN) + path("M-13 0L-9-9H9L13 0Z", **INK))


def shrine() -> str:
    """A wayside shrine: a roof over an altar."""
    return (path("M-10 11V8H10V11ZM-7.4 8V-2H-4.6V8ZM4.6 8V-2H7.4V8Z", p.PLASTER, **INK)
            + path("M-11-1L0-11L11-1Z", p.SHIELD, **INK) + circle(0, 4, 2.4, p.GOLD))


def special_monastery() -> str:
    """A domed abbey church."""
    return (path("M-14 11V0H14V11Z", p.PLASTER) + path("M-8 0A8 8 0 0 1 8 0Z", p.SHIELD)
            + path("M-15 0H-9V-8L-12-12L-15-8ZM9 0H15V-8L12-12L9-8Z", p.ROOF)
            + path("M0-8V-14M-2-12H2", stroke=p.WALL, width=1.3)
            + path("M-3 11V6A3 3 0 0 1 3 6V11ZM-11 11V6H-8V11ZM8 11V6H11V11Z", p.WALL)
            + path("M-14 11V0H14V11Z", **INK))


def church() -> str:
    """A village church."""
    return (path("M-11 11V0H5V11ZM4 11V-8L8.5-16L13-8V11Z", p.PLASTER)
            + path("M-12.6 1L-8-6H5V1ZM3-7L8.5-18L14-7Z", p.SHIELD)
            + path("M-7 11V6H-3V11ZM7 2V-2H10V2Z", p.WALL)
            + path("M-11 11V1M-11 11H13V-7M4 11V-7", **INK))


def darmstadtium() -> str:
    """A modern hall of glass."""
    return (path("M-14 9L-9-9L4-5L14-10V9Z", p.WATER, **INK)
            + path("M-9-9L-4 9M4-5L4 9M-12 2H14", stroke=p.PLASTER, width=1.2))


def hut() -> str:
    """A witch's hut on chicken legs."""
    return (path("M-4 3L-5 11H-8M-5 11L-2.6 12M4 3L5 11H8M5 11L2.6 12", stroke=p.GOLD_SHADE, width=1.8)
            + path("M-8 4V-5H8V4Z", p.ROOF_BROWN, **INK) + path("M-11-4L0-14L11-4Z", p.TREE, **INK)
            + path("M-2.2 1.4V-3H2.2V1.4Z", p.GOLD))


# --- signs --------------------------------------------------------------------------------------------------
def pennant() -> str:
    """A shield with a light cross."""
    shield = "M-5.6-6.4H5.6V-.6C5.6 3.6 2.8 6 0 7.4C-2.8 6-5.6 3.6-5.6-.6Z"
    return (path(shield, p.SHIELD) + path("M-1.5-6.4h3v13l-1.5.8-1.5-.8zM-5.6-2.6H5.6v2.8H-5.6z", p.PLASTER)
            + path(shield, stroke=p.WALL, width=1.3, stroke_linejoin="round"))


def gold() -> str:
    """The mark of a gold tile: three nuggets."""
    nuggets = "".join(f"M{x} {y}l3.4-2 3.6 1 1.4 3.2-2.6 2.6-4.2.2-2.6-2.4z"
                      for x, y in ((-3.6, -4.4), (-7.4, 1.8), (.2, 2)))
    return (path(nuggets, p.GOLD, p.GOLD_SHADE, 1.1, stroke_linejoin="round")
            + path("M-4.6 2.4l2-.8M3 2.6l2-.8M-.8-3.8l2-.8", stroke=p.GOLD_LIGHT, width=1))


CROP_MARKS = {  # what is pressed into the middle of a crop circle, by the followers that it is about
    "knights": "M-4-4.6H4V0C4 2.8 2 4.4 0 5.4C-2 4.4-4 2.8-4 0Z",  # a shield
    "farmers": "M0 6V-1M-3.6-5.4V-2.6C-3.6.2 3.6.2 3.6-2.6V-5.4M0-1V-5.4",  # a fork
    "road": "M-3.4 6C-3.4 1 3.4-1 3.4-6M-5.6 4.4C-5 1 1-1.4 1.2-6",  # a winding road
}


def crop_circle(role: str) -> str:
    """A ring pressed into the corn, three smaller ones around it, and in its middle a mark of the followers meant."""
    satellites = "".join(circle(x, y, 2, p.CORN, p.CORN_LINE, .8) for x, y in ((0, -12.4), (10.8, 6.2), (-10.8, 6.2)))
    return (satellites + circle(0, 0, 9.4, p.CORN, p.CORN_LINE, 1.8)
            + path(CROP_MARKS[role], stroke=p.CORN_LINE, width=1.7, stroke_linecap="round", stroke_linejoin="round"))


def lake() -> str:
    """A lake with a ferry on it."""
    shore = "M-15 1C-15-8-6-13 2-12C11-11 16-6 15 2C14 10 6 13-2 12C-10 12-15 8-15 1Z"
    return (path(shore, p.WATER, p.PLASTER, 1.4) + path("M-7 2H7L4.6 6H-4.6Z", p.ROOF_BROWN)
            + path("M0 1V-7L6 0Z", p.PLASTER))


def wine() -> str:
    """Wine: a barrel on a token."""
    return (_token() + path("M-3-4.4H3C4.6-1.6 4.6 1.6 3 4.4H-3C-4.6 1.6-4.6-1.6-3-4.4Z", p.WINE)
            + path("M-4-2H4M-4 2H4", stroke=p.PLASTER, width=1))


def grain() -> str:
    """Grain: an ear on a token."""
    return _token() + path("M0 5V-4.6M-3-2.6L0-.4L3-2.6M-3 .4L0 2.6L3 .4", stroke=p.GOLD_SHADE, width=1.6,
                           stroke_linecap="round")


def cloth() -> str:
    """Cloth: a folded bale on a token."""
    return (_token() + path("M-4.4-2.6H4.4V3.4H-4.4Z", p.SHIELD)
            + path("M-4.4.2H4.4M0-2.6V3.4", stroke=p.PLASTER, width=1))


def _token() -> str:
    return circle(0, 0, 7, p.PLASTER, p.WALL, 1.1)


SIGNS = {
    "monastery": monastery, "garden": garden, "pennant": pennant, "cathedral": cathedral, "inn": inn,
    "wine": wine, "grain": grain, "cloth": cloth, "gold": gold, "lake": lake, "bazaar": bazaar,
    "shrine": shrine, "special monastery": special_monastery, "church": church, "Darmstadtium": darmstadtium,
    "Baba Yaga's hut": hut,
} | {f"crop circle: {role}": functools.partial(crop_circle, role) for role in CROP_MARKS}


def sign_id(sign: str) -> str:
    """The id under which a printed thing is defined in a drawing."""
    return "".join(letter if letter.isalnum() else "-" for letter in sign.lower())
