"""Show the progress of long commands, and delay Ctrl-C during them.

Progress is written to standard error. On a terminal, the package rich shows a progress bar. If standard error is not a
terminal or rich is not installed, a line is printed every 10 seconds.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY = 10.0  # seconds between two printed lines

Show = Callable[[str, int, int], None]  # called with a description, the number of items done, and their total number


@contextmanager
def progress(lines: Show | None = None) -> Iterator[Show]:
    """Yield a function that shows the progress of a command.

    When the `with` block ends, the progress bar is removed. Nothing is shown before the first call of the yielded
    function. If no progress bar can be shown, the context manager yields the function `lines`. By default, `lines`
    prints a line of text when it is called, unless it has printed a line in the last 10 seconds.
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
    except ImportError:  # rich is optional: without it, lines are printed
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
    """Return a function that prints a line when it is called, unless it has printed a line in the last 10 seconds.

    The function prints nothing during the first 10 seconds.
    """
    last = time.monotonic()

    def show(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            print(f"carc: {done} of {total} {what}", file=sys.stderr, flush=True)

    return show


@contextmanager
def ctrl_c_noted() -> Iterator[Callable[[], None]]:
    """Delay Ctrl-C in the `with` block.

    The context manager yields a function that raises KeyboardInterrupt if Ctrl-C has been pressed. The delay has two
    advantages. A single Ctrl-C does not interrupt the writing of a file. And Ctrl-C is not lost while Python runs code
    whose exceptions are ignored, such as a finalizer or a library's callback.

    A single Ctrl-C after the last call of the yielded function has no effect. A second Ctrl-C raises KeyboardInterrupt
    at once. Only the main thread receives Ctrl-C. Ctrl-C is delayed only in the main thread, and only if no other code
    handles the signal SIGINT.
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
