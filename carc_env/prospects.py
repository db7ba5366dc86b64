"""Prospects: what the features on the table are worth to each player, now and by the end of the game.

Nothing here is a rule. It is what a good player sees at a glance: which roads and cities can still be closed with the
tiles left, what a field may bring, which followers will come home. `encode` shows it to learners as candidate
features, and the bot `greedy` puts prices on it.

The tiles left are known to every player (all tiles less those drawn); their order is not, and is not used.
"""

from enum import IntEnum
from math import exp, log

import numpy as np
from numpy import int64

from carc_env.jit import jit
from carc_env.rules.double_tiles import area_size, area_square, is_in_area, is_tile_near, other_square
from carc_env.rules.expansions import castles, darmstadt, german_castles, german_cathedrals, goldmines, map_chips, shrines, traders_and_builders
from carc_env.rules.features import begin_count, end_of_tile, is_building, is_built, is_complete, is_first_of_road, is_occupied, lies, next_city
from carc_env.rules.geometry import TWO_STEPS, is_near, nearby, neighbour
from carc_env.rules.placement import ONES, some_rotation_fits
from carc_env.rules.scoring import list_completed, owners, points, points_for_square
from carc_env.rules.state import (
    FIRST_PRINTED,
    FIRST_SLOT,
    IN_SUPPLY,
    MAX_PLAYERS,
    MAX_SEGMENTS,
    MAX_TOUCHED,
    MOST_IN_HAND,
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
N_COMMON = int(Part.CASTLES)  # those before it are all that most games have, see `count_parts`

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
    # what a bot leaves alone, bit sets; no prices
    ("shunned_steps", "i4"),  # questions that it answers by `pass` where it can
    ("shunned_kinds", "i4"),  # features where it puts no figures
    ("shunned_spots", "i8"),  # spots where it puts none
)
SHUNNED = ("shunned_steps", "shunned_kinds", "shunned_spots")


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
    Part.ODD_CHIPS: 3.9, Part.GOODS: 1.8, Part.EXTRA_TURN: 5.0, Part.BUILDER: 4.0, Part.CASTLES: 1.0, Part.CASTLE_TOKENS: 1.0,
    Part.ABBEYS: 8.0, Part.GERMAN_CASTLES: 6.0, Part.CHURCHES: 0.9,
}
DEFAULT_PRICES = {
    "follower": 3.1, "first_followers": 3.6, "returning": 0.34, "long": 10.5, "ingot_gain": 0.7, "others": 1.0,
    "closing": 0.63, "fitting": 0.12, "filling": 0.072,
}

MAX_CITIES = 48  # cities around a field that are remembered; a field with more is looked at anew each time
FILLED = 0.7  # share of the empty squares of a sheet that will get a tile
N_FACES = 2 * N_COLOURS  # faces of chips
MAX_CHURCHES = 16  # churches on the table that are looked at
CHURCHES = 1 << Kind.CHURCH
ABBEY_FITS = 2  # an abbey in a hand is worth as many tiles that fit a hole
NEW_RATE, NEW_WORTH = 0.2, 4.0  # how soon what is still to come on an empty square is completed beside a castle, and what it is worth
LORD_RATE, LORD_WORTH = (0.6, 0.25), (3.1, 0.68)  # what came of this in games of the bot with itself: a constant, and a share
MOST_CERTAIN = 0.95  # a chance that counts as no greater
EXTENDED = 2.2  # tiles by which an open road of a German cathedral grows where one is placed at its end
ALL_ENDED = 0.6  # how certain its completion is where all roads will probably be ended as they are: they grow
MOST_GAPS = 3  # gaps of a line that are looked beyond

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
    ("n_parts", "i2"),  # parts of the prospects that this game has
    ("unscored", "i2"),  # 1: the tile placed has not been scored yet; castles know what it completed, see `list_unscored`
    ("abbeys", "i2"),  # abbeys in all hands
    ("n_churches", "i2"),  # churches on the table
    ("churches", "i2", (MAX_CHURCHES,)),
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
    view.n_parts = count_parts(game)
    view.unscored = 0
    view.abbeys = 0
    if game.boxes.abbeys:
        for player in range(int64(game.n_players)):
            view.abbeys += game.systems.abbeys.held[player]
    view.n_churches = 0
    if game.boxes.darmstadt:
        list_churches(view, game)
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
def count_parts(game):
    """How many parts of the prospects, from the first on, can be other than 0 in a game."""
    boxes = game.boxes
    return N_PARTS if boxes.castles or boxes.abbeys or boxes.german_castles or boxes.darmstadt else N_COMMON


