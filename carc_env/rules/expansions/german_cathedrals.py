"""German cathedrals: roads start from them, and they are completed when all these roads are (Cathedrals in Germany).

The count of a road is the number of its tiles, where the tile of a cathedral counts once for each segment of the road
that is on it: FEATURE.tiles. On a tile the roads come before what is built there.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.features import is_first_of_road, is_on_tile


@jit(absent=0)
def more_for_roads(game, road, completed):
    """A completed road that leads to a cathedral pays 2 for each of its count, 3 if it has an inn: 1 more. Further
    cathedrals add nothing.
    """
    return 1 if completed and game.features[road].cathedral_ends > 0 else 0


@jit(absent=0)
def points(game, cathedral):
    """A cathedral pays 1 for each of the count of every one of its roads; one that leaves it and comes back is one
    road.

    At the end of the game it pays the same for the roads as they are.
    """
    total = 0
    for node in range(first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node):
            total += int64(game.features[game.segments[node].feature].tiles)
    return total


@jit(absent=False)
def is_in_area(game, cathedral, cell):
    """Its area are the tiles of its roads, all of which start on its own tile."""
    for node in range(first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node) and is_on_tile(game, game.segments[node].feature, cell):
            return True
    return False


@jit
def first_segment(game, cathedral):
    """The first segment of the cathedral's tile."""
    return int64(game.board[game.segments[cathedral].cell].first_segment)
