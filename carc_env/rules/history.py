"""Records all actions of a game, and the events that the last action caused."""

from carc_env.compiling.jit import jit
from carc_env.rules.chance import mixed
from carc_env.rules.state import MAX_EVENTS, MAX_MOVES


@jit
def note(game, kind, player, source, amount, cell):
    """Record an event. In a normal game, no action causes more than MAX_EVENTS events.

    If the caller specified the deck, a single action can cause more events. For example, the deck can contain many
    consecutive tiles with at most one legal placement. Only the first MAX_EVENTS events of an action are recorded. Any
    further events happen, but are not recorded.
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
    """Record an action. `limits.check` rejects games that could have more than MAX_MOVES actions."""
    assert game.n_moves < MAX_MOVES
    move = game.moves[game.n_moves]
    move.answer = answer
    move.phase = phase
    move.player = player
    game.n_moves += 1


@jit
def mixed_with_history(game, word):
    """Return one hash of three things: a 32-bit word, the tiles drawn so far, and the actions played so far. The hash
    contains no hidden information, because all players know the tiles drawn and the actions played.
    """
    for i in range(game.n_drawn):
        word = mixed(word ^ int(game.deck[i]))
    for i in range(game.n_moves):
        word = mixed(word ^ int(game.moves[i].answer))
    return word
