"""Draw a game as SVG: the board, and beside it a panel with the current decision and the players.

For a game on a map sheet, the picture shows the whole map and the tiles on it. `sheet_svg` draws an empty map sheet.

The picture consists of layers. Each layer is drawn by a short function that uses only public methods of the game.
Drawing needs no font, no network and no display, and the same game always produces the same SVG.
"""

from collections.abc import Sequence
from typing import NamedTuple

from carc_env.boxes.sheets import Sheet, Town
from carc_env.boxes.tiles import SIDES
from carc_env.common import palette as p
from carc_env.common.lettering import text
from carc_env.common.markup import circle, element, move, path, title_element, use
from carc_env.notation.placed import Figure, Placed
from carc_env.render import sheet_art
from carc_env.render.facts import (
    BUILDINGS,
    Table,
    cells_of,
    chips_face_down,
    in_castle,
    is_double,
    lying_on,
    segment_at,
    sheet_of,
    squares_covered,
    tile_segments,
    to_place,
)
from carc_env.render.panel import (
    GAP,
    LEGEND_HEIGHT,
    PANEL,
    legend,
    panel,
    panel_height,
    question,
    sheet_card,
    tiles_held,
    tiles_shown,
)
from carc_env.render.pieces import PIECES, SCALES, SHAPES, SIGNS, figure, sign_id
from carc_env.render.places import places
from carc_env.render.sheet_art import Edges
from carc_env.render.tile_art import lie, outline, size_of, tile_art, towers_at
from carc_env.render.tile_shape import Point, turn, wall_ends
from carc_env.systems.map_chips.signs import chips
from carc_env.systems.where import Laid, Place

MARGIN = 34  # pixels; space for the coordinates
LARGEST_CELL = 100.0
LARGEST_BOARD = (1120.0, 960.0)  # pixels; the cells shrink if the board would be larger than this
SMALLEST_BOARD = (420.0, 330.0)
# the minimum side of a cell, in pixels, for names and fine details to be drawn in a picture of fixed size
SMALLEST_FINE = 60.0
# width of a pixel in units of the layout, in a picture of fixed size; a larger value leaves more space for the board
PIXEL = 1.35
NO_ROOM = Edges(0, 0, 0, 0)
LORD_AT = 8.0  # distance of the lord below the middle of a castle
# offset of a figure from the middle of its building, so that the building stays visible
IN_FRONT, LYING_IN_FRONT = (-9.0, 8.0), (0.0, 14.0)
Frame = tuple[int, int, float, float, str, str | None]  # x and y of the cell; width and height in units; colour; dashes


class Layout(NamedTuple):
    """The positions of the parts of a picture, in pixels."""

    width: float
    height: float
    columns: range  # x coordinates of the cells shown
    rows: range  # y coordinates of the cells shown
    cell: float  # side of a cell
    left: float  # left edge of the board
    top: float
    room: Edges = NO_ROOM  # space around the cells, in hundredths of a cell


def svg(game: Table, size: tuple[float, float] | None = None) -> str:
    """Return the picture of a game. `size` is the picture's width and height in pixels. If `size` is None, the size
    depends on the board.
    """
    board, asked, sheet = game.board(), asked_cells(game), sheet_of(game)
    layout = fit(game, asked, size)
    fine = size is None or layout.cell >= SMALLEST_FINE
    shown = {(tile.tile, tile.rotation) for tile in board} | set(tiles_shown(game, board)) | tiles_held(game)
    on_board = (
        *(_sheet_layers(game, sheet, board, fine) if sheet else ()),
        hints(game, asked),
        tiles(board),
        towers(board),
        _covered_towns(sheet, board),
        lying(game, board),
        marks(game, board, asked),
        figures(board),
        ingots(board),
    )
    return picture(
        f"{len(board)} tiles on the table. {question(game)}",
        layout,
        definitions(shown, sheet, fine),
        coordinates(layout),
        element("g", *on_board, transform=board_transform(layout)),
        panel(game, board, layout.width, layout.height),
    )


def sheet_svg(sheet: Sheet) -> str:
    """Return the picture of an empty map sheet and two cards. One card has the name and size of the sheet, and the
    second card has the legend.
    """
    rows, columns, room = range(sheet.rows), range(sheet.columns), sheet_art.room_around(sheet)
    layout = fit_cells(columns, rows, room, None, SMALLEST_BOARD[1])
    board = element("g", sheet_art.sheet_art(sheet), transform=board_transform(layout))
    cards = element(
        "g",
        sheet_card(sheet),
        element("g", legend(sheet), transform=move(0, 96)),
        class_="panel",
        transform=move(layout.width - PANEL, max(GAP, (layout.height - 96 - LEGEND_HEIGHT) / 2)),
    )
    return picture(sheet.title, layout, definitions(set(), sheet), coordinates(layout), board, cards)


