"""Expectimax: the search looks ahead in whole turns. Between two turns, a chance node averages over all tile types in
the stack.

The weight of a tile type is the fraction of tiles in the stack that have this type. The search does not use the order
of the stack. Each level of the search tree stands for one tile placement. The search tries the placements with the best
heuristic values (see `pricing`). Until the next tile is drawn, the policy makes all other decisions: it plays the
actions with the best heuristic values. After the last draw of a branch, the policy makes all decisions of the turn. The
position just before the next draw is then evaluated. Each player maximizes their own margin over the best other player
(max^n, Luckhardt and Irani 1986).

A chance node averages over the possible types of the next tile, and over nothing else. All other hidden information,
such as the faces of face-down chips, is sampled once by `hidden`. Some drawn tiles require no decision: they fit
nowhere, or they have a single legal placement and no further choice follows. After a tile that requires no decision,
the next tile is drawn at once from the sampled stack. There is no chance node for a tile that is drawn in this way.

With two players, the game is zero-sum, so branches can be pruned (Star1 and Star2, Ballard 1983). A chance node has a
lower and an upper bound for the value of each tile type. Initially, the bounds are SWING points below and above the
value of the position before the draw. Even without pruning, a change of the value in one turn is clipped to SWING
points. Therefore, the bounds always hold, and pruning changes neither the best action nor its value. If a chance node
has only one tile type, it has no bounds, and changes of its value are not clipped. Star2 first tries one action for
each tile type. The value of this action is a lower bound for the value of the tile type if the searching player acts,
and an upper bound otherwise. With three or more players, nothing is pruned.

The search traverses the tree in a loop, because compiled code does not allow recursion here. Each level of the tree has
its own copies of the game.
"""

from math import inf

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.observing.pricing import begin_question, next_answer, price_answer, take_answer_back
from carc_env.observing.prospects import count_left
from carc_env.rules import turn
from carc_env.rules.state import FIRST_PRINTED, MAX_PLAYERS, NONE, Phase, record
from carc_env.rules.undo import copy_in_use
from carc_env.searching.hidden import draw_hidden
from carc_env.searching.rollouts import LISTED, ROOMS, play_on, prepare, value_for

WIDEST = 64  # the maximum number of actions tried at a level
DEEPEST = 4  # the maximum number of levels below the first level
SWING = 100.0  # larger changes of a value in one turn are clipped to this number of points
SLACK = 1e-6  # a safety margin around search windows, in points, because sums are rounded

LEVEL = record(
    # the decision
    ("player", "i8"),  # the player who has to act
    ("n_answers", "i8"),
    ("answers", LISTED, (WIDEST,)),  # the actions with the best heuristic values, best first
    ("values", "f8", (WIDEST,)),  # the value of each action for `player`; if its branch was pruned, an upper bound
    ("tried", "i8"),  # the number of actions tried so far
    ("margins", "f8", (MAX_PLAYERS,)),  # every player's margin if the best action tried so far is played
    ("is_probe", "i1"),  # 1: only the first of several actions is tried now
    ("narrows", "i1"),  # 1: only the value of the best action must be exact
    ("least", "f8"),  # for the searching player: a value below `least` or above `most` need not be exact
    ("most", "f8"),
    # the chance node after one of the actions
    ("is_open", "i1"),  # 1: the action was played, and its value is being computed
    ("ending", "i8"),  # the last action before a tile is drawn
    ("n_kinds", "i8"),
    ("kinds", "i8", (FIRST_PRINTED,)),
    ("chances", "f8", (FIRST_PRINTED,)),
    ("at", "i8"),  # the index in `kinds` of the tile type that is drawn now
    ("probes", "i1"),  # 1: in this pass, only the first action for each tile type is tried
    ("known", "i1", (FIRST_PRINTED,)),  # 1: the value is exact
    ("low", "f8", (FIRST_PRINTED,)),  # lower and upper bounds of the value for the searching player
    ("high", "f8", (FIRST_PRINTED,)),
    # for each tile type: every player's margin if a tile of this type is drawn
    ("after", "f8", (FIRST_PRINTED, MAX_PLAYERS)),
)