@jit
def list_churches(view, game):
    """List the churches on the table."""
    for node in range(int64(game.n_segments)):
        if game.features[node].kind == Kind.CHURCH and view.n_churches < MAX_CHURCHES:
            view.churches[view.n_churches] = node
            view.n_churches += 1


@jit
def list_unscored(view, game, tiles):
    """From now on a tile lies that has not been scored yet. For castles what it completed is listed, as at its scoring."""
    view.unscored = 1
    if game.boxes.castles:
        list_completed(game, tiles)


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
def count_abbeys(view, need):
    """For how many tiles the abbeys in hands count where a square is a hole."""
    return ABBEY_FITS * int(view.abbeys) if view.abbeys and mask_of(need) == 255 else 0


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
        abbeys = count_abbeys(view, need)
        closers, fits = count_closers(view, tiles, need, side) + abbeys, count_fits(view, tiles, need) + abbeys
        rate = view.prices.closing * closers + view.prices.fitting * fits
        view.ended[need, side] = 1.0 - exp(-rate / n_players)
    return view.ended[need, side]


@jit
def chance_filled(view, tiles, need):
    """The chance that an empty square gets a tile."""
    if view.filled[need] == NONE:
        view.filled[need] = 1.0 - exp(-view.prices.filling * (count_fits(view, tiles, need) + count_abbeys(view, need)))
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
    chance = ALL_ENDED
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
    """By how many squares the four lines from a follower that lies will probably grow."""
    expected = 0.0
    for side in range(4):
        chance, gaps = 1.0, 0
        square = neighbour(game.segments[feature].cell, side)
        while gaps < MOST_GAPS and game.board[square].is_square:
            if game.board[square].tile == NONE:
                chance *= chance_filled(view, tiles, int64(game.board[square].need))
                gaps += 1
            if gaps > 0:
                expected += chance
            square = neighbour(square, side)
    return expected


@jit
def roads_to_come(view, game, tiles, cathedral):
    """By how many tiles the open roads of a German cathedral will probably grow."""
    expected = 0.0
    for node in range(german_cathedrals.first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node):
            road = int64(game.segments[node].feature)
            while True:
                expected += EXTENDED * ends_to_come(view, game, tiles, road)
                road = int64(game.segments[road].next)
                if road == game.segments[node].feature:
                    break
    return expected


@jit
def ends_to_come(view, game, tiles, node):
    """How many of the open ends of a road's segment will probably get a tile."""
    cell = int64(game.segments[node].cell)
    expected = ends_to_come_on(view, game, tiles, node, cell)
    if other_square(game, cell) != NONE:
        expected += ends_to_come_on(view, game, tiles, node, other_square(game, cell))
    return expected


@jit
def ends_to_come_on(view, game, tiles, node, cell):
    """The same on one square of its tile."""
    square, expected = game.board[cell], 0.0
    number = node - int64(square.first_segment)
    for side in range(4):
        if tiles.kinds[square.tile].side_segment[square.rotation, side] == number:
            beside = game.board[neighbour(cell, side)]
            if beside.is_square and beside.tile == NONE:
                expected += chance_filled(view, tiles, int64(beside.need))
    return expected


