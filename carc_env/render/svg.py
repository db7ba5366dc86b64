"""The one drawing of a game, as SVG: the board, and beside it a panel with the question and the players.

The picture is built from layers, each a short function over the public `Game`. It needs no font, no network
and no display, and the same game always gives the same text.
"""

import re
from typing import NamedTuple

import numpy as np

from carc_env.game import Game, Placed
from carc_env.render import palette as p
from carc_env.render.facts import BUILDINGS, segment_at
from carc_env.render.geometry import Point, turn, wall_ends
from carc_env.render.lettering import CAPITAL, text_path, text_width
from carc_env.render.markup import circle, element, move, number, path, use
from carc_env.render.pieces import SCALES, SHAPES, SIGNS, figure, ingot, sign_id
from carc_env.render.places import places
from carc_env.render.tile_art import tile_art

PANEL, MARGIN, GAP = 272, 34, 10  # pixels: width of the panel, room for coordinates, space between cards
QUESTION_HEIGHT, PLAYER_HEIGHT = 148, 72
LARGEST_CELL = 100.0
LARGEST_BOARD = (1120.0, 960.0)  # pixels; a growing board is drawn in smaller cells beyond this
SMALLEST_BOARD = (420.0, 330.0)
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


def svg(game: Game, size: tuple[int, int] | None = None) -> str:
    """The picture of a game, as large as suits the board or of a fixed `size` (width, height in pixels)."""
    board, asked = game.board(), asked_cells(game)
    layout = fit(game, asked, size)
    shown = {(tile.tile, tile.rotation) for tile in board} | {_tile_shown(game, board)}
    on_board = (hints(game, asked), tiles(board), towers(board), marks(game, board, asked), figures(board),
                ingots(board))
    width, height = number(layout.width), number(layout.height)
    return element(
        "svg", element("title", f"{len(board)} tiles on the table. {question(game)}"), definitions(shown),
        element("rect", width="100%", height="100%", fill=p.TABLE), coordinates(layout),
        element("g", *on_board, transform=board_transform(layout)), panel(game, board, layout),
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=width, height=height,
        role="img") + "\n"


def question(game: Game) -> str:
    """The question now asked, in words."""
    if game.is_over:
        best = [p.PLAYERS[i][0] for i in range(game.players) if game.scores[i] == max(game.scores)]
        return f"Game over: {best[0]} wins" if len(best) == 1 else f"Game over: {', '.join(best)} draw"
    return f"{p.PLAYERS[game.player][0]}: {game.phase.name.replace('_', ' ').lower()}"


def asked_cells(game: Game) -> list[tuple[int, int]]:
    """The cells that the legal answers name, if the question is about cells."""
    found = (CELL.search(game.text(int(action))) for action in game.legal_actions())
    return sorted({(int(m[1]), int(m[2])) for m in found if m})


def stock(game: Game, player: int) -> list[tuple[str, int]]:
    """The figures a player has in supply, of each kind that is in play at all."""
    on_table = {piece.figure for tile in game.board() for piece in tile.figures}
    return [(kind, int(left[player])) for kind, left in game.meeples.items()
            if kind in on_table or np.any(left)]


# --- layout -------------------------------------------------------------------------------------------------
def fit(game: Game, asked: list[tuple[int, int]], size: tuple[int, int] | None) -> Layout:
    """Fit the board into the picture, or the picture to the board."""
    cells = [(tile.x, tile.y) for tile in game.board()] + asked
    columns = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
    rows = range(min(y for _, y in cells), max(y for _, y in cells) + 1)
    wide, high = LARGEST_BOARD if size is None else (size[0] - PANEL - 2 * MARGIN, size[1] - 2 * MARGIN)
    cell = min(LARGEST_CELL, wide / len(columns), high / len(rows))
    if size is None:
        wide = max(SMALLEST_BOARD[0], cell * len(columns))
        high = max(SMALLEST_BOARD[1], cell * len(rows), panel_height(game) - 2 * MARGIN + 2 * GAP)
    left, top = MARGIN + (wide - cell * len(columns)) / 2, MARGIN + (high - cell * len(rows)) / 2
    return Layout(wide + 2 * MARGIN + PANEL, high + 2 * MARGIN, columns, rows, cell, left, top)


def panel_height(game: Game) -> float:
    """Height of the panel: the question and a card for each player."""
    return QUESTION_HEIGHT + game.players * (PLAYER_HEIGHT + GAP)


def board_transform(layout: Layout) -> str:
    """From cell units (100 a cell, origin in cell 0,0) to pixels."""
    left = layout.left - layout.columns.start * layout.cell
    top = layout.top - layout.rows.start * layout.cell
    return f"translate({left:.2f} {top:.2f}) scale({layout.cell / 100:.4f})"


def definitions(shown: set[tuple[str, int]]) -> str:
    """Every drawing that is used more than once: pieces, and the tiles shown, each kind in each rotation."""
    drawings = {sign_id(name): draw() for name, draw in SIGNS.items()}
    drawings |= {name: figure(name) for name in SHAPES} | {"ingot": ingot()}
    drawings |= {f"tile-{tile}-{rotation}": tile_art(tile, rotation) for tile, rotation in sorted(shown)}
    return element("defs", *(element("g", drawing, id=name) for name, drawing in drawings.items()))


def text(words: str, x: float, y: float, size: float, colour: str = p.INK, anchor: str = "start",
         weight: float = 1.25) -> str:
    """A line of text with capitals `size` high; `anchor` is start, middle or end."""
    x -= text_width(words, size) * {"start": 0, "middle": .5, "end": 1}[anchor]
    round_ends = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    return path(text_path(words), stroke=colour, width=weight, **round_ends,
                transform=move(x, y, size / CAPITAL), data_text=words)


