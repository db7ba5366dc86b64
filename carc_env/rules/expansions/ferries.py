"""Implements The Ferries. A ferry joins two roads of a lake. After placing a tile, a player may move the nearest
ferries.

A lake is a tile on which all roads end at the water. The ferry of a lake joins the two segments in `FERRY.ends`.
Without a ferry, the road segments of a lake are not connected on this tile.
"""

import numpy as np
from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import N_PAIRS, ferry_answer, ferry_of, insert_ascending, pass_of
from carc_env.rules.double_tiles import other_square
from carc_env.rules.expansions.traders_and_builders import return_if_alone
from carc_env.rules.features import cut, link, segment_behind
from carc_env.rules.geometry import size_of, x_of, y_of
from carc_env.rules.state import FOLLOWER_SLOTS, MAX_FERRIES, NONE, Kind, Phase

STEPS = (int(Phase.PLACE_FERRY), int(Phase.MOVE_FERRY))
# the edges of each pair: N-E, N-S, N-W, E-S, E-W, S-W
PAIRS = np.array([(a, b) for a in range(4) for b in range(a + 1, 4)])
assert PAIRS.shape == (N_PAIRS, 2)


# --- the questions ----------------------------------------------------------------------------------------------------
@jit(absent=False)
def begin(game, tiles, room):
    """Begin the step PLACE_FERRY or MOVE_FERRY. In the step PLACE_FERRY, a new lake gets its ferry. In the step
    MOVE_FERRY, the player may move the ferries nearest to the tile just placed. Returns True if a decision follows.
    """
    if game.phase == Phase.PLACE_FERRY:
        return gets_ferry(game, tiles)
    find_nearest(game, tiles, room)
    return game.systems.ferries.movable > 0


@jit(absent=0)
def options(game, tiles, room):
    """In the step PLACE_FERRY, list the actions that put a ferry between two roads of the new lake. In the step
    MOVE_FERRY, list `pass` and the actions that move one of the nearest ferries. Returns the number of actions.
    """
    if game.phase == Phase.PLACE_FERRY:
        return pair_options(game, tiles, int64(game.placed), int64(0), int64(NONE), room, int64(0))
    n = int64(0)
    for ferry in range(int64(game.systems.ferries.n_lying)):
        if is_movable(game, ferry):
            n = pair_options(
                game, tiles, cell_of_ferry(game, ferry), number_of(game, ferry), pair_of(game, tiles, ferry), room, n
            )
    if n > 0:
        room.answers[n] = pass_of(game)
        n += 1
    return n


@jit(absent=True)
def apply(game, tiles, answer, room):
    """Put the ferry on the new lake, or move a ferry. Returns True if the step is finished. The step ends when the
    ferry of a new lake is placed, when the player passes, or when no ferry can be moved any more.
    """
    if answer == pass_of(game):
        return True
    number, pair = ferry_of(size_of(game), answer)
    if game.phase == Phase.PLACE_FERRY:
        put(game, tiles, pair)
        return True
    ferry = numbered(game, number)
    game.moves[game.n_moves - 1].spot = ferry
    move(game, tiles, ferry, pair, room)
    return game.systems.ferries.movable == 0


@jit
def pair_options(game, tiles, cell, number, present, room, n):
    """For each pair of roads of a lake, add the action that puts the ferry between these two roads. The pair of roads
    that the ferry now joins is left out. `n` is the number of actions in `room.answers` before the call. Returns the
    number of actions after the call.
    """
    for pair in range(N_PAIRS):
        if (
            pair != present
            and road_at(game, tiles, cell, PAIRS[pair, 0]) != NONE
            and road_at(game, tiles, cell, PAIRS[pair, 1]) != NONE
        ):
            n = insert_ascending(room, n, ferry_answer(size_of(game), number, pair))
    return n


