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


TABLE = (  # what they mean in a game is told by the faces of its boxes (Face.answers)
    Block("place_tile", answers.PLACE_TILE, (4, SIZE, SIZE), ("rotation", "row", "column")),
    Block("choose_cell", answers.CHOOSE_CELL, (4, SIZE, SIZE), ("choice", "row", "column")),
    Block("place_figure", answers.PLACE_FIGURE, (N_FIGURES, N_SPOTS), ("figure", "spot")),
    Block("sell_wine", answers.SELL_WINE, (3, 2, 2), ("colour", "composition", "destination")),
    Block("ferry", answers.FERRY, (answers.MAX_FERRIES, answers.N_PAIRS), ("ferry", "edges")),
    Block("castle_score", answers.CASTLE_SCORE, (answers.VICINITY, N_SPOTS), ("tile", "spot")),
    Block("recall", answers.RECALL, (1,), ("",)),
    Block("circle_add", answers.CIRCLE_ADD, (1,), ("",)),
    Block("circle_remove", answers.CIRCLE_REMOVE, (1,), ("",)),
    Block("pass", answers.PASS, (1,), ("",)),
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
