"""Taking a tile back: for players that try answers on a copy of the game, where a copy for each answer would cost more."""

from carc_env.jit import jit
from carc_env.rules.geometry import nearby
from carc_env.rules.state import MAX_LARGE


@jit
def take_tile_back(trial, game):
    """Make `trial`, a copy of `game` in which a tile was placed and nothing scored, equal to `game` again.

    Only what nobody reads may differ: the counts of GAME.counts, and what lies behind the end of a list.
    """
    take_segments_back(trial, game)
    for k in range(9):
        trial.board[nearby(trial.placed, k)] = game.board[nearby(trial.placed, k)]
    take_frontier_back(trial, game)
    for player in range(game.n_players):
        trial.players[player] = game.players[player]
    for axis in range(2):
        trial.x_range[axis] = game.x_range[axis]
        trial.y_range[axis] = game.y_range[axis]
    trial.systems.goldmines.supply = game.systems.goldmines.supply
    trial.systems.goldmines.on_tiles = game.systems.goldmines.on_tiles
    trial.systems.traders_and_builders.extended = game.systems.traders_and_builders.extended
    trial.phase = game.phase
    trial.tile = game.tile
    trial.placed = game.placed
    trial.n_tiles = game.n_tiles
    trial.n_segments = game.n_segments
    trial.n_moves = game.n_moves
    trial.n_events = game.n_events


@jit
def take_segments_back(trial, game):
    """The segments that the tile joined, which are those of its features, get back the features they had."""
    for node in range(game.n_segments, trial.n_segments):
        at = trial.segments[node].next
        trial.segments[node].next = node
        while at != node:
            following = trial.segments[at].next
            if at >= game.n_segments:
                trial.segments[at].next = at
            else:
                trial.segments[at] = game.segments[at]
                if game.segments[at].feature == at:
                    trial.features[at] = game.features[at]
            at = following


@jit
def take_frontier_back(trial, game):
    """The empty cells beside the layout become what they were; a large city may have opened its other sides."""
    for i in range(trial.n_frontier):
        trial.board[trial.frontier[i]].in_frontier = 0
    trial.n_frontier = game.n_frontier
    for i in range(game.n_frontier):
        trial.frontier[i] = game.frontier[i]
        trial.board[game.frontier[i]].in_frontier = 1
    if game.systems.maps.on_sheet:
        for large in range(MAX_LARGE + 1):
            trial.systems.maps.connected[large] = game.systems.maps.connected[large]