# --- the board ----------------------------------------------------------------------------------------------
def coordinates(layout: Layout) -> str:
    """x above the columns and y beside the rows."""
    size = min(9.0, max(5.5, layout.cell / 10))
    parts = []
    for i, x in enumerate(layout.columns):
        middle = layout.left + (i + .5) * layout.cell
        parts.append(text(str(x), middle, layout.top - 9, size, p.FAINT_INK, "middle"))
    for i, y in enumerate(layout.rows):
        middle = layout.top + (i + .5) * layout.cell
        parts.append(text(str(y), layout.left - 10, middle + size / 2, size, p.FAINT_INK, "end"))
    return element("g", *parts, class_="coordinates")


def hints(game: Game, asked: list[tuple[int, int]]) -> str:
    """A dashed square wherever the tile in hand may be placed."""
    if not game.tile:
        return ""
    return "".join(element("rect", class_="hint", x=100 * x + 8, y=100 * y + 8, width=84, height=84, rx=8,
                           fill="none", stroke=p.GHOST, stroke_width=2, stroke_dasharray="7 6")
                   for x, y in asked)


def tiles(board: list[Placed]) -> str:
    """The tiles, with a thin line around each."""
    parts = [use(f"tile-{tile.tile}-{tile.rotation}", 100 * tile.x, 100 * tile.y, class_="tile",
                 data_tile=tile.tile, data_x=tile.x, data_y=tile.y, data_rotation=tile.rotation)
             for tile in board]
    borders = (path(f"M{100 * tile.x} {100 * tile.y}{SQUARE}", None) for tile in board)
    line = {"stroke": p.TILE_LINE, "stroke_opacity": .38, "stroke_width": 1.1}
    return "".join(parts) + element("g", *borders, fill="none", **line)


def towers(board: list[Placed]) -> str:
    """A round tower at every corner where a city wall reaches the edge of its tile."""
    return _towers({_on_tile(tile, end) for tile in board for end in wall_ends(tile.tile)})


def _towers(corners: set[Point]) -> str:
    circles = (circle(x, y, 3.7) for x, y in sorted(corners))
    return element("g", *circles, fill=p.WALL_TOP, stroke=p.WALL, stroke_width=1.3) if corners else ""


def marks(game: Game, board: list[Placed], asked: list[tuple[int, int]]) -> str:
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
def panel(game: Game, board: list[Placed], layout: Layout) -> str:
    """The question with the tile in hand, and below it the players."""
    cards = [_question_card(game, board)]
    for player in range(game.players):
        y = QUESTION_HEIGHT + GAP + player * (PLAYER_HEIGHT + GAP)
        cards.append(element("g", _player_card(game, player), transform=move(0, y)))
    y = max(GAP, (layout.height - panel_height(game)) / 2)
    return element("g", *cards, class_="panel", transform=move(layout.width - PANEL, y))


def _card(height: float, line: str = p.CARD_LINE, width: float = 1) -> str:
    return element("rect", width=PANEL - 2 * GAP, height=height, rx=8, fill=p.CARD, stroke=line,
                   stroke_width=width)


def _question_card(game: Game, board: list[Placed]) -> str:
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


def _tile_shown(game: Game, board: list[Placed]) -> tuple[str, int]:
    """The tile in hand or, when it has been placed, the tile placed last; with its rotation."""
    return (game.tile, 0) if game.tile else (board[-1].tile, board[-1].rotation)


def _final_table(game: Game) -> str:
    """The points of each player by source, the six largest sources."""
    points = {source: of for source, of in game.final_scores().items() if np.any(of)}
    largest = sorted(points, key=lambda source: (-int(points[source].sum()), source))[:6]
    columns = [PANEL - 40 - 30 * (game.players - 1 - i) for i in range(game.players)]
    parts = [use("meeple", fill=colour, transform=move(x - 5, 46, .55))
             for x, (_, colour) in zip(columns, p.PLAYERS)]
    for row, source in enumerate(largest):
        y = 66 + 14 * row
        parts.append(text(source, 16, y, 7.5, p.FAINT_INK))
        parts += [text(str(int(value)), x, y, 7.5, p.INK, "end", 1.4)
                  for x, value in zip(columns, points[source])]
    return "".join(parts)


def _player_card(game: Game, player: int) -> str:
    name, colour = p.PLAYERS[player]
    score, gold = int(game.scores[player]), int(game.ingots[player])
    frame = (colour, 2.4) if game.player == player else ()
    parts = [_card(PLAYER_HEIGHT, *frame), use("meeple", fill=colour, transform=move(30, 36, 1.5)),
             text(name, 60, 29, 10.5)]
    x = 65.0
    for kind, left in stock(game, player):
        parts += [use(kind, fill=colour, transform=move(x, 53, .6 * SCALES[kind])),
                  text(str(left), x + 11, 57, 8, p.FAINT_INK)]
        x += 29 + text_width(str(left), 8)
    if "goldmines" in game.config.boxes:
        parts += [use("ingot", transform=move(x + 1, 53, .9)), text(str(gold), x + 13, 57, 8, p.FAINT_INK)]
    y = 47 if x < 160 else 36  # above a long row of figures
    parts.append(text(str(score), PANEL - 37, y, 21, p.INK, "end"))
    return element("g", *parts, class_="player", data_player=player, data_score=score, data_ingots=gold)
