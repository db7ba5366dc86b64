"""Computes the observation features of The Goldmines: the ingots on tiles and in hand, the number of players with a
right to an ingot, and the expected value of ingots.
"""

from numpy import int64

from carc_env.boxes.layout import column, plane, scalar, standing
from carc_env.boxes.prospect_parts import Part
from carc_env.boxes.writing import put, tell, wipe
from carc_env.compiling.jit import jit
from carc_env.rules.double_tiles import other_square
from carc_env.rules.expansions import german_cathedrals, goldmines
from carc_env.rules.features import is_building, is_first_of_road
from carc_env.rules.geometry import n_cells
from carc_env.rules.state import NONE, GoldRule, Kind, Phase

INGOTS, RIVALS, CHOICE = plane("ingots"), plane("rivals"), plane("choice")
HELD, INGOT_SUPPLY = scalar("ingots_0"), scalar("ingot_supply")
GOLD, INGOTS_AROUND, OTHERS_WITH_RIGHT = column("gold"), column("ingots_around"), column("rivals")
OWN_INGOTS, OTHERS_INGOTS = column("own_ingots"), column("others_ingots")
OWN_STANDING, OTHERS_STANDING = standing("own_ingots"), standing("others_ingots")


# --- planes and globals -----------------------------------------------------------------------------------------------
@jit
def write_square(game, cell, picture):
    """Write how many ingots lie on the tile at a cell."""
    put(picture, INGOTS, cell, game.board[cell].ingots)


@jit
def write_squares(game, tiles, picture):
    """Write the number of ingots on each tile."""
    node = int64(0)
    while node < game.n_segments:
        cell = int64(game.segments[node].cell)
        write_square(game, cell, picture)
        node += int64(tiles.kinds[game.board[cell].tile].n_segments)


@jit
def write_rivals(game, observer, picture):
    """For each tile, write how many players still have a right to take an ingot from it. The observing player is not
    counted.
    """
    wipe(picture, RIVALS)
    for cell in range(n_cells(game)):
        if game.board[cell].ingots > 0:
            rivals = 0
            for player in range(int64(game.n_players)):
                rivals += player != observer and goldmines.may_take(game, player, cell)
            put(picture, RIVALS, cell, rivals)


@jit
def goes_by_features(game):
    """Return True if the game uses Rio Grande's rule: players take one ingot for each of their completed features."""
    return game.boxes.goldmines and game.variants.gold_rule != GoldRule.HIG


@jit
def write_choice(game, picture):
    """If players take ingots feature by feature, write the plane `choice`. The plane is 1 in the area of one feature:
    the feature for which the acting player now takes an ingot.
    """
    if game.phase == Phase.TAKE_INGOT and goes_by_features(game):
        feature = int64(game.completed[game.systems.goldmines.serving].feature)
        for node in range(int64(game.n_segments)):
            cell = int64(game.segments[node].cell)
            if goldmines.is_in_area(game, feature, cell):
                put(picture, CHOICE, cell, 1)
                if other_square(game, cell) != NONE:
                    put(picture, CHOICE, other_square(game, cell), 1)


@jit
def write_turn(game, numbers):
    """Write the number of ingots in the supply."""
    tell(numbers, INGOT_SUPPLY, game.systems.goldmines.supply)


@jit
def write_player(game, player, at, numbers):
    """Write the number of ingots that a player holds."""
    tell(numbers, HELD + at, game.players[player].ingots)


# --- prospects --------------------------------------------------------------------------------------------------------
@jit
def ingots_on(game, feature):
    """Return the number of ingots in the area of a road, city or building. If a tile has two segments of the feature,
    the ingots on this tile count twice.
    """
    if is_building(game.features[feature].kind):
        return goldmines.count_around(game, game.segments[feature].cell)
    if game.features[feature].kind == Kind.GERMAN_CATHEDRAL:
        return ingots_on_roads(game, feature)
    return ingots_on_tiles(game, feature)


