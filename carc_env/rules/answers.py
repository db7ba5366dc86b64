"""Action ids: one number for every answer to every question, the same in all games on a table of one size.

| block | ids | meaning |
|---|---|---|
| `place_tile` | rotation x cell | lay a tile there, the one in hand or an own one |
| `choose_cell` | 4 x cell | a cell, and one of four choices there: what that means depends on the question |
| `place_figure` | figure x spot | put a figure on the tile just placed |
| `sell_wine` | colour x composition x destination | sell a wine |
| `ferry` | ferry x pair of edges | move one of the ferries that can be moved, row by row; the ferry of the lake just placed is the first |
| `castle_score` | tile x spot | what a castle scores: a feature of one of the six tiles of its vicinity, row by row |
| `recall`, `circle_add`, `circle_remove` | | |
| `pass` | | none of what was asked for |

So the ids that name a cell come first, and the others follow them: their numbers here, such as PASS, are counted from
the first of them. Compiled functions get the size of the table from `size_of(game)`, where it is a constant. Python
asks `ids_of(size)`.
"""

from functools import cache
from typing import NamedTuple

from carc_env.compiling.jit import jit
from carc_env.rules.geometry import size_of
from carc_env.rules.state import MAX_CELLS, MAX_FERRIES, MAX_FRONTIER, N_FIGURES, N_SPOTS, NONE, Phase, record

N_PAIRS = 6  # pairs of the edges of a tile: N-E, N-S, N-W, E-S, E-W, S-W
VICINITY = 6  # tiles of a castle's vicinity

CELL_CHOICES = 8  # ids of a cell: four rotations of a tile, four choices
PLACE_FIGURE = 0  # ids that name no cell, counted from the first of them
SELL_WINE = PLACE_FIGURE + N_FIGURES * N_SPOTS
FERRY = SELL_WINE + 3 * 2 * 2
CASTLE_SCORE = FERRY + MAX_FERRIES * N_PAIRS
RECALL = CASTLE_SCORE + VICINITY * N_SPOTS
CIRCLE_ADD = RECALL + 1
CIRCLE_REMOVE = RECALL + 2
PASS = RECALL + 3
N_OTHERS = PASS + 1
MAX_ANSWERS = 8 * MAX_FRONTIER  # to one question
LAYING = (int(Phase.PLACE_ABBEY), int(Phase.PLACE_GERMAN_CASTLE), int(Phase.PLACE_TILE))  # questions where a tile goes

# Room to work in: where answers are listed. A record, not an array, so that passing it on costs nothing.
ROOM = record(
    ("answers", "i4", (MAX_ANSWERS,)),  # those to the question asked
    ("cells", "i2", (MAX_FRONTIER,)),  # where the tile in hand fits; free segments of the tile just placed
    # by rotation in a byte each: the bits in which its edges differ from what the cell demands
    ("differ", "u4", (MAX_FRONTIER,)),
    # while chips are laid out
    ("squares", "i1", (MAX_CELLS,)),
    ("listed", "i2", (MAX_CELLS,)),  # squares, or faces of chips, in some order; also the cities beside a field
    ("partner", "i2", (MAX_CELLS,)),  # also the fields beside a city
    ("came_from", "i2", (MAX_CELLS,)),
    ("crowds", "i1", (MAX_CELLS,)),  # chosen squares in the block of each one listed
)


class Ids(NamedTuple):
    """The first id of each block, on a table of one size, and how many ids there are."""

    place_tile: int
    choose_cell: int
    place_figure: int
    sell_wine: int
    ferry: int
    castle_score: int
    recall: int
    circle_add: int
    circle_remove: int
    passing: int
    n: int


@cache
def ids_of(size: int) -> Ids:
    """The ids of a table of this size."""
    first = CELL_CHOICES * size * size
    others = (PLACE_FIGURE, SELL_WINE, FERRY, CASTLE_SCORE, RECALL, CIRCLE_ADD, CIRCLE_REMOVE, PASS, N_OTHERS)
    return Ids(0, 4 * size * size, *(first + other for other in others))


@jit
def other_answer(size, number):
    """The id of an answer that names no cell, such as PASS, on a table of this size."""
    return CELL_CHOICES * size * size + number


