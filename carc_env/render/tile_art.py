"""Show a tile as SVG elements: meadows, roads, cities with walls and houses, and printed symbols.

The ground rotates with the tile. Buildings, trees and pennants stay upright, so that they are easy to recognize. Each
segment is one element or group with the attributes `data-kind` and `data-spots`. `data-spots` contains the names that
the spots have after the tile is rotated.
"""

import functools
from typing import Any

import numpy as np

from carc_env.common import palette as p
from carc_env.common.markup import circle, element, number, path, use
from carc_env.render.facts import BUILDINGS, Segment, is_double, spots_turned, tile_segments
from carc_env.render.pieces import ALL_SIGNS, roof, sign_id
from carc_env.render.places import places
from carc_env.render.tile_shape import (
    CASTLE,
    CROSSING,
    ROAD_HALF_WIDTH,
    SIZE,
    Curve,
    Point,
    castle_at,
    inside,
    numbers_of,
    sample,
    shape,
    turn,
    wall_ends,
    width_of,
)

TUFT = "m-2.6-1.6l1.9 3.1h1.4l1.9-3.1-2 1.9-.6-3.1-.6 3.1z"  # three blades of grass
ROOFS = ((p.ROOF, p.ROOF_SHADE), (p.ROOF_BROWN, p.ROOF_BROWN_SHADE))


@functools.cache
def tile_art(tile: str, rotation: int, fine: bool = True) -> str:
    """Return the elements of a tile rotated by `rotation` degrees. The tile covers one or two squares of 100 by 100
    units.

    If `fine` is False, the drawing has no grass, no shading, and no stones in the walls, because these details would be
    invisible in a cell of 40 pixels.
    """
    layers = (
        _meadow(tile, rotation, fine),
        _roads(tile, rotation),
        _cities(tile, rotation, fine),
        _ground(tile, fine),
        _village(tile, rotation),
        _trees(tile, rotation, fine),
        _german_castle(tile, rotation, fine),
        _signs(tile, rotation),
    )
    return "".join(layers)


def size_of(tile: str, rotation: int) -> Point:
    """Return the width and the height of a rotated tile."""
    return (width_of(tile), SIZE) if rotation in (0, 180) else (SIZE, width_of(tile))


def outline(tile: str, rotation: int) -> str:
    """Return the outline of a rotated tile, as a path from its north-west corner."""
    width, height = map(number, size_of(tile, rotation))
    return f"h{width}v{height}h-{width}z"


def tile_picture(tile: str, rotation: int) -> str:
    """Return a tile with its outline and the towers of its city walls. The `defs` of the SVG document must contain the
    tile.
    """
    return (
        use(f"tile-{tile}-{rotation}")
        + path(f"M0 0{outline(tile, rotation)}", stroke=p.TILE_LINE, width=1.2, stroke_opacity=0.5)
        + towers_at({turn(end, *lie(tile, rotation)) for end in wall_ends(tile)})
    )


def towers_at(corners: set[Point]) -> str:
    """Return the drawing of a round tower at each corner."""
    rings = "".join(
        f"M{number(x - 3.7)} {number(y)}a3.7 3.7 0 1 0 7.4 0a3.7 3.7 0 1 0-7.4 0z" for x, y in sorted(corners)
    )
    return path(rings, p.WALL_TOP, p.WALL, 1.3) if corners else ""


# --- paths that turn with the tile --------------------------------------------------------------------------
Lie = tuple[int, float]  # arguments for `turn`: the rotation of a tile, and the tile's width at rotation 0


def lie(tile: str, rotation: int) -> Lie:
    """Return the arguments with which the function `turn` rotates the coordinates on a tile by `rotation` degrees."""
    return rotation, width_of(tile)


def _curves(curves: list[Curve], lie: Lie, closed: bool = False) -> str:
    """Return the SVG path of curves that join end to end."""
    steps = [_point(curves[0][0], lie, "M")]
    for _, a, b, end in curves:
        steps.append(_point(a, lie, "C") + _point(b, lie, " ") + _point(end, lie, " "))
    return "".join(steps) + ("Z" if closed else "")


def _line(points: list[Point], lie: Lie = (0, SIZE)) -> str:
    """Return the SVG path of straight lines from point to point."""
    return "M" + "L".join(_point(point, lie) for point in points)


def _point(point: Point, lie: Lie, before: str = "") -> str:
    x, y = turn(point, *lie)
    return f"{before}{number(x)} {number(y)}"


def _data(tile: str, segment: Segment, rotation: int) -> dict[str, Any]:
    """Return the attributes that identify a segment in the drawing."""
    return {"data_kind": segment.kind, "data_spots": " ".join(spots_turned(tile, rotation, segment))}