def picture(title: str, layout: Layout, definitions: str, *parts: str) -> str:
    """Return the whole SVG document."""
    width, height = (f"{length:.2f}".rstrip("0").rstrip(".") for length in (layout.width, layout.height))
    return (
        element(
            "svg",
            title_element(title),
            definitions,
            element("rect", width="100%", height="100%", fill=p.TABLE),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width} {height}",
            width=width,
            height=height,
            role="img",
        )
        + "\n"
    )


def asked_cells(game: Table) -> list[tuple[int, int]]:
    """Return the cells to which legal actions refer, including the cells that a tile would cover. The list is empty if
    the current decision does not concern cells.
    """
    return sorted({cell for place in game.places() for cell in _cells_named(place)})


def _cells_named(place: Place) -> list[tuple[int, int]]:
    """Return a list of the cells to which an action refers. If the action places a double tile, the list contains both
    cells that the tile would cover. Any other action refers to one cell or to no cell. If the action refers to no cell,
    the list is empty.
    """
    if isinstance(place, Laid):
        return cells_of(place.tile, *place.cell, place.rotation)
    return [] if place.cell is None else [place.cell]


# --- layout -------------------------------------------------------------------------------------------------
def fit(game: Table, asked: list[tuple[int, int]], size: tuple[float, float] | None) -> Layout:
    """Return the layout of a picture. If `size` is given, the board is scaled to fit into a picture of this size. If
    `size` is None, the size of the picture depends on the board. The layout includes all squares of a map sheet.

    In a game without a map sheet, a picture of a given size has additional space: one cell on each side of the tiles.
    The additional space gives all pictures of a turn the same scale.
    """
    if sheet := sheet_of(game):
        columns, rows, around = range(sheet.columns), range(sheet.rows), sheet_art.room_around(sheet)
    else:
        covered = squares_covered(game.board())
        room = [(x + step, y + step) for x, y in covered for step in (-1, 1)] if size is not None else []
        cells = covered + asked + room
        columns = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
        rows = range(min(y for _, y in cells), max(y for _, y in cells) + 1)
        around = NO_ROOM
    return fit_cells(columns, rows, around, size, panel_height(game) - 2 * MARGIN + 2 * GAP)


def fit_cells(columns: range, rows: range, room: Edges, size: tuple[float, float] | None, least: float) -> Layout:
    """Return the layout of a picture whose board has the given columns and rows. If `size` is None, the board is at
    least `least` pixels high.
    """
    across = len(columns) + (room.west + room.east) / 100
    down = len(rows) + (room.north + room.south) / 100
    wide, high = LARGEST_BOARD if size is None else (size[0] - PANEL - 2 * MARGIN, size[1] - 2 * MARGIN)
    cell = min(LARGEST_CELL, wide / across, high / down)
    if size is None:
        wide = max(SMALLEST_BOARD[0], cell * across)
        high = max(SMALLEST_BOARD[1], cell * down, least)
    else:
        cell = max(PIXEL, _whole(cell))
    left, top = (
        MARGIN + (wide - cell * across) / 2 + cell * room.west / 100,
        MARGIN + (high - cell * down) / 2 + cell * room.north / 100,
    )
    if size is not None:
        left, top = _whole(left), _whole(top)
    return Layout(wide + 2 * MARGIN + PANEL, high + 2 * MARGIN, columns, rows, cell, left, top, room)


def _whole(length: float) -> float:
    """Round a length down to whole pixels, so that a tile looks exactly the same in every cell."""
    return PIXEL * int(length / PIXEL + 1e-9)


def board_transform(layout: Layout) -> str:
    """Return the transformation from units of the board to pixels. A cell is 100 units wide, and the north-west corner
    of cell 0,0 is the origin.
    """
    left = layout.left - layout.columns.start * layout.cell
    top = layout.top - layout.rows.start * layout.cell
    return f"translate({left:.2f} {top:.2f}) scale({layout.cell / 100:.4f})"


def definitions(shown: set[tuple[str, int]], sheet: Sheet | None = None, fine: bool = True) -> str:
    """Return the SVG element `defs` with all drawings that are used more than once."""
    return element("defs", *(element("g", drawing, id=name) for name, drawing in drawings(shown, sheet, fine).items()))


