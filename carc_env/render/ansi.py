"""Show a game as text. Every square is 7 characters wide and 3 lines high. The players, the current decision and a key
to the symbols follow the board.

For a game on a map sheet, the text shows the whole map. A square without a tile shows the symbols that are printed on
it.
"""

import functools
from collections.abc import Mapping
from types import MappingProxyType

from carc_env.boxes.sheets import RECONSTRUCTION, Sheet
from carc_env.boxes.tiles import symbols
from carc_env.notation.placed import Placed
from carc_env.render import sheet_text
from carc_env.render.facts import (
    BUILDINGS,
    Table,
    cells_of,
    chips_face_down,
    edges_of,
    lying_on,
    names_of,
    segment_at,
    sheet_of,
    squares,
    tile_segments,
    to_place,
    turned,
)
from carc_env.render.panel import question, stock
from carc_env.render.pieces import ALL_SIGNS, SHAPES
from carc_env.render.places import places
from carc_env.render.sheet_text import HIGH, WIDE
from carc_env.render.tile_art import lie, size_of
from carc_env.render.tile_shape import CROSSING, STEP, Point, shape, turn, turn_back
from carc_env.systems import SYSTEMS, supplies

LETTERS = {figure: shape.letter for figure, shape in SHAPES.items()}
OTHER_SIGN = "?"
SIGN_LETTERS = {name: sign.letter for name, sign in ALL_SIGNS.items() if sign.letter != OTHER_SIGN}
# For each edge: the positions (row, column) of the characters between the edge and the middle of the square.
ARMS = {"N": [(0, 3)], "E": [(1, 4), (1, 5), (1, 6)], "S": [(2, 3)], "W": [(1, 0), (1, 1), (1, 2)]}
BENDS = {"EN": "\\", "SW": "\\", "NW": "/", "ES": "/", "NS": "|", "EW": "-"}

# Terminal colours as 256-colour codes: COLOURS for characters and their background, PLAYER_COLOURS for the figures of
# each player.
COLOURS = {
    "field": "38;5;107;48;5;150",
    "city": "38;5;137;48;5;180",
    "road": "38;5;95;48;5;150",
    "sign": "1;38;5;88;48;5;223",
    "court": "38;5;95;48;5;187",
    "water": "38;5;24;48;5;110",
    "wood": "1;38;5;231;48;5;94",
    "ingots": "1;38;5;94;48;5;220",
    "square": "38;5;137;48;5;230",
    "large": "1;38;5;52;48;5;173",
    "outside": "38;5;24;48;5;152",
    "chip": "1;38;5;224;48;5;95",
    "town p": "1;38;5;91;48;5;230",
    "town l": "1;38;5;32;48;5;230",
    "town o": "1;38;5;166;48;5;230",
    "mark": "1;38;5;231;48;5;54",
}
PLAYER_COLOURS = (
    "1;38;5;231;48;5;160",
    "1;38;5;231;48;5;25",
    "1;38;5;16;48;5;226",
    "1;38;5;231;48;5;235",
    "1;38;5;231;48;5;28",
    "1;38;5;16;48;5;212",
)
Cell = tuple[str, str]  # one character and the name of its colour
BLANK: Cell = (" ", "")
EMPTY = [[BLANK] * WIDE] * HIGH
MARGIN = 5  # the width of the row numbers, in characters
LONGEST_NAME = 20  # the maximum number of characters that are shown of a player's name
# for each cell (x, y) that is not blank: HIGH rows of WIDE characters
Drawn = dict[tuple[int, int], list[list[Cell]]]


def ansi(game: Table, colour: bool = False) -> str:
    """Return the whole game as text. With `colour`, the text contains colour codes for a terminal. Without `colour`,
    the letter of a figure is followed by its owner's number. All characters are ASCII, except in names.
    """
    drawn, sheet = cells(game, colour), sheet_of(game)
    left, top, right, bottom = extent(drawn)
    lines = [
        *board_lines(drawn, range(left, right + 1), range(top, bottom + 1), colour),
        "",
        *_players(game, colour),
        _asked(game),
        KEY,
        *more_key(game),
    ]
    if sheet:
        lines += [sheet_text.KEY, f"sheet {sheet.name}" + (f", {RECONSTRUCTION}" if sheet.reconstruction else "")]
    return "\n".join(lines) + "\n"


