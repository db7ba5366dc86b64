"""Choose the positions of figures, symbols and decoration on a tile.

The module places the objects one after another. Most objects are placed where their city or field has the most free
space. Therefore a knight does not cover the pennant, and farmers on two neighbouring fields never overlap.
"""

import functools
import random
import zlib
from typing import NamedTuple

import numpy as np

from carc_env.render.facts import BUILDINGS, Segment, is_double, tile_segments, tile_symbols
from carc_env.render.pieces import ALL_SIGNS
from carc_env.render.tile_shape import (
    CASTLE,
    CROSSING,
    STEP,
    Point,
    Shape,
    castle_at,
    distance,
    grid_points,
    numbers_of,
    sample,
    shape,
    width_of,
)
from carc_env.systems.sign import SMALL

# The radius of the free space that each kind of object needs.
FIGURE, INGOTS = 13.0, 11.0
BESIDE_KEEP = 27.0  # distance of the lord from the middle of a German castle
HOUSE, TREE, TUFT = 4.7, 4.0, 3.0


class Places(NamedTuple):
    """The positions of the objects on one tile at rotation 0."""

    figure: dict[int, Point]  # by segment
    signs: list[tuple[str, Point]]  # printed symbols: kinds of buildings, pennant, inn, gold, ...
    ingots: Point
    houses: dict[int, list[Point]]  # by city
    trees: list[Point]
    grass: dict[int, list[Point]]  # by field


@functools.cache
def places(tile: str) -> Places:
    """Return the positions of all objects on a tile."""
    return _Planner(tile).plan()


def room(ground: np.ndarray) -> np.ndarray:
    """Return the distance of each grid point from the nearest border of the segment at this point, as a float array.
    Edges of the tile also count as borders, but 2 units are added to the distance from an edge.
    """
    padded = np.pad(ground, 1, mode="edge")
    neighbours = (padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:])
    border = np.any([ground != n for n in neighbours], axis=0).ravel()
    width = STEP * (ground.shape[1] - 1)
    points = grid_points(width)
    to_edge: np.ndarray = (
        np.minimum(points, (width, 100) - points).min(axis=1) + 2
    )  # plus 2, because the ground usually continues beyond the tile
    if border.any():
        to_edge = np.minimum(distance(points, points[border]), to_edge)
    return to_edge


