"""Inns change the points of roads, and cathedrals change the points of cities (Inns & Cathedrals). The big meeple is
placed like the other followers (figures.py).
"""

from carc_env.compiling.jit import jit


@jit
def points_per_road_tile(game, road, completed):
    """The points for each tile of a road. If a road has an inn, each tile of the road is worth 2 points if the road is
    completed, and 0 points if it is not. With the variant `ignore_unfinished_inns`, an inn has no effect on an
    unfinished road.
    """
    if game.features[road].extras == 0:
        return 1
    if completed:
        return 2
    return 1 if game.variants.ignore_unfinished_inns else 0


@jit
def points_per_city_tile(game, city, completed):
    """The points for each tile and pennant of a city. If a city has a cathedral, each of its tiles and pennants is
    worth 3 points if the city is completed, and 0 points if it is not. With the variant `ignore_unfinished_inns`, a
    cathedral has no effect on an unfinished city.
    """
    if game.features[city].extras == 0:
        return 2 if completed else 1
    if completed:
        return 3
    return 1 if game.variants.ignore_unfinished_inns else 0