TREE = record(
    ("levels", LEVEL, (DEEPEST + 1,)),
    ("depth", "i8"),  # the number of tiles drawn on the path from the root to a leaf
    ("width", "i8"),  # the number of actions tried at a level
    ("prunes", "i1"),  # 1: branches are pruned; only with two players
    ("every", "i1"),  # 1: the values of all actions of the first decision must be exact
    ("me", "i8"),  # the searching player
    ("also", "i8"),  # an action of the first decision that is tried even if it does not look promising, or NONE
    ("two", "i1"),  # 1: there are two players
    ("turns", "i8"),  # how many times a tile was drawn so far, in all branches of the tree together
    ("margins", "f8", (MAX_PLAYERS,)),  # every player's margin, as last computed for a position or an action
)


# --- the games --------------------------------------------------------------------------------------------------------
def room_for(dtype: np.dtype, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Allocate the working memory for a search. The result consists of three arrays. The first contains one ROOMS
    record, the second contains one TREE record, and the third contains the game states for all levels. `dtype` is the
    dtype of a game state.
    """
    return np.zeros(1, ROOMS), np.zeros(1, TREE), np.zeros(2 * depth + 2, dtype)


@jit
def asked_at(level):
    """For a level of the search tree, return the index of the game state in which the action is chosen. The game state
    with index 0 is working memory.
    """
    return 2 * level + 1


@jit
def ended_at(level):
    """Return the index of the game state just before the last action of a turn. `level` is the index of the tree level
    at which this turn begins.
    """
    return 2 * level + 2


# --- a question -------------------------------------------------------------------------------------------------------
@jit
def ask(tree, level, games, tiles, room, n, most):
    """Begin a level of the search tree. From the n actions in `work.legal`, list those with the best heuristic values.
    The argument `most` is the maximum number of listed actions.
    """
    view, work, game, trial = room.seen, room.work, games[asked_at(level)], games[0]
    here = tree.levels[level]
    here.player = game.player
    here.n_answers = here.tried = 0
    here.is_open = here.is_probe = 0
    here.narrows = tree.prunes
    begin_question(view, game, trial, tiles, work)
    for k in range(n):
        answer = int64(work.legal.answers[k])
        price = price_answer(view, game, trial, tiles, answer, work)
        if level == 0 and answer == tree.also:
            price = inf
        list_answer(here, most, answer, price, int64(trial.placed), work)
        take_answer_back(trial, game)
    here.margins[:] = inf
    here.margins[here.player] = -inf


@jit
def list_answer(here, most, answer, price, placed, work):
    """Insert an action with the heuristic value `price` into `here.answers`. At most `most` actions are
    kept in `here.answers`: those with the highest heuristic values.
    """
    at = int64(here.n_answers)
    while at > 0 and here.answers[at - 1].price < price:
        if at < most:
            here.answers[at] = here.answers[at - 1]
        at -= 1
    if at < most:
        one = here.answers[at]
        one.answer, one.price, one.placed = answer, price, placed
        one.ingot, one.figure = work.ingot, work.figure
        here.n_answers = min(int64(here.n_answers) + 1, most)


@jit
def window(tree, here):
    """Return the lower and the upper limit of the search window, as values for the searching player. The search must
    find the exact value of the current action only if this value lies within the window. If the value lies outside the
    window, a bound for the value is enough.
    """
    least, most = float(here.least), float(here.most)
    if here.narrows and here.tried > 0:
        if here.player == tree.me:
            least = max(least, here.margins[tree.me])
        else:
            most = min(most, here.margins[tree.me])
    return least, most


@jit
def is_decided(tree, here):
    """Return True if no further action has to be tried at a level of the search tree. No further action is needed if
    all listed actions were tried, or if the remaining actions cannot change the result.
    """
    if here.tried == here.n_answers:
        return True
    least, most = window(tree, here)
    return here.narrows and here.tried > 0 and least >= most


@jit
def take_value(tree, here):
    """Store `tree.margins` as the value of the current action."""
    here.values[here.tried] = tree.margins[here.player]
    if tree.margins[here.player] > here.margins[here.player]:
        here.margins[:] = tree.margins
    here.tried += 1
    here.is_open = 0


# --- chance -----------------------------------------------------------------------------------------------------------
@jit
def try_answer(tree, level, games, tiles, room):
    """Play the next action, and let the policy continue until a tile has to be drawn. Then list the tile types that can
    be drawn next.
    """
    here, work, before, game = tree.levels[level], room.work, games[ended_at(level)], games[asked_at(level + 1)]
    one = here.answers[here.tried]
    work.placed, work.ingot, work.figure = one.placed, one.ingot, one.figure
    copy_in_use(game, games[asked_at(level)])
    answer, n = int64(one.answer), 1
    while True:
        copy_in_use(before, game)
        here.ending = answer
        n = turn.answer(game, tiles, answer, work.legal)
        if n == 0 or game.n_drawn > before.n_drawn:
            break
        answer = next_answer(room.seen, game, games[0], tiles, n, work)
    here.is_open, is_drawn = 1, game.n_drawn > before.n_drawn
    value_table(tree, game, tiles, room)
    if is_drawn:
        count_left(room.seen, before, tiles)
        list_kinds(tree, here, room.seen)
        here.probes = tree.prunes and level + 1 < tree.depth
    else:
        here.n_kinds, here.chances[0] = 1, 1.0
        set_bounds(here, -inf, inf)
        learn(tree, here, tree.margins, NONE)


@jit
def value_table(tree, game, tiles, room):
    """Evaluate a position for each player, and write the values to `tree.margins`. A tile in hand goes back on the
    stack before the evaluation.
    """
    if game.phase == Phase.PLACE_TILE and game.tile != NONE:  # the tile in hand goes back on the stack
        game.n_drawn -= 1
        game.tile = NONE
    if tree.two:
        margin = value_for(room.seen, game, tiles, room.work, int64(tree.me))
        set_margins(tree, tree.margins, margin)
    else:
        for player in range(int64(game.n_players)):
            tree.margins[player] = value_for(room.seen, game, tiles, room.work, player)


@jit
def set_margins(tree, margins, margin):
    """In a game of two players, set the searching player's margin to `margin` and the other player's margin to
    `-margin`.
    """
    margins[tree.me] = margin
    margins[1 - tree.me] = -margin


@jit
def list_kinds(tree, here, view):
    """List the remaining tile types, most frequent first. The list also contains the probability of each type and the
    bounds of its value.
    """
    here.n_kinds = 0
    for kind in range(FIRST_PRINTED):
        if view.unseen[kind]:
            at = int64(here.n_kinds)
            while at > 0 and view.unseen[here.kinds[at - 1]] < view.unseen[kind]:
                here.kinds[at] = here.kinds[at - 1]
                at -= 1
            here.kinds[at] = kind
            here.n_kinds += 1
    for k in range(here.n_kinds):
        here.chances[k] = view.unseen[here.kinds[k]] / view.n_left
    if tree.two and here.n_kinds > 1:
        set_bounds(here, tree.margins[tree.me] - SWING, tree.margins[tree.me] + SWING)
    else:
        set_bounds(here, -inf, inf)


@jit
def set_bounds(here, low, high):
    """For each tile type that can be drawn, set the bounds of its value to `low` and `high`, and mark the value as not
    exact.
    """
    here.at = here.probes = 0
    for k in range(here.n_kinds):
        here.low[k], here.high[k], here.known[k] = low, high, 0


@jit
def learn(tree, here, margins, by):
    """Store the margins computed for the tile type that was drawn last. The argument `by` is NONE if all relevant
    actions after the draw were tried. If only one of several actions was tried, the margins are only a bound, and `by`
    is the player who acts after the draw.
    """
    k = int64(here.at)
    here.after[k] = margins
    if tree.two:
        value = min(max(margins[tree.me], here.low[k]), here.high[k])
        set_margins(tree, here.after[k], value)
        if by == NONE or by == tree.me:
            here.low[k] = value
        if by != tree.me:
            here.high[k] = value
    here.known[k] = by == NONE or here.low[k] == here.high[k]
    here.at += 1


@jit
def is_settled(tree, here):
    """Return True if the value of the current action is known or lies outside the search window. The action then needs
    no further search. A known value is stored in `tree.margins`. For a value outside the window, a bound is stored
    there instead.
    """
    n_known = 0
    tree.margins[:] = 0.0
    for k in range(here.n_kinds):
        n_known += here.known[k]
        for player in range(MAX_PLAYERS):
            tree.margins[player] += here.chances[k] * here.after[k, player]
    if n_known == here.n_kinds:
        return True
    if not tree.prunes:
        return False
    least, most = window(tree, here)
    low, high = bounds(here, NONE)
    if high < least - SLACK / 2:
        set_margins(tree, tree.margins, high)
    elif low > most + SLACK / 2:
        set_margins(tree, tree.margins, low)
    else:
        return False
    return True


@jit
def bounds(here, without):
    """Return a lower and an upper bound for the weighted sum of the tile types' values. The tile type with the index
    `without` is left out of the sum.
    """
    low, high = 0.0, 0.0
    for k in range(here.n_kinds):
        if k != without:
            low += here.chances[k] * here.low[k]
            high += here.chances[k] * here.high[k]
    return low, high


@jit
def set_window(tree, here, below):
    """Set the search window of the level below. The current action needs no further search if the value of the level
    below is outside this window.
    """
    least, most = window(tree, here)
    low, high = bounds(here, int64(here.at))
    below.least = (least - SLACK - high) / here.chances[here.at]
    below.most = (most + SLACK - low) / here.chances[here.at]
    if below.is_probe:
        if below.player == tree.me:
            below.least = -inf
        else:
            below.most = inf


@jit
def draw_kind(tree, level, games, tiles, room):
    """Draw a tile of the next type in the list, skipping types with a known value. Returns the tree level at which the
    search continues: `level + 1` if the position after the draw has to be searched, and `level` otherwise.
    """
    here, game = tree.levels[level], games[asked_at(level + 1)]
    while here.at < here.n_kinds and here.known[here.at]:
        here.at += 1
    if here.at == here.n_kinds:  # for every tile type, the first action was tried
        here.at = here.probes = 0
        return level
    copy_in_use(game, games[ended_at(level)])
    put_on_top(game, int64(here.kinds[here.at]))
    n = turn.answer(game, tiles, int64(here.ending), room.work.legal)
    tree.turns += 1
    if n == 0 or level + 1 == tree.depth:
        room.work.placed = NONE
        play_on(room.seen, game, games[0], tiles, room.work, n, int64(game.n_drawn))
        value_table(tree, game, tiles, room)
        learn(tree, here, tree.margins, NONE)
        return level
    below = tree.levels[level + 1]
    ask(tree, level + 1, games, tiles, room, n, int64(tree.width) if game.phase == Phase.PLACE_TILE else 1)
    if not here.probes and tree.prunes:  # the first pass has already tried the first action
        below.tried = 1
        below.margins[:] = here.after[here.at]
    elif here.probes and below.n_answers > 1:
        below.n_answers = below.is_probe = 1
    set_window(tree, here, below)
    return level + 1


@jit
def put_on_top(game, kind):
    """Move a tile of the type `kind` to the top of the stack."""
    for i in range(game.n_drawn, game.n_deck):
        if game.deck[i] == kind:
            game.deck[i] = game.deck[game.n_drawn]
            game.deck[game.n_drawn] = kind
            return


# --- the tree ---------------------------------------------------------------------------------------------------------
@jit
def walk(tree, games, tiles, room):
    """Search the tree until all actions listed at the tree's first level have been tried."""
    level = 0
    while True:
        here = tree.levels[level]
        if is_decided(tree, here):
            if level == 0:
                return
            level -= 1
            learn(tree, tree.levels[level], here.margins, int64(here.player) if here.is_probe else NONE)
        elif not here.is_open:
            try_answer(tree, level, games, tiles, room)
        elif is_settled(tree, here):
            take_value(tree, here)
        else:
            level = draw_kind(tree, level, games, tiles, room)


@jit
def search(games, tiles, prices, rooms, trees, trials, seed, number):
    """Search for the best actions of the acting player in `games[0]`. The hidden information is replaced by the random
    sample with index `number`. Afterwards, `levels[0]` of the tree holds the best actions and their values. `seed` is a
    pair: the low 32 bits and the high 32 bits of the seed.
    """
    room, tree, game = rooms[0], trees[0], trials[asked_at(0)]
    prepare(room, prices[0])
    copy_in_use(game, games[0])
    draw_hidden(game, int64(seed[0]), int64(seed[1]), number, room.work.room, room.chance)
    tree.me, tree.two = game.player, game.n_players == 2
    if not tree.two:
        tree.prunes = 0
    n = turn.legal_answers(game, tiles[0], room.work.legal)
    ask(tree, 0, trials, tiles[0], room, n, int64(tree.width))
    first = tree.levels[0]
    first.narrows = tree.prunes and not tree.every
    first.least, first.most = -inf, inf
    walk(tree, trials, tiles[0], room)
