"""Scores completed features during the game, and scores all features with followers at the end of the game."""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.double_tiles import area_size, area_square, other_square, own_spot, own_square
from carc_env.rules.expansions import (
    baba_yaga,
    german_castles,
    german_cathedrals,
    goldmines,
    inns_and_cathedrals,
    maps,
    special_monasteries,
    traders_and_builders,
)
from carc_env.rules.features import (
    begin_count,
    cathedral_on,
    count_adjoining_completed_cities,
    feature_at,
    is_building,
    is_complete,
    is_occupied,
    is_on_tile,
    lies,
)
from carc_env.rules.figures import return_all
from carc_env.rules.geometry import neighbour, size_of, x_of, y_of
from carc_env.rules.history import note
from carc_env.rules.state import (
    BUILDINGS,
    COMPLETE,
    EMPTY,
    ITSELF,
    N_SPOTS,
    NONE,
    OCCUPIED,
    SOURCE_OF_KIND,
    EventKind,
    Kind,
    Phase,
    Source,
)

ALL_AROUND, ALL_AROUND_TWO = 8, 10  # the numbers of squares around a building, and around a German castle


@jit
def owners(game, feature):
    """Return the owners of a feature as a bit set: the players whose followers have the greatest strength in the
    feature. Returns 0 if there are no followers.
    """
    best, players = 0, 0
    for player in range(int64(game.n_players)):
        strength = int(game.features[feature].strength[player])
        if strength > best:
            best, players = strength, 1 << player
        elif strength == best and strength > 0:
            players |= 1 << player
    return players


@jit
def add_points(game, player, source, points, cell):
    """Give points to a player and record the event. `cell` is where the points were scored, or NONE for ingots and
    goods at the end of the game.
    """
    game.players[player].score += points
    game.players[player].points[int64(source)] += points
    note(game, EventKind.POINTS, player, source, points, cell)


@jit
def is_small_city(game, feature):
    """True if the small-city rule of old printings applies to a city. By this rule (`small_city_points = 2`), a
    completed city of two tiles is worth only 1 point per tile and pennant.

    For a city with a cathedral, the function returns False.
    """
    what = game.features[feature]
    return game.variants.small_city_points == 2 and what.tiles == 2 and what.extras == 0


@jit
def points(game, tiles, feature, completed):
    """Return the points for a feature. If `completed` is True, the feature is scored as a completed feature. Otherwise,
    it is scored as an unfinished feature at the end of the game.
    """
    what = game.features[feature]
    if what.kind == Kind.ROAD:
        each = inns_and_cathedrals.points_per_road_tile(game, feature, completed) + german_cathedrals.more_for_roads(
            game, feature, completed
        )
        return int(what.tiles) * each + (maps.coat_points(game, feature) + bonus(game, feature) if completed else 0)
    if what.kind == Kind.CITY:
        each = inns_and_cathedrals.points_per_city_tile(game, feature, completed)
        if completed and is_small_city(game, feature):
            each = 1
        return each * (int(what.tiles) + int(what.pennants)) + (bonus(game, feature) if completed else 0)
    if is_building(what.kind):
        return building_points(game, feature, completed)
    if what.kind == Kind.GERMAN_CATHEDRAL:
        return german_cathedrals.points(game, feature)
    if what.kind == Kind.FIELD:
        cities, castles = count_adjoining_completed_cities(game, tiles, feature)
        return field_points(cities, castles)
    return 0  # a castle: its lord scores the points of another feature


@jit
def field_points(cities, castles):
    """Return the points of a field, given the numbers of completed cities and of castles that adjoin it."""
    return 3 * cities + 4 * castles


@jit
def bonus(game, feature):
    """The bonus points of a completed road or city. Inns and cathedrals do not multiply the bonus points."""
    return int64(game.features[feature].bonus) + german_castles.bonus(game, feature)


@jit
def building_points(game, building, completed):
    """Return the points for a completed or an unfinished building (see state.BUILDINGS).

    At the border of a map sheet there are fewer squares around a building, so most buildings are worth fewer points
    there. With the variant `border_monastery_nine`, a completed building is worth as many points at the border as
    elsewhere.
    """
    kind, square = int64(game.features[building].kind), game.board[game.segments[building].cell]
    if lies(game, building):
        return special_monasteries.points_lying(game, building)
    if completed and BUILDINGS[kind, COMPLETE] != NONE:
        return BUILDINGS[kind, COMPLETE]
    occupied = int64(square.neighbours)
    if completed and game.variants.border_monastery_nine:
        occupied = ALL_AROUND_TWO if kind == Kind.GERMAN_CASTLE else ALL_AROUND
    empty = baba_yaga.count_empty(game, building)
    return BUILDINGS[kind, ITSELF] + BUILDINGS[kind, OCCUPIED] * occupied + BUILDINGS[kind, EMPTY] * empty


