"""What observations should show, computed from the table: planes as {(x, y): number}, without the cells that show 0.

These are the planes and globals that take some thought to derive. Most others directly show what lies where.
"""

from .points import points_for_field
from .table import around, neighbour
from .tiles import HALF_EDGES, inner_spots


def planes_of(naive, observer):
    """Return the planes that the model knows, by their names in the layout. While ferries are moved, `choice` is left
    out, because the model does not know how the engine numbers ferries.
    """
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
    """Return for each half-edge the points of the fields there as they stand, no matter who owns them, without pigs."""
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
    """Return how many squares around each cell are occupied. A German castle has ten squares around its two squares.

    Beyond the border of a sheet there is no square, and nothing is shown.
    """
    filled = [*table.board, *(table.sheet.large if table.sheet else ())]
    near = {cell for square in filled for cell in [square, *around(square)] if table.is_on_map(cell)}
    return without_zeros({cell: sum(map(table.is_filled, table.ring(cell))) for cell in near})


def rivals(naive, observer):
    """While ingots are taken, return how many other players may still take an ingot from each tile that has any."""
    if not is_asked(naive, "TAKE_INGOT"):
        return {}
    return without_zeros(
        {
            cell: len({player for player, area in naive.still_to_take if cell in area} - {observer})
            for cell in naive.with_gold(naive.table.board)
        }
    )


def choice(naive):
    """Return 1 on what the decision is about: the castle that scores, or the feature for which an ingot is taken.

    The cells of the feature are its area: all its tiles, with both squares of a double tile and with printed squares,
    with or without gold. By HiG's rule, ingots are not taken for one feature at a time, and nothing is shown.
    """
    if is_asked(naive, "CASTLE_SCORE"):
        where, edge = naive.question.answers[0].split()[1:3]
        first = tuple(map(int, where.split(",")))
        return {first: 1, neighbour(first, edge): 1}
    served = naive.served if is_asked(naive, "TAKE_INGOT") else ()
    filled = filter(naive.table.is_filled, served)
    return {square: 1 for tile in filled for square in naive.table.squares_of(tile)}


def globals_of(naive):
    """Return the ingots in the supply, and the chips sold by colour and value, under the names of the layout."""
    sold = {f"sold_{colour}_{value}": count for (colour, value), count in naive.chips_sold.items()}
    return {"ingot_supply": naive.ingots_left, **sold}


def is_asked(naive, phase):
    """True if this is the current decision."""
    return naive.question is not None and naive.question.phase == phase


def without_zeros(shown):
    """Return the cells whose number is not 0."""
    return {cell: number for cell, number in shown.items() if number}
