"""Contains the rules functions that are called from uncompiled Python code. Each of these functions works on an array
of games; a single game is an array of length one.

`games` is an array of GAME records. `tiles` is an array of one TILES record with all kinds of tiles.

The array `rooms` has one ROOM record and holds intermediate results. A function that allocates `rooms` must read
`rooms[0]` again in each iteration of a loop. Otherwise, compiled code can free the array `rooms` while its record is
still in use. Arrays that are arguments of a function are safe, because compiled code does not free them.

Functions of this module allocate arrays, which is not possible in code on a GPU. Therefore, code on a GPU calls the
functions for a single game: `opening.set_up` and `turn.play_to_end`.
"""

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import ROOM, is_listed
from carc_env.rules.chance import CHANCE, mixed, random_below, seed_chance, shuffle
from carc_env.rules.expansions import map_chips, maps
from carc_env.rules.history import mixed_with_history
from carc_env.rules.opening import set_up
from carc_env.rules.placement import join_neighbours, place_tile
from carc_env.rules.state import NONE
from carc_env.rules.turn import answer, apply, begin_game, legal_answers, play_to_end, proceed, settle


@jit
def generators(chances):
    """Return an array of n random number generators that shares its memory with `chances`. `chances` has the shape [n,
    2] and the dtype int64. Each row contains the state of one generator. When a generator draws a random number, its
    row changes.
    """
    return chances.view(CHANCE).reshape(len(chances))


@jit
def lay_starts(games, tiles, kinds, rotations, cells):
    """Place the start tiles on the empty table of each game."""
    for i in range(len(games)):
        for k in range(len(kinds)):
            place_tile(games[i], tiles[0], kinds[k], rotations[k], cells[k])


@jit
def reset(games, which, tiles, template, seeds):
    """Set up each game whose index is in `which`, and continue to its first decision. Each game begins as a copy of
    template[0]. `seeds[k]` holds the seed that shuffles the deck of `games[which[k]]`: the low 32 bits and the high 32
    bits.
    """
    rooms = np.empty(1, ROOM)
    chances = np.empty(1, CHANCE)
    for k in range(len(which)):
        games[which[k]] = template[0]
        seed_chance(chances[0], int(seeds[k, 0]), int(seeds[k, 1]))
        set_up(games[which[k]], tiles[0], chances[0], rooms[0])


@jit
def print_large_cities(games, tiles, cells, kinds, pennants):
    """Put the large cities of a map sheet on the empty table of each game."""
    for i in range(len(games)):
        for k in range(len(cells)):
            maps.print_large_city(games[i], cells[k], kinds[k], tiles[0], pennants[k])
            join_neighbours(games[i], tiles[0], cells[k])


@jit
def begin(games, tiles):
    """Begin games with a given order of the deck, and continue each game to its first decision. The function skips a
    decision if `pass` is the only legal action, but it does not skip other decisions with only one legal action. To
    skip every decision with only one legal action, call `go_on` afterwards. See `replay`.
    """
    rooms = np.empty(1, ROOM)
    for i in range(len(games)):
        begin_game(games[i], tiles[0], rooms[0])
        settle(games[i], tiles[0], rooms[0])


@jit
def go_on(games, tiles):
    """Continue each game to its next decision with at least two legal actions."""
    rooms = np.empty(1, ROOM)
    for i in range(len(games)):
        proceed(games[i], tiles[0], rooms[0])


@jit
def replay(games, tiles, action):
    """Play a recorded action in every game in which this action is legal. Returns the number of games in which the
    action was legal.

    If a later decision has only one legal action, `step` plays this action, but `replay` does not: the game record
    contains this action. There are two exceptions: the function plays `pass` where no other action is legal, and it
    gives out the last ingots of a draft. Each of these ingots is recorded as an action, so GAME.n_moves can grow by
    more than 1.
    """
    rooms = np.empty(1, ROOM)
    played = 0
    for i in range(len(games)):
        game = games[i]
        n = legal_answers(game, tiles[0], rooms[0])
        if is_listed(rooms[0].answers, n, action):
            if n > 1:
                game.n_events = 0
            apply(game, tiles[0], int64(action), rooms[0])
            settle(game, tiles[0], rooms[0])
            played += 1
    return played


@jit
def legal_actions(games, tiles, rooms):
    """List the legal actions of games[0] in rooms[0].answers, in ascending order. Returns their number."""
    return legal_answers(games[0], tiles[0], rooms[0])


@jit
def legal_masks(games, tiles, out):
    """Write the action mask of each game to `out`: 1 for a legal action, 0 for any other. `out` is int8[n, n_actions].
    The number of actions depends on the size of the table (`ids_of(size).n`).
    """
    rooms = np.empty(1, ROOM)
    for i in range(len(games)):
        out[i] = 0
        for k in range(legal_answers(games[i], tiles[0], rooms[0])):
            out[i, rooms[0].answers[k]] = 1


@jit
def first_illegal(games, tiles, actions):
    """Return the index of the first game whose action is not legal, or NONE if all actions are legal."""
    rooms = np.empty(1, ROOM)
    for i in range(len(games)):
        n = legal_answers(games[i], tiles[0], rooms[0])
        if not is_listed(rooms[0].answers, n, actions[i]) and (n > 0 or actions[i] != NONE):
            return i
    return NONE


