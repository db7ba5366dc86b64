"""Implements features: roads, cities, fields and buildings. A feature consists of segments of tiles.

The segments of a feature form a ring (`SEGMENT.next`), and each segment stores the index of its feature. When two
features are joined, the segments of the smaller feature get the index of the larger feature. The feature of a segment
can therefore be found with a single read.

After the setup, only the following functions of this module change features: `join`, `link`, `cut`, `close_end`,
`stand`, `lie_down`, `leave`, `take_goods`, `add_coats` and `cover`. The one exception is `FEATURE.mark`. `touch`
records each change. Three modules use the recorded changes: undo.py restores the changed features, envs/stepping.py
updates their entries in the observations, and observing/prospects.py updates their heuristic estimates.
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

MOST_COUNTS = 32767  # the largest number that GAME.counts and FEATURE.mark can hold


@jit
def add_segments(game, tile, cell):
    """Add the segments of a tile just placed on `cell`. Each segment begins as a feature of its own."""
    first = int64(game.n_segments)
    game.board[cell].first_segment = first
    for number in range(tile.n_segments):
        game.segments[first + number].cell = cell
        stand_alone(game, tile, number, first + number)
    game.n_segments = first + tile.n_segments


@jit
def stand_alone(game, tile, number, node):
    """Create a feature that consists only of the segment `node`. The feature is unoccupied, and has the properties that
    are printed on the tile.
    """
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
    """Record that the feature of a segment has changed."""
    game.touched[game.n_touched % MAX_TOUCHED] = node
    game.n_touched += 1


@jit
def join(game, a, b):
    """Join segments `a` and `b` at a common edge or half-edge. The two segments then belong to the same feature, and
    each of them loses an open end.
    """
    touch(game, a)
    touch(game, b)
    meet(game, a, b)


@jit
def link(game, a, b):
    """Join two segments of a lake by a ferry. The open ends of the joined segments stay open."""
    touch(game, a)
    touch(game, b)
    unite(game, a, b)


@jit
def cut(game, tiles, a, b, room):
    """Remove the ferry between two segments of its lake. The road splits in two, unless its two parts are also
    connected elsewhere.

    After a split, one part contains the segment `a`, and the other part contains the segment `b`. The function
    therefore records only that the segments `a` and `b` have changed (see `touch`).
    """
    touch(game, a)
    touch(game, b)
    split(game, tiles, a, room)


@jit
def split(game, tiles, road, room):
    """Split a road into its segments. Then rejoin segments that meet at a common edge, and segments that a ferry
    connects. `room.answers` is working space for the list of the road's segments.
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
    """Join a road segment to the neighbouring road segments that have higher indices. Close the segment's ends at the
    border of the map sheet and at abbeys.
    """
    cell = int64(game.segments[node].cell)
    join_ends_on(game, tiles, node, cell)
    if other_square(game, cell) != NONE:
        join_ends_on(game, tiles, node, other_square(game, cell))


@jit
def join_ends_on(game, tiles, node, cell):
    """Do what `join_ends` does, but only for the edges of the square `cell`."""
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
    """Add the strength of the followers on a segment to the segment's feature. The feature must consist of this segment
    only.
    """
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            if game.players[player].figures[slot] == node:
                game.features[node].strength[player] += STRENGTH[SLOT_FIGURE[slot]]


@jit
def close_end(game, node):
    """Close an open end of a segment, because no other segment can be joined to this end. The end lies at the border of
    a map sheet, at a large city, or at an abbey.
    """
    touch(game, node)
    close_ends(game, node, 1)


@jit
def add_coats(game, node, coats):
    """Add the coats of arms at a border connection to the road or city that ends there."""
    touch(game, node)
    feature = game.features[game.segments[node].feature]
    if feature.kind == Kind.ROAD:
        feature.coats += coats
    elif game.variants.border_city_coat_points:
        feature.pennants += coats


@jit
def stand(game, player, slot, node):
    """Put a figure from the supply on a segment."""
    touch(game, node)
    game.players[player].figures[slot] = node
    game.features[game.segments[node].feature].strength[player] += STRENGTH[SLOT_FIGURE[slot]]


