"""Draw the pictures of the gallery, which show the contents of the boxes. `tiles_svg` shows tiles with their names.
`pieces_svg` shows each kind of piece on a tile.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from carc_env.common import palette as p
from carc_env.common.lettering import fitting_size, text
from carc_env.common.markup import element, move, number, title_element
from carc_env.notation.placed import Figure, Placed
from carc_env.render.pieces import PIECES, SHAPES, SIGNS, figure, sign_id
from carc_env.render.places import places
from carc_env.render.svg import figures, ingots, tiles, towers
from carc_env.render.tile_art import size_of, tile_art, tile_picture
from carc_env.systems.castles.signs import castle
from carc_env.systems.ferries.signs import ferry_lying

ACROSS, STEP, ROW = 8, 112.0, 130.0  # squares per row; distance between squares in a row; distance between rows
EDGE = 14.0
SHOWN_AT = 0.8  # pixels per unit
Scene = tuple[str, tuple[Placed, ...], str]  # the caption, the tiles, and the other pieces as SVG


def tiles_svg(names: Sequence[str], title: str) -> str:
    """Return a picture of tiles, each with its name below it."""
    lying = dict.fromkeys((name, 0) for name in names)
    return _picture(title, [(name, size_of(name, 0)[0], tile_picture(name, 0)) for name in names], lying, {})


def pieces_svg() -> str:
    """Return a picture with all kinds of pieces that lie on tiles, and with figures on each kind of building."""
    entries = [
        (
            words,
            size_of(board[0].tile, board[0].rotation)[0] * len(board),
            "".join((tiles(board), towers(board), lying, figures(board), ingots(board))),
        )
        for words, board, lying in SCENES
    ]
    shown = dict.fromkeys((tile.tile, tile.rotation) for _, board, _ in SCENES for tile in board)
    pieces = {name: figure(name) for name in SHAPES} | {name: draw() for name, draw in PIECES.items()}
    return _picture("Pieces on tiles", entries, shown, pieces)


def _scene(words: str, *tiles: tuple[Any, ...], lying: str = "") -> Scene:
    """Return a scene: tiles in a row from west to east, with their ingots and figures."""
    board = tuple(
        Placed(tile, x, 0, rotation, gold, tuple(Figure(*piece) for piece in pieces))
        for x, (tile, rotation, gold, *pieces) in enumerate(tiles)
    )
    return words, board, lying


SCENES = (
    _scene("ferry", ("FE2", 0, 0), lying=ferry_lying(0, 0, "S-W", 0)),
    _scene("ferry", ("FE3", 0, 0), lying=ferry_lying(0, 0, "N-S", 0)),
    _scene(
        "castle with its lord",
        ("E", 90, 0, ("meeple", 0, "castle", "E")),
        ("E", 270, 0),
        lying=castle(0, 0, "E", 0, True),
    ),
    _scene("castle without", ("E", 90, 0), ("E", 270, 0), lying=castle(0, 0, "E", 1, False)),
    _scene("lord of a German castle, ingots", ("GC1", 0, 2, ("meeple", 1, "castle", "castle"))),
    _scene("monk", ("MO1", 0, 0, ("meeple", 0, "monastery", "monastery"))),
    _scene("lying monk", ("MO1", 0, 0, ("meeple", 0, "monastery", "lying"))),
    _scene("abbey", ("abbey", 0, 0, ("meeple", 1, "monastery", "monastery"))),
    _scene("shrine", ("SH3", 0, 0, ("meeple", 0, "shrine", "shrine"))),
    _scene("church", ("DA3", 0, 0, ("big", 1, "monastery", "monastery"))),
    _scene("hut", ("RU1", 0, 0, ("meeple", 0, "hut", "hut"))),
    _scene("archbishop", ("GK4", 0, 0, ("meeple", 1, "cathedral", "cathedral"))),
    _scene("monastery", ("A", 0, 0, ("meeple", 0, "monastery", "monastery"))),
    _scene("abbot, garden", ("BB12", 0, 0, ("abbot", 1, "garden", "garden"))),
    _scene("knight", ("E", 0, 0, ("meeple", 0, "city", "N"))),
    _scene("highwayman, builder", ("U", 0, 0, ("meeple", 1, "road", "E"), ("builder", 1, "road", "E"))),
    _scene("farmer", ("B", 0, 0, ("meeple", 0, "field", "Nw"))),
    _scene("pig", ("B", 0, 0, ("pig", 1, "field", "Nw"))),
)


def _picture(
    title: str, entries: Iterable[tuple[str, float, str]], lying: Iterable[tuple[str, int]], pieces: dict[str, str]
) -> str:
    """Return a picture that shows drawings in rows. Each element of `entries` contains the caption, the width and the
    SVG of a drawing. The picture contains only the SVG definitions that its drawings use.
    """
    parts, column, row, widest = [], 0.0, 0, 0.0
    for words, width, drawing in entries:
        if column and column + width > STEP * ACROSS:
            column, row = 0.0, row + 1
        label = text(words, width / 2, 114, fitting_size(words, 8, width), p.INK, "middle", 1.2)
        parts.append(element("g", drawing, label, transform=move(EDGE + column, EDGE + ROW * row), data_name=words))
        column += width + STEP - 100
        widest = max(widest, column)
    wide, high = widest - (STEP - 100) + 2 * EDGE, ROW * (row + 1) + EDGE
    signs = dict.fromkeys(sign for tile, _ in lying for sign, _ in places(tile).signs)
    drawings = {sign_id(sign): SIGNS[sign]() for sign in signs} | pieces
    drawings |= {f"tile-{tile}-{rotation}": tile_art(tile, rotation) for tile, rotation in lying}
    defined = element("defs", *(element("g", drawing, id=name) for name, drawing in drawings.items()))
    return (
        element(
            "svg",
            title_element(title),
            defined,
            element("rect", width="100%", height="100%", fill=p.TABLE),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(wide)} {number(high)}",
            width=number(SHOWN_AT * wide),
            height=number(SHOWN_AT * high),
            role="img",
        )
        + "\n"
    )
