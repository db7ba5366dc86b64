"""Draw a game as pixels quickly. The module renders each part of the drawing once for each size and caches the result.
Every picture is composed of cached parts.

In a picture of fixed size, the side of a cell is a whole number of pixels (see `svg.fit_cells`), so a tile looks the
same in every cell. The functions of `svg.py` draw the content of every cell as if the cell were cell 0,0. This module
then pastes the result into the right cell. Each part of each card of the panel is cached separately. The map and the
coordinates are cached together as the background. A picture equals what resvg renders for `svg(game, size)`, except for
the rounding of partly transparent pixels.
"""

import functools
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from carc_env.boxes.sheets import Sheet, Town
from carc_env.common import palette as p
from carc_env.common.markup import element
from carc_env.notation.placed import Placed
from carc_env.render import sheet_art
from carc_env.render.facts import Table, chips_face_down, is_double, lying_on, sheet_of, to_place
from carc_env.render.panel import CARD_WIDTH, cards, panel_place
from carc_env.render.png import image_of, modules
from carc_env.render.svg import (
    PIXEL,
    SMALLEST_FINE,
    Layout,
    asked_cells,
    board_transform,
    borders,
    coordinates,
    drawings,
    figures,
    fit,
    frame,
    frames,
    hint,
    ingots,
    tile_lying,
    tower_points,
    towns_covered,
)
from carc_env.render.tile_art import tile_art, towers_at
from carc_env.systems.map_chips.signs import chips

FRAME = (800, 600)  # width and height of a picture, in pixels
KEPT = 4096  # maximum number of cached parts; most parts take less than 10 KB, and the largest takes about 30 KB
# maximum numbers of cached backgrounds: without tiles, and with tiles; each background takes 1.4 MB
KEPT_GROUNDS, KEPT_TABLES = 16, 4
ANY_TILE = Placed("D", 0, 0, 0, 0, ())  # a tile that covers one cell; all tiles of this size have the same outline
TILE = "tile-"  # the prefix of the ids of tiles
USED = re.compile(r'href="#([^"]+)"')


class Piece(NamedTuple):
    """A rendered part of the drawing: colours and opacity of its pixels, and their offset from the part's origin."""

    left: int
    top: int
    colours: Any  # PIL.Image, RGB
    cover: Any  # PIL.Image, L


def rgb_array(game: Table, size: tuple[int, int] = FRAME, layout: Layout | None = None) -> np.ndarray:
    """Return the picture of a game as a uint8 array of shape (height, width, 3). The board is scaled to fit into the
    picture.

    Two pictures of the same size show the board at the same position and scale if they have the same `layout`.
    """
    modules()
    board, asked, sheet = game.board(), asked_cells(game), sheet_of(game)
    layout = layout or fit(game, asked, laid_out(size))
    canvas = tiles_on(layout, sheet, size, tuple(tile._replace(ingots=0, figures=()) for tile in board)).copy()
    put_pieces(Board(canvas, layout), game, board, asked)
    put_panel(canvas, game, board, layout)
    return np.array(canvas)


def laid_out(size: tuple[int, int]) -> tuple[float, float]:
    """Convert the size of a picture from pixels to the units of a layout."""
    return round(PIXEL * size[0], 2), round(PIXEL * size[1], 2)


class Board:
    """The part of a picture that shows the board. Call the method `put` to draw on cells of the board."""

    def __init__(self, canvas: Any, layout: Layout):
        left, top, self._cell = (round(length / PIXEL) for length in (layout.left, layout.top, layout.cell))
        self._left, self._top = left - layout.columns.start * self._cell, top - layout.rows.start * self._cell
        self._canvas, self._fine = canvas, layout.cell >= SMALLEST_FINE

    def put(self, draw: Callable[..., str], places: Iterable[tuple[Any, ...]], cells: int = 1) -> None:
        """Call the drawing function once for each place, and paste each result into the cell of its place. A place is a
        tuple of the cell's x, the cell's y, and the arguments for the drawing function.
        """
        for x, y, *what in places:
            found = piece(draw, tuple(what), self._cell, self._fine, cells)
            put(self._canvas, found, self._left + round(x * self._cell), self._top + round(y * self._cell))


