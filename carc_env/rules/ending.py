"""Implements the transition from one part of a turn to the next, and the end of the game.

The game ends when the active player can place neither a land tile nor one of their castle tiles. Before the
final scoring, each player who still has an abbey may place it.
"""

from carc_env.compiling.jit import jit
from carc_env.rules.expansions import abbeys, castles, german_castles, map_chips, traders_and_builders
from carc_env.rules.placement import draw_tile, is_used_up
from carc_env.rules.scoring import score_end
from carc_env.rules.state import NONE, Phase, Step


@jit
def next_part(game, tiles):
    """Begin the second part of a builder's double turn, or the next player's turn. Returns True if the game is over.

    When the stack is used up, a player gets another turn only if they can place one of their castle tiles.
    """
    second_part = begin_part(game)
    if second_part or abbeys.is_offered(game):
        return False
    player = (game.active + 1) % game.n_players
    if is_used_up(game) and not german_castles.can_place(game, tiles, player):
        return end(game, tiles)
    game.active = player
    return False


@jit
def begin_part(game):
    """Begin a new turn, or the second part of a double turn. Returns True if the second part begins."""
    game.placed = NONE
    second_part = traders_and_builders.plays_again(game)
    map_chips.on_part_begun(game)
    castles.on_part_begun(game)
    return second_part


@jit
def draw(game, tiles):
    """Draw a tile, unless the player has placed an abbey or a castle tile instead of drawing. Returns True if a
    decision follows or the game is over.

    When no tile is left to draw, the player must place one of their castle tiles, if possible.
    """
    if game.placed != NONE:
        return False
    if draw_tile(game):
        return True
    if german_castles.begin(game, tiles):
        game.phase = Phase.PLACE_GERMAN_CASTLE
        return True
    return end(game, tiles)


@jit
def end(game, tiles):
    """End the game because no tile can be placed. If the players may still place their last abbeys, the function begins
    the turns for these placements and returns False. Each of the last abbeys is placed in a separate turn. If the
    players may place no more abbeys, the function does the final scoring and returns True.
    """
    if abbeys.begin_offer(game):
        begin_part(game)
        game.phase = Step.NEXT_PART
        return False
    score_end(game, tiles)
    game.phase = Phase.GAME_OVER
    game.player = NONE
    return True
