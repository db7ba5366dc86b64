"""Action ids. An action has the same id in all games whose tables have the same size. In the code, an action id is
named `answer`.

| block | ids | meaning |
|---|---|---|
| `place_tile` | rotation x cell | place a tile on the cell, in the rotation. The tile is the drawn tile, the abbey, or the first castle tile in hand |
| `choose_cell` | 4 x cell | choose a cell and, for some decisions, one of four options |
| `place_figure` | figure x spot | put a figure on the tile just placed |
| `sell_wine` | colour x composition x destination | sell a wine |
| `ferry` | ferry x pair of edges | place or move a ferry so that the ferry connects the two edges. Movable ferries are numbered row by row. The ferry of a new lake has number 0 |
| `castle_score` | tile x spot | choose the feature that a castle scores. The id identifies a tile of the castle's vicinity, and a spot on this tile that belongs to the feature. The six tiles of the vicinity are numbered row by row |
| `recall`, `circle_add`, `circle_remove` | | |
| `pass` | | decline: place no figure, sell no wine, and so on |

The ids of actions with a cell come first: there are eight ids for each cell of the table. The ids of actions without a
cell follow. The first id without a cell depends on the size of the table. The constants of this module, such as PASS,
are counted from this first id. For example, the id of `pass` is PASS plus eight times the number of cells. Compiled
functions get the size of the table from `size_of(game)`, which is a compile-time constant. Python code uses
`ids_of(size)`.
"""

from functools import cache
from typing import NamedTuple

from carc_env.compiling.jit import jit
from carc_env.rules.geometry import size_of
from carc_env.rules.state import MAX_CELLS, MAX_FERRIES, MAX_FRONTIER, N_FIGURES, N_SPOTS, NONE, Phase, record

N_PAIRS = 6  # pairs of the edges of a tile: N-E, N-S, N-W, E-S, E-W, S-W
VICINITY = 6  # tiles in the vicinity of a castle

CELL_CHOICES = 8  # ids for each cell: four rotations of a tile and four choices
# the first id of each block of actions without a cell, counted from the first of these blocks
PLACE_FIGURE = 0
SELL_WINE = PLACE_FIGURE + N_FIGURES * N_SPOTS
FERRY = SELL_WINE + 3 * 2 * 2
CASTLE_SCORE = FERRY + MAX_FERRIES * N_PAIRS
RECALL = CASTLE_SCORE + VICINITY * N_SPOTS
CIRCLE_ADD = RECALL + 1
CIRCLE_REMOVE = RECALL + 2
PASS = RECALL + 3
N_OTHERS = PASS + 1
MAX_ANSWERS = 8 * MAX_FRONTIER  # the largest number of legal actions in one decision
# the decisions in which a player places a tile
LAYING = (int(Phase.PLACE_ABBEY), int(Phase.PLACE_GERMAN_CASTLE), int(Phase.PLACE_TILE))

# Working space, mainly for lists of actions. The working space is a record and not an array, because passing a record
# to a function costs nothing.
ROOM = record(
    ("answers", "i4", (MAX_ANSWERS,)),  # the legal actions of the current decision
    # the cells where the tile in hand fits; or the unoccupied segments of the tile just placed
    ("cells", "i2", (MAX_FRONTIER,)),
    # for each cell in `cells`: one byte for each rotation; the bits are 1 where the edges of the rotated tile differ
    # from the terrains that the cell requires
    ("differ", "u4", (MAX_FRONTIER,)),
    # the following fields are used mainly while chips are laid out
    ("squares", "i1", (MAX_CELLS,)),
    ("listed", "i2", (MAX_CELLS,)),  # a list of squares or of faces of chips; also a list of cities beside a field
    ("partner", "i2", (MAX_CELLS,)),  # the partner of each square; also a list of fields beside a city
    ("came_from", "i2", (MAX_CELLS,)),
    ("crowds", "i1", (MAX_CELLS,)),  # for each listed square, the number of chosen squares in its block
)


class Ids(NamedTuple):
    """The first id of each block of actions, and the total number of ids. The values depend on the size of the
    table.
    """

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
    """Return the first id of each block of actions for a table with `size` rows and columns."""
    first = CELL_CHOICES * size * size
    others = (PLACE_FIGURE, SELL_WINE, FERRY, CASTLE_SCORE, RECALL, CIRCLE_ADD, CIRCLE_REMOVE, PASS, N_OTHERS)
    return Ids(0, 4 * size * size, *(first + other for other in others))


@jit
def other_answer(size, number):
    """Return the id of an action without a cell. `size` is the number of rows and columns of the table. `number` is the
    constant of the action, such as PASS.
    """
    return CELL_CHOICES * size * size + number


@jit
def pass_of(game):
    """The id of `pass` in this game."""
    return other_answer(size_of(game), PASS)


