"""Compute the shape of a tile: the course of its city walls and roads, and the area of each segment.

A tile is 100 by 100 units. The north-west corner of a tile is at (0, 0), and y grows to the south. A double tile is 200
units wide at rotation 0. The module computes the shape from the segments, so tiles of a new expansion need no drawings.
`Shape` contains the outlines as Bezier curves, and a grid with the segment of each point. A flood fill finds the fields
on the grid.
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from carc_env.render.facts import HALVES, SIDES, Segment, has_centre_piece, is_double, squares, tile_segments

SIZE = 100.0
GRID = 41  # number of grid points in each direction, including both borders
STEP = SIZE / (GRID - 1)
NOTHING = -1  # ground that belongs to no segment: walls and crossings
CROSSING = (50.0, 50.0)
CAP_DEPTH = 27.0
ROAD_HALF_WIDTH = 5.5
WALL_HALF_WIDTH = 2.6
CASTLE = (88.0, 38.0)  # length and depth of a German castle

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]  # a cubic Bezier curve


class Shape(NamedTuple):
    """The outlines of a kind of tile at rotation 0. The keys of the dicts are segment numbers."""

    cities: dict[int, list[Curve]]  # the closed outline of each city
    walls: dict[int, list[list[Curve]]]  # for each city: the parts of its outline that are walls
    roads: dict[int, list[list[Curve]]]  # centre lines
    crossing: Point | None  # the position of the village if roads end at a village; otherwise None
    ground: np.ndarray  # the segment number of each grid point, or NOTHING, int8[rows, columns]


@functools.cache
def shape(tile: str) -> Shape:
    """Return the outlines of a tile. The function tries several ways to draw the tile, and chooses the first way that
    draws the fields correctly (see `is_true`). If no way draws the fields correctly, the function chooses the way that
    it tried first.
    """
    if is_double(tile):
        return _double_shape(tile)
    for cap_depth in (CAP_DEPTH, SIZE / 2, SIZE * 0.62):
        for road_end in ("city", "middle", "road"):
            found = _shape(tile, road_end, cap_depth)
            if is_true(tile_segments(tile), found.ground):
                return found
    return _shape(tile, "city", CAP_DEPTH)


def _shape(tile: str, road_end: str, cap_depth: float) -> Shape:
    segments = tile_segments(tile)
    cities, walls = {}, {}
    for number in numbers_of(segments, "city"):
        cities[number], walls[number] = _city_outline(segments, number, cap_depth)
    dead_ends = [i for i in numbers_of(segments, "road") if len(segments[i].spots) == 1]
    if len(dead_ends) >= 3 or has_centre_piece(tile) or (road_end == "city" and not cities):
        road_end = "middle"
    roads = {number: _road_lines(segments, number) for number in numbers_of(segments, "road")}
    for number in dead_ends:
        edge = SIDES.index(segments[number].spots[0])
        if road_end == "city":
            roads[number] = [_road_to_city(segments, edge, cities)]
        elif road_end == "road" and len(dead_ends) < len(roads):
            others = [curves for other in roads if other not in dead_ends for curves in roads[other]]
            roads[number] = [_road_to_road(edge, others)]
    crossing = CROSSING if dead_ends and road_end == "middle" and not has_centre_piece(tile) else None
    if crossing and any(len(segments[number].spots) > 2 for number in roads):  # other roads continue past the village
        edge = SIDES.index(segments[dead_ends[0]].spots[0])
        crossing = turn((50, 33), 90 * edge)
        roads[dead_ends[0]] = [[line(_middle(edge), crossing)]]
    return Shape(cities, walls, roads, crossing, _ground(segments, cities, walls, roads, crossing))


def _double_shape(tile: str) -> Shape:
    """Return the shape of a double tile: two squares side by side, with a castle across their common edge. Roads can
    end at the castle.
    """
    cities: dict[int, list[Curve]] = {}
    walls: dict[int, list[list[Curve]]] = {}
    roads: dict[int, list[list[Curve]]] = {}
    for east, parts in enumerate(squares(tile)):
        segments, left = tuple(segment for _, segment in parts), SIZE * east
        castle = (castle_at(tile)[0] - left, castle_at(tile)[1])
        for number, (whole, segment) in enumerate(parts):
            if segment.kind == "city":
                outline, its_walls = _city_outline(segments, number, CAP_DEPTH)
                cities[whole], walls[whole] = _moved(outline, left), [_moved(wall, left) for wall in its_walls]
            elif segment.kind == "road":
                ends = len(segment.spots) == 1
                lines = (
                    [_road_to_castle(SIDES.index(segment.spots[0]), castle)] if ends else _road_lines(segments, number)
                )
                roads.setdefault(whole, []).extend(_moved(curves, left) for curves in lines)
    return Shape(cities, walls, roads, None, _ground(tile_segments(tile), cities, walls, roads, None, castle_at(tile)))


def castle_at(tile: str) -> Point:
    """Return the middle of the castle on a double tile. If a road crosses the edge between the two squares, the castle
    is north of the middle of the tile. Otherwise, the castle is in the middle of the tile.
    """
    crossed = any("E" in segment.spots for _, segment in squares(tile)[0])
    return SIZE, 25.0 if crossed else 50.0


def width_of(tile: str) -> float:
    """Return the width of a tile at rotation 0."""
    return 2 * SIZE if is_double(tile) else SIZE


def is_true(segments: tuple[Segment, ...], ground: np.ndarray) -> bool:
    """Return True if each field of a tile is drawn as one connected meadow that reaches all half-edges of the field."""
    for number in numbers_of(segments, "field"):
        cells = [_half_edge_cell(spot) for spot in segments[number].spots if spot.removeprefix("2") in HALVES]
        if len(meadows(ground == number)) != 1 or any(ground[cell] != number for cell in cells):
            return False
    return True


def numbers_of(segments: tuple[Segment, ...], kind: str) -> list[int]:
    """Return the indices of the segments of one kind, such as `road`."""
    return [number for number, segment in enumerate(segments) if segment.kind == kind]


# --- points and curves --------------------------------------------------------------------------------------
def turn(point: Point, rotation: int, width: float = SIZE) -> Point:
    """Return the coordinates that a point of a tile has after a clockwise rotation by `rotation` degrees. The rotated
    tile is shifted so that its north-west corner is at (0, 0).
    """
    (x, y), height = point, SIZE
    for _ in range(rotation // 90 % 4):
        x, y = height - y, x
        width, height = height, width
    return x, y


def turn_back(point: Point, rotation: int, width: float = SIZE) -> Point:
    """Convert the coordinates of a point from the rotated tile to the unrotated tile."""
    x, y = point
    for height in reversed((SIZE, width, SIZE)[: rotation // 90]):
        x, y = y, height - x
    return x, y


def line(a: Point, b: Point) -> Curve:
    """Return a straight line as a Bezier curve."""
    return a, _between(a, b, 1 / 3), _between(a, b, 2 / 3), b


def sample(curves: list[Curve], steps: int = 12) -> np.ndarray:
    """Return points along joined curves, as a float array of shape (n, 2)."""
    t = np.linspace(0, 1, steps + 1)[:, None]
    weights = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    return np.vstack([weights @ np.array(curve) for curve in curves])


def _between(a: Point, b: Point, part: float) -> Point:
    return a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part


def _turn_curves(curves: list[Curve], quarters: int) -> list[Curve]:
    return [_each(curve, lambda p: turn(p, 90 * quarters)) for curve in curves]


def _moved(curves: list[Curve], east: float) -> list[Curve]:
    return [_each(curve, lambda p: (p[0] + east, p[1])) for curve in curves]


def _mirrored(curve: Curve) -> Curve:
    return _each(curve, lambda p: (SIZE - p[0], p[1]))


def _each(curve: Curve, change: Callable[[Point], Point]) -> Curve:
    a, b, c, d = map(change, curve)
    return a, b, c, d


def _corner(number: int) -> Point:
    """Return the corner where an edge begins, going clockwise around the tile. The edges are numbered in the order N,
    E, S, W, so edge 0 begins at the north-west corner.
    """
    return turn((0.0, 0.0), 90 * (number % 4))


# --- cities -------------------------------------------------------------------------------------------------
def _city_outline(
    segments: tuple[Segment, ...], number: int, cap_depth: float
) -> tuple[list[Curve], list[list[Curve]]]:
    """Return the closed outline of a city, and the walls of the city. There is one wall for each run of consecutive
    edges that do not belong to the city.
    """
    inside = [edge in segments[number].spots for edge in SIDES]
    spurs = _spur_corners(segments, number)
    first = inside.index(True)
    outline, walls, edge = [], [], first
    while edge < first + 4:
        if inside[edge % 4]:
            outline.append(line(_corner(edge), _corner(edge + 1)))
            edge += 1
            continue
        length = 1
        while not inside[(edge + length) % 4] and (edge + length) % 4 not in spurs:
            length += 1
        wall = _turn_curves(_wall(segments, edge, length, cap_depth), edge % 4)
        outline += wall
        walls.append(wall)
        edge += length
    return outline, walls


def _wall(segments: tuple[Segment, ...], edge: int, length: int, cap_depth: float) -> list[Curve]:
    """Return the city wall along consecutive edges of a tile. The wall begins at the edge `edge` and continues
    clockwise along `length` edges.
    """
    cities = {spot for s in segments if s.kind == "city" for spot in s.spots}
    beside = [SIDES[(edge + k) % 4] in cities for k in range(length)]
    if length == 1:
        return _arch(46, steep=64) if beside[0] else _arch(24)
    if length == 2:
        bend = (20, 34) if not all(beside) else (8, 40) if numbers_of(segments, "field") else (30, 30)
        return [((0, 0), bend, (100 - bend[1], 100 - bend[0]), (100, 100))]
    cap = _arch(cap_depth, steep=38 if beside[0] or beside[2] else 58 if cap_depth > 50 else None)
    return _turn_curves(list(map(_mirrored, cap)), 3)


def _arch(depth: float, steep: float | None = None) -> list[Curve]:
    """Return a curved city wall that runs from corner to corner below the north edge. `steep` is the angle at the ends
    of the wall, in degrees.
    """
    angle = 2 * math.atan(depth / 50)
    reach = 4 / 3 * math.tan(angle / 4) * 50 / math.sin(angle)
    foot = angle if steep is None else math.radians(steep)
    near, far = (reach * math.cos(foot), reach * math.sin(foot)), (50 - reach, depth)
    left, right = ((0, 0), near, far, (50, depth)), ((50, depth), far, near, (0, 0))
    return [left, _mirrored(right)]


def _spur_corners(segments: tuple[Segment, ...], number: int) -> set[int]:
    """Return the corners to which a city extends. At each of these corners, the city separates two fields."""
    field_at = {spot: i for i in numbers_of(segments, "field") for spot in segments[i].spots}
    found = set()
    for corner in range(4):
        left, right = field_at.get(HALVES[2 * corner - 1]), field_at.get(HALVES[2 * corner])
        if (
            left is not None
            and right is not None
            and left != right
            and number in segments[left].adjoins
            and number in segments[right].adjoins
        ):
            found.add(corner)
    return found


def wall_ends(tile: str) -> list[Point]:
    """Return the corners of a tile at which a city wall begins or ends."""
    walls = [wall for of_city in shape(tile).walls.values() for wall in of_city]
    return list(dict.fromkeys(end for wall in walls for end in (wall[0][0], wall[-1][-1])))


# --- roads --------------------------------------------------------------------------------------------------
def _road_lines(segments: tuple[Segment, ...], number: int) -> list[list[Curve]]:
    """Return the centre lines of a road. A road with two edges has one line from edge to edge. A road with one edge, or
    with more than two edges, has a line from each of its edges to the middle of the tile.
    """
    edges = [SIDES.index(spot) for spot in segments[number].spots]
    if len(edges) == 2:
        return [_road_between(edges[0], edges[1], _is_busy(segments))]
    return [[line(_middle(edge), CROSSING)] for edge in edges]


def _is_busy(segments: tuple[Segment, ...]) -> bool:
    """Return True if a tile has too little space for the bends of a road, because the tile has another road or a city
    with several edges. If there is too little space, roads between opposite edges are drawn straight.
    """
    return sum(s.kind == "road" or (s.kind == "city" and len(s.spots) > 1) for s in segments) > 1


def _road_between(a: int, b: int, straight: bool) -> list[Curve]:
    if (a - b) % 4 == 2:
        sway = 0 if straight else 5
        half = ((50, 0), (50, 22), (50 + sway, 32), (50, 50))
        other = ((50, 50), (50 - sway, 68), (50, 78), (50, 100))
        return _turn_curves([half, other], min(a, b))
    first = a if (b - a) % 4 == 1 else b  # rotate the bend from north to east, so that it begins at this edge
    return _turn_curves([((50, 0), (50, 28), (72, 50), (100, 50))], first)


def _road_to_city(segments: tuple[Segment, ...], edge: int, cities: dict[int, list[Curve]]) -> list[Curve]:
    """Return a road that ends at a city. The road runs straight to the city wall ahead, or bends to a city at a
    neighbouring edge.
    """
    for depth in (50.0, 70.0, 85.0):
        ahead = turn((50, depth), 90 * edge)
        if any(inside(outline, np.array([ahead]))[0] for outline in cities.values()):
            return [line(_middle(edge), ahead)]
    side = next(k for k in (1, 3, 2) if any(SIDES[(edge + k) % 4] in segments[c].spots for c in cities))
    bend = ((50, 0), (50, 30), (60, 36), (84, 38))
    return _turn_curves([_mirrored(bend) if side == 3 else bend], edge)


def _road_to_road(edge: int, others: list[list[Curve]]) -> list[Curve]:
    """Return a road that ends on one of the other roads of the tile. The end is the point on the other roads that is
    nearest to the middle of the tile.
    """
    points = np.vstack([sample(curves, 24) for curves in others])
    end = tuple(points[np.argmin(np.hypot(*(points - CROSSING).T))].tolist())
    return [(_middle(edge), turn((50, 25), 90 * edge), _between(CROSSING, end, 0.2), end)]


def _road_to_castle(edge: int, castle: Point) -> list[Curve]:
    """Return a road that runs straight from the middle of an edge, and then bends to the middle of a castle."""
    x, y = castle
    return [(_middle(edge), turn((50, 38), 90 * edge), (50 + 0.3 * (x - 50), y), castle)]


def _middle(edge: int) -> Point:
    return turn((50.0, 0.0), 90 * edge)


# --- the ground ---------------------------------------------------------------------------------------------
def inside(outline: list[Curve], points: np.ndarray) -> np.ndarray:
    """Return a boolean array that is True for each point inside a closed outline."""
    corners = sample(outline)
    x, y = points[:, 0:1], points[:, 1:2]
    x1, y1 = corners[:, 0], corners[:, 1]
    x2, y2 = np.roll(x1, -1), np.roll(y1, -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        crosses = ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    within: np.ndarray = crosses.sum(axis=1) % 2 == 1
    return within


def grid_points(width: float = SIZE) -> np.ndarray:
    """Return the grid points of a tile row by row, as a float array of shape (n, 2)."""
    across, down = (np.arange(round(length / STEP) + 1) * STEP for length in (width, SIZE))
    return np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)


def _ground(
    segments: tuple[Segment, ...],
    cities: dict[int, list[Curve]],
    walls: dict[int, list[list[Curve]]],
    roads: dict[int, list[list[Curve]]],
    crossing: Point | None,
    castle: Point | None = None,
) -> np.ndarray:
    """Return the segment of each point of the grid. `castle` is the middle of the castle on a double tile."""
    width = 2 * SIZE if castle else SIZE
    points = np.clip(grid_points(width), 0.01, (width - 0.01, SIZE - 0.01))
    owner = np.full(len(points), NOTHING, np.int8)
    free = np.ones(len(points), bool)
    for number, lines in roads.items():
        for curves in lines:
            near = distance(points, sample(curves, 24)) < ROAD_HALF_WIDTH
            owner[near], free[near] = number, False
    if crossing:
        near = distance(points, np.array([crossing])) < 2 * ROAD_HALF_WIDTH
        owner[near], free[near] = NOTHING, False
    for number, outline in cities.items():
        within = inside(outline, points)
        owner[within], free[within] = number, False
    for wall in (wall for of_city in walls.values() for wall in of_city):
        near = distance(points, sample(wall, 24)) < WALL_HALF_WIDTH
        owner[near], free[near] = NOTHING, False
    if castle:
        built = (np.abs(points - castle) < np.array(CASTLE) / 2).all(axis=1)
        owner[built], free[built] = NOTHING, False
    ground = owner.reshape(GRID, -1)
    _flood_fields(ground, free.reshape(GRID, -1), segments)
    return ground


def distance(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the distance from each point to the nearest point of `others`, as a float array."""
    square = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * points @ others.T
    nearest: np.ndarray = np.sqrt(np.maximum(square.min(axis=1), 0))
    return nearest


