"""Helps bots try actions on a copy of the game. `copy_in_use` copies a game quickly, because it copies only the fields
and entries in use. `take_tile_back` removes the last placed tile from the copy. Removing the tile is even faster than
making a new copy.
"""

from numpy import int64

from carc_env.compiling.jit import each_of, jit
from carc_env.rules.double_tiles import area_size, area_square, other_square
from carc_env.rules.state import MAX_TOUCHED, N_GERMAN_CASTLES, NONE, SMALL_FIELDS


@jit
def copy_in_use(trial, game):
    """Copy `game` to `trial`. Entries beyond the end of a list are not copied, because they are never read."""
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
    """Copy the list of completed features and the fields in SMALL_FIELDS from the record `game` to `trial`."""
    for i in range(game.n_completed):
        trial.completed[i] = game.completed[i]
    for name in each_of(SMALL_FIELDS):
        trial[name] = game[name]


@jit
def take_tile_back(trial, game):
    """Make `trial` equal to `game` again. Before the call, `trial` is a copy of `game` in which at most one tile was
    placed and nothing was scored.

    Afterwards, the two games can differ only in GAME.counts and in values that are never read: the entries beyond the
    end of a list, and the marks (`FEATURE.mark`) of earlier passes over the features (see `features.begin_count`).
    """
    if trial.placed == NONE:
        return
    last = int64(NONE)
    for k in range(game.n_touched, trial.n_touched):
        node = int64(trial.touched[k % MAX_TOUCHED])
        # the condition is False if `node` is a segment of the placed tile, or if its feature has already been restored
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
    trial.counts = counts  # not restored, because features can still have marks of passes that only `trial` has made


@jit(absent=None)
def take_castles_back(trial, game):
    """Restore the squares of all German castles. When a tile is placed beside a castle, `CELL.neighbours` changes for
    both squares of the castle, even if the tile is beside only one of these squares.
    """
    for castle in range(N_GERMAN_CASTLES):
        for k in range(2):
            cell = int64(game.systems.german_castles.squares[castle, k])
            if cell != NONE:
                trial.board[cell] = game.board[cell]


@jit
def take_feature_back(trial, game, feature):
    """Restore a feature that the placement of the tile has changed, and the segments that belong to this feature in
    `game`.
    """
    trial.features[feature] = game.features[feature]
    at = feature
    while True:
        trial.segments[at] = game.segments[at]
        at = int64(game.segments[at].next)
        if at == feature:
            return


@jit
def take_frontier_back(trial, game):
    """Restore the list of empty cells beside the layout.

    The cells around the placed tile are already restored. On a map sheet, the tile may also have connected a large city
    to the layout. When a large city is connected, the empty squares around the city are added to the list.
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
