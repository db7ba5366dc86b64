"""The board in a terminal: a window that follows what matters and can be moved, and a survey of all of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from carc_env.render.ansi import BLANK, EMPTY, MARGIN, Cell, Drawn, board_lines, extent, joined
from carc_env.render.sheet_text import HIGH, WIDE

Square = tuple[int, int]
OF_LAST = 8  # how many other cells the tile placed last outweighs
SMALL = 3  # characters of a cell in the survey


@dataclass
class Window:
    """A part of the board: so many columns and rows from a cell."""

    columns: int
    rows: int
    x: int = 0
    y: int = 0

    @classmethod
    def within(cls, width: int, height: int) -> "Window":
        """The largest window that so many characters and lines have room for."""
        return cls(max(1, (width - MARGIN) // WIDE), max(1, (height - 1) // HIGH))

    def follow(self, drawn: Drawn, last: Square, others: Iterable[Square]) -> None:
        """Go where the tile placed last and most other cells that matter are seen; the less far the better."""
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
        """Whether a cell is in it."""
        return self.x <= cell[0] < self.x + self.columns and self.y <= cell[1] < self.y + self.rows

    def move(self, drawn: Drawn, dx: int, dy: int) -> None:
        """Go further, but not beyond the board."""
        left, top, right, bottom = extent(drawn)
        self.x = min(max(self.x + dx, left - self.columns + 1), right)
        self.y = min(max(self.y + dy, top - self.rows + 1), bottom)

    def lines(self, drawn: Drawn, colour: bool, last: Square | None, is_tight: bool = False) -> list[str]:
        """What is seen, with numbers of columns and rows; if tight, without what is empty around the board."""
        left, top, right, bottom = (
            extent(drawn) if is_tight else (self.x, self.y, self.x + self.columns, self.y + self.rows)
        )
        columns = range(max(self.x, left), min(self.x + self.columns, right + 1))
        rows = range(max(self.y, top), min(self.y + self.rows, bottom + 1))
        return board_lines(drawn, columns, rows, colour, last)

    def hides(self, drawn: Drawn) -> str:
        """Where there is more to see, as the keys that lead there, such as `h l`; empty if all is seen."""
        left, top, right, bottom = extent(drawn)
        more = {
            "h": left < self.x,
            "j": bottom >= self.y + self.rows,
            "k": top < self.y,
            "l": right >= self.x + self.columns,
        }
        return " ".join(key for key, is_more in more.items() if is_more)


def _origins(low: int, high: int, size: int) -> Sequence[int]:
    """Where a window may begin: within the board, around all of it if it fits."""
    return [low - (size - (high - low + 1)) // 2] if high - low < size else range(low, high - size + 2)


def survey(drawn: Drawn, colour: bool, last: Square | None) -> list[str]:
    """All of the board, each cell as three characters: what is in its middle and to the west and east of it, or the
    figure on it.
    """
    left, top, right, bottom = extent(drawn)
    columns = range(left, right + 1)
    lines = [" " * 4 + "".join(f"{x if x % 2 == 0 else '':>{SMALL}}" for x in columns).rstrip()]
    for y in range(top, bottom + 1):
        row = [cell for x in columns for cell in _small(drawn.get((x, y), EMPTY))]
        lines.append(f"{y:>3}{'>' if last is not None and y == last[1] else ' '}{joined(row, colour)}".rstrip())
    return lines


def _small(rows: list[list[Cell]]) -> list[Cell]:
    """A cell in three characters: a number written on it, else the first figure, else its middle row."""
    for style in ("mark", "player"):
        for row in rows:
            word = [cell for cell in row if cell[1].startswith(style) and cell[0] not in "()"]
            if word:
                return (word[: SMALL - 1] + [BLANK] * SMALL)[:SMALL]
    middle = rows[HIGH // 2]
    return [middle[1], middle[WIDE // 2], middle[WIDE - 2]]