@jit
def pass_of(game):
    """The id of `pass`."""
    return other_answer(size_of(game), PASS)


# Each kind of answer has a function that makes it, and one that takes it apart again.
@jit
def tile_answer(size, rotation, cell):
    """Lay the tile in hand on `cell`, turned by `rotation` quarter turns."""
    return int(rotation) * size * size + int(cell)


@jit
def tile_of(size, answer):
    """The rotation and the cell of such an answer."""
    return answer // (size * size), answer % (size * size)


@jit
def names_tile(size, answer):
    """Whether an answer is one of these."""
    return answer < 4 * size * size


@jit
def cell_answer(size, cell, figure=0):
    """Choose the tile on `cell`, and where the question asks for it a figure, a meeple (0) or a big one (1)."""
    return (4 + int(figure)) * size * size + int(cell)


@jit
def cell_of_choice(size, answer):
    """The cell of such an answer."""
    return answer % (size * size)


@jit
def figure_of_choice(size, answer):
    """The figure of such an answer."""
    return answer // (size * size) - 4


@jit
def cell_laid(size, phase, answer):
    """The cell where an answer to a question lays a tile, of a double tile its first square; NONE: it lays none."""
    if phase in LAYING and answer != other_answer(size, PASS):
        return answer % (size * size)
    return NONE


@jit
def figure_answer(size, figure, spot):
    """Put `figure` on `spot` of the tile just placed."""
    return other_answer(size, PLACE_FIGURE + int(figure) * N_SPOTS + int(spot))


@jit
def figure_of(size, answer):
    """The figure and the spot of such an answer."""
    number = answer - other_answer(size, PLACE_FIGURE)
    return number // N_SPOTS, number % N_SPOTS


@jit
def sale_answer(size, colour, composition, destination):
    """Sell a wine of a colour, made of one 2 (0) or of two 1s (1), abroad (0) or in a town (1)."""
    return other_answer(size, SELL_WINE + 4 * int(colour) + 2 * int(composition) + int(destination))


@jit
def sale_of(size, answer):
    """The colour, the composition and the destination of such an answer."""
    number = answer - other_answer(size, SELL_WINE)
    return number // 4, number // 2 % 2, number % 2


@jit
def ferry_answer(size, number, pair):
    """The ferry of this number, of those that can be moved, joins a pair of edges."""
    return other_answer(size, FERRY + N_PAIRS * int(number) + int(pair))


@jit
def ferry_of(size, answer):
    """The number and the pair of such an answer."""
    number = answer - other_answer(size, FERRY)
    return number // N_PAIRS, number % N_PAIRS


@jit
def castle_answer(size, cell, side):
    """Found a castle on `cell` and on the tile to its east (side 1) or south (2)."""
    return cell_answer(size, cell, side - 1)


@jit
def castle_of(size, answer):
    """The cell and the side of such an answer."""
    return cell_of_choice(size, answer), figure_of_choice(size, answer) + 1


@jit
def castle_score_answer(size, place, spot):
    """Score what is at a spot of a tile of the vicinity, numbered row by row."""
    return other_answer(size, CASTLE_SCORE + int(place) * N_SPOTS + int(spot))


@jit
def castle_score_of(size, answer):
    """The tile's number and the spot of such an answer."""
    number = answer - other_answer(size, CASTLE_SCORE)
    return number // N_SPOTS, number % N_SPOTS


@jit
def is_listed(answers, n, answer):
    """Whether an answer is among the first n of a list, which ascend."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if answers[middle] < answer:
            low = middle + 1
        else:
            high = middle
    return low < n and answers[low] == answer


@jit
def keep(room, i, kept):
    """Entry i of the cells listed becomes number `kept` of those that are kept."""
    room.cells[kept] = room.cells[i]
    room.differ[kept] = room.differ[i]


@jit
def insert_ascending(room, n, answer):
    """Add an answer to the first n in the room, which ascend, unless it is there already. Returns the new number."""
    at = n
    while at > 0 and room.answers[at - 1] > answer:
        at -= 1
    if at > 0 and room.answers[at - 1] == answer:
        return n
    for i in range(n, at, -1):
        room.answers[i] = room.answers[i - 1]
    room.answers[at] = answer
    return n + 1