@jit
def list_cities(game, tiles, field, cities):
    """List the different cities that a field adjoins, a segment of each. Returns their number."""
    begin_count(game)
    n = 0
    node, number, city = next_city(game, tiles, int64(field), int64(field), int64(-1))
    while city != NONE:
        cities[n] = city
        n += 1
        node, number, city = next_city(game, tiles, int64(field), node, number)
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
    if game.features[feature].kind == Kind.CASTLE:
        add_castle(view, game, tiles, feature, parts)
        return
    complete = is_complete(game, feature)
    if complete and game.boxes.castles and is_founded(view, game, tiles, feature, parts):
        return
    chance = 1.0 if complete else chance_of_closing(view, game, tiles, feature)
    lost = chance_of_losing(view, game, tiles, feature) if game.boxes.shrines and not complete else 0.0
    add_figures(game, feature, complete, max(chance, lost), parts)
    winners = owners(game, feature)
    if winners == 0:
        return
    worth = float(points(game, tiles, feature, complete))
    gain, part, gain_part = prospects_of_kind(view, game, tiles, feature, complete, chance)
    if lost > 0.0:
        worth, gain, chance = (1.0 - lost) * worth, (1.0 - lost) * gain, (1.0 - lost) * chance
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
        return roads_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDING_GAIN
    if kind == Kind.HUT:  # what it loses is all but certain
        return -squares_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDINGS
    if lies(game, feature):
        return lines_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDING_GAIN
    return points_for_square(int64(kind)) * squares_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDING_GAIN


# --- castles, challenges, churches ----------------------------------------------------------------------------------------
@jit
def add_castle(view, game, tiles, castle, parts):
    """Add what a lord will probably score, or scores with the tile just placed; then he comes home."""
    for k in range(int64(game.systems.castles.n_built)):
        built = game.systems.castles.built[k]
        if game.segments[built.node].feature == castle and castles.has_lord(game, built):
            now = points_at_once(view, game, tiles, built)
            if now > 0:
                parts[built.player, Part.NOW] += now
                parts[built.player, Part.SUPPLY] += 1.0
                return
            expected, chance = lord_prospects(view, game, tiles, castle)
            parts[built.player, Part.CASTLES] += expected
            parts[built.player, Part.RETURNING] += chance


@jit
def points_at_once(view, game, tiles, built):
    """The most that a lord can score of what the tile just placed has completed."""
    best = 0
    if view.unscored and not built.founded:
        for i in range(int64(game.n_completed)):
            feature = int64(game.completed[i].feature)
            if castles.answer_for(game, tiles, built, feature) != NONE:
                best = max(best, int64(points(game, tiles, feature, bool(True))))
    return best


@jit
def lord_prospects(view, game, tiles, castle):
    """What the lord of a castle, or of a small city that may become one, will probably score, and the chance that he does.

    It is what is completed first around it: each feature counts by how soon it may be, and what is still to come on empty squares.
    Much else can come first, so both lie nearer to what is usual.
    """
    begin_count(game)
    game.features[castle].mark = game.counts
    new = NEW_RATE * min(1.0, view.turns / view.prices.long)
    rate, total = 0.0, 0.0
    first, second = int64(game.segments[castle].cell), int64(game.segments[game.segments[castle].next].cell)
    for k in range(9):
        cell = nearby(first, k)
        if not is_near(second, cell):
            continue
        if game.board[cell].tile != NONE:
            for node in range(int64(game.board[cell].first_segment), end_of_tile(game, cell)):
                feature = int64(game.segments[node].feature)
                if game.features[feature].mark != game.counts:
                    game.features[feature].mark = game.counts
                    soon = rate_of_closing(view, game, tiles, feature)
                    rate += soon
                    total += soon * worth_completed(game, tiles, feature)
        elif game.board[cell].is_square:
            rate += new
            total += new * NEW_WORTH
    if rate == 0.0:
        return 0.0, 0.0
    chance = 1.0 - exp(-LORD_RATE[0] - LORD_RATE[1] * rate)
    return chance * (LORD_WORTH[0] + LORD_WORTH[1] * total / rate), chance