@jit
def points_for_square(kind):
    """The points that one more occupied square adds to a building of this kind. For a hut, the result is negative."""
    return BUILDINGS[kind, OCCUPIED] - BUILDINGS[kind, EMPTY]


@jit
def pay_owners(game, tiles, feature, completed, cell):
    """Give every owner the full points of a feature. Returns the owners as a bit set."""
    paid = owners(game, feature)
    if paid:
        worth = points(game, tiles, feature, completed)
        for player in range(int64(game.n_players)):
            if paid >> player & 1:
                extra = 0
                if game.features[feature].kind == Kind.FIELD and traders_and_builders.has_pig(game, player, feature):
                    extra = traders_and_builders.pig_points(game, tiles, feature)
                add_points(game, player, SOURCE_OF_KIND[game.features[feature].kind], worth + extra, cell)
    return paid


@jit
def score_turn(game, tiles):
    """Score every feature completed in this part of the turn. The figures stay on the scored features until `clear_up`
    returns them to the supplies.
    """
    list_completed(game, tiles)
    for i in range(game.n_completed):
        feature = int64(game.completed[i].feature)
        if game.boxes.castles:
            game.completed[i].worth = points(game, tiles, feature, True)
        cell = int64(game.placed)
        if is_building(game.features[feature].kind) or not is_on_tile(game, feature, cell):
            cell = int64(game.segments[first_of(game, tiles, feature)].cell)
        game.completed[i].owners = pay_owners(game, tiles, feature, True, cell)


@jit
def list_completed(game, tiles):
    """Fill GAME.completed with the features completed in this part of the turn: roads, then cities, then buildings.

    The first roads in the list are those with a spot on the tile that was just placed, in the order of their spots. All
    other roads are ordered row by row. Cities are ordered by the same rule as roads. Buildings are ordered row by row.
    """
    game.n_completed = 0
    begin_count(game)
    if game.ends_closed:
        add_on_tile(game, tiles, Kind.ROAD)
    if game.boxes.ferries:
        add_moved_roads(game, tiles)
    if game.ends_closed:
        add_on_tile(game, tiles, Kind.CITY)
    first = int64(game.n_completed)
    if game.surrounded:
        add_surrounded(game, tiles, first)
    if game.boxes.german_cathedrals:
        add_cathedrals(game, tiles, first)


@jit
def add_on_tile(game, tiles, kind):
    """Append to GAME.completed the completed roads or cities that have a segment on the tile that was just placed."""
    cell = int64(game.placed)
    square = game.board[cell]
    tile = tiles.kinds[square.tile]
    for i in range(tile.n_segments):
        number = int(tile.by_spot[square.rotation, i])
        if tile.kind[number] == kind:
            feature = feature_at(game, cell, number)
            if game.features[feature].open == 0 and game.features[feature].kind == kind:
                add_completed(game, feature)
    if square.tile == tiles.abbey:
        add_closed(game, tiles, cell, kind)


@jit
def add_surrounded(game, tiles, first):
    """Add to GAME.completed the newly completed buildings on the tile just placed and around it. The entries from index
    `first` on are ordered row by row. A German castle is ordered by its first square, even if only its second square
    touches the tile just placed.
    """
    other = other_square(game, game.placed)
    for k in range(area_size(other)):
        if game.surrounded >> k & 1:
            add_buildings(game, tiles, area_square(game, int64(game.placed), other, k), first)


@jit(absent=None)
def add_closed(game, tiles, cell, kind):
    """Append to GAME.completed all roads or cities that an abbey has just completed. A feature that is completed by an
    abbey does not extend onto the abbey, so it has no spot there.
    """
    first = int64(game.n_completed)
    for side in range(4):
        beside = game.board[neighbour(game, cell, side)]
        number = NONE if beside.tile == NONE else tiles.kinds[beside.tile].side_segment[beside.rotation, (side + 2) % 4]
        if number != NONE:
            closed = int64(game.segments[beside.first_segment + number].feature)
            if game.features[closed].kind == kind and game.features[closed].open == 0:
                add_row_by_row(game, tiles, closed, first)


@jit
def add_buildings(game, tiles, cell, first):
    """If the tile on a cell is surrounded, add its buildings to GAME.completed. The entries from index `first` on stay
    ordered row by row. Buildings whose boxes are not in play are left out. A special monastery with a follower that
    was placed lying down is never completed.
    """
    square = game.board[cell]
    if square.neighbours != square.around or square.tile == NONE:
        return
    tile = tiles.kinds[square.tile]
    for number in range(tile.n_segments):
        means_something = is_building(tile.kind[number]) and game.kinds >> tile.kind[number] & 1
        if means_something and not lies(game, int64(square.first_segment) + number):
            add_row_by_row(game, tiles, int64(square.first_segment) + number, first)


@jit
def add_completed(game, feature):
    """Add a completed feature to GAME.completed, unless the list already contains this feature. A feature with several
    segments on one tile is passed to this function several times.
    """
    if game.features[feature].mark != game.counts:
        game.features[feature].mark = game.counts
        enter_completed(game, feature, 0, 0)