@jit
def lie_down(game, building):
    """Record that the follower just placed on a special monastery lies on its side."""
    touch(game, building)
    game.features[building].lies = 1


@jit
def leave(game, player, slot):
    """Remove a figure from the table and put it into the supply. Returns the segment where the figure stood or lay."""
    node = int64(game.players[player].figures[slot])
    touch(game, node)
    game.players[player].figures[slot] = IN_SUPPLY
    feature = game.features[game.segments[node].feature]
    feature.strength[player] -= STRENGTH[SLOT_FIGURE[slot]]
    feature.lies = 0
    return node


@jit
def take_goods(game, city, good):
    """Remove all symbols of one kind of goods from a city. Returns their number."""
    tokens = int64(game.features[city].goods[good])
    if tokens > 0:
        touch(game, city)
        game.features[city].goods[good] = 0
    return tokens


@jit
def cover(game, city):
    """Cover a small city with a castle token. The feature becomes a castle and no longer counts as a city."""
    touch(game, city)
    game.features[city].kind = Kind.CASTLE


@jit
def meet(game, a, b):
    """Merge the features of two segments that meet at a common edge or half-edge. Each of the two segments loses an
    open end.
    """
    unite(game, a, b)
    close_ends(game, a, 2)


@jit
def close_ends(game, node, ends):
    """Record that the feature of a segment has lost open ends. `ends` is the number of lost ends."""
    feature = game.features[game.segments[node].feature]
    feature.open -= ends
    if feature.open == 0 and feature.kind != Kind.FIELD:
        game.ends_closed = 1


@jit
def unite(game, a, b):
    """Merge the features of two segments, unless both segments already belong to the same feature."""
    keep, gone = int(game.segments[a].feature), int(game.segments[b].feature)
    if keep != gone:
        if game.features[keep].n_segments < game.features[gone].n_segments:
            keep, gone = gone, keep
        merge(game, keep, gone)


@jit
def merge(game, keep, gone):
    """Merge the feature `gone` into the feature `keep`."""
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


