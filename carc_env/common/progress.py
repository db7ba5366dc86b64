"""Progress of long commands, and Ctrl-C during them.

Progress is written to standard error: as a bar on a terminal if rich is installed, otherwise as a line every few
seconds.
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
    """Give a function that shows the progress of a command. When the block ends, the bar is removed.

    Nothing is shown before the first call. `lines` is used where no bar can be shown.
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
    """Print a line every few seconds. A command that takes less time prints nothing."""
    last = time.monotonic()

    def show(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            print(f"carc: {done} of {total} {what}", file=sys.stderr, flush=True)

    return show


@contextmanager
def ctrl_c_noted() -> Iterator[Callable[[], None]]:
    """Delay Ctrl-C: the function that is given raises KeyboardInterrupt if Ctrl-C was pressed.

    So no file is left half written. Nor does Ctrl-C get lost while Python ignores exceptions, as in a finalizer or when
    a library calls back.

    A second Ctrl-C takes effect at once. Only the main thread receives Ctrl-C. In another thread, or if somebody else
    already handles the signal, nothing is changed.
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
