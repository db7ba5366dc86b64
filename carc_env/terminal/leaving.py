"""What happens when the terminal is closed or the process has to end."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class HungUp(BaseException):
    """The terminal was closed, or the process has to end because of this signal.

    Like KeyboardInterrupt it is not an Exception, so that code that catches the faults of bots does not catch it.
    """

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


@contextmanager
def heard_signals() -> Iterator[None]:
    """Inside the block, SIGHUP and SIGTERM raise HungUp, so that the terminal can be restored. Later signals are
    ignored.
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
    """Discard all further output, because nobody reads it any more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
