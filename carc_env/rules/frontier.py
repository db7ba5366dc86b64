"""The frontier: the empty cells beside the layout, where a tile can be placed."""

from carc_env.compiling.jit import jit


@jit
def enter_frontier(game, cell):
    """Add an empty cell to the frontier, unless it is already there. The frontier is sorted in ascending order."""
    if game.board[cell].in_frontier:
        return
    game.board[cell].in_frontier = 1
    at = int(game.n_frontier)
    while at > 0 and game.frontier[at - 1] > cell:
        game.frontier[at] = game.frontier[at - 1]
        at -= 1
    game.frontier[at] = cell
    game.n_frontier += 1


@jit
def leave_frontier(game, cell):
    """Remove a cell from the frontier, if it is there."""
    game.board[cell].in_frontier = 0
    n = int(game.n_frontier)
    at = 0
    while at < n and game.frontier[at] != cell:
        at += 1
    if at < n:
        for i in range(at, n - 1):
            game.frontier[i] = game.frontier[i + 1]
        game.n_frontier = n - 1
