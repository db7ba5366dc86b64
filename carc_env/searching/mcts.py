"""Monte Carlo tree search with priors (PUCT: Rosin 2011, Silver and others 2017), on several reshuffled stacks.

Each stack has its own search tree without chance nodes. Every decision is a level of the tree. For example, placing a
tile and placing a figure on the tile are two levels. A playout descends the tree to a new decision, lists the legal
actions, and evaluates the position. The priors of the actions are a softmax of their heuristic values (see
`observing/pricing.py`) with a temperature of PRIOR points. Values are margins, squashed by tanh(points / SQUASHED). One
point therefore has more weight if the margin is small. With more than two players, each player maximizes their own
margin, which is the player's points minus the highest points of any other player (max^n: Luckhardt and Irani 1986).

A node does not store a game. Each playout replays the actions that lead to a node. Replaying actions costs less than
storing a game in every node.
"""

from math import exp, sqrt, tanh

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.observing.pricing import worth, worth_in_hand
from carc_env.rules import turn
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.rules.state import MAX_PLAYERS, NONE, record
from carc_env.rules.undo import copy_in_use
from carc_env.searching.hidden import draw_hidden
from carc_env.searching.rollouts import LISTED, prepare, price_all

WIDTH = 16  # the maximum number of actions considered at a decision: those with the best heuristic values
DEEPEST = 64  # the maximum number of decisions in one playout
SQUASHED = 15.0  # in points
PRIOR = 5.0  # in points

NODE = record(  # a decision
    ("player", "i2"),  # the player who has to act
    ("n_children", "i2"),
    ("first", "i4"),  # the index in `children` of the first action of this decision; the other actions follow
    ("visits", "i4"),
    ("value", "f8", (MAX_PLAYERS,)),  # for each player: the estimated value of the position, from -1 to 1
)
CHILD = record(  # an action
    ("answer", "i4"),
    ("node", "i4"),  # the decision after this action; NONE until a playout reaches that decision
    ("visits", "i4"),
    ("prior", "f8"),
    ("total", "f8", (MAX_PLAYERS,)),  # for each player: the sum of the values of the playouts through this action
)
TREE = record(("n_nodes", "i4"), ("n_children", "i4"))
PATH = record(
    ("nodes", "i4", (DEEPEST,)),
    ("children", "i4", (DEEPEST,)),
    ("value", "f8", (MAX_PLAYERS,)),
    ("listed", LISTED, (MAX_ANSWERS,)),
)


@jit
def grow(games, tiles, prices, rooms, trials, paths, trees, nodes, children, seed, first, playouts, bonus):
    """Run at most `playouts` playouts in one search tree. The tree belongs to the reshuffled stack with the index
    `first`. If the arrays for the tree are full, the function returns early.

    The tree is stored in `trees[0]`, `nodes` and `children`. If `trees[0].n_nodes` is 0, the tree is empty. `trials` is
    working space for three games. `bonus` is the weight of the bonus for actions with few visits (the constant c of
    PUCT).
    """
    prepare(rooms[0], prices[0])
    drawn, game, trial = trials[0], trials[1], trials[2]
    view, work, path, tree = rooms[0].seen, rooms[0].work, paths[0], trees[0]
    copy_in_use(drawn, games[0])
    draw_hidden(drawn, int64(seed[0]), int64(seed[1]), first, work.room, rooms[0].chance)
    for _ in range(playouts):
        if tree.n_nodes == len(nodes) or tree.n_children + WIDTH > len(children):
            return
        copy_in_use(game, drawn)
        play_out(view, game, trial, tiles[0], work, path, tree, nodes, children, bonus)


@jit
def play_out(view, game, trial, tiles, work, path, tree, nodes, children, bonus):
    """Descend the tree to a new decision or the end of the game. Then evaluate the position, and update all decisions
    on the path.
    """
    depth, node = 0, int64(0)
    n = turn.legal_answers(game, tiles, work.legal)
    if tree.n_nodes == 0:
        expand(view, game, trial, tiles, n, work, path, tree, nodes, children)
        return
    while depth < DEEPEST:
        child = choose(nodes[node], children, bonus)
        path.nodes[depth], path.children[depth] = node, child
        depth += 1
        n = turn.answer(game, tiles, int64(children[child].answer), work.legal)
        if children[child].node == NONE:
            if n == 0:
                value_end(game, path)
            else:
                children[child].node = tree.n_nodes
                expand(view, game, trial, tiles, n, work, path, tree, nodes, children)
            break
        node = int64(children[child].node)
    if depth == DEEPEST and children[path.children[depth - 1]].node == node:  # the playout reached no new decision
        for player in range(int64(game.n_players)):
            path.value[player] = nodes[node].value[player]
    tell(game, path, depth, nodes, children)


