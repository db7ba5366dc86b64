"""German cathedrals (from Cathedrals in Germany) are buildings to which three or four roads lead. A cathedral is
completed when all its roads are completed.

FEATURE.tiles counts the tiles of a road. If a road has several segments on the tile of a cathedral, this tile counts
once for each of these segments. On each tile, the segments of roads have lower indices than the segment of the
cathedral.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.features import is_first_of_road, is_on_tile


@jit(absent=0)
def more_for_roads(game, road, completed):
    """The points that a cathedral adds to each tile of a road: 1 point if the road leads to a cathedral and is
    completed, and otherwise 0. A completed road that leads to a cathedral is therefore worth 2 points per tile, or 3
    points per tile if it also has an inn. Further cathedrals on the same road add nothing.
    """
    return 1 if completed and game.features[road].cathedral_ends > 0 else 0


@jit(absent=0)
def points(game, cathedral):
    """Return the points of a cathedral: the sum of FEATURE.tiles over all roads that lead to it. A road that begins and
    ends at the cathedral counts as one road.

    At the end of the game, an unfinished cathedral is scored like a completed one.
    """
    total = 0
    for node in range(first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node):
            total += int64(game.features[game.segments[node].feature].tiles)
    return total


@jit(absent=False)
def is_in_area(game, cathedral, cell):
    """True if a cell is in the area of a cathedral. The area consists of the cathedral's tile and all tiles of its
    roads.
    """
    for node in range(first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node) and is_on_tile(game, game.segments[node].feature, cell):
            return True
    return False


@jit
def first_segment(game, cathedral):
    """The first segment of the cathedral's tile."""
    return int64(game.board[game.segments[cathedral].cell].first_segment)
