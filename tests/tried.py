"""What tests try on copies of a game. What a test asks for is one compiled function: numba compiles each that Python calls
with all that it calls.
"""

from carc_env.compiling.jit import jit
from carc_env.observing import pricing, prospects
from carc_env.rules.state import NONE
from carc_env.rules.turn import apply, legal_answers
from carc_env.rules.undo import copy_in_use, take_tile_back
from carc_env.searching import rollouts


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


@jit
def quick_answer(games, tiles, prices, rooms, trials):
    """What the policy of rollouts answers in games[0]."""
    rollouts.prepare(rooms[0], prices[0])
    work = rooms[0].work
    work.placed = NONE
    n = legal_answers(games[0], tiles[0], work.legal)
    return pricing.quick_answer(rooms[0].seen, games[0], trials[0], tiles[0], n, work)
