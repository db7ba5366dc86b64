"""Read single keys from a terminal, without waiting for Enter."""

import importlib.util
import os
import select
import sys
from contextlib import suppress
from types import TracebackType

# maps the last letter of an arrow key's escape sequence to the letter key with the same effect
ARROWS = {"A": "k", "B": "j", "C": "l", "D": "h"}


def can_be_heard() -> bool:
    """Return True if this system can read single keys from a terminal."""
    return importlib.util.find_spec("termios") is not None


class Keys:
    """A context manager for reading single keys from standard input. Standard input must be a terminal. At the end of
    the `with` block, the terminal is restored.
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

        with suppress(termios.error):  # the terminal may have been closed
            termios.tcsetattr(self._number, termios.TCSADRAIN, self._before)

    def next(self, patience: float | None) -> str | None:
        """Return the next key, or None if no key is pressed for `patience` seconds. For an arrow key, return the letter
        key with the same effect. At the end of the input, return `q`.
        """
        if not select.select([self._number], [], [], patience)[0]:
            return None
        letter = os.read(self._number, 1).decode(errors="replace") or "q"
        return letter if letter != "\x1b" else self._escaped()

    def _escaped(self) -> str:
        """Read the rest of an escape sequence. For an arrow key, return the letter key from ARROWS. For any other key,
        return an empty string.
        """
        sent = ""
        while select.select([self._number], [], [], 0.02)[0] and len(sent) < 8:
            sent += os.read(self._number, 1).decode(errors="replace")
            if sent[-1].isalpha() and sent != "O" or sent[-1] == "~":
                break
        return ARROWS.get(sent[-1:], "") if sent[:1] in ("[", "O") else ""
