"""Estimates the chances that the remaining tiles will complete open features.

The computed chances are stored in a view, a record of dtype `prospects.VIEW`. Each chance is computed when a function
first needs it.
"""

from math import exp

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.double_tiles import area_size, area_square, other_square
from carc_env.rules.expansions import german_cathedrals
from carc_env.rules.features import begin_count, is_building, is_complete, is_first_of_road, lies, next_city
from carc_env.rules.geometry import neighbour
from carc_env.rules.placement import ONES, has_empty_byte, some_rotation_fits
from carc_env.rules.state import NONE, Kind

ABBEY_FITS = 2  # the weight of an abbey in a player's hand, relative to one tile that fits
# the expected growth of a German cathedral's road, in tiles, if a tile is placed at an open end of the road
EXTENDED = 2.2
# the chance that all roads of a German cathedral will be completed is multiplied by this factor, because the roads can
# also grow before they are completed
ALL_ENDED = 0.6
MOST_GAPS = 3  # the number of empty squares after which `lines_to_come` stops following a line of squares


@jit
def mask_of(need):
    """Return a bit mask of the sides on which an empty square requires a specific terrain. The argument `need`
    (CELL.need) has two bits for each side of the square. The two bits of a side contain the number of the required
    terrain, or 0 if every terrain fits. The mask also has two bits for each side. Both bits are 1 if the side requires
    a terrain, and 0 if every terrain fits.
    """
    odd = (need | need >> 1) & 0b01010101
    return odd * 3


@jit
def count_fits(view, tiles, need):
    """Count the remaining tiles that fit on an empty square in at least one rotation. `need` holds the terrains that
    the square requires (CELL.need).
    """
    if view.fits[need] == NONE:
        demand, mask, total = need * ONES, mask_of(need) * ONES, 0
        for i in range(view.n_kinds):
            total += view.amounts[i] * some_rotation_fits(view.all_edges[i], demand, mask)
        view.fits[need] = total
    return int(view.fits[need])


@jit
def count_abbeys(view, need):
    """Count the abbeys in the players' hands that fit on an empty square. Each abbey counts as ABBEY_FITS tiles. The
    result is 0 unless the square requires a specific terrain on each of its four sides. At the border of a map sheet,
    an edge without a printed road or city requires no terrain. For a square with such an edge, the result is therefore
    0, although the rules allow an abbey there.
    """
    return ABBEY_FITS * int(view.abbeys) if view.abbeys and mask_of(need) == 255 else 0


@jit
def count_closers(view, need, side):
    """Count the remaining tiles that fit on an empty square and end the road or city on `side` of this square.

    A tile ends the road or city if the tile's segment on `side` has no other open end.
    """
    demand, mask, total = need * ONES, mask_of(need) * ONES, 0
    for i in range(view.n_kinds):
        total += view.amounts[i] * has_empty_byte((view.all_edges[i] ^ demand) & mask | view.linked[side, i] & ~mask)
    return total


@jit
def chance_ended(view, tiles, n_players, need, side):
    """Return the chance that a tile will be placed on an empty square and close the open end of the road or city on
    `side` of this square. `need` holds the terrains that the square requires (CELL.need).
    """
    if view.ended[need, side] == NONE:
        view.ended[need, side] = work_out_ended(view, tiles, n_players, need, side)
    return view.ended[need, side]


@jit
def work_out_ended(view, tiles, n_players, need, side):
    """Compute the result of `chance_ended`. The caller stores the result in `view`."""
    abbeys = count_abbeys(view, need)
    closers, fits = count_closers(view, need, side) + abbeys, count_fits(view, tiles, need) + abbeys
    rate = view.prices.closing * closers + view.prices.fitting * fits
    return 1.0 - exp(-rate / n_players)


@jit
def chance_filled(view, tiles, need):
    """Return the chance that a tile will be placed on an empty square."""
    if view.filled[need] == NONE:
        view.filled[need] = work_out_filled(view, tiles, need)
    return view.filled[need]


@jit
def work_out_filled(view, tiles, need):
    """Compute the result of `chance_filled`. The caller stores the result in `view`."""
    return 1.0 - exp(-view.prices.filling * (count_fits(view, tiles, need) + count_abbeys(view, need)))


@jit
def chance_of_closing(view, game, tiles, feature):
    """Return the chance that a road, city or building will be completed. A road or city is completed when all its open
    ends are closed. A building is completed when all squares around it are occupied. A special monastery with a lying
    follower cannot be completed, so its chance is 0.
    """
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
    """Compute the result of `chance_of_closing` for a feature without lying followers."""
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
    """Return the chance that all roads of a German cathedral will be completed."""
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
    """Return the chance that all open ends of a segment will be closed."""
    cell = int64(game.segments[node].cell)
    chance = chance_of_ending_on(view, game, tiles, node, cell)
    if other_square(game, cell) != NONE:
        chance *= chance_of_ending_on(view, game, tiles, node, other_square(game, cell))
    return chance


