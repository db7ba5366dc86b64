"""Implements German castles (Castles in Germany). Each player is dealt one or two castle tiles. A castle tile covers
two squares. Instead of drawing a tile, a player may place one of their castle tiles.

A castle tile counts as one tile (rules/double_tiles.py) and is placed by the normal edge rules. A follower in the
castle scores points for the occupied squares around it. Completed roads and cities that touch a castle tile give
additional points.
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

BONUS = 3  # points for each castle tile at a completed road or city
MOST_WITH_TWO = 3  # up to this number of players, each player gets two castle tiles; otherwise one


# --- castle tiles in hand ---------------------------------------------------------------------------------------------
@jit(absent=None)
def deal(game, chance, room):
    """Deal the castle tiles at random, unless each player's castle tiles are given. With two or three players, each
    player gets two castle tiles. With more players, each player gets one castle tile.
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
    """Return the first (`number` = 0) or second (`number` = 1) castle tile in a player's hand, or NONE if there is no
    such tile.
    """
    for k in range(MOST_IN_HAND):
        castle = int64(game.systems.german_castles.hands[player, k])
        if castle != NONE and game.systems.german_castles.squares[castle, 0] == NONE:
            if number == 0:
                return castle
            number -= 1
    return int64(NONE)


# --- where a castle tile can be placed --------------------------------------------------------------------------------
@jit
def kinds_of(tiles, castle, rotation):
    """Return two tile kinds: the kind of a castle tile's first square and the kind of its second square. The first
    square of a rotated castle tile is its western or northern square. If `rotation` is 0 or 1, this square is the
    western square of the unrotated tile. If `rotation` is 2 or 3, this square is the eastern square of the unrotated
    tile.
    """
    west = int64(tiles.german_castle) + 2 * castle
    return (west, west + 1) if rotation < 2 else (west + 1, west)


@jit
def fits(game, tiles, castle, rotation, cell, wide):
    """True if a castle tile can be placed in this rotation with its first square on `cell`.

    Both squares must be empty, and at least one of them must be beside the layout. All touching edges must match. The
    tile must not touch another castle tile, not even at a corner. `wide` is True if the tile could make the layout too
    wide or too tall for the table.
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
    """True if a larger table would allow the placement of a castle tile. This function is called only if the castle
    tile would make the layout too wide or too tall for the table of this game.

    The function only checks whether at least one outer edge of the castle tile matches the neighbouring tile. Edges
    that do not match are ignored. The table wraps around, so the neighbour of an edge can be a tile at the other end of
    the layout.
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
    """True if a square is empty and its neighbours match the edges of a tile kind."""
    square = game.board[cell]
    return square.is_square and square.tile == NONE and maps.fits(game, tiles.kinds[kind], rotation, cell)


@jit
def touches_castle(game, cell):
    """True if a cell belongs to a castle tile or touches one, even if only at a corner."""
    for castle in range(N_GERMAN_CASTLES):
        first = int64(game.systems.german_castles.squares[castle, 0])
        if first != NONE and is_in_area(game, first, cell):
            return True
    return False


@jit
def is_within_span(game, cell, second, rotation):
    """True if the placement of a castle tile keeps the layout within the table. At least one of the castle tile's two
    squares must be beside the layout, because `x_of` and `y_of` are correct only for squares that have a tile or are
    beside the layout. The function derives the coordinates of one square from those of the other.
    """
    x, y = x_of(game, cell), y_of(game, cell)
    east = 1 if rotation % 2 == 0 else 0
    if not game.board[cell].in_frontier:
        x, y = x_of(game, second) - east, y_of(game, second) - (1 - east)
    return may_reach(game, x, y) and may_reach(game, x + east, y + 1 - east)


# --- the question -----------------------------------------------------------------------------------------------------
@jit(absent=False)
def begin(game, tiles):
    """True if the player can place one of their castle tiles instead of drawing a tile. A player who has placed an
    abbey cannot place a castle tile in the same part of the turn. No castle tile can be placed while the players place
    their last abbeys at the end of the game.
    """
    return game.placed == NONE and not abbeys.is_offered(game) and can_place(game, tiles, int64(game.active))


@jit(absent=False)
def can_place(game, tiles, player):
    """True if a player has a castle tile that fits somewhere."""
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
    """The first square of a castle tile whose second square is `cell`."""
    return neighbour(game, cell, (side_of_second(rotation) + 2) % 4)


@jit(absent=0)
def options(game, tiles, room):
    """List the actions that place a castle tile from the hand. If the stack is not used up, also list the action
    `pass`. A player who passes draws a tile instead. Returns the number of actions.
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
    """If a castle tile can be placed so that its first square is `cell`, add this placement to the n actions in
    `room.answers`. Returns the new number of actions.
    """
    if n < MAX_ANSWERS - 1 and fits(game, tiles, castle, rotation, cell, wide):
        return int64(insert_ascending(room, n, castle_answer(size_of(game), number, rotation, cell)))
    return int64(n)


@jit
def castle_answer(size, number, rotation, cell):
    """Return the id for placing a castle tile in this rotation, with its first square on `cell`. `number` is 0 for the
    first and 1 for the second castle tile in hand.
    """
    return tile_answer(size, rotation, cell) if number == 0 else cell_answer(size, cell, rotation)


@jit
def castle_of(size, answer):
    """Decode an id made by `castle_answer`: return the index of the castle tile in hand, the rotation and the first
    square.
    """
    if names_tile(size, answer):
        rotation, cell = tile_of(size, answer)
        return 0, rotation, cell
    return 1, figure_of_choice(size, answer), cell_of_choice(size, answer)


@jit(absent=True)
def apply(game, tiles, answer):
    """Place a castle tile, unless the player passes. Always returns True, because any action finishes this step."""
    if answer != pass_of(game):
        number, rotation, cell = castle_of(size_of(game), answer)
        game.placed = cell
        lay(game, tiles, in_hand(game, game.active, number), rotation, cell)
        traders_and_builders.on_tile_placed(game)
    return True


@jit
def lay(game, tiles, castle, rotation, cell):
    """Place a castle tile and join its segments with the segments of its neighbours, on all six edges."""
    second = neighbour(game, cell, side_of_second(rotation))
    first_kind, second_kind = kinds_of(tiles, castle, rotation)
    if game.board[cell].in_frontier:
        occupy(game, first_kind, rotation, cell)
        occupy(game, second_kind, rotation, second)
    else:  # the square beside the layout comes first, because its coordinates are known
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
    """Return the bonus of a completed road or city: 3 points for each castle tile that it touches, no matter who placed
    the tile.
    """
    points = 0
    if game.boxes.german_castles:
        for castle in range(N_GERMAN_CASTLES):
            cell = int64(game.systems.german_castles.squares[castle, 0])
            if cell != NONE and is_on_tile(game, feature, cell):
                points += BONUS
    return points
