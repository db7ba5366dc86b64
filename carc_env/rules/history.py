"""The record of a game: all its answers, and the events that the last answer caused."""

from carc_env.compiling.jit import jit
from carc_env.rules.chance import mixed
from carc_env.rules.state import MAX_EVENTS, MAX_MOVES


@jit
def note(game, kind, player, source, amount, cell):
    """Record an event. There is space for all events that one answer can cause in a normal game.

    With a given deck one answer can cause more: many tiles in a row that fit nowhere, or that have only one place.
    Events beyond MAX_EVENTS take place but are not recorded.
    """
    if game.n_events < MAX_EVENTS:
        event = game.events[game.n_events]
        event.kind = kind
        event.player = player
        event.source = source
        event.amount = amount
        event.cell = cell
        game.n_events += 1


@jit
def log(game, answer, phase, player):
    """Record an answer. `limits.check` refuses games that could need more than MAX_MOVES."""
    assert game.n_moves < MAX_MOVES
    move = game.moves[game.n_moves]
    move.answer = answer
    move.phase = phase
    move.player = player
    game.n_moves += 1


@jit
def mixed_with_history(game, word):
    """Mix a 32-bit word with the tiles drawn and the answers given so far, which all players have seen."""
    for i in range(game.n_drawn):
        word = mixed(word ^ int(game.deck[i]))
    for i in range(game.n_moves):
        word = mixed(word ^ int(game.moves[i].answer))
    return word
