"""The one drawing of a game, as SVG: the board, and beside it a panel with the players and the question asked.

The picture is built from layers, each a short function over the public `Game`. It needs no font, no network and no
display, and the same game always gives the same text.
"""

import re
from typing import NamedTuple

import numpy as np

from carc_env.game import Game, Placed
from carc_env.render import palette as p
from carc_env.render.facts import BUILDINGS, segment_at, tile_segments
from carc_env.render.geometry import Point, turn, wall_ends
from carc_env.render.lettering import CAPITAL, text_path, text_width
from carc_env.render.pieces import SCALES, SHAPES, SIGNS, figure, ingot, sign_id
from carc_env.render.places import places
from carc_env.render.tile_art import number, tile_art

__all__ = ["Layout", "svg", "tile_segments"]

PANEL, MARGIN, GAP = 272, 34, 10  # pixels: width of the panel, room for coordinates, space between cards
QUESTION_HEIGHT, PLAYER_HEIGHT = 148, 72
LARGEST_CELL = 100.0
LARGEST_BOARD = (1120.0, 960.0)  # pixels; a growing board is drawn in smaller cells beyond this
SMALLEST_BOARD = (420.0, 330.0)
CELL = re.compile(r"(-?\d+),(-?\d+)")


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
    """The picture of a game; with `size` (width, height in pixels) it always has that size, else one that suits it."""
    asked = asked_cells(game)
    layout = fit(game, asked, size)
    board = game.board()
    shown = {(tile.tile, tile.rotation) for tile in board} | {_tile_shown(game, board)}
    layers = (coordinates(layout), on_board(layout, hints(game, asked) + tiles(board) + towers(board) + marks(game, board, asked)
              + ingots(board) + figures(board)), panel(game, board, layout))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(layout.width)} {number(layout.height)}" '
            f'width="{number(layout.width)}" height="{number(layout.height)}" role="img">'
            f'<title>{len(board)} tiles on the table. {question(game)}</title>{definitions(shown)}'
            f'<rect width="100%" height="100%" fill="{p.TABLE}"/>{"".join(layers)}</svg>\n')


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


# --- text -------------------------------------------------------------------------------------------------------------
def text(words: str, x: float, y: float, size: float, colour: str = p.INK, anchor: str = "start", weight: float = 1.25) -> str:
    """A line of text with capitals `size` high; `anchor` is start, middle or end."""
    x -= text_width(words, size) * {"start": 0, "middle": .5, "end": 1}[anchor]
    return (f'<path d="{text_path(words)}" transform="translate({number(x)} {number(y)}) scale({size / CAPITAL:g})" fill="none"'
            f' stroke="{colour}" stroke-width="{weight}" stroke-linecap="round" stroke-linejoin="round" data-text="{words}"/>')


# --- the board --------------------------------------------------------------------------------------------------------
def definitions(shown: set[tuple[str, int]]) -> str:
    """Every drawing that is used more than once: pieces, and the tiles shown, each kind in each rotation."""
    parts = [*(f'<g id="{sign_id(name)}">{draw()}</g>' for name, draw in SIGNS.items()),
             *(f'<g id="{name}">{figure(name)}</g>' for name in SHAPES), f'<g id="ingot">{ingot()}</g>',
             *(f'<g id="tile-{tile}-{rotation}">{tile_art(tile, rotation)}</g>'
               for tile, rotation in sorted(shown))]
    return f'<defs>{"".join(parts)}</defs>'


def on_board(layout: Layout, drawing: str) -> str:
    """Put a drawing in cell units (100 a cell, origin in cell 0,0) onto the board."""
    left = layout.left - layout.columns.start * layout.cell
    top = layout.top - layout.rows.start * layout.cell
    return f'<g transform="translate({left:.2f} {top:.2f}) scale({layout.cell / 100:.4f})">{drawing}</g>'


def coordinates(layout: Layout) -> str:
    """x above the columns and y beside the rows."""
    size = min(9.0, max(5.5, layout.cell / 10))
    parts = [text(str(x), layout.left + (i + .5) * layout.cell, layout.top - 9, size, p.FAINT_INK, "middle")
             for i, x in enumerate(layout.columns)]
    parts += [text(str(y), layout.left - 10, layout.top + (i + .5) * layout.cell + size / 2, size, p.FAINT_INK, "end")
              for i, y in enumerate(layout.rows)]
    return f'<g class="coordinates">{"".join(parts)}</g>'


def hints(game: Game, asked: list[tuple[int, int]]) -> str:
    """A dashed square wherever the tile in hand may be placed."""
    if game.phase.name != "PLACE_TILE":
        return ""
    return "".join(f'<rect class="hint" x="{100 * x + 8}" y="{100 * y + 8}" width="84" height="84" rx="8" fill="none"'
                   f' stroke="{p.GHOST}" stroke-width="2" stroke-dasharray="7 6"/>' for x, y in asked)