def cells(game: Table, colour: bool = False) -> Drawn:
    """Return the characters of all cells with a tile. In a game on a map sheet, also return the characters of all other
    cells of the map.
    """
    sheet = sheet_of(game)
    drawn = _sheet(sheet, set(chips_face_down(game))) if sheet else {}
    drawn |= {cell: rows for tile in game.board() for cell, rows in _squares(tile, colour).items()}
    _lay_pieces(drawn, game, colour)
    return drawn


def extent(drawn: Drawn) -> tuple[int, int, int, int]:
    """Return the smallest x, the smallest y, the largest x and the largest y of the cells."""
    return min(x for x, _ in drawn), min(y for _, y in drawn), max(x for x, _ in drawn), max(y for _, y in drawn)


def board_lines(
    drawn: Drawn, columns: range, rows: range, colour: bool, last: tuple[int, int] | None = None
) -> list[str]:
    """Return a part of the board as lines of text, with the numbers of its columns and rows. Brackets mark the column
    number and the row number of the cell `last`.
    """

    def label(number: int, of_last: bool) -> str:
        return f"[{number}]" if of_last else f"{number}"

    lines = [" " * MARGIN + "".join(f"{label(x, last is not None and x == last[0]):^{WIDE}}" for x in columns).rstrip()]
    for y in rows:
        for row in range(HIGH):
            head = f"{label(y, last is not None and y == last[1]):>{MARGIN - 1}} " if row == HIGH // 2 else " " * MARGIN
            letters = [cell for x in columns for cell in drawn.get((x, y), EMPTY)[row]]
            lines.append((head + joined(letters, colour)).rstrip())
    return lines


