"""The abbot: it is placed on monastic buildings and gardens, and can be taken back early (The Abbot)."""

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
    """The building where the player's abbot stands; negative if it is not on the table."""
    return int(game.players[player].figures[SLOT])


@jit
def can_recall(game):
    """True if the active player's abbot stands on an unfinished building. Taking it back replaces placing a figure."""
    where = building(game, int(game.active))
    return where >= 0 and not is_complete(game, where)


@jit
def recall_points(game):
    """The points of the abbot that is taken back: those of its building by the counting at the end of the game."""
    return building_points(game, building(game, int(game.active)), False)


@jit
def options(game, room, n):
    """Add the answer of taking the active player's abbot back, if that is possible. Returns the new number of
    answers.
    """
    if can_recall(game):
        room.answers[n] = other_answer(size_of(game), RECALL)
        n += 1
    return n


@jit
def recall(game):
    """Take the abbot back and score it. This completes no feature, so it gives no gold."""
    where = building(game, int(game.active))
    points, cell = recall_points(game), int64(game.segments[where].cell)
    take_back(game, int(game.active), int(SLOT))
    add_points(game, int64(game.active), SOURCE_OF_KIND[game.features[where].kind], points, cell)
