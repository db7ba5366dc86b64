"""Implements the basic rules of Carcassonne Maps: the printed squares, borders, large cities and start squares of map
sheets.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.chance import random_below
from carc_env.rules.features import add_coats, add_segments, close_end
from carc_env.rules.frontier import enter_frontier
from carc_env.rules.geometry import neighbour
from carc_env.rules.state import NONE

STARTS_USED = 2  # in a game, the start tile lies on one start square, and a random tile lies on another one


@jit
def close_at_border(game, tile, cell, side):
    """Close the segments of a tile that end at the border of the map sheet. If coats of arms are printed at the border,
    add them to the road or city that ends there.
    """
    square = game.board[cell]
    number = tile.side_segment[square.rotation, side]
    if number != NONE:
        close_end(game, square.first_segment + number)
        add_coats(game, square.first_segment + number, square.coats[side])
    for k in range(2):
        number = tile.half_segment[square.rotation, 2 * side + k]
        if number != NONE:
            close_end(game, square.first_segment + number)


@jit
def coat_points(game, road):
    """The points that coats of arms at the border add to a completed road. An inn does not double the points for coats
    of arms.
    """
    return int(game.variants.border_road_coat_points) * int(game.features[road].coats)


@jit
def connect_neighbours(game, cell):
    """If a large city adjoins the tile just placed on `cell`, mark this city as connected to the layout. As soon as a
    large city is connected, tiles can be placed on all of its sides.
    """
    if game.systems.maps.on_sheet:
        for side in range(4):
            beside = game.board[neighbour(game, cell, side)]
            if beside.large > 0 and not game.systems.maps.connected[beside.large]:
                game.systems.maps.connected[beside.large] = 1
                open_sides(game, int64(beside.first_segment))


@jit
def open_sides(game, city):
    """Add the empty squares around a large city to the frontier. All squares of a large city belong to a single
    feature, because these squares are joined through open edges.
    """
    node, large = city, game.board[game.segments[city].cell].large
    while True:
        cell = int64(game.segments[node].cell)
        for side in range(4 if game.board[cell].large == large else 0):
            beside = neighbour(game, cell, side)
            if game.board[beside].is_square and game.board[beside].tile == NONE:
                enter_frontier(game, beside)
        node = int64(game.segments[node].next)
        if node == city:
            return


@jit
def fits(game, tile, rotation, cell):
    """True if a tile matches the neighbours and the border of an empty square."""
    square = game.board[cell]
    return (int(tile.edges[rotation]) ^ int(square.need)) & int(square.need_mask) == 0


@jit
def random_rotation(game, tile, cell, chance):
    """Return a random rotation in which a tile fits on a square, or NONE if no rotation fits."""
    first = random_below(chance, 4)
    for turn in range(4):
        if fits(game, tile, (first + turn) % 4, cell):
            return (first + turn) % 4
    return NONE


@jit
def put_start_first(game, tile):
    """Find the first start square on which the start tile fits, and move this square to the front of the list. The
    start squares have already been shuffled.
    """
    starts = game.systems.maps.starts
    for k in range(game.systems.maps.n_starts):
        for rotation in range(4):
            if fits(game, tile, rotation, starts[k]):
                starts[0], starts[k] = starts[k], starts[0]
                return


@jit
def tile_for_start(game, tiles, cell, chance):
    """Find the last tile in the deck that fits on a start square, and remove it from the deck. Returns the kind of this
    tile and a rotation in which it fits. If no tile fits, both the kind and the rotation are NONE.
    """
    for i in range(game.n_deck - 1, -1, -1):
        kind = int64(game.deck[i])
        rotation = random_rotation(game, tiles.kinds[kind], cell, chance)
        if rotation != NONE:
            for k in range(i, game.n_deck - 1):
                game.deck[k] = game.deck[k + 1]
            game.n_deck -= 1
            game.deck[game.n_deck] = 0
            return kind, rotation
    return NONE, NONE


@jit
def forget_start(game):
    """Clear the fields of the game that are needed only during the setup. As a result, a game with given start tiles is
    equal to a game in which the same start tiles were drawn at random.
    """
    game.systems.maps.start_tile = NONE
    game.systems.maps.n_starts = 0
    game.systems.maps.starts[:] = 0
    game.systems.maps.chips_to_lay = 0


@jit
def print_large_city(game, cell, kind, tiles, pennants):
    """Put one printed square of a large city on the table during setup. After this call, the caller has to join the new
    square to its neighbours on the table.
    """
    game.board[cell].tile = kind
    game.board[cell].rotation = 0
    add_segments(game, tiles.kinds[kind], cell)
    game.features[game.board[cell].first_segment].pennants = pennants
