"""Lets the active player draw a tile and place it."""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import keep, tile_answer, tile_of
from carc_env.rules.double_tiles import on_square_occupied
from carc_env.rules.expansions import maps, shrines, traders_and_builders
from carc_env.rules.features import add_segments, close_end, join
from carc_env.rules.frontier import enter_frontier, leave_frontier
from carc_env.rules.geometry import CENTRE, is_within_span, most_spanned, nearby, neighbour, size_of, x_of, y_of
from carc_env.rules.history import note
from carc_env.rules.state import NONE, EventKind

ONES, HIGH_BITS = 0x01010101, 0x80808080  # the lowest and the highest bit of each of four bytes


@jit
def draw_tile(game):
    """Draw a tile. Returns False if the stack is used up."""
    if is_used_up(game):
        game.tile = NONE
        return False
    game.tile = game.deck[game.n_drawn]
    game.n_drawn += 1
    return True


@jit
def is_used_up(game):
    """True if no tile is left to draw."""
    return game.n_drawn == game.n_deck


@jit
def options(game, tiles, room):
    """List the actions that place the tile in hand. The tile must be beside the layout, and all touching edges must
    match.

    If several rotations of the tile look exactly the same, only one of them is listed. Returns the number of actions.
    """
    tile = tiles.kinds[game.tile]
    n_cells = cells_that_fit(game, tile, room)
    n = 0
    for rotation in range(tile.rotations):
        for i in range(n_cells):
            # write the action in any case, but count it only if the tile fits: this is faster than an `if` statement
            room.answers[n] = tile_answer(size_of(game), rotation, int64(room.cells[i]))
            n += int64(room.differ[i]) >> 8 * rotation & 255 == 0
    return n


@jit
def cells_that_fit(game, tile, room):
    """List the cells beside the layout on which the tile fits in at least one rotation. For each of these cells,
    `room.differ` contains four bytes, one for each rotation of the tile. The byte of a rotation is 0 if the tile fits
    in this rotation. Returns the number of cells listed.
    """
    n, all_edges = 0, int64(tile.all_edges)
    for i in range(game.n_frontier):
        cell = int64(game.frontier[i])
        square = game.board[cell]
        differ = (all_edges ^ int64(square.need) * ONES) & int64(square.need_mask) * ONES
        room.cells[n], room.differ[n] = cell, differ
        n += has_empty_byte(differ)
    if game.boxes.shrines:
        n = shrines.keep_allowed(game, tile, room, n)
    return keep_within_span(game, tile, room, n) if is_wide(game, 1) else n


@jit
def some_rotation_fits(all_edges, need, mask):
    """True if a tile fits on a cell in at least one rotation. `all_edges` is TILE.all_edges, with one byte for each
    rotation. `need` contains CELL.need four times, once in each byte, and `mask` contains CELL.need_mask four times.
    One comparison of the 32-bit numbers therefore covers all four rotations.
    """
    return has_empty_byte((all_edges ^ need) & mask)


@jit
def has_empty_byte(differ):
    """True if at least one of the four bytes of a 32-bit number is 0. Each byte belongs to one rotation of a tile, and
    is 0 if the tile fits in this rotation.
    """
    return (differ - ONES) & ~differ & HIGH_BITS != 0


@jit
def is_wide(game, more):
    """True if `more` additional rows or columns would make the layout too wide or too tall for the table."""
    span = max(game.x_range[1] - int64(game.x_range[0]), game.y_range[1] - int64(game.y_range[0])) + 1
    return span + more > most_spanned(size_of(game)) and not game.systems.maps.on_sheet


@jit
def keep_within_span(game, tile, room, n):
    """Of the first n cells in `room.cells`, keep those on which the tile would not make the layout too wide or
    too tall for the table. If the table is too small for the tile, also mark the game as cut off. Returns the number of
    cells kept.
    """
    kept = 0
    for i in range(n):
        if is_within_span(game, room.cells[i]):
            keep(room, i, kept)
            kept += 1
    if not game.is_cut_off:
        look_beyond(game, tile)
    return kept


@jit
def look_beyond(game, tile):
    """Mark the game as cut off if the table is too small for a placement of the tile. The table is too small if the
    tile fits on a cell, but would make the layout too wide or too tall for the table.

    The table wraps around at its edges, like a torus. If all rows of the table but one contain tiles, there are tiles
    on both sides of the empty row. On a larger table, there would be tiles on only one side of this row. The same is
    true of columns. Therefore, each side of the cell is checked separately.
    """
    for i in range(game.n_frontier):
        cell = int64(game.frontier[i])
        if not is_within_span(game, cell):
            for side in range(4):
                for rotation in range(tile.rotations):
                    if meets(game, tile, rotation, cell, side):
                        cut_off(game)
                        return


