"""Computes heuristic estimates, which are called prospects. The estimates tell what the features on the table are worth
to each player, now and at the end of the game.

The heuristic estimates are not part of the rules of the game. They approximate what a good player sees at a glance:
which roads and cities can be completed with the remaining tiles, how many points a field will give, and how likely a
follower is to return. The module `candidates` gives the heuristic estimates to learning agents as inputs. The bot
`greedy` multiplies each heuristic estimate by a heuristic weight (price) and adds up the products.

All players know which tiles are left (all tiles minus those drawn). The players do not know the order of the remaining
tiles, and the heuristic estimates do not depend on this order.
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

# each number of followers in supply has a weight of its own; numbers above MOST_HELD count as MOST_HELD
MOST_HELD = 8

# The fields of the heuristic weights (prices): name, dtype, shape. Some weights are used to estimate chances. The
# function `default_prices` sets the values.
PRICE_FIELDS: tuple[tuple[Any, ...], ...] = (
    ("parts", "f8", (N_PARTS,)),  # points for one unit of each heuristic estimate (`Part`)
    ("follower", "f8"),  # points for each follower in supply, as long as its player has many turns left
    ("first_followers", "f8"),  # the additional value of the first few followers, in units of `follower`
    ("returning", "f8"),  # the value of a follower that will return, relative to one in supply
    ("long", "f8"),  # a follower has its full value if its player has at least this number of turns left
    ("ingot_gain", "f8"),  # the value of an expected ingot, relative to one in hand
    ("others", "f8"),  # the weight of the other players' points, relative to the player's own points
    ("closing", "f8"),  # the weight of remaining tiles that close an open end; see `closing.work_out_ended`
    ("fitting", "f8"),  # the weight of remaining tiles that fit at an open end
    ("filling", "f8"),  # the weight of remaining tiles that fit on a square; see `closing.work_out_filled`
    # the next two fields are for the bot `keen`; for `greedy`, they are 0
    ("early", "f8", (N_PARTS,)),  # additional points for one unit of each `Part`, while much of the game is left
    # entry n: additional points for a player with n followers in supply, while much of the game is left
    ("hands", "f8", (MOST_HELD + 1,)),
    # the last three fields are not weights: they are bit sets of what a bot avoids
    ("shunned_steps", "i4"),  # decisions in which the bot chooses `pass` if possible
    ("shunned_kinds", "i4"),  # kinds of features on which the bot places no figures
    ("shunned_spots", "i8"),  # spots on which the bot places no figures
)
PRICE_TABLE = record(*PRICE_FIELDS)
# PRICES also contains the value network (see observing/value_network.py). Its output is added to heuristic values.
PRICES = record(*PRICE_FIELDS, ("network", NETWORK))
SHUNNED = ("shunned_steps", "shunned_kinds", "shunned_spots")
OF_KEEN = ("early", "hands")
LEARNED = "network"


@cache
def observed_prices() -> np.ndarray:
    """Return the heuristic weights (prices) for the candidates in observations. The function `default_prices`
    computes these weights. All calls return the same array, so callers must not write to the array.
    """
    return default_prices()


def default_prices() -> np.ndarray:
    """The heuristic weights of the bot `greedy`: an array of one PRICES record."""
    prices = np.zeros(1, PRICES)
    for part, points_for_one in DEFAULT_PARTS.items():
        prices[0]["parts"][part] = points_for_one
    for name, value in DEFAULT_PRICES.items():
        prices[0][name] = value
    return prices


# These values come from self-play of the bot `greedy`: a random change was accepted if the changed bot won.
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

MAX_CITIES = 48  # how many cities of a field can be stored; a field with more cities is evaluated in full each time
FILLED = 0.7  # on a map sheet: the expected fraction of empty squares on which tiles will be placed

OCCUPIED = record(  # a feature on which figures stood before an action
    ("node", "i2"),  # one of its segments
    ("owners", "i2"),  # bit set of players
    ("n_cities", "i2"),  # for a field: the number of adjoining cities, or NONE if there are too many to list
    ("cities", "i2", (MAX_CITIES,)),  # a segment of each of these cities
    ("parts", "f8", (MAX_PLAYERS, N_PARTS)),  # its contribution to the prospects
)
MAX_OCCUPIED = N_SLOTS * MAX_PLAYERS  # the maximum number of features with figures

# What the players know about a game, and results computed from this information: the chances that tiles will be placed
# on empty squares, and the heuristic estimates for every feature with figures. Because the results are stored here,
# only the features that an action changes are evaluated again.
VIEW = record(
    ("prices", PRICE_TABLE),
    ("n_left", "i2"),  # tiles not drawn yet
    ("turns", "f8"),  # the number of turns that each player has left, limited by the remaining tiles and squares
    ("n_parts", "i2"),  # the number of heuristic estimates in this game; see `count_parts`
    ("unscored", "i2"),  # 1: the tile just placed has not been scored yet; see `list_unscored`
    ("abbeys", "i2"),  # abbeys in all players' hands
    ("n_churches", "i2"),  # churches on the table
    ("churches", "i2", (darmstadt.MAX_CHURCHES,)),
    ("unseen", "i2", (FIRST_PRINTED,)),  # by kind: the number of tiles that have not been drawn yet
    ("n_kinds", "i2"),  # the number of kinds that still have tiles in the stack
    ("all_edges", "i8", (FIRST_PRINTED,)),  # TILE.all_edges of each of these kinds
    ("linked", "i8", (4, FIRST_PRINTED)),  # TILE.linked of each of these kinds
    ("amounts", "i8", (FIRST_PRINTED,)),  # the number of tiles of each of these kinds
    ("face_down", "i2", (map_chips.N_FACES,)),  # face-down chips by colour and value, see CELL.chip
    ("n_face_down", "i2"),
    # values for an empty square, indexed by the terrains that the square requires (CELL.need); NONE: not computed yet
    ("fits", "i2", (256,)),  # the number of remaining tiles that fit on the square
    ("filled", "f8", (256,)),  # the chance that a tile will be placed on the square
    # by side: the chance that a tile will be placed on the square and end the road or city on this side
    ("ended", "f8", (256, 4)),
    # Each evaluation of the table has a number. The table is evaluated before an action, and after the action.
    ("known", "i4"),  # the number of the last evaluation
    ("before", "i4"),  # the number of the last evaluation that was made before an action
    ("n_touched", "i4"),  # the value of GAME.n_touched in the evaluation `before`
    ("changed", "i4", (MAX_SEGMENTS,)),  # the evaluation after the last action that possibly affected the feature
    ("touched", "i4", (MAX_SEGMENTS,)),  # the evaluation after the last action that changed the feature itself
    ("valued", "i4", (MAX_SEGMENTS,)),  # the evaluation in which the feature was last evaluated
    ("when", "i4", (MAX_SEGMENTS,)),  # the evaluation in which the feature's `chance` was computed
    ("chance", "f8", (MAX_SEGMENTS,)),
    ("when_before", "i4", (MAX_SEGMENTS,)),  # the evaluation in which `chance_before` was computed
    ("chance_before", "f8", (MAX_SEGMENTS,)),
    ("cities", "i2", (MAX_SEGMENTS,)),  # one segment of each city that `list_cities` found in its last call
    # features on which figures stood before the action
    ("n_occupied", "i2"),
    ("occupied", OCCUPIED, (MAX_OCCUPIED,)),
    # how the tile just placed has changed these features, from the acting player's point of view
    ("joins", "i2"),  # the number of these features that were joined to another of them
    ("gains", "i2"),  # the number of these features that the player did not own before, but now owns or shares
    # the number of the player's features that the player has lost, or that have a new owner besides the player
    ("losses", "i2"),
    ("farms", "i2"),  # the number of occupied fields that the tile touches
)


@jit
def squares_left(game):
    """Estimate an upper limit for the number of tiles that will be placed. Without a map sheet, the limit is the number
    of cells of the table. On a map sheet, the limit is the number of empty squares multiplied by the constant FILLED,
    because some squares stay empty until the end of the game.
    """
    if not game.systems.maps.on_sheet:
        return float(n_cells(game))
    squares = 0
    for cell in range(end_of_sheet(game)):
        squares += game.board[cell].is_square and game.board[cell].tile == NONE
    return FILLED * squares


@jit
def count_left(view, game, tiles):
    """Count the tiles that are left and the chips that lie face down."""
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
    """Return the number n of heuristic estimates in a game. Only the estimates for the first n members of `Part` are
    computed. The estimates for all other members are 0.
    """
    boxes = game.boxes
    return N_PARTS if boxes.castles or boxes.abbeys or boxes.german_castles or boxes.darmstadt else N_COMMON


@jit(absent=N_COMMON)
def n_parts(view, game):
    """Return the number of heuristic estimates in this game. The function `count_left` has written this number to
    `VIEW.n_parts`. For games with none of the boxes in `state.RARE`, the compiler replaces this function by the
    constant N_COMMON.
    """
    return int64(view.n_parts)


@jit
def list_unscored(view, game, tiles):
    """Record in `view` that the last placed tile has not been scored yet."""
    view.unscored = 1
    castles.list_unscored(game, tiles)


@jit
def as_it_stands(game, tiles, feature):
    """Return the points that a feature would be worth if the game ended now."""
    return points(game, tiles, feature, is_complete(game, feature))


@jit
def add_feature(view, game, tiles, feature, parts):
    """Add the heuristic estimates for an occupied feature to `parts`, an array with a row for each player."""
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
    """Estimate how many points a road, city or building will give in addition to its current points. The function
    returns three values: the additional points, the member of `Part` for the current points, and the member of `Part`
    for the additional points.
    """
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
    if kind == Kind.HUT:  # the hut will almost certainly lose these points
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
    """Add the value of a field to `parts`. `completed` is the number of completed cities that the field adjoins,
    including castles. `n_castles` is the number of castles that the field adjoins. `expected` estimates how many of the
    adjoining unfinished cities will be completed.
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
    """Update the heuristic estimates in `parts` for the figures on a feature. Followers on a completed feature count as
    already returned to the supply. Followers on an unfinished feature return with probability `chance`. The function
    assumes that farmers, and followers that lie on a special monastery, stay until the end of the game.
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
    """Compute the heuristic estimates of the position before an action, and write them to `parts`. The array `parts`
    has a row for each player.
    """
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
    """Evaluate a feature on which figures stand, and store the result in `view`."""
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
    """Write a list of a field's adjoining cities to `what`. If the field adjoins more than MAX_CITIES cities, the
    function only sets `what.n_cities` to NONE.
    """
    n = list_cities(game, tiles, field, view.cities)
    what.n_cities = n if n <= MAX_CITIES else NONE
    for k in range(what.n_cities):
        what.cities[k] = view.cities[k]


@jit
def add_all(view, game, some, parts):
    """Add the heuristic estimates in `some` to those in `parts`."""
    for player in range(int64(game.n_players)):
        # This loop does not call `n_parts`: with the constant N_COMMON, `value_after` would take 25 % more time.
        for part in range(int64(view.n_parts)):
            parts[player, part] += some[player, part]


@jit
def value_after(view, game, tiles, parts):
    """Compute the heuristic estimates after an action that places a tile, or that puts an ingot near the last placed
    tile. In the list below, `the tile` is the last placed tile (GAME.placed).

    The function re-evaluates only the features that can have changed:
    - features that have a segment at most two steps (to the north, east, south or west) away from the tile;
    - buildings in the 5 x 5 squares around the tile (in a larger area in games with German castles or shrines);
    - German cathedrals with a road that may have changed;
    - fields that adjoin a city that may have changed;
    - castles, and special monasteries on which a follower lies.

    For all other features, the function uses the results that were computed before the action.
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
    """In `view.touched`, mark the features that have changed because of the last placed tile. In `view.changed`, mark
    the features that have a segment at most two steps away from this tile. A step goes to the north, east, south or
    west.
    """
    for k in range(view.n_touched, game.n_touched):
        view.touched[game.segments[game.touched[k % MAX_TOUCHED]].feature] = view.known
    mark_around(view, game, int64(game.placed))
    if other_square(game, game.placed) != NONE:
        mark_around(view, game, other_square(game, game.placed))


