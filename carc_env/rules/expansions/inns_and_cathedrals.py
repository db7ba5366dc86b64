"""Inns & Cathedrals: inns on roads, cathedrals in cities; the big meeple is a figure like others (figures.py)."""

from carc_env.compiling.jit import jit


@jit
def points_per_road_tile(game, road, completed):
    """An inn doubles a completed road and spoils an unfinished one: 2 or 0 per tile (Inns & Cathedrals, inns)."""
    if game.features[road].extras == 0:
        return 1
    if completed:
        return 2
    return 1 if game.variants.ignore_unfinished_inns else 0


@jit
def points_per_city_tile(game, city, completed):
    """A cathedral makes a completed city worth 3, an unfinished one 0, per tile and pennant (cathedrals)."""
    if game.features[city].extras == 0:
        return 2 if completed else 1
    if completed:
        return 3
    return 1 if game.variants.ignore_unfinished_inns else 0