def _flood_fields(ground: np.ndarray, free: np.ndarray, segments: tuple[Segment, ...]) -> None:
    """Assign the meadows (connected green areas) of a drawn tile to the tile's fields. A meadow that contains the
    middle of a half-edge is assigned to the field at this half-edge. The largest of the remaining meadows are assigned
    to the fields that touch no edge of the tile.
    """
    seeds = {
        _half_edge_cell(spot): i
        for i in numbers_of(segments, "field")
        for spot in segments[i].spots
        if spot.removeprefix("2") in HALVES
    }
    middles = [i for i in numbers_of(segments, "field") if segments[i].spots[0].startswith("mid")]
    for meadow in sorted(meadows(free), key=len, reverse=True):
        owners = [seeds[cell] for cell in meadow if cell in seeds]
        if not owners and middles:
            owners = [middles.pop(0)]
        for row, column in meadow if owners else ():
            ground[row, column] = owners[0]


def meadows(free: np.ndarray) -> list[set[tuple[int, int]]]:
    """Return the connected regions of a grid's free cells."""
    left = {(int(r), int(c)) for r, c in np.argwhere(free)}
    parts = []
    while left:
        start = min(left)
        left.remove(start)
        part, waiting = {start}, [start]
        while waiting:
            row, column = waiting.pop()
            for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if cell in left:
                    left.remove(cell)
                    part.add(cell)
                    waiting.append(cell)
        parts.append(part)
    return parts


def _half_edge_cell(spot: str) -> tuple[int, int]:
    """Return the cell of the grid at the middle of a half-edge."""
    index = HALVES.index(spot.removeprefix("2"))
    x, y = turn((25.0 if index % 2 == 0 else 75.0, 0.0), 90 * (index // 2))
    return round(y / STEP), round((x + SIZE * spot.startswith("2")) / STEP)
