"""Show a game line by line, for pipes, simple terminals and screen readers."""

import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any

from carc_env.terminal.board import Window
from carc_env.terminal.frame import Frame, side_by_side
from carc_env.terminal.menu import PAGE
from carc_env.terminal.words import player_line, wrapped

MOST_ROWS = 5  # the maximum number of visible board rows; these rows and the menu fill a small terminal
LINES = 24


class Plain:
    """Shows a game as plain lines of text. The class prints all new content in lines that fit the width of the
    terminal. The class also reads the lines that a person types.
    """

    colour, height = False, 10_000  # the height is so large that every text is printed as a whole

    def __init__(self) -> None:
        self.width = max(20, min(200, shutil.get_terminal_size((80, LINES)).columns))
        self.window = Window.within(self.width, 1 + 3 * MOST_ROWS)
        self._asked: tuple[Any, ...] = ()  # the decision and the menu that were printed last

    def __enter__(self) -> "Plain":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def room(self, players: int) -> int:
        """Return how many menu entries are shown at once."""
        return PAGE

    def look(self) -> Window:
        """Return the window, that is, the visible part of the board."""
        return self.window

    def show(self, frame: Frame) -> None:
        """Print everything that is new since the last call."""
        if frame.view or frame.note:
            self.say(frame.view or frame.note)
        is_same, self._asked = self._asked == (frame.question, frame.menu), (frame.question, frame.menu)
        if frame.view or frame.note and is_same and not frame.has_new_board:
            return
        if frame.has_new_board:
            self.say(["", f"--- {frame.title}", *frame.news, ""])
            self.say(self.window.lines(frame.drawn, False, frame.last, is_tight=True), wrap=False)
            hidden = self.window.hides(frame.drawn)
            self.say([*([f"more of the board: {hidden}, or all"] if hidden else []), ""])
            for player in range(frame.game.players):
                held = "".join(f"  {hand}" for hand in frame.holdings[player])
                self.say([player_line(frame.game, player, frame.names, False, self.width) + held])
        elif frame.is_first:
            self.say(frame.news)
        self.say(side_by_side(frame.pictures, self.width), wrap=False)
        self.say(
            [
                frame.question,
                *(f"{number:>4}  {answer}{f'  ({about})' if about else ''}" for number, answer, about in frame.menu),
            ]
        )
        self.say([f"      {frame.more}"] if frame.more else [])

    def wait(self, moment: Callable[[], Frame]) -> None:
        """Do nothing: plain lines do not change while a bot computes its action."""

    def say(self, lines: Sequence[str], wrap: bool = True) -> None:
        """Print some lines."""
        for line in wrapped(lines, self.width) if wrap else lines:
            print(line)
        sys.stdout.flush()

    def ask(self, prompt: str = "> ", words: Sequence[str] = ()) -> str:
        """Return the next line that the person types. Raises EOFError at the end of the input."""
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            print(line.rstrip("\n"), flush=True)  # a terminal already shows what the person types
        if not line:
            raise EOFError
        return line.strip()
