"""Progress of long commands on standard error: a bar on a terminal where rich is installed, now and then a line
elsewhere. And Ctrl-C in them.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY = 10.0  # seconds from one line to the next

Show = Callable[[str, int, int], None]  # what is going on, how much of it is done, how much there is


@contextmanager
def progress(lines: Show | None = None) -> Iterator[Show]:
    """Shows how far something is, as often as it is told; at the end nothing of a bar is left.

    Nothing is shown before it is told something. `lines` is what shows it where there can be no bar.
    """
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
    except ImportError:  # it shows the same, only better
        yield lines or _lines()
        return
    console = Console(stderr=True)
    if not console.is_interactive:
        yield lines or _lines()
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", visible=False)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total, visible=True)


def _lines() -> Show:
    """A line for every few seconds; what takes less is not spoken of."""
    last = time.monotonic()

    def show(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            print(f"carc: {done} of {total} {what}", file=sys.stderr, flush=True)

    return show


@contextmanager
def ctrl_c_noted() -> Iterator[Callable[[], None]]:
    """Ctrl-C is only noted; what is given raises KeyboardInterrupt if there was one.

    So no file is left half written, and no Ctrl-C is lost that comes while Python throws exceptions away: in a
    finalizer, or when a library calls back.

    A second Ctrl-C comes at once. Only the main thread hears it; elsewhere, and where somebody else listens, nothing is
    changed.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield lambda: None
        return
    noted: list[int] = []

    def note(number: int, frame: object) -> None:
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    def heed() -> None:
        if noted:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield heed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
