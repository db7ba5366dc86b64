"""Implements double tiles. A double tile covers two squares but counts as one tile. The only double tiles are the
castle tiles of Castles in Germany.

A double tile is identified by its first square, the western or northern one. The segments, figures and ingots of a
double tile are stored under its first square. Rules that count squares, for example around a building, count both
squares of a double tile. `systems.german_castles.squares` contains the squares of each double tile on the table.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.geometry import is_near, nearby, neighbour
from carc_env.rules.state import FIRST_OF_SECOND, N_GERMAN_CASTLES, NONE

ALL_SQUARES = -1  # every bit is set
EAST, SOUTH = 1, 2  # the second square lies on one of these two sides of the first square


@jit
def side_of_second(rotation):
    """Return the direction from the first to the second square: EAST or SOUTH. A double tile that is not rotated lies
    from west to east.
    """
    return EAST if rotation % 2 == 0 else SOUTH


@jit(absent=NONE)
def castle_on(game, cell):
    """Return the index of the double tile that lies on `cell`, or NONE if no double tile lies there."""
    if game.boxes.german_castles:
        for castle in range(N_GERMAN_CASTLES):
            squares = game.systems.german_castles.squares[castle]
            if squares[0] == cell or squares[1] == cell:
                return castle
    return NONE


@jit(absent=NONE)
def other_square(game, cell):
    """Return the other square of the double tile on `cell`, or NONE if no double tile lies on `cell`."""
    castle = castle_on(game, cell)
    if castle == NONE:
        return int64(NONE)
    squares = game.systems.german_castles.squares[castle]
    return int64(squares[1] if squares[0] == cell else squares[0])


@jit
def first_square(game, cell):
    """Return the first square of the tile on `cell`. If this tile is not a double tile, return `cell` itself."""
    castle = castle_on(game, cell)
    return int64(cell) if castle == NONE else first_square_of(game, castle)


@jit(absent=NONE)
def first_square_of(game, castle):
    """The first square of a castle tile, or NONE if the tile has not been placed yet."""
    return int64(game.systems.german_castles.squares[castle, 0])


@jit
def is_tile_near(game, cell, tile):
    """True if `cell` belongs to a tile or touches it, even if only at a corner. `tile` is the cell of the tile's first
    square.
    """
    return is_near(game, cell, tile) or is_near(game, cell, other_square(game, tile))


@jit
def own_square(game, tiles, node):
    """Return the square on which a segment's spot lies. On a double tile, the result is one of the two squares."""
    cell = int64(game.segments[node].cell)
    square = game.board[cell]
    second = tiles.kinds[square.tile].spot[square.rotation, node - square.first_segment] >= FIRST_OF_SECOND
    return other_square(game, cell) if second else cell


@jit
def own_spot(spot):
    """Convert the number of a spot to the number that this spot has on a tile of one square. Only the spots on the
    second square of a double tile change, for example from `2N` to `N`. All other spots are returned unchanged.
    """
    return spot - FIRST_OF_SECOND if spot >= FIRST_OF_SECOND else spot


# --- the area of a tile: the tile and all squares around it -----------------------------------------------------------
# In the following functions, `other` is the second square of a double tile, or NONE for a tile with only one square.
@jit
def area_size(other):
    """Return the number of squares in a tile's area: nine, or twelve for a double tile. The area consists of the tile
    and all squares around it.
    """
    return 9 if other == NONE else 12


@jit
def area_square(game, cell, other, k):
    """Return the square with index k in a tile's area. The squares of the area are numbered row by row."""
    if other == NONE:
        return nearby(game, cell, k)
    if other == neighbour(game, cell, SOUTH):
        return nearby(game, cell, k) if k < 9 else nearby(game, other, k - 3)
    row, column = k // 4, k % 4
    return nearby(game, cell, 3 * row + column) if column < 3 else nearby(game, other, 3 * row + 2)


@jit
def is_in_area(game, cell, square):
    """True if `square` is in the area of a tile: on the tile or around it. `cell` is the first square of the tile."""
    other = other_square(game, cell)
    for k in range(area_size(other)):
        if area_square(game, cell, other, k) == square:
            return True
    return False


@jit
def count_surroundings(game, cell):
    """Set CELL.neighbours and CELL.around for both squares of a double tile that was just placed. CELL.neighbours is
    the number of occupied cells among the ten cells around the tile, and CELL.around is the number of squares among
    these ten cells. On a map sheet, cells outside the map are not squares.
    """
    game.surrounded = ALL_SQUARES
    occupied, squares, other = -2, -2, other_square(game, cell)  # the tile's own two squares do not count
    for k in range(area_size(other)):
        square = game.board[area_square(game, cell, other, k)]
        occupied += square.tile != NONE
        squares += square.is_square
    for square in (cell, other):
        game.board[square].neighbours, game.board[square].around = occupied, squares


@jit(absent=None)
def on_square_occupied(game, cell):
    """Update CELL.neighbours of the double tiles that touch a newly occupied square. The caller has already increased
    CELL.neighbours of the eight squares around the newly occupied square. If only one square of a double tile touches
    the newly occupied square, this function also increases CELL.neighbours of the double tile's other square.
    """
    if game.boxes.german_castles:
        for castle in range(N_GERMAN_CASTLES):
            first, second = (
                int64(game.systems.german_castles.squares[castle, 0]),
                int64(game.systems.german_castles.squares[castle, 1]),
            )
            if first != NONE and is_near(game, first, cell) != is_near(game, second, cell):
                game.board[second if is_near(game, first, cell) else first].neighbours += 1