@jit
def meets(game, tile, rotation, cell, side):
    """True if an empty cell requires a certain terrain on `side`, and the rotated tile has this terrain there."""
    mask = int64(game.board[cell].need_mask) & 3 << 2 * side
    return mask != 0 and (int64(tile.edges[rotation]) ^ int64(game.board[cell].need)) & mask == 0


@jit
def cut_off(game):
    """Mark the game as cut off, because the table is too small for a placement that the rules allow. The first call in
    a game also records the event CUT_OFF.
    """
    if not game.is_cut_off:
        game.is_cut_off = 1
        note(game, EventKind.CUT_OFF, NONE, 0, 0, NONE)


@jit
def discard(game):
    """Remove the tile in hand from the game, because it fits nowhere."""
    note(game, EventKind.TILE_DISCARDED, game.active, 0, game.tile, NONE)
    game.tile = NONE


@jit
def apply(game, tiles, answer):
    """Place the tile in hand."""
    rotation, cell = tile_of(size_of(game), answer)
    game.placed = cell
    place_tile(game, tiles, int64(game.tile), rotation, cell)
    game.tile = NONE
    traders_and_builders.on_tile_placed(game)
    return True


@jit
def place_tile(game, tiles, tile_kind, rotation, cell):
    """Place a tile on an empty cell and join its segments with the segments of its neighbours."""
    occupy(game, tile_kind, rotation, cell)
    add_segments(game, tiles.kinds[tile_kind], cell)
    game.n_tiles += 1
    if game.boxes.shrines:
        shrines.count_challengers(game, tiles.kinds[tile_kind], cell)
    join_neighbours(game, tiles, cell)
    maps.connect_neighbours(game, cell)


@jit
def occupy(game, tile_kind, rotation, cell):
    """Put a tile on an empty cell, and update the extent of the layout and the frontier."""
    x, y = x_of(game, cell), y_of(game, cell)
    game.x_range[0], game.x_range[1] = min(game.x_range[0], x), max(game.x_range[1], x)
    game.y_range[0], game.y_range[1] = min(game.y_range[0], y), max(game.y_range[1], y)
    square = game.board[cell]
    square.tile = tile_kind
    square.rotation = rotation
    game.ends_closed = 0
    leave_frontier(game, cell)


@jit
def join_neighbours(game, tiles, cell):
    """Join the segments on a cell with the segments on the four neighbouring cells. The cell holds a new tile, or a
    printed square of a large city.
    """
    square = game.board[cell]
    tile = tiles.kinds[square.tile]
    for side in range(4):
        beside = neighbour(game, cell, side)
        if not game.board[beside].is_square:
            maps.close_at_border(game, tile, cell, side)
        elif game.board[beside].tile == NONE:
            demand(game, beside, (side + 2) % 4, int(tile.edges[square.rotation]) >> 2 * side & 3)
            if not square.large:
                enter_frontier(game, beside)
        else:
            join_side(game, tiles, cell, side, beside)
    surrounded = 0
    for k in range(9):
        around = game.board[nearby(game, cell, k)]
        around.neighbours += k != CENTRE
        surrounded |= int64(around.neighbours == around.around) << k
    game.surrounded = surrounded
    on_square_occupied(game, cell)


@jit
def join_side(game, tiles, cell, side, beside):
    """Join the segments of two neighbours at their common edge: road with road, city with city, field with field.

    Some segments are not joined, but end at the common edge: fields that touch a closed edge of a large city, and all
    segments that touch an abbey.
    """
    here, there = game.board[cell], game.board[beside]
    mine, theirs = tiles.kinds[here.tile], tiles.kinds[there.tile]
    other = (side + 2) % 4
    a = mine.side_segment[here.rotation, side]
    b = theirs.side_segment[there.rotation, other]
    if a != NONE and b != NONE:
        join(game, here.first_segment + a, there.first_segment + b)
    elif b != NONE:
        close_end(game, there.first_segment + b)
    # half-edges are numbered clockwise, so the first half of one side meets the second half of the other
    for k in range(2):
        a = mine.half_segment[here.rotation, 2 * side + k]
        b = theirs.half_segment[there.rotation, 2 * other + 1 - k]
        if a != NONE and b != NONE:
            join(game, here.first_segment + a, there.first_segment + b)
        elif a != NONE:
            close_end(game, here.first_segment + a)
        elif b != NONE:
            close_end(game, there.first_segment + b)


@jit
def demand(game, cell, side, terrain):
    """Record that an empty cell requires `terrain` on its `side`."""
    square = game.board[cell]
    square.need |= terrain << 2 * side
    square.need_mask |= 3 << 2 * side
