"""Draw a map sheet as SVG elements: land, large cities, towns, and the printed border. A square is 100 by 100 units.

The drawing depends only on the `Sheet`, so users' own maps look like the maps of the package. The faces of chips that
lie face down are not available in this module.
"""

from collections.abc import Iterable
from typing import NamedTuple

from carc_env.boxes.sheets import GRAPES, Border, LargeSquare, Sheet, Square, Town
from carc_env.boxes.tiles import SIDES
from carc_env.common import palette as p
from carc_env.common.lettering import fitting_size, text, text_width
from carc_env.common.markup import circle, element, number, path, use
from carc_env.render.pieces import roof
from carc_env.render.tile_shape import Point, turn
from carc_env.systems.map_chips.signs import chip_back, glass

# If a side of the map has border connections, the space on this side contains the connections and their names.
BORDER_DEPTH = 62.0  # height of this space on the north or south side
BORDER_WIDTH = 118.0  # width of this space on the east or west side, where a name is beside the road
COAST = 30.0  # width of the space on a side where the map has no border connections
NAME = 10.5  # height of the capital letters of a name; a long name is written smaller
WALL_AT = 9.0  # distance of a large city's wall from the closed edge of the square
HOUSES = (
    (22, 24),
    (79, 21),
    (25, 41),
    (76, 42),
    (22, 77),
    (41, 82),
    (61, 76),
    (79, 80),
    (18, 60),
    (83, 62),
    (50, 39),
    (36, 66),
    (65, 61),
    (38, 25),
    (62, 24),
)  # the middles of the roofs in a large city


class Edges(NamedTuple):
    """The width of the space on each side of the map, in units of the drawing."""

    north: float
    east: float
    south: float
    west: float


def room_around(sheet: Sheet) -> Edges:
    """Return the width of the space that is shown outside the map on each side."""
    outermost = {(b.edge, b.square[1] if b.edge in "NS" else b.square[0]) for b in sheet.borders}
    last = {"N": 0, "E": sheet.columns - 1, "S": sheet.rows - 1, "W": 0}
    return Edges(
        *(
            (BORDER_DEPTH if edge in "NS" else BORDER_WIDTH) if (edge, last[edge]) in outermost else COAST
            for edge in SIDES
        )
    )


def definitions() -> dict[str, str]:
    """Return a dict with the drawings that a map sheet uses more than once. The keys are the ids of the drawings."""
    return {
        "chip": chip_back(),
        "town": houses(),
        "coat": coat_of_arms(),
        "glass": glass(),
        "border-road": road_stub(),
        "border-city": city_stub(),
    } | {f"grape-{colour}": grape(colour) for colour in GRAPES}


def sheet_art(sheet: Sheet, covered: frozenset[Square] = frozenset(), fine: bool = True) -> str:
    """Return the drawing of a map sheet. Towns whose square is in `covered` are not drawn. If `fine` is False, the
    drawing has no names, because they would be illegible.
    """
    return element("g", *sheet_parts(sheet, covered, fine), class_="sheet", data_sheet=sheet.name)


def sheet_parts(sheet: Sheet, covered: frozenset[Square] = frozenset(), fine: bool = True) -> list[str]:
    """Return the parts of a map sheet, from the bottom layer to the top layer."""
    parts = [outside(sheet), land(sheet)]
    parts += [border_connection(border, fine) for border in sheet.borders]
    parts += [large_square(part) for part in sheet.large]
    parts += [town_square(town, fine) for town in sheet.towns if town.square not in covered]
    if fine:
        parts.append(city_names(sheet))
    return parts


# --- the ground -------------------------------------------------------------------------------------------------------
def outside(sheet: Sheet) -> str:
    """Return the drawing of the sea and the neighbouring countries."""
    north, east, south, west = room_around(sheet)
    return element(
        "rect",
        x=-west,
        y=-north,
        width=100 * sheet.columns + west + east,
        height=100 * sheet.rows + north + south,
        rx=26,
        fill=p.OUTSIDE,
    )