@jit
def chance_of_ending_on(view, game, tiles, node, cell):
    """Return the chance that all of a segment's open ends on the square `cell` will be closed. `cell` is a square of
    the segment's tile; a double tile has two squares.
    """
    square = game.board[cell]
    tile = tiles.kinds[square.tile]
    number = node - int(square.first_segment)
    chance = 1.0
    for side in range(4):
        if tile.side_segment[square.rotation, side] == number:
            beside = neighbour(game, cell, side)
            if game.board[beside].is_square and game.board[beside].tile == NONE:
                chance *= chance_ended(
                    view, tiles, int64(game.n_players), int64(game.board[beside].need), (side + 2) % 4
                )
    return chance


@jit
def chance_of_filling(view, game, tiles, feature):
    """Return the chance that all squares around a building will be occupied."""
    chance, cell = 1.0, int64(game.segments[feature].cell)
    other = other_square(game, cell)
    for k in range(area_size(other)):
        near = area_square(game, cell, other, k)
        if game.board[near].is_square and game.board[near].tile == NONE:
            chance *= chance_filled(view, tiles, int64(game.board[near].need))
    return chance


@jit
def squares_to_come(view, game, tiles, feature):
    """Estimate how many of the empty squares around a building will be occupied."""
    expected, cell = 0.0, int64(game.segments[feature].cell)
    other = other_square(game, cell)
    for k in range(area_size(other)):
        near = area_square(game, cell, other, k)
        if game.board[near].is_square and game.board[near].tile == NONE:
            expected += chance_filled(view, tiles, int64(game.board[near].need))
    return expected


@jit
def lines_to_come(view, game, tiles, feature):
    """Estimate the number of squares that will be added to the lines of tiles around a special monastery. There are
    four lines, which run straight to the north, east, south and west up to the first empty square. A follower that lies
    on the special monastery scores 1 point for each square of the lines.
    """
    expected = 0.0
    for side in range(4):
        chance, gaps = 1.0, 0
        square = neighbour(game, game.segments[feature].cell, side)
        while gaps < MOST_GAPS and game.board[square].is_square:
            if game.board[square].tile == NONE:
                chance *= chance_filled(view, tiles, int64(game.board[square].need))
                gaps += 1
            if gaps > 0:
                expected += chance
            square = neighbour(game, square, side)
    return expected


@jit
def roads_to_come(view, game, tiles, cathedral):
    """Estimate the number of tiles that will be added to the open roads of a German cathedral."""
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
    """Estimate how many open ends of a road segment will be extended or closed by later tiles."""
    cell = int64(game.segments[node].cell)
    expected = ends_to_come_on(view, game, tiles, node, cell)
    if other_square(game, cell) != NONE:
        expected += ends_to_come_on(view, game, tiles, node, other_square(game, cell))
    return expected


@jit
def ends_to_come_on(view, game, tiles, node, cell):
    """Estimate how many of a road segment's open ends on the square `cell` will be extended or closed by later tiles.
    `cell` is a square of the segment's tile; a double tile has two squares.
    """
    square, expected = game.board[cell], 0.0
    number = node - int64(square.first_segment)
    for side in range(4):
        if tiles.kinds[square.tile].side_segment[square.rotation, side] == number:
            beside = game.board[neighbour(game, cell, side)]
            if beside.is_square and beside.tile == NONE:
                expected += chance_filled(view, tiles, int64(beside.need))
    return expected


@jit
def list_cities(game, tiles, field, cities):
    """Find the cities that a field adjoins, and write one segment of each city into the array `cities`. Returns the
    number of these cities.
    """
    begin_count(game)
    n, node, number = 0, int64(field), int64(-1)
    while True:
        node, number, city = next_city(game, tiles, int64(field), node, number)
        if city == NONE:
            return n
        cities[n] = city
        n += 1


@jit
def count_cities(view, game, tiles, cities, n):
    """Count the completed cities among the first n cities of a list, and estimate how many of the unfinished cities
    will be completed. Returns three numbers: the number of completed cities (including castles), the number of castles,
    and the expected number of cities that will be completed later.

    The list `cities` comes from `list_cities`. If two cities have been joined since the list was made, they count as
    one city.
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
    """Count the completed cities that a field adjoins, and estimate how many of the unfinished cities will be
    completed. Returns three numbers: the number of completed cities (including castles), the number of castles, and the
    expected number of cities that will be completed later.
    """
    return count_cities(view, game, tiles, view.cities, list_cities(game, tiles, field, view.cities))