class _Planner:
    """Assigns positions to the objects on one tile, the most important ones first."""

    def __init__(self, tile: str) -> None:
        self.segments: tuple[Segment, ...] = tile_segments(tile)
        self.shape: Shape = shape(tile)
        self.width = width_of(tile)
        self.points = grid_points(self.width)
        self.owner = self.shape.ground.ravel()
        self.room = room(self.shape.ground)
        self.free = np.full(len(self.points), 1e3)  # distance to the nearest object placed so far
        self.symbols = tile_symbols(tile)
        self.castle = castle_at(tile) if is_double(tile) else None
        self.random = random.Random(zlib.crc32(tile.encode()))

    def plan(self) -> Places:
        signs: list[tuple[str, Point]] = []
        figure = dict(self._buildings(signs))
        for number in numbers_of(self.segments, "road"):
            figure[number] = self._take(self._on_road(number), FIGURE - 2)
        for kind in ("city", "field"):
            for number in numbers_of(self.segments, kind):
                figure[number] = self._place(self.owner == number, FIGURE)
        self._city_signs(signs)
        self._other_signs(signs)
        ingots = self._place(self._land(), INGOTS, near_border=True)
        self._keep_tunnels_free()
        houses = {number: self._scatter(self.owner == number, HOUSE, HOUSE + 2, 24) for number in self.shape.cities}
        fields = numbers_of(self.segments, "field")
        trees = self._scatter(np.isin(self.owner, fields), TREE, 6.5, 3)
        grass = {number: self._scatter(self.owner == number, TUFT, TUFT, 9) or [figure[number]] for number in fields}
        return Places(figure, signs, ingots, houses, trees, grass)

    def _buildings(self, signs: list[tuple[str, Point]]) -> list[tuple[int, Point]]:
        """Place the buildings. If roads end at a building, the building is placed in the middle of the tile. Any other
        building is placed where the grass has the most space.
        """
        if self.castle:
            return self._german_castle(self.castle, signs)
        dead_end = any(s.kind == "road" and len(s.spots) == 1 for s in self.segments)
        built: list[tuple[str, int | None]] = [(symbol, None) for symbol in self.symbols if ALL_SIGNS[symbol].in_middle]
        built += [(kind, number) for kind in BUILDINGS for number in numbers_of(self.segments, kind)]
        found = []
        for what, number in built:
            sign = ALL_SIGNS[what]
            point = self._take(CROSSING, sign.room) if sign.in_middle and dead_end else self._build(sign.room)
            signs.append((what, point))
            if number is not None:
                found.append((number, point))
        return found

    def _german_castle(self, middle: Point, signs: list[tuple[str, Point]]) -> list[tuple[int, Point]]:
        """Place the keep of a German castle in the middle of the castle, and the lord beside it."""
        x, y = middle
        signs.append(("german_castle", middle))
        for step in range(-2, 3):
            self._take((x + step * CASTLE[0] / 5, y), CASTLE[1] / 2)
        return [(number, (x + BESIDE_KEEP, y)) for number in numbers_of(self.segments, "german_castle")]

    def _city_signs(self, signs: list[tuple[str, Point]]) -> None:
        for number in self.shape.cities:
            city, ground = self.segments[number], self.owner == number
            printed = [mark for mark in ALL_SIGNS if mark in city.marks and mark != "pennant"]
            large = [mark for mark in printed if ALL_SIGNS[mark].room > SMALL]
            small = ["pennant"] * city.pennants + [mark for mark in printed if mark not in large]
            signs += [(mark, self._place(ground, ALL_SIGNS[mark].room)) for mark in large + small]

    def _other_signs(self, signs: list[tuple[str, Point]]) -> None:
        for number in numbers_of(self.segments, "road"):
            printed = [mark for mark in ALL_SIGNS if mark in self.segments[number].marks]
            signs += [(mark, self._beside_road(number)) for mark in printed]
        signs += [
            (symbol, self._build(ALL_SIGNS[symbol].room)) for symbol in self.symbols if not ALL_SIGNS[symbol].in_middle
        ]

    def _build(self, radius: float) -> Point:
        """Choose a position on the grass for a building. If the largest free space on the grass is too small, positions
        in cities are allowed, too.
        """
        grass = np.isin(self.owner, numbers_of(self.segments, "field"))
        widest = np.minimum(self.room, self.free)[grass].max(initial=0)
        return self._place(grass if widest > 0.7 * radius else self._land(), radius)

    def _land(self) -> np.ndarray:
        return (self.owner >= 0) & ~np.isin(self.owner, numbers_of(self.segments, "road"))

    def _keep_tunnels_free(self) -> None:
        """Keep houses away from roads that are drawn underneath a city."""
        for number in numbers_of(self.segments, "road"):
            if len(self.segments[number].spots) == 2:
                for point in sample(self.shape.roads[number][0], 12):
                    self._take(tuple(point.tolist()), 2.5)

    def _place(self, where: np.ndarray, radius: float, near_border: bool = False) -> Point:
        """Choose the grid point with the most free space around it. The candidates are the points that are marked in
        `where` and lie well inside the tile. If no marked point lies well inside the tile, all marked points are
        candidates. If no point is marked, all points well inside the tile are candidates. The space around a point
        counts only up to the distance `radius`. Among points with the same amount of space, choose the point closest to
        the centre of the candidates. If `near_border` is True, choose the point farthest from this centre instead.
        """
        margin = max(radius, 9)
        well_inside: np.ndarray = np.all(
            (self.points >= margin) & (self.points <= (self.width - margin, 100 - margin)), axis=1
        )
        where = next(ground for ground in (where & well_inside, where, well_inside) if ground.any())
        score = np.minimum(np.minimum(self.room, self.free), radius)
        off_centre = np.abs(self.points - self.points[where].mean(axis=0)).sum(axis=1)
        score = np.where(where, score + (0.01 if near_border else -0.01) * off_centre, -1e3)
        return self._take(tuple(self.points[int(np.argmax(np.round(score, 4)))].tolist()), radius)

    def _take(self, point: Point, radius: float) -> Point:
        self.free = np.minimum(self.free, np.hypot(*(self.points - point).T) - radius)
        return point

    def _on_road(self, number: int) -> Point:
        """Return the middle of the longest visible stretch of a road."""
        along = np.vstack([sample(curves, 24) for curves in self.shape.roads[number][:1]])
        rows, columns = self.shape.ground.shape
        cells = np.clip(np.rint(along / STEP).astype(int), 0, (columns - 1, rows - 1))
        seen = [
            i for i, (x, y) in enumerate(cells) if self.shape.ground[y, x] == number and self.free[y * columns + x] > 0
        ]
        runs = np.split(np.array(seen), np.flatnonzero(np.diff(seen) > 1) + 1)
        run = max(runs, key=len)
        return tuple(along[run[len(run) // 2]].tolist())

    def _beside_road(self, number: int) -> Point:
        middle = np.array(self._on_road(number))
        fields = np.isin(self.owner, numbers_of(self.segments, "field"))
        near = fields & (np.hypot(*(self.points - middle).T) < 26)
        return self._place(near, SMALL + 2)

    def _scatter(self, where: np.ndarray, radius: float, margin: float, most: int) -> list[Point]:
        """Choose random grid points that are marked in `where`. The parameter `most` limits the number of grid points.
        The random numbers depend only on the tile, so a tile always has the same drawing.
        """
        found: list[Point] = []
        order = np.flatnonzero(where & (self.room >= margin)).tolist()
        self.random.shuffle(order)
        for cell in order:
            if len(found) < most and self.free[cell] >= radius:
                found.append(self._take(tuple(self.points[cell].tolist()), radius))
        return found
