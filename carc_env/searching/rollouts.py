"""Rollouts. A rollout plays an action, lets the policy play a few more tiles, and evaluates the position.

The module `pricing` defines the policy, which plays for all players. All functions use working memory that is allocated
only once (`room_for`). During a rollout, no memory is allocated and no Python code runs.
"""

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.observing.pricing import (
    WORK,
    begin_question,
    forget_parts,
    next_answer,
    price_answer,
    quick_answer,
    take_answer_back,
    take_prices,
    worth,
    worth_in_hand,
)
from carc_env.observing.prospects import VIEW, count_left, value_all
from carc_env.observing.value_network import Asked, margin_to_come
from carc_env.rules import turn
from carc_env.rules.chance import CHANCE
from carc_env.rules.state import NONE, Phase, record
from carc_env.rules.undo import copy_in_use
from carc_env.searching.hidden import draw_hidden

MOST_VALUATIONS = 1 << 30  # after this number of evaluations, the 32-bit counters of a VIEW are reset

LISTED = record(  # an action, with the plan of the policy for the rest of the turn
    ("answer", "i8"),
    ("price", "f8"),  # in points
    ("placed", "i8"),  # see pricing.WORK
    ("ingot", "i8"),
    ("figure", "i8"),
)

ROOMS = record(("seen", VIEW), ("work", WORK), ("chance", CHANCE))


# --- one rollout ------------------------------------------------------------------------------------------------------
@jit
def play_on(view, game, trial, tiles, work, n, last_tile):
    """Let the policy play until the number of drawn tiles is greater than `last_tile`, or until the game is over.
    `work.legal` contains the n legal actions of the next decision.
    """
    while n > 0 and game.n_drawn <= last_tile:
        answer = quick_answer(view, game, trial, tiles, n, work)
        n = turn.answer(game, tiles, answer, work.legal)


@jit
def look_at_table(view, game, tiles, work):
    """Estimate the points that each player will still score. If the game is over, do nothing."""
    if game.phase != Phase.GAME_OVER:
        count_left(view, game, tiles)
        value_all(view, game, tiles, work.parts)


@jit
def points_to_expect(view, game, work, player):
    """Return the expected final points of a player. In an unfinished game, the expected points are the current score
    plus an estimate of the player's future points. In a finished game, the expected points are the final score.
    """
    points = float(game.players[player].score)
    if game.phase != Phase.GAME_OVER:
        points += worth(view, game, work.parts, player) + worth_in_hand(view, game, player)
    return points


@jit
def value_for(view, game, tiles, work, player):
    """Return the value of a game for a player. The value is the player's expected points minus the highest expected
    points of any other player. If a value network is used, the network's correction (`margin_to_come`) is added to the
    value.
    """
    look_at_table(view, game, tiles, work)
    best = -1e9
    for other in range(int64(game.n_players)):
        if other != player:
            best = max(best, points_to_expect(view, game, work, other))
    found, network = points_to_expect(view, game, work, player) - best, work.network
    if network.asked >= Asked.LEAVES and game.n_players == 2 and game.phase != Phase.GAME_OVER:
        moves = 1.0 if game.player == player else -1.0
        found += margin_to_come(network, view, game, work.parts, player, 1 - player, moves, 0.0, work.thought)
    return found


@jit
def roll_out(view, game, trial, tiles, work, listed, last_tile, player):
    """Play a listed action in a game, let the policy continue, and evaluate the position for a player."""
    n = turn.answer(game, tiles, int64(listed.answer), work.legal)
    work.placed, work.ingot, work.figure = listed.placed, listed.ingot, listed.figure
    play_on(view, game, trial, tiles, work, n, last_tile)
    return value_for(view, game, tiles, work, player)


# --- many rollouts ----------------------------------------------------------------------------------------------------
@jit
def prepare(rooms, prices):
    """Clear the working memory, and set the weights of the heuristic."""
    view = rooms.seen
    take_prices(view, rooms.work, prices)
    if view.known > MOST_VALUATIONS:
        view.known = view.before = 0
        view.changed[:] = view.touched[:] = view.valued[:] = view.when[:] = view.when_before[:] = 0
    forget_parts(rooms.work)


@jit
def list_answers(games, tiles, prices, rooms, trials, listed):
    """Write the legal actions of games[0] to `listed`, in ascending order. Each entry also contains the heuristic value
    of the action, and the policy's plan for the rest of the turn. Returns the number of legal actions.
    """
    prepare(rooms[0], prices[0])
    n = turn.legal_answers(games[0], tiles[0], rooms[0].work.legal)
    if n:
        price_all(rooms[0].seen, games[0], trials[0], tiles[0], n, rooms[0].work, listed)
    return n


