"""Computes the observation features of Traders & Builders: goods in cities and in hand, double turns, and the values of
the builder and the pig.
"""

from numpy import int64

from carc_env.boxes.closing import chance_of_closing, cities_around
from carc_env.boxes.layout import plane, scalar
from carc_env.boxes.prospect_parts import Part
from carc_env.boxes.tiles import GOODS
from carc_env.boxes.writing import put, tell
from carc_env.compiling.jit import jit
from carc_env.rules.expansions.traders_and_builders import BUILDER_SLOT
from carc_env.rules.features import begin_count, feature_at
from carc_env.rules.scoring import owners
from carc_env.rules.state import N_GOODS, Figure, Kind

IN_CITY = plane("goods_N")
SECOND_PART, EXTENDED, HELD = scalar("second_part"), scalar("extended"), scalar(f"goods_{GOODS[0]}_0")


# --- planes and globals -----------------------------------------------------------------------------------------------
@jit
def write_edge(game, what, side, cell, picture):
    """Write the number of goods symbols in the city at an edge of a square. `what` is the record of this city."""
    if game.boxes.traders_and_builders:
        put(picture, IN_CITY + side, cell, int(what.goods[0]) + int(what.goods[1]) + int(what.goods[2]))


@jit
def write_turn(game, numbers):
    """Write two flags: whether this is the second part of a double turn, and whether this turn will have a second
    part.
    """
    tell(numbers, SECOND_PART, game.systems.traders_and_builders.second_part)
    tell(numbers, EXTENDED, game.systems.traders_and_builders.extended)


@jit
def write_player(game, player, at, numbers):
    """Write how many goods tokens of each kind a player holds."""
    if game.boxes.traders_and_builders:
        for good in range(N_GOODS):
            tell(numbers, HELD + at + good, game.players[player].goods[good])


# --- prospects --------------------------------------------------------------------------------------------------------
@jit
def add_hand(game, player, parts):
    """Add the number of a player's goods tokens to the heuristic estimate `Part.GOODS`. If the player's builder has
    earned a double turn, also set the estimate `Part.EXTRA_TURN` to 1.
    """
    for good in range(N_GOODS):
        parts[player, Part.GOODS] += game.players[player].goods[good]
    if player == game.active:
        parts[player, Part.EXTRA_TURN] = game.systems.traders_and_builders.extended


@jit
def add_standing(player, slot, chance, parts):
    """If the figure in `slot` is a builder, increase the heuristic estimate `Part.BUILDER`. The increase is the chance
    that the builder's feature will not be completed. `chance` is the chance that the feature will be completed.
    """
    if slot == BUILDER_SLOT:
        parts[player, Part.BUILDER] += 1.0 - chance


# --- candidates -------------------------------------------------------------------------------------------------------
@jit
def add_goods(game, tiles, work):
    """Add the goods tokens of the cities just completed to the heuristic estimate `Part.GOODS`."""
    begin_count(game)
    square = game.board[game.placed]
    for number in range(tiles.kinds[square.tile].n_segments):
        feature = feature_at(game, int64(game.placed), number)
        what = game.features[feature]
        if what.kind == Kind.CITY and what.open == 0 and what.mark != game.counts:
            what.mark = game.counts
            for good in range(N_GOODS):
                work.parts[game.active, Part.GOODS] += what.goods[good]


@jit
def add_helper(view, game, tiles, player, figure, spot, parts):
    """Add a builder or a pig to the heuristic estimates, as if it stood on the tile just placed. For a builder,
    increase `Part.BUILDER` by the chance that its feature will not be completed. For a pig in a field that the player
    owns, increase `Part.FIELDS` by the number of completed cities that adjoin the pig's field. Also increase
    `Part.FIELD_GAIN` by the expected number of further completed cities that will adjoin this field.
    """
    square = game.board[game.placed]
    feature = feature_at(game, int64(game.placed), int64(tiles.kinds[square.tile].spot_segment[square.rotation, spot]))
    if figure == Figure.BUILDER:
        parts[player, Part.BUILDER] += 1.0 - chance_of_closing(view, game, tiles, feature)
    elif owners(game, feature) >> player & 1:
        completed, _, expected = cities_around(view, game, tiles, feature)
        parts[player, Part.FIELDS] += completed
        parts[player, Part.FIELD_GAIN] += expected