@jit
def rate_of_closing(view, game, tiles, feature):
    """How soon a feature may be completed for a castle: 0 for what is completed, and for what never is."""
    kind = int64(game.features[feature].kind)
    if kind == Kind.FIELD or kind == Kind.CASTLE or game.kinds >> kind & 1 == 0 or lies(game, feature) or is_complete(game, feature):
        return 0.0
    if is_built(kind):  # not known whether it has changed
        chance = work_out_chance(view, game, tiles, feature)
    else:
        chance = chance_of_closing(view, game, tiles, feature)
    return -log(1.0 - min(MOST_CERTAIN, chance))


@jit
def worth_completed(game, tiles, feature):
    """What a feature would pay if it were completed as it is, a building with all squares around it."""
    worth = float(points(game, tiles, feature, bool(True)))
    if is_building(game.features[feature].kind):
        square = game.board[game.segments[feature].cell]
        worth += points_for_square(int64(game.features[feature].kind)) * (int64(square.around) - int64(square.neighbours))
    return worth


@jit
def is_founded(view, game, tiles, city, parts):
    """Whether its owner will rather make a castle of a small city just completed. Adds what this means to him."""
    if not view.unscored or not castles.is_small_city(game, tiles, city):
        return False
    player = castles.founder(game, city)
    if player == NONE or game.systems.castles.tokens[player] == 0:
        return False
    prices = view.prices
    expected, chance = lord_prospects(view, game, tiles, city)
    use = min(1.0, view.turns / prices.long)
    away = prices.follower * use * (1.0 - prices.returning * chance)
    if prices.parts[Part.CASTLES] * expected - use * prices.parts[Part.CASTLE_TOKENS] - away <= points(game, tiles, city, bool(True)):
        return False
    parts[player, Part.CASTLES] += expected
    parts[player, Part.RETURNING] += chance
    parts[player, Part.CASTLE_TOKENS] -= 1.0
    return True


@jit
def chance_of_losing(view, game, tiles, building):
    """The chance that a building's opponent in a challenge is completed before it."""
    opponents = shrines.opponents_of(game, game.features[building].kind)
    if opponents == 0 or lies(game, building):
        return 0.0
    for k in range(9):
        other = shrines.building_on(game, nearby(game.segments[building].cell, k), opponents)
        if other != NONE and is_occupied(game, other) and not lies(game, other):
            if is_complete(game, other):
                return 1.0
            mine, theirs = count_missing(game, building, other), count_missing(game, other, building)
            return chance_of_filling(view, game, tiles, other) * mine / max(1, mine + theirs)
    return 0.0


@jit
def count_missing(game, building, other):
    """How many squares around a building are empty that do not lie around the other one."""
    cell, beside, missing = int64(game.segments[building].cell), int64(game.segments[other].cell), 0
    for k in range(9):
        near = nearby(cell, k)
        missing += game.board[near].is_square and game.board[near].tile == NONE and not is_near(beside, near)
    return missing


@jit
def add_churches(view, game, tiles, parts):
    """Add what the bonuses of churches mean to each player."""
    for player in range(int64(game.n_players)):
        parts[player, Part.CHURCHES] += church_prospects(view, game, tiles, player)


@jit
def church_prospects(view, game, tiles, player):
    """What the bonuses of all churches mean to a player: those listed, and the one on the tile just placed."""
    total, placed = 0.0, int64(NONE)
    if game.placed != NONE:
        placed = int64(shrines.building_on(game, int64(game.placed), CHURCHES))
    for k in range(int64(view.n_churches)):
        total += bonus_to_come(view, game, tiles, player, int64(view.churches[k]))
        if view.churches[k] == placed:
            placed = int64(NONE)
    if placed != NONE:
        total += bonus_to_come(view, game, tiles, player, placed)
    return total


