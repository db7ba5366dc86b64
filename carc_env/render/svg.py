"""The one drawing of a game, as SVG: the board, and beside it a panel with the question and the players.

On a sheet the whole map is shown, tiles lying on it; `sheet_svg` draws the map alone.

The picture is built from layers, each a short function over the public `Game`. It needs no font, no network
and no display, and the same game always gives the same text.
"""

import re
from typing import NamedTuple

import numpy as np

from carc_env.boxes import GOODS
from carc_env.render import palette as p
from carc_env.render import sheet_art
from carc_env.render.facts import BUILDINGS, Table, chips_face_down, segment_at, sheet_of
from carc_env.render.geometry import Point, turn, wall_ends
from carc_env.render.lettering import fitting_size, text, text_width
from carc_env.render.markup import FAST, circle, element, move, number, path, use
from carc_env.render.pieces import SCALES, SHAPES, SIGNS, figure, ingot, sign_id
from carc_env.render.places import places
from carc_env.render.sheet_art import Edges
from carc_env.render.tile_art import tile_art
from carc_env.sheets import GRAPES, RECONSTRUCTION, Sheet
from carc_env.table import Placed

PANEL, MARGIN, GAP = 272, 34, 10  # pixels: width of the panel, room for coordinates, space between cards
QUESTION_HEIGHT, PLAYER_HEIGHT, PLAYER_ROW = 148, 72, 26  # a row more for chips, and one for goods
LEGEND_HEIGHT = 84  # of what is printed on a sheet
LARGEST_CELL = 100.0
LARGEST_BOARD = (1120.0, 960.0)  # pixels; a growing board is drawn in smaller cells beyond this
SMALLEST_BOARD = (420.0, 330.0)
SMALLEST_FINE = 60.0  # pixels; names and fine details in smaller cells of a picture of fixed size could not be seen
NO_ROOM = Edges(0, 0, 0, 0)
SQUARE = "h100v100h-100z"  # the outline of a cell
CELL = re.compile(r"(-?\d+),(-?\d+)")  # in the text of an answer


class Layout(NamedTuple):
    """Where the parts of a picture go, in pixels."""

    width: float
    height: float
    columns: range  # x of the cells shown
    rows: range  # y of the cells shown
    cell: float  # side of a cell
    left: float  # of the board
    top: float
    room: Edges = NO_ROOM  # around the cells, in hundredths of a cell


def svg(game: Table, size: tuple[int, int] | None = None) -> str:
    """The picture of a game, as large as suits the board or of a fixed `size` (width, height in pixels)."""
    board, asked, sheet = game.board(), asked_cells(game), sheet_of(game)
    layout = fit(game, asked, size)
    fine = size is None or layout.cell >= SMALLEST_FINE
    shown = {(tile.tile, tile.rotation) for tile in board} | {_tile_shown(game, board)}
    on_board = (*(_sheet_layers(game, sheet, board, fine) if sheet else ()), hints(game, asked), tiles(board, fine),
                towers(board), _covered_towns(sheet, board), marks(game, board, asked), figures(board), ingots(board))
    return picture(f"{len(board)} tiles on the table. {question(game)}", layout, definitions(shown, sheet, fine),
                   coordinates(layout), element("g", *on_board, transform=board_transform(layout)),
                   panel(game, board, layout))


def sheet_svg(sheet: Sheet) -> str:
    """The picture of an empty sheet with a card that tells what it shows."""
    rows, columns, room = range(sheet.rows), range(sheet.columns), sheet_art.room_around(sheet)
    layout = fit_cells(columns, rows, room, None, SMALLEST_BOARD[1])
    board = element("g", sheet_art.sheet_art(sheet), transform=board_transform(layout))
    cards = element("g", _sheet_card(sheet), element("g", legend(sheet), transform=move(0, 96)), class_="panel",
                    transform=move(layout.width - PANEL, max(GAP, (layout.height - 96 - LEGEND_HEIGHT) / 2)))
    return picture(sheet.title, layout, definitions(set(), sheet), coordinates(layout), board, cards)


def picture(title: str, layout: Layout, definitions: str, *parts: str) -> str:
    """The whole SVG document."""
    width, height = number(layout.width), number(layout.height)
    return element("svg", element("title", title), definitions,
                   element("rect", width="100%", height="100%", fill=p.TABLE), *parts,
                   xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=width, height=height,
                   role="img") + "\n"


