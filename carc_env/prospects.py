"""Prospects: what the features on the table are worth to each player, now and by the end of the game.

Nothing here is a rule. It is what a good player sees at a glance: which roads and cities can still be closed with the
tiles left, what a field may bring, which followers will come home. `encode` shows it to learners as candidate
features, and the bot `greedy` puts prices on it.

The tiles left are known to every player (all tiles less those drawn); their order is not, and is not used.
"""

from enum import IntEnum
from math import exp

import numpy as np
from numpy import int64

from carc_env.jit import jit
from carc_env.rules.double_tiles import area_size, area_square, other_square
from carc_env.rules.expansions import german_cathedrals, goldmines, map_chips, traders_and_builders
from carc_env.rules.features import begin_count, end_of_tile, feature_at, is_building, is_complete, is_first_of_road, lies
from carc_env.rules.geometry import TWO_STEPS, neighbour
from carc_env.rules.placement import ONES, some_rotation_fits
from carc_env.rules.scoring import owners, points, points_for_square
from carc_env.rules.state import (
    FIRST_PRINTED,
    FIRST_SLOT,
    IN_SUPPLY,
    MAX_PLAYERS,
    MAX_SEGMENTS,
    MAX_TOUCHED,
    N_CELLS,
    N_COLOURS,
    N_GOODS,
    N_SLOTS,
    NONE,
    SIZE,
    Figure,
    Kind,
    record,
)


FOLLOWER_SLOTS = int(FIRST_SLOT[Figure.BUILDER])  # slots before it hold followers


class Part(IntEnum):
    """What a player's prospects are made of; see MEANINGS."""

    NOW = 0
    ROADS = 1
    CITIES = 2
    CITY_GAIN = 3
    BUILDINGS = 4
    BUILDING_GAIN = 5
    FIELDS = 6
    FIELD_GAIN = 7
    INGOTS_NOW = 8
    INGOT_GAIN = 9
    RETURNING = 10
    SUPPLY = 11
    FARMERS = 12
    ROAD_GAIN = 13
    WINES = 14
    ODD_CHIPS = 15
    GOODS = 16
    EXTRA_TURN = 17
    BUILDER = 18
    CASTLES = 19
    CASTLE_TOKENS = 20
    ABBEYS = 21
    GERMAN_CASTLES = 22
    CHURCHES = 23


MEANINGS = {
    Part.NOW: "points for features that are completed",
    Part.ROADS: "points of unfinished roads as they stand",
    Part.CITIES: "points of unfinished cities as they stand",
    Part.CITY_GAIN: "further points if they are closed, times the chance of that",
    Part.BUILDINGS: "points of unfinished monasteries and gardens as they stand",
    Part.BUILDING_GAIN: "squares around them that will probably be filled",
    Part.FIELDS: "points of fields as they stand: 3 for each completed city",
    Part.FIELD_GAIN: "3 for each unfinished city there, times the chance that it will be closed",
    Part.INGOTS_NOW: "ingots on completed features, shared by their owners",
    Part.INGOT_GAIN: "ingots on unfinished features, times the chance of closing, shared",
    Part.RETURNING: "figures on unfinished features, times the chance of closing",
    Part.SUPPLY: "followers in supply, those of completed features among them",
    Part.FARMERS: "followers that never return: on fields, or lying on a special monastery",
    Part.ROAD_GAIN: "further points of unfinished roads if they are completed, times the chance of that",
    Part.WINES: "wines that could be sold",
    Part.ODD_CHIPS: "chips that are no wine yet",
    Part.GOODS: "tokens of goods",
    Part.EXTRA_TURN: "1: the builder brings a second part of the turn",
    Part.BUILDER: "chance that the builder's road or city stays open, 0 without a builder on the table",
    Part.CASTLES: "points that lords will probably score",
    Part.CASTLE_TOKENS: "castle tokens in hand",
    Part.ABBEYS: "abbeys in hand",
    Part.GERMAN_CASTLES: "castle tiles in hand",
    Part.CHURCHES: "bonus of churches as followers stand, times the chance that they will be completed",
}
BOX_OF_PART = {  # parts that are 0 in games without a box
    Part.INGOTS_NOW: "goldmines", Part.INGOT_GAIN: "goldmines", Part.WINES: "map_chips", Part.ODD_CHIPS: "map_chips",
    Part.GOODS: "traders_and_builders", Part.EXTRA_TURN: "traders_and_builders", Part.BUILDER: "traders_and_builders",
    Part.CASTLES: "castles", Part.CASTLE_TOKENS: "castles", Part.ABBEYS: "abbeys", Part.GERMAN_CASTLES: "german_castles",
    Part.CHURCHES: "darmstadt",
}
N_PARTS = len(Part)
N_USED = N_PARTS  # parts that are valued

