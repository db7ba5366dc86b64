"""Implements shrines (Heretics & Shrines). A shrine and a monastery that are neighbours challenge each other.

In this module, a *monastery* is any building whose kind is in MONASTERIES and whose box is in play. It does not matter
whether the building is occupied or completed. Gardens, huts and German buildings take no part in challenges. Shrines
and monasteries are each other's *opponents*.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import keep
from carc_env.rules.features import end_of_tile, is_complete, is_occupied, lies
from carc_env.rules.figures import return_all
from carc_env.rules.geometry import nearby
from carc_env.rules.state import NONE, Kind

SHRINES = 1 << Kind.SHRINE
MONASTERIES = 1 << Kind.MONASTERY | 1 << Kind.ABBEY | 1 << Kind.SPECIAL_MONASTERY | 1 << Kind.CHURCH
EACH_MONASTERY = 16  # a monastery adds this number to CELL.challengers; a shrine adds 1


@jit
def side_of(game, kind):
    """Return a bit set of the kinds of buildings that are on the same side of a challenge as this kind. Every
    challenge is between a shrine on one side and a monastery of any kind on the other side. Returns 0 if buildings of
    this kind take no part in challenges.
    """
    for side in (SHRINES, MONASTERIES):
        if side & game.kinds & 1 << int64(kind):
            return side & int64(game.kinds)
    return 0


@jit
def opponents_of(game, kind):
    """Return a bit set of the kinds of buildings that this kind of building challenges. Returns 0 if buildings of this
    kind take no part in challenges.
    """
    if side_of(game, kind) == 0:
        return 0
    return (MONASTERIES if kind == Kind.SHRINE else SHRINES) & int64(game.kinds)


@jit
def building_on(game, cell, kinds):
    """Return the building on a cell if its kind is in the bit set `kinds`. Otherwise, return NONE."""
    if game.board[cell].tile != NONE:
        for node in range(int64(game.board[cell].first_segment), end_of_tile(game, cell)):
            if kinds >> int64(game.features[node].kind) & 1:
                return node  # a building has only one segment, so the segment and the feature have the same index
    return NONE


# --- placing ----------------------------------------------------------------------------------------------------------
@jit
def is_allowed(game, kind, cell):
    """True if a building of this kind may be placed on an empty cell.

    A shrine may have at most one monastery as a neighbour, and a monastery may have at most one shrine as a neighbour.
    Therefore, the new building may have at most one opponent as a neighbour. If this opponent already has an opponent
    as a neighbour, the new building cannot be placed.
    """
    opponents = opponents_of(game, kind)
    around = count_around(game, cell, opponents)
    if around != 1:
        return around == 0
    for k in range(9):
        if building_on(game, nearby(game, cell, k), opponents) != NONE:
            return count_around(game, nearby(game, cell, k), side_of(game, kind)) == 0
    return True


@jit
def count_around(game, cell, kinds):
    """Count the shrines or the monasteries on the eight squares around a cell. `kinds` is the bit set of the kinds of
    buildings to count.
    """
    challengers = int64(game.board[cell].challengers)
    if kinds & SHRINES:
        return challengers % EACH_MONASTERY
    return challengers // EACH_MONASTERY if kinds & MONASTERIES else 0


@jit(absent=None)
def count_challengers(game, tile, cell):
    """Add the shrines and monasteries of a tile just placed to CELL.challengers of the eight squares around it."""
    for number in range(tile.n_segments):
        side = side_of(game, int64(tile.kind[number]))
        if side:
            for k in range(9):
                if nearby(game, cell, k) != cell:
                    game.board[nearby(game, cell, k)].challengers += 1 if side & SHRINES else EACH_MONASTERY


@jit
def is_tile_allowed(game, tile, cell):
    """True if the buildings of a tile may be placed on an empty cell."""
    for number in range(tile.n_segments):
        if not is_allowed(game, int64(tile.kind[number]), cell):
            return False
    return True


@jit(absent=0)
def keep_allowed(game, tile, room, n):
    """Of the first n cells in `room.cells`, keep those on which the tile may be placed. Returns the number of cells
    kept.
    """
    for number in range(tile.n_segments):
        if opponents_of(game, int64(tile.kind[number])):
            n = keep_allowed_for(game, int64(tile.kind[number]), room, n)
    return n


@jit
def keep_allowed_for(game, kind, room, n):
    """Of the first n cells in `room.cells`, keep those on which a building of this kind may be placed. Returns the
    number of cells kept.
    """
    kept = 0
    for i in range(n):
        if is_allowed(game, kind, int64(room.cells[i])):
            keep(room, i, kept)
            kept += 1
    return kept


# --- the challenge ----------------------------------------------------------------------------------------------------
@jit(absent=None)
def settle_challenges(game):
    """If a follower has lost a challenge, the follower returns to its player's supply. An occupied shrine wins against
    a neighbouring monastery if the shrine is completed first. An occupied monastery wins against a neighbouring shrine
    if the monastery is completed first.

    If the same tile completes a shrine and its opponent, both buildings are scored.
    """
    for i in range(game.n_completed):
        winner = int64(game.completed[i].feature)
        opponents = opponents_of(game, int64(game.features[winner].kind))
        if game.completed[i].owners and opponents:
            for k in range(9):
                loser = building_on(game, nearby(game, game.segments[winner].cell, k), opponents)
                if loser != NONE and is_challenged(game, loser):
                    return_all(game, loser)


@jit
def is_challenged(game, building):
    """True if a building can lose a challenge. Such a building is incomplete, and it is occupied by a follower that
    does not lie on its side.
    """
    return is_occupied(game, building) and not is_complete(game, building) and not lies(game, building)
