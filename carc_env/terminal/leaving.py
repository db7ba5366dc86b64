"""Leaving: what happens when the terminal is closed or the process is to end."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class HungUp(BaseException):
    """The terminal was closed, or the process is to end: by this signal. No Exception, as Ctrl-C is none, so that no
    bot's fault hides it.
    """

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


@contextmanager
def heard_signals() -> Iterator[None]:
    """Within it, SIGHUP and SIGTERM raise HungUp, so that the terminal is left as it was; once one came, no other
    disturbs the end.
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
    """Nobody reads any more: what is still to be written goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
