"""Computes the observation features of Map-Chips: the chips on squares and in hand, wine, and the best sale."""

from numpy import int64

from carc_env.boxes.layout import column, plane, scalar
from carc_env.boxes.prospect_parts import Part
from carc_env.boxes.sheets import GRAPES
from carc_env.boxes.writing import forget, put, shown, tell, tell_more
from carc_env.compiling.jit import jit
from carc_env.rules.answers import pass_of
from carc_env.rules.expansions import map_chips
from carc_env.rules.geometry import end_of_sheet
from carc_env.rules.state import N_COLOURS, NONE

N_FACES = 2 * N_COLOURS  # the number of distinct faces; a face is a colour and a value
LIES_HERE = plane("chip")
SOLD, HELD, FACE_DOWN = scalar("sold"), scalar(f"chips_{GRAPES[0]}_1_0"), scalar(f"face_down_{GRAPES[0]}_1")
SOLD_CHIPS = scalar(f"sold_{GRAPES[0]}_1")
CHIP, SALE = column("chip"), column("sale")


# --- planes and globals -----------------------------------------------------------------------------------------------
@jit
def write_square(game, cell, picture):
    """Write one cell of the plane `chip`: 1 if a chip lies face down on the square, and otherwise 0."""
    put(picture, LIES_HERE, cell, map_chips.lies_face_down(game.board[cell]))


@jit
def write_taken(game, cell, picture, numbers):
    """If the tile just placed covers a chip, remove this chip from the plane `chip` and update the chip counts."""
    if shown(picture, LIES_HERE, cell):
        put(picture, LIES_HERE, cell, 0)
        write_chips(game, numbers)


@jit
def write_turn(game, numbers):
    """Write the global feature that tells whether the active player has sold wine in this turn."""
    tell(numbers, SOLD, game.systems.map_chips.sold)


@jit
def write_player(game, player, at, numbers):
    """For each colour and each value, write the number of chips that a player holds."""
    if game.boxes.map_chips:
        for colour in range(N_COLOURS):
            for value in range(2):
                tell(numbers, HELD + at + 2 * colour + value, game.players[player].chips[colour, value])


@jit
def write_chips(game, numbers):
    """For each colour and value, write two numbers: how many chips lie face down, and how many chips were sold."""
    if game.boxes.map_chips:
        forget(numbers, FACE_DOWN, FACE_DOWN + N_FACES)
        forget(numbers, SOLD_CHIPS, SOLD_CHIPS + N_FACES)
        for cell in range(end_of_sheet(game)):
            square = game.board[cell]
            if map_chips.lies_face_down(square):
                tell_more(numbers, FACE_DOWN + int64(square.chip), 1.0)
            elif square.chip != NONE:
                # counts every chip that was taken; the chips still in hand are subtracted below
                tell_more(numbers, SOLD_CHIPS + int64(square.chip), 1.0)
        for player in range(int64(game.n_players)):
            for face in range(N_FACES):
                tell_more(numbers, SOLD_CHIPS + face, -int64(game.players[player].chips[face // 2, face % 2]))


# --- prospects --------------------------------------------------------------------------------------------------------
@jit
def count_face_down(view, game):
    """Count the chips that lie face down, by colour and value."""
    view.face_down[:] = 0
    view.n_face_down = 0
    if game.boxes.map_chips:
        for cell in range(end_of_sheet(game)):
            if map_chips.lies_face_down(game.board[cell]):
                view.face_down[game.board[cell].chip] += 1
                view.n_face_down += 1


@jit
def count_wines(game, player):
    """Return the number of wines that a player can make, and the number of chips that are left over."""
    wines, odd = 0, 0
    for colour in range(N_COLOURS):
        ones, twos = int(game.players[player].chips[colour, 0]), int(game.players[player].chips[colour, 1])
        wines += twos + ones // 2
        odd += ones % 2
    return wines, odd


@jit
def add_hand(game, player, parts):
    """Update two heuristic estimates for a player's chips. `Part.WINES` counts the wines that the player can make from
    chips, and `Part.ODD_CHIPS` counts the chips left over.
    """
    wines, odd = count_wines(game, player)
    parts[player, Part.WINES] += wines
    parts[player, Part.ODD_CHIPS] += odd


# --- candidates -------------------------------------------------------------------------------------------------------
@jit
def add_square(view, game, work):
    """Write the column `chip` of a candidate action: whether the tile just placed covers a chip. Then update the
    heuristic estimates for the chip and for the best sale of wine (see `add_wine`).
    """
    if game.boxes.map_chips:
        work.row[CHIP] = game.board[game.placed].chip != NONE
        add_wine(view, game, work)


@jit
def add_wine(view, game, work):
    """Update the heuristic estimates for the chip under the tile just placed, and for the best sale of wine. Also add
    the points for the best sale of wine to the candidate's column `sale`.

    The face of the chip is hidden information, so the result is a weighted mean over all faces that the chip can have.
    """
    if work.row[CHIP] == 0.0:
        add_sale(view, game, work, 1.0)
        return
    for face in range(N_FACES):
        if view.face_down[face] > 0:
            chance = view.face_down[face] / view.n_face_down
            held = game.players[game.active].chips
            work.parts[game.active, Part.NOW] += chance * (face % 2 + 1)
            add_chips(game, work, -chance)
            held[face // 2, face % 2] += 1
            add_chips(game, work, chance)
            add_sale(view, game, work, chance)
            held[face // 2, face % 2] -= 1


@jit
def add_chips(game, work, weight):
    """Count the active player's wines and left-over chips, multiply both counts by `weight`, and add the products to
    the heuristic estimates.
    """
    wines, odd = count_wines(game, int64(game.active))
    work.parts[game.active, Part.WINES] += weight * wines
    work.parts[game.active, Part.ODD_CHIPS] += weight * odd


@jit
def add_sale(view, game, work, weight):
    """Multiply the points for the best possible sale by `weight`, and add the product to the candidate's column `sale`.
    If selling the wine is worth more than keeping it, also add the sale to the heuristic estimates.
    """
    best = 0
    for k in range(map_chips.options(game, work.room)):
        if work.room.answers[k] != pass_of(game):
            best = max(best, map_chips.points(game, int64(work.room.answers[k])))
    work.row[SALE] += weight * best
    if best > view.prices.parts[Part.WINES]:
        work.parts[game.active, Part.NOW] += weight * best
        work.parts[game.active, Part.WINES] -= weight