# What each part and some chances are worth; see default_prices.
PRICES = record(
    ("parts", "f8", (N_PARTS,)),  # points for one of each part
    ("follower", "f8"),  # points for a further follower in supply, while much of the game is left
    ("first_followers", "f8"),  # how much more the first ones are worth
    ("returning", "f8"),  # a follower that will return, against one that is back
    ("long", "f8"),  # own turns over which a follower can be used well
    ("ingot_gain", "f8"),  # an ingot that is expected, against one in hand
    ("others", "f8"),  # a point of the others, against an own one
    ("closing", "f8"),  # how eagerly tiles that close an end are used, for each player's share of them
    ("fitting", "f8"),  # the same for tiles that only fit
    ("filling", "f8"),  # how readily squares around a monastery are filled, a fitting tile
)


def default_prices() -> np.ndarray:
    """The prices of the bot `greedy`: an array of one PRICES record."""
    prices = np.zeros(1, PRICES)
    for part, points_for_one in DEFAULT_PARTS.items():
        prices[0]["parts"][part] = points_for_one
    for name, value in DEFAULT_PRICES.items():
        prices[0][name] = value
    return prices


# Found by play of the bot against itself: changes at random, kept when they won.
DEFAULT_PARTS = {
    Part.NOW: 1.0, Part.ROADS: 0.95, Part.CITIES: 0.87, Part.CITY_GAIN: 0.9, Part.BUILDINGS: 0.95,
    Part.BUILDING_GAIN: 0.56, Part.FIELDS: 0.9, Part.FIELD_GAIN: 0.37, Part.ROAD_GAIN: 0.9, Part.WINES: 4.8,
    Part.ODD_CHIPS: 3.9, Part.GOODS: 1.8, Part.EXTRA_TURN: 5.0, Part.BUILDER: 4.0,
}
DEFAULT_PRICES = {
    "follower": 3.1, "first_followers": 3.6, "returning": 0.34, "long": 10.5, "ingot_gain": 0.7, "others": 1.0,
    "closing": 0.63, "fitting": 0.12, "filling": 0.072,
}

MAX_CITIES = 48  # cities around a field that are remembered; a field with more is looked at anew each time
FILLED = 0.7  # share of the empty squares of a sheet that will get a tile
N_FACES = 2 * N_COLOURS  # faces of chips

OCCUPIED = record(  # a feature with figures, before an answer
    ("node", "i2"),  # one of its segments
    ("owners", "i2"),  # bit set of players
    ("n_cities", "i2"),  # of a field: cities around it, NONE: too many to list
    ("cities", "i2", (MAX_CITIES,)),  # a segment of each
    ("parts", "f8", (MAX_PLAYERS, N_PARTS)),  # its share of the prospects
)
MAX_OCCUPIED = N_SLOTS * MAX_PLAYERS  # features with figures in them

