"""One tile as SVG elements: meadow, roads, cities with walls and houses, and what is printed on it.

The ground turns with the tile, while buildings, trees and shields stay upright so that they are easy to read.
Each segment is one element (or group) with `data-kind` and `data-spots` (in board orientation).
"""

import functools

import numpy as np

from carc_env.render import palette as p
from carc_env.render.facts import Segment, tile_segments, turned
from carc_env.render.geometry import CROSSING, ROAD_HALF_WIDTH, Curve, Point, inside, numbers_of, sample, shape, turn
from carc_env.render.pieces import roof, sign_id
from carc_env.render.places import places

_TUFT = "m-2.6-1.6l1.9 3.1h1.4l1.9-3.1-2 1.9-.6-3.1-.6 3.1z"  # three blades of grass


@functools.cache
def tile_art(tile: str, rotation: int) -> str:
    """The elements of a tile that lies turned by `rotation` degrees, in a square of 100 by 100 units."""
    return "".join(layer(tile, rotation) for layer in (_meadow, _roads, _cities, _crossing, _trees, _signs))


def number(value: float) -> str:
    """A number as short as it can be written."""
    return f"{value:.1f}".rstrip("0").rstrip(".").replace("-0", "0") if abs(value) < .05 else f"{value:.1f}".removesuffix(".0")


def curve_path(curves: list[Curve], rotation: int, closed: bool = False) -> str:
    """Joined curves of a tile as an SVG path, turned with the tile."""
    steps = [_point(curves[0][0], rotation, "M")]
    for _, a, b, end in curves:
        steps.append(_point(a, rotation, "C") + _point(b, rotation, " ") + _point(end, rotation, " "))
    return "".join(steps) + ("Z" if closed else "")


def _point(point: Point, rotation: int, before: str) -> str:
    x, y = turn(point, rotation)
    return f"{before}{number(x)} {number(y)}"


def _polyline(points: np.ndarray, rotation: int) -> str:
    return "M" + "L".join(_point(tuple(point), rotation, "") for point in points.tolist())


def _data(segment: Segment, rotation: int) -> str:
    spots = " ".join(turned(spot, rotation) for spot in segment.spots)
    return f'data-kind="{segment.kind}" data-spots="{spots}"'


# --- layers, from the bottom up -----------------------------------------------------------------------------------
def _meadow(tile: str, rotation: int) -> str:
    where, segments = places(tile), tile_segments(tile)
    light = "".join(_blob(turn(points[0], rotation)) for points in where.grass.values())
    parts = [f'<rect width="100" height="100" fill="{p.FIELD}"/><path d="{light}" fill="{p.FIELD_LIGHT}"/>']
    for field, points in where.grass.items():
        tufts = "".join(_point(point, rotation, "M") + _TUFT for point in points)
        parts.append(f'<path {_data(segments[field], rotation)} d="{tufts}" fill="{p.GRASS}"/>')
    return "".join(parts)


def _blob(middle: Point) -> str:
    x, y = (min(max(c, 17.0), 83.0) for c in middle)
    return f"M{number(x - 16)} {number(y)}c0-6 7-10 16-9 8 1 15 4 15 9 0 6-7 9-15 9-9 0-16-3-16-9z"


def _roads(tile: str, rotation: int) -> str:
    segments = tile_segments(tile)
    parts = []
    roads = shape(tile).roads
    for road, lines in roads.items():
        path = "".join(curve_path(curves, rotation) for curves in lines)
        inn = ' data-inn="1"' if "inn" in segments[road].marks else ""
        parts.append(f'<g {_data(segments[road], rotation)}{inn} fill="none" stroke-linecap="butt">'
                     f'<path d="{path}" stroke="{p.ROAD_LINE}" stroke-width="{2 * ROAD_HALF_WIDTH}"/>'
                     f'<path d="{path}" stroke="{p.ROAD}" stroke-width="{2 * ROAD_HALF_WIDTH - 2.6}"/></g>')
    if sum(len(segments[road].spots) == 2 and inside_middle(lines) for road, lines in roads.items()) > 1:
        parts.append(_bridge(segments[max(roads)], rotation))
    return "".join(parts)


def _bridge(road: Segment, rotation: int) -> str:
    """The parapets of a road that crosses another one in the middle of the tile."""
    sides = [((50 - 11, 50 + s), (50 + 11, 50 + s)) for s in (-5.2, 5.2)]
    quarter = 0 if road.spots[0] in "EW" else 90
    path = "".join(_point(turn(a, quarter), rotation, "M") + _point(turn(b, quarter), rotation, "L") for a, b in sides)
    return f'<path d="{path}" stroke="{p.WALL}" stroke-width="2.2" stroke-linecap="round"/>'


def inside_middle(lines: list[list[Curve]]) -> bool:
    """Whether a road runs through the middle of its tile."""
    return any(np.hypot(*(sample(curves) - CROSSING).T).min() < 1 for curves in lines)


def _cities(tile: str, rotation: int) -> str:
    outlines, segments = shape(tile), tile_segments(tile)
    parts = []
    for city, outline in outlines.cities.items():
        pennants = f' data-pennants="{segments[city].pennants}"' if segments[city].pennants else ""
        parts.append(f'<g {_data(segments[city], rotation)}{pennants}>'
                     f'<path d="{curve_path(outline, rotation, closed=True)}" fill="{p.CITY}"/>'
                     f'{_streets(tile, city, rotation)}{_houses(tile, city, rotation)}{_walls(tile, city, rotation)}</g>')
    return "".join(parts)


