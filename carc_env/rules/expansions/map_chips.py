"""Implements Map-Chips France: chips on the squares of a map sheet, wine made of these chips, and the sale of wine."""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import SELL_WINE, other_answer, pass_of, sale_answer, sale_of
from carc_env.rules.chance import random_below, shuffle
from carc_env.rules.double_tiles import other_square
from carc_env.rules.geometry import n_cells, neighbour, size_of
from carc_env.rules.history import note
from carc_env.rules.scoring import add_points
from carc_env.rules.state import CHIPS_OF_COLOUR, N_CHIPS, N_COLOURS, NONE, EventKind, Source

ABROAD_POINTS, TOWN_POINTS = 5, 9
ONE_TWO, TWO_ONES = 0, 1  # compositions of a wine: one chip of value 2, or two chips of value 1
ABROAD, TOWN = 0, 1  # destinations of a sale
FREE, CHOSEN = 1, 2  # states of squares while the chips are laid out
RANDOM_TRIES = 20  # the maximum number of calls of `choose_squares`, which `lay_chips` tries first
THRIFTY_TRIES = 20  # the maximum number of calls of `choose_thriftily` after that; `choose_most` comes last


# --- laying the chips out ---------------------------------------------------------------------------------------------
@jit
def may_hold_chip(game, tiles, cell):
    """True if a chip can lie on a square. The square must not contain a town or a large city, and must not lie beside a
    start tile or a large city. With the variant `chips_shun_open_edges_only`, the square may lie beside a closed edge
    of a large city.
    """
    square = game.board[cell]
    if not square.is_square or square.tile != NONE or square.grape != NONE:
        return False
    for side in range(4):
        beside = game.board[neighbour(game, cell, side)]
        if beside.tile == NONE:
            continue
        if not beside.large or not game.variants.chips_shun_open_edges_only:
            return False
        if tiles.kinds[beside.tile].side_segment[0, (side + 2) % 4] != NONE:
            return False
    return True


@jit
def lay_chips(game, tiles, chance, room):
    """Lay out all chips face down and evenly spread, so that no two chips lie on neighbouring squares. If an attempt
    does not find enough squares for all chips, try again.

    In `room.squares`, FREE marks the squares where a chip can lie, and CHOSEN marks the squares where a chip will lie.
    """
    laid, tries = 0, 0
    while laid < N_CHIPS:
        for cell in range(n_cells(game)):
            room.squares[cell] = FREE if may_hold_chip(game, tiles, cell) else 0
        if tries < RANDOM_TRIES:
            laid = choose_squares(game, room, chance)
        elif tries < RANDOM_TRIES + THRIFTY_TRIES:
            laid = choose_thriftily(game, room, chance)
        else:
            laid = choose_most(game, room, chance)
        tries += 1
    spread(game, room, laid, chance)
    n = 0
    for colour in range(N_COLOURS):
        for value in range(2):
            for _ in range(CHIPS_OF_COLOUR[value]):
                room.listed[n] = 2 * colour + value
                n += 1
    shuffle(room.listed, n, chance)
    n = 0
    for cell in range(n_cells(game)):
        if room.squares[cell] == CHOSEN:
            game.board[cell].chip = room.listed[n]
            n += 1


@jit
def choose_squares(game, room, chance):
    """Choose free squares in random order, so that no two chosen squares are neighbours. Returns the number of chosen
    squares.
    """
    n = 0
    for cell in range(n_cells(game)):
        if room.squares[cell] == FREE:
            room.listed[n] = cell
            n += 1
    shuffle(room.listed, n, chance)
    chosen = 0
    for k in range(n):
        if room.squares[room.listed[k]] == FREE:
            choose(game, room, int64(room.listed[k]))
            chosen += 1
    return chosen


@jit
def choose_thriftily(game, room, chance):
    """Choose free squares one by one. In each step, choose a square with the fewest free neighbours. This order usually
    gives more chosen squares than a random order. Returns the number of chosen squares.
    """
    chosen = 0
    while True:
        best, fewest, ties = int64(-1), 5, 0
        for cell in range(n_cells(game)):
            if room.squares[cell] == FREE:
                neighbours = 0
                for side in range(4):
                    neighbours += room.squares[neighbour(game, cell, side)] == FREE
                if neighbours < fewest:
                    best, fewest, ties = cell, neighbours, 1
                elif neighbours == fewest:
                    ties += 1
                    if random_below(chance, ties) == 0:
                        best = cell
        if best < 0:
            return chosen
        choose(game, room, best)
        chosen += 1


