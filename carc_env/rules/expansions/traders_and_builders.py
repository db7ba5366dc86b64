"""Implements Traders & Builders: the goods for completed cities, the builder's double turn, and the pig on a field."""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules import features
from carc_env.rules.answers import figure_answer
from carc_env.rules.features import count_adjoining_completed_cities, is_complete, is_on_tile
from carc_env.rules.figures import slot_in_supply, take_back
from carc_env.rules.geometry import size_of
from carc_env.rules.history import note
from carc_env.rules.state import FIRST_SLOT, N_GOODS, NONE, STANDS, EventKind, Figure

BUILDER_SLOT = int(FIRST_SLOT[Figure.BUILDER])
PIG_SLOT = int(FIRST_SLOT[Figure.PIG])
GOODS_POINTS = 10


# --- goods ------------------------------------------------------------------------------------------------------------
@jit
def take_goods(game, city):
    """Give the goods tokens of a completed city to the player who completed it, no matter who owns the city."""
    for good in range(N_GOODS):
        tokens = features.take_goods(game, city, good)
        if tokens > 0:
            game.players[game.active].goods[good] += tokens
            note(game, EventKind.GOODS_TAKEN, int64(game.active), good, tokens, int64(game.placed))


@jit
def goods_points(game, player):
    """Return a player's points for goods at the end of the game. For each kind of goods, the player with the most
    tokens of this kind gets 10 points. In a tie, all tied players get 10 points. Players without a token of this kind
    get no points for it.
    """
    points = 0
    for good in range(N_GOODS):
        own, most = int(game.players[player].goods[good]), 0
        for other in range(game.n_players):
            most = max(most, int(game.players[other].goods[good]))
        if own > 0 and own == most:
            points += GOODS_POINTS
    return points


# --- builder and pig --------------------------------------------------------------------------------------------------
@jit
def can_join(game, figure, feature):
    """True if the active player can place the builder or the pig in a feature. The player needs a follower in this
    feature. A builder can stand on an unfinished road or city. A pig can stand on a field.
    """
    what = game.features[feature]
    return what.strength[game.active] > 0 and STANDS[figure, what.kind] and not is_complete(game, feature)


@jit
def options(game, tiles, room, n):
    """Add the actions that place the active player's builder or pig on the tile just placed. `n` is the number of
    actions in `room.answers` before the call. Returns the number of actions after the call.
    """
    if not game.boxes.traders_and_builders:
        return n
    square = game.board[game.placed]
    tile = tiles.kinds[square.tile]
    for figure in (3, 4):  # Figure.BUILDER, Figure.PIG
        if slot_in_supply(game, game.active, figure) == NONE:
            continue
        for i in range(tile.n_segments):
            number = int(tile.by_spot[square.rotation, i])
            if can_join(game, figure, game.segments[square.first_segment + number].feature):
                room.answers[n] = figure_answer(size_of(game), figure, tile.spot[square.rotation, number])
                n += 1
    return n


@jit
def on_tile_placed(game):
    """Give the active player a double turn if the tile just placed extends the feature on which the player's builder
    stands. A double turn never has a third part.
    """
    where = game.players[game.active].figures[BUILDER_SLOT]
    if where >= 0 and not game.systems.traders_and_builders.second_part:
        game.systems.traders_and_builders.extended = is_on_tile(game, game.segments[where].feature, game.placed)


@jit
def plays_again(game):
    """Return True if the active player plays the second part of a double turn next. Call this function exactly once
    after each part of a turn, because it also updates the state of the double turn.
    """
    again = game.systems.traders_and_builders.extended
    game.systems.traders_and_builders.second_part = again
    game.systems.traders_and_builders.extended = 0
    return again


@jit
def has_pig(game, player, field):
    """True if the player's pig is on the field. If the player owns the field, the pig adds 1 point for each completed
    city and each castle beside the field.
    """
    where = game.players[player].figures[PIG_SLOT]
    return where >= 0 and game.segments[where].feature == field


@jit
def pig_points(game, tiles, field):
    """The points that a pig adds to a field: 1 point for each completed city and each castle beside the field."""
    cities, castles = count_adjoining_completed_cities(game, tiles, field)
    return cities + castles


@jit
def return_if_alone(game, player):
    """Return a player's builder or pig to the supply if the player has no follower left in the same feature."""
    for slot in (BUILDER_SLOT, PIG_SLOT):
        where = game.players[player].figures[slot]
        if where >= 0 and game.features[game.segments[where].feature].strength[player] == 0:
            take_back(game, player, slot)