def question(game: Table) -> str:
    """The question now asked, in words."""
    if game.is_over:
        best = [p.PLAYERS[i][0] for i in range(game.players) if game.scores[i] == max(game.scores)]
        return f"Game over: {best[0]} wins" if len(best) == 1 else f"Game over: {', '.join(best)} draw"
    return f"{p.PLAYERS[game.player][0]}: {game.phase.name.replace('_', ' ').lower()}"


def asked_cells(game: Table) -> list[tuple[int, int]]:
    """The cells that the legal answers name, if the question is about cells."""
    found = (CELL.search(game.text(int(action))) for action in game.legal_actions())
    return sorted({(int(m[1]), int(m[2])) for m in found if m})


def stock(game: Table, player: int) -> list[tuple[str, int]]:
    """The figures a player has in supply, of each kind that is in play at all."""
    on_table = {piece.figure for tile in game.board() for piece in tile.figures}
    return [(kind, int(left[player])) for kind, left in game.meeples.items()
            if kind in on_table or np.any(left)]


# --- layout -------------------------------------------------------------------------------------------------
def fit(game: Table, asked: list[tuple[int, int]], size: tuple[int, int] | None) -> Layout:
    """Fit the board into the picture, or the picture to the board; of a sheet all squares are shown."""
    if sheet := sheet_of(game):
        columns, rows, room = range(sheet.columns), range(sheet.rows), sheet_art.room_around(sheet)
    else:
        cells = [(tile.x, tile.y) for tile in game.board()] + asked
        columns = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
        rows = range(min(y for _, y in cells), max(y for _, y in cells) + 1)
        room = NO_ROOM
    return fit_cells(columns, rows, room, size, panel_height(game) - 2 * MARGIN + 2 * GAP)


def fit_cells(columns: range, rows: range, room: Edges, size: tuple[int, int] | None, least: float) -> Layout:
    """Lay out a board of these cells; its height is to be at least `least` pixels if no size is given."""
    across = len(columns) + (room.west + room.east) / 100
    down = len(rows) + (room.north + room.south) / 100
    wide, high = LARGEST_BOARD if size is None else (size[0] - PANEL - 2 * MARGIN, size[1] - 2 * MARGIN)
    cell = min(LARGEST_CELL, wide / across, high / down)
    if size is None:
        wide = max(SMALLEST_BOARD[0], cell * across)
        high = max(SMALLEST_BOARD[1], cell * down, least)
    left, top = MARGIN + (wide - cell * across) / 2, MARGIN + (high - cell * down) / 2
    return Layout(wide + 2 * MARGIN + PANEL, high + 2 * MARGIN, columns, rows, cell, left + cell * room.west / 100,
                  top + cell * room.north / 100, room)


def panel_height(game: Table) -> float:
    """Height of the panel: the question, a card for each player, and what a sheet's signs mean."""
    return (QUESTION_HEIGHT + game.players * (player_height(game) + GAP)
            + (LEGEND_HEIGHT + GAP if game.config.sheet else 0))


def player_height(game: Table) -> float:
    """Height of a player's card: a row more if there are chips, and one if there are goods."""
    return PLAYER_HEIGHT + PLAYER_ROW * sum(box in game.config.boxes for box in ("map_chips", "traders_and_builders"))


def board_transform(layout: Layout) -> str:
    """From cell units (100 a cell, origin in cell 0,0) to pixels."""
    left = layout.left - layout.columns.start * layout.cell
    top = layout.top - layout.rows.start * layout.cell
    return f"translate({left:.2f} {top:.2f}) scale({layout.cell / 100:.4f})"


def definitions(shown: set[tuple[str, int]], sheet: Sheet | None = None, fine: bool = True) -> str:
    """Every drawing that is used more than once: pieces, the tiles shown in each rotation, what is on a sheet."""
    drawings = {sign_id(name): draw() for name, draw in SIGNS.items()}
    drawings |= {name: figure(name) for name in SHAPES} | {"ingot": ingot()}
    drawings |= sheet_art.definitions() if sheet else {}
    drawings |= {f"tile-{tile}-{rotation}": tile_art(tile, rotation, fine) for tile, rotation in sorted(shown)}
    return element("defs", *(element("g", drawing, id=name) for name, drawing in drawings.items()))


