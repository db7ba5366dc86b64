"""Show the board in a terminal. A window shows a section of the board and follows the game. An overview shows the whole
board.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from carc_env.render.ansi import BLANK, EMPTY, MARGIN, Cell, Drawn, board_lines, extent, joined
from carc_env.render.sheet_text import HIGH, WIDE

Square = tuple[int, int]
OF_LAST = 8  # when the window moves, the cell of the tile placed last has this weight, and each other cell has weight 1
SMALL = 3  # characters per cell in the overview


@dataclass
class Window:
    """The visible part of the board. `columns` and `rows` are its size, and (x, y) is its upper left cell."""

    columns: int
    rows: int
    x: int = 0
    y: int = 0

    @classmethod
    def within(cls, width: int, height: int) -> "Window":
        """Return the largest window that fits into `width` characters and `height` lines."""
        return cls(max(1, (width - MARGIN) // WIDE), max(1, (height - 1) // HIGH))

    def follow(self, drawn: Drawn, last: Square, others: Iterable[Square]) -> None:
        """Move the window so that it shows as many cells in `others` as possible. The argument `last` is the cell of
        the tile placed last, and counts as much as OF_LAST cells in `others`. If several positions of the window are
        equally good, the one nearest to the old position is chosen.
        """
        left, top, right, bottom = extent(drawn)
        weights = dict.fromkeys(others, 1) | {last: OF_LAST}
        before = self.x, self.y
        places = [(x, y) for x in _origins(left, right, self.columns) for y in _origins(top, bottom, self.rows)]

        def worth(place: Square) -> tuple[int, int]:
            self.x, self.y = place
            seen = sum(weight for cell, weight in weights.items() if self.shows(cell))
            return seen, -abs(place[0] - before[0]) - abs(place[1] - before[1])

        self.x, self.y = max(places, key=worth)

    def shows(self, cell: Square) -> bool:
        """Return True if a cell is visible in the window."""
        return self.x <= cell[0] < self.x + self.columns and self.y <= cell[1] < self.y + self.rows

    def move(self, drawn: Drawn, dx: int, dy: int) -> None:
        """Move the window by `dx` columns and `dy` rows, but keep a part of the board visible."""
        left, top, right, bottom = extent(drawn)
        self.x = min(max(self.x + dx, left - self.columns + 1), right)
        self.y = min(max(self.y + dy, top - self.rows + 1), bottom)

    def lines(self, drawn: Drawn, colour: bool, last: Square | None, is_tight: bool = False) -> list[str]:
        """Return lines that show the board inside the window, with the coordinates of its columns and rows. If
        `is_tight` is True, empty columns and rows around the board are left out.
        """
        left, top, right, bottom = (
            extent(drawn) if is_tight else (self.x, self.y, self.x + self.columns, self.y + self.rows)
        )
        columns = range(max(self.x, left), min(self.x + self.columns, right + 1))
        rows = range(max(self.y, top), min(self.y + self.rows, bottom + 1))
        return board_lines(drawn, columns, rows, colour, last)

    def hides(self, drawn: Drawn) -> str:
        """Return the keys that move the window to hidden parts of the board, such as `h l`. The string is empty if the
        whole board is visible.
        """
        left, top, right, bottom = extent(drawn)
        more = {
            "h": left < self.x,
            "j": bottom >= self.y + self.rows,
            "k": top < self.y,
            "l": right >= self.x + self.columns,
        }
        return " ".join(key for key, is_more in more.items() if is_more)


def _origins(low: int, high: int, size: int) -> Sequence[int]:
    """Return the columns at which a window can begin. If all columns of the board fit into the window, return only the
    column that centres the board. The function is also used for rows.
    """
    return [low - (size - (high - low + 1)) // 2] if high - low < size else range(low, high - size + 2)


def survey(drawn: Drawn, colour: bool, last: Square | None) -> list[str]:
    """Return an overview of the whole board with three characters for each cell. A cell with a menu number shows this
    number. Any other cell with a figure shows the figure. A cell with neither a menu number nor a figure shows its west
    edge, its middle and its east edge.
    """
    left, top, right, bottom = extent(drawn)
    columns = range(left, right + 1)
    lines = [" " * 4 + "".join(f"{x if x % 2 == 0 else '':>{SMALL}}" for x in columns).rstrip()]
    for y in range(top, bottom + 1):
        row = [cell for x in columns for cell in _small(drawn.get((x, y), EMPTY))]
        lines.append(f"{y:>3}{'>' if last is not None and y == last[1] else ' '}{joined(row, colour)}".rstrip())
    return lines


def _small(rows: list[list[Cell]]) -> list[Cell]:
    """Return the three characters that show a cell in the overview. A cell with a menu number shows this number. Any
    other cell with a figure shows the figure. A cell with neither a menu number nor a figure shows its west edge, its
    middle and its east edge.
    """
    for style in ("mark", "player"):
        for row in rows:
            word = [cell for cell in row if cell[1].startswith(style) and cell[0] not in "()"]
            if word:
                return (word[: SMALL - 1] + [BLANK] * SMALL)[:SMALL]
    middle = rows[HIGH // 2]
    return [middle[1], middle[WIDE // 2], middle[WIDE - 2]]
