"""German castles: players hold castle tiles of two squares, laid instead of a tile that is drawn (Castles in Germany).

Such a tile is one tile (rules/double_tiles.py), laid by normal edge rules. Whoever stands in the castle scores the
squares around it; completed roads and cities that touch a castle tile are worth more.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import (
    MAX_ANSWERS,
    cell_answer,
    cell_of_choice,
    figure_of_choice,
    insert_ascending,
    names_tile,
    pass_of,
    tile_answer,
    tile_of,
)
from carc_env.rules.chance import shuffle
from carc_env.rules.double_tiles import count_surroundings, is_in_area, side_of_second
from carc_env.rules.expansions import abbeys, maps, traders_and_builders
from carc_env.rules.features import add_segments, is_on_tile
from carc_env.rules.geometry import may_reach, neighbour, size_of, x_of, y_of
from carc_env.rules.placement import cut_off, is_used_up, is_wide, join_neighbours, meets, occupy
from carc_env.rules.state import MOST_IN_HAND, N_GERMAN_CASTLES, NONE

BONUS = 3  # for a castle tile at a completed road or city
MOST_WITH_TWO = 3  # players who get two castle tiles each; more get one


# --- castle tiles in hand ---------------------------------------------------------------------------------------------
@jit(absent=None)
def deal(game, chance, room):
    """Each player gets one castle tile at random, two with two or three players, unless it was dictated who gets which
    (setup).
    """
    if not game.systems.german_castles.to_deal:
        return
    for castle in range(N_GERMAN_CASTLES):
        room.listed[castle] = castle
    shuffle(room.listed, N_GERMAN_CASTLES, chance)
    n, each = 0, 2 if game.n_players <= MOST_WITH_TWO else 1
    for player in range(game.n_players):
        for k in range(each):
            game.systems.german_castles.hands[player, k] = room.listed[n]
            n += 1
    game.systems.german_castles.to_deal = 0


@jit
def in_hand(game, player, number):
    """The castle tile that a player holds, the first (0) or second (1) of those not laid yet, or NONE."""
    for k in range(MOST_IN_HAND):
        castle = int64(game.systems.german_castles.hands[player, k])
        if castle != NONE and game.systems.german_castles.squares[castle, 0] == NONE:
            if number == 0:
                return castle
            number -= 1
    return int64(NONE)


# --- where a castle tile may go ---------------------------------------------------------------------------------------
@jit
def kinds_of(tiles, castle, rotation):
    """The tile kinds of the first square and of the second; turned by a half turn or more, the eastern one comes
    first.
    """
    west = int64(tiles.german_castle) + 2 * castle
    return (west, west + 1) if rotation < 2 else (west + 1, west)


@jit
def fits(game, tiles, castle, rotation, cell, wide):
    """Whether a castle tile may lie with its first square on `cell`, turned so.

    Both squares are empty, at least one lies beside the layout, all touching edges match, and no other castle tile is
    touched, not even by a corner. Where the layout is `wide`, the tile might stretch it too far.
    """
    second = neighbour(game, cell, side_of_second(rotation))
    if not (game.board[cell].in_frontier or game.board[second].in_frontier):
        return False
    first_kind, second_kind = kinds_of(tiles, castle, rotation)
    if not wide or is_within_span(game, cell, second, rotation):
        return (
            matches(game, tiles, first_kind, rotation, cell)
            and matches(game, tiles, second_kind, rotation, second)
            and not touches_castle(game, cell)
            and not touches_castle(game, second)
        )
    if not game.is_cut_off and would_fit(game, tiles, castle, rotation, cell):
        cut_off(game)
    return False


@jit
def would_fit(game, tiles, castle, rotation, cell):
    """Whether a castle tile that would stretch the layout too far might lie there, were the table larger.

    Beyond an end of the layout it meets what lies on one side of one of its squares; what else lies beside it here is
    the layout's other end.
    """
    second = neighbour(game, cell, side_of_second(rotation))
    first_kind, second_kind = kinds_of(tiles, castle, rotation)
    for side in range(4):
        if side != side_of_second(rotation) and meets(game, tiles.kinds[first_kind], rotation, cell, side):
            return True
        if side != (side_of_second(rotation) + 2) % 4 and meets(game, tiles.kinds[second_kind], rotation, second, side):
            return True
    return False


@jit
def matches(game, tiles, kind, rotation, cell):
    """Whether a square is empty and its edges match."""
    square = game.board[cell]
    return square.is_square and square.tile == NONE and maps.fits(game, tiles.kinds[kind], rotation, cell)


@jit
def touches_castle(game, cell):
    """Whether a cell is one of the squares around a castle tile."""
    for castle in range(N_GERMAN_CASTLES):
        first = int64(game.systems.german_castles.squares[castle, 0])
        if first != NONE and is_in_area(game, first, cell):
            return True
    return False


@jit
def is_within_span(game, cell, second, rotation):
    """A placement may not stretch the layout too far. The one square that lies beside it says where the other is."""
    x, y = x_of(game, cell), y_of(game, cell)
    east = 1 if rotation % 2 == 0 else 0
    if not game.board[cell].in_frontier:
        x, y = x_of(game, second) - east, y_of(game, second) - (1 - east)
    return may_reach(game, x, y) and may_reach(game, x + east, y + 1 - east)


# --- the question -----------------------------------------------------------------------------------------------------
@jit(absent=False)
def begin(game, tiles):
    """Instead of drawing, the player may place an own castle tile, unless an abbey was placed; not while abbeys are
    offered.
    """
    return game.placed == NONE and not abbeys.is_offered(game) and can_place(game, tiles, int64(game.active))


@jit(absent=False)
def can_place(game, tiles, player):
    """Whether a player has a castle tile that fits somewhere."""
    wide = is_wide(game, 2)
    for number in range(MOST_IN_HAND):
        castle = in_hand(game, player, number)
        if castle != NONE:
            for rotation in range(tiles.kinds[tiles.german_castle + 2 * castle].rotations):
                for i in range(game.n_frontier):
                    cell = int64(game.frontier[i])
                    if fits(game, tiles, castle, rotation, cell, wide) or fits(
                        game, tiles, castle, rotation, before(game, cell, rotation), wide
                    ):
                        return True
    return False


@jit
def before(game, cell, rotation):
    """The first square of a castle tile that has its second one on `cell`."""
    return neighbour(game, cell, (side_of_second(rotation) + 2) % 4)


@jit(absent=0)
def options(game, tiles, room):
    """List where the castle tiles in hand may go; and nowhere, to draw, as long as there is something to draw. Returns
    the number of answers.
    """
    n, wide = 0, is_wide(game, 2)
    for number in range(MOST_IN_HAND):
        castle = in_hand(game, game.active, number)
        if castle != NONE:
            for rotation in range(tiles.kinds[tiles.german_castle + 2 * castle].rotations):
                for i in range(game.n_frontier):
                    cell = int64(game.frontier[i])
                    n = add_option(game, tiles, number, castle, rotation, before(game, cell, rotation), wide, room, n)
                    n = add_option(game, tiles, number, castle, rotation, cell, wide, room, n)
    if not is_used_up(game):
        room.answers[n] = pass_of(game)
        n += 1
    return n


@jit
def add_option(game, tiles, number, castle, rotation, cell, wide, room, n):
    """Add that a castle tile goes somewhere, if it may, to the n answers there are. Returns the new number."""
    if n < MAX_ANSWERS - 1 and fits(game, tiles, castle, rotation, cell, wide):
        return int64(insert_ascending(room, n, castle_answer(size_of(game), number, rotation, cell)))
    return int64(n)


@jit
def castle_answer(size, number, rotation, cell):
    """Lay the first (0) or second (1) castle tile in hand, turned, with its first square on `cell`."""
    return tile_answer(size, rotation, cell) if number == 0 else cell_answer(size, cell, rotation)


@jit
def castle_of(size, answer):
    """Which castle tile in hand, the rotation and the first square of such an answer."""
    if names_tile(size, answer):
        rotation, cell = tile_of(size, answer)
        return 0, rotation, cell
    return 1, figure_of_choice(size, answer), cell_of_choice(size, answer)


@jit(absent=True)
def apply(game, tiles, answer):
    """A castle tile is placed, or none. There is one such question."""
    if answer != pass_of(game):
        number, rotation, cell = castle_of(size_of(game), answer)
        game.placed = cell
        lay(game, tiles, in_hand(game, game.active, number), rotation, cell)
        traders_and_builders.on_tile_placed(game)
    return True


@jit
def lay(game, tiles, castle, rotation, cell):
    """Lay a castle tile and join its segments with those of its neighbours, on all six edges."""
    second = neighbour(game, cell, side_of_second(rotation))
    first_kind, second_kind = kinds_of(tiles, castle, rotation)
    if game.board[cell].in_frontier:
        occupy(game, first_kind, rotation, cell)
        occupy(game, second_kind, rotation, second)
    else:  # what lies beside the layout comes first: coordinates are known up to there
        occupy(game, second_kind, rotation, second)
        occupy(game, first_kind, rotation, cell)
    add_segments(game, tiles.kinds[first_kind], cell)
    game.board[second].first_segment = game.board[cell].first_segment
    game.n_tiles += 1
    for square in (cell, second):
        join_neighbours(game, tiles, square)
        maps.connect_neighbours(game, square)
    squares = game.systems.german_castles.squares[castle]
    squares[0], squares[1] = cell, second
    count_surroundings(game, cell)


# --- scoring ----------------------------------------------------------------------------------------------------------
@jit(absent=0)
def bonus(game, feature):
    """Points more for a completed road or city: 3 for each castle tile that it touches, whoever's castle it is."""
    points = 0
    if game.boxes.german_castles:
        for castle in range(N_GERMAN_CASTLES):
            cell = int64(game.systems.german_castles.squares[castle, 0])
            if cell != NONE and is_on_tile(game, feature, cell):
                points += BONUS
    return points