# What a player sees, and what was worked out about it: chances by the demand of an empty cell, and the prospects of every
# feature with figures, so that only those that an answer changes are looked at again.
VIEW = record(
    ("prices", PRICES),
    ("n_left", "i2"),  # tiles not drawn yet
    ("turns", "f8"),  # turns to come for each player: on a sheet there may be fewer squares than tiles
    ("unseen", "i2", (FIRST_PRINTED,)),  # how many of each kind
    ("n_kinds", "i2"),  # kinds of which some are left
    ("kinds", "i2", (FIRST_PRINTED,)),
    ("all_edges", "i8", (FIRST_PRINTED,)),  # TILE.all_edges of each of them
    ("amounts", "i8", (FIRST_PRINTED,)),  # and how many are left
    ("face_down", "i2", (N_FACES,)),  # chips face down of each colour and value, see CELL.chip
    ("n_face_down", "i2"),
    ("fits", "i2", (256,)),  # tiles left that fit a demand (CELL.need), NONE: not counted yet
    ("filled", "f8", (256,)),  # chance that a square with this demand gets a tile, NONE: not worked out yet
    ("ended", "f8", (256, 4)),  # chance that its road or city on a side is ended there
    # valuations: the table before an answer, or after it
    ("known", "i4"),  # number of the last valuation
    ("before", "i4"),  # number of the last valuation of a table before an answer
    ("n_touched", "i4"),  # changes of features before it (GAME.n_touched)
    ("changed", "i4", (MAX_SEGMENTS,)),  # valuation in which a feature may be other than before the answer
    ("touched", "i4", (MAX_SEGMENTS,)),  # valuation in which the answer has changed it
    ("valued", "i4", (MAX_SEGMENTS,)),  # valuation in which it was valued
    ("when", "i4", (MAX_SEGMENTS,)),  # valuation in which its `chance` was worked out
    ("chance", "f8", (MAX_SEGMENTS,)),
    ("when_before", "i4", (MAX_SEGMENTS,)),  # the same before the answer
    ("chance_before", "f8", (MAX_SEGMENTS,)),
    ("cities", "i2", (MAX_SEGMENTS,)),  # the cities around a field, listed last
    # features with figures before the answer
    ("n_occupied", "i2"),
    ("occupied", OCCUPIED, (MAX_OCCUPIED,)),
    # what the tile placed did to them, for the player asked
    ("joins", "i2"),  # features with figures that were joined to another one
    ("gains", "i2"),  # features that became his, of which others had been the owners
    ("losses", "i2"),  # features of his that became another's as well, or only
    ("farms", "i2"),  # fields with figures that the tile touches
)


@jit
def squares_left(game):
    """How many more tiles the table can take: on a sheet some squares stay empty, as nothing fits there."""
    if not game.systems.maps.on_sheet:
        return float(N_CELLS)
    squares = 0
    for cell in range(N_CELLS):
        squares += game.board[cell].is_square and game.board[cell].tile == NONE
    return FILLED * squares


@jit
def look(view, game, tiles):
    """Count the tiles that are left, and the chips face down."""
    view.n_left = game.n_deck - game.n_drawn
    view.turns = min(float(view.n_left), squares_left(game)) / game.n_players
    view.unseen[:] = 0
    for i in range(game.n_drawn, game.n_deck):
        view.unseen[game.deck[i]] += 1
    view.n_kinds = 0
    for kind in range(FIRST_PRINTED):
        if view.unseen[kind]:
            view.kinds[view.n_kinds] = kind
            view.all_edges[view.n_kinds] = tiles.kinds[kind].all_edges
            view.amounts[view.n_kinds] = view.unseen[kind]
            view.n_kinds += 1
    view.fits[:] = NONE
    view.filled[:] = NONE
    view.ended[:] = NONE
    view.face_down[:] = 0
    view.n_face_down = 0
    if game.boxes.map_chips:
        for cell in range(N_CELLS):
            if map_chips.lies_face_down(game.board[cell]):
                view.face_down[game.board[cell].chip] += 1
                view.n_face_down += 1


@jit
def mask_of(need):
    """The bits of a demand that count: both bits of each side that demands something."""
    odd = (need | need >> 1) & 0b01010101
    return odd * 3


@jit
def count_fits(view, tiles, need):
    """How many of the tiles left fit a demand in some rotation."""
    if view.fits[need] == NONE:
        demand, mask, total = need * ONES, mask_of(need) * ONES, 0
        for i in range(view.n_kinds):
            total += view.amounts[i] * some_rotation_fits(view.all_edges[i], demand, mask)
        view.fits[need] = total
    return int(view.fits[need])


@jit
def count_closers(view, tiles, need, side):
    """How many of the tiles left fit a demand and end the road or city that demands it on `side`."""
    mask, total = mask_of(need), 0
    for i in range(view.n_kinds):
        if some_rotation_fits(view.all_edges[i], need * ONES, mask * ONES):
            tile = tiles.kinds[view.kinds[i]]
            for rotation in range(4):
                if (tile.edges[rotation] ^ need) & mask == 0 and tile.linked[rotation, side] & ~mask == 0:
                    total += view.amounts[i]
                    break
    return total


@jit
def chance_ended(view, tiles, n_players, need, side):
    """The chance that an empty square gets a tile that ends the road or city on one of its sides."""
    if view.ended[need, side] == NONE:
        rate = view.prices.closing * count_closers(view, tiles, need, side) + view.prices.fitting * count_fits(view, tiles, need)
        view.ended[need, side] = 1.0 - exp(-rate / n_players)
    return view.ended[need, side]


