"""The table of actions: what each of the `N_ACTIONS` ids means, the same in all games."""

from dataclasses import dataclass

from carc_env.boxes import FIGURES, SPOTS
from carc_env.rules import answers
from carc_env.rules.answers import N_ACTIONS
from carc_env.rules.state import N_CELLS, N_FIGURES, N_SPOTS, SIZE


@dataclass(frozen=True)
class Block:
    """Consecutive ids of one sort."""

    name: str
    start: int
    shape: tuple[int, ...]  # sizes of the axes, the last one runs fastest
    axes: tuple[str, ...]
    meaning: str

    @property
    def size(self) -> int:
        """How many ids it has."""
        size = 1
        for n in self.shape:
            size *= n
        return size

    def index(self, action: int) -> tuple[int, ...]:
        """The place of an id along each axis."""
        rest, place = action - self.start, []
        for n in reversed(self.shape):
            rest, at = divmod(rest, n)
            place.append(at)
        return tuple(reversed(place))


TABLE = (
    Block("place_tile", answers.PLACE_TILE, (4, SIZE, SIZE), ("rotation", "row", "column"),
          "lay the tile in hand, turned clockwise by quarter turns, on a cell; or the own abbey (rotation 0), or the first of the "
          "German castles in hand"),
    Block("choose_cell", answers.CHOOSE_CELL, (4, SIZE, SIZE), ("choice", "row", "column"),
          "choose the tile on a cell: it gets the second ingot, an ingot is taken from it, or a crop circle adds "
          "or takes back a meeple (choice 0) or a big one (choice 1); a castle is founded on it and the tile to its east (choice 0) or "
          "south (choice 1); the second of the German castles in hand is laid there (choice: its quarter turns)"),
    Block("place_figure", answers.PLACE_FIGURE, (N_FIGURES, N_SPOTS), ("figure", "spot"),
          "put a figure on a spot of the tile just placed"),
    Block("sell_wine", answers.SELL_WINE, (3, 2, 2), ("colour", "composition", "destination"),
          "sell a wine (purple, light blue, orange) made of one 2 or of two 1s, abroad or in a town"),
    Block("ferry", answers.FERRY, (answers.MAX_FERRIES, answers.N_PAIRS), ("ferry", "edges"),
          "move one of the ferries that can be moved, numbered row by row (plane `choice`), to a pair of edges (N-E, N-S, N-W, E-S, "
          "E-W, S-W); the ferry of a lake just placed is number 0"),
    Block("castle_score", answers.CASTLE_SCORE, (answers.VICINITY, N_SPOTS), ("tile", "spot"),
          "what the castle marked in plane `choice` scores: the completed feature at a spot of one of the six tiles of its "
          "vicinity, row by row"),
    Block("recall", answers.RECALL, (1,), ("",), "take the own abbot back and score it"),
    Block("circle_add", answers.CIRCLE_ADD, (1,), ("",), "crop circle: everybody may add a follower"),
    Block("circle_remove", answers.CIRCLE_REMOVE, (1,), ("",), "crop circle: everybody takes a follower back"),
    Block("pass", answers.PASS, (1,), ("",), "no figure, no sale, none of what else was asked for"),
)
assert TABLE[-1].start + 1 == N_ACTIONS
assert all(a.start + a.size == b.start for a, b in zip(TABLE, TABLE[1:]))
assert (SIZE * SIZE, N_FIGURES) == (N_CELLS, len(FIGURES))


def block_of(action: int) -> Block:
    """The block that an id belongs to. Raises ValueError for a number that is no id."""
    if not 0 <= action < N_ACTIONS:
        raise ValueError(f"action {action} is not from 0 to {N_ACTIONS - 1}")
    return next(block for block in reversed(TABLE) if action >= block.start)


def describe(action: int) -> str:
    """What an action id means, whatever the game.

    >>> describe(312)
    'place_tile rotation 0 row 12 column 12'
    >>> describe(N_ACTIONS - 1)
    'pass'
    """
    block = block_of(action)
    words = [block.name]
    for axis, place in zip(block.axes, block.index(action)):
        if axis == "rotation":
            words.append(f"rotation {90 * place}")
        elif axis == "figure":
            words.append(FIGURES[place])
        elif axis == "spot":
            words.append(SPOTS[place] if place < len(SPOTS) else f"spot {place}")
        elif axis:
            words.append(f"{axis} {place}")
    return " ".join(words)


__all__ = ["N_ACTIONS", "TABLE", "Block", "block_of", "describe"]
