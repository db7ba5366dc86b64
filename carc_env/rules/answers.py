"""Action ids: one number for every answer to every question, the same in all games.

| block | ids | meaning |
|---|---|---|
| `PLACE_TILE` | rotation x cell | lay a tile there, the one in hand or an own one |
| `CHOOSE_CELL` | 4 x cell | a cell, and one of four choices there: what that means depends on the question |
| `PLACE_FIGURE` | figure x spot | put a figure on the tile just placed |
| `SELL_WINE` | colour x composition x destination | sell a wine |
| `FERRY` | ferry x pair of edges | move one of the ferries that can be moved, row by row; the ferry of the lake just placed is the first |
| `CASTLE_SCORE` | tile x spot | what a castle scores: a feature of one of the six tiles of its vicinity, row by row |
| `PLAIN` | `RECALL`, `CIRCLE_ADD`, `CIRCLE_REMOVE` | |
| `PASS` | | none of what was asked for |
"""

from carc_env.jit import jit
from carc_env.rules.state import MAX_FERRIES, MAX_FRONTIER, N_CELLS, N_FIGURES, N_SPOTS, NONE, Phase, record

N_PAIRS = 6  # pairs of the edges of a tile: N-E, N-S, N-W, E-S, E-W, S-W
VICINITY = 6  # tiles of a castle's vicinity

PLACE_TILE = 0
CHOOSE_CELL = PLACE_TILE + 4 * N_CELLS
PLACE_FIGURE = CHOOSE_CELL + 4 * N_CELLS
SELL_WINE = PLACE_FIGURE + N_FIGURES * N_SPOTS
FERRY = SELL_WINE + 3 * 2 * 2
CASTLE_SCORE = FERRY + MAX_FERRIES * N_PAIRS
PLAIN = CASTLE_SCORE + VICINITY * N_SPOTS
RECALL = PLAIN
CIRCLE_ADD = PLAIN + 1
CIRCLE_REMOVE = PLAIN + 2
PASS = PLAIN + 3
N_ACTIONS = PASS + 1
MAX_ANSWERS = 8 * MAX_FRONTIER  # to one question
LAYING = (int(Phase.PLACE_ABBEY), int(Phase.PLACE_GERMAN_CASTLE), int(Phase.PLACE_TILE))  # questions where a tile goes

# Room to work in: where answers are listed. A record, not an array, so that passing it on costs nothing.
ROOM = record(
    ("answers", "i4", (MAX_ANSWERS,)),  # those to the question asked
    ("cells", "i2", (MAX_FRONTIER,)),  # where the tile in hand fits; free segments of the tile just placed
    ("differ", "u4", (MAX_FRONTIER,)),  # by rotation in a byte each: the bits in which its edges differ from what the cell demands
    # while chips are laid out
    ("squares", "i1", (N_CELLS,)),
    ("listed", "i2", (N_CELLS,)),  # squares, or faces of chips, in some order; also the cities beside a field
    ("partner", "i2", (N_CELLS,)),  # also the fields beside a city
    ("came_from", "i2", (N_CELLS,)),
    ("crowds", "i1", (N_CELLS,)),  # chosen squares in the block of each one listed
)


# Each kind of answer has a function that makes it, and one that takes it apart again.
@jit
def tile_answer(rotation, cell):
    """Lay the tile in hand on `cell`, turned by `rotation` quarter turns."""
    return PLACE_TILE + int(rotation) * N_CELLS + int(cell)


@jit
def tile_of(answer):
    """The rotation and the cell of such an answer."""
    return (answer - PLACE_TILE) // N_CELLS, (answer - PLACE_TILE) % N_CELLS


@jit
def cell_answer(cell, figure=0):
    """Choose the tile on `cell`, and where the question asks for it a figure, a meeple (0) or a big one (1)."""
    return CHOOSE_CELL + int(figure) * N_CELLS + int(cell)


@jit
def cell_of_choice(answer):
    """The cell of such an answer."""
    return (answer - CHOOSE_CELL) % N_CELLS


@jit
def figure_of_choice(answer):
    """The figure of such an answer."""
    return (answer - CHOOSE_CELL) // N_CELLS


@jit
def cell_laid(phase, answer):
    """The cell where an answer to a question lays a tile, of a double tile its first square; NONE: it lays none."""
    if phase in LAYING and answer != PASS:
        return cell_of_choice(answer) if answer >= CHOOSE_CELL else tile_of(answer)[1]
    return NONE


@jit
def figure_answer(figure, spot):
    """Put `figure` on `spot` of the tile just placed."""
    return PLACE_FIGURE + int(figure) * N_SPOTS + int(spot)


@jit
def figure_of(answer):
    """The figure and the spot of such an answer."""
    return (answer - PLACE_FIGURE) // N_SPOTS, (answer - PLACE_FIGURE) % N_SPOTS


@jit
def sale_answer(colour, composition, destination):
    """Sell a wine of a colour, made of one 2 (0) or of two 1s (1), abroad (0) or in a town (1)."""
    return SELL_WINE + 4 * int(colour) + 2 * int(composition) + int(destination)


@jit
def sale_of(answer):
    """The colour, the composition and the destination of such an answer."""
    return (answer - SELL_WINE) // 4, (answer - SELL_WINE) // 2 % 2, (answer - SELL_WINE) % 2


@jit
def ferry_answer(number, pair):
    """The ferry of this number, of those that can be moved, joins a pair of edges."""
    return FERRY + N_PAIRS * int(number) + int(pair)


@jit
def ferry_of(answer):
    """The number and the pair of such an answer."""
    return (answer - FERRY) // N_PAIRS, (answer - FERRY) % N_PAIRS


@jit
def castle_answer(cell, side):
    """Found a castle on `cell` and on the tile to its east (side 1) or south (2)."""
    return cell_answer(cell, side - 1)


@jit
def castle_of(answer):
    """The cell and the side of such an answer."""
    return cell_of_choice(answer), figure_of_choice(answer) + 1


@jit
def castle_score_answer(place, spot):
    """Score what is at a spot of a tile of the vicinity, numbered row by row."""
    return CASTLE_SCORE + int(place) * N_SPOTS + int(spot)


@jit
def castle_score_of(answer):
    """The tile's number and the spot of such an answer."""
    return (answer - CASTLE_SCORE) // N_SPOTS, (answer - CASTLE_SCORE) % N_SPOTS


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
