"""Features: roads, cities, fields and buildings that grow together from the segments of tiles.

The segments of a feature form a ring (`SEGMENT.next`); each knows its feature. When two features meet, the smaller is
relabelled, so looking a feature up is one read.

Features change here and nowhere else: `join`, `link`, `cut`, `close_end`, `stand`, `lie_down`, `leave`, `take_goods`,
`add_coats`, `cover`. Each change is noted by `touch`; those who keep a picture of the features (undo.py,
envs/stepping.py, observing/prospects.py) read there what they have to look at again.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.double_tiles import other_square
from carc_env.rules.geometry import is_near, neighbour
from carc_env.rules.state import (
    BUILDINGS,
    IN_SUPPLY,
    ITSELF,
    MAX_TOUCHED,
    N_GOODS,
    N_SLOTS,
    NONE,
    SLOT_FIGURE,
    STRENGTH,
    Kind,
)

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
    feature.lies = 0
    feature.bonus = int(tile.bonus) * game.boxes.darmstadt if tile.kind[number] == Kind.CITY else 0
    feature.cathedral_ends = tile.german_cathedral * game.boxes.german_cathedrals * (tile.kind[number] == Kind.ROAD)
    feature.goods[:] = 0
    if tile.good[number] != NONE and game.boxes.traders_and_builders:
        feature.goods[tile.good[number]] = 1
    feature.mark = 0
    feature.strength[:] = 0


# --- what changes a feature -------------------------------------------------------------------------------------------
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
    meet(game, a, b)


@jit
def link(game, a, b):
    """A ferry joins two segments of its lake. What is open stays so."""
    touch(game, a)
    touch(game, b)
    unite(game, a, b)


@jit
def cut(game, tiles, a, b, room):
    """The ferry that joined two segments of its lake has left them: their road falls apart, if nothing else holds it
    together.

    Only these two are noted: a picture of the road was right on either side of them, and whatever joined or cut it
    since was noted too.
    """
    touch(game, a)
    touch(game, b)
    split(game, tiles, a, room)


@jit
def split(game, tiles, road, room):
    """Put the segments of a road together anew, from what meets at an edge and the ferries that lie. They are listed in
    `room.answers`.
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
        stand_alone(game, tiles.kinds[square.tile], node - int64(square.first_segment), node)
        count_standing(game, node)
    for k in range(n):
        join_ends(game, tiles, int64(room.answers[k]))
    for k in range(game.systems.ferries.n_lying):
        ferry = game.systems.ferries.lying[k]
        if ferry.ends[0] != NONE:
            unite(game, int64(ferry.ends[0]), int64(ferry.ends[1]))


@jit
def join_ends(game, tiles, node):
    """A road's segment, alone so far, joins those behind its edges that have a higher number, and ends at the border
    and at an abbey.
    """
    cell = int64(game.segments[node].cell)
    join_ends_on(game, tiles, node, cell)
    if other_square(game, cell) != NONE:
        join_ends_on(game, tiles, node, other_square(game, cell))


@jit
def join_ends_on(game, tiles, node, cell):
    """Like `join_ends`, at the edges of one square of the tile."""
    square = game.board[cell]
    for side in range(4):
        if tiles.kinds[square.tile].side_segment[square.rotation, side] != node - square.first_segment:
            continue
        beside = game.board[neighbour(game, cell, side)]
        if not beside.is_square:
            close_end(game, node)
            add_coats(game, node, square.coats[side])
        elif beside.tile != NONE:
            other = segment_behind(game, tiles, cell, side)
            if other == NONE:
                close_end(game, node)
            elif other > node:
                meet(game, node, other)


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
    close_ends(game, node, 1)


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
def lie_down(game, building):
    """The follower that has come to a special monastery lies there, and does not stand."""
    touch(game, building)
    game.features[building].lies = 1


@jit
def leave(game, player, slot):
    """A figure goes back to the supply. Returns the segment where it stood, or lay."""
    node = int64(game.players[player].figures[slot])
    touch(game, node)
    game.players[player].figures[slot] = IN_SUPPLY
    feature = game.features[game.segments[node].feature]
    feature.strength[player] -= STRENGTH[SLOT_FIGURE[slot]]
    feature.lies = 0
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
def cover(game, city):
    """A castle covers a small city, which is no city any more."""
    touch(game, city)
    game.features[city].kind = Kind.CASTLE


@jit
def meet(game, a, b):
    """Two segments with a common edge or half-edge become one feature, and neither is open there any more."""
    unite(game, a, b)
    close_ends(game, a, 2)


@jit
def close_ends(game, node, ends):
    """So many ends of the feature of a segment are open no more."""
    feature = game.features[game.segments[node].feature]
    feature.open -= ends
    if feature.open == 0 and feature.kind != Kind.FIELD:
        game.ends_closed = 1


@jit
def unite(game, a, b):
    """The features of two segments become one, if they are two."""
    keep, gone = int(game.segments[a].feature), int(game.segments[b].feature)
    if keep != gone:
        if game.features[keep].n_segments < game.features[gone].n_segments:
            keep, gone = gone, keep
        merge(game, keep, gone)


@jit
def merge(game, keep, gone):
    """Feature `gone` becomes part of feature `keep`."""
    kept, merged = game.features[keep], game.features[gone]
    if kept.kind != Kind.FIELD:
        kept.tiles += merged.tiles - count_shared_tiles(game, keep, gone)
        kept.pennants += merged.pennants
        kept.extras += merged.extras
        kept.coats += merged.coats
        kept.bonus += merged.bonus
        kept.cathedral_ends += merged.cathedral_ends
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


