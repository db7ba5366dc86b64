"""Defines the ids and meanings of all actions. An action has the same id in all games that are played on tables of the
same size (`GameConfig.table_size`).
"""

from dataclasses import dataclass
from functools import cache

from carc_env.boxes.tiles import FIGURES, SPOTS
from carc_env.rules import answers
from carc_env.rules.answers import ids_of
from carc_env.rules.state import MAX_FERRIES, N_FIGURES, N_SPOTS

USUAL_SIZE = 25  # most games use a table of USUAL_SIZE x USUAL_SIZE cells, see `GameConfig.table_size`
N_ACTIONS = ids_of(USUAL_SIZE).n  # the number of action ids in games on a table of USUAL_SIZE rows and columns


@dataclass(frozen=True)
class Block:
    """A block of consecutive ids that belong to one kind of action."""

    name: str
    start: int
    shape: tuple[int, ...]  # the sizes of the axes; the last axis varies fastest
    axes: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of ids in the block."""
        size = 1
        for n in self.shape:
            size *= n
        return size

    def index(self, action: int) -> tuple[int, ...]:
        """Return the position of an action id along each axis of the block."""
        rest, place = action - self.start, []
        for n in reversed(self.shape):
            rest, at = divmod(rest, n)
            place.append(at)
        return tuple(reversed(place))


@cache
def table(size: int = USUAL_SIZE) -> tuple[Block, ...]:
    """Return the blocks of action ids for games on a table of `size` rows and `size` columns. In a game, the meaning of
    a block depends on the boxes that are in play (see `System.answers`).
    """
    ids = ids_of(size)
    return (
        Block("place_tile", ids.place_tile, (4, size, size), ("rotation", "row", "column")),
        Block("choose_cell", ids.choose_cell, (4, size, size), ("choice", "row", "column")),
        Block("place_figure", ids.place_figure, (N_FIGURES, N_SPOTS), ("figure", "spot")),
        Block("sell_wine", ids.sell_wine, (3, 2, 2), ("colour", "composition", "destination")),
        Block("ferry", ids.ferry, (MAX_FERRIES, answers.N_PAIRS), ("ferry", "edges")),
        Block("castle_score", ids.castle_score, (answers.VICINITY, N_SPOTS), ("tile", "spot")),
        Block("recall", ids.recall, (1,), ("",)),
        Block("circle_add", ids.circle_add, (1,), ("",)),
        Block("circle_remove", ids.circle_remove, (1,), ("",)),
        Block("pass", ids.passing, (1,), ("",)),
    )


TABLE = table()  # the blocks of action ids for games on a table of USUAL_SIZE rows and columns
assert len(FIGURES) == N_FIGURES and TABLE[-1].start + 1 == N_ACTIONS


def block_of(action: int, size: int = USUAL_SIZE) -> Block:
    """Return the block that contains an action id, for games on a table of `size` rows and `size` columns. Raises
    ValueError for an unknown id.
    """
    n = ids_of(size).n
    if not 0 <= action < n:
        raise ValueError(f"there is no action {action}; the ids are from 0 to {n - 1}")
    return next(block for block in reversed(table(size)) if action >= block.start)


def describe(action: int, size: int = USUAL_SIZE) -> str:
    """Describe an action id by the name of its block, and by the position of the id in the block. The description is
    the same in all games on a table of `size` rows and `size` columns.

    >>> describe(312)
    'place_tile rotation 0 row 12 column 12'
    >>> describe(N_ACTIONS - 1)
    'pass'
    """
    block = block_of(action, size)
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


__all__ = ["N_ACTIONS", "TABLE", "USUAL_SIZE", "Block", "block_of", "describe", "table"]