@jit
def tell(game, path, depth, nodes, children):
    """Add the value of a playout to all actions on its path."""
    for k in range(depth):
        child = children[path.children[k]]
        nodes[path.nodes[k]].visits += 1
        child.visits += 1
        for player in range(int64(game.n_players)):
            child.total[player] += path.value[player]


@jit
def choose(node, children, bonus):
    """Return the index of the child to try next: the child with the largest sum of mean value and bonus. The bonus
    increases with the prior of the child and decreases with the number of visits to the child.
    """
    best, chosen, player = -1e300, int64(node.first), int64(node.player)
    for k in range(int64(node.first), int64(node.first) + node.n_children):
        child = children[k]
        mean = child.total[player] / child.visits if child.visits else node.value[player]
        value = mean + bonus * child.prior * sqrt(node.visits + 1.0) / (1.0 + child.visits)
        if value > best:
            best, chosen = value, k
    return chosen


# --- new questions ----------------------------------------------------------------------------------------------------
@jit
def expand(view, game, trial, tiles, n, work, path, tree, nodes, children):
    """Add a decision, together with its best actions, to the tree. Evaluate the position, and write the values to
    `path.value`.
    """
    price_all(view, game, trial, tiles, n, work, path.listed)
    node = nodes[tree.n_nodes]
    node.player, node.first, node.visits, node.n_children = game.player, tree.n_children, 0, 0
    tree.n_nodes += 1
    best = best_of(path.listed, n)
    top, total = float(path.listed[best].price), 0.0
    while best != NONE and node.n_children < WIDTH:
        child = children[tree.n_children]
        child.answer, child.node, child.visits = path.listed[best].answer, NONE, 0
        child.total[:] = 0.0
        child.prior = exp((path.listed[best].price - top) / PRIOR)
        total += child.prior
        tree.n_children += 1
        node.n_children += 1
        path.listed[best].price = -1e300
        best = best_of(path.listed, n)
    for k in range(int64(node.first), int64(node.first) + node.n_children):
        children[k].prior /= total
    value_table(view, game, work, top, path)
    for player in range(int64(game.n_players)):
        node.value[player] = path.value[player]


@jit
def best_of(listed, n):
    """Return the index of the action with the best heuristic value among the actions that have not been selected yet.
    Return NONE if all actions have been selected.
    """
    best, price = int64(NONE), -1e299
    for k in range(n):
        if listed[k].price > price:
            best, price = k, float(listed[k].price)
    return best


@jit
def value_table(view, game, work, top, path):
    """Evaluate the position for each player. The value is the player's score plus an estimate of the points to come.
    The estimate includes the points for the player's ingots. The value of the acting player also includes the gain from
    this player's best turn. The gain from the best turn is `top` minus the heuristic value of the position before the
    turn. The argument `top` is the heuristic value of the best turn.
    """
    asked = int64(game.player)
    own, others = worth(view, game, work.before, asked), 0.0
    for player in range(int64(game.n_players)):
        points = game.players[player].score + worth(view, game, work.before, player)
        path.value[player] = points + worth_in_hand(view, game, player)
        if player != asked:
            others += worth(view, game, work.before, player)
    path.value[asked] += top - (own - view.prices.others * others / (game.n_players - 1))
    squash_margins(game, path)


@jit
def value_end(game, path):
    """Evaluate a finished game for each player."""
    for player in range(int64(game.n_players)):
        path.value[player] = game.players[player].score
    squash_margins(game, path)


@jit
def squash_margins(game, path):
    """In `path.value`, replace each player's points by tanh(margin / SQUASHED). The margin is the player's points minus
    the highest points of any other player.
    """
    first, second, leader = -1e300, -1e300, int64(NONE)
    for player in range(int64(game.n_players)):
        if path.value[player] > first:
            second, first, leader = first, float(path.value[player]), player
        elif path.value[player] > second:
            second = float(path.value[player])
    for player in range(int64(game.n_players)):
        path.value[player] = tanh((path.value[player] - (second if player == leader else first)) / SQUASHED)


def paths_for() -> np.ndarray:
    """Allocate the working space for one playout, as an array with one PATH record."""
    return np.zeros(1, PATH)