# --- the board ----------------------------------------------------------------------------------------------
def coordinates(layout: Layout) -> str:
    """x above the columns and y beside the rows."""
    size = min(9.0, max(5.5, layout.cell / 10))
    above = layout.top - layout.cell * layout.room.north / 100 - 9
    beside = layout.left - layout.cell * layout.room.west / 100 - 10
    parts = []
    for i, x in enumerate(layout.columns):
        middle = layout.left + (i + .5) * layout.cell
        parts.append(text(str(x), middle, above, size, p.FAINT_INK, "middle"))
    for i, y in enumerate(layout.rows):
        middle = layout.top + (i + .5) * layout.cell
        parts.append(text(str(y), beside, middle + size / 2, size, p.FAINT_INK, "end"))
    return element("g", *parts, class_="coordinates")


def _sheet_layers(game: Table, sheet: Sheet, board: list[Placed], fine: bool) -> tuple[str, ...]:
    """The map with its chips."""
    covered = frozenset((tile.x, tile.y) for tile in board)
    return (sheet_art.sheet_art(sheet, covered, fine), sheet_art.chips(chips_face_down(game)))


def _covered_towns(sheet: Sheet | None, board: list[Placed]) -> str:
    covered = {(tile.x, tile.y) for tile in board}
    return sheet_art.covered_towns(town for town in sheet.towns if town.square in covered) if sheet else ""


def hints(game: Table, asked: list[tuple[int, int]]) -> str:
    """A dashed square wherever the tile in hand may be placed."""
    if not game.tile:
        return ""
    return "".join(element("rect", class_="hint", x=100 * x + 8, y=100 * y + 8, width=84, height=84, rx=8,
                           fill="none", stroke=p.GHOST, stroke_width=2, stroke_dasharray="7 6")
                   for x, y in asked)


def tiles(board: list[Placed], fine: bool = True) -> str:
    """The tiles, with a thin line around each."""
    parts = [use(f"tile-{tile.tile}-{tile.rotation}", 100 * tile.x, 100 * tile.y, class_="tile",
                 data_tile=tile.tile, data_x=tile.x, data_y=tile.y, data_rotation=tile.rotation)
             for tile in board]
    borders = "".join(f"M{100 * tile.x} {100 * tile.y}{SQUARE}" for tile in board)
    return "".join(parts) + path(borders, stroke=p.TILE_LINE, width=1.1, stroke_opacity=.55,
                                 shape_rendering=None if fine else FAST)


def towers(board: list[Placed]) -> str:
    """A round tower at every corner where a city wall reaches the edge of its tile."""
    return _towers({_on_tile(tile, end) for tile in board for end in wall_ends(tile.tile)})


def _towers(corners: set[Point]) -> str:
    rings = "".join(f"M{number(x - 3.7)} {number(y)}a3.7 3.7 0 1 0 7.4 0a3.7 3.7 0 1 0-7.4 0z" for x, y in sorted(corners))
    return path(rings, p.WALL_TOP, p.WALL, 1.3) if corners else ""


def marks(game: Table, board: list[Placed], asked: list[tuple[int, int]]) -> str:
    """A frame around the tile placed last, and a golden one around each tile an ingot question is about."""
    frames = [(board[-1].x, board[-1].y, p.LAST, None)]
    if not game.tile:
        frames += [(x, y, p.GOLD, "9 5") for x, y in asked]
    return "".join(element("rect", class_="mark", x=100 * x + 2, y=100 * y + 2, width=96, height=96,
                           fill="none", stroke=colour, stroke_width=3.4, stroke_dasharray=dash)
                   for x, y, colour, dash in frames)


def figures(board: list[Placed]) -> str:
    """The figures, each on its segment; followers in fields lie."""
    parts = []
    for tile in board:
        crowd: dict[int, int] = {}
        for piece in tile.figures:
            segment = segment_at(tile.tile, tile.rotation, piece.feature, piece.spot)
            x, y = _on_tile(tile, places(tile.tile).figure[segment])
            if piece.feature in BUILDINGS:
                x, y = x - 4, y + 6  # in front of the building, so that it can still be seen
            x += 15 * crowd.get(segment, 0)
            crowd[segment] = crowd.get(segment, 0) + 1
            lying = piece.feature == "field" and piece.figure != "pig"
            parts.append(use(piece.figure, class_="figure", fill=p.PLAYERS[piece.player][1],
                             transform=move(x, y, SCALES[piece.figure], lying), data_player=piece.player,
                             data_feature=piece.feature, data_x=tile.x, data_y=tile.y))
    return "".join(parts)


