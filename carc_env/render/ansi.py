"""A game as text: every tile is 7 by 3 characters, followed by the players, the question and a key.

On a sheet the whole map is written, with what is printed on squares without a tile.
"""

import functools

from carc_env.faces import FACES
from carc_env.render import sheet_text
from carc_env.render.facts import Table, chips_face_down, segment_at, sheet_of, tile_segments, turned
from carc_env.render.geometry import CROSSING, GRID, STEP, Point, numbers_of, shape, turn
from carc_env.render.palette import PLAYERS
from carc_env.render.places import places
from carc_env.render.sheet_text import HIGH, WIDE
from carc_env.render.svg import question, stock
from carc_env.sheets import RECONSTRUCTION, Sheet
from carc_env.table import Placed

LETTERS = {"meeple": "m", "big": "B", "abbot": "a", "builder": "b", "pig": "p"}
SIGN_LETTERS = {"monastery": "M", "garden": "G", "pennant": "!", "cathedral": "C", "inn": "i", "gold": "*",
                "wine": "w", "grain": "g", "cloth": "c"}
OTHER_SIGN = "?"
# The characters between an edge and the middle: (row, column).
ARMS = {"N": [(0, 3)], "E": [(1, 4), (1, 5), (1, 6)], "S": [(2, 3)], "W": [(1, 0), (1, 1), (1, 2)]}
BENDS = {"EN": "\\", "SW": "\\", "NW": "/", "ES": "/", "NS": "|", "EW": "-"}

# Terminal colours (256-colour codes): letters on ground, then figures of each player.
GROUND_COLOURS = {"field": "38;5;107;48;5;150", "city": "38;5;137;48;5;180", "road": "38;5;95;48;5;150",
                  "sign": "1;38;5;88;48;5;223", "ingots": "1;38;5;94;48;5;220",
                  "square": "38;5;137;48;5;230", "large": "1;38;5;52;48;5;173", "outside": "38;5;24;48;5;152",
                  "chip": "1;38;5;224;48;5;95", "town p": "1;38;5;91;48;5;230", "town l": "1;38;5;32;48;5;230",
                  "town o": "1;38;5;166;48;5;230"}
PLAYER_COLOURS = ("1;38;5;231;48;5;160", "1;38;5;231;48;5;25", "1;38;5;16;48;5;226", "1;38;5;231;48;5;235",
                  "1;38;5;231;48;5;28", "1;38;5;16;48;5;212")
Cell = tuple[str, str]  # one character and the name of its colour
BLANK: Cell = (" ", "")
EMPTY = [[BLANK] * WIDE] * HIGH


def ansi(game: Table, colour: bool = False) -> str:
    """The whole game as text: with `colour` for a terminal, else plain ASCII that numbers the players."""
    board, sheet = game.board(), sheet_of(game)
    drawn = _sheet(sheet, set(chips_face_down(game))) if sheet else {}
    drawn |= {(t.x, t.y): _tile(t, colour) for t in board}
    columns = range(min(x for x, _ in drawn), max(x for x, _ in drawn) + 1)
    rows = range(min(y for _, y in drawn), max(y for _, y in drawn) + 1)
    lines = ["     " + "".join(f"{x:^{WIDE}}" for x in columns).rstrip()]
    for y in rows:
        for row in range(HIGH):
            label = f"{y:>4} " if row == HIGH // 2 else "     "
            cells = [cell for x in columns for cell in drawn.get((x, y), EMPTY)[row]]
            lines.append((label + _join(cells, colour)).rstrip())
    lines += ["", *_players(game, colour), _asked(game), KEY]
    if sheet:
        lines += [sheet_text.KEY, f"sheet {sheet.name}" + (f", {RECONSTRUCTION}" if sheet.reconstruction else "")]
    return "\n".join(lines) + "\n"


KEY = ("# city  -|/\\ road  + crossing or end  = bridge  . field  M monastery  G garden  C cathedral  i inn\n"
       "! pennant  w g c goods  * gold mark  ? other mark  $2 ingots  "
       "m meeple  a abbot  B big  b builder  p pig")


# --- the sheet ----------------------------------------------------------------------------------------------
def _sheet(sheet: Sheet, chips: set[tuple[int, int]]) -> dict[tuple[int, int], list[list[Cell]]]:
    """The characters of all squares without tiles, and of what is written outside the map."""
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
        row[start:start + 3] = [(letter, "chip") for letter in "(?)"]
    return cells


