"""Computes the observation features of German castles: the castle tiles in hand, and the occupied squares around the
castle tiles on the table.
"""

from numpy import int64

from carc_env.boxes.layout import plane, scalar
from carc_env.boxes.prospect_parts import Part
from carc_env.boxes.writing import put, tell
from carc_env.compiling.jit import jit
from carc_env.rules.expansions import german_castles
from carc_env.rules.state import MOST_IN_HAND, N_GERMAN_CASTLES, NONE

NEIGHBOURS = plane("neighbours")
HELD = scalar("holds_GC1_0")


@jit(absent=None)
def write_neighbours(game, picture):
    """In games with German castles, write the number of occupied squares around each castle tile."""
    if game.boxes.german_castles:
        write_all_neighbours(game, picture)


@jit
def write_all_neighbours(game, picture):
    """For each castle tile on the table, write the number of occupied squares around it. The number is written at both
    squares of the tile.
    """
    for castle in range(N_GERMAN_CASTLES):
        for k in range(2):
            cell = int64(game.systems.german_castles.squares[castle, k])
            if cell != NONE:
                put(picture, NEIGHBOURS, cell, game.board[cell].neighbours)


@jit
def write_player(game, player, at, numbers):
    """In games with German castles, write one flag for each castle tile: 1 if the player holds this tile."""
    if game.boxes.german_castles:
        write_hand(game, player, at, numbers)


@jit(absent=None)
def write_hand(game, player, at, numbers):
    """Write one flag for each castle tile into a player's global features: 1 if the player holds this tile."""
    for castle in range(N_GERMAN_CASTLES):
        tell(numbers, HELD + at + castle, 0.0)
    for k in range(MOST_IN_HAND):
        castle = german_castles.in_hand(game, player, k)
        if castle != NONE:
            tell(numbers, HELD + at + castle, 1.0)


@jit(absent=None)
def add_hand(game, player, parts):
    """In games with German castles, add the number of castle tiles in a player's hand to the heuristic estimates."""
    if game.boxes.german_castles:
        add_tiles(game, player, parts)


@jit
def add_tiles(game, player, parts):
    """Add the number of castle tiles in a player's hand to the heuristic estimate `Part.GERMAN_CASTLES`."""
    for number in range(MOST_IN_HAND):
        parts[player, Part.GERMAN_CASTLES] += german_castles.in_hand(game, player, number) != NONE


@jit(absent=0)
def further(game):
    """A placed tile can change the heuristic estimates of buildings up to a certain distance. Return how many squares
    German castles add to this distance. In games with German castles, the result is 2, because both the placed tile and
    the tile of a building can be two squares long. In games without German castles, the result is 0.
    """
    return 2 if game.boxes.german_castles else 0