def land(sheet: Sheet) -> str:
    """Return the drawing of the land: the outlines of all squares on which tiles can lie, and the coast around the
    whole map.
    """
    all_squares = path("".join(runs(sheet.squares | {part.square for part in sheet.large})), None)
    coast = [
        element("g", all_squares, fill="none", stroke=colour, stroke_width=width, stroke_linejoin="round")
        for colour, width in ((p.SHALLOWS, 30), (p.COAST, 7))
    ]
    outlines = (
        path(f"M{100 * x} {100 * y}h100v100h-100z", None, class_="square", data_x=x, data_y=y)
        for x, y in sorted(sheet.squares)
    )
    return "".join(coast) + element("g", *outlines, fill=p.LAND, stroke=p.LAND_LINE, stroke_width=1.3)


def runs(squares: Iterable[Square]) -> list[str]:
    """Return SVG paths: one rectangle for each unbroken run of squares in the same row."""
    left, found = set(squares), []
    for x, y in sorted(left):
        if (x - 1, y) not in left:
            length = 1
            while (x + length, y) in left:
                length += 1
            found.append(f"M{100 * x} {100 * y}h{100 * length}v100h-{100 * length}z")
    return found


# --- towns ------------------------------------------------------------------------------------------------------------
def town_square(town: Town, names: bool) -> str:
    """Return the drawing of the houses and the grapes of a town. A start square has a reddish frame."""
    x, y = 100 * town.square[0], 100 * town.square[1]
    parts = [use("town", 40, 53), use(f"grape-{town.grape}", 70, 45)]
    if town.start:
        parts.insert(
            0,
            element(
                "rect",
                x=5,
                y=5,
                width=90,
                height=90,
                rx=9,
                fill=p.START_GROUND,
                stroke=p.START,
                stroke_width=4.5,
                class_="start",
            ),
        )
    if names:
        parts.append(text(town.name, 50, 86, fitting_size(town.name, NAME, 84), p.INK, "middle", 1.4))
    return element(
        "g", *parts, class_="town", data_town=town.name, data_grape=town.grape, transform=f"translate({x} {y})"
    )


def covered_towns(towns: Iterable[Town]) -> str:
    """For each town that is covered by a tile, return a small drawing of the town's grapes. The drawing is in a corner
    of the tile.
    """
    return "".join(
        element(
            "g",
            circle(0, 0, 11, p.CARD, p.START if town.start else p.WALL, 1.6),
            use(f"grape-{town.grape}", transform="translate(-.6 1.4) scale(.58)"),
            class_="covered-town",
            data_town=town.name,
            transform=f"translate({100 * town.square[0] + 14} {100 * town.square[1] + 14})",
        )
        for town in towns
    )


def houses() -> str:
    """Return the drawing of three small houses around (0, 0)."""
    return "".join(
        path(f"M{x - 8} {y + 9}v-9h16v9z", p.PLASTER, p.WALL, 1.1)
        + path(f"M{x - 10} {y}l10-9 10 9z", colour, p.WALL, 1.1, stroke_linejoin="round")
        + path(f"M{x - 2} {y + 9}v-5h4v5z", p.WALL)
        for x, y, colour in ((-9, -6, p.ROOF_BROWN), (9, -5, p.ROOF_SHADE), (0, 6, p.ROOF))
    )


def grape(colour: str) -> str:
    """Return the drawing of a bunch of grapes in a given colour, about 24 units wide and 30 units high."""
    berries = ((-7.5, -4), (0, -5), (7.5, -4), (-4, 3), (4, 3), (0, 10))
    round_berries = "".join(circle(x, y, 4.7) for x, y in berries)
    lights = "".join(f"M{x - 2.6} {y - 1}a3 3 0 0 1 2-2" for x, y in berries)
    return (
        path("M0-8C1-12 1-14 3.5-16", stroke=p.WALL, width=2, stroke_linecap="round")
        + path("M2-12C4-18 11-18 13-15C11-10 6-9 2-12Z", p.TREE, p.WALL, 0.8)
        + element("g", round_berries, fill=p.GRAPES[colour], stroke=p.GRAPE_LINES[colour], stroke_width=1.4)
        + path(lights, stroke=p.PLASTER, width=1.2, stroke_linecap="round")
    )