def mark(drawn: Drawn, cell: tuple[int, int], word: str) -> None:
    """Write a short word in the top row of a cell, or in the middle row if the cell is empty."""
    rows = drawn[cell] = [list(row) for row in drawn.get(cell, EMPTY)]
    is_empty = all(letter == BLANK for row in rows for letter in row)
    word = word[:WIDE]
    start = (WIDE - len(word)) // 2
    rows[HIGH // 2 if is_empty else 0][start : start + len(word)] = [(letter, "mark") for letter in word]


def tile_lines(tile: str, rotation: int, colour: bool, words: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Return a rotated tile as lines of text. `words` maps the names of spots on the rotated tile to short words. The
    word for a spot is written where a figure on this spot would stand.
    """
    drawn, where = [list(row) for row in _bare_tile(tile, rotation)], places(tile)
    for spot, word in words.items():
        point = where.figure[segment_at(tile, rotation, spot)]
        _write(drawn, turn(point, *lie(tile, rotation)), word, "mark", ("mark",))
    return [joined(row, colour) for row in drawn]


def in_colour(player: int, word: str, colour: bool) -> str:
    """Return a word in the colour of a player. If `colour` is False, return the word unchanged."""
    return f"\033[{PLAYER_COLOURS[player]}m{word}\033[0m" if colour else word


KEY = (
    "# city  -|/\\ road  + crossing or end  = bridge  . field  M monastery  G garden  C cathedral  i inn\n"
    "! pennant  w g c goods  * gold mark  ? other mark  $2 ingots  "
    "m meeple  a abbot  B big  b builder  p pig"
)


def more_key(game: Table) -> list[str]:
    """Return the lines of a legend. The legend explains the symbols on the table that KEY does not explain. Symbols
    that have no effect in this game come last.
    """
    board = game.board()
    shown = {sign for tile in board for sign, _ in places(tile.tile).signs}
    words = [word for system in SYSTEMS for word in system.more_key(game, board, shown)]
    idle = [ALL_SIGNS[sign].key for sign in shown if symbols().get(sign) == {}]
    words = sorted(words, key=lambda word: word in idle)
    return ["  ".join(words[i : i + 7]) for i in range(0, len(words), 7)]


# --- the sheet ----------------------------------------------------------------------------------------------
def _sheet(sheet: Sheet, chips: set[tuple[int, int]]) -> dict[tuple[int, int], list[list[Cell]]]:
    """Return the characters of an empty map sheet. The result contains all squares of the map, and those cells
    outside the map that have border connections.
    """
    towns = {town.square: town for town in sheet.towns}
    texts = {square: (rows, "outside") for square, rows in sheet_text.outside(sheet).items()}
    texts |= {large.square: (sheet_text.large_square(large), "large") for large in sheet.large}
    for square in sheet.squares:
        town = towns.get(square)
        texts[square] = sheet_text.empty_square(town, square in chips), f"town {town.grape[0]}" if town else "square"
    cells = {square: [[(letter, style) for letter in row] for row in rows] for square, (rows, style) in texts.items()}
    for square in chips & set(cells):
        row = cells[square][1]
        start = "".join(letter for letter, _ in row).index("(?)")
        row[start : start + 3] = [(letter, "chip") for letter in "(?)"]
    return cells


# --- one tile -----------------------------------------------------------------------------------------------
def _squares(tile: Placed, colour: bool) -> dict[tuple[int, int], list[list[Cell]]]:
    """Return the characters of each square of a placed tile."""
    cells = _tile(tile, colour)
    return {
        (x, y): [row[WIDE * (x - tile.x) :][:WIDE] for row in cells[HIGH * (y - tile.y) :][:HIGH]]
        for x, y in cells_of(tile.tile, tile.x, tile.y, tile.rotation)
    }


def _tile(tile: Placed, colour: bool) -> list[list[Cell]]:
    """Return the characters of a placed tile with its ingots and figures."""
    cells = [list(row) for row in _bare_tile(tile.tile, tile.rotation)]
    where, lies = places(tile.tile), lie(tile.tile, tile.rotation)
    if tile.ingots:
        _write(cells, turn(where.ingots, *lies), f"${tile.ingots}", "ingots", ("road", "sign"))
    for piece in tile.figures:
        segment = segment_at(tile.tile, tile.rotation, piece.spot)
        beside = ("ingots", "sign") if tile_segments(tile.tile)[segment].kind in BUILDINGS else ("ingots",)
        name = "_" * (piece.spot == "lying") + LETTERS[piece.figure] + ("" if colour else str(piece.player))
        _write(cells, turn(where.figure[segment], *lies), name, f"player{piece.player}", beside)
    return cells


@functools.cache
def _bare_tile(tile: str, rotation: int) -> tuple[tuple[Cell, ...], ...]:
    across, down = (round(length / 100) for length in size_of(tile, rotation))
    cells = [[_ground(tile, rotation, row, column) for column in range(WIDE * across)] for row in range(HIGH * down)]
    _roads(cells, tile, rotation)
    for sign, point in places(tile).signs:
        beside = () if point == CROSSING else ("road",)
        _write(cells, turn(point, *lie(tile, rotation)), ALL_SIGNS[sign].letter, ALL_SIGNS[sign].look, beside)
    return tuple(tuple(row) for row in cells)


def _ground(tile: str, rotation: int, row: int, column: int) -> Cell:
    """Return the character for the ground at one position: city, field or abbey."""
    if set(edges_of(tile)) == {"-"}:
        return ":", "court"
    x, y = turn_back(((column + 0.5) * 100 / WIDE, (row + 0.5) * 100 / HIGH), *lie(tile, rotation))
    ground = shape(tile).ground
    rows, columns = ground.shape
    owner = int(ground[min(rows - 1, round(y / STEP)), min(columns - 1, round(x / STEP))])
    is_city = owner >= 0 and tile_segments(tile)[owner].kind == "city"
    return ("#", "city") if is_city else (".", "field")


def _roads(cells: list[list[Cell]], tile: str, rotation: int) -> None:
    """Draw the roads of each square. A road leads from an edge to the middle of the square, but it does not overwrite a
    city.
    """
    lying = cells_of(tile, 0, 0, rotation)
    for (left, top), parts in zip(lying if rotation in (0, 90) else reversed(lying), squares(tile)):
        middle = set()
        for segment in (segment for _, segment in parts if segment.kind == "road"):
            edges = sorted(turned(spot, rotation) for spot in segment.spots)
            for edge in edges:
                for row, column in ARMS[edge]:
                    _pave(cells, HIGH * top + row, WIDE * left + column, "|" if edge in "NS" else "-")
            middle.add(BENDS.get("".join(edges), "+"))
        if middle:
            only = middle.pop() if len(middle) == 1 else None
            _pave(cells, HIGH * top + 1, WIDE * left + 3, only or ("=" if middle == {"-", "|"} else "+"))


def _pave(cells: list[list[Cell]], row: int, column: int, letter: str) -> None:
    if cells[row][column][1] != "city":
        cells[row][column] = (letter, "road")


def _lay_pieces(drawn: dict[tuple[int, int], list[list[Cell]]], game: Table, colour: bool) -> None:
    """Write the pieces, such as ferries, onto the tiles. Figures are not included."""
    figures = tuple(f"player{player}" for player in range(game.players))
    for system, (x, y, *what) in lying_on(game, game.board()):
        point, word, look, player = system.letters(*what)
        if player is None:
            _write(drawn[x, y], point, word, look, ())
        else:
            word += "" if colour else str(player)
            _write(drawn[x, y], point, word, figures[player], (*figures, "ingots"))


def _write(cells: list[list[Cell]], point: Point, word: str, style: str, beside: tuple[str, ...]) -> None:
    """Write a short word on a tile, as close as possible to the given point. Do not overwrite characters whose style is
    in `beside`.
    """
    free = [
        (row, column)
        for row in range(len(cells))
        for column in range(len(cells[0]) - len(word) + 1)
        if not any(cells[row][column + i][1] in beside for i in range(len(word)))
    ]
    x, y = point[0] * WIDE / 100 - len(word) / 2, point[1] * HIGH / 100 - 0.5
    row, column = min(free, key=lambda at: (at[0] - y) ** 2 + ((at[1] - x) * HIGH / WIDE) ** 2)
    for i, letter in enumerate(word):
        cells[row][column + i] = (letter, style)


# --- lines --------------------------------------------------------------------------------------------------
def joined(cells: list[Cell], colour: bool) -> str:
    """Return the characters of some cells as a string, with colour codes if `colour` is True."""
    while cells and cells[-1] == BLANK:
        cells = cells[:-1]
    if not colour:
        return "".join(letter for letter, _ in cells)
    parts, last = [], ""
    for letter, style in cells:
        if style != last:
            parts.append(f"\033[0m\033[{_code(style)}m" if style else "\033[0m")
            last = style
        parts.append(letter)
    return "".join(parts) + "\033[0m"


def _code(style: str) -> str:
    return PLAYER_COLOURS[int(style[6:])] if style.startswith("player") else COLOURS[style]


def _players(game: Table, colour: bool) -> list[str]:
    lines = []
    names = [fitted(name, LONGEST_NAME) for name in names_of(game)]
    wide = max(6, *map(len, names))
    for player in range(game.players):
        name = in_colour(player, f"{names[player]:<{wide}}", colour)
        figures = "".join(f"  {left} {kind}" for kind, left in stock(game, player))
        hand = "".join(system.hand(game, player) for system in SYSTEMS if system.box in game.config.boxes)
        asked = ">" if player == game.player and not game.is_over else " "
        lines.append(f"{asked} {player} {name} {int(game.scores[player]):>4} points{hand}{figures}")
    return lines


def fitted(words: str, room: int) -> str:
    """Return `words`, shortened to at most `room` characters."""
    return words if len(words) <= room else f"{words[: room - 1]}…"


def _asked(game: Table) -> str:
    words = [question(game)]
    words += [tile for tile in to_place(game) if tile not in words[0].split()]
    return f"{' '.join(words)} ({'; '.join([f'tiles left: {game.tiles_left}', *supplies(game)])})"