# --- the layers -------------------------------------------------------------------------------------------------------
@functools.lru_cache(KEPT_GROUNDS)
def ground(layout: Layout, sheet: Sheet | None, size: tuple[int, int]) -> Any:
    """Return the lowest layer: the table with the coordinates, and the map."""
    from PIL import Image

    width, height = size
    inside, fine = coordinates(layout), layout.cell >= SMALLEST_FINE
    parts = [(0, 0, width, int(layout.top / PIXEL)), (0, 0, int(layout.left / PIXEL), height)]
    if sheet:
        inside += element("g", sheet_art.sheet_art(sheet, fine=fine), transform=board_transform(layout))
        parts = [(0, 0, width, height)]
    canvas = Image.new("RGB", size, p.TABLE)
    for part in parts:
        found = raster(inside, f"scale({1 / PIXEL})", part, fine)
        canvas.paste(found, part[:2], found)
    return canvas


@functools.lru_cache(KEPT_TABLES)
def tiles_on(layout: Layout, sheet: Sheet | None, size: tuple[int, int], lying: tuple[Placed, ...]) -> Any:
    """Return the background with the tiles. The result is cached because it changes only when a tile is placed."""
    canvas = ground(layout, sheet, size).copy()
    board = Board(canvas, layout)
    board.put(_tile, ((tile.x, tile.y, tile._replace(x=0, y=0)) for tile in lying))
    board.put(
        _border, ((tile.x, tile.y, tile._replace(x=0, y=0) if is_double(tile.tile) else ANY_TILE) for tile in lying)
    )
    board.put(_tower, ((x / 100, y / 100) for x, y in tower_points(lying)))
    return canvas


def put_pieces(on: Board, game: Table, board: list[Placed], asked: list[tuple[int, int]]) -> None:
    """Draw the layers above the tiles: chips, covered towns, pieces, frames, figures and ingots. The layers have the
    same order as in `svg.svg`.
    """
    # `far` is the length of the longest tile on the board, in cells
    sheet, far = sheet_of(game), 2 if any(is_double(tile.tile) for tile in board) else 1
    on.put(_chip, chips_face_down(game) if sheet else ())
    on.put(_hint, asked if to_place(game) else ())
    on.put(
        _town, ((*town.square, replace(town, square=(0, 0))) for town in (towns_covered(sheet, board) if sheet else ()))
    )
    for system, thing in lying_on(game, board):
        on.put(system.draw_here, [thing])
    on.put(_frame, frames(game, board, asked))
    on.put(_figures, ((tile.x, tile.y, tile._replace(x=0, y=0, ingots=0)) for tile in board if tile.figures), far)
    on.put(_ingots, ((tile.x, tile.y, tile._replace(x=0, y=0, figures=())) for tile in board if tile.ingots), far)


def put_panel(canvas: Any, game: Table, board: list[Placed], layout: Layout) -> None:
    """Draw the cards of the panel on the picture."""
    x, y, scale = panel_place(game, layout.width, layout.height)
    for card in cards(game, board):
        left, top = x / PIXEL, (y + scale * card.top) / PIXEL
        shift = round(left % 1, 3), round(top % 1, 3)
        for part in card.parts:
            put(canvas, on_card(part, card.height, scale, shift, layout.cell >= SMALLEST_FINE), int(left), int(top))


@functools.lru_cache(KEPT)
def on_card(inside: str, height: float, scale: float, shift: tuple[float, float], fine: bool) -> Piece:
    """Render one element of a card of the panel. `height` is the card's height in units of the drawing. The card's
    upper left corner has the pixel coordinates x and y, and `shift` contains the fractional parts of x and y.
    """
    width, height = (math.ceil(length * scale / PIXEL) + 4 for length in (CARD_WIDTH, height))
    found = raster(inside, f"translate({shift[0]} {shift[1]}) scale({scale / PIXEL})", (-2, -2, width, height), fine)
    return cut(found, -2, -2)