# --- large cities -----------------------------------------------------------------------------------------------------
def large_square(part: LargeSquare) -> str:
    """Return the drawing of a square of a large city. The city continues at open edges; closed edges have a wall."""
    x, y = 100 * part.square[0], 100 * part.square[1]
    closed = [side for side in range(4) if part.edges[side] == "F"]
    parts = [path("M0 0h100v100h-100z", p.LARGE_CITY, p.WALL, 1.2), *_roofs(), *map(_grass, closed)]
    parts += [_wall(side, part.edges) for side in closed]
    parts += [circle(*corner, 4.6, p.WALL_TOP, p.WALL, 1.4) for corner in _tower_corners(part.edges)]
    parts += [use("coat", 50 + 20 * (i - (part.pennants - 1) / 2), 24) for i in range(part.pennants)]
    return element(
        "g",
        *parts,
        class_="large-city",
        data_city=part.city,
        data_edges=part.edges,
        data_pennants=part.pennants,
        transform=f"translate({x} {y})",
    )


def _roofs() -> list[str]:
    parts = []
    for brown, colours in enumerate(((p.ROOF, p.ROOF_SHADE), (p.ROOF_BROWN, p.ROOF_BROWN_SHADE))):
        halves = zip(*(roof(x, y, i % 2 == 0, 6.2, 4.4) for i, (x, y) in enumerate(HOUSES) if i % 3 % 2 == brown))
        parts += [path("".join(half), colour) for half, colour in zip(halves, colours)]
    return parts


def _grass(side: int) -> str:
    """Return the drawing of the strip of grass between a closed edge and its wall."""
    return path(
        "M" + "L".join(_turned((x, y), side) for x, y in ((0, 0), (100, 0), (100, WALL_AT), (0, WALL_AT))) + "Z",
        p.GRASS,
    )


def _wall(side: int, edges: str) -> str:
    """Return the drawing of the wall along a closed edge. If a neighbouring edge is also closed, the two walls meet at
    the corner.
    """
    left, right = (WALL_AT if edges[(side + step) % 4] == "F" else 0 for step in (-1, 1))
    d = f"M{_turned((left, WALL_AT), side)}L{_turned((100 - right, WALL_AT), side)}"
    return (
        path(d, stroke=p.WALL, width=8.4, stroke_linecap="square")
        + path(d, stroke=p.WALL_TOP, width=5)
        + path(d, stroke=p.WALL, width=5, stroke_dasharray="1.4 5.6")
    )


def _tower_corners(edges: str) -> list[Point]:
    """Return the coordinates of the positions where walls meet each other or end at an open edge."""
    found = []
    for side in range(4):
        if edges[side] == "F":
            left, right = (WALL_AT if edges[(side + step) % 4] == "F" else 0 for step in (-1, 1))
            found += [turn((left, WALL_AT), 90 * side), turn((100 - right, WALL_AT), 90 * side)]
    return sorted(set(found))


def _turned(point: Point, side: int) -> str:
    x, y = turn(point, 90 * side)
    return f"{number(x)} {number(y)}"


def city_names(sheet: Sheet) -> str:
    """Return the drawing of the large cities' names, each on a ribbon. If the squares of a city form a rectangle, the
    name is in the middle of the rectangle. If the squares form no rectangle, the name is on the city's first square.
    """
    parts = []
    for city in sorted({part.number for part in sheet.large}):
        squares = [part.square for part in sheet.large if part.number == city]
        (left, right), (top, bottom) = ((min(axis), max(axis) + 1) for axis in zip(*squares))
        if (right - left) * (bottom - top) != len(squares):
            (left, top), (right, bottom) = squares[0], (squares[0][0] + 1, squares[0][1] + 1)
        name = next(part.city for part in sheet.large if part.number == city)
        wide = 100 * (right - left) - 16
        size = fitting_size(name, 11, wide - 16)
        parts.append(ribbon(name, 50 * (left + right), 50 * (top + bottom) + 2, size))
    return "".join(parts)