def ingots(board: list[Placed]) -> str:
    """The gold on the tiles: a bar, or two bars with their number if there are several."""
    parts = []
    for tile in board:
        if tile.ingots:
            x, y = turn(places(tile.tile).ingots, tile.rotation)
            x, y = min(max(x, 15), 76), min(max(y, 14), 80)  # the number stays on the tile
            bars = [use("ingot")] if tile.ingots == 1 else [
                use("ingot", -3, 3), use("ingot", 2, -4), circle(9.5, 5.5, 6.2, p.INK, p.PLASTER, 1),
                text(str(tile.ingots), 9.5, 8.8, 6.6, p.GOLD_LIGHT, "middle", 1.7)]
            place = move(100 * tile.x + x, 100 * tile.y + y, 1.25)
            parts.append(element("g", *bars, class_="ingots", transform=place, data_x=tile.x, data_y=tile.y,
                                 data_count=tile.ingots))
    return "".join(parts)


def _on_tile(tile: Placed, point: Point) -> Point:
    x, y = turn(point, tile.rotation)
    return 100 * tile.x + x, 100 * tile.y + y


# --- the panel ----------------------------------------------------------------------------------------------
def panel(game: Table, board: list[Placed], layout: Layout) -> str:
    """The question with the tile in hand, below it the players, and what the signs of a sheet mean."""
    cards, y = [_question_card(game, board)], QUESTION_HEIGHT + GAP
    for player in range(game.players):
        cards.append(element("g", _player_card(game, player), transform=move(0, y)))
        y += player_height(game) + GAP
    if sheet := sheet_of(game):
        cards.append(element("g", legend(sheet), transform=move(0, y)))
    height = panel_height(game)
    scale = min(1.0, (layout.height - 2 * GAP) / height)
    y = max(GAP, (layout.height - scale * height) / 2)
    return element("g", *cards, class_="panel", transform=move(layout.width - PANEL, y, scale))


def legend(sheet: Sheet) -> str:
    """A card that tells what the signs of a sheet mean."""
    parts, x = [_card(LEGEND_HEIGHT)], 26.0
    for colour in GRAPES:
        name = colour.replace("_", " ")
        parts += [use(f"grape-{colour}", transform=move(x, 23, .6)), text(name, x + 11, 27, 7.5, p.INK)]
        x += 32 + text_width(name, 7.5)
    start = element("rect", x=-7, y=-7, width=14, height=14, rx=2, fill=p.START_GROUND, stroke=p.START, stroke_width=2)
    signs = ((use("chip", transform="scale(.4)"), "hidden chip"), (element("g", start), "start"),
             (use("coat", transform="scale(.85)"), "coat of arms"))
    x = 26.0
    for sign, name in signs:
        parts += [element("g", sign, transform=move(x, 48)), text(name, x + 13, 52, 7.5, p.INK)]
        x += 34 + text_width(name, 7.5)
    note = RECONSTRUCTION if sheet.reconstruction else sheet.title
    note = note[0].upper() + note[1:]
    parts.append(text(note, 16, 75, fitting_size(note, 7, PANEL - 2 * GAP - 32), p.FAINT_INK))
    return element("g", *parts, class_="legend")


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _sheet_card(sheet: Sheet) -> str:
    """Name and size of a sheet."""
    room = PANEL - 2 * GAP - 32
    cities = {part.number for part in sheet.large}
    counts = f"{len(sheet.squares)} squares, {len(sheet.towns)} towns, {_count(len(cities), 'large city', 'large cities')}"
    borders = f"{_count(len(sheet.borders), 'connection', 'connections')} at the border"
    return (_card(86) + text(sheet.title, 16, 30, fitting_size(sheet.title, 11, room))
            + text(counts, 16, 52, fitting_size(counts, 8, room), p.FAINT_INK)
            + text(borders, 16, 70, 8, p.FAINT_INK))


def _card(height: float, line: str = p.CARD_LINE, width: float = 1) -> str:
    return element("rect", width=PANEL - 2 * GAP, height=height, rx=8, fill=p.CARD, stroke=line,
                   stroke_width=width)


def _question_card(game: Table, board: list[Placed]) -> str:
    card = _card(QUESTION_HEIGHT) + text(question(game), 16, 28, 11.5)
    if game.is_over:
        return card + _final_table(game)
    tile, rotation = _tile_shown(game, board)
    picture = element("g", use(f"tile-{tile}-{rotation}"),
                      path(f"M0 0{SQUARE}", stroke=p.TILE_LINE, width=1.2, stroke_opacity=.5),
                      _towers({turn(end, rotation) for end in wall_ends(tile)}),
                      class_="hand" if game.tile else "placed", transform=move(17, 42, .9), data_tile=tile)
    return (card + picture + text(str(game.tiles_left), 132, 82, 18)
            + text("tiles left", 132, 100, 8, p.FAINT_INK) + text(tile, 132, 131, 8, p.FAINT_INK))