def drawings(shown: set[tuple[str, int]], sheet: Sheet | None = None, fine: bool = True) -> dict[str, str]:
    """Return a dict of all drawings that are used more than once: pieces, tiles in each rotation, and symbols of a map
    sheet. The keys are the ids of the drawings.
    """
    found = {sign_id(name): draw() for name, draw in SIGNS.items()}
    found |= {name: figure(name) for name in SHAPES} | {name: draw() for name, draw in PIECES.items()}
    found |= sheet_art.definitions() if sheet else {}
    return found | {f"tile-{tile}-{rotation}": tile_art(tile, rotation, fine) for tile, rotation in sorted(shown)}


# --- the board ----------------------------------------------------------------------------------------------
def coordinates(layout: Layout) -> str:
    """Return the drawing of the coordinates: x above the columns and y beside the rows."""
    size = min(9.0, max(5.5, layout.cell / 10))
    above = layout.top - layout.cell * layout.room.north / 100 - 9
    beside = layout.left - layout.cell * layout.room.west / 100 - 10
    parts = []
    for i, x in enumerate(layout.columns):
        middle = layout.left + (i + 0.5) * layout.cell
        parts.append(text(str(x), middle, above, size, p.FAINT_INK, "middle"))
    for i, y in enumerate(layout.rows):
        middle = layout.top + (i + 0.5) * layout.cell
        parts.append(text(str(y), beside, middle + size / 2, size, p.FAINT_INK, "end"))
    return element("g", *parts, class_="coordinates")


def _sheet_layers(game: Table, sheet: Sheet, board: list[Placed], fine: bool) -> tuple[str, ...]:
    """Return the drawing of the map sheet with its chips."""
    covered = frozenset(squares_covered(board))
    return (sheet_art.sheet_art(sheet, covered, fine), chips(chips_face_down(game)))


def _covered_towns(sheet: Sheet | None, board: list[Placed]) -> str:
    return sheet_art.covered_towns(towns_covered(sheet, board)) if sheet else ""


def towns_covered(sheet: Sheet, board: list[Placed]) -> list[Town]:
    """Return the towns whose squares are covered by tiles."""
    covered = set(squares_covered(board))
    return [town for town in sheet.towns if town.square in covered]


def hints(game: Table, asked: list[tuple[int, int]]) -> str:
    """Return a dashed square for each cell where a tile can be placed."""
    if not to_place(game):
        return ""
    return "".join(hint(x, y) for x, y in asked)


def hint(x: int, y: int) -> str:
    """Return a dashed square in a cell."""
    return element(
        "rect",
        class_="hint",
        x=100 * x + 8,
        y=100 * y + 8,
        width=84,
        height=84,
        rx=8,
        fill="none",
        stroke=p.GHOST,
        stroke_width=2,
        stroke_dasharray="7 6",
    )


def tiles(board: Sequence[Placed]) -> str:
    """Return the drawing of the tiles, with a thin line around each."""
    return "".join(map(tile_lying, board)) + borders(board)


def tile_lying(tile: Placed) -> str:
    """Return one tile at its position on the board."""
    return use(
        f"tile-{tile.tile}-{tile.rotation}",
        100 * tile.x,
        100 * tile.y,
        class_="tile",
        data_tile=tile.tile,
        data_x=tile.x,
        data_y=tile.y,
        data_rotation=tile.rotation,
    )


def borders(board: Sequence[Placed]) -> str:
    """Return a thin line around each tile."""
    d = "".join(f"M{100 * tile.x} {100 * tile.y}{outline(tile.tile, tile.rotation)}" for tile in board)
    return path(d, stroke=p.TILE_LINE, width=1.1, stroke_opacity=0.55)


def towers(board: Sequence[Placed]) -> str:
    """Return the drawing of the round towers. A tower stands wherever a city wall reaches the edge of a tile."""
    return towers_at(tower_points(board))


def tower_points(board: Sequence[Placed]) -> set[Point]:
    """Return the coordinates of all positions on the board at which a city wall reaches the edge of its tile."""
    return {on_tile(tile, end) for tile in board for end in wall_ends(tile.tile)}


def lying(game: Table, board: Sequence[Placed]) -> str:
    """Return the pieces that are drawn above the tiles and below the figures, such as ferries."""
    return "".join(system.draw(*thing) for system, thing in lying_on(game, board))


def on_edge(x: int, y: int, side: str) -> Point:
    """Return the middle of an edge of a cell."""
    dx, dy = turn((50, 0), 90 * SIDES.index(side))
    return 100 * x + dx, 100 * y + dy


def marks(game: Table, board: list[Placed], asked: list[tuple[int, int]]) -> str:
    """Return a frame around the tile placed last, and golden frames around the cells that the current decision
    concerns. If the decision is the placement of a tile, there are no golden frames.
    """
    return "".join(frame(*where) for where in frames(game, board, asked))