@jit
def chance_filled(view, tiles, need):
    """The chance that an empty square gets a tile."""
    if view.filled[need] == NONE:
        view.filled[need] = 1.0 - exp(-view.prices.filling * count_fits(view, tiles, need))
    return view.filled[need]


@jit
def chance_of_closing(view, game, tiles, feature):
    """The chance that a road, city or building will be completed: every open end must get its tile. Where a follower lies there is none."""
    if lies(game, feature):
        return 0.0
    if view.changed[feature] != view.known:
        if view.when_before[feature] != view.before:
            view.when_before[feature] = view.before
            view.chance_before[feature] = work_out_chance(view, game, tiles, feature)
        return view.chance_before[feature]
    if view.when[feature] != view.known:
        view.when[feature] = view.known
        view.chance[feature] = work_out_chance(view, game, tiles, feature)
    return view.chance[feature]


@jit
def work_out_chance(view, game, tiles, feature):
    """The chance that a feature will be completed, worked out anew."""
    if is_building(game.features[feature].kind):
        return chance_of_filling(view, game, tiles, feature)
    if game.features[feature].kind == Kind.GERMAN_CATHEDRAL:
        return chance_of_ending_roads(view, game, tiles, feature)
    chance = 1.0
    node = int64(feature)
    while chance > 0.001:
        chance *= chance_of_ending(view, game, tiles, node)
        node = int64(game.segments[node].next)
        if node == feature:
            break
    return chance


@jit
def chance_of_ending_roads(view, game, tiles, cathedral):
    """The chance that all roads of a German cathedral will be completed."""
    chance = 1.0
    for node in range(german_cathedrals.first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node):
            road = int64(game.segments[node].feature)
            while True:
                chance *= chance_of_ending(view, game, tiles, road)
                road = int64(game.segments[road].next)
                if road == game.segments[node].feature:
                    break
    return chance


@jit
def chance_of_ending(view, game, tiles, node):
    """The chance that the open ends of one segment are closed."""
    cell = int64(game.segments[node].cell)
    chance = chance_of_ending_on(view, game, tiles, node, cell)
    if other_square(game, cell) != NONE:
        chance *= chance_of_ending_on(view, game, tiles, node, other_square(game, cell))
    return chance


@jit
def chance_of_ending_on(view, game, tiles, node, cell):
    """The same on one square of its tile."""
    square = game.board[cell]
    tile = tiles.kinds[square.tile]
    number = node - int(square.first_segment)
    chance = 1.0
    for side in range(4):
        if tile.side_segment[square.rotation, side] == number:
            beside = neighbour(cell, side)
            if game.board[beside].is_square and game.board[beside].tile == NONE:
                chance *= chance_ended(view, tiles, int64(game.n_players), int64(game.board[beside].need), (side + 2) % 4)
    return chance


@jit
def chance_of_filling(view, game, tiles, feature):
    """The chance that all squares around a building are filled."""
    chance, cell = 1.0, int64(game.segments[feature].cell)
    other = other_square(game, cell)
    for k in range(area_size(other)):
        near = area_square(cell, other, k)
        if game.board[near].is_square and game.board[near].tile == NONE:
            chance *= chance_filled(view, tiles, int64(game.board[near].need))
    return chance


@jit
def squares_to_come(view, game, tiles, feature):
    """How many of the empty squares around a building will probably be filled."""
    expected, cell = 0.0, int64(game.segments[feature].cell)
    other = other_square(game, cell)
    for k in range(area_size(other)):
        near = area_square(cell, other, k)
        if game.board[near].is_square and game.board[near].tile == NONE:
            expected += chance_filled(view, tiles, int64(game.board[near].need))
    return expected


@jit
def lines_to_come(view, game, tiles, feature):
    """How many of the gaps at the ends of the four lines from a follower that lies will probably be filled."""
    expected = 0.0
    for side in range(4):
        gap = neighbour(game.segments[feature].cell, side)
        while game.board[gap].tile != NONE:
            gap = neighbour(gap, side)
        if game.board[gap].is_square:
            expected += chance_filled(view, tiles, int64(game.board[gap].need))
    return expected


