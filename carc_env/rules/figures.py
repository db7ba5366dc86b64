"""Places figures from the supply on the tile just placed, and returns figures to the supply."""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import figure_answer
from carc_env.rules.features import is_occupied, leave, lie_down, stand
from carc_env.rules.geometry import size_of
from carc_env.rules.history import note
from carc_env.rules.state import (
    FIRST_SLOT,
    IN_SUPPLY,
    N_SLOTS,
    NONE,
    SLOT_FIGURE,
    STANDS,
    EventKind,
    Figure,
    Kind,
    Spot,
)

FOLLOWERS = (int(Figure.MEEPLE), int(Figure.BIG), int(Figure.ABBOT))


@jit
def slot_in_supply(game, player, figure):
    """The player's first slot whose figure is of this kind and in the supply, or NONE if there is no such slot."""
    for slot in range(FIRST_SLOT[figure], FIRST_SLOT[figure + 1]):
        if game.players[player].figures[slot] == IN_SUPPLY:
            return slot
    return NONE


@jit
def followers_in_supply(game, player):
    """The kinds of followers in the player's supply, as a bit set."""
    kinds = 0
    for figure in FOLLOWERS:
        if slot_in_supply(game, player, figure) != NONE:
            kinds |= 1 << figure
    return kinds


@jit
def options(game, tiles, room):
    """List the actions that place a follower on an unoccupied feature of the tile just placed. Returns the number of
    actions.

    On a special monastery a follower can stand or lie.
    """
    square = game.board[game.placed]
    tile = tiles.kinds[square.tile]
    followers, n = followers_in_supply(game, game.active), 0
    n_free = list_unoccupied(game, tile, square, room) if followers else 0
    for figure in FOLLOWERS:
        for i in range(n_free if followers >> figure & 1 else 0):
            number = int64(room.cells[i])
            if STANDS[figure, tile.kind[number]]:
                room.answers[n] = figure_answer(size_of(game), figure, tile.spot[square.rotation, number])
                n += 1
                if tile.kind[number] == Kind.SPECIAL_MONASTERY:
                    room.answers[n] = figure_answer(size_of(game), figure, int64(Spot.LYING))
                    n += 1
    return n


@jit
def list_unoccupied(game, tile, square, room):
    """List the unoccupied segments of a placed tile in the order of their spots. A segment is left out if its feature
    is occupied, or if its kind of feature is not in play. Returns the number of segments listed.
    """
    n = 0
    for i in range(tile.n_segments):
        number = int64(tile.by_spot[square.rotation, i])
        if game.kinds >> tile.kind[number] & 1 and not is_occupied(
            game, int64(game.segments[square.first_segment + number].feature)
        ):
            room.cells[n] = number
            n += 1
    return n


@jit
def deploy(game, tiles, player, figure, spot):
    """Place a figure from the supply on a spot of the tile just placed."""
    square = game.board[game.placed]
    segment = square.first_segment + tiles.kinds[square.tile].spot_segment[square.rotation, spot]
    stand(game, player, slot_in_supply(game, player, figure), segment)
    if spot == Spot.LYING:
        lie_down(game, segment)


@jit
def take_back(game, player, slot):
    """Return one figure of a player to the supply."""
    segment = leave(game, player, slot)
    note(game, EventKind.FIGURE_RETURNED, player, SLOT_FIGURE[slot], 1, int(game.segments[segment].cell))


@jit
def return_all(game, feature):
    """Return all figures on a feature to their players' supplies, including the figures of players who scored no
    points.
    """
    for player in range(int(game.n_players)):
        for slot in range(N_SLOTS):
            segment = game.players[player].figures[slot]
            if segment >= 0 and game.segments[segment].feature == feature:
                take_back(game, player, slot)
