"""Inns change the points of roads, and cathedrals change the points of cities (Inns & Cathedrals). The big meeple is
placed like the other followers (figures.py).
"""

from carc_env.compiling.jit import jit


@jit
def points_per_road_tile(game, road, completed):
    """The points for each tile of a road. On a road with an inn, each tile is worth 2 points when the road is
    completed. An unfinished road with an inn is worth nothing. With the variant `ignore_unfinished_inns`, an inn has no
    effect on an unfinished road.
    """
    if game.features[road].extras == 0:
        return 1
    if completed:
        return 2
    return 1 if game.variants.ignore_unfinished_inns else 0


@jit
def points_per_city_tile(game, city, completed):
    """The points for each tile and pennant of a city. In a city with a cathedral, each tile and pennant is worth 3
    points when the city is completed. An unfinished city with a cathedral is worth nothing. With the variant
    `ignore_unfinished_inns`, a cathedral has no effect on an unfinished city.
    """
    if game.features[city].extras == 0:
        return 2 if completed else 1
    if completed:
        return 3
    return 1 if game.variants.ignore_unfinished_inns else 0
