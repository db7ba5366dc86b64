"""Prospects: what the features on the table are worth to each player, now and by the end of the game.

Nothing here is a rule. It is what a good player sees at a glance: which roads and cities can still be closed with the
tiles left, what a field may bring, which followers will come home. `encode` shows it to learners as candidate
features, and the bot `greedy` puts prices on it.

The tiles left are known to every player (all tiles less those drawn); their order is not, and is not used.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy import int64

from carc_env.boxes.closing import (
    chance_of_closing,
    cities_around,
    count_cities,
    lines_to_come,
    list_cities,
    roads_to_come,
    squares_to_come,
)
from carc_env.boxes.prospect_parts import N_COMMON, N_PARTS, Part
from carc_env.compiling.jit import jit
from carc_env.observing.value_network import NETWORK
from carc_env.rules.double_tiles import other_square
from carc_env.rules.expansions import german_cathedrals
from carc_env.rules.expansions.traders_and_builders import has_pig
from carc_env.rules.features import end_of_tile, is_building, is_complete, is_first_of_road, lies
from carc_env.rules.geometry import TWO_STEPS, end_of_sheet, n_cells, size_of, two_steps
from carc_env.rules.scoring import owners, points, points_for_square
from carc_env.rules.state import (
    FIRST_PRINTED,
    FOLLOWER_SLOTS,
    IN_SUPPLY,
    MAX_PLAYERS,
    MAX_SEGMENTS,
    MAX_TOUCHED,
    N_SLOTS,
    NONE,
    Kind,
    record,
)
from carc_env.systems.abbeys import seen as abbeys
from carc_env.systems.castles import seen as castles
from carc_env.systems.darmstadt import seen as darmstadt
from carc_env.systems.german_castles import seen as german_castles
from carc_env.systems.goldmines import seen as goldmines
from carc_env.systems.map_chips import seen as map_chips
from carc_env.systems.shrines import seen as shrines
from carc_env.systems.traders_and_builders import seen as traders_and_builders

MOST_HELD = 8  # followers in supply that have a price of their own; more count as so many

# What each part and some chances are worth; see default_prices.
PRICE_FIELDS: tuple[tuple[Any, ...], ...] = (
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
    # of the bot `keen` alone; 0 for `greedy`
    ("early", "f8", (N_PARTS,)),  # points more for one of each part, while much of the game is left
    ("hands", "f8", (MOST_HELD + 1,)),  # points more for so many followers in supply, while much of the game is left
    # what a bot leaves alone, bit sets; no prices
    ("shunned_steps", "i4"),  # questions that it answers by `pass` where it can
    ("shunned_kinds", "i4"),  # features where it puts no figures
    ("shunned_spots", "i8"),  # spots where it puts none
)
PRICE_TABLE = record(*PRICE_FIELDS)
PRICES = record(*PRICE_FIELDS, ("network", NETWORK))  # what the network adds to them: observing/value_network.py
SHUNNED = ("shunned_steps", "shunned_kinds", "shunned_spots")
OF_KEEN = ("early", "hands")
LEARNED = "network"


@cache
def observed_prices() -> np.ndarray:
    """The prices by which candidates are listed in observations, those of `default_prices`. Do not write to it: it is
    the same array each time.
    """
    return default_prices()


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
    Part.NOW: 1.0,
    Part.ROADS: 0.95,
    Part.CITIES: 0.87,
    Part.CITY_GAIN: 0.9,
    Part.BUILDINGS: 0.95,
    Part.BUILDING_GAIN: 0.56,
    Part.FIELDS: 0.9,
    Part.FIELD_GAIN: 0.37,
    Part.ROAD_GAIN: 0.9,
    Part.WINES: 4.8,
    Part.ODD_CHIPS: 3.9,
    Part.GOODS: 1.8,
    Part.EXTRA_TURN: 5.0,
    Part.BUILDER: 4.0,
    Part.CASTLES: 1.0,
    Part.CASTLE_TOKENS: 1.0,
    Part.ABBEYS: 8.0,
    Part.GERMAN_CASTLES: 6.0,
    Part.CHURCHES: 0.9,
}
DEFAULT_PRICES = {
    "follower": 3.1,
    "first_followers": 3.6,
    "returning": 0.34,
    "long": 10.5,
    "ingot_gain": 0.7,
    "others": 1.0,
    "closing": 0.63,
    "fitting": 0.12,
    "filling": 0.072,
}

MAX_CITIES = 48  # cities around a field that are remembered; a field with more is looked at anew each time
FILLED = 0.7  # share of the empty squares of a sheet that will get a tile

OCCUPIED = record(  # a feature with figures, before an answer
    ("node", "i2"),  # one of its segments
    ("owners", "i2"),  # bit set of players
    ("n_cities", "i2"),  # of a field: cities around it, NONE: too many to list
    ("cities", "i2", (MAX_CITIES,)),  # a segment of each
    ("parts", "f8", (MAX_PLAYERS, N_PARTS)),  # its share of the prospects
)
MAX_OCCUPIED = N_SLOTS * MAX_PLAYERS  # features with figures in them

# What a player sees, and what was worked out about it: chances by the demand of an empty cell, and the prospects of
# every feature with figures, so that only those that an answer changes are looked at again.
VIEW = record(
    ("prices", PRICE_TABLE),
    ("n_left", "i2"),  # tiles not drawn yet
    ("turns", "f8"),  # turns to come for each player: on a sheet there may be fewer squares than tiles
    ("n_parts", "i2"),  # parts of the prospects that this game has
    # 1: the tile placed has not been scored yet; castles know what it completed, see `list_unscored`
    ("unscored", "i2"),
    ("abbeys", "i2"),  # abbeys in all hands
    ("n_churches", "i2"),  # churches on the table
    ("churches", "i2", (darmstadt.MAX_CHURCHES,)),
    ("unseen", "i2", (FIRST_PRINTED,)),  # how many of each kind
    ("n_kinds", "i2"),  # kinds of which some are left
    ("all_edges", "i8", (FIRST_PRINTED,)),  # TILE.all_edges of each of them
    ("linked", "i8", (4, FIRST_PRINTED)),  # and TILE.linked
    ("amounts", "i8", (FIRST_PRINTED,)),  # and how many are left
    ("face_down", "i2", (map_chips.N_FACES,)),  # chips face down of each colour and value, see CELL.chip
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
        return float(n_cells(game))
    squares = 0
    for cell in range(end_of_sheet(game)):
        squares += game.board[cell].is_square and game.board[cell].tile == NONE
    return FILLED * squares


@jit
def count_left(view, game, tiles):
    """Count the tiles that are left, and the chips face down."""
    view.n_left = game.n_deck - game.n_drawn
    view.turns = min(float(view.n_left), squares_left(game)) / game.n_players
    view.n_parts = count_parts(game)
    view.unscored = 0
    abbeys.count_in_hands(view, game)
    darmstadt.list_churches(view, game)
    map_chips.count_face_down(view, game)
    view.unseen[:] = 0
    for i in range(game.n_drawn, game.n_deck):
        view.unseen[game.deck[i]] += 1
    view.n_kinds = 0
    for kind in range(FIRST_PRINTED):
        if view.unseen[kind]:
            view.all_edges[view.n_kinds] = tiles.kinds[kind].all_edges
            for side in range(4):
                view.linked[side, view.n_kinds] = tiles.kinds[kind].linked[side]
            view.amounts[view.n_kinds] = view.unseen[kind]
            view.n_kinds += 1
    view.fits[:] = NONE
    view.filled[:] = NONE
    view.ended[:] = NONE


@jit
def count_parts(game):
    """How many parts of the prospects, from the first on, can be other than 0 in a game."""
    boxes = game.boxes
    return N_PARTS if boxes.castles or boxes.abbeys or boxes.german_castles or boxes.darmstadt else N_COMMON


@jit(absent=N_COMMON)
def n_parts(view, game):
    """How many parts of the prospects a game has, as `count_left` found it (VIEW.n_parts); of a common game a constant."""
    return int64(view.n_parts)


@jit
def list_unscored(view, game, tiles):
    """From now on a tile lies that has not been scored yet."""
    view.unscored = 1
    castles.list_unscored(game, tiles)


@jit
def as_it_stands(game, tiles, feature):
    """What a feature would score if the game ended now."""
    return points(game, tiles, feature, is_complete(game, feature))


@jit
def add_feature(view, game, tiles, feature, parts):
    """Add what an occupied feature means to each player to parts[player, Part]."""
    if game.features[feature].kind == Kind.FIELD:
        completed, n_castles, expected = cities_around(view, game, tiles, feature)
        add_field(game, feature, completed, n_castles, expected, parts)
        return
    if game.features[feature].kind == Kind.CASTLE:
        castles.add_castle(view, game, tiles, feature, parts)
        return
    complete = is_complete(game, feature)
    if complete and castles.is_founded(view, game, tiles, feature, parts):
        return
    chance = 1.0 if complete else chance_of_closing(view, game, tiles, feature)
    lost = 0.0 if complete else shrines.chance_of_losing(view, game, tiles, feature)
    add_figures(game, feature, complete, max(chance, lost), parts)
    winners = owners(game, feature)
    if winners == 0:
        return
    worth = float(points(game, tiles, feature, complete))
    gain, part, gain_part = prospects_of_kind(view, game, tiles, feature, complete, chance)
    if lost > 0.0:
        worth, gain, chance = (1.0 - lost) * worth, (1.0 - lost) * gain, (1.0 - lost) * chance
    ingots, ingot_part = goldmines.share(game, feature, complete, chance, winners)
    for player in range(int64(game.n_players)):
        if winners >> player & 1:
            parts[player, part] += worth
            parts[player, gain_part] += gain
            parts[player, ingot_part] += ingots


@jit
def prospects_of_kind(view, game, tiles, feature, complete, chance):
    """Further points to expect from a road, city or building, and the parts where its points and these belong."""
    kind = game.features[feature].kind
    if complete:
        return 0.0, Part.NOW, Part.NOW
    if kind == Kind.ROAD or kind == Kind.CITY:
        gain = chance * (points(game, tiles, feature, True) - points(game, tiles, feature, False))
        return (
            gain,
            Part.ROADS if kind == Kind.ROAD else Part.CITIES,
            Part.ROAD_GAIN if kind == Kind.ROAD else Part.CITY_GAIN,
        )
    if kind == Kind.GERMAN_CATHEDRAL:
        return roads_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDING_GAIN
    if kind == Kind.HUT:  # what it loses is all but certain
        return -squares_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDINGS
    if lies(game, feature):
        return lines_to_come(view, game, tiles, feature), Part.BUILDINGS, Part.BUILDING_GAIN
    return (
        points_for_square(int64(kind)) * squares_to_come(view, game, tiles, feature),
        Part.BUILDINGS,
        Part.BUILDING_GAIN,
    )


# --- all together -----------------------------------------------------------------------------------------------------
@jit
def add_field(game, field, completed, n_castles, expected, parts):
    """Add what a field means with so many completed cities around it, so many castles among them, and so many to be
    expected.
    """
    add_figures(game, field, False, 0.0, parts)
    winners = owners(game, field)
    for player in range(int64(game.n_players)):
        if winners >> player & 1:
            each = 4.0 if has_pig(game, player, field) else 3.0
            parts[player, Part.FIELDS] += each * completed + n_castles
            parts[player, Part.FIELD_GAIN] += each * expected


@jit
def add_figures(game, feature, complete, chance, parts):
    """Where the figures in a feature belong: back in supply, returning with some chance, or farmers, and those who lie,
    for good.
    """
    stays = game.features[feature].kind == Kind.FIELD or lies(game, feature)
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            node = game.players[player].figures[slot]
            if node >= 0 and game.segments[node].feature == feature:
                if slot >= FOLLOWER_SLOTS:
                    traders_and_builders.add_standing(player, slot, chance, parts)
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
        # not `n_parts`: with a constant here `value_after` takes a quarter longer
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
    for k in range(TWO_STEPS):
        cell = two_steps(game, placed, k)
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
    # lines, and what lies around a castle, may be long
    if lies(game, feature) or game.features[feature].kind == Kind.CASTLE:
        view.changed[feature] = view.known
        return True
    if not is_building(game.features[feature].kind):
        return False
    cell = int64(game.segments[feature].cell)
    size, placed = size_of(game), int64(game.placed)
    rows, columns = abs(cell // size - placed // size), abs(cell % size - placed % size)
    near = 2 + german_castles.further(game) + shrines.further(game)
    if min(rows, size - rows) <= near and min(columns, size - columns) <= near:
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
        completed, n_castles, expected = cities_around(view, game, tiles, field)
    else:
        completed, n_castles, expected = count_cities(view, game, tiles, what.cities, int64(what.n_cities))
    add_field(game, field, completed, n_castles, expected, parts)


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
    """What players hold: figures in supply, chips, goods, abbeys, German castles; and the bonuses of churches, which
    are no feature's.
    """
    for player in range(int64(game.n_players)):
        for part in range(n_parts(view, game)):
            parts[player, part] = 0.0
    darmstadt.add_churches(view, game, tiles, parts)
    for player in range(int64(game.n_players)):
        value_hand(game, player, parts)
        for slot in range(FOLLOWER_SLOTS):
            parts[player, Part.SUPPLY] += game.players[player].figures[slot] == IN_SUPPLY


@jit
def value_hand(game, player, parts):
    """What a player holds: wines, odd chips, goods, castle tokens, abbeys, castle tiles; and whether a second part of
    the turn is due.
    """
    map_chips.add_hand(game, player, parts)
    traders_and_builders.add_hand(game, player, parts)
    castles.add_hand(game, player, parts)
    abbeys.add_hand(game, player, parts)
    german_castles.add_hand(game, player, parts)