@jit
def step(games, tiles, actions):
    """Play one action in each game, provided that all actions are legal. The action of a game that is over must be
    NONE. If any action is not legal, no game changes. Returns the index of the first game whose action is not legal, or
    NONE if all actions are legal.
    """
    wrong = first_illegal(games, tiles, actions)
    rooms = np.empty(1, ROOM)
    for i in range(len(games)):
        if wrong == NONE and actions[i] != NONE:
            answer(games[i], tiles[0], int64(actions[i]), rooms[0])
    return wrong


@jit
def step_if_legal(games, which, tiles, actions, legal):
    """For each k, play actions[k] in the game games[which[k]] if the action is legal in that game. Set legal[k] to True
    if the action is legal, otherwise to False.
    """
    rooms = np.empty(1, ROOM)
    for k in range(len(which)):
        game = games[which[k]]
        n = legal_answers(game, tiles[0], rooms[0])
        legal[k] = is_listed(rooms[0].answers, n, actions[k])
        if legal[k]:
            answer(game, tiles[0], int64(actions[k]), rooms[0])


@jit
def are_legal(games, which, tiles, actions, legal):
    """Set legal[k] to True if actions[k] is legal in games[which[k]], otherwise to False."""
    rooms = np.empty(1, ROOM)
    for k in range(len(which)):
        n = legal_answers(games[which[k]], tiles[0], rooms[0])
        legal[k] = is_listed(rooms[0].answers, n, actions[k])


@jit
def undo(games, tiles, template):
    """Undo the last action that a player chose in games[0], and all forced actions that the engine played after it.

    To undo the actions, the function replays the game from its initial position, template[0]. Returns False if no
    player has chosen an action yet.
    """
    trials, rooms = np.empty(1, games.dtype), np.empty(1, ROOM)
    last = play_again(trials, games, tiles, template, rooms, int64(games[0].n_moves))
    if last == NONE:
        return False
    play_again(trials, games, tiles, template, rooms, last)
    # `games[0] = trials[0]` would fail: numba would free `trials` after its last use, which is before the copy
    games[:1] = trials
    return True


@jit
def play_again(trials, games, tiles, template, rooms, n_moves):
    """Copy the initial position template[0] to trials[0], and play the first n_moves actions of games[0] in trials[0].
    Returns the index of the last action that a player chose, or NONE if there is no such action.
    """
    trials[0] = template[0]
    trial, chosen = trials[0], int64(NONE)
    begin_game(trial, tiles[0], rooms[0])
    n = settle(trial, tiles[0], rooms[0])
    while trial.n_moves < n_moves:
        if n > 1:
            trial.n_events = 0
            chosen = int64(trial.n_moves)
        apply(trial, tiles[0], int64(games[0].moves[trial.n_moves].answer), rooms[0])
        n = settle(trial, tiles[0], rooms[0])
    return chosen


@jit
def reshuffle(games, tiles, seeds):
    """Reshuffle the hidden information of each game: the order of the stack, and the faces of the chips that lie face
    down.
    """
    rooms = np.empty(1, ROOM)
    chances = np.empty(1, CHANCE)
    for i in range(len(games)):
        seed_chance(chances[0], int(seeds[i, 0]), int(seeds[i, 1]))
        game = games[i]
        shuffle(game.deck[game.n_drawn :], int64(game.n_deck) - game.n_drawn, chances[0])
        map_chips.reshuffle_faces(game, rooms[0], chances[0])


@jit
def random_actions(games, tiles, chances, out):
    """For each game, write a uniformly random legal action to `out`, int64[n]. For a game that is over, write NONE.
    `chances` is int64[n, 2] and holds the state of a random generator for each game. The states change.
    """
    rooms, drawing = np.empty(1, ROOM), generators(chances)
    for i in range(len(games)):
        n = legal_answers(games[i], tiles[0], rooms[0])
        out[i] = rooms[0].answers[random_below(drawing[i], n)] if n else NONE


@jit
def choose_random(games, which, tiles, seeds, out):
    """For each k, choose a random legal action for the game games[which[k]], and write this action to out[k]. For a
    game that is over, write NONE.

    The action depends only on seeds[k] (two 32-bit words) and on the history of the game.
    """
    rooms = np.empty(1, ROOM)
    chances = np.empty(1, CHANCE)
    for k in range(len(which)):
        game = games[which[k]]
        n = legal_answers(game, tiles[0], rooms[0])
        seed_chance(chances[0], mixed_with_history(game, mixed(int(seeds[k, 0]))), int(seeds[k, 1]))
        out[k] = rooms[0].answers[random_below(chances[0], n)] if n else NONE


@jit
def play_random(games, tiles, chances):
    """Play each game to its end with uniformly random actions. Returns the number of actions chosen in all games
    together.
    """
    rooms, drawing = np.empty(1, ROOM), generators(chances)
    decisions = 0
    for i in range(len(games)):
        decisions += play_to_end(games[i], tiles[0], drawing[i], rooms[0])
    return decisions
