"""The drawing as pixels, fast: what it is made of is rendered once in each size and kept, and a picture is put together from that.

A picture of fixed size has cells of whole pixels (`svg.fit_cells`), so that a tile looks the same in every cell. What lies on one
cell is drawn by the functions of `svg.py` as if it lay on cell 0,0; the panel is kept card by card, the map and the coordinates
as one ground. The result is `svg(game, size)` as resvg renders it, but for the rounding of what is half transparent.
"""

import functools
import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from carc_env.render import palette as p
from carc_env.render import sheet_art
from carc_env.render import svg as drawing
from carc_env.render.facts import Table, castles_on, chips_face_down, ferries_on, sheet_of, to_place
from carc_env.render.markup import element
from carc_env.render.panel import cards, panel_place
from carc_env.render.png import image_of, modules
from carc_env.render.svg import PIXEL, SMALLEST_FINE, Layout
from carc_env.render.tile_art import tile_art, towers_at
from carc_env.sheets import Sheet, Town
from carc_env.table import Placed

FRAME = (800, 600)  # width and height of a picture, in pixels
KEPT = 4096  # pieces that are kept; one of the largest takes some 30 KB, most take less than 10
KEPT_CARDS, KEPT_GROUNDS = 128, 16  # some 80 KB and 1.4 MB each
CARD = 190  # pixels that a card may well be wide and high
TILE = "tile-"  # how the ids of tiles begin
USED = re.compile(r'href="#([^"]+)"')


class Piece(NamedTuple):
    """A part of the drawing as pixels: where it begins, seen from where it is put, its colours and how much they cover."""

    left: int
    top: int
    colours: Any  # PIL.Image, RGB
    cover: Any  # PIL.Image, L


class Place(NamedTuple):
    """Where cell 0,0 is in a picture and how large it is, in pixels; whether fine details are drawn."""

    left: int
    top: int
    cell: int
    fine: bool


def rgb_array(game: Table, size: tuple[int, int] = FRAME) -> np.ndarray:
    """The picture of a game as uint8[height, width, 3]; always of the same size, the board fitted into it."""
    modules()
    board, asked = game.board(), drawing.asked_cells(game)
    layout = drawing.fit(game, asked, laid_out(size))
    canvas = ground(layout, sheet_of(game), size).copy()
    put_board(canvas, place_of(layout), game, board, asked)
    put_panel(canvas, game, board, layout)
    return np.array(canvas)


def laid_out(size: tuple[int, int]) -> tuple[float, float]:
    """The size in which a picture is laid out that is to be so many pixels wide and high."""
    return round(PIXEL * size[0], 1), round(PIXEL * size[1], 1)


def place_of(layout: Layout) -> Place:
    """Where a layout has its cells."""
    left, top, cell = (round(length / PIXEL) for length in (layout.left, layout.top, layout.cell))
    return Place(left - layout.columns.start * cell, top - layout.rows.start * cell, cell, layout.cell >= SMALLEST_FINE)


# --- the layers ---------------------------------------------------------------------------------------------------------
@functools.lru_cache(KEPT_GROUNDS)
def ground(layout: Layout, sheet: Sheet | None, size: tuple[int, int]) -> Any:
    """What lies below everything: the table with the coordinates, and the map."""
    from PIL import Image

    width, height = size
    inside, fine = drawing.coordinates(layout), layout.cell >= SMALLEST_FINE
    parts = [(0, 0, width, int(layout.top / PIXEL)), (0, 0, int(layout.left / PIXEL), height)]
    if sheet:
        inside += element("g", sheet_art.sheet_art(sheet, fine=fine), transform=drawing.board_transform(layout))
        parts = [(0, 0, width, height)]
    canvas = Image.new("RGB", size, p.TABLE)
    for part in parts:
        found = raster(inside, f"scale({1 / PIXEL})", part, fine)
        canvas.paste(found, part[:2], found)
    return canvas


def put_board(canvas: Any, place: Place, game: Table, board: list[Placed], asked: list[tuple[int, int]]) -> None:
    """What lies on the board, layer by layer as in `svg.svg`."""
    def put_all(draw: Callable[..., str], found: Any) -> None:
        for x, y, *what in found:
            put(canvas, piece(draw, tuple(what), place.cell, place.fine), place.left + round(x * place.cell), place.top + round(y * place.cell))

    sheet = sheet_of(game)
    put_all(_chip, chips_face_down(game) if sheet else ())
    put_all(_hint, asked if to_place(game) else ())
    put_all(_tile, ((tile.x, tile.y, tile.tile, tile.rotation) for tile in board))
    put_borders(canvas, place, board)
    put_all(_tower, ((x / 100, y / 100) for x, y in drawing.tower_corners(board)))
    put_all(_town, ((*town.square, replace(town, square=(0, 0))) for town in (drawing.towns_covered(sheet, board) if sheet else ())))
    lies = {(tile.x, tile.y): tile.rotation for tile in board}
    put_all(_ferry, ((x, y, ends, lies[x, y]) for x, y, ends in ferries_on(game)))
    put_all(_castle, castles_on(game))
    put_all(_frame, drawing.frames(game, board, asked))
    put_all(_figures, ((tile.x, tile.y, tile._replace(x=0, y=0, ingots=0)) for tile in board if tile.figures))
    put_all(_ingots, ((tile.x, tile.y, tile._replace(x=0, y=0, figures=())) for tile in board if tile.ingots))


