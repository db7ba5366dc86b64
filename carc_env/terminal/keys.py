"""Reading single keys from a terminal, without waiting for Enter."""

import importlib.util
import os
import select
import sys
from contextlib import suppress
from types import TracebackType

# the last letter of what an arrow key sends, and the letter that does the same
ARROWS = {"A": "k", "B": "j", "C": "l", "D": "h"}


def can_be_heard() -> bool:
    """True if this system can read single keys from a terminal."""
    return importlib.util.find_spec("termios") is not None


class Keys:
    """Reads single keys from standard input, which is a terminal, inside a `with` block. Afterwards the terminal is
    restored.
    """

    def __enter__(self) -> "Keys":
        import termios
        import tty

        self._number = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._number)
        tty.setcbreak(self._number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import termios

        with suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(self._number, termios.TCSADRAIN, self._before)

    def next(self, patience: float | None) -> str | None:
        """The next key; None if none is pressed for so many seconds. Arrows become the letters that move the board, and
        the end of the input becomes `q`.
        """
        if not select.select([self._number], [], [], patience)[0]:
            return None
        letter = os.read(self._number, 1).decode(errors="replace") or "q"
        return letter if letter != "\x1b" else self._escaped()

    def _escaped(self) -> str:
        """The key behind an escape sequence; an empty text if the sequence is unknown."""
        sent = ""
        while select.select([self._number], [], [], 0.02)[0] and len(sent) < 8:
            sent += os.read(self._number, 1).decode(errors="replace")
            if sent[-1].isalpha() and sent != "O" or sent[-1] == "~":
                break
        return ARROWS.get(sent[-1:], "") if sent[:1] in ("[", "O") else ""