def _walls(tile: str, city: int, rotation: int) -> str:
    walls = shape(tile).walls[city]
    if not walls:
        return ""
    path = "".join(curve_path(wall, rotation) for wall in walls)
    shade = "".join(_polyline(sample(wall)[1:-1], rotation) for wall in walls)
    return (f'<g fill="none"><path d="{shade}" stroke="{p.SHADE}" stroke-opacity=".13" stroke-width="11"/>'
            f'<path d="{path}" stroke="{p.WALL}" stroke-width="5.2"/><path d="{path}" stroke="{p.WALL_TOP}" stroke-width="2.9"/>'
            f'<path d="{path}" stroke="{p.WALL}" stroke-width="2.9" stroke-dasharray=".8 3.4"/></g>'
            + "".join(_gate(turn(point, rotation), turn(ahead, rotation)) for point, ahead in _gates(tile, city)))


def _gate(point: Point, ahead: Point) -> str:
    """A gate at a point, its door facing the road that leads to the point `ahead`; two towers guard it."""
    (x, y), (dx, dy) = point, (ahead[0] - point[0], ahead[1] - point[1])
    length = (dx * dx + dy * dy) ** .5
    dx, dy = dx / length, dy / length
    towers = "".join(f'<circle cx="{number(x + side * dy)}" cy="{number(y - side * dx)}" r="3.1"/>' for side in (-6.2, 6.2))
    return (f'<path d="M{number(x - 3 * dx)} {number(y - 3 * dy)}L{number(x + 3 * dx)} {number(y + 3 * dy)}" stroke="{p.WALL}"'
            f' stroke-width="8"/><g fill="{p.WALL_TOP}" stroke="{p.WALL}" stroke-width="1.3">{towers}</g>')


def _gates(tile: str, city: int) -> list[tuple[Point, Point]]:
    """Where roads meet the walls of a city, each with the next point of the road."""
    outlines, found = shape(tile), []
    for lines in outlines.roads.values():
        for curves in lines:
            points = sample(curves, 60)
            within = inside(outlines.cities[city], points)
            found += [(tuple(points[i].tolist()), tuple(points[i + 1].tolist()))
                      for i in np.flatnonzero(within[1:] != within[:-1])]
    return found


def _streets(tile: str, city: int, rotation: int) -> str:
    """The dashed line of a road that runs on below a city."""
    outlines, segments = shape(tile), tile_segments(tile)
    parts = []
    for road in numbers_of(segments, "road"):
        points = sample(outlines.roads[road][0], 60)
        within = np.flatnonzero(inside(outlines.cities[city], points))
        if len(segments[road].spots) == 2 and len(within):
            ends = [tuple(points[i].tolist()) for i in (within[0], within[-1])]
            parts.append(f'<path d="{_point(ends[0], rotation, "M")}{_point(ends[1], rotation, "L")}" fill="none"'
                         f' stroke="{p.ROAD}" stroke-width="4" stroke-dasharray="5 3.4"/>')
    return "".join(parts)


def _houses(tile: str, city: int, rotation: int) -> str:
    return _roofs([turn(point, rotation) for point in places(tile).houses[city]])


def _roofs(points: list[Point], **size: float) -> str:
    """Houses from above, red and brown roofs in turn."""
    parts = []
    for first, (sunny, shady) in enumerate(((p.ROOF, p.ROOF_SHADE), (p.ROOF_BROWN, p.ROOF_BROWN_SHADE))):
        roofs = [roof(x, y, across=(i // 2) % 2 == 0, **size) for i, (x, y) in enumerate(points) if i % 3 // 2 == first]
        if roofs:
            parts.append(f'<path d="{"".join(r[0] for r in roofs)}" fill="{sunny}"/>'
                         f'<path d="{"".join(r[1] for r in roofs)}" fill="{shady}"/>')
    return "".join(parts)


def _crossing(tile: str, rotation: int) -> str:
    """The village in which three or more roads end."""
    if not shape(tile).crossing:
        return ""
    x, y = CROSSING
    houses = [(x - 5.2, y - 3), (x + 5, y - 3.6), (x - .4, y + 5)]
    return (f'<circle cx="{x:g}" cy="{y:g}" r="11.5" fill="{p.ROAD}" stroke="{p.ROAD_LINE}" stroke-width="1.3"/>'
            + _roofs(houses, long=3.4, wide=2.8))


def _trees(tile: str, rotation: int) -> str:
    points = [turn(point, rotation) for point in places(tile).trees]
    crowns = "".join(f"M{number(x - 3.6)} {number(y)}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z" for x, y in points)
    lights = "".join(f"M{number(x - 2.6)} {number(y - .8)}a2 2 0 1 0 4 0a2 2 0 1 0-4 0z" for x, y in points)
    return f'<path d="{crowns}" fill="{p.TREE}"/><path d="{lights}" fill="{p.TREE_LIGHT}"/>' if points else ""


def _signs(tile: str, rotation: int) -> str:
    parts = []
    for sign, point in places(tile).signs:
        x, y = turn(point, rotation)
        kind = f' data-kind="{sign}" data-spots="{sign}"' if sign in ("monastery", "garden") else f' data-sign="{sign}"'
        parts.append(f'<use href="#{sign_id(sign)}" x="{number(x)}" y="{number(y)}"{kind}/>')
    return "".join(parts)
