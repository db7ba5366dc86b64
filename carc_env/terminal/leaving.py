"""Handle the signals that the process receives when the terminal is closed or the process has to end."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class HungUp(BaseException):
    """Raised if a signal reports that the terminal was closed or that the process has to end.

    HungUp is not a subclass of Exception, and neither is KeyboardInterrupt. Therefore, code that catches the errors of
    bots with `except Exception` does not catch HungUp.
    """

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


@contextmanager
def heard_signals() -> Iterator[None]:
    """A context in which SIGHUP and SIGTERM raise HungUp, so that the terminal can be restored. After the first of
    these signals, SIGHUP, SIGTERM and SIGINT (Ctrl-C) are ignored.
    """
    before = {
        number: signal.getsignal(number)
        for name in ("SIGHUP", "SIGTERM")
        if (number := getattr(signal, name, None)) is not None
    }
    came: list[int] = []

    def hang_up(number: int, _: object) -> None:
        came.append(number)
        for one in (*before, signal.SIGINT):
            signal.signal(one, signal.SIG_IGN)
        raise HungUp(number)

    for number in before:
        signal.signal(number, hang_up)
    try:
        yield
    finally:
        for number, handler in before.items() if not came else ():
            signal.signal(number, handler)


def fallen_silent() -> None:
    """Discard all further output, because the terminal is closed."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
