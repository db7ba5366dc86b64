"""Compiled functions with which tests try actions on copies of a game. Each function does all that a test needs,
because numba compiles every function that Python calls together with all functions that it calls.
"""

from carc_env.compiling.jit import jit
from carc_env.observing import pricing, prospects
from carc_env.rules.state import NONE
from carc_env.rules.turn import apply, legal_answers
from carc_env.rules.undo import copy_in_use, take_tile_back
from carc_env.searching import rollouts


@jit
def value_twice(views, games, trials, tiles, actions, rooms, parts):
    """Write the heuristic estimates of games[0] to parts[0]. For each action k that places a tile, compute the
    estimates after it in two ways: by an update of the earlier ones in `parts[1 + 2 * k]`, and from scratch in
    `parts[2 + 2 * k]`.
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
    """Make both trials equal to games[0] again after an action. trials[0] is restored by copying the game over it,
    trials[1] by taking the tile back.
    """
    trials[0] = games[0]
    apply(trials[0], tiles[0], action, rooms[0])
    copy_in_use(trials[0], games[0])
    trials[1] = trials[0]
    apply(trials[1], tiles[0], action, rooms[0])
    take_tile_back(trials[1], games[0])


@jit
def quick_answer(games, tiles, prices, rooms, trials):
    """Return the action that the policy of the rollouts chooses in games[0]."""
    rollouts.prepare(rooms[0], prices[0])
    work = rooms[0].work
    work.placed = NONE
    n = legal_answers(games[0], tiles[0], work.legal)
    return pricing.quick_answer(rooms[0].seen, games[0], trials[0], tiles[0], n, work)