def put_borders(canvas: Any, place: Place, board: list[Placed]) -> None:
    """The lines around the tiles: where two lie side by side they have one line in common, which is no darker than others."""
    from PIL import Image

    lines = np.zeros(canvas.size[::-1], np.uint8)
    for tile in board:
        line, left, top = border(tile.tile, tile.rotation, place.cell, place.fine)
        left, top = left + place.left + tile.x * place.cell, top + place.top + tile.y * place.cell
        there = lines[max(top, 0):top + line.shape[0], max(left, 0):left + line.shape[1]]
        np.maximum(there, line[max(-top, 0):, max(-left, 0):][:there.shape[0], :there.shape[1]], out=there)
    canvas.paste(p.TILE_LINE, None, Image.fromarray(lines))


@functools.lru_cache(KEPT)
def border(tile: str, rotation: int, cell: int, fine: bool) -> tuple[np.ndarray, int, int]:
    """How much the line around a tile covers, uint8[height, width], and where it begins."""
    line = piece(_border, (tile, rotation, fine), cell, fine)
    return np.array(line.cover), line.left, line.top


def put_panel(canvas: Any, game: Table, board: list[Placed], layout: Layout) -> None:
    """The cards of the panel."""
    x, y, scale = panel_place(game, layout.width, layout.height)
    for inside, below in cards(game, board):
        left, top = x / PIXEL, (y + scale * below) / PIXEL
        shift = round(left % 1, 3), round(top % 1, 3)
        put(canvas, card(inside, scale, shift, layout.cell >= SMALLEST_FINE), int(left), int(top))


@functools.lru_cache(KEPT_CARDS)
def card(inside: str, scale: float, shift: tuple[float, float], fine: bool) -> Piece:
    """A card of the panel, its corner `shift` of a pixel from where it is put."""
    return rendered(inside, f"translate({shift[0]} {shift[1]}) scale({scale / PIXEL})", 0, CARD, fine)


# --- pieces -------------------------------------------------------------------------------------------------------------
def put(canvas: Any, piece: Piece, x: int, y: int) -> None:
    """Put a piece on a picture, its origin at a pixel."""
    canvas.paste(piece.colours, (x + piece.left, y + piece.top), piece.cover)


@functools.lru_cache(KEPT)
def piece(draw: Callable[..., str], what: tuple, cell: int, fine: bool) -> Piece:
    """What a function draws on cell 0,0, a cell being so many pixels wide."""
    return rendered(draw(*what), f"scale({cell / 100})", 0, cell, fine)


def rendered(inside: str, transform: str, first: int, last: int, fine: bool) -> Piece:
    """A part of the drawing as pixels, wherever they are: looked for from pixel `first` to `last` each way and, while there are
    some at the edge, further out."""
    beyond = 2 + (last - first) // 8
    while True:
        low, side = first - beyond, last - first + 2 * beyond
        found = raster(inside, transform, (low, low, side, side), fine)
        box = found.getchannel("A").getbbox() or (1, 1, 2, 2)
        if min(box[:2]) > 0 and max(box[2:]) < side:
            break
        beyond *= 2
    found = found.crop(box)
    return Piece(low + box[0], low + box[1], found.convert("RGB"), found.getchannel("A"))


def raster(inside: str, transform: str, part: tuple[int, int, int, int], fine: bool) -> Any:
    """A part of the drawing as a PIL.Image RGBA: of the pixels from (left, top) on so many (width, height)."""
    left, top, width, height = part
    whole = element("svg", defined(inside, fine), element("g", inside, transform=transform), xmlns="http://www.w3.org/2000/svg",
                    viewBox=f"{left} {top} {width} {height}", width=width, height=height)
    return image_of(whole, width, height)


def defined(inside: str, fine: bool) -> str:
    """The definitions of what a part of the drawing uses, and of what that uses."""
    found, texts = {}, [inside]
    while texts:
        for name in USED.findall(texts.pop()):
            if name not in found:
                found[name] = _defined(name, fine)
                texts.append(found[name])
    return element("defs", *(element("g", text, id=name) for name, text in found.items()))


def _defined(name: str, fine: bool) -> str:
    """The drawing of an id."""
    if name.startswith(TILE):
        tile, _, rotation = name.removeprefix(TILE).rpartition("-")
        return tile_art(tile, int(rotation), fine)
    return drawing.pieces()[name] if name in drawing.pieces() else sheet_art.definitions()[name]


# --- what is drawn on cell 0,0 ------------------------------------------------------------------------------------------
def _tile(tile: str, rotation: int) -> str:
    return drawing.tile_on(tile, 0, 0, rotation)


def _border(tile: str, rotation: int, fine: bool) -> str:
    return drawing.borders([(tile, 0, 0, rotation)], fine)


def _chip() -> str:
    return sheet_art.chips([(0, 0)])


def _hint() -> str:
    return drawing.hint(0, 0)


def _tower() -> str:
    return towers_at({(0, 0)})


def _town(town: Town) -> str:
    return sheet_art.covered_towns([town])


def _ferry(ends: str, rotation: int) -> str:
    return drawing.ferries([(0, 0, ends)], [Placed("", 0, 0, rotation, 0, ())])


def _castle(side: str, player: int, has_lord: bool) -> str:
    return drawing.castles([(0, 0, side, player, has_lord)])


def _frame(width: float, height: float, colour: str, dash: str | None) -> str:
    return drawing.frame(0, 0, width, height, colour, dash)


def _figures(tile: Placed) -> str:
    return drawing.figures([tile])


def _ingots(tile: Placed) -> str:
    return drawing.ingots([tile])