# For each kind of action, one function makes the id and another function decodes the id.
@jit
def tile_answer(size, rotation, cell):
    """Return the id of the action that places the tile in hand on `cell`. The tile is rotated clockwise by `rotation`
    quarter turns.
    """
    return int(rotation) * size * size + int(cell)


@jit
def tile_of(size, answer):
    """Decode an id made by `tile_answer`: return the rotation and the cell."""
    return answer // (size * size), answer % (size * size)


@jit
def names_tile(size, answer):
    """True if the id was made by `tile_answer`."""
    return answer < 4 * size * size


@jit
def cell_answer(size, cell, figure=0):
    """Return the id of the action that chooses the tile on `cell`. In some decisions, the action also chooses `figure`,
    a number from 0 to 3. This number stands for a figure (0 for a meeple, 1 for a big meeple), a side or a rotation.
    """
    return (4 + int(figure)) * size * size + int(cell)


@jit
def cell_of_choice(size, answer):
    """Decode an id made by `cell_answer`: return the cell."""
    return answer % (size * size)


@jit
def figure_of_choice(size, answer):
    """Decode an id made by `cell_answer`: return the figure."""
    return answer // (size * size) - 4


@jit
def cell_laid(size, phase, answer):
    """Return the cell on which an action places a tile, or NONE if the action places no tile. For a double tile, the
    result is the cell of its first square.
    """
    if phase in LAYING and answer != other_answer(size, PASS):
        return answer % (size * size)
    return NONE


@jit
def figure_answer(size, figure, spot):
    """Return the id of the action that puts `figure` on `spot` of the tile just placed."""
    return other_answer(size, PLACE_FIGURE + int(figure) * N_SPOTS + int(spot))


@jit
def figure_of(size, answer):
    """Decode an id made by `figure_answer`: return the figure and the spot."""
    number = answer - other_answer(size, PLACE_FIGURE)
    return number // N_SPOTS, number % N_SPOTS


@jit
def sale_answer(size, colour, composition, destination):
    """Return the id of the action that sells a wine of this colour. `composition` is 0 for one chip of value 2, and 1
    for two chips of value 1. `destination` is 0 for a sale abroad, and 1 for a sale in a town.
    """
    return other_answer(size, SELL_WINE + 4 * int(colour) + 2 * int(composition) + int(destination))


@jit
def sale_of(size, answer):
    """Decode an id made by `sale_answer`: return the colour of the wine, the composition and the destination."""
    number = answer - other_answer(size, SELL_WINE)
    return number // 4, number // 2 % 2, number % 2


@jit
def ferry_answer(size, number, pair):
    """Return the id of the action that places a ferry on a pair of edges, or moves a ferry there. `number` is the
    ferry's index among the movable ferries. A new ferry has the number 0.
    """
    return other_answer(size, FERRY + N_PAIRS * int(number) + int(pair))


@jit
def ferry_of(size, answer):
    """Decode an id made by `ferry_answer`: return the index of the ferry and the pair of edges."""
    number = answer - other_answer(size, FERRY)
    return number // N_PAIRS, number % N_PAIRS


@jit
def castle_answer(size, cell, side):
    """Return the id of the action that builds a castle on two tiles: the tile on `cell`, and the tile east (side 1) or
    south (side 2) of it.
    """
    return cell_answer(size, cell, side - 1)


@jit
def castle_of(size, answer):
    """Decode an id made by `castle_answer`: return the cell and the side."""
    return cell_of_choice(size, answer), figure_of_choice(size, answer) + 1


@jit
def castle_score_answer(size, place, spot):
    """Return the id of the action with which a castle scores a feature. `place` is the index of a tile in the castle's
    vicinity, counted row by row. `spot` is the spot of the feature on this tile.
    """
    return other_answer(size, CASTLE_SCORE + int(place) * N_SPOTS + int(spot))


@jit
def castle_score_of(size, answer):
    """Decode an id made by `castle_score_answer`: return the index of the tile in the vicinity, and the spot on this
    tile.
    """
    number = answer - other_answer(size, CASTLE_SCORE)
    return number // N_SPOTS, number % N_SPOTS


@jit
def is_listed(answers, n, answer):
    """True if an action is among the first n entries of `answers`. The first n entries of `answers` must be in
    ascending order.
    """
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
    """In `room.cells` and in `room.differ`, copy the entry with index `i` to index `kept`."""
    room.cells[kept] = room.cells[i]
    room.differ[kept] = room.differ[i]


@jit
def insert_ascending(room, n, answer):
    """Insert an action into `room.answers`, unless it is already there. Before the call, the first n entries of
    `room.answers` hold actions in ascending order. After the call, the actions are still in ascending order. Returns
    the number of actions after the call.
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
