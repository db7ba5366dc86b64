"""Traders & Builders: goods for completed cities, the builder's double turn, the pig on the field."""

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
    """Whoever completes a city takes a token for every good in it, whoever owns the city."""
    for good in range(N_GOODS):
        tokens = features.take_goods(game, city, good)
        if tokens > 0:
            game.players[game.active].goods[good] += tokens
            note(game, EventKind.GOODS_TAKEN, int64(game.active), good, tokens, int64(game.placed))


@jit
def goods_points(game, player):
    """At the end, for each good, whoever has most tokens of it, at least one, gets 10; all who tie do."""
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
    """A builder joins an own follower on a road or in a city that is not completed, a pig an own farmer."""
    what = game.features[feature]
    return what.strength[game.active] > 0 and STANDS[figure, what.kind] and not is_complete(game, feature)


@jit
def options(game, tiles, room, n):
    """Add where the active player's builder and pig may go on the tile just placed. Returns the new number."""
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
    """A tile that extends the feature with the own builder gives a second part of the turn, which gives no third."""
    where = game.players[game.active].figures[BUILDER_SLOT]
    if where >= 0 and not game.systems.traders_and_builders.second_part:
        game.systems.traders_and_builders.extended = is_on_tile(game, game.segments[where].feature, game.placed)


@jit
def plays_again(game):
    """Whether the active player now plays a second part; called when a part has ended."""
    again = game.systems.traders_and_builders.extended
    game.systems.traders_and_builders.second_part = again
    game.systems.traders_and_builders.extended = 0
    return again


@jit
def has_pig(game, player, field):
    """Whether the player's pig stands in the field: then each completed city there pays its owner one more."""
    where = game.players[player].figures[PIG_SLOT]
    return where >= 0 and game.segments[where].feature == field


@jit
def pig_points(game, tiles, field):
    """What a pig adds to its field: 1 for each completed city, and for each castle."""
    cities, castles = count_adjoining_completed_cities(game, tiles, field)
    return cities + castles


@jit
def return_if_alone(game, player):
    """A builder or pig left without an own follower in its feature goes home at once."""
    for slot in (BUILDER_SLOT, PIG_SLOT):
        where = game.players[player].figures[slot]
        if where >= 0 and game.features[game.segments[where].feature].strength[player] == 0:
            take_back(game, player, slot)
