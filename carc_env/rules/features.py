"""Features: roads, cities, fields and buildings that grow together from the segments of tiles.

The segments of a feature form a ring (`SEGMENT.next`); each knows its feature. When two features meet, the smaller is
relabelled, so looking a feature up is one read.

Features change here and nowhere else: `join`, `split`, `close_end`, `stand`, `leave`, `take_goods`, `add_coats`. Each change is noted by `touch`;
those who keep a picture of the features (undo.py, envs/stepping.py, prospects.py) read there what they have to look at again.
"""

from numpy import int64

from carc_env.jit import jit
from carc_env.rules.double_tiles import other_square
from carc_env.rules.geometry import neighbour
from carc_env.rules.state import BUILDINGS, IN_SUPPLY, ITSELF, MAX_TOUCHED, N_GOODS, N_SLOTS, NONE, SLOT_FIGURE, STRENGTH, Kind

MOST_COUNTS = 32767  # what GAME.counts and FEATURE.mark can hold


@jit
def add_segments(game, tile, cell):
    """Enter the segments of a tile just laid on `cell`, each a feature of its own."""
    first = int64(game.n_segments)
    game.board[cell].first_segment = first
    for number in range(tile.n_segments):
        game.segments[first + number].cell = cell
        stand_alone(game, tile, number, first + number)
    game.n_segments = first + tile.n_segments


@jit
def stand_alone(game, tile, number, node):
    """A segment is a feature of its own, as it is printed on its tile, and nobody stands there."""
    segment = game.segments[node]
    segment.feature = node
    segment.next = node
    feature = game.features[node]
    feature.n_segments = 1
    feature.tiles = 1
    feature.open = tile.open[number]
    feature.kind = tile.kind[number]
    feature.pennants = tile.pennants[number]
    feature.extras = (tile.inns[number] + tile.cathedrals[number]) * game.boxes.inns_and_cathedrals
    feature.coats = 0
    feature.goods[:] = 0
    if tile.good[number] != NONE and game.boxes.traders_and_builders:
        feature.goods[tile.good[number]] = 1
    feature.mark = 0
    feature.strength[:] = 0


# --- what changes a feature ---------------------------------------------------------------------------------------------
@jit
def touch(game, node):
    """Note that the feature of a segment changes."""
    game.touched[game.n_touched % MAX_TOUCHED] = node
    game.n_touched += 1


@jit
def join(game, a, b):
    """Segments a and b meet at an edge or half-edge: they become one feature, and neither is open there any more."""
    touch(game, a)
    touch(game, b)
    keep, gone = int(game.segments[a].feature), int(game.segments[b].feature)
    if keep != gone:
        if game.features[keep].n_segments < game.features[gone].n_segments:
            keep, gone = gone, keep
        merge(game, keep, gone)
    game.features[keep].open -= 2


@jit
def split(game, tiles, road, room):
    """Something has cut a road: its segments are put together anew from what still meets at an edge.

    No box does so yet; ferries will. The nodes are listed in `room.answers`.
    """
    n, node = 0, int64(road)
    while True:
        room.answers[n] = node
        n += 1
        node = int64(game.segments[node].next)
        if node == road:
            break
    for k in range(n):
        node = int64(room.answers[k])
        square = game.board[game.segments[node].cell]
        touch(game, node)
        stand_alone(game, tiles.kinds[square.tile], node - int64(square.first_segment), node)
        count_standing(game, node)
    for k in range(n):
        join_ends(game, tiles, int64(room.answers[k]))


@jit
def join_ends(game, tiles, node):
    """A road's segment, alone so far, joins those behind its edges that have a higher number, and ends at the border and at an abbey."""
    cell = int64(game.segments[node].cell)
    join_ends_on(game, tiles, node, cell)
    if other_square(game, cell) != NONE:
        join_ends_on(game, tiles, node, other_square(game, cell))


@jit
def join_ends_on(game, tiles, node, cell):
    """The same on one square of its tile."""
    square = game.board[cell]
    for side in range(4):
        if tiles.kinds[square.tile].side_segment[square.rotation, side] != node - square.first_segment:
            continue
        beside = game.board[neighbour(cell, side)]
        if not beside.is_square:
            close_end(game, node)
            add_coats(game, node, square.coats[side])
        elif beside.tile != NONE:
            number = int64(tiles.kinds[beside.tile].side_segment[beside.rotation, (side + 2) % 4])
            if number == NONE:
                close_end(game, node)
            elif beside.first_segment + number > node:
                join(game, node, int64(beside.first_segment) + number)


@jit
def count_standing(game, node):
    """A segment that is a feature of its own has the strength of those who stand on it."""
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            if game.players[player].figures[slot] == node:
                game.features[node].strength[player] += STRENGTH[SLOT_FIGURE[slot]]


@jit
def close_end(game, node):
    """A segment's end is closed without a neighbour: at the border of a sheet, before a large city, or by an abbey."""
    touch(game, node)
    game.features[game.segments[node].feature].open -= 1


@jit
def add_coats(game, node, coats):
    """Coats of arms at the border count with the road or city of a segment that ends there."""
    touch(game, node)
    feature = game.features[game.segments[node].feature]
    if feature.kind == Kind.ROAD:
        feature.coats += coats
    elif game.variants.border_city_coat_points:
        feature.pennants += coats


