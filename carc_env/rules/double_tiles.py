"""Double tiles: a German castle lies on two squares and is one tile (German castles, the tiles).

Such a tile is known by its first square, the western or northern one: its segments, figures and ingots stand with it.
What counts squares, such as the squares around a building, counts both. Where each double tile lies stands in
`systems.german_castles.squares`.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.geometry import is_near, nearby, neighbour
from carc_env.rules.state import FIRST_OF_SECOND, N_GERMAN_CASTLES, NONE

ALL_SQUARES = -1  # every bit is set
EAST, SOUTH = 1, 2  # sides: the second square lies east or south of the first


@jit
def side_of_second(rotation):
    """On which side of the first square the second one lies: a tile that is not turned lies from west to east."""
    return EAST if rotation % 2 == 0 else SOUTH


@jit(absent=NONE)
def castle_on(game, cell):
    """The number of the double tile that lies on `cell`, NONE for any other tile."""
    if game.boxes.german_castles:
        for castle in range(N_GERMAN_CASTLES):
            squares = game.systems.german_castles.squares[castle]
            if squares[0] == cell or squares[1] == cell:
                return castle
    return NONE


@jit(absent=NONE)
def other_square(game, cell):
    """The other square of the double tile on `cell`, NONE for any other tile."""
    castle = castle_on(game, cell)
    if castle == NONE:
        return int64(NONE)
    squares = game.systems.german_castles.squares[castle]
    return int64(squares[1] if squares[0] == cell else squares[0])


@jit
def first_square(game, cell):
    """The cell by which the tile on `cell` is known."""
    castle = castle_on(game, cell)
    return int64(cell) if castle == NONE else first_square_of(game, castle)


@jit(absent=NONE)
def first_square_of(game, castle):
    """The cell by which a castle tile is known, NONE before it is laid."""
    return int64(game.systems.german_castles.squares[castle, 0])


@jit
def is_tile_near(game, cell, tile):
    """Whether one of the squares of the tile known by `tile` is `cell`, or one of the eight around it."""
    return is_near(game, cell, tile) or is_near(game, cell, other_square(game, tile))


@jit
def own_square(game, tiles, node):
    """The square on which a segment is named by its spot."""
    cell = int64(game.segments[node].cell)
    square = game.board[cell]
    second = tiles.kinds[square.tile].spot[square.rotation, node - square.first_segment] >= FIRST_OF_SECOND
    return other_square(game, cell) if second else cell


@jit
def own_spot(spot):
    """A spot of a tile as a spot of its square alone."""
    return spot - FIRST_OF_SECOND if spot >= FIRST_OF_SECOND else spot


# --- a tile and what lies around it: `other` is its other square, or NONE ---------------------------------------------
@jit
def area_size(other):
    """How many squares a tile and those around it are: nine, of a double tile twelve."""
    return 9 if other == NONE else 12


@jit
def area_square(game, cell, other, k):
    """Number k of these squares, row by row."""
    if other == NONE:
        return nearby(game, cell, k)
    if other == neighbour(game, cell, SOUTH):
        return nearby(game, cell, k) if k < 9 else nearby(game, other, k - 3)
    row, column = k // 4, k % 4
    return nearby(game, cell, 3 * row + column) if column < 3 else nearby(game, other, 3 * row + 2)


@jit
def is_in_area(game, cell, square):
    """Whether a square is one of these, of the tile known by `cell`."""
    other = other_square(game, cell)
    for k in range(area_size(other)):
        if area_square(game, cell, other, k) == square:
            return True
    return False


@jit
def count_surroundings(game, cell):
    """A double tile has come to lie: the ten squares around it count for both its squares (CELL.neighbours,
    CELL.around).
    """
    game.surrounded = ALL_SQUARES
    occupied, squares, other = -2, -2, other_square(game, cell)  # its own do not count
    for k in range(area_size(other)):
        square = game.board[area_square(game, cell, other, k)]
        occupied += square.tile != NONE
        squares += square.is_square
    for square in (cell, other):
        game.board[square].neighbours, game.board[square].around = occupied, squares


@jit(absent=None)
def on_square_occupied(game, cell):
    """A square was occupied and has counted for the eight around it: for a double tile it counts on both squares."""
    if game.boxes.german_castles:
        for castle in range(N_GERMAN_CASTLES):
            first, second = (
                int64(game.systems.german_castles.squares[castle, 0]),
                int64(game.systems.german_castles.squares[castle, 1]),
            )
            if first != NONE and is_near(game, first, cell) != is_near(game, second, cell):
                game.board[second if is_near(game, first, cell) else first].neighbours += 1
