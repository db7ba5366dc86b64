"""Implements abbeys (Abbey & Mayor). Each player has one abbey tile and may place it instead of drawing a tile. An
abbey goes on an empty square that is surrounded on all four sides.

An abbey matches all edges. An abbey has no road, city or field, so every segment that touches the abbey ends there
(`placement.join_side`). An abbey counts as a monastery.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import pass_of, tile_answer, tile_of
from carc_env.rules.expansions import shrines
from carc_env.rules.geometry import neighbour, size_of
from carc_env.rules.placement import is_used_up, place_tile
from carc_env.rules.state import NONE, Kind


@jit(absent=False)
def begin(game):
    """Begin the step in which a player may place their abbey instead of drawing a tile. Before the final scoring, each
    player who still has an abbey may place it. Returns True if a decision follows.

    When the stack is used up, an abbey can still be placed in the second part of a double turn, but not in a new turn.
    """
    if is_offered(game):
        return ask_next(game)
    if is_used_up(game) and not game.systems.traders_and_builders.second_part:
        return False
    return can_place(game, int64(game.active))


@jit(absent=0)
def held(game, player):
    """The number of abbeys that a player has in hand."""
    return int64(game.systems.abbeys.held[player])


@jit
def can_place(game, player):
    """True if a player has an abbey and there is a square where the abbey can be placed."""
    if held(game, player):
        for i in range(game.n_frontier):
            if is_allowed(game, int64(game.frontier[i])):
                return True
    return False


@jit
def is_allowed(game, cell):
    """True if an abbey can be placed on a cell of the frontier. The squares on all four sides must be occupied. The
    rule about neighbouring shrines and monasteries must allow the placement.

    The rules also require a tile or a connected large city on one of the four sides, but every cell of the frontier
    already meets this condition.
    """
    return is_hole(game, cell) and shrines.is_allowed(game, int64(Kind.ABBEY), cell)


@jit
def is_hole(game, cell):
    """True if the neighbouring squares on all four sides of a cell are occupied. A side at the border of the map sheet
    counts as occupied.
    """
    for side in range(4):
        beside = game.board[neighbour(game, cell, side)]
        if beside.is_square and beside.tile == NONE:
            return False
    return True


@jit(absent=0)
def options(game, room):
    """List `pass` and the actions that place the abbey. Returns the number of actions."""
    n = 0
    for i in range(game.n_frontier):
        if is_allowed(game, int64(game.frontier[i])):
            room.answers[n] = tile_answer(size_of(game), 0, game.frontier[i])
            n += 1
    room.answers[n] = pass_of(game)
    return n + 1


@jit(absent=True)
def apply(game, tiles, answer):
    """Place the abbey, unless the player passes. After placing an abbey, the player continues the turn as after placing
    any other tile. If a player passes at the end of the game, the next player with an abbey decides. Returns True if
    the step is finished.
    """
    if answer == pass_of(game):
        return not (is_offered(game) and ask_next(game))
    game.placed = tile_of(size_of(game), answer)[1]
    game.systems.abbeys.held[game.active] = 0
    place_tile(game, tiles, int64(tiles.abbey), 0, int64(game.placed))
    return True


# --- the offer at the end ---------------------------------------------------------------------------------------------
@jit(absent=False)
def is_offered(game):
    """True at the end of the game, while the players may place their last abbeys."""
    return game.systems.abbeys.to_ask != NONE


@jit(absent=False)
def begin_offer(game):
    """Begin the offer at the end of the game: when no other tile can be placed, players may place their remaining
    abbeys. Returns False if the configuration has no such offer, or if the offer has already begun.
    """
    if not game.boxes.abbeys or game.variants.abbey_end_with_stack or is_offered(game):
        return False
    game.systems.abbeys.to_ask = game.n_players
    return True


@jit
def ask_next(game):
    """At the end of the game, go on to the next player who can place an abbey. The players decide in clockwise order.
    The player to the left of the last turn's player decides first. Returns False if no player is left who can place an
    abbey.
    """
    while game.systems.abbeys.to_ask > 0:
        game.systems.abbeys.to_ask -= 1
        game.active = (game.active + 1) % game.n_players
        game.player = game.active
        if can_place(game, int64(game.active)):
            return True
    return False
