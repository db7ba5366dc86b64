"""Computes the observation features of Carcassonne Maps: the printed map sheet, and the chips on it."""

from carc_env.boxes.layout import plane
from carc_env.boxes.writing import put, shown
from carc_env.compiling.jit import jit
from carc_env.rules.geometry import end_of_sheet
from carc_env.rules.state import Terrain
from carc_env.systems.map_chips import seen as map_chips

LARGE, BORDER, COATS, TOWN = plane("large"), plane("border_N"), plane("coats"), plane("town")


@jit
def write_planes(game, picture):
    """Write the planes of the printed map sheet and of the chips on it."""
    if not game.systems.maps.on_sheet:
        return
    for cell in range(end_of_sheet(game)):
        square = game.board[cell]
        if not square.is_square:
            continue
        if square.large:
            put(picture, LARGE, cell, 1 + game.systems.maps.connected[square.large])
        put(picture, TOWN, cell, square.grape + 1)
        map_chips.write_square(game, cell, picture)
        for side in range(4):
            if square.coats[side]:
                put(picture, COATS, cell, shown(picture, COATS, cell) + square.coats[side])
            if square.printed >> 2 * side & 3 == Terrain.ROAD:
                put(picture, BORDER + side, cell, 1)
            elif square.printed >> 2 * side & 3 == Terrain.CITY:
                put(picture, BORDER + side, cell, 2)