@jit
def ingots_on_roads(game, cathedral):
    """Return the number of ingots on the roads of a German cathedral. If several of these roads lead across the same
    tile, the ingots on this tile count once for each of the roads.
    """
    ingots = 0
    for node in range(german_cathedrals.first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node):
            ingots += ingots_on_tiles(game, int64(game.segments[node].feature))
    return ingots


@jit
def ingots_on_tiles(game, feature):
    """Return the number of ingots on the tiles of a road or city."""
    ingots = 0
    node = int64(feature)
    while True:
        ingots += int(game.board[game.segments[node].cell].ingots)
        node = int64(game.segments[node].next)
        if node == feature:
            return ingots


@jit
def share(game, feature, complete, chance, winners):
    """Return how many ingots each owner of a feature is expected to receive for the feature. Also return the heuristic
    estimate (a member of `Part`) to which the caller adds these ingots: `Part.INGOTS_NOW` for a completed feature, and
    `Part.INGOT_GAIN` for an unfinished feature.
    """
    ingots, part = 0.0, Part.INGOTS_NOW if complete else Part.INGOT_GAIN
    if game.systems.goldmines.on_tiles > 0:
        ingots = chance * ingots_on(game, feature) / count_players(winners)
    return ingots, part


@jit
def count_players(players):
    """Return the number of players in a set that is stored as a bit mask."""
    n = 0
    while players:
        n += players & 1
        players >>= 1
    return n


@jit
def worth_of(ingots, left):
    """Return the expected value of `ingots` ingots at the end of the game, in points. `left` falls from 1 to 0 during
    the last turns of the game. If `left` is 0, the result is the number of points that the rules give for the ingots.
    If `left` is 1, the result is a smooth approximation of the points for the ingots. If `left` is between 0 and 1, the
    result is the weighted mean of the exact points and the smooth approximation.
    """
    smooth = min(4.0, 1.0 + ingots / 6.0) * ingots
    low = int(ingots)
    table = goldmines.value(low) + (ingots - low) * (goldmines.value(low + 1) - goldmines.value(low))
    return left * smooth + (1.0 - left) * table


@jit
def with_ingots_to_come(view, game, parts, player, points):
    """Return `points` plus the value of the ingots that the player is expected to receive."""
    held, left = float(game.players[player].ingots), min(1.0, view.turns / view.prices.long)
    to_come = parts[player, Part.INGOTS_NOW] + view.prices.ingot_gain * parts[player, Part.INGOT_GAIN]
    return points + worth_of(held + to_come, left) - worth_of(held, left)


@jit
def worth_in_hand(view, game, player):
    """Return the expected value of the ingots in a player's hand."""
    return worth_of(float(game.players[player].ingots), min(1.0, view.turns / view.prices.long))


# --- candidates -------------------------------------------------------------------------------------------------------
@jit
def describe_tile(game, cell, row):
    """Write the column `ingots_around` of a candidate action: the number of ingots on the tile `cell` and around it."""
    row[INGOTS_AROUND] = goldmines.count_around(game, cell)


@jit
def describe_hands(game, player, row):
    """Write two columns of a candidate action: the acting player's ingots, and the other players' average number of
    ingots.
    """
    ingots = 0.0
    for other in range(int64(game.n_players)):
        if other != player:
            ingots += float(game.players[other].ingots)
    row[OWN_INGOTS] = game.players[player].ingots
    row[OTHERS_INGOTS] = ingots / (game.n_players - 1)


@jit
def write_table(game, player, table):
    """Write the player's number of ingots into one entry of the array `table`. Write the average number of ingots of
    the other players into a second entry.
    """
    share = 1.0 / (game.n_players - 1)
    table[OWN_STANDING] = game.players[player].ingots
    for other in range(int64(game.n_players)):
        if other != player:
            table[OTHERS_STANDING] += share * game.players[other].ingots


@jit
def count_rivals(game, player, cell):
    """Return how many other players also have a right to take an ingot from the tile at a cell."""
    rivals = 0.0
    for other in range(int64(game.n_players)):
        rivals += other != player and goldmines.may_take(game, other, cell)
    return rivals
