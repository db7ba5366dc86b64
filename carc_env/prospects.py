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
from carc_env.rules.expansions import goldmines, traders_and_builders
from carc_env.rules.features import feature_at, is_building, is_complete
from carc_env.rules.geometry import NEIGHBOUR, NINE
from carc_env.rules.scoring import owners, points
from carc_env.rules.state import (
    FIRST_SLOT,
    IN_SUPPLY,
    MAX_KINDS,
    MAX_SEGMENTS,
    N_COLOURS,
    N_GOODS,
    N_SLOTS,
    NONE,
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
    Part.FARMERS: "followers on fields, which never return",
    Part.ROAD_GAIN: "further points of unfinished roads if they are completed, times the chance of that",
    Part.WINES: "wines that could be sold",
    Part.ODD_CHIPS: "chips that are no wine yet",
    Part.GOODS: "tokens of goods",
    Part.EXTRA_TURN: "1: the builder brings a second part of the turn",
    Part.BUILDER: "chance that the builder's road or city stays open, 0 without a builder on the table",
}
N_PARTS = len(Part)

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
    Part.BUILDING_GAIN: 0.56, Part.FIELDS: 0.9, Part.FIELD_GAIN: 0.37, Part.ROAD_GAIN: 0.9, Part.WINES: 3.5,
    Part.ODD_CHIPS: 1.2, Part.GOODS: 1.8, Part.EXTRA_TURN: 5.0, Part.BUILDER: 4.0,
}
DEFAULT_PRICES = {
    "follower": 3.1, "first_followers": 3.6, "returning": 0.34, "long": 10.5, "ingot_gain": 0.7, "others": 1.0,
    "closing": 0.63, "fitting": 0.12, "filling": 0.072,
}

# The tiles left, as a player counts them, and what was worked out about them: counts by demand of an empty cell.
VIEW = record(
    ("prices", PRICES),
    ("n_left", "i2"),  # tiles not drawn yet
    ("unseen", "i2", (MAX_KINDS,)),  # how many of each kind
    ("kinds", "i2", (MAX_KINDS,)),  # the kinds of which some are left
    ("n_kinds", "i2"),
    ("fits", "i2", (256,)),  # tiles left that fit a demand (CELL.need), NONE: not counted yet
    ("closes", "i2", (256, 4)),  # those that also end the road or city on a side
    ("known", "i4"),  # number of the last valuation, see `when`
    ("when", "i4", (MAX_SEGMENTS,)),  # valuation in which `chance` of a feature was worked out
    ("chance", "f4", (MAX_SEGMENTS,)),
)


@jit
def look(view, game, box):
    """Count the tiles that are left."""
    view.n_left = game.n_deck - game.n_drawn
    view.unseen[:] = 0
    for i in range(game.n_drawn, game.n_deck):
        view.unseen[game.deck[i]] += 1
    view.n_kinds = 0
    for kind in range(MAX_KINDS):
        if view.unseen[kind]:
            view.kinds[view.n_kinds] = kind
            view.n_kinds += 1
    view.fits[:] = NONE
    view.closes[:] = NONE
    view.known = 0
    view.when[:] = 0


@jit
def mask_of(need):
    """The bits of a demand that count: both bits of each side that demands something."""
    odd = (need | need >> 1) & 0b01010101
    return odd * 3


@jit
def count_fits(view, box, need):
    """How many of the tiles left fit a demand in some rotation."""
    if view.fits[need] == NONE:
        mask, total = mask_of(need), 0
        for i in range(view.n_kinds):
            tile = box.tiles[view.kinds[i]]
            for rotation in range(tile.rotations):
                if (int(tile.edges[rotation]) ^ need) & mask == 0:
                    total += int(view.unseen[view.kinds[i]])
                    break
        view.fits[need] = total
    return int(view.fits[need])


@jit
def ends_at(tile, rotation, side, mask):
    """Whether the road or city on a side of the tile touches no other side that is still open."""
    segment = tile.side_segment[rotation, side]
    for other in range(4):
        if tile.side_segment[rotation, other] == segment and mask >> 2 * other & 3 == 0:
            return False
    return True