# --- a ferry and its lake ---------------------------------------------------------------------------------------------
@jit
def road_at(game, tiles, cell, side):
    """Return the road segment at this side of a lake tile, or NONE if no road leads to this side."""
    square = game.board[cell]
    number = int64(tiles.kinds[square.tile].side_segment[square.rotation, side])
    if number == NONE or tiles.kinds[square.tile].kind[number] != Kind.ROAD:
        return NONE
    return int64(square.first_segment) + number


@jit
def cell_of_ferry(game, ferry):
    """The cell of a ferry's lake."""
    return int64(game.segments[game.systems.ferries.lying[ferry].ends[0]].cell)


@jit
def pair_of(game, tiles, ferry):
    """Return the index in PAIRS of the pair of edges that a ferry joins."""
    cell, ends = cell_of_ferry(game, ferry), game.systems.ferries.lying[ferry].ends
    for pair in range(N_PAIRS):
        if (
            road_at(game, tiles, cell, PAIRS[pair, 0]) == ends[0]
            and road_at(game, tiles, cell, PAIRS[pair, 1]) == ends[1]
        ):
            return pair
    return NONE


@jit
def ferry_at(game, node):
    """Return the index of the ferry that joins this segment of a lake to another segment. If there is no such ferry,
    return NONE.
    """
    for ferry in range(int64(game.systems.ferries.n_lying)):
        ends = game.systems.ferries.lying[ferry].ends
        if ends[0] == node or ends[1] == node:
            return ferry
    return NONE


# --- a new lake -------------------------------------------------------------------------------------------------------
@jit
def gets_ferry(game, tiles):
    """True if the active player must put a ferry on the tile just placed. The tile must be a lake, and a ferry must be
    left in the supply. By default, a lake gets a ferry even if the player has no figure on the lake.

    The setting `ferry_requires_highwayman` follows an early version of the rules. With this setting, the player must
    have placed a follower on one of the lake's roads in this turn. Without such a follower, the lake never gets a
    ferry.
    """
    if tiles.kinds[game.board[game.placed].tile].lake == 0 or game.systems.ferries.n_lying == MAX_FERRIES:
        return False
    return game.variants.ferry_requires_highwayman == 0 or has_highwayman(game)


@jit
def has_highwayman(game):
    """True if the active player has a follower on a road of the tile just placed."""
    for slot in range(FOLLOWER_SLOTS):
        node = int64(game.players[game.active].figures[slot])
        if (
            node >= 0
            and game.segments[node].cell == game.placed
            and game.features[game.segments[node].feature].kind == Kind.ROAD
        ):
            return True
    return False


@jit
def put(game, tiles, pair):
    """Put a ferry from the supply on the lake just placed. Followers are placed before ferries, so the joined road can
    have several owners.
    """
    ferry = int64(game.systems.ferries.n_lying)
    game.systems.ferries.n_lying += 1
    game.systems.ferries.lying[ferry].left[:] = NONE
    join(game, tiles, ferry, int64(game.placed), pair)


@jit
def join(game, tiles, ferry, cell, pair):
    """Put a ferry between two roads of its lake. `pair` is the index of the two edges in PAIRS."""
    ends = game.systems.ferries.lying[ferry].ends
    for k in range(2):
        ends[k] = road_at(game, tiles, cell, PAIRS[pair, k])
    link(game, int64(ends[0]), int64(ends[1]))


# --- moving ferries ---------------------------------------------------------------------------------------------------
@jit
def find_nearest(game, tiles, room):
    """Find the nearest ferries by following every road of the tile just placed. The first ferry found in each direction
    can be moved. Each ferry can be moved at most once in this part of the turn.

    A road ends at a lake, unless the lake's ferry joins the road to another road. If the tile just placed is a lake,
    all roads of this lake are followed, and the ferry of this lake cannot be moved. The function does not follow a road
    beyond the first ferry. Therefore, moving one ferry does not change which other ferries can be moved. `room.answers`
    lists the road segments reached so far.
    """
    ferries = game.systems.ferries
    ferries.movable = 0
    for ferry in range(int64(ferries.n_lying)):
        ferries.lying[ferry].left[:] = NONE
    if ferries.n_lying == 0:
        return
    n = list_roads(game, tiles, room)
    k = 0 if leads_to_ferry(game, room, n) else n
    while k < n:
        n = follow(game, tiles, int64(room.answers[k]), room, n)
        k += 1