@jit
def price_all(view, game, trial, tiles, n, work, listed):
    """For each of the n actions in `work.legal`, write one entry to `listed`. The entry contains the action, its
    heuristic value and the plan for the rest of the turn. `trial` is working memory.
    """
    begin_question(view, game, trial, tiles, work)
    for k in range(n):
        answer, one = int64(work.legal.answers[k]), listed[k]
        one.answer = answer
        one.price = price_answer(view, game, trial, tiles, answer, work)
        one.placed, one.ingot, one.figure = trial.placed, work.ingot, work.figure
        take_answer_back(trial, game)


@jit
def roll_out_all(games, tiles, prices, rooms, trials, listed, which, seed, first, depth, out):
    """Roll out some of the legal actions of games[0]. The array `listed` contains all legal actions, and `which`
    contains the indices of the actions to roll out. A rollout plays the rest of the turn, and then the turns of the
    next `depth` tiles. All actions use the same samples of the hidden information. The samples have the indices `first`
    to `first + len(out) - 1`. The function writes the value of each action with each sample to `out[sample, action]`.

    `trials` is working memory for three games. `seed` holds the low and the high 32 bits of a seed.
    """
    prepare(rooms[0], prices[0])
    view, work, tile_kinds = rooms[0].seen, rooms[0].work, tiles[0]
    drawn, game, trial = trials[0], trials[1], trials[2]
    player, last_tile = int64(games[0].player), int64(games[0].n_drawn) + depth
    copy_in_use(drawn, games[0])
    for draw in range(len(out)):
        draw_hidden(drawn, int64(seed[0]), int64(seed[1]), first + draw, work.room, rooms[0].chance)
        for k in range(len(which)):
            copy_in_use(game, drawn)
            out[draw, which[k]] = roll_out(view, game, trial, tile_kinds, work, listed[which[k]], last_tile, player)


@jit
def expect_points(games, tiles, prices, rooms, out):
    """Write the expected points of each player in each game to `out`, an array of the shape [n, players]."""
    prepare(rooms[0], prices[0])
    for i in range(len(games)):
        look_at_table(rooms[0].seen, games[i], tiles[0], rooms[0].work)
        for player in range(int64(games[i].n_players)):
            out[i, player] = points_to_expect(rooms[0].seen, games[i], rooms[0].work, player)


def room_for(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Allocate the working memory for one thread. The first returned array contains one ROOMS record. The second array
    contains three game states with the dtype `dtype`.
    """
    return np.zeros(1, ROOMS), np.zeros(3, dtype)


def promising(prices: np.ndarray, most: int, near: float) -> np.ndarray:
    """Return the indices of the actions with the best heuristic values, best first. At most `most` indices are
    returned. Actions whose heuristic value is more than `near` points below the best value are left out.
    """
    best = np.argsort(-prices, kind="stable")[:most]
    found: np.ndarray = best[prices[best] >= prices[best[0]] - near]
    return found


@jit
def play_turns(games, tiles, prices, rooms, trials, most):
    """In each game, let the policy finish the current turn and then play at most `most` further tiles. Returns the
    number of actions played.
    """
    prepare(rooms[0], prices[0])
    view, work, answers = rooms[0].seen, rooms[0].work, 0
    for i in range(len(games)):
        game = games[i]
        work.placed = NONE
        last_tile = int64(game.n_drawn) + most
        n = turn.legal_answers(game, tiles[0], work.legal)
        while n > 0 and game.n_drawn <= last_tile:
            answer = next_answer(view, game, trials[0], tiles[0], n, work)
            n = turn.answer(game, tiles[0], answer, work.legal)
            answers += 1
    return answers


@jit
def play_against(games, tiles, prices, policies, rooms, trials):
    """Play each game to its end. Player p of game i uses the heuristic weights prices[policies[i, p]]."""
    prepare(rooms[0], prices[0])
    view, work = rooms[0].seen, rooms[0].work
    for i in range(len(games)):
        game = games[i]
        work.placed = NONE
        n = turn.legal_answers(game, tiles[0], work.legal)
        while n > 0:
            take_prices(view, work, prices[policies[i, game.player]])
            answer = next_answer(view, game, trials[0], tiles[0], n, work)
            n = turn.answer(game, tiles[0], answer, work.legal)
