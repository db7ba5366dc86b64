"""What observations should show, worked out from the table: planes as {(x, y): number}, without the cells that show 0.

These are planes and globals that follow from the rules by some thought; most others are told by what lies where.
"""

from .points import points_for_field
from .table import around, neighbour
from .tiles import HALF_EDGES, inner_spots


def planes_of(naive, observer):
    """The planes that the model knows, by their names in the layout; it does not know how ferries are numbered."""
    table = naive.table
    planes = {
        "neighbours": neighbours(table),
        "ingots": without_zeros({cell: place["ingots"] for cell, place in table.board.items()}),
        "chip": dict.fromkeys(naive.chips_on, 1),
        "rivals": rivals(naive, observer),
        **{f"worth_{half}": shown for half, shown in worths(table).items()},
    }
    return planes if is_asked(naive, "MOVE_FERRY") else {**planes, "choice": choice(naive)}


def worths(table):
    """For each half-edge the points of the fields there as they stand, whoever has them, pigs left out."""
    found = {half: {} for half in HALF_EDGES}
    for field in table.features():
        points = points_for_field(field, table, None) if field["kind"] == "field" else 0
        for cell, spot in field["segments"] if points else ():
            place = table.board[cell]
            for end in table.segment_with(cell, spot)["spots"]:
                if end in HALF_EDGES and end not in inner_spots(place["tile"], place["rotation"]):
                    found[end][cell] = points
    return found


def neighbours(table):
    """How many squares around are occupied, also around empty squares; a German castle has ten around both its squares.

    Beyond the border of a sheet there is no square, and so nothing to show.
    """
    filled = [*table.board, *(table.sheet.large if table.sheet else ())]
    near = {cell for square in filled for cell in [square, *around(square)] if table.is_on_map(cell)}
    return without_zeros({cell: sum(map(table.is_filled, table.ring(cell))) for cell in near})


def rivals(naive, observer):
    """While ingots are taken: how many players but the observer may still take one from each tile that has any."""
    if not is_asked(naive, "TAKE_INGOT"):
        return {}
    return without_zeros(
        {
            cell: len({player for player, area in naive.still_to_take if cell in area} - {observer})
            for cell in naive.with_gold(naive.table.board)
        }
    )


def choice(naive):
    """1 on what the answers are about: the castle that scores, or the area of the feature for which an ingot is taken.

    That area is all tiles in it, with both squares of a double tile and printed squares, with or without gold. By the
    rule of HiG ingots are not taken feature by feature.
    """
    if is_asked(naive, "CASTLE_SCORE"):
        where, edge = naive.question.answers[0].split()[1:3]
        first = tuple(map(int, where.split(",")))
        return {first: 1, neighbour(first, edge): 1}
    served = naive.served if is_asked(naive, "TAKE_INGOT") else ()
    filled = filter(naive.table.is_filled, served)
    return {square: 1 for tile in filled for square in naive.table.squares_of(tile)}


def globals_of(naive):
    """Ingots in the supply, and chips sold by what they show, under the names of the layout."""
    sold = {f"sold_{colour}_{value}": count for (colour, value), count in naive.chips_sold.items()}
    return {"ingot_supply": naive.ingots_left, **sold}


def is_asked(naive, phase):
    """Is this the question now?"""
    return naive.question is not None and naive.question.phase == phase


def without_zeros(shown):
    """The cells that show something."""
    return {cell: number for cell, number in shown.items() if number}