@jit
def list_cities(game, tiles, field, cities):
    """List the different cities that a field adjoins, a segment of each. Returns their number."""
    begin_count(game)
    n = 0
    node = int64(field)
    while True:
        cell = int64(game.segments[node].cell)
        adjoins = int64(tiles.kinds[game.board[cell].tile].adjoins[node - int64(game.board[cell].first_segment)])
        number = 0
        while adjoins >> number:
            if adjoins >> number & 1:
                city = feature_at(game, cell, number)
                if game.features[city].mark != game.counts:
                    game.features[city].mark = game.counts
                    cities[n] = city
                    n += 1
            number += 1
        node = int64(game.segments[node].next)
        if node == field:
            return n


@jit
def count_cities(view, game, tiles, cities, n):
    """How many of n cities listed are completed, castles among them, how many are castles, and how many of the others probably will be completed.

    Cities that were joined since they were listed count as one.
    """
    begin_count(game)
    completed, castles, expected = 0, 0, 0.0
    for k in range(n):
        city = int64(game.segments[cities[k]].feature)
        if game.features[city].mark != game.counts:
            game.features[city].mark = game.counts
            if is_complete(game, city):
                completed += 1
                castles += game.features[city].kind == Kind.CASTLE
            else:
                expected += chance_of_closing(view, game, tiles, city)
    return completed, castles, expected


@jit
def cities_around(view, game, tiles, field):
    """How many cities that a field adjoins are completed, how many are castles, and how many probably will be completed."""
    return count_cities(view, game, tiles, view.cities, list_cities(game, tiles, field, view.cities))


@jit
def ingots_on(game, feature):
    """Ingots in the area of a road, city or building; a tile that carries two segments of it counts twice."""
    if is_building(game.features[feature].kind):
        return goldmines.count_around(game, game.segments[feature].cell)
    if game.features[feature].kind == Kind.GERMAN_CATHEDRAL:
        return ingots_on_roads(game, feature)
    return ingots_on_tiles(game, feature)


@jit
def ingots_on_roads(game, cathedral):
    """Ingots on the roads of a German cathedral; what lies on several of them counts for each."""
    ingots = 0
    for node in range(german_cathedrals.first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node):
            ingots += ingots_on_tiles(game, int64(game.segments[node].feature))
    return ingots


@jit
def ingots_on_tiles(game, feature):
    """Ingots on the tiles of a road or city."""
    ingots = 0
    node = int64(feature)
    while True:
        ingots += int(game.board[game.segments[node].cell].ingots)
        node = int64(game.segments[node].next)
        if node == feature:
            return ingots


@jit
def as_it_stands(game, tiles, feature):
    """What a feature would score if the game ended now."""
    return points(game, tiles, feature, is_complete(game, feature))


@jit
def add_feature(view, game, tiles, feature, parts):
    """Add what an occupied feature means to each player to parts[player, Part]."""
    if game.features[feature].kind == Kind.FIELD:
        completed, castles, expected = cities_around(view, game, tiles, feature)
        add_field(game, feature, completed, castles, expected, parts)
        return
    if game.features[feature].kind == Kind.CASTLE:  # the lord comes home sooner or later
        add_figures(game, feature, False, 1.0, parts)
        return
    complete = is_complete(game, feature)
    chance = 1.0 if complete else chance_of_closing(view, game, tiles, feature)
    add_figures(game, feature, complete, chance, parts)
    winners = owners(game, feature)
    if winners == 0:
        return
    worth = float(points(game, tiles, feature, complete))
    gain, part, gain_part = prospects_of_kind(view, game, tiles, feature, complete, chance)
    ingots, ingot_part = 0.0, Part.INGOTS_NOW if complete else Part.INGOT_GAIN
    if game.systems.goldmines.on_tiles > 0:
        ingots = chance * ingots_on(game, feature) / count_players(winners)
    for player in range(int64(game.n_players)):
        if winners >> player & 1:
            parts[player, part] += worth
            parts[player, gain_part] += gain
            parts[player, ingot_part] += ingots


@jit
def count_players(players):
    """How many players a bit set holds."""
    n = 0
    while players:
        n += players & 1
        players >>= 1
    return n


