"""Show a map sheet as text. `sheet_letters` returns the whole map with one letter per square. Further functions return
the content of cells for the module `ansi`.
"""

import textwrap

from carc_env.boxes.sheets import Border, LargeSquare, Sheet, Square, Town, beside, colour_of
from carc_env.boxes.tiles import SIDES

WIDE, HIGH = 7, 3  # width and height of a cell in `ansi`, in characters
ARROWS = {"N": "v", "E": "<", "S": "^", "W": ">"}  # for each border edge: an arrow from outside towards the square
SMALL_KEY = """\
. square  p l o town by its grape (purple, light blue, orange)  P L O the same on a start square
@ large city, its edges: * open, x closed  at the border: r road, c city, ! for each coat of arms"""
KEY = (
    "on the sheet: , corner of an empty square  ^p ^l ^o town by its grape (purple, light blue, orange)  [^p] start "
    "square\n"
    "(?) chip face down  % large city  X its closed edges  <R!Name road, <C!Name city at the border, ! for each coat "
    "of "
    "arms"
)


# --- the whole map, small ---------------------------------------------------------------------------------------------
def sheet_letters(sheet: Sheet, width: int = 110) -> str:
    """Return a map sheet as text. Each square is one letter, and symbols between the squares show what is printed on
    the edges. The names of the towns, large cities and border connections follow below the map.
    """
    lines = [[" "] * (4 * sheet.columns + 3) for _ in range(2 * sheet.rows + 1)]

    def write(square: Square, edge: str, word: str) -> None:
        """Write a word on a square or on one of its edges."""
        x, y = 4 * square[0] + 2, 2 * square[1] + 1
        dx, dy = {"": (0, 0), "N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}[edge]
        if edge == "E":
            word = word[:2]  # a longer word would reach the next square
        elif edge == "W":
            x -= len(word[:2]) - 1
            word = word[:2]
        for i, letter in enumerate(word):
            lines[y + dy][x + dx + i] = letter

    for square in sheet.squares:
        write(square, "", ".")
    for town in sheet.towns:
        write(town.square, "", town_letter(town))
    for large in sheet.large:
        write(large.square, "", "@")
        for edge, letter in zip(SIDES, large.edges):
            write(large.square, edge, "*" if letter == "C" else "x")
    for border in sheet.borders:
        write(border.square, border.edge, border.kind[0] + "!" * min(2, border.coats))
    head = "    " + "".join(f"{x:>4}" for x in range(sheet.columns))
    rows = [(f"{i // 2:>4} " if i % 2 else "     ") + "".join(line) for i, line in enumerate(lines)]
    return "\n".join([head, *(row.rstrip() for row in rows), "", SMALL_KEY, *names(sheet, width)])


def names(sheet: Sheet, width: int) -> list[str]:
    """Return the lines of three paragraphs: the towns, the large cities and the border connections of a map sheet. A
    paragraph without entries is left out.
    """
    towns = [
        f"{town.name} {_at(town.square)} {colour_of(town.grape)}{' (start)' if town.start else ''}"
        for town in sheet.towns
    ]
    cities: dict[int, list[LargeSquare]] = {}
    for part in sheet.large:
        cities.setdefault(part.number, []).append(part)
    large = [
        f"{parts[0].city} "
        + " ".join(_at(part.square) for part in parts)
        + f" ({_plural(sum(part.pennants for part in parts), 'pennant')})"
        for parts in cities.values()
    ]
    borders = [
        f"{_at(b.square)} {b.edge} {b.kind}{' to ' + b.to if b.to else ''} ({_plural(b.coats, 'coat')})"
        for b in sheet.borders
    ]
    paragraphs = (("towns", towns), ("large cities", large), ("border", borders))
    return [
        line
        for what, entries in paragraphs
        if entries
        for line in textwrap.wrap(f"{what}: {'; '.join(entries)}", width, subsequent_indent="  ")
    ]


def town_letter(town: Town) -> str:
    """Return the first letter of the colour of a town's grapes. If the town is on a start square, the letter is a
    capital.
    """
    letter = town.grape[0]
    return letter.upper() if town.start else letter


def _at(square: Square) -> str:
    return f"{square[0]},{square[1]}"


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


# --- cells of `ansi`: rows of WIDE characters -------------------------------------------------------------------------
def empty_square(town: Town | None, chip: bool) -> list[str]:
    """Return the text of a square without a tile: its corners, the town printed on it, and its chip."""
    middle = "(?)" if chip else ""
    bottom = ""
    if town:
        grape = "^" + town.grape[0]
        middle, bottom = ("[" + grape + "]" if town.start else grape) + middle, town.name[: WIDE - 2]
    return [f",{'':{WIDE - 2}},", f"{middle:^{WIDE}}", f",{bottom:^{WIDE - 2}},"]


def large_square(large: LargeSquare) -> list[str]:
    """Return the text of a square of a large city. The text shows the city's name, the pennants, and the letter X along
    closed edges.
    """
    rows = [["%"] * WIDE for _ in range(HIGH)]
    word = large.city[: WIDE - 2 - min(2, large.pennants)] + "!" * min(2, large.pennants)
    rows[1][1 : 1 + len(word)] = word
    for edge, letter in zip(SIDES, large.edges):
        if letter == "F":
            for row in range(HIGH) if edge in "EW" else ({"N": 0, "S": HIGH - 1}[edge],):
                for column in range(WIDE) if edge in "NS" else ({"W": 0, "E": WIDE - 1}[edge],):
                    rows[row][column] = "X"
    return ["".join(row) for row in rows]


def outside(sheet: Sheet) -> dict[Square, list[str]]:
    """Return the text for those cells outside the map that have border connections. Each connection takes one line of
    text in its cell.
    """
    cells: dict[Square, list[str]] = {}
    for border in sheet.borders:
        rows = cells.setdefault(beside(border.square, border.edge), [""] * HIGH)
        wanted = {"N": (2, 1, 0), "S": (0, 1, 2)}.get(border.edge, (1, 0, 2))
        row = next((row for row in wanted if not rows[row]), wanted[0])
        rows[row] = connection(border)
    return {
        square: [f"{row:^{WIDE}}" if row[:1] in "v^" else f"{row:<{WIDE}}" for row in rows]
        for square, rows in cells.items()
    }


def connection(border: Border) -> str:
    """Return the text for a border connection, with at most WIDE characters."""
    word = f"{border.kind[0].upper()}{'!' * min(2, border.coats)}{border.to}"
    return f"{word[: WIDE - 1]:>{WIDE - 1}}>" if border.edge == "W" else ARROWS[border.edge] + word[: WIDE - 1]