@jit
def mark_around(view, game, placed):
    """Mark the features that have a segment at most two steps away from a cell. A step goes to the north, east, south
    or west.
    """
    for k in range(TWO_STEPS):
        cell = two_steps(game, placed, k)
        if game.board[cell].tile != NONE:
            for node in range(int64(game.board[cell].first_segment), end_of_tile(game, cell)):
                view.changed[game.segments[node].feature] = view.known


@jit
def has_changed(view, game, feature):
    """True if the action may have changed the heuristic estimates for a feature."""
    if view.changed[feature] == view.known:
        return True
    if game.features[feature].kind == Kind.GERMAN_CATHEDRAL:
        return some_road_changed(view, game, feature)
    # even a distant tile can change the lines that a lying follower scores, or the features around a castle
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
    """True if the action may have changed a road that leads to this German cathedral."""
    for node in range(german_cathedrals.first_segment(game, cathedral), cathedral):
        if is_first_of_road(game, node) and view.changed[game.segments[node].feature] == view.known:
            view.changed[cathedral] = view.known
            return True
    return False


@jit
def some_city_changed(view, game, what):
    """True if the action may have changed a city that a field adjoins."""
    for k in range(what.n_cities):
        if view.changed[game.segments[what.cities[k]].feature] == view.known:
            return True
    return what.n_cities == NONE