def tiles(board: list[Placed]) -> str:
    """The tiles, with a thin line around each."""
    parts = []
    for tile in board:
        x, y = 100 * tile.x, 100 * tile.y
        parts.append(f'<use class="tile" href="#tile-{tile.tile}-{tile.rotation}" x="{x}" y="{y}" data-tile="{tile.tile}"'
                     f' data-x="{tile.x}" data-y="{tile.y}" data-rotation="{tile.rotation}"/>')
    borders = "".join(f'<path d="M{100 * tile.x} {100 * tile.y}h100v100h-100z"/>' for tile in board)
    return "".join(parts) + f'<g fill="none" stroke="{p.TILE_LINE}" stroke-opacity=".38" stroke-width="1.1">{borders}</g>'


def towers(board: list[Placed]) -> str:
    """A round tower at every corner where a city wall reaches the edge of its tile."""
    corners = {(100 * tile.x + round(x), 100 * tile.y + round(y))
               for tile in board for x, y in (turn(end, tile.rotation) for end in wall_ends(tile.tile))}
    return _tower_circles(sorted(corners))


def _tower_circles(corners: list[Point]) -> str:
    circles = "".join(f'<circle cx="{x:g}" cy="{y:g}" r="3.7"/>' for x, y in corners)
    return f'<g fill="{p.WALL_TOP}" stroke="{p.WALL}" stroke-width="1.3">{circles}</g>'


def marks(game: Game, board: list[Placed], asked: list[tuple[int, int]]) -> str:
    """A frame around the tile placed last, and a golden one around each tile that an ingot question is about."""
    last = board[-1]
    frames = [(last.x, last.y, "#ffffff", "")]
    if game.phase.name != "PLACE_TILE":
        frames += [(x, y, p.GOLD, ' stroke-dasharray="9 5"') for x, y in asked]
    return "".join(f'<rect class="mark" x="{100 * x + 2}" y="{100 * y + 2}" width="96" height="96" fill="none" stroke="{colour}"'
                   f' stroke-width="3.4"{dash}/>' for x, y, colour, dash in frames)


def ingots(board: list[Placed]) -> str:
    """The gold on the tiles: a bar, with the number beside it if there are several."""
    parts = []
    for tile in board:
        if tile.ingots:
            x, y = turn(places(tile.tile).ingots, tile.rotation)
            x, y = 100 * tile.x + min(max(x, 15), 76), 100 * tile.y + min(max(y, 14), 80)  # the number stays on the tile
            bars = '<use href="#ingot"/>' if tile.ingots == 1 else (
                '<use href="#ingot" x="-3" y="3"/><use href="#ingot" x="2" y="-4"/>' + _count(tile.ingots))
            parts.append(f'<g class="ingots" data-x="{tile.x}" data-y="{tile.y}" data-count="{tile.ingots}"'
                         f' transform="translate({number(x)} {number(y)}) scale(1.25)">{bars}</g>')
    return "".join(parts)


def _count(count: int) -> str:
    return (f'<circle cx="9.5" cy="5.5" r="6.2" fill="{p.INK}" stroke="{p.PLASTER}" stroke-width="1"/>'
            + text(str(count), 9.5, 8.8, 6.6, p.GOLD_LIGHT, "middle", 1.7))


def figures(board: list[Placed]) -> str:
    """The figures, each standing (farmers and pigs on the grass: farmers lie) on its segment."""
    parts = []
    for tile in board:
        taken: dict[int, int] = {}
        for piece in tile.figures:
            segment = segment_at(tile.tile, tile.rotation, piece.feature, piece.spot)
            x, y = _on_tile(tile, places(tile.tile).figure[segment])
            if piece.feature in BUILDINGS:
                x, y = x - 4, y + 6  # in front of the building, so that it can still be seen
            x += 15 * taken.get(segment, 0)
            taken[segment] = taken.get(segment, 0) + 1
            lying = " rotate(90)" if piece.feature == "field" and piece.figure != "pig" else ""
            scale = SCALES[piece.figure]
            parts.append(f'<use class="figure" href="#{piece.figure}" fill="{p.PLAYERS[piece.player][1]}"'
                         f' transform="translate({number(x)} {number(y)}){lying} scale({scale:g})" data-figure="{piece.figure}"'
                         f' data-player="{piece.player}" data-feature="{piece.feature}" data-x="{tile.x}" data-y="{tile.y}"/>')
    return "".join(parts)


def _on_tile(tile: Placed, point: Point) -> Point:
    x, y = turn(point, tile.rotation)
    return 100 * tile.x + x, 100 * tile.y + y


