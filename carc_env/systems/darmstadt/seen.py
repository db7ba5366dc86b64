"""Computes estimates for observations and bots: the bonus points that players can expect from Darmstadt churches."""

from numpy import int64

from carc_env.boxes.closing import chance_of_filling
from carc_env.boxes.prospect_parts import Part
from carc_env.compiling.jit import jit
from carc_env.rules.double_tiles import is_in_area, is_tile_near
from carc_env.rules.expansions import darmstadt, shrines
from carc_env.rules.features import is_complete
from carc_env.rules.state import FOLLOWER_SLOTS, NONE, Kind

MAX_CHURCHES = 16  # the maximum number of churches on the table that are taken into account
CHURCHES = 1 << Kind.CHURCH


@jit
def list_churches(view, game):
    """List the churches on the table in `view.churches`."""
    view.n_churches = 0
    if game.boxes.darmstadt:
        for node in range(int64(game.n_segments)):
            if game.features[node].kind == Kind.CHURCH and view.n_churches < MAX_CHURCHES:
                view.churches[view.n_churches] = node
                view.n_churches += 1


@jit(absent=None)
def add_churches(view, game, tiles, parts):
    """Add each player's expected bonus points for churches to the heuristic estimates."""
    if not game.boxes.darmstadt:
        return
    for player in range(int64(game.n_players)):
        parts[player, Part.CHURCHES] += all_bonuses(view, game, tiles, player)


@jit(absent=0.0)
def church_prospects(view, game, tiles, player):
    """Return a player's expected bonus points for all churches. In a game without churches, the result is 0."""
    return all_bonuses(view, game, tiles, player) if game.boxes.darmstadt else 0.0


@jit
def all_bonuses(view, game, tiles, player):
    """Return a player's expected bonus points for the churches in `view.churches`. If the tile that was just placed has
    a church, the result includes this church too.
    """
    total, placed = 0.0, int64(NONE)
    if game.placed != NONE:
        placed = int64(shrines.building_on(game, int64(game.placed), CHURCHES))
    for k in range(int64(view.n_churches)):
        total += bonus_to_come(view, game, tiles, player, int64(view.churches[k]))
        if view.churches[k] == placed:
            placed = int64(NONE)
    if placed != NONE:
        total += bonus_to_come(view, game, tiles, player, placed)
    return total


@jit
def bonus_to_come(view, game, tiles, player, church):
    """Return a player's expected bonus points for a church: the bonus times the chance that the church will be
    completed. If the player has no followers around the church, or if another player has more, the result is 0. See
    `count_around`.
    """
    cell, chance = int64(game.segments[church].cell), 1.0
    completed = game.board[cell].neighbours == game.board[cell].around
    if not completed:
        chance = chance_of_filling(view, game, tiles, church)
    elif not view.unscored or game.placed == NONE or not is_in_area(game, int64(game.placed), cell):
        return 0.0
    mine, most = 0, 0
    for other in range(int64(game.n_players)):
        followers = count_around(game, other, cell, completed)
        most = max(most, followers)
        if other == player:
            mine = followers
    return darmstadt.CHURCH_BONUS * chance if mine > 0 and mine == most else 0.0


@jit
def count_around(game, player, cell, completed):
    """Count a player's followers on a church's tile and the tiles around it. Before the church is completed, followers
    on completed features are not counted, because they return to the supply.
    """
    followers = 0
    for slot in range(FOLLOWER_SLOTS):
        node = int64(game.players[player].figures[slot])
        if node >= 0 and is_tile_near(game, cell, int64(game.segments[node].cell)):
            feature = int64(game.segments[node].feature)
            followers += completed or game.features[feature].kind == Kind.CASTLE or not is_complete(game, feature)
    return followers