# --- what is asked of them --------------------------------------------------------------------------------------------
@jit
def count_shared_tiles(game, keep, gone):
    """How many tiles carry segments of both features; a tile counts once in a road or city, but for that of a German
    cathedral.
    """
    shared = 0
    node = gone
    while True:
        cell = int(game.segments[node].cell)
        if (
            is_first_of_feature_on_tile(game, node)
            and is_on_tile(game, keep, cell)
            and cathedral_on(game, cell) == NONE
        ):
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


@jit(absent=NONE)
def cathedral_on(game, cell):
    """The German cathedral of a tile, NONE without one, or if they mean nothing in this game."""
    if game.boxes.german_cathedrals:
        for node in range(int64(game.board[cell].first_segment), end_of_tile(game, cell)):
            if game.features[node].kind == Kind.GERMAN_CATHEDRAL:
                return node
    return NONE


@jit
def segment_behind(game, tiles, cell, side):
    """The segment that meets a tile's road or city on this side; NONE: there is no tile, or nothing to meet."""
    beside = game.board[neighbour(game, cell, side)]
    if beside.tile == NONE:
        return NONE
    number = int64(tiles.kinds[beside.tile].side_segment[beside.rotation, (side + 2) % 4])
    return NONE if number == NONE else int64(beside.first_segment) + number


@jit
def end_of_tile(game, cell):
    """One past the last segment of the tile on `cell`; segments are numbered tile by tile."""
    node = int(game.board[cell].first_segment)
    first_square = game.segments[node].cell
    node += 1
    while node < game.n_segments and game.segments[node].cell == first_square:
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
    """Buildings are completed by the squares around them: eight, ten around a German castle, fewer at the border of a
    sheet.
    """
    return BUILDINGS[kind, ITSELF] > 0


@jit(absent=False)
def lies(game, feature):
    """Whether a follower lies in a feature, which only special monasteries know: then it is never completed."""
    return game.features[feature].lies == 1


@jit
def is_built(kind):
    """Buildings and German cathedrals: what stands on a tile and grows together with nothing."""
    return is_building(kind) or kind == Kind.GERMAN_CATHEDRAL


@jit
def is_first_of_road(game, node):
    """Whether a segment is part of a road that has no earlier segment on the same tile. What is built there comes after
    all roads.
    """
    return game.features[game.segments[node].feature].kind == Kind.ROAD and is_first_of_feature_on_tile(game, node)


@jit(absent=0)
def count_open_roads(game, cathedral):
    """How many of the different roads that lead to a German cathedral are not completed."""
    roads = 0
    for node in range(int64(game.board[game.segments[cathedral].cell].first_segment), cathedral):
        roads += is_first_of_road(game, node) and game.features[game.segments[node].feature].open > 0
    return roads


@jit
def is_complete(game, feature):
    """Base game, completed features: a road or city without open ends, a building with neighbours on all squares around
    it.

    A German cathedral is completed when all its roads are.
    """
    kind = game.features[feature].kind
    if is_building(kind):
        square = game.board[game.segments[feature].cell]
        return square.neighbours == square.around and not lies(game, feature)
    if kind == Kind.GERMAN_CATHEDRAL:
        return count_open_roads(game, feature) == 0
    return kind != Kind.FIELD and game.features[feature].open == 0


@jit
def begin_count(game):
    """Begin a count in which no feature counts twice: those met are marked with the number of the count,
    GAME.counts.
    """
    if game.counts == MOST_COUNTS:  # before the number would wrap, all begins anew
        for node in range(game.n_segments):
            game.features[node].mark = 0
        game.counts = 0
    game.counts += 1


@jit(absent=False)
def is_in_vicinity(game, castle, cell):
    """The vicinity of a castle: its two tiles, and those on either side of both (Bridges, Castles & Bazaars,
    castles).
    """
    half, other = game.segments[castle], game.segments[game.segments[castle].next]
    return is_near(game, half.cell, cell) and is_near(game, other.cell, cell)


@jit
def next_adjoining(game, tiles, field, node, number):
    """The walk over a field: the next city beside it, after number `number` beside its segment `node`. A city may come
    up several times.

    It begins with (field, -1). Returns where it is, as node and number, and the city, NONE at its end.
    """
    while True:
        cell = int64(game.segments[node].cell)
        first = int64(game.board[cell].first_segment)
        adjoins = int64(tiles.kinds[game.board[cell].tile].adjoins[node - first]) >> number + 1
        while adjoins:
            number += 1
            if adjoins & 1:
                return node, number, int64(game.segments[first + number].feature)
            adjoins >>= 1
        node, number = int64(game.segments[node].next), int64(-1)
        if node == field:
            return node, number, int64(NONE)


@jit
def next_city(game, tiles, field, node, number):
    """The next city that a field adjoins, each of the different cities once. It begins with `begin_count`."""
    while True:
        node, number, city = next_adjoining(game, tiles, field, node, number)
        if city == NONE:
            return node, number, city
        if game.features[city].mark != game.counts:
            game.features[city].mark = game.counts
            return node, number, city


@jit
def count_adjoining_completed_cities(game, tiles, field):
    """How many different completed cities, and how many castles, the field adjoins (base game, scoring fields)."""
    begin_count(game)
    cities, castles = 0, 0
    node, number = int64(field), int64(-1)
    while True:
        node, number, city = next_city(game, tiles, int64(field), node, number)
        if city == NONE:
            return cities, castles
        if game.features[city].kind == Kind.CASTLE:
            castles += 1
        else:
            cities += is_complete(game, city)
