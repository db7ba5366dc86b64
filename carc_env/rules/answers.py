"""Action ids: each answer to each question has a number. It is the same in all games on a table of the same size.

| block | ids | meaning |
|---|---|---|
| `place_tile` | rotation x cell | lay a tile there, from the stack or from the player's own hand |
| `choose_cell` | 4 x cell | a cell and one of four choices there, whose meaning depends on the question |
| `place_figure` | figure x spot | put a figure on the tile just placed |
| `sell_wine` | colour x composition x destination | sell a wine |
| `ferry` | ferry x pair of edges | move one of the ferries that can be moved, row by row; the ferry of the lake just placed is the first |
| `castle_score` | tile x spot | the feature that a castle scores, on one of the six tiles of its vicinity, row by row |
| `recall`, `circle_add`, `circle_remove` | | |
| `pass` | | do none of what is asked |

The ids that name a cell come first. The other ids follow; their constants here, such as PASS, are counted from the
first of them. Compiled functions get the size of the table from `size_of(game)`, where it is a constant. Python code
uses `ids_of(size)`.
"""

from functools import cache
from typing import NamedTuple

from carc_env.compiling.jit import jit
from carc_env.rules.geometry import size_of
from carc_env.rules.state import MAX_CELLS, MAX_FERRIES, MAX_FRONTIER, N_FIGURES, N_SPOTS, NONE, Phase, record

N_PAIRS = 6  # pairs of the edges of a tile: N-E, N-S, N-W, E-S, E-W, S-W
VICINITY = 6  # tiles in the vicinity of a castle

CELL_CHOICES = 8  # ids for each cell: four rotations of a tile and four choices
PLACE_FIGURE = 0  # ids that name no cell, counted from the first one of them
SELL_WINE = PLACE_FIGURE + N_FIGURES * N_SPOTS
FERRY = SELL_WINE + 3 * 2 * 2
CASTLE_SCORE = FERRY + MAX_FERRIES * N_PAIRS
RECALL = CASTLE_SCORE + VICINITY * N_SPOTS
CIRCLE_ADD = RECALL + 1
CIRCLE_REMOVE = RECALL + 2
PASS = RECALL + 3
N_OTHERS = PASS + 1
MAX_ANSWERS = 8 * MAX_FRONTIER  # legal answers to one question
# questions about where a tile goes
LAYING = (int(Phase.PLACE_ABBEY), int(Phase.PLACE_GERMAN_CASTLE), int(Phase.PLACE_TILE))

# Working space, in which answers are listed. It is a record and not an array, because passing a record on costs
# nothing.
ROOM = record(
    ("answers", "i4", (MAX_ANSWERS,)),  # the answers to the current question
    # the cells where the tile in hand fits; the free segments of the tile just placed
    ("cells", "i2", (MAX_FRONTIER,)),
    # one byte for each rotation: the bits in which the tile's edges differ from what the cell demands
    ("differ", "u4", (MAX_FRONTIER,)),
    # the following fields are used while chips are laid out
    ("squares", "i1", (MAX_CELLS,)),
    ("listed", "i2", (MAX_CELLS,)),  # squares or faces of chips in some order; also the cities that a field adjoins
    ("partner", "i2", (MAX_CELLS,)),  # also the fields that adjoin a city
    ("came_from", "i2", (MAX_CELLS,)),
    ("crowds", "i1", (MAX_CELLS,)),  # for each listed square, the number of chosen squares in its block
)


class Ids(NamedTuple):
    """The first id of each block on a table of one size, and the number of ids."""

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
    """The ids for a table of this size."""
    first = CELL_CHOICES * size * size
    others = (PLACE_FIGURE, SELL_WINE, FERRY, CASTLE_SCORE, RECALL, CIRCLE_ADD, CIRCLE_REMOVE, PASS, N_OTHERS)
    return Ids(0, 4 * size * size, *(first + other for other in others))


@jit
def other_answer(size, number):
    """The id of an answer that names no cell, such as PASS, on a table of this size."""
    return CELL_CHOICES * size * size + number


@jit
def pass_of(game):
    """The id of `pass` on the table of this game."""
    return other_answer(size_of(game), PASS)