@jit
def prospects_of_kind(view, game, tiles, feature, complete, chance):
    """Further points to expect from a road, city or building, and the parts where its points and these belong."""
    kind = game.features[feature].kind
    if complete:
        return 0.0, Part.NOW, Part.NOW
    if kind == Kind.ROAD or kind == Kind.CITY:
        gain = chance * (points(game, tiles, feature, bool(True)) - points(game, tiles, feature, bool(False)))
        return gain, Part.ROADS if kind == Kind.ROAD else Part.CITIES, \
            Part.ROAD_GAIN if kind == Kind.ROAD else Part.CITY_GAIN
    if kind == Kind.GERMAN_CATHEDRAL:
        return 0.0, Part.BUILDINGS, Part.BUILDING_GAIN
    if lies(game, feature):
        return lines_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDING_GAIN
    return points_for_square(int64(kind)) * squares_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDING_GAIN


@jit
def add_field(game, field, completed, castles, expected, parts):
    """Add what a field means with so many completed cities around it, so many castles among them, and so many to be expected."""
    add_figures(game, field, False, 0.0, parts)
    winners = owners(game, field)
    for player in range(int64(game.n_players)):
        if winners >> player & 1:
            each = 4.0 if traders_and_builders.has_pig(game, player, field) else 3.0
            parts[player, Part.FIELDS] += each * completed + castles
            parts[player, Part.FIELD_GAIN] += each * expected


@jit
def add_figures(game, feature, complete, chance, parts):
    """Where the figures in a feature belong: back in supply, returning with some chance, or farmers, and those who lie, for good."""
    stays = game.features[feature].kind == Kind.FIELD or lies(game, feature)
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            node = game.players[player].figures[slot]
            if node >= 0 and game.segments[node].feature == feature:
                if slot >= FOLLOWER_SLOTS:
                    if slot == traders_and_builders.BUILDER_SLOT:
                        parts[player, Part.BUILDER] += 1.0 - chance
                elif complete:
                    parts[player, Part.SUPPLY] += 1.0
                elif stays:
                    parts[player, Part.FARMERS] += 1.0
                else:
                    parts[player, Part.RETURNING] += chance


@jit
def value_all(view, game, tiles, parts):
    """Work out the prospects of all players before an answer: parts[player, Part]."""
    view.known += 1
    view.before = view.known
    view.n_touched = game.n_touched
    view.n_occupied = 0
    value_hands(game, parts)
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            node = int64(game.players[player].figures[slot])
            if node >= 0 and view.valued[game.segments[node].feature] != view.known:
                view.valued[game.segments[node].feature] = view.known
                value_occupied(view, game, tiles, node, parts)


@jit
def value_occupied(view, game, tiles, node, parts):
    """Value a feature with figures, and remember it."""
    what = view.occupied[view.n_occupied]
    feature = int64(game.segments[node].feature)
    view.n_occupied += 1
    what.node = node
    what.owners = owners(game, feature)
    what.parts[:] = 0.0
    what.n_cities = 0
    if game.features[feature].kind == Kind.FIELD:
        remember_cities(view, game, tiles, feature, what)
    add_feature(view, game, tiles, feature, what.parts)
    add_all(game, what.parts, parts)


@jit
def remember_cities(view, game, tiles, field, what):
    """Keep the list of cities that a field adjoins, if it is not too long."""
    n = list_cities(game, tiles, field, view.cities)
    what.n_cities = n if n <= MAX_CITIES else NONE
    for k in range(what.n_cities):
        what.cities[k] = view.cities[k]


@jit
def add_all(game, some, parts):
    """Add some prospects to those there are."""
    for player in range(int64(game.n_players)):
        for part in range(N_USED):
            parts[player, part] += some[player, part]


@jit
def value_after(view, game, tiles, parts):
    """The prospects after a tile was placed (GAME.placed), or an ingot was put near it.

    Only features near the tile can have changed: those with a segment at most two steps away, buildings in the 5 x 5
    squares around it, and fields beside such cities. The others count as they did before.
    """
    view.known += 1
    view.joins = view.gains = view.losses = view.farms = 0
    mark_changed(view, game)
    value_hands(game, parts)
    for k in range(view.n_occupied):
        feature = int64(game.segments[view.occupied[k].node].feature)
        if view.touched[feature] == view.known:
            compare_owners(view, game, feature, int64(view.occupied[k].owners), view.valued[feature] == view.known)
        if has_changed(view, game, feature):
            if view.valued[feature] != view.known:
                view.valued[feature] = view.known
                add_feature(view, game, tiles, feature, parts)
        elif view.occupied[k].n_cities != 0 and some_city_changed(view, game, view.occupied[k]):
            add_field_again(view, game, tiles, feature, view.occupied[k], parts)
        else:
            add_all(game, view.occupied[k].parts, parts)