@jit
def stand(game, player, slot, node):
    """A figure from the supply comes to stand on a segment."""
    touch(game, node)
    game.players[player].figures[slot] = node
    game.features[game.segments[node].feature].strength[player] += STRENGTH[SLOT_FIGURE[slot]]


@jit
def leave(game, player, slot):
    """A figure goes back to the supply. Returns the segment where it stood."""
    node = int64(game.players[player].figures[slot])
    touch(game, node)
    game.players[player].figures[slot] = IN_SUPPLY
    game.features[game.segments[node].feature].strength[player] -= STRENGTH[SLOT_FIGURE[slot]]
    return node


@jit
def take_goods(game, city, good):
    """All symbols of a good leave a city. Returns how many there were."""
    tokens = int64(game.features[city].goods[good])
    if tokens > 0:
        touch(game, city)
        game.features[city].goods[good] = 0
    return tokens


@jit
def merge(game, keep, gone):
    """Feature `gone` becomes part of feature `keep`."""
    kept, merged = game.features[keep], game.features[gone]
    if kept.kind != Kind.FIELD:
        kept.tiles += merged.tiles - count_shared_tiles(game, keep, gone)
        kept.pennants += merged.pennants
        kept.extras += merged.extras
        kept.coats += merged.coats
        for good in range(N_GOODS):
            kept.goods[good] += merged.goods[good]
    kept.n_segments += merged.n_segments
    kept.open += merged.open
    for player in range(int(game.n_players)):
        kept.strength[player] += merged.strength[player]
    node = gone
    while True:
        game.segments[node].feature = keep
        last, node = node, int(game.segments[node].next)
        if node == gone:
            break
    game.segments[last].next = game.segments[keep].next
    game.segments[keep].next = gone


# --- what is asked of them ------------------------------------------------------------------------------------------------
@jit
def count_shared_tiles(game, keep, gone):
    """How many tiles carry segments of both features; a tile counts once in a road or city."""
    shared = 0
    node = gone
    while True:
        if is_first_of_feature_on_tile(game, node) and is_on_tile(game, keep, int(game.segments[node].cell)):
            shared += 1
        node = int(game.segments[node].next)
        if node == gone:
            return shared


@jit
def is_on_tile(game, feature, cell):
    """Whether the tile on `cell` carries a segment of the feature."""
    for node in range(game.board[cell].first_segment, end_of_tile(game, cell)):
        if game.segments[node].feature == feature:
            return True
    return False


@jit
def is_first_of_feature_on_tile(game, node):
    """Whether no earlier segment of the same tile is part of the same feature."""
    cell = game.segments[node].cell
    for other in range(game.board[cell].first_segment, node):
        if game.segments[other].feature == game.segments[node].feature:
            return False
    return True


@jit
def end_of_tile(game, cell):
    """One past the last segment of the tile on `cell`; segments are numbered tile by tile."""
    first = int(game.board[cell].first_segment)
    node = first + 1
    while node < game.n_segments and game.segments[node].cell == game.segments[first].cell:
        node += 1
    return node


@jit
def feature_at(game, cell, segment_number):
    """The feature of a tile's segment."""
    return int64(game.segments[game.board[cell].first_segment + segment_number].feature)


@jit
def is_occupied(game, feature):
    """Whether a follower of anyone stands in the feature (base game, placing a meeple)."""
    for player in range(int(game.n_players)):
        if game.features[feature].strength[player] > 0:
            return True
    return False


@jit
def is_building(kind):
    """Buildings are completed by the squares around them: eight, ten around a German castle, fewer at the border of a sheet."""
    return BUILDINGS[kind, ITSELF] > 0


@jit
def is_complete(game, feature):
    """Base game, completed features: a road or city without open ends, a building with neighbours on all squares around it."""
    kind = game.features[feature].kind
    if is_building(kind):
        square = game.board[game.segments[feature].cell]
        return square.neighbours == square.around
    return kind != Kind.FIELD and game.features[feature].open == 0


@jit
def begin_count(game):
    """Begin a count in which no feature counts twice: those met are marked with the number of the count, GAME.counts."""
    if game.counts == MOST_COUNTS:  # before the number would wrap, all begins anew
        for node in range(game.n_segments):
            game.features[node].mark = 0
        game.counts = 0
    game.counts += 1


@jit
def count_adjoining_completed_cities(game, tiles, field):
    """How many different completed cities the field adjoins (base game, scoring fields)."""
    begin_count(game)
    cities = 0
    node = field
    while True:
        cell = int(game.segments[node].cell)
        first = int(game.board[cell].first_segment)
        adjoins = int(tiles.kinds[game.board[cell].tile].adjoins[node - first])
        number = 0
        while adjoins >> number:
            if adjoins >> number & 1:
                city = int64(game.segments[first + number].feature)
                if game.features[city].mark != game.counts:
                    game.features[city].mark = game.counts
                    cities += is_complete(game, city)
            number += 1
        node = int(game.segments[node].next)
        if node == field:
            return cities