# --- layers, from the bottom up -----------------------------------------------------------------------------
def _meadow(tile: str, rotation: int, fine: bool) -> str:
    width, height = size_of(tile, rotation)
    ground = element("rect", width=width, height=height, fill=p.FIELD)
    if not fine:
        return ground
    grass, segments = places(tile).grass, tile_segments(tile)
    light = "".join(_blob(turn(points[0], *lie(tile, rotation)), width, height) for points in grass.values())
    parts = [ground] + [path(light, p.FIELD_LIGHT)] * bool(light)
    for field, points in grass.items():
        tufts = "".join(_point(point, lie(tile, rotation), "M") + TUFT for point in points)
        parts.append(path(tufts, p.GRASS, **_data(tile, segments[field], rotation)))
    return "".join(parts)


def _blob(middle: Point, width: float, height: float) -> str:
    x, y = (min(max(c, 17.0), length - 17.0) for c, length in zip(middle, (width, height)))
    return f"M{number(x - 16)} {number(y)}c0-6 7-10 16-9 8 1 15 4 15 9 0 6-7 9-15 9-9 0-16-3-16-9z"


def _roads(tile: str, rotation: int) -> str:
    segments, roads = tile_segments(tile), shape(tile).roads
    parts = []
    for road, lines in roads.items():
        d = "".join(_curves(curves, lie(tile, rotation)) for curves in lines)
        border = path(d, stroke=p.ROAD_LINE, width=2 * ROAD_HALF_WIDTH)
        surface = path(d, stroke=p.ROAD, width=2 * ROAD_HALF_WIDTH - 2.6)
        parts.append(element("g", border, surface, **_data(tile, segments[road], rotation)))
    through = [road for road in roads if len(segments[road].spots) == 2 and _crosses_middle(roads[road])]
    if len(through) == 2:
        parts.append(_bridge(segments[through[1]], rotation))
    return "".join(parts)


def _crosses_middle(lines: list[list[Curve]]) -> bool:
    return any(np.hypot(*(sample(curves) - CROSSING).T).min() < 1 for curves in lines)


def _bridge(road: Segment, rotation: int) -> str:
    """Return the parapets of a road that crosses another road in the middle of the tile."""
    quarter = 0 if road.spots[0] in "EW" else 90
    sides = [_line([turn((x, 50 + side), quarter) for x in (39, 61)], (rotation, SIZE)) for side in (-5.2, 5.2)]
    return path("".join(sides), stroke=p.WALL, width=2.2, stroke_linecap="round")


def _cities(tile: str, rotation: int, fine: bool) -> str:
    segments = tile_segments(tile)
    parts = []
    for city, outline in shape(tile).cities.items():
        houses = [turn(house, *lie(tile, rotation)) for house in places(tile).houses[city]]
        parts.append(
            element(
                "g",
                path(_curves(outline, lie(tile, rotation), closed=True), p.CITY),
                _tunnels(tile, city, rotation),
                _roofs(houses),
                _walls(tile, city, rotation, fine),
                **_data(tile, segments[city], rotation),
            )
        )
    return "".join(parts)


def _tunnels(tile: str, city: int, rotation: int) -> str:
    """Return the dashed lines of roads that continue underneath a city."""
    outlines, segments = shape(tile), tile_segments(tile)
    parts = []
    for road in numbers_of(segments, "road"):
        points = sample(outlines.roads[road][0], 60)
        within = np.flatnonzero(inside(outlines.cities[city], points))
        if len(segments[road].spots) == 2 and len(within):
            ends = [tuple(points[i].tolist()) for i in (within[0], within[-1])]
            parts.append(path(_line(ends, lie(tile, rotation)), stroke=p.ROAD, width=4, stroke_dasharray="5 3.4"))
    return "".join(parts)


def _walls(tile: str, city: int, rotation: int, fine: bool) -> str:
    walls = shape(tile).walls[city]
    if not walls:
        return ""
    lies = lie(tile, rotation)
    d = "".join(_curves(wall, lies) for wall in walls)
    gates = "".join(_gate(turn(point, *lies), turn(ahead, *lies)) for point, ahead in _gates(tile, city))
    wall = path(d, stroke=p.WALL, width=5.2) + path(d, stroke=p.WALL_TOP, width=2.9)
    if not fine:
        return wall + gates
    shade = "".join(_line(sample(wall)[1:-1].tolist(), lies) for wall in walls)
    return (
        path(shade, stroke=p.SHADE, width=11, stroke_opacity=0.13)
        + wall
        + path(d, stroke=p.WALL, width=2.9, stroke_dasharray=".8 3.4")
        + gates
    )