def frames(game: Table, board: list[Placed], asked: list[tuple[int, int]]) -> list[Frame]:
    """Return the cell, the size and the style of each frame that is drawn around a tile or a cell. There is a frame
    around the tile placed last. If the current decision is not the placement of a tile, there is also a frame around
    each cell to which a legal action refers.
    """
    last = board[-1]
    width, height = size_of(last.tile, last.rotation)
    found: list[Frame] = [(last.x, last.y, width, height, p.LAST, None)]
    return found if to_place(game) else found + [(x, y, 100, 100, p.GOLD, "9 5") for x, y in asked]


def frame(x: int, y: int, width: float, height: float, colour: str, dash: str | None) -> str:
    """Return the drawing of a frame around a tile or a cell."""
    return element(
        "rect",
        class_="mark",
        x=100 * x + 2,
        y=100 * y + 2,
        width=width - 4,
        height=height - 4,
        fill="none",
        stroke=colour,
        stroke_width=3.4,
        stroke_dasharray=dash,
    )


def figures(board: Sequence[Placed]) -> str:
    """Return the drawing of all figures on their segments. Lying followers, such as farmers, are drawn lying down."""
    return "".join(each_figure(board))


def each_figure(board: Sequence[Placed]) -> list[str]:
    """Return the drawing of each figure."""
    parts = []
    for tile in board:
        crowd: dict[int, int] = {}
        for piece in tile.figures:
            segment = segment_at(tile.tile, tile.rotation, piece.spot)
            x, y = place_of_figure(tile, piece, segment)
            x += 15 * crowd.get(segment, 0)
            crowd[segment] = crowd.get(segment, 0) + 1
            parts.append(
                use(
                    piece.figure,
                    class_="figure",
                    fill=p.PLAYERS[piece.player][1],
                    transform=move(x, y, SCALES[piece.figure], lies(piece)),
                    data_player=piece.player,
                    data_feature=piece.feature,
                    data_spot=piece.spot,
                    data_x=tile.x,
                    data_y=tile.y,
                )
            )
    return parts


def lies(piece: Figure) -> bool:
    """Return True if a figure is drawn lying down, as farmers and other lying followers are."""
    return piece.spot == "lying" or piece.feature == "field" and piece.figure != "pig"


def place_of_figure(tile: Placed, piece: Figure, segment: int) -> Point:
    """Return the position of a figure: on its segment, in front of a building, or in the gate of a castle."""
    if in_castle(piece):
        x, y = on_edge(tile.x, tile.y, piece.spot)
        return x, y + LORD_AT
    x, y = turn(places(tile.tile).figure[segment], *lie(tile.tile, tile.rotation))
    if tile_segments(tile.tile)[segment].kind in BUILDINGS and not is_double(tile.tile):
        dx, dy = LYING_IN_FRONT if piece.spot == "lying" else IN_FRONT
        x, y = max(x + dx, 14), min(y + dy, 86)
    return 100 * tile.x + x, 100 * tile.y + y


def ingots(board: Sequence[Placed]) -> str:
    """Return the drawing of the ingots on all tiles. A single ingot is drawn as one bar. Several ingots are drawn as
    two bars and a number.
    """
    return "".join(each_gold(board))


def each_gold(board: Sequence[Placed]) -> list[str]:
    """Return the drawing of the ingots on each tile."""
    parts = []
    for tile in board:
        if tile.ingots:
            x, y = turn(places(tile.tile).ingots, *lie(tile.tile, tile.rotation))
            width, height = size_of(tile.tile, tile.rotation)
            x, y = min(max(x, 15), width - 24), min(max(y, 14), height - 20)  # keep the number within the tile
            bars = (
                [use("ingot")]
                if tile.ingots == 1
                else [
                    use("ingot", -3, 3),
                    use("ingot", 2, -4),
                    circle(9.5, 5.5, 6.2, p.INK, p.PLASTER, 1),
                    text(str(tile.ingots), 9.5, 8.8, 6.6, p.GOLD_LIGHT, "middle", 1.7),
                ]
            )
            place = move(100 * tile.x + x, 100 * tile.y + y, 1.25)
            parts.append(
                element(
                    "g", *bars, class_="ingots", transform=place, data_x=tile.x, data_y=tile.y, data_count=tile.ingots
                )
            )
    return parts


def on_tile(tile: Placed, point: Point) -> Point:
    """Return the board coordinates of a position that is given relative to a tile at rotation 0."""
    x, y = turn(point, *lie(tile.tile, tile.rotation))
    return 100 * tile.x + x, 100 * tile.y + y
