"""Implements The Abbot. The abbot is a follower that can be placed only on monastic buildings and gardens. Its player
can take it back before the building is completed.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import RECALL, other_answer
from carc_env.rules.features import is_complete
from carc_env.rules.figures import take_back
from carc_env.rules.geometry import size_of
from carc_env.rules.scoring import add_points, building_points
from carc_env.rules.state import FIRST_SLOT, SOURCE_OF_KIND, Figure

SLOT = int(FIRST_SLOT[Figure.ABBOT])


@jit
def building(game, player):
    """Return the segment on which the player's abbot stands, or a negative number if the abbot is not on the table."""
    return int(game.players[player].figures[SLOT])


@jit
def can_recall(game):
    """True if the active player's abbot stands on an unfinished building. Instead of placing a figure, the player can
    then take the abbot back.
    """
    where = building(game, int(game.active))
    return where >= 0 and not is_complete(game, where)


@jit
def recall_points(game):
    """The points for taking back the abbot: the points that the abbot's unfinished building would score if the game
    ended now.
    """
    return building_points(game, building(game, int(game.active)), False)


@jit
def options(game, room, n):
    """Add the action that takes back the active player's abbot, if this action is legal. `n` is the number of actions
    in `room.answers` before the call. Returns the number of actions after the call.
    """
    if can_recall(game):
        room.answers[n] = other_answer(size_of(game), RECALL)
        n += 1
    return n


@jit
def recall(game):
    """Take back the abbot and score its building. Taking back the abbot completes no feature, so nobody receives
    ingots.
    """
    where = building(game, int(game.active))
    points, cell = recall_points(game), int64(game.segments[where].cell)
    take_back(game, int(game.active), int(SLOT))
    add_points(game, int64(game.active), SOURCE_OF_KIND[game.features[where].kind], points, cell)