def _gates(tile: str, city: int) -> list[tuple[Point, Point]]:
    """Return the points where roads meet the walls of a city. Each point is returned together with the next point on
    the road.
    """
    outlines, found = shape(tile), []
    for curves in (curves for lines in outlines.roads.values() for curves in lines):
        points = sample(curves, 60)
        within = inside(outlines.cities[city], points)
        at_wall = np.flatnonzero(within[1:] != within[:-1])
        found += [(tuple(points[i].tolist()), tuple(points[i + 1].tolist())) for i in at_wall]
    return found


def _gate(point: Point, ahead: Point) -> str:
    """Return the drawing of a gate between two towers. The road passes through the gate at `point`, and continues to
    the point `ahead`.
    """
    (x, y), (dx, dy) = point, (ahead[0] - point[0], ahead[1] - point[1])
    length = (dx * dx + dy * dy) ** 0.5
    dx, dy = dx / length, dy / length
    door = _line([(x - 3 * dx, y - 3 * dy), (x + 3 * dx, y + 3 * dy)])
    towers = [circle(x + side * dy, y - side * dx, 3.1, p.WALL_TOP, p.WALL, 1.3) for side in (-6.2, 6.2)]
    return path(door, stroke=p.WALL, width=8) + "".join(towers)


def _roofs(points: list[Point], **size: float) -> str:
    """Return the drawing of houses from above. The roofs have two directions and two colours."""
    parts = []
    for brown, (sunny, shady) in enumerate(ROOFS):
        roofs = [
            roof(x, y, across=(i // 2) % 2 == 0, **size) for i, (x, y) in enumerate(points) if (i % 3 == 2) == brown
        ]
        if roofs:
            parts += [path("".join(half), colour) for half, colour in zip(zip(*roofs), (sunny, shady))]
    return "".join(parts)


def _village(tile: str, rotation: int) -> str:
    """Return the drawing of the village at a crossing where roads end. Without a village, return an empty string."""
    crossing = shape(tile).crossing
    if not crossing:
        return ""
    x, y = turn(crossing, rotation)
    houses = [(x - 5.2, y - 3), (x + 5, y - 3.6), (x - 0.4, y + 5)]
    return circle(x, y, 11.5, p.ROAD, p.ROAD_LINE, 1.3) + _roofs(houses, long=3.4, wide=2.8)


def _trees(tile: str, rotation: int, fine: bool) -> str:
    points = [turn(point, *lie(tile, rotation)) for point in places(tile).trees]
    crowns = "".join(f"M{number(x - 3.6)} {number(y)}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z" for x, y in points)
    lights = "".join(f"M{number(x - 2.6)} {number(y - 0.8)}a2 2 0 1 0 4 0a2 2 0 1 0-4 0z" for x, y in points)
    if not points:
        return ""
    return path(crowns, p.TREE) + (path(lights, p.TREE_LIGHT) if fine else "")


def _ground(tile: str, fine: bool) -> str:
    """Return the drawing of the ground for buildings that cover the whole tile, such as an abbey."""
    grounds = [ALL_SIGNS[sign].ground for sign, _ in places(tile).signs]
    return "".join(draw(fine) for draw in grounds if draw)


def _german_castle(tile: str, rotation: int, fine: bool) -> str:
    """Return the drawing of a German castle from above: walls over two squares, with a tower at each corner."""
    if not is_double(tile):
        return ""
    (x, y), (length, depth), lies = castle_at(tile), CASTLE, lie(tile, rotation)
    across, down = length / 2 - 5, depth / 2 - 4
    corners = [(x + sx * across, y + sy * down) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    ring = _line(corners, lies) + "Z"
    towers = "".join(circle(*turn(corner, *lies), 6, p.SLATE, p.STONE_SHADE, 1.6) for corner in corners)
    stones = path(ring, stroke=p.STONE_SHADE, width=3.6, stroke_dasharray="1 4") if fine else ""
    return (
        path(ring, p.PAVING, p.STONE_SHADE, 7.4, stroke_linejoin="round")
        + path(ring, stroke=p.STONE, width=4.6)
        + stones
        + towers
    )


def _signs(tile: str, rotation: int) -> str:
    """Return the printed symbols. Some symbols rotate with the tile, and most symbols stay upright."""
    buildings, parts = {segment.kind: segment for segment in tile_segments(tile) if segment.kind in BUILDINGS}, []
    for sign, point in places(tile).signs:
        x, y = turn(point, *lie(tile, rotation))
        about = _data(tile, buildings[sign], rotation) if sign in buildings else {"data_sign": sign}
        if ALL_SIGNS[sign].turns and rotation:
            about["transform"] = f"rotate({rotation} {number(x)} {number(y)})"
        parts.append(use(sign_id(sign), x, y, **about))
    return "".join(parts)
