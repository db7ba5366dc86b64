"""German cathedrals: roads lead to them, and they are completed when all these roads are (Cathedrals in Germany).

The count of a road (FEATURE.tiles) is its number of tiles, where a cathedral tile counts once for each segment of the
road on it. On a tile, the roads are numbered before the cathedral.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.features import is_first_of_road, is_on_tile


@jit(absent=0)
def more_for_roads(game, road, completed):
    """The points that cathedrals add to each count of a road: a completed road with a cathedral pays 2 for each count,
    or 3 with an inn, so 1 more than otherwise. Further cathedrals add nothing.
    """
    return 1 if completed and game.features[road].cathedral_ends > 0 else 0


@jit(absent=0)
def points(game, cathedral):
    """The points of a cathedral: 1 for each count of every road that leads to it. A road that leaves it and comes back
    counts as one road.

    At the end of the game it pays the same, for the roads as they are.
    """
    total = 0
    for node in range(first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node):
            total += int64(game.features[game.segments[node].feature].tiles)
    return total


@jit(absent=False)
def is_in_area(game, cathedral, cell):
    """True if a cell is in the area of a cathedral: the tiles of its roads, which include its own tile."""
    for node in range(first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node) and is_on_tile(game, game.segments[node].feature, cell):
            return True
    return False


@jit
def first_segment(game, cathedral):
    """The first segment of the cathedral's tile."""
    return int64(game.board[game.segments[cathedral].cell].first_segment)