# --- questions about features -----------------------------------------------------------------------------------------
@jit
def count_shared_tiles(game, keep, gone):
    """Count the tiles that have segments of both features: after a merge, each of these tiles would count twice. Tiles
    with a German cathedral are left out, because FEATURE.tiles counts such a tile once for each road segment.
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
    """True if the tile on `cell` has a segment of the feature."""
    for node in range(game.board[cell].first_segment, end_of_tile(game, cell)):
        if game.segments[node].feature == feature:
            return True
    return False


@jit
def is_first_of_feature_on_tile(game, node):
    """True if a segment is the first segment of its feature on its tile."""
    cell = game.segments[node].cell
    for other in range(game.board[cell].first_segment, node):
        if game.segments[other].feature == game.segments[node].feature:
            return False
    return True


@jit(absent=NONE)
def cathedral_on(game, cell):
    """The German cathedral of the tile on `cell`, or NONE if there is none. Without the box `german_cathedrals`, the
    result is always NONE.
    """
    if game.boxes.german_cathedrals:
        for node in range(int64(game.board[cell].first_segment), end_of_tile(game, cell)):
            if game.features[node].kind == Kind.GERMAN_CATHEDRAL:
                return node
    return NONE


@jit
def segment_behind(game, tiles, cell, side):
    """Find the tile that adjoins the given side of a cell, and return its road or city segment at the common edge.
    Returns NONE if there is no tile or no such segment.
    """
    beside = game.board[neighbour(game, cell, side)]
    if beside.tile == NONE:
        return NONE
    number = int64(tiles.kinds[beside.tile].side_segment[beside.rotation, (side + 2) % 4])
    return NONE if number == NONE else int64(beside.first_segment) + number


@jit
def end_of_tile(game, cell):
    """Return 1 plus the index of the last segment of the tile on `cell`. The segments of a tile have consecutive
    indices.
    """
    node = int(game.board[cell].first_segment)
    first_square = game.segments[node].cell
    node += 1
    while node < game.n_segments and game.segments[node].cell == first_square:
        node += 1
    return node


@jit
def feature_at(game, cell, segment_number):
    """Return the feature to which a segment of the tile on `cell` belongs. `segment_number` is the segment's index on
    this tile.
    """
    return int64(game.segments[game.board[cell].first_segment + segment_number].feature)


@jit
def is_occupied(game, feature):
    """True if any player has a follower in the feature."""
    for player in range(int(game.n_players)):
        if game.features[feature].strength[player] > 0:
            return True
    return False


@jit
def is_building(kind):
    """True if features of this kind are completed when all squares around them are occupied. A German castle has ten
    squares around it, and any other building has eight. A building at the border of a map sheet has fewer squares
    around it.
    """
    return BUILDINGS[kind, ITSELF] > 0


@jit(absent=False)
def lies(game, feature):
    """True if the follower on a special monastery lies on its side. A special monastery with a lying follower is never
    completed.
    """
    return game.features[feature].lies == 1


@jit
def is_built(kind):
    """True for buildings and German cathedrals. Their segments never join other segments."""
    return is_building(kind) or kind == Kind.GERMAN_CATHEDRAL


@jit
def is_first_of_road(game, node):
    """True if a segment belongs to a road and no earlier segment of the same tile belongs to this road. The segment of
    a German cathedral comes after all road segments of its tile.
    """
    return game.features[game.segments[node].feature].kind == Kind.ROAD and is_first_of_feature_on_tile(game, node)


@jit(absent=0)
def count_open_roads(game, cathedral):
    """Count the unfinished roads that lead to a German cathedral. A road that leads there twice counts once."""
    roads = 0
    for node in range(int64(game.board[game.segments[cathedral].cell].first_segment), cathedral):
        roads += is_first_of_road(game, node) and game.features[game.segments[node].feature].open > 0
    return roads


@jit
def is_complete(game, feature):
    """True if a feature is completed. A road or city is completed if it has no open ends. A building is completed if
    all squares around it are occupied.

    A German cathedral is completed when all its roads are completed. A special monastery with a lying follower is never
    completed. A castle counts as completed, even while its lord waits for a feature to score.
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
    """Begin a new pass over features, in which each feature is counted only once. Each pass has an index. GAME.counts
    is the index of the current pass. FEATURE.mark is the index of the most recent pass in which the feature was
    counted.
    """
    if game.counts == MOST_COUNTS:  # the index of the next pass would overflow, so the indices begin again with 1
        for node in range(game.n_segments):
            game.features[node].mark = 0
        game.counts = 0
    game.counts += 1


@jit(absent=False)
def is_in_vicinity(game, castle, cell):
    """True if a cell is in the vicinity of a castle. The vicinity consists of the castle's own two tiles, and of two
    more tiles along each of its two long sides.
    """
    half, other = game.segments[castle], game.segments[game.segments[castle].next]
    return is_near(game, half.cell, cell) and is_near(game, other.cell, cell)


@jit
def next_adjoining(game, tiles, field, node, number):
    """Find the next city that a field adjoins. Repeated calls find all cities that the field adjoins, but can return
    the same city several times.

    `node` is a segment of the field. `number` is the index of a segment of the same tile, and the search continues
    after this segment. In the first call, pass the index of the field as `node`, and -1 as `number`. The index of a
    field is also the index of one of its segments. Returns the values of `node` and `number` for the next call, and the
    city. If there is no further city, the returned city is NONE.
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
    """Do what `next_adjoining` does, but find each city only once. Call `begin_count` first."""
    while True:
        node, number, city = next_adjoining(game, tiles, field, node, number)
        if city == NONE:
            return node, number, city
        if game.features[city].mark != game.counts:
            game.features[city].mark = game.counts
            return node, number, city


@jit
def count_adjoining_completed_cities(game, tiles, field):
    """Count the completed cities and the castles that a field adjoins. Each city and each castle counts only once.
    Returns the number of cities and the number of castles.
    """
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