@jit
def bonus_to_come(view, game, tiles, player, church):
    """The bonus of a church, times the chance that it will be completed, if the player has most followers around it who stay."""
    cell, chance = int64(game.segments[church].cell), 1.0
    completed = game.board[cell].neighbours == game.board[cell].around
    if not completed:
        chance = chance_of_filling(view, game, tiles, church)
    elif not view.unscored or game.placed == NONE or not is_in_area(game, int64(game.placed), cell):
        return 0.0
    mine, most = 0, 0
    for other in range(int64(game.n_players)):
        followers = count_around(game, other, cell, completed)
        most = max(most, followers)
        if other == player:
            mine = followers
    return darmstadt.CHURCH_BONUS * chance if mine > 0 and mine == most else 0.0


@jit
def count_around(game, player, cell, completed):
    """A player's followers around a church: all if it is completed, else those that do not come home now."""
    followers = 0
    for slot in range(FOLLOWER_SLOTS):
        node = int64(game.players[player].figures[slot])
        if node >= 0 and is_tile_near(game, cell, int64(game.segments[node].cell)):
            feature = int64(game.segments[node].feature)
            followers += completed or game.features[feature].kind == Kind.CASTLE or not is_complete(game, feature)
    return followers


# --- all together ---------------------------------------------------------------------------------------------------------
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
    value_hands(view, game, tiles, parts)
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
    add_all(view, game, what.parts, parts)


@jit
def remember_cities(view, game, tiles, field, what):
    """Keep the list of cities that a field adjoins, if it is not too long."""
    n = list_cities(game, tiles, field, view.cities)
    what.n_cities = n if n <= MAX_CITIES else NONE
    for k in range(what.n_cities):
        what.cities[k] = view.cities[k]


@jit
def add_all(view, game, some, parts):
    """Add some prospects to those there are."""
    for player in range(int64(game.n_players)):
        for part in range(int64(view.n_parts)):
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
    value_hands(view, game, tiles, parts)
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
            add_all(view, game, view.occupied[k].parts, parts)


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
    if lies(game, feature) or game.features[feature].kind == Kind.CASTLE:  # lines, and what lies around a castle, may be long
        view.changed[feature] = view.known
        return True
    if not is_building(game.features[feature].kind):
        return False
    cell = int64(game.segments[feature].cell)
    rows, columns = abs(cell // SIZE - game.placed // SIZE), abs(cell % SIZE - game.placed % SIZE)
    near = 4 if game.boxes.german_castles else 2  # each of two tiles may have a second square
    near += int64(game.boxes.shrines)  # the opponent in a challenge is one square away
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
def value_hands(view, game, tiles, parts):
    """What players hold: figures in supply, chips, goods, abbeys, German castles; and the bonuses of churches, which are no feature's."""
    parts[:] = 0.0
    if game.boxes.darmstadt:
        add_churches(view, game, tiles, parts)
    for player in range(int64(game.n_players)):
        value_hand(game, player, parts)
        for slot in range(FOLLOWER_SLOTS):
            parts[player, Part.SUPPLY] += game.players[player].figures[slot] == IN_SUPPLY


@jit
def value_hand(game, player, parts):
    """What a player holds: wines, odd chips, goods, castle tokens, abbeys, castle tiles; and whether a second part of the turn is due."""
    for colour in range(N_COLOURS):
        ones, twos = int(game.players[player].chips[colour, 0]), int(game.players[player].chips[colour, 1])
        parts[player, Part.WINES] += twos + ones // 2
        parts[player, Part.ODD_CHIPS] += ones % 2
    for good in range(N_GOODS):
        parts[player, Part.GOODS] += game.players[player].goods[good]
    parts[player, Part.CASTLE_TOKENS] += game.systems.castles.tokens[player]
    parts[player, Part.ABBEYS] += game.systems.abbeys.held[player]
    for number in range(MOST_IN_HAND if game.boxes.german_castles else 0):
        parts[player, Part.GERMAN_CASTLES] += german_castles.in_hand(game, player, number) != NONE
    if player == game.active:
        parts[player, Part.EXTRA_TURN] = game.systems.traders_and_builders.extended