# --- the panel --------------------------------------------------------------------------------------------------------
def panel_height(game: Game) -> float:
    """Height of the panel: the question and a card for each player."""
    return QUESTION_HEIGHT + game.players * (PLAYER_HEIGHT + GAP)


def stock(game: Game, player: int) -> list[tuple[str, int]]:
    """The figures a player has in supply, of each kind that is in play at all."""
    on_table = {piece.figure for tile in game.board() for piece in tile.figures}
    return [(kind, int(left[player])) for kind, left in game.meeples.items() if kind in on_table or np.any(left)]


def panel(game: Game, board: list[Placed], layout: Layout) -> str:
    """The question with the tile in hand, and below it the players."""
    x, y = layout.width - PANEL, max(GAP, (layout.height - panel_height(game)) / 2)
    cards = [_question_card(game, board)]
    cards += [f'<g transform="translate(0 {QUESTION_HEIGHT + GAP + i * (PLAYER_HEIGHT + GAP)})">{_player_card(game, i)}</g>'
              for i in range(game.players)]
    return f'<g class="panel" transform="translate({number(x)} {number(y)})">{"".join(cards)}</g>'


def _card(height: float, line: str = p.CARD_LINE, width: float = 1) -> str:
    return (f'<rect width="{PANEL - 2 * GAP}" height="{height}" rx="8" fill="{p.CARD}" stroke="{line}" stroke-width="{width}"/>')


def _question_card(game: Game, board: list[Placed]) -> str:
    parts = [_card(QUESTION_HEIGHT), text(question(game), 16, 28, 11.5)]
    if game.is_over:
        return "".join(parts) + _final_table(game)
    tile, rotation = _tile_shown(game, board)
    corners = [turn(end, rotation) for end in wall_ends(tile)]
    parts.append(f'<g class="{"hand" if game.tile else "placed"}" transform="translate(17 42) scale(.9)" data-tile="{tile}">'
                 f'<use href="#tile-{tile}-{rotation}"/><path d="M0 0h100v100h-100z" fill="none" stroke="{p.TILE_LINE}"'
                 f' stroke-opacity=".5" stroke-width="1.2"/>{_tower_circles(corners)}</g>')
    parts += [text(str(game.tiles_left), 132, 82, 18), text("tiles left", 132, 100, 8, p.FAINT_INK),
              text(tile, 132, 131, 8, p.FAINT_INK)]
    return "".join(parts)


def _tile_shown(game: Game, board: list[Placed]) -> tuple[str, int]:
    """The tile in hand or, when it has been placed, the tile placed last; with its rotation."""
    return (game.tile, 0) if game.tile else (board[-1].tile, board[-1].rotation)


def _final_table(game: Game) -> str:
    """The points of each player by source, the six largest sources."""
    points = {source: np.asarray(of) for source, of in game.final_scores().items() if np.any(of)}
    largest = sorted(points, key=lambda source: (-int(points[source].sum()), source))[:6]
    columns = [PANEL - 40 - 30 * (game.players - 1 - i) for i in range(game.players)]
    parts = [f'<use href="#meeple" fill="{p.PLAYERS[i][1]}" transform="translate({x - 5} 46) scale(.55)"/>'
             for i, x in enumerate(columns)]
    for row, source in enumerate(largest):
        y = 66 + 14 * row
        parts.append(text(source, 16, y, 7.5, p.FAINT_INK))
        parts += [text(str(int(value)), x, y, 7.5, p.INK, "end", 1.4) for x, value in zip(columns, points[source])]
    return "".join(parts)


def _player_card(game: Game, player: int) -> str:
    name, colour = p.PLAYERS[player]
    asked = game.player == player and not game.is_over
    parts = [_card(PLAYER_HEIGHT, *((colour, 2.4) if asked else ())),
             f'<use href="#meeple" fill="{colour}" transform="translate(30 36) scale(1.5)"/>',
             text(name, 60, 29, 10.5)]
    x = 65.0
    for kind, left in stock(game, player):
        parts.append(f'<use href="#{kind}" fill="{colour}" transform="translate({number(x)} 53) scale({.6 * SCALES[kind]:.3g})"/>')
        parts.append(text(str(left), x + 11, 57, 8, p.FAINT_INK))
        x += 29 + text_width(str(left), 8)
    if "goldmines" in game.config.boxes:
        parts.append(f'<use href="#ingot" transform="translate({number(x + 1)} 53) scale(.9)"/>'
                     + text(str(int(game.ingots[player])), x + 13, 57, 8, p.FAINT_INK))
    parts.append(text(str(int(game.scores[player])), PANEL - 37, 47 if x < 160 else 36, 21, p.INK, "end"))
    return (f'<g class="player" data-player="{player}" data-score="{int(game.scores[player])}"'
            f' data-ingots="{int(game.ingots[player])}">{"".join(parts)}</g>')