@jit
def add_field_again(view, game, tiles, field, what, parts):
    """Add the value of a field that is unchanged, but adjoins cities that have changed."""
    if what.n_cities == NONE:
        completed, n_castles, expected = cities_around(view, game, tiles, field)
    else:
        completed, n_castles, expected = count_cities(view, game, tiles, what.cities, int64(what.n_cities))
    add_field(game, field, completed, n_castles, expected, parts)


@jit
def compare_owners(view, game, feature, before, is_joined):
    """Update the counts `joins`, `gains`, `losses` and `farms` in `view`, after a tile has changed a feature with
    figures. `before` is the bit set of the players who owned the feature before the action.
    """
    after, me = owners(game, feature), 1 << int64(game.player)
    view.joins += is_joined
    view.gains += before & me == 0 and after & me != 0
    view.losses += before & me != 0 and (after & me == 0 or after & ~before != 0)
    view.farms += game.features[feature].kind == Kind.FIELD and not is_joined


@jit
def value_hands(view, game, tiles, parts):
    """Set `parts` to the heuristic estimates that do not belong to a feature: those for the players'
    possessions, for the followers in supply, and for the bonuses of Darmstadt churches. All other estimates in `parts`
    become 0.
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
    """Add a player's possessions to `parts`: wines, left-over chips, goods, castle tokens, abbeys and castle tiles. If
    the player's builder has earned a double turn, the estimate `Part.EXTRA_TURN` is set to 1.
    """
    map_chips.add_hand(game, player, parts)
    traders_and_builders.add_hand(game, player, parts)
    castles.add_hand(game, player, parts)
    abbeys.add_hand(game, player, parts)
    german_castles.add_hand(game, player, parts)
