"""Show a game in full-screen mode. The board is on the left. The players, the last events, the current decision and its
menu are on the right. The input line is at the bottom.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from carc_env.compiling import waiting
from carc_env.render.ansi import MARGIN
from carc_env.render.sheet_text import WIDE
from carc_env.terminal.board import Window
from carc_env.terminal.frame import Frame, side_by_side
from carc_env.terminal.menu import PAGE
from carc_env.terminal.words import player_line, wrapped

PANEL = 32  # the minimum width of the panel, in characters
SMALLEST = (60, 20)  # columns and lines; a smaller terminal does not use full-screen mode
ERASED = Control((ControlType.ERASE_IN_LINE, 2))  # erases the line of the cursor
REST = "... (news shows everything)"  # shown if the panel has no room for all events
COMPILING = "Compiling code for its first use. This takes seconds to a minute ..."
BOLD, FAINT, END = "\033[1m", "\033[2m", "\033[0m"
# For GNU readline: arrows move the board, page keys turn the pages of the menu, and Tab completes a move.
BINDINGS = (
    r'"\e[A": "\C-a\C-kk\C-m"',
    r'"\e[B": "\C-a\C-kj\C-m"',
    r'"\e[C": "\C-a\C-kl\C-m"',
    r'"\e[D": "\C-a\C-kh\C-m"',
    r'"\eOA": "\C-a\C-kk\C-m"',
    r'"\eOB": "\C-a\C-kj\C-m"',
    r'"\eOC": "\C-a\C-kl\C-m"',
    r'"\eOD": "\C-a\C-kh\C-m"',
    r'"\e[6~": "\C-a\C-k+\C-m"',
    r'"\e[5~": "\C-a\C-k-\C-m"',
    "tab: menu-complete",
    "set enable-bracketed-paste off",
    "set bell-style none",
)


class Screen:
    """Shows a game on the alternate screen of the terminal. At the end, the terminal shows its old content again."""

    def __init__(self, console: Console | None = None):
        self.console = console or Console(highlight=False)
        self.colour = self.console.color_system is not None and not self.console.no_color
        self.window = Window(1, 1)
        self._words: Sequence[str] = ()
        self._compiles_since: float | None = None

    @property
    def is_large_enough(self) -> bool:
        """True if the terminal is large enough for full-screen mode."""
        return self.console.width >= SMALLEST[0] and self.console.height >= SMALLEST[1]

    @property
    def height(self) -> int:
        """The number of lines for the board and the panel. The list of commands and the input are below the board and
        the panel.
        """
        return max(4, self.console.height - 2)

    def __enter__(self) -> "Screen":
        self.console.set_alt_screen(True)
        self.console.clear()
        waiting.watch = self._compiling  # by default, a line on standard error would scroll the screen
        return self

    def __exit__(self, *_: object) -> None:
        waiting.watch = None
        with suppress(OSError):  # the terminal might have been closed
            self.console.set_alt_screen(False)

    def _compiling(self, what: str) -> None:
        """While this process or another process compiles code, show a message on the last line of the screen. During
        the first seconds (`waiting.GRACE`), no message is shown.
        """
        now = time.monotonic()
        self._compiles_since = now if self._compiles_since is None else self._compiles_since
        if now - self._compiles_since >= waiting.GRACE:
            with suppress(OSError):
                self.console.control(Control.move_to(0, self.console.height - 1), ERASED)
                self.console.print(Text(COMPILING), end="", no_wrap=True, overflow="crop")

    def room(self, players: int) -> int:
        """Return how many menu entries fit into the panel."""
        return max(3, min(PAGE, self.height - players - 11))

    def look(self) -> Window:
        """Fit the window (the visible part of the board) to the current size of the terminal, and return the window."""
        columns = max(1, (self.console.width - 1 - PANEL - MARGIN) // WIDE)
        fit = Window.within(MARGIN + WIDE * columns, self.height)
        self.window.columns, self.window.rows = fit.columns, fit.rows
        return self.window

    def show(self, frame: Frame) -> None:
        """Draw a frame of the game."""
        window = self.look()
        left = MARGIN + WIDE * window.columns
        if frame.view:
            rows = [self._text(line, self.console.width) for line in frame.view[: self.height]]
        else:
            board = window.lines(frame.drawn, self.colour, frame.last)
            panel = self._panel(frame, self.console.width - left - 1)
            rows = [
                self._row(board[i] if i < len(board) else "", left, panel[i] if i < len(panel) else "")
                for i in range(self.height)
            ]
        rows += [Text()] * (self.height - len(rows))
        hidden = "" if frame.view else window.hides(frame.drawn)
        rows.append(
            self._text(f"{FAINT}{frame.keys}{f'  |  more board: {hidden}' if hidden else ''}{END}", self.console.width)
        )
        self._draw(rows)

    def _draw(self, rows: Sequence[Text]) -> None:
        """Overwrite the old lines without clearing the screen, so that the screen does not flicker. The last line is
        left for the input.
        """
        self.console.control(Control.home())
        for row in rows:
            row.pad_right(self.console.width - row.cell_len)
            self.console.print(row, no_wrap=True, overflow="crop", crop=True)
        self.console.control(ERASED)

    def wait(self, moment: Callable[[], Frame]) -> None:
        """While a bot computes its action, draw the frame that `moment` returns."""
        self.show(moment())

    def _row(self, left: str, width: int, right: str) -> Text:
        row = self._text(left, width)
        row.pad_right(width + 1 - row.cell_len)
        return row + self._text(right, self.console.width - width - 1)

    def _text(self, line: str, width: int) -> Text:
        text = Text.from_ansi(line)
        text.truncate(width)
        return text

    def _panel(self, frame: Frame, width: int) -> list[str]:
        """Return the lines of the panel on the right. The latest events fill the remaining lines."""
        head = wrapped([frame.title], width)
        players = [
            player_line(frame.game, player, frame.names, self.colour, width) for player in range(frame.game.players)
        ]
        held = [wrapped(["    " + ", ".join(hands)], width, "    ") if hands else [] for hands in frame.holdings]
        asked = [f"{BOLD}{line}{END}" for line in wrapped([frame.question], width)]
        menu = [
            line
            for number, answer, about in frame.menu
            for line in wrapped([f"{number:>2} {answer}{f'  {about}' if about else ''}"], width, "   ")
        ]
        menu += [f"   {frame.more}"] if frame.more else []
        pictures = side_by_side(frame.pictures, width, lambda line: Text.from_ansi(line).cell_len)
        room = self.height - len(head) - len(players) - len(asked) - len(menu) - len(pictures) - 2
        if room < 0:
            room, pictures = room + len(pictures), []
        news = wrapped(frame.note or frame.news, width)
        if room - sum(map(len, held)) >= min(4, len(news)):
            players = [line for player, more in zip(players, held) for line in (player, *more)]
            room -= sum(map(len, held))
        if len(news) > room:
            first = [] if frame.note else [REST]
            news = [*first, *news[len(news) - room + len(first) :]] if room > 0 else []
        lines = [
            *head,
            *players,
            "",
            *news,
            *[""] * (room - len(news)),
            *pictures,
            *([""] if room >= 0 else []),
            *asked,
            *menu,
        ]
        return lines[-self.height :]

    def say(self, lines: Sequence[str], wrap: bool = True) -> None:
        """Print the given lines below the earlier output."""
        for line in wrapped(lines, self.console.width) if wrap else lines:
            self.console.print(Text(line), soft_wrap=True)

    def ask(self, prompt: str = "> ", words: Sequence[str] = ()) -> str:
        """Return the next line that the person types. Some keys, such as the arrow keys, are shortcuts: one press has
        the effect of typing a whole command. Raises EOFError at the end of the input.
        """
        self._words = words
        self._readline()
        return input(prompt).strip()

    def _readline(self) -> None:
        """If GNU readline is available, bind the arrow keys, the page keys and Tab as defined in BINDINGS. Without GNU
        readline, the person can type a key's command instead, such as `h` for the left arrow.
        """
        with suppress(ImportError):
            import readline

            if "libedit" not in (readline.__doc__ or ""):
                for binding in BINDINGS:
                    readline.parse_and_bind(binding)
                readline.set_completer_delims("")
                readline.set_completer(self._completion)
                readline.set_auto_history(False)

    def _completion(self, typed: str, number: int) -> Any:
        fitting = [word for word in self._words if word.lower().startswith(typed.lower())]
        return fitting[number] if number < len(fitting) else None