# For each kind of answer, one function makes the id and another one takes it apart.
@jit
def tile_answer(size, rotation, cell):
    """The id for laying the tile in hand on `cell`, turned clockwise by `rotation` quarter turns."""
    return int(rotation) * size * size + int(cell)


@jit
def tile_of(size, answer):
    """The rotation and the cell of an answer of `tile_answer`."""
    return answer // (size * size), answer % (size * size)


@jit
def names_tile(size, answer):
    """True for the ids of `tile_answer`."""
    return answer < 4 * size * size


@jit
def cell_answer(size, cell, figure=0):
    """The id for choosing the tile on `cell`. Some questions also ask for a figure: a meeple (0) or a big meeple
    (1).
    """
    return (4 + int(figure)) * size * size + int(cell)


@jit
def cell_of_choice(size, answer):
    """The cell of an answer of `cell_answer`."""
    return answer % (size * size)


@jit
def figure_of_choice(size, answer):
    """The figure of an answer of `cell_answer`."""
    return answer // (size * size) - 4


@jit
def cell_laid(size, phase, answer):
    """The cell where an answer lays a tile, or NONE if it lays none. For a double tile it is the first square."""
    if phase in LAYING and answer != other_answer(size, PASS):
        return answer % (size * size)
    return NONE


@jit
def figure_answer(size, figure, spot):
    """The id for putting `figure` on `spot` of the tile just placed."""
    return other_answer(size, PLACE_FIGURE + int(figure) * N_SPOTS + int(spot))


@jit
def figure_of(size, answer):
    """The figure and the spot of an answer of `figure_answer`."""
    number = answer - other_answer(size, PLACE_FIGURE)
    return number // N_SPOTS, number % N_SPOTS


@jit
def sale_answer(size, colour, composition, destination):
    """The id for selling a wine of a colour, made of one chip of value 2 (0) or two of value 1 (1), abroad (0) or in a
    town (1).
    """
    return other_answer(size, SELL_WINE + 4 * int(colour) + 2 * int(composition) + int(destination))


@jit
def sale_of(size, answer):
    """The colour, the composition and the destination of an answer of `sale_answer`."""
    number = answer - other_answer(size, SELL_WINE)
    return number // 4, number // 2 % 2, number % 2


@jit
def ferry_answer(size, number, pair):
    """The id for moving a ferry to a pair of edges. `number` counts the ferries that can be moved."""
    return other_answer(size, FERRY + N_PAIRS * int(number) + int(pair))


@jit
def ferry_of(size, answer):
    """The number of the ferry and the pair of edges of an answer of `ferry_answer`."""
    number = answer - other_answer(size, FERRY)
    return number // N_PAIRS, number % N_PAIRS


@jit
def castle_answer(size, cell, side):
    """The id for founding a castle on `cell` and the tile to its east (side 1) or south (side 2)."""
    return cell_answer(size, cell, side - 1)


@jit
def castle_of(size, answer):
    """The cell and the side of an answer of `castle_answer`."""
    return cell_of_choice(size, answer), figure_of_choice(size, answer) + 1


@jit
def castle_score_answer(size, place, spot):
    """The id for scoring the feature at a spot of a tile of the vicinity. The tiles are numbered row by row."""
    return other_answer(size, CASTLE_SCORE + int(place) * N_SPOTS + int(spot))


@jit
def castle_score_of(size, answer):
    """The tile's number and the spot of an answer of `castle_score_answer`."""
    number = answer - other_answer(size, CASTLE_SCORE)
    return number // N_SPOTS, number % N_SPOTS


@jit
def is_listed(answers, n, answer):
    """True if an answer is among the first n of an ascending list."""
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
    """Copy entry i of the listed cells to place `kept`."""
    room.cells[kept] = room.cells[i]
    room.differ[kept] = room.differ[i]


@jit
def insert_ascending(room, n, answer):
    """Insert an answer into the first n answers of `room`, which ascend, unless it is there already. Returns the new
    number of answers.
    """
    at = n
    while at > 0 and room.answers[at - 1] > answer:
        at -= 1
    if at > 0 and room.answers[at - 1] == answer:
        return n
    for i in range(n, at, -1):
        room.answers[i] = room.answers[i - 1]
    room.answers[at] = answer
    return n + 1