# --- pieces -----------------------------------------------------------------------------------------------------------
def put(canvas: Any, piece: Piece, x: int, y: int) -> None:
    """Paste a rendered part into a picture, with its origin at the pixel (x, y)."""
    canvas.paste(piece.colours, (x + piece.left, y + piece.top), piece.cover)


@functools.lru_cache(KEPT)
def piece(draw: Callable[..., str], what: tuple[Any, ...], cell: int, fine: bool, cells: int) -> Piece:
    """Call a drawing function, and render the result on cell 0,0. `cell` is the side of a cell in pixels, and `cells`
    is the number of cells that the drawing covers in each direction.
    """
    return rendered(draw(*what), f"scale({cell / 100})", 0, cell * cells, fine)


def rendered(inside: str, transform: str, first: int, last: int, fine: bool) -> Piece:
    """Render a part of the drawing. The caller need not know the size of this part.

    The rendered square contains the pixels from `first` to `last` in both directions, and a margin around these pixels.
    The margin is enlarged until the pixels along the edges of the square are empty.
    """
    beyond = 2 + (last - first) // 8
    while True:
        low, side = first - beyond, last - first + 2 * beyond
        found = cut(raster(inside, transform, (low, low, side, side), fine), low, low)
        if (
            min(found.left, found.top) > low
            and max(found.left + found.cover.width, found.top + found.cover.height) < low + side
        ):
            return found
        beyond *= 2


def cut(found: Any, left: int, top: int) -> Piece:
    """Crop an RGBA image (PIL.Image) to the pixels that are drawn. Before cropping, the upper left corner of the image
    is at (left, top).
    """
    box = found.getchannel("A").getbbox() or (1, 1, 2, 2)
    found = found.crop(box)
    return Piece(left + box[0], top + box[1], found.convert("RGB"), found.getchannel("A"))


def raster(inside: str, transform: str, part: tuple[int, int, int, int], fine: bool) -> Any:
    """Render a rectangle of a drawing as an RGBA image (PIL.Image). `part` is (left, top, width, height)."""
    left, top, width, height = part
    whole = element(
        "svg",
        defined(inside, fine),
        element("g", inside, transform=transform),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"{left} {top} {width} {height}",
        width=width,
        height=height,
    )
    return image_of(whole, width, height)


def defined(inside: str, fine: bool) -> str:
    """Return all definitions that a part of the drawing uses, directly or indirectly."""
    found, texts = {}, [inside]
    while texts:
        for name in USED.findall(texts.pop()):
            if name not in found:
                found[name] = _defined(name, fine)
                texts.append(found[name])
    return element("defs", *(element("g", text, id=name) for name, text in found.items()))


def _defined(name: str, fine: bool) -> str:
    """Return the drawing whose id is `name`."""
    if name.startswith(TILE):
        tile, _, rotation = name.removeprefix(TILE).rpartition("-")
        return tile_art(tile, int(rotation), fine)
    return _pieces()[name]


@functools.cache
def _pieces() -> dict[str, str]:
    """Return a dict of all drawings except tiles. The keys are the ids of the drawings."""
    return drawings(set()) | sheet_art.definitions()


# --- what is drawn on cell 0,0 ----------------------------------------------------------------------------------------
def _tile(tile: Placed) -> str:
    return tile_lying(tile)


def _border(tile: Placed) -> str:
    return borders([tile])


def _chip() -> str:
    return chips([(0, 0)])


def _hint() -> str:
    return hint(0, 0)


def _tower() -> str:
    return towers_at({(0, 0)})


def _town(town: Town) -> str:
    return sheet_art.covered_towns([town])


def _frame(width: float, height: float, colour: str, dash: str | None) -> str:
    return frame(0, 0, width, height, colour, dash)


def _figures(tile: Placed) -> str:
    return figures([tile])


def _ingots(tile: Placed) -> str:
    return ingots([tile])
