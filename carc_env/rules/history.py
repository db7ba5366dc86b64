"""The record of a game: all its answers, and what the last one caused."""

from carc_env.compiling.jit import jit
from carc_env.rules.chance import mixed
from carc_env.rules.state import MAX_EVENTS, MAX_MOVES


@jit
def note(game, kind, player, source, amount, cell):
    """Add one event. The list is long enough for all that one answer causes in a game of the boxes.

    With a dictated deck one answer can cause more: tile after tile that fits nowhere, or that has one place only. What
    comes after MAX_EVENTS events is done, but not told.
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
    """Enter an answer in the record of the game; `limits.check` refuses a game that could need more room."""
    assert game.n_moves < MAX_MOVES
    move = game.moves[game.n_moves]
    move.answer = answer
    move.phase = phase
    move.player = player
    game.n_moves += 1


@jit
def mixed_with_history(game, word):
    """A 32-bit word mixed with the tiles drawn and the answers given so far: all that the players saw happen."""
    for i in range(game.n_drawn):
        word = mixed(word ^ int(game.deck[i]))
    for i in range(game.n_moves):
        word = mixed(word ^ int(game.moves[i].answer))
    return word