@jit
def list_roads(game, tiles, room):
    """List the road segments of the tile just placed. Returns their number."""
    square, n = game.board[game.placed], 0
    tile = tiles.kinds[square.tile]
    for number in range(tile.n_segments):
        if tile.kind[number] == Kind.ROAD:
            room.answers[n] = square.first_segment + number
            n += 1
    return n


@jit
def leads_to_ferry(game, room, n):
    """True if at least one of the first n segments in `room.answers` belongs to a road with a ferry. Roads without a
    ferry need not be followed.
    """
    for ferry in range(int64(game.systems.ferries.n_lying)):
        road = game.segments[game.systems.ferries.lying[ferry].ends[0]].feature
        for k in range(n):
            if game.segments[room.answers[k]].feature == road:
                return True
    return False


@jit
def follow(game, tiles, node, room, n):
    """Find the road segments that adjoin the segment `node` on neighbouring tiles, and append them to `room.answers`.
    Mark the ferries on these segments as movable. `n` is the number of segments in `room.answers` before the call.
    Returns the number of segments after the call.
    """
    cell = int64(game.segments[node].cell)
    n = follow_on(game, tiles, node, cell, room, n)
    return n if other_square(game, cell) == NONE else follow_on(game, tiles, node, other_square(game, cell), room, n)


@jit
def follow_on(game, tiles, node, cell, room, n):
    """Do what `follow` does, but only for the edges of the square `cell`."""
    for side in range(4):
        if road_at(game, tiles, cell, side) == node:
            other = segment_behind(game, tiles, cell, side)
            if other != NONE and not is_among(room, n, other):
                room.answers[n] = other
                n += 1
                ferry = ferry_at(game, other)
                if ferry != NONE:
                    game.systems.ferries.movable |= 1 << ferry
    return n


@jit
def is_among(room, n, node):
    """True if a segment is among the first n entries of `room.answers`."""
    for k in range(n):
        if room.answers[k] == node:
            return True
    return False


@jit
def is_movable(game, ferry):
    """True if a ferry can still be moved in this part of the turn."""
    return int64(game.systems.ferries.movable) >> ferry & 1 == 1


@jit
def number_of(game, ferry):
    """Return the index by which actions identify this movable ferry. The movable ferries are numbered row by row."""
    here, number = cell_of_ferry(game, ferry), 0
    for other in range(int64(game.systems.ferries.n_lying)):
        if is_movable(game, other):
            there = cell_of_ferry(game, other)
            number += y_of(game, there) < y_of(game, here) or (
                y_of(game, there) == y_of(game, here) and x_of(game, there) < x_of(game, here)
            )
    return number


@jit
def numbered(game, number):
    """Return the movable ferry with this index (see `number_of`), or NONE if there is no such ferry."""
    for ferry in range(int64(game.systems.ferries.n_lying)):
        if is_movable(game, ferry) and number_of(game, ferry) == number:
            return ferry
    return NONE


@jit
def move(game, tiles, ferry, pair, room):
    """Move a ferry to another pair of roads of its lake. After the move, a builder on a road returns to the supply if
    the builder's owner has no follower on this road.
    """
    lying, cell = game.systems.ferries.lying[ferry], cell_of_ferry(game, ferry)
    for k in range(2):
        lying.left[k] = lying.ends[k]
        lying.ends[k] = NONE
    cut(game, tiles, int64(lying.left[0]), int64(lying.left[1]), room)
    join(game, tiles, ferry, cell, pair)
    game.systems.ferries.movable -= 1 << ferry
    for player in range(int64(game.n_players)):
        return_if_alone(game, player)