@jit
def choose_most(game, room, chance):
    """Choose as many squares for chips as possible, so that no two chosen squares are neighbours. This function is
    needed for map sheets that have barely enough squares for all chips. Returns the number of chosen squares.

    The squares are coloured like a chessboard, so neighbours have different colours. As many squares as possible are
    paired with a neighbour (a maximum matching). Below, one randomly chosen colour is called black, and the other
    colour is called white. The function marks all unpaired black squares. For each marked black square, the function
    marks all its neighbours (white squares). For each marked white square, the function marks its partner (a black
    square). By König's theorem, the marked black squares and the unmarked white squares form a maximum independent set.
    """
    room.partner[:] = NONE
    size, colour = size_of(game), random_below(chance, 2)
    for cell in range(n_cells(game)):
        if room.squares[cell] == FREE and (cell // size + cell % size) % 2 == colour:
            room.came_from[:] = NONE
            find_partner(game, room, int64(cell))
    room.came_from[:] = NONE
    for cell in range(n_cells(game)):
        if room.squares[cell] == FREE and (cell // size + cell % size) % 2 == colour and room.partner[cell] == NONE:
            find_partner(game, room, int64(cell))
    chosen = 0
    for cell in range(n_cells(game)):
        if room.squares[cell] == FREE:
            of_colour = (cell // size + cell % size) % 2 == colour
            other = room.partner[cell] if of_colour else cell
            met = other == NONE or room.came_from[other] != NONE
            room.squares[cell] = CHOSEN if met == of_colour else 0
            chosen += met == of_colour
    return chosen


@jit
def find_partner(game, room, start):
    """Pair a square with one of its neighbours, if possible. To free a partner for the square, the function can give
    other squares new partners. `room.came_from` records the squares that the search reaches.
    """
    room.listed[0] = start
    k, n = 0, 1
    while k < n:
        cell = int64(room.listed[k])
        k += 1
        for side in range(4):
            other = int64(neighbour(game, cell, side))
            if room.squares[other] == FREE and room.came_from[other] == NONE:
                room.came_from[other] = cell
                if room.partner[other] == NONE:
                    exchange(room, start, other)
                    return
                room.listed[n] = room.partner[other]
                n += 1


@jit
def exchange(room, start, last):
    """Change the pairs along the path from `start` to `last`, so that every square on the path has a partner."""
    other = last
    while True:
        cell = int64(room.came_from[other])
        following = int64(room.partner[cell])
        room.partner[cell], room.partner[other] = other, cell
        if cell == start:
            return
        other = following


@jit
def choose(game, room, cell):
    """Choose a square for a chip. The neighbours of this square can then hold no chip, so they are no longer marked as
    FREE.
    """
    room.squares[cell] = CHOSEN
    for side in range(4):
        if room.squares[neighbour(game, cell, side)] == FREE:
            room.squares[neighbour(game, cell, side)] = 0


@jit
def spread(game, room, laid, chance):
    """If more than N_CHIPS squares are chosen, unmark squares until N_CHIPS of them remain chosen. In each step, find
    the block of 3 x 3 squares that contains the most chosen squares, and unmark one of these chosen squares.

    `room.listed` holds the squares that are still chosen. For each square in `room.listed`, `room.crowds` holds the
    number of chosen squares in the same block of 3 x 3 squares.
    """
    n = 0
    for cell in range(n_cells(game)):
        if room.squares[cell] == CHOSEN:
            room.listed[n], room.crowds[n] = cell, count_in_block(game, room, cell)
            n += 1
    while laid > N_CHIPS:
        drop, most, ties = -1, 0, 0
        for k in range(laid):
            crowd = int64(room.crowds[k])
            if crowd > most:
                drop, most, ties = k, crowd, 1
            elif crowd == most:
                ties += 1
                if random_below(chance, ties) == 0:
                    drop = k
        room.squares[room.listed[drop]] = 0
        laid -= 1
        forget(game, room, drop, laid)


@jit
def forget(game, room, drop, left):
    """Remove the square with index `drop` from `room.listed`. Afterwards, `room.listed` contains `left` squares."""
    block = block_of(game, int64(room.listed[drop]))
    for k in range(left + 1):
        room.crowds[k] -= block_of(game, int64(room.listed[k])) == block
    for k in range(drop, left):
        room.listed[k], room.crowds[k] = room.listed[k + 1], room.crowds[k + 1]


@jit
def block_of(game, cell):
    """Return the index of the block of 3 x 3 squares that contains this square."""
    size = size_of(game)
    return cell // size // 3 * size + cell % size // 3


@jit
def count_in_block(game, room, cell):
    """Return how many squares are chosen for chips in the block of 3 x 3 squares that contains this square."""
    size = size_of(game)
    row, column = cell // size // 3 * 3, cell % size // 3 * 3
    crowd = 0
    for r in range(row, min(row + 3, size)):
        for c in range(column, min(column + 3, size)):
            crowd += room.squares[r * size + c] == CHOSEN
    return crowd


@jit
def reshuffle_faces(game, room, chance):
    """Reshuffle the faces of the chips that lie face down."""
    n = list_faces(game, room)
    shuffle(room.listed, n, chance)
    turn_faces(game, room.listed)


@jit
def list_faces(game, room):
    """Write the faces of the chips that lie face down to `room.listed`, row by row. Returns their number."""
    n = 0
    for cell in range(n_cells(game) if game.boxes.map_chips else 0):
        if lies_face_down(game.board[cell]):
            room.listed[n] = game.board[cell].chip
            n += 1
    return n


@jit
def turn_faces(game, faces):
    """Assign the faces in `faces` to the chips that lie face down, row by row."""
    n = 0
    for cell in range(n_cells(game) if game.boxes.map_chips else 0):
        if lies_face_down(game.board[cell]):
            game.board[cell].chip = faces[n]
            n += 1


# --- taking chips and selling wine ------------------------------------------------------------------------------------
@jit
def lies_face_down(square):
    """True if a chip lies face down on a square. A chip lies face down until a tile is placed on its square."""
    return square.chip != NONE and square.tile == NONE


@jit
def take_chip(game, cell):
    """Give the chip on a square to the active player, who has placed a tile on this square. Returns the points that
    the player scores immediately for the chip. The caller has to add these points.
    """
    chip = int64(game.board[cell].chip)
    if chip == NONE:
        return 0
    game.players[game.active].chips[chip // 2, chip % 2] += 1
    note(game, EventKind.CHIP_TAKEN, int64(game.active), int64(0), chip, int64(cell))
    return chip % 2 + 1


@jit
def begin(game):
    """Take and score every chip on the squares that the newly placed tile covers. Returns True if wine can be sold on
    at least one of these squares.
    """
    sells = False
    for square in (int64(game.placed), other_square(game, game.placed)):
        if square != NONE:
            sells |= uncover(game, square)
    return sells


@jit
def uncover(game, cell):
    """Take and score the chip of a square that a tile has just covered. Returns True if wine can be sold on this
    square.
    """
    worth = int64(take_chip(game, cell))
    if worth > 0:
        add_points(game, int64(game.active), Source.CHIPS, worth, cell)
    return game.board[cell].grape != NONE or is_foreign(game, cell)


@jit
def is_foreign(game, cell):
    """True if a road or city with a coat of arms is printed at the border beside a square."""
    for side in range(4):
        if game.board[cell].coats[side] > 0:
            return True
    return False


@jit
def has_wine(game, colour, composition):
    """True if the active player can make a wine of this colour. Depending on `composition`, the wine consists of one
    chip of value 2 or of two chips of value 1.
    """
    chips = game.players[game.active].chips
    return chips[colour, 1] >= 1 if composition == ONE_TWO else chips[colour, 0] >= 2


@jit
def options(game, room):
    """List `pass` and the sales that the newly placed tile permits. Returns the number of actions.

    On a square with a coat of arms at the border, wine of any colour can be sold abroad. In a town, the wine must have
    the colour of the town's grapes. A player may sell wine at most once in a turn.
    """
    n = 0
    if not game.boxes.map_chips or game.systems.map_chips.sold:
        return n
    other = other_square(game, game.placed)
    grape, foreign = int64(game.board[game.placed].grape), is_foreign(game, game.placed)
    second_grape = int64(NONE)
    if other != NONE:
        second_grape, foreign = int64(game.board[other].grape), foreign or is_foreign(game, other)
    for colour in range(N_COLOURS):
        for composition in range(2):
            if has_wine(game, colour, composition):
                if foreign:
                    room.answers[n] = sale_answer(size_of(game), colour, composition, ABROAD)
                    n += 1
                if colour == grape or colour == second_grape:
                    room.answers[n] = sale_answer(size_of(game), colour, composition, TOWN)
                    n += 1
    if n > 0:
        room.answers[n] = pass_of(game)
        n += 1
    return n


@jit
def points(game, answer):
    """Return the points for the sale of a wine: 5 points for a sale abroad, 9 points for a sale in a town."""
    return TOWN_POINTS if sale_of(size_of(game), answer)[2] == TOWN else ABROAD_POINTS


@jit
def sell(game, answer):
    """Sell a wine, and remove its chips from play. Returns the points: 5 for a sale abroad, 9 for a sale in a town."""
    colour, composition, _ = sale_of(size_of(game), answer)
    chips = game.players[game.active].chips
    if composition == ONE_TWO:
        chips[colour, 1] -= 1
    else:
        chips[colour, 0] -= 2
    game.systems.map_chips.sold = 1
    note(
        game,
        EventKind.WINE_SOLD,
        int64(game.active),
        int64(0),
        int64(answer - other_answer(size_of(game), SELL_WINE)),
        int64(game.placed),
    )
    return points(game, answer)


@jit
def apply(game, answer):
    """Sell a wine, unless the player passes. Always returns True, because any action finishes this step."""
    if answer != pass_of(game):
        add_points(game, int64(game.active), Source.WINE, int64(sell(game, answer)), int64(game.placed))
    return True


@jit
def on_part_begun(game):
    """Allow the player to sell one wine in the turn that begins. In the second part of a double turn, only the variant
    `one_sale_a_part` allows another sale.
    """
    if not game.systems.traders_and_builders.second_part or game.variants.one_sale_a_part:
        game.systems.map_chips.sold = 0
