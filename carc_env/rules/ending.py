"""From one part of a turn to the next, and the end of the game: when no tile can be placed any more.

The game ends when the player in turn can place neither a land tile nor an own castle tile; before it is scored the last
abbeys are offered (base game, end; German castles, end; abbeys, end).
"""

from carc_env.compiling.jit import jit
from carc_env.rules.expansions import abbeys, castles, german_castles, map_chips, traders_and_builders
from carc_env.rules.placement import draw_tile, is_used_up
from carc_env.rules.scoring import score_end
from carc_env.rules.state import NONE, Phase, Step


@jit
def next_part(game, tiles):
    """The second part of a builder's double turn begins, or the next player's turn. Returns whether the game is over.

    With the stack used up a new turn begins only for a player who can place an own castle tile.
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
    """A new turn begins, or its second part. Returns which."""
    game.placed = NONE
    second_part = traders_and_builders.plays_again(game)
    map_chips.on_part_begun(game)
    castles.on_part_begun(game)
    return second_part


@jit
def draw(game, tiles):
    """The player draws, unless an abbey or a castle tile was placed. Returns whether there is a question then, or the
    game is over.

    When no tile is left that fits, an own castle tile has to be placed.
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
    """No tile can be placed: the last abbeys are offered, each as a turn of its own, then the game is scored. Returns
    whether it is over.
    """
    if abbeys.begin_offer(game):
        begin_part(game)
        game.phase = Step.NEXT_PART
        return False
    score_end(game, tiles)
    game.phase = Phase.GAME_OVER
    game.player = NONE
    return True
