"""Computes the observation features of abbeys: which players hold an abbey, and whether players are placing their
remaining abbeys at the end of the game.
"""

from numpy import int64

from carc_env.boxes.layout import scalar
from carc_env.boxes.prospect_parts import Part
from carc_env.boxes.writing import tell
from carc_env.compiling.jit import jit
from carc_env.rules.expansions import abbeys

OFFER, HELD = scalar("offer"), scalar("abbeys_0")


@jit
def write_turn(game, numbers):
    """Write to `numbers` whether players are placing their remaining abbeys at the end of the game."""
    tell(numbers, OFFER, abbeys.is_offered(game))


@jit
def write_player(game, player, at, numbers):
    """Write to `numbers` how many abbeys a player holds."""
    tell(numbers, HELD + at, abbeys.held(game, player))


@jit
def count_in_hands(view, game):
    """Count the abbeys in all players' hands."""
    view.abbeys = 0
    if game.boxes.abbeys:
        for player in range(int64(game.n_players)):
            view.abbeys += abbeys.held(game, player)


@jit
def add_hand(game, player, parts):
    """Add the number of abbeys in a player's hand to the heuristic estimate `Part.ABBEYS`."""
    parts[player, Part.ABBEYS] += abbeys.held(game, player)
