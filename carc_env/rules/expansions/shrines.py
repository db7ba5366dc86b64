"""Shrines: beside a monastery one of them challenges the other (Heretics & Shrines).

*Monasteries* are here all buildings of MONASTERIES, with their boxes in play: occupied or not, completed or not.
Gardens, huts and German buildings take no part. What is said of *opponents* holds both ways.
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
EACH_MONASTERY = 16  # how much a monastery adds to CELL.challengers; a shrine adds 1


@jit
def side_of(game, kind):
    """Bit set of the Kinds of buildings on the same side as one of this kind: shrines, or monasteries. 0: it takes no
    part.
    """
    for side in (SHRINES, MONASTERIES):
        if side & game.kinds & 1 << int64(kind):
            return side & int64(game.kinds)
    return 0


@jit
def opponents_of(game, kind):
    """Bit set of the Kinds of buildings that a building of this kind challenges. 0: it takes no part."""
    if side_of(game, kind) == 0:
        return 0
    return (MONASTERIES if kind == Kind.SHRINE else SHRINES) & int64(game.kinds)


@jit
def building_on(game, cell, kinds):
    """The building of one of these Kinds on a cell, NONE if there is none."""
    if game.board[cell].tile != NONE:
        for node in range(int64(game.board[cell].first_segment), end_of_tile(game, cell)):
            if kinds >> int64(game.features[node].kind) & 1:
                return node  # a building is a feature of one segment
    return NONE


# --- placing ----------------------------------------------------------------------------------------------------------
@jit
def is_allowed(game, kind, cell):
    """Whether a building of this kind may come to lie on an empty cell.

    A shrine may not become the neighbour of more than one monastery, nor a monastery of more than one shrine: the
    building has one opponent around at most, and that one no other.
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
    """How many buildings of one side, SHRINES or MONASTERIES, lie on the eight squares around a cell."""
    challengers = int64(game.board[cell].challengers)
    if kinds & SHRINES:
        return challengers % EACH_MONASTERY
    return challengers // EACH_MONASTERY if kinds & MONASTERIES else 0


@jit(absent=None)
def count_challengers(game, tile, cell):
    """The buildings of a tile just laid count on the eight squares around it (CELL.challengers)."""
    for number in range(tile.n_segments):
        side = side_of(game, int64(tile.kind[number]))
        if side:
            for k in range(9):
                if nearby(game, cell, k) != cell:
                    game.board[nearby(game, cell, k)].challengers += 1 if side & SHRINES else EACH_MONASTERY


@jit
def is_tile_allowed(game, tile, cell):
    """Whether the buildings of a tile may come to lie on an empty cell."""
    for number in range(tile.n_segments):
        if not is_allowed(game, int64(tile.kind[number]), cell):
            return False
    return True


@jit(absent=0)
def keep_allowed(game, tile, room, n):
    """Of the n cells listed keep those where a tile may lie. Returns their number."""
    for number in range(tile.n_segments):
        if opponents_of(game, int64(tile.kind[number])):
            n = keep_allowed_for(game, int64(tile.kind[number]), room, n)
    return n


@jit
def keep_allowed_for(game, kind, room, n):
    """Of the n cells listed keep those where a building of this kind may lie. Returns their number."""
    kept = 0
    for i in range(n):
        if is_allowed(game, kind, int64(room.cells[i])):
            keep(room, i, kept)
            kept += 1
    return kept


# --- the challenge ----------------------------------------------------------------------------------------------------
@jit(absent=None)
def settle_challenges(game):
    """Each building that was completed and scored has won its challenge: opponents around it lose.

    Two that are completed by the same tile have both scored.
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
    """Whether a building still stands in a challenge: somebody stands there, and it is not completed. Who lies takes no
    part.
    """
    return is_occupied(game, building) and not is_complete(game, building) and not lies(game, building)