# --- one tile -----------------------------------------------------------------------------------------------
def _tile(tile: Placed, colour: bool) -> list[list[Cell]]:
    """The characters of a placed tile with what lies and stands on it."""
    cells = [list(row) for row in _bare_tile(tile.tile, tile.rotation)]
    where = places(tile.tile)
    if tile.ingots:
        _write(cells, turn(where.ingots, tile.rotation), f"${tile.ingots}", "ingots", ("road", "sign"))
    for piece in tile.figures:
        spot = where.figure[segment_at(tile.tile, tile.rotation, piece.feature, piece.spot)]
        name = LETTERS[piece.figure] + ("" if colour else str(piece.player))
        _write(cells, turn(spot, tile.rotation), name, f"player{piece.player}", ("ingots",))
    return cells


@functools.cache
def _bare_tile(tile: str, rotation: int) -> tuple[tuple[Cell, ...], ...]:
    cells = [[_ground(tile, rotation, row, column) for column in range(WIDE)] for row in range(HIGH)]
    _roads(cells, tile, rotation)
    for sign, point in places(tile).signs:
        beside = () if point == CROSSING else ("road",)
        _write(cells, turn(point, rotation), SIGN_LETTERS.get(sign, OTHER_SIGN), "sign", beside)
    return tuple(tuple(row) for row in cells)


def _ground(tile: str, rotation: int, row: int, column: int) -> Cell:
    """City or field, as it is in the middle of one character."""
    x, y = turn(((column + .5) * 100 / WIDE, (row + .5) * 100 / HIGH), -rotation)
    owner = int(shape(tile).ground[min(GRID - 1, round(y / STEP)), min(GRID - 1, round(x / STEP))])
    is_city = owner >= 0 and tile_segments(tile)[owner].kind == "city"
    return ("#", "city") if is_city else (".", "field")


def _roads(cells: list[list[Cell]], tile: str, rotation: int) -> None:
    """Draw the roads from the edges to the middle, as far as no city is in the way."""
    segments, middle = tile_segments(tile), set()
    for number in numbers_of(segments, "road"):
        edges = sorted(turned(spot, rotation) for spot in segments[number].spots)
        for edge in edges:
            for row, column in ARMS[edge]:
                if cells[row][column][1] != "city":
                    cells[row][column] = ("|" if edge in "NS" else "-", "road")
        middle.add(BENDS.get("".join(edges), "+"))
    if middle and cells[1][3][1] != "city":
        only = middle.pop() if len(middle) == 1 else None
        cells[1][3] = (only or ("=" if middle == {"-", "|"} else "+"), "road")


def _write(cells: list[list[Cell]], point: Point, word: str, style: str, beside: tuple[str, ...]) -> None:
    """Write a short word as near to a point of the tile as may be, but not on what it goes beside."""
    free = [(row, column) for row in range(HIGH) for column in range(WIDE - len(word) + 1)
              if not any(cells[row][column + i][1] in beside for i in range(len(word)))]
    x, y = point[0] * WIDE / 100 - len(word) / 2, point[1] * HIGH / 100 - .5
    row, column = min(free, key=lambda at: (at[0] - y) ** 2 + ((at[1] - x) * HIGH / WIDE) ** 2)
    for i, letter in enumerate(word):
        cells[row][column + i] = (letter, style)


# --- lines --------------------------------------------------------------------------------------------------
def _join(cells: list[Cell], colour: bool) -> str:
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
    return PLAYER_COLOURS[int(style[6:])] if style.startswith("player") else GROUND_COLOURS[style]


def _players(game: Table, colour: bool) -> list[str]:
    lines = []
    for player in range(game.players):
        name = f"{PLAYERS[player][0]:<6}"
        if colour:
            name = f"\033[{PLAYER_COLOURS[player]}m{name}\033[0m"
        figures = "".join(f"  {left} {kind}" for kind, left in stock(game, player))
        hand = "".join(face.hand(game, player) for face in FACES if face.box in game.config.boxes)
        asked = ">" if player == game.player and not game.is_over else " "
        lines.append(f"{asked} {player} {name} {int(game.scores[player]):>4} points{hand}{figures}")
    return lines


def _asked(game: Table) -> str:
    hand = f" {game.tile}" if game.tile else ""
    return f"{question(game)}{hand} (tiles left: {game.tiles_left})"