@jit
def enter_completed(game, feature, owners, worth):
    """Append a feature to GAME.completed."""
    game.completed[game.n_completed].feature = feature
    game.completed[game.n_completed].owners = owners
    game.completed[game.n_completed].worth = worth
    game.n_completed += 1


@jit(absent=None)
def add_moved_roads(game, tiles):
    """Append to GAME.completed all roads that have just been completed because a ferry was moved. A moved ferry can
    complete the roads that it joined before the move, and the road that it now forms.
    """
    first = int64(game.n_completed)
    for k in range(int64(game.systems.ferries.n_lying)):
        ferry = game.systems.ferries.lying[k]
        if ferry.left[0] != NONE:
            for ends in (ferry.left, ferry.ends):
                for i in range(2):
                    road = int64(game.segments[ends[i]].feature)
                    if game.features[road].open == 0:
                        add_row_by_row(game, tiles, road, first)


@jit(absent=None)
def add_cathedrals(game, tiles, first):
    """Insert into GAME.completed each German cathedral whose last road has just been completed. The entries of
    GAME.completed from index `first` on are buildings and cathedrals, ordered row by row.
    """
    for i in range(first):
        road = int64(game.completed[i].feature)
        if game.features[road].cathedral_ends > 0:
            node = road
            while True:
                cathedral = cathedral_on(game, int64(game.segments[node].cell))
                if cathedral != NONE and is_complete(game, cathedral):
                    add_row_by_row(game, tiles, cathedral, first)
                node = int64(game.segments[node].next)
                if node == road:
                    break


@jit
def add_row_by_row(game, tiles, feature, first):
    """Insert a completed feature into GAME.completed. From index `first` to the end of the list, the entries stay in
    the order of their squares, row by row.
    """
    n = int64(game.n_completed)
    add_completed(game, feature)
    if game.n_completed == n:
        return
    place = place_of(game, tiles, first_of(game, tiles, feature))
    while n > first and place_of(game, tiles, first_of(game, tiles, int64(game.completed[n - 1].feature))) > place:
        game.completed[n].feature = game.completed[n - 1].feature
        n -= 1
    game.completed[n].feature = feature


@jit
def first_of(game, tiles, feature):
    """Return the first segment of a feature in the order of `place_of`."""
    first = node = int64(feature)
    while True:
        if place_of(game, tiles, node) < place_of(game, tiles, first):
            first = node
        node = int64(game.segments[node].next)
        if node == feature:
            return first


@jit
def place_of(game, tiles, node):
    """Return a sort key for segments. The segments are sorted row by row, and by spot within a square."""
    cell = own_square(game, tiles, node)
    square = game.board[cell]
    spot = own_spot(int64(tiles.kinds[square.tile].spot[square.rotation, node - square.first_segment]))
    return (y_of(game, cell) * size_of(game) + x_of(game, cell)) * N_SPOTS + spot


@jit
def clear_up(game):
    """Give the goods of the completed cities to the active player, and return all figures on the scored features to the
    supplies.
    """
    if game.boxes.traders_and_builders:
        for i in range(game.n_completed):
            if game.features[game.completed[i].feature].kind == Kind.CITY:
                traders_and_builders.take_goods(game, int64(game.completed[i].feature))
    for i in range(game.n_completed):
        if game.completed[i].owners:
            return_all(game, int64(game.completed[i].feature))


@jit
def score_end(game, tiles):
    """Do the final scoring: unfinished roads, cities and buildings with followers, then fields, then ingots and goods.
    A lord who is still in a castle scores nothing.
    """
    goldmines.set_aside(game)
    for fields in (False, True):
        for feature in range(int64(game.n_segments)):
            alive = game.segments[feature].feature == feature
            kind = game.features[feature].kind
            if alive and (kind == Kind.FIELD) == fields and kind != Kind.CASTLE and is_occupied(game, feature):
                pay_owners(game, tiles, feature, is_complete(game, feature), int64(game.segments[feature].cell))
    for player in range(int64(game.n_players)):
        ingots = goldmines.final_points(game, player)
        if ingots:
            add_points(game, player, Source.INGOTS, ingots, int64(NONE))
        goods = traders_and_builders.goods_points(game, player)
        if goods:
            add_points(game, player, Source.GOODS, goods, int64(NONE))


@jit
def score_now(game, tiles):
    """Do the final scoring of `game` as if the game ended now. The caller must pass a copy of a game, because the
    function changes `game`. If the game is over, the function does nothing, because the game has already been scored.
    """
    if game.phase != Phase.GAME_OVER:
        score_end(game, tiles)


@jit
def lead(game, player):
    """Return a player's points minus the points of the best other player."""
    best = 0  # scores cannot be negative
    for other in range(int64(game.n_players)):
        if other != player:
            best = max(best, int64(game.players[other].score))
    return int64(game.players[player].score) - best
