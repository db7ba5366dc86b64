"""Implements crop circles. If a crop circle tile was placed, the active player chooses A (add) or B (take back) at the
end of the turn. The choice applies to all players. With A, every player may add a follower beside one of their own
followers. With B, every player must take back one of their own followers.

The symbol on the tile determines which followers are affected: farmers, followers on roads, or knights. After the
choice of A or B, all players act in turn. The player to the left of the active player begins, and the active player
acts last.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import (
    CIRCLE_ADD,
    CIRCLE_REMOVE,
    cell_answer,
    cell_of_choice,
    figure_of_choice,
    insert_ascending,
    other_answer,
    pass_of,
)
from carc_env.rules.double_tiles import own_spot, own_square
from carc_env.rules.expansions.traders_and_builders import return_if_alone
from carc_env.rules.features import stand
from carc_env.rules.figures import slot_in_supply, take_back
from carc_env.rules.geometry import size_of
from carc_env.rules.state import FIRST_SLOT, NONE, Phase

# After CROP_CHOICE, all players act in CROP_ADD or in CROP_REMOVE; the other of these two steps is skipped.
STEPS = (int(Phase.CROP_CHOICE), int(Phase.CROP_ADD), int(Phase.CROP_REMOVE))
FIRST_ADDER, LAST_ADDED = 0, 1  # the figures that can be added: Figure.MEEPLE, Figure.BIG


@jit
def role(game, tiles):
    """Return the kind of feature (road, city or field) that the crop circle on the tile just placed affects. Returns
    NONE if the tile has no crop circle.
    """
    return int(tiles.kinds[game.board[game.placed].tile].crop_circle)


@jit
def stands_in_role(game, tiles, player, slot):
    """True if a player's figure stands on the kind of feature that the crop circle affects. `slot` identifies the
    figure.
    """
    where = game.players[player].figures[slot]
    return where >= 0 and game.features[game.segments[where].feature].kind == role(game, tiles)


@jit
def begin(game, tiles):
    """Begin a step for the crop circle on the tile just placed. In the step CROP_CHOICE, the active player chooses A
    (add) or B (take back). In the step CROP_ADD or CROP_REMOVE, all players act in turn, beginning to the left of the
    active player. Choice A skips the step CROP_REMOVE, and choice B skips the step CROP_ADD. Returns True if a decision
    follows.
    """
    if role(game, tiles) == NONE:
        return False
    if game.phase == Phase.CROP_CHOICE:
        return True
    game.player = (game.active + 1) % game.n_players
    return (game.phase == Phase.CROP_ADD) == (game.systems.crop_circles.adds == 1)


@jit
def options(game, tiles, room):
    """List the legal actions. Returns their number."""
    if game.phase == Phase.CROP_CHOICE:
        room.answers[0] = other_answer(size_of(game), CIRCLE_ADD)
        room.answers[1] = other_answer(size_of(game), CIRCLE_REMOVE)
        return 2
    return follower_options(game, tiles, room)


@jit
def follower_options(game, tiles, room):
    """List the actions with which a player adds or takes back a follower. Each action combines two choices: a square
    where the player has a follower, and the figure to add or take back (a meeple or a big meeple). Returns the number
    of actions.
    """
    n = int64(0)
    for slot in range(FIRST_SLOT[LAST_ADDED + 1]):
        if stands_in_role(game, tiles, game.player, slot):
            cell = own_square(game, tiles, int64(game.players[game.player].figures[slot]))
            for figure in range(FIRST_ADDER, LAST_ADDED + 1):
                if game.phase == Phase.CROP_ADD:
                    possible = slot_in_supply(game, game.player, figure) != NONE
                else:
                    possible = FIRST_SLOT[figure] <= slot < FIRST_SLOT[figure + 1]
                if possible:
                    n = insert_ascending(room, n, int64(cell_answer(size_of(game), cell, figure)))
    if n > 0 and game.phase == Phase.CROP_ADD and not game.variants.crop_must_add:
        room.answers[n] = pass_of(game)
        n += 1
    return n


@jit
def apply(game, tiles, answer):
    """Carry out an action: choose A or B, add a follower, or take a follower back. Returns True if the action finishes
    the step. The active player's choice of A or B finishes the step CROP_CHOICE. In the steps CROP_ADD and CROP_REMOVE,
    the active player acts last, and this player's action finishes the step.
    """
    if game.phase == Phase.CROP_CHOICE:
        game.systems.crop_circles.adds = answer == other_answer(size_of(game), CIRCLE_ADD)
        return True
    if answer != pass_of(game):
        game.moves[game.n_moves - 1].spot = spot_of(game, tiles, game.player, cell_of_choice(size_of(game), answer))
        carry_out(game, tiles, answer)
    if game.player == game.active:
        return True
    game.player = (game.player + 1) % game.n_players
    return False


@jit
def carry_out(game, tiles, answer):
    """Carry out an action that adds a follower or takes back a follower."""
    figure, cell = figure_of_choice(size_of(game), answer), cell_of_choice(size_of(game), answer)
    if game.phase == Phase.CROP_ADD:
        add(game, tiles, figure, cell)
    else:
        remove(game, tiles, figure, cell)


@jit
def spot_of(game, tiles, player, cell):
    """Return the spot of a player's follower on a square. Returns NONE if the crop circle affects none of the player's
    followers on the square.
    """
    for slot in range(FIRST_SLOT[LAST_ADDED + 1]):
        where = int64(game.players[player].figures[slot])
        if stands_in_role(game, tiles, player, slot) and own_square(game, tiles, where) == cell:
            square = game.board[cell]
            return int64(own_spot(tiles.kinds[square.tile].spot[square.rotation, where - square.first_segment]))
    return NONE


@jit
def add(game, tiles, figure, cell):
    """Add a follower from the supply to a segment where the same player already has a follower."""
    for slot in range(FIRST_SLOT[LAST_ADDED + 1]):
        where = int64(game.players[game.player].figures[slot])
        if stands_in_role(game, tiles, game.player, slot) and own_square(game, tiles, where) == cell:
            stand(game, int64(game.player), int64(slot_in_supply(game, game.player, figure)), where)
            return


@jit
def remove(game, tiles, figure, cell):
    """Return a follower to the supply. The player's builder or pig also returns if the player has no other follower in
    the same feature.
    """
    for slot in range(FIRST_SLOT[figure], FIRST_SLOT[figure + 1]):
        where = int64(game.players[game.player].figures[slot])
        if stands_in_role(game, tiles, game.player, slot) and own_square(game, tiles, where) == cell:
            take_back(game, int64(game.player), int64(slot))
            return_if_alone(game, int64(game.player))
            return