def _tile_shown(game: Table, board: list[Placed]) -> tuple[str, int]:
    """The tile in hand or, when it has been placed, the tile placed last; with its rotation."""
    return (game.tile, 0) if game.tile else (board[-1].tile, board[-1].rotation)


def _final_table(game: Table) -> str:
    """The points of each player by source, the largest first; more than six sources stand closer together."""
    points = {source: of for source, of in game.final_scores().items() if np.any(of)}
    largest = sorted(points, key=lambda source: (-int(points[source].sum()), source))
    step = min(14.0, 84 / max(1, len(largest)))
    size = min(7.5, .66 * step)
    columns = [PANEL - 40 - 30 * (game.players - 1 - i) for i in range(game.players)]
    parts = [use("meeple", fill=colour, transform=move(x - 5, 46, .55))
             for x, (_, colour) in zip(columns, p.PLAYERS)]
    for row, source in enumerate(largest):
        y = 52 + step * (row + 1)
        parts.append(text(source, 16, y, size, p.FAINT_INK))
        parts += [text(str(int(value)), x, y, size, p.INK, "end", 1.4)
                  for x, value in zip(columns, points[source])]
    return "".join(parts)


def _player_card(game: Table, player: int) -> str:
    colour = p.PLAYERS[player][1]
    score, gold = int(game.scores[player]), int(game.ingots[player])
    frame = (colour, 2.4) if game.player == player else ()
    parts = [_card(player_height(game), *frame), use("meeple", fill=colour, transform=move(30, 36, 1.5)),
             text(p.PLAYERS[player][0], 60, 29, 10.5)]
    pieces = [(kind, left, move(0, 53, .6 * SCALES[kind])) for kind, left in stock(game, player)]
    if "goldmines" in game.config.boxes:
        pieces.append(("ingot", gold, move(1, 53, .85)))
    step = min(36, 180 / max(1, len(pieces)))
    for i, (name, count, place) in enumerate(pieces):
        parts.append(element("g", use(name, fill=colour, transform=place), text(str(count), 11, 57, 8, p.FAINT_INK),
                             transform=move(63 + step * i, 0)))
    y = 47 if len(pieces) < 4 else 36  # above a long row of figures
    parts.append(text(str(score), PANEL - 37, y, 21, p.INK, "end"))
    y = PLAYER_HEIGHT + 8
    if "map_chips" in game.config.boxes:
        parts.append(element("g", *_chips_in_hand(game, player), transform=move(0, y)))
        y += PLAYER_ROW
    if "traders_and_builders" in game.config.boxes:
        parts.append(element("g", *_goods(game, player), transform=move(0, y)))
    return element("g", *parts, class_="player", data_player=player, data_score=score, data_ingots=gold)


def _chips_in_hand(game: Table, player: int) -> list[str]:
    """The chips a player has by colour and value, and the points he got for wine."""
    parts, x = [], 30.0
    for colour, of_colour in zip(GRAPES, game.chips[player].tolist()):
        for value, count in enumerate(of_colour, 1):
            if count:
                parts.append(element("g", sheet_art.chip_face(colour, value), text(str(count), 13, 4, 8, p.FAINT_INK),
                                     class_="chip-in-hand", data_colour=colour, data_value=value, data_count=count,
                                     transform=move(x, 0)))
                x += 31
    if not parts:
        parts.append(text("no chips", 22, 4, 7.5, p.FAINT_INK))
    sold = int(game.final_scores()["wine"][player])
    if sold:
        words = str(sold)
        at = PANEL - 37 - text_width(words, 8)
        parts.append(element("g", text(words, PANEL - 37, 4, 8, p.FAINT_INK, "end"), use("glass", at - 11, 0),
                             class_="wine-sold", data_points=sold))
    return parts


def _goods(game: Table, player: int) -> list[str]:
    """The goods tokens a player has."""
    return [element("g", use(sign_id(good)), text(str(count), 13, 4, 8, p.FAINT_INK), class_="goods", data_good=good,
                    data_count=count, transform=move(30 + 42 * i, 0))
            for i, (good, count) in enumerate(zip(GOODS, game.goods[player].tolist()))]
