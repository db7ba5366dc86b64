"""Records positions from self-play games, as training data. Some of the policy's actions are replaced by actions that
are drawn at random from the nearly best actions. The random actions are called errors.

A position is recorded when a player has to place a tile. The record contains the inputs of the value network from the
perspective of the acting player. The record also contains a prediction of the final margin. The prediction is based on
an estimate of the points to come, and does not use the value network. The network learns to predict the final margin.
"""

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.observing.pricing import next_answer
from carc_env.observing.prospects import count_left, value_all
from carc_env.observing.value_network import N_INPUTS, look
from carc_env.rules import turn
from carc_env.rules.chance import CHANCE, random_below, seed_chance
from carc_env.rules.state import NONE, Phase, record
from carc_env.rules.undo import copy_in_use
from carc_env.searching.rollouts import points_to_expect, prepare, price_all

NOTED = record(  # one position
    ("inputs", "f4", (N_INPUTS,)),  # see value_network.look
    ("promised", "f4"),  # the player's expected final points minus those of the other player
    ("player", "i1"),  # the player who has to act
    ("left", "i2"),  # tiles in the stack
    ("margin", "f4"),  # the margin of points at the end of the game
)
IN_A_THOUSAND = 1000


@jit
def play_and_note(games, tiles, prices, rooms, trials, listed, seed, errors, near, every, noted, count):
    """Play games of two players to their end, and record positions. In game i, the position before every k-th tile
    placement is recorded in `noted[i]`, where k is the argument `every`. The first recorded position is the one before
    tile placement j, where j is a random number from 1 to k. After the call, `count[i]` is the number of positions
    recorded in game i.

    The argument `errors` is the mean number of random actions per 1,000 actions. A random action is drawn from the
    actions whose heuristic value is at most `near` points below the best value. `seed` holds the low and the high 32
    bits of a seed. The random numbers of a game also depend on the game's index in `games`. `rooms`, `trials` and
    `listed` are working memory.
    """
    prepare(rooms[0], prices[0])
    view, work = rooms[0].seen, rooms[0].work
    chances = np.zeros(1, CHANCE)
    for i in range(len(games)):
        game = games[i]
        seed_chance(chances[0], int(seed[0]) + i, int(seed[1]))
        work.placed = NONE
        wait, last, n = random_below(chances[0], every), int64(NONE), turn.legal_answers(game, tiles[0], work.legal)
        count[i] = 0
        while n > 0:
            if game.phase == Phase.PLACE_TILE and game.n_drawn != last:
                last, wait = int64(game.n_drawn), wait - 1
                if wait < 0 and count[i] < noted.shape[1]:
                    note(view, game, tiles[0], work, int64(game.player), noted[i, count[i]])
                    count[i] += 1
                    wait = every - 1
            answer = next_answer_or_error(view, game, trials[0], tiles[0], n, work, listed, errors, near, chances[0])
            n = turn.answer(game, tiles[0], answer, work.legal)
        for k in range(count[i]):
            one = noted[i, k]
            one.margin = float(game.players[one.player].score) - float(game.players[1 - one.player].score)


@jit
def note(view, game, tiles, work, player, one):
    """Write the position to the record `one`, from the perspective of a player."""
    count_left(view, game, tiles)
    value_all(view, game, tiles, work.parts)
    moves = 1.0 if game.player == player else -1.0
    look(view, game, work.parts, player, 1 - player, moves, 0.0, one.inputs)
    one.promised = points_to_expect(view, game, work, player) - points_to_expect(view, game, work, 1 - player)
    one.player, one.left = player, view.n_left
    work.placed = NONE


@jit
def next_answer_or_error(view, game, trial, tiles, n, work, listed, errors, near, chance):
    """Return the next action of the policy, or occasionally a random action from the nearly best ones."""
    if random_below(chance, IN_A_THOUSAND) >= errors:
        return next_answer(view, game, trial, tiles, n, work)
    price_all(view, game, trial, tiles, n, work, listed)
    work.placed = NONE  # a random action ends the policy's plan
    best, good = -1e300, 0
    for k in range(n):
        best = max(best, listed[k].price)
    for k in range(n):
        good += listed[k].price >= best - near
    pick = random_below(chance, good)
    for k in range(n):
        if listed[k].price >= best - near:
            if pick == 0:
                return int64(listed[k].answer)
            pick -= 1
    return int64(listed[0].answer)


@jit
def play_until_placement(games, tiles, prices, rooms, trials, listed, seed, errors, near, most):
    """Continue games[0] until at least `most` further tiles have been drawn and a player has to place a tile. Some
    actions of the policy are replaced by random actions, as in `play_and_note`. Returns False if the game ends earlier.
    """
    prepare(rooms[0], prices[0])
    view, work, game = rooms[0].seen, rooms[0].work, games[0]
    chances = np.zeros(1, CHANCE)
    seed_chance(chances[0], int(seed[0]), int(seed[1]))
    work.placed = NONE
    last, n = int64(game.n_drawn) + most, turn.legal_answers(game, tiles[0], work.legal)
    while n > 0 and (game.phase != Phase.PLACE_TILE or game.n_drawn < last):
        answer = next_answer_or_error(view, game, trials[0], tiles[0], n, work, listed, errors, near, chances[0])
        n = turn.answer(game, tiles[0], answer, work.legal)
    return n > 0


@jit
def note_what_follows(games, tiles, prices, rooms, trials, listed, which, noted):
    """For each index in `which`, play the action `listed[index]` on a copy of games[0]. Let the policy finish the turn,
    and then record the position. The positions are recorded from the perspective of the player who acts in games[0].
    Positions in which the game is over are left out. Returns the number of positions in `noted`.

    `trials` is working memory for three games.
    """
    prepare(rooms[0], prices[0])
    view, work, game = rooms[0].seen, rooms[0].work, trials[1]
    player, drawn, count = int64(games[0].player), int64(games[0].n_drawn), 0
    for k in range(len(which)):
        copy_in_use(game, games[0])
        one = listed[which[k]]
        n = turn.answer(game, tiles[0], int64(one.answer), work.legal)
        work.placed, work.ingot, work.figure = one.placed, one.ingot, one.figure
        while n > 0 and (game.phase != Phase.PLACE_TILE or game.n_drawn == drawn):
            n = turn.answer(game, tiles[0], next_answer(view, game, trials[2], tiles[0], n, work), work.legal)
        if n > 0:
            note(view, game, tiles[0], work, player, noted[count])
            count += 1
    return count
