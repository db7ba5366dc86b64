"""The abbot: stands on monasteries and gardens, and may be taken back early (The Abbot rules)."""

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
    """The building where the player's abbot stands; negative when it stands nowhere."""
    return int(game.players[player].figures[SLOT])


@jit
def can_recall(game):
    """Instead of any figure placement the active player may take the own abbot back from an unfinished building."""
    where = building(game, int(game.active))
    return where >= 0 and not is_complete(game, where)


@jit
def recall_points(game):
    """The abbot scores what the building is worth right now, as at the end of the game."""
    return building_points(game, building(game, int(game.active)), False)


@jit
def options(game, room, n):
    """Add that the active player's abbot is taken back, if it can be. Returns the new number of answers."""
    if can_recall(game):
        room.answers[n] = other_answer(size_of(game), RECALL)
        n += 1
    return n


@jit
def recall(game):
    """The abbot returns and scores; it completes nothing, so it brings no gold."""
    where = building(game, int(game.active))
    points, cell = recall_points(game), int64(game.segments[where].cell)
    take_back(game, int(game.active), int(SLOT))
    add_points(game, int64(game.active), SOURCE_OF_KIND[game.features[where].kind], points, cell)