@jit
def count_closers(view, box, need, side):
    """How many of the tiles left fit a demand and end the road or city that demands it on `side`."""
    if view.closes[need, side] == NONE:
        mask, total = mask_of(need), 0
        for i in range(view.n_kinds):
            tile = box.tiles[view.kinds[i]]
            for rotation in range(4):
                if (int(tile.edges[rotation]) ^ need) & mask == 0 and ends_at(tile, rotation, side, mask):
                    total += int(view.unseen[view.kinds[i]])
                    break
        view.closes[need, side] = total
    return int(view.closes[need, side])


@jit
def chance_of_closing(view, game, box, feature):
    """The chance that a road, city or building will be completed: every open end must get its tile."""
    if view.when[feature] == view.known:
        return view.chance[feature]
    if is_building(game.features[feature].kind):
        chance = chance_of_filling(view, game, box, feature)
    else:
        chance = 1.0
        node = int64(feature)
        while chance > 0.001:
            chance *= chance_of_ending(view, game, box, node)
            node = int64(game.segments[node].next)
            if node == feature:
                break
    view.when[feature] = view.known
    view.chance[feature] = chance
    return chance


@jit
def chance_of_ending(view, game, box, node):
    """The chance that the open ends of one segment are closed."""
    cell = int(game.segments[node].cell)
    square = game.board[cell]
    tile = box.tiles[square.tile]
    number = node - int(square.first_segment)
    chance = 1.0
    for side in range(4):
        if tile.side_segment[square.rotation, side] == number:
            beside = NEIGHBOUR[cell, side]
            if game.board[beside].square and game.board[beside].tile == NONE:
                need = int(game.board[beside].need)
                rate = (view.prices.closing * count_closers(view, box, need, (side + 2) % 4)
                        + view.prices.fitting * count_fits(view, box, need))
                chance *= 1.0 - exp(-rate / game.n_players)
    return chance


@jit
def chance_filled(view, game, box, cell):
    """The chance that an empty square gets a tile."""
    return 1.0 - exp(-view.prices.filling * count_fits(view, box, int(game.board[cell].need)))


@jit
def chance_of_filling(view, game, box, feature):
    """The chance that all squares around a building are filled."""
    chance = 1.0
    for near in NINE[game.segments[feature].cell]:
        if game.board[near].square and game.board[near].tile == NONE:
            chance *= chance_filled(view, game, box, near)
    return chance


@jit
def squares_to_come(view, game, box, feature):
    """How many of the empty squares around a building will probably be filled."""
    expected = 0.0
    for near in NINE[game.segments[feature].cell]:
        if game.board[near].square and game.board[near].tile == NONE:
            expected += chance_filled(view, game, box, near)
    return expected


@jit
def cities_to_come(view, game, box, field):
    """How many unfinished cities that a field adjoins will probably be closed."""
    game.counts += 1
    expected = 0.0
    node = int64(field)
    while True:
        cell = int(game.segments[node].cell)
        adjoins = int(box.tiles[game.board[cell].tile].adjoins[node - int(game.board[cell].first_segment)])
        number = 0
        while adjoins >> number:
            if adjoins >> number & 1:
                city = feature_at(game, cell, number)
                if game.features[city].mark != game.counts:
                    game.features[city].mark = game.counts
                    if game.features[city].open > 0:
                        expected += chance_of_closing(view, game, box, city)
            number += 1
        node = int64(game.segments[node].next)
        if node == field:
            return expected


@jit
def ingots_on(game, feature):
    """Ingots in the area of a road, city or building; a tile that carries two segments of it counts twice."""
    if is_building(game.features[feature].kind):
        return goldmines.count_around(game, game.segments[feature].cell)
    ingots = 0
    node = int64(feature)
    while True:
        ingots += int(game.board[game.segments[node].cell].ingots)
        node = int64(game.segments[node].next)
        if node == feature:
            return ingots


@jit
def as_it_stands(game, box, feature):
    """What a feature would score if the game ended now."""
    return points(game, box, feature, is_complete(game, feature))


