"""Placing a tile (base game, placing)."""

from carc_env.jit import jit
from carc_env.rules.answers import tile_answer
from carc_env.rules.features import add_segments, join
from carc_env.rules.geometry import NEIGHBOUR, NINE, is_within_span, x_of, y_of
from carc_env.rules.state import N_CELLS, NONE, SIZE


@jit
def options(game, box, answers, limit):
    """List where the tile in hand may go: beside the layout, every touching edge matching, any rotation.

    Rotations that give the very same tile are one answer. Stops after `limit` answers; returns their number.
    """
    tile = box.tiles[game.tile]
    widest = max(game.x_range[1] - int(game.x_range[0]), game.y_range[1] - int(game.y_range[0])) + 1
    n = 0
    for rotation in range(tile.rotations):
        edges = int(tile.edges[rotation])
        for i in range(game.n_frontier):
            cell = int(game.frontier[i])
            square = game.board[cell]
            if (edges ^ int(square.need)) & int(square.need_mask):
                continue
            if widest >= SIZE - 1 and not is_within_span(game, cell):
                continue
            answers[n] = tile_answer(rotation, cell)
            n += 1
            if n == limit:
                return n
    return n


@jit
def place_tile(game, box, tile_kind, rotation, cell):
    """Lay a tile on an empty cell and join its segments with those of its neighbours."""
    tile = box.tiles[tile_kind]
    x, y = x_of(game, cell), y_of(game, cell)
    game.x_range[0], game.x_range[1] = min(game.x_range[0], x), max(game.x_range[1], x)
    game.y_range[0], game.y_range[1] = min(game.y_range[0], y), max(game.y_range[1], y)
    square = game.board[cell]
    square.tile = tile_kind
    square.rotation = rotation
    game.n_tiles += 1
    add_segments(game, tile, cell)
    leave_frontier(game, cell)
    for side in range(4):
        beside = NEIGHBOUR[cell, side]
        if game.board[beside].tile == NONE:
            demand(game, beside, (side + 2) % 4, int(tile.edges[rotation]) >> 2 * side & 3)
        else:
            join_side(game, box, cell, side, beside)
    for near in NINE[cell]:
        if near != cell:
            game.board[near].neighbours += 1


@jit
def join_side(game, box, cell, side, beside):
    """Join the segments of two neighbours at their common edge: road with road, city with city, grass with grass."""
    here, there = game.board[cell], game.board[beside]
    mine, theirs = box.tiles[here.tile], box.tiles[there.tile]
    other = (side + 2) % 4
    a = mine.side_segment[here.rotation, side]
    b = theirs.side_segment[there.rotation, other]
    if a != NONE and b != NONE:
        join(game, here.first_segment + a, there.first_segment + b)
    for k in range(2):  # halves run clockwise, so the first half of one side meets the second of the other
        a = mine.half_segment[here.rotation, 2 * side + k]
        b = theirs.half_segment[there.rotation, 2 * other + 1 - k]
        if a != NONE and b != NONE:
            join(game, here.first_segment + a, there.first_segment + b)


@jit
def demand(game, cell, side, terrain):
    """An empty cell beside the layout demands `terrain` on its `side` from now on."""
    square = game.board[cell]
    if square.need_mask == 0:
        enter_frontier(game, cell)
    square.need |= terrain << 2 * side
    square.need_mask |= 3 << 2 * side


@jit
def enter_frontier(game, cell):
    """Add a cell to the frontier, which ascends."""
    at = int(game.n_frontier)
    while at > 0 and game.frontier[at - 1] > cell:
        game.frontier[at] = game.frontier[at - 1]
        at -= 1
    game.frontier[at] = cell
    game.n_frontier += 1


@jit
def leave_frontier(game, cell):
    """Take a cell, if it is there, out of the frontier."""
    n = int(game.n_frontier)
    at = 0
    while at < n and game.frontier[at] != cell:
        at += 1
    if at < n:
        for i in range(at, n - 1):
            game.frontier[i] = game.frontier[i + 1]
        game.n_frontier = n - 1


@jit
def clear_table(game):
    """An empty table: no tile anywhere."""
    for cell in range(N_CELLS):
        game.board[cell].tile = NONE