def ribbon(name: str, x: float, y: float, size: float) -> str:
    """Return the drawing of a name on a light strip. The middle of the strip is at (x, y)."""
    half = text_width(name, size) / 2 + 7
    return element(
        "g",
        element(
            "rect", x=x - half, y=y - 10, width=2 * half, height=20, rx=4, fill=p.CARD, stroke=p.WALL, stroke_width=1.3
        ),
        text(name, x, y + size / 2, size, p.INK, "middle", 1.6),
        class_="city-name",
    )


# --- the border -------------------------------------------------------------------------------------------------------
def border_connection(border: Border, names: bool) -> str:
    """Return the drawing of a road or city that is printed at a border edge. The drawing shows three things: the part
    of this road or city outside the map, the coats of arms, and the name of the neighbouring country.
    """
    x, y, side = 100 * border.square[0], 100 * border.square[1], SIDES.index(border.edge)
    coats = [turn((50 + 15 * (i - (border.coats - 1) / 2), -20), 90 * side) for i in range(border.coats)]
    parts = [
        element("g", use(f"border-{border.kind}"), transform=f"rotate({90 * side} 50 50)"),
        *(use("coat", *point) for point in coats),
    ]
    if names and border.to:
        size = fitting_size(border.to, NAME, 94 if border.edge in "NS" else BORDER_WIDTH - 52)
        at = {
            "N": (50, -42, "middle"),
            "E": (146, 50 + size / 2, "start"),
            "S": (50, 142 + size, "middle"),
            "W": (-46, 50 + size / 2, "end"),
        }[border.edge]
        parts.append(text(border.to, *at[:2], size, p.OUTSIDE_INK, at[2], 1.4))
    return element(
        "g",
        *parts,
        class_="border",
        data_kind=border.kind,
        data_edge=border.edge,
        data_coats=border.coats,
        data_to=border.to,
        transform=f"translate({x} {y})",
    )


def road_stub() -> str:
    """Return the drawing of a road that enters a square over its north edge."""
    d = "M50 12V-34"
    return path(d, stroke=p.ROAD_LINE, width=13, stroke_linecap="round") + path(
        d, stroke=p.ROAD, width=9.6, stroke_linecap="round"
    )


def city_stub() -> str:
    """Return the drawing of a city beyond the north edge of a square."""
    wall = "M2 0C8-40 92-40 98 0"
    roofs = ((30, -9, True), (70, -9, False), (22, 3, False), (50, 4, True), (78, 4, True))
    sunny, shady = zip(*(roof(*place) for place in roofs))
    return (
        path("M2 0C8-40 92-40 98 0L98 9H2Z", p.CITY)
        + path(wall, stroke=p.WALL, width=6.4)
        + path(wall, stroke=p.WALL_TOP, width=3.6)
        + path("".join(sunny), p.ROOF)
        + path("".join(shady), p.ROOF_SHADE)
        + circle(2, 0, 4.2, p.WALL_TOP, p.WALL, 1.3)
        + circle(98, 0, 4.2, p.WALL_TOP, p.WALL, 1.3)
    )


def coat_of_arms() -> str:
    """Return the drawing of a coat of arms, about 15 units wide and 18 units high."""
    shield = "M-7-8.5H7V-1C7 4.6 3.6 7.8 0 9.6C-3.6 7.8-7 4.6-7-1Z"
    return (
        path(shield, p.COAT)
        + path("M0-8.5H7V-1C7 0 6.9.8 6.7 1.6H0Z", p.COAT_LIGHT)
        + path("M-6.7 1.6H0V9.6C-3.4 7.8-6 5.4-6.7 1.6Z", p.COAT_LIGHT)
        + path(shield, stroke=p.FIGURE_LINE, width=1.5, stroke_linejoin="round")
    )