@jit
def add_feature(view, game, box, feature, parts):
    """Add what an occupied feature means to each player to parts[player, Part]."""
    kind = game.features[feature].kind
    complete = is_complete(game, feature)
    chance = 1.0 if complete else 0.0
    if kind != Kind.FIELD and not complete:
        chance = chance_of_closing(view, game, box, feature)
    add_figures(game, feature, complete, chance, parts)
    winners = owners(game, feature)
    n_winners = 0
    for player in range(int64(game.n_players)):
        n_winners += winners >> player & 1
    if n_winners == 0:
        return
    worth = float(points(game, box, feature, complete))
    gain, part, gain_part = prospects_of_kind(view, game, box, feature, complete, chance)
    ingots = 0.0
    if game.goldmines.on_tiles > 0 and kind != Kind.FIELD:
        ingots = chance * ingots_on(game, feature) / n_winners
    for player in range(int64(game.n_players)):
        if winners >> player & 1:
            share = 4.0 / 3.0 if kind == Kind.FIELD and traders_and_builders.has_pig(game, player, feature) else 1.0
            parts[player, part] += share * worth
            parts[player, gain_part] += share * gain
            parts[player, Part.INGOTS_NOW if complete else Part.INGOT_GAIN] += ingots


@jit
def prospects_of_kind(view, game, box, feature, complete, chance):
    """Further points to expect from a feature, and the parts where its points and these belong."""
    kind = game.features[feature].kind
    if complete:
        return 0.0, Part.NOW, Part.NOW
    if kind == Kind.ROAD or kind == Kind.CITY:
        gain = chance * (points(game, box, feature, bool(True)) - points(game, box, feature, bool(False)))
        return gain, Part.ROADS if kind == Kind.ROAD else Part.CITIES, \
            Part.ROAD_GAIN if kind == Kind.ROAD else Part.CITY_GAIN
    if kind == Kind.FIELD:
        return 3.0 * cities_to_come(view, game, box, feature), Part.FIELDS, Part.FIELD_GAIN
    return squares_to_come(view, game, box, feature), Part.BUILDINGS, Part.BUILDING_GAIN


@jit
def add_figures(game, feature, complete, chance, parts):
    """Where the figures in a feature belong: back in supply, returning with some chance, or farmers for good."""
    is_field = game.features[feature].kind == Kind.FIELD
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            node = game.players[player].figures[slot]
            if node >= 0 and game.segments[node].feature == feature:
                if slot >= FOLLOWER_SLOTS:
                    if slot == traders_and_builders.BUILDER_SLOT:
                        parts[player, Part.BUILDER] += 1.0 - chance
                elif complete:
                    parts[player, Part.SUPPLY] += 1.0
                elif is_field:
                    parts[player, Part.FARMERS] += 1.0
                else:
                    parts[player, Part.RETURNING] += chance


@jit
def value_all(view, game, box, parts):
    """Work out the prospects of all players: parts[player, Part] from all occupied features and the supplies."""
    view.known += 1
    parts[:] = 0.0
    for player in range(int64(game.n_players)):
        value_hand(game, player, parts)
        for slot in range(N_SLOTS):
            node = int(game.players[player].figures[slot])
            if node == IN_SUPPLY:
                parts[player, Part.SUPPLY] += slot < FOLLOWER_SLOTS
            elif node >= 0:
                feature = int64(game.segments[node].feature)
                if is_first_figure(game, player, slot, feature):
                    add_feature(view, game, box, feature, parts)


@jit
def value_hand(game, player, parts):
    """What a player holds: wines, odd chips, goods; and whether a second part of the turn is due."""
    for colour in range(N_COLOURS):
        ones, twos = int(game.players[player].chips[colour, 0]), int(game.players[player].chips[colour, 1])
        parts[player, Part.WINES] += twos + ones // 2
        parts[player, Part.ODD_CHIPS] += ones % 2
    for good in range(N_GOODS):
        parts[player, Part.GOODS] += game.players[player].goods[good]
    if player == game.active:
        parts[player, Part.EXTRA_TURN] = game.builders.extended


@jit
def is_first_figure(game, player, slot, feature):
    """Whether no earlier figure stands in the feature, so that a feature is valued once."""
    for other in range(player + 1):
        for earlier in range(N_SLOTS if other < player else slot):
            node = game.players[other].figures[earlier]
            if node >= 0 and game.segments[node].feature == feature:
                return False
    return True
