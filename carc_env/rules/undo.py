"""For players that try answers on a copy of the game: a copy of what is in use alone, and taking a tile back, which
costs less still.
"""

from numpy import int64

from carc_env.compiling.jit import each_of, jit
from carc_env.rules.double_tiles import area_size, area_square, other_square
from carc_env.rules.state import MAX_TOUCHED, N_GERMAN_CASTLES, NONE, SMALL_FIELDS


@jit
def copy_in_use(trial, game):
    """Make `trial` a copy of `game` in all that anybody reads: what lies behind the end of a list may differ."""
    trial.board, trial.touched = game.board, game.touched
    for i in range(game.n_frontier):
        trial.frontier[i] = game.frontier[i]
    for node in range(game.n_segments):
        trial.segments[node] = game.segments[node]
        trial.features[node] = game.features[node]
    for i in range(game.n_deck):
        trial.deck[i] = game.deck[i]
    for i in range(game.n_moves):
        trial.moves[i] = game.moves[i]
    for i in range(game.n_events):
        trial.events[i] = game.events[i]
    copy_small_fields(trial, game)


@jit
def copy_small_fields(trial, game):
    """Copy all that is no long list, and the list of what was completed."""
    for i in range(game.n_completed):
        trial.completed[i] = game.completed[i]
    for name in each_of(SMALL_FIELDS):
        trial[name] = game[name]


@jit
def take_tile_back(trial, game):
    """Make `trial`, a copy of `game` in which a tile was placed, or none, and nothing scored, equal to `game` again.

    Only what nobody reads may differ: the marks of counts, and what lies behind the end of a list.
    """
    if trial.placed == NONE:
        return
    last = int64(NONE)
    for k in range(game.n_touched, trial.n_touched):
        node = int64(trial.touched[k % MAX_TOUCHED])
        # else a segment of the tile, or done already
        if node < game.n_segments and game.segments[node].feature != last:
            last = int64(game.segments[node].feature)
            take_feature_back(trial, game, last)
    other = other_square(trial, trial.placed)
    for k in range(area_size(other)):
        near = area_square(game, trial.placed, other, k)
        trial.board[near] = game.board[near]
    if game.boxes.german_castles:
        take_castles_back(trial, game)
    take_frontier_back(trial, game)
    counts = trial.counts
    copy_small_fields(trial, game)
    trial.counts = counts  # those marked stay so


@jit(absent=None)
def take_castles_back(trial, game):
    """What counts for one square of a German castle counts for both, also for that which lies further away."""
    for castle in range(N_GERMAN_CASTLES):
        for k in range(2):
            cell = int64(game.systems.german_castles.squares[castle, k])
            if cell != NONE:
                trial.board[cell] = game.board[cell]


@jit
def take_feature_back(trial, game, feature):
    """A feature that the tile has changed becomes what it was, and its segments are its own again."""
    trial.features[feature] = game.features[feature]
    at = feature
    while True:
        trial.segments[at] = game.segments[at]
        at = int64(game.segments[at].next)
        if at == feature:
            return


@jit
def take_frontier_back(trial, game):
    """The list of empty cells beside the layout becomes what it was.

    The cells around the tile are what they were already. On a sheet a large city may have opened its other sides.
    """
    if game.systems.maps.on_sheet:
        for i in range(trial.n_frontier):
            if i >= game.n_frontier or trial.frontier[i] != game.frontier[i]:
                trial.board[trial.frontier[i]].in_frontier = 0
        for i in range(game.n_frontier):
            if i >= trial.n_frontier or trial.frontier[i] != game.frontier[i]:
                trial.board[game.frontier[i]].in_frontier = 1
    for i in range(game.n_frontier):
        trial.frontier[i] = game.frontier[i]
