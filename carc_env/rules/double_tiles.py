"""Double tiles: a German castle lies on two squares and is one tile (German castles, the tiles).

A double tile is identified by its first square, the western or northern one. Its segments, figures and ingots belong to
this square. Rules that count squares, such as the squares around a building, count both.
`systems.german_castles.squares` has the squares of each double tile on the table.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.geometry import is_near, nearby, neighbour
from carc_env.rules.state import FIRST_OF_SECOND, N_GERMAN_CASTLES, NONE

ALL_SQUARES = -1  # every bit is set
EAST, SOUTH = 1, 2  # sides: the second square lies east or south of the first


@jit
def side_of_second(rotation):
    """The side of the first square on which the second one lies. A tile that is not turned lies from west to east."""
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
    """The first square of the tile on `cell`."""
    castle = castle_on(game, cell)
    return int64(cell) if castle == NONE else first_square_of(game, castle)


@jit(absent=NONE)
def first_square_of(game, castle):
    """The first square of a castle tile, or NONE before it is placed."""
    return int64(game.systems.german_castles.squares[castle, 0])


@jit
def is_tile_near(game, cell, tile):
    """True if one of the squares of the tile with first square `tile` is `cell` or one of the eight squares around
    it.
    """
    return is_near(game, cell, tile) or is_near(game, cell, other_square(game, tile))


@jit
def own_square(game, tiles, node):
    """The square to which the spot of a segment belongs."""
    cell = int64(game.segments[node].cell)
    square = game.board[cell]
    second = tiles.kinds[square.tile].spot[square.rotation, node - square.first_segment] >= FIRST_OF_SECOND
    return other_square(game, cell) if second else cell


@jit
def own_spot(spot):
    """A spot of a tile as a spot of its square alone."""
    return spot - FIRST_OF_SECOND if spot >= FIRST_OF_SECOND else spot


# --- the area of a tile: its squares and those around it. `other` is its other square, or NONE
# --------------------------
@jit
def area_size(other):
    """The number of squares in the area of a tile: nine, or twelve for a double tile."""
    return 9 if other == NONE else 12


@jit
def area_square(game, cell, other, k):
    """Square number k of the area, row by row."""
    if other == NONE:
        return nearby(game, cell, k)
    if other == neighbour(game, cell, SOUTH):
        return nearby(game, cell, k) if k < 9 else nearby(game, other, k - 3)
    row, column = k // 4, k % 4
    return nearby(game, cell, 3 * row + column) if column < 3 else nearby(game, other, 3 * row + 2)


@jit
def is_in_area(game, cell, square):
    """True if a square is in the area of the tile with first square `cell`."""
    other = other_square(game, cell)
    for k in range(area_size(other)):
        if area_square(game, cell, other, k) == square:
            return True
    return False


@jit
def count_surroundings(game, cell):
    """Count the ten squares around a double tile just placed, for both its squares (CELL.neighbours, CELL.around)."""
    game.surrounded = ALL_SQUARES
    occupied, squares, other = -2, -2, other_square(game, cell)  # its own two squares do not count
    for k in range(area_size(other)):
        square = game.board[area_square(game, cell, other, k)]
        occupied += square.tile != NONE
        squares += square.is_square
    for square in (cell, other):
        game.board[square].neighbours, game.board[square].around = occupied, squares


@jit(absent=None)
def on_square_occupied(game, cell):
    """Count a square just occupied for the double tiles beside it. It has already counted for the squares around it; a
    double tile counts it on both of its squares.
    """
    if game.boxes.german_castles:
        for castle in range(N_GERMAN_CASTLES):
            first, second = (
                int64(game.systems.german_castles.squares[castle, 0]),
                int64(game.systems.german_castles.squares[castle, 1]),
            )
            if first != NONE and is_near(game, first, cell) != is_near(game, second, cell):
                game.board[second if is_near(game, first, cell) else first].neighbours += 1
