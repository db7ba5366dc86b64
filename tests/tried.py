"""Answers that place a tile, tried on copies of a game. What a test asks for is one compiled function: numba compiles each
that Python calls with all that it calls.
"""

from carc_env.compiling.jit import jit
from carc_env.observing import prospects
from carc_env.rules.turn import apply
from carc_env.rules.undo import copy_in_use, take_tile_back


@jit
def value_twice(views, games, trials, tiles, actions, rooms, parts):
    """The prospects in games[0], in parts[0]. For each action that places a tile: those after it, worked out from those
    before it, and anew, in parts[1 + 2 * k] and parts[2 + 2 * k].
    """
    prospects.count_left(views[0], games[0], tiles[0])
    prospects.count_left(views[1], games[0], tiles[0])
    trials[0] = games[0]
    prospects.value_all(views[0], trials[0], tiles[0], parts[0])
    for k in range(len(actions)):
        trials[0] = games[0]
        apply(trials[0], tiles[0], actions[k], rooms[0])
        prospects.value_after(views[0], trials[0], tiles[0], parts[1 + 2 * k])
        prospects.value_all(views[1], trials[0], tiles[0], parts[2 + 2 * k])


@jit
def there_and_back(games, trials, tiles, action, rooms):
    """In trials[0] a copy of the game is played on, and the game copied over it; in trials[1] a tile is placed and taken
    back.
    """
    trials[0] = games[0]
    apply(trials[0], tiles[0], action, rooms[0])
    copy_in_use(trials[0], games[0])
    trials[1] = trials[0]
    apply(trials[1], tiles[0], action, rooms[0])
    take_tile_back(trials[1], games[0])