@jit
def mark_changed(view, game):
    """Mark the features that the tile placed has changed, and those with a segment at most two steps away."""
    for k in range(view.n_touched, game.n_touched):
        view.touched[game.segments[game.touched[k % MAX_TOUCHED]].feature] = view.known
    mark_around(view, game, int64(game.placed))
    if other_square(game, game.placed) != NONE:
        mark_around(view, game, other_square(game, game.placed))


@jit
def mark_around(view, game, placed):
    """Mark the features with a segment at most two steps away from a cell."""
    for k in range(TWO_STEPS.shape[1]):
        cell = TWO_STEPS[placed, k]
        if game.board[cell].tile != NONE:
            for node in range(int64(game.board[cell].first_segment), end_of_tile(game, cell)):
                view.changed[game.segments[node].feature] = view.known


@jit
def has_changed(view, game, feature):
    """Whether a feature may be other than before the answer."""
    if view.changed[feature] == view.known:
        return True
    if game.features[feature].kind == Kind.GERMAN_CATHEDRAL:
        return some_road_changed(view, game, feature)
    if lies(game, feature):  # the lines may be long
        view.changed[feature] = view.known
        return True
    if not is_building(game.features[feature].kind):
        return False
    cell = int64(game.segments[feature].cell)
    rows, columns = abs(cell // SIZE - game.placed // SIZE), abs(cell % SIZE - game.placed % SIZE)
    near = 4 if game.boxes.german_castles else 2  # each of two tiles may have a second square
    if min(rows, SIZE - rows) <= near and min(columns, SIZE - columns) <= near:
        view.changed[feature] = view.known
        return True
    return False


@jit
def some_road_changed(view, game, cathedral):
    """Whether a road of a German cathedral may be other than before the answer."""
    for node in range(german_cathedrals.first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node) and view.changed[game.segments[node].feature] == view.known:
            view.changed[cathedral] = view.known
            return True
    return False


@jit
def some_city_changed(view, game, what):
    """Whether a city beside a field may be other than before the answer."""
    for k in range(what.n_cities):
        if view.changed[game.segments[what.cities[k]].feature] == view.known:
            return True
    return what.n_cities == NONE


@jit
def add_field_again(view, game, tiles, field, what, parts):
    """Add a field that is as before, beside cities that are not."""
    if what.n_cities == NONE:
        completed, castles, expected = cities_around(view, game, tiles, field)
    else:
        completed, castles, expected = count_cities(view, game, tiles, what.cities, int64(what.n_cities))
    add_field(game, field, completed, castles, expected, parts)


@jit
def compare_owners(view, game, feature, before, is_joined):
    """Note what the tile placed did to a feature that had figures: `before` are its owners then."""
    after, me = owners(game, feature), 1 << int64(game.player)
    view.joins += is_joined
    view.gains += before & me == 0 and after & me != 0
    view.losses += before & me != 0 and (after & me == 0 or after & ~before != 0)
    view.farms += game.features[feature].kind == Kind.FIELD and not is_joined


@jit
def value_hands(game, parts):
    """What players hold: figures in supply, chips, goods."""
    parts[:] = 0.0
    for player in range(int64(game.n_players)):
        value_hand(game, player, parts)
        for slot in range(FOLLOWER_SLOTS):
            parts[player, Part.SUPPLY] += game.players[player].figures[slot] == IN_SUPPLY


@jit
def value_hand(game, player, parts):
    """What a player holds: wines, odd chips, goods, castle tokens; and whether a second part of the turn is due."""
    for colour in range(N_COLOURS):
        ones, twos = int(game.players[player].chips[colour, 0]), int(game.players[player].chips[colour, 1])
        parts[player, Part.WINES] += twos + ones // 2
        parts[player, Part.ODD_CHIPS] += ones % 2
    for good in range(N_GOODS):
        parts[player, Part.GOODS] += game.players[player].goods[good]
    parts[player, Part.CASTLE_TOKENS] += game.systems.castles.tokens[player]
    if player == game.active:
        parts[player, Part.EXTRA_TURN] = game.systems.traders_and_builders.extended
