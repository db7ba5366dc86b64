"""Coordinate processes that compile the same code.

For each dtype of game states, only one process at a time compiles code. The other processes wait, and then load the
compiled code. A message tells the user that a process is compiling or waiting.

The dtype of the game states depends on the boxes and on the size of the table. Each dtype needs its own compiled code.
Therefore two processes whose games have different dtypes can compile at the same time. If the file system has no file
locks, each process compiles the code for itself, which takes more time but does no harm.
"""

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any

import filelock  # imported at the top: filelock must register its fork handlers before this module does

from carc_env.compiling import cache

PATIENCE = 300  # seconds to wait for another process before this process compiles the code itself
PAUSE = 0.02  # while this process waits: seconds between two checks of the lock
GRACE = 2  # seconds of compiling or waiting before the first report to the user
AGAIN = 60  # seconds between two reports of the same compilation or wait

# None, or a function that `_report` calls instead of printing a line; its argument is "compiling" or "waiting"
watch: Callable[[str], object] | None = None

_one_thread = threading.RLock()  # always acquired before numba's own lock


class NotCompiled(RuntimeError):
    """Raised in a `with` block of `only_loading` if the block calls a function that has not been compiled yet."""


# `_began`, `_spent`, `_held_up` and `_lost` change only while `_one_thread` is held
_began = None  # the time at which the current compilation or loading began; None if there is none
_spent = 0.0  # seconds that this process has spent on earlier compilations
_may_compile = True  # False in a `with` block of `only_loading`
_held_up: list[float] = []  # start times of the calls of `compile` that have not returned, the outermost first
_lost = 0.0  # seconds that earlier calls of `compile` took


def seconds_lost() -> float:
    """Return how many seconds this process has spent on compiling code, loading compiled code, and waiting for another
    process that compiles.
    """
    began = _held_up[:1]
    return _lost + (time.monotonic() - began[0] if began else 0.0)


@contextmanager
def _counted() -> Iterator[None]:
    """A context manager that adds the time spent in its `with` block to `seconds_lost`."""
    global _lost
    _held_up.append(time.monotonic())
    try:
        yield
    finally:
        began = _held_up.pop()
        if not _held_up:
            _lost += time.monotonic() - began


@contextmanager
def only_loading() -> Iterator[None]:
    """Raise NotCompiled in the `with` block instead of compiling anything."""
    global _may_compile
    before, _may_compile = _may_compile, False
    try:
        yield
    finally:
        _may_compile = before


def take_turns(dispatcher: Any, store: cache.Kept, try_out: Callable[[], object]) -> None:
    """Change a dispatcher so that only one process at a time compiles code for the same dtype of game states.

    The other processes wait, and load the code when it is stored. If the code is already stored, no process waits.

    Args:
        dispatcher: the dispatcher to change.
        store: the cache of the dispatcher's function.
        try_out: a function that is called before anything is compiled (`linking.try_out`).
    """
    compile_or_load = dispatcher.compile

    def compile_in_turn(signature):
        is_there = partial(store.has, signature, dispatcher.targetctx)
        with _one_thread, _counted(), _our_turn(store, cache.kind_of(signature), is_there, try_out):
            return compile_or_load(signature)

    dispatcher.compile = compile_in_turn


@contextmanager
def _our_turn(
    store: cache.Kept, kind: str, is_there: Callable[[], bool], try_out: Callable[[], object]
) -> Iterator[None]:
    """Prepare for the `with` block, which loads or compiles a function.

    Before a compilation, the context manager waits until no other process compiles for the same dtype of game states.
    """
    global _began, _spent
    if not (_may_compile or is_there()):
        raise NotCompiled
    with nullcontext() if not store.is_on or is_there() else _lock(kind, is_there), _few_collections():
        _began, loads = time.monotonic(), store.loads
        try:
            if not is_there():
                try_out()
            yield
        finally:
            seconds, _began = time.monotonic() - _began, None
            if store.loads == loads:
                _spent += seconds
                _report("compiling", _spent)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Let Python collect garbage less often in the `with` block.

    During a compilation, numba creates many small objects, and most of them live until the compilation ends. Collecting
    garbage less often saves a tenth of the compile time and needs 25 MB more memory.
    """
    before = gc.get_threshold()
    gc.set_threshold(200_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def going_on() -> None:
    """Report that this process is still compiling.

    `going_on` is called whenever numba begins to compile a function as part of another function.
    """
    if _began is not None:
        _report("compiling", _spent + time.monotonic() - _began)


def _lock(kind: str, is_there: Callable[[], bool]) -> AbstractContextManager:
    """Wait while another process compiles for the same dtype of game states.

    The function stops waiting when the other process has finished, when the code is stored, or after PATIENCE seconds.

    Returns:
        a context manager that releases the lock, if it was acquired, at the end of the `with` block.
    """
    began = time.monotonic()

    def is_there_now() -> bool:
        _report("waiting", time.monotonic() - began)
        return is_there()

    try:  # a new lock object for each use, so that threads and forks share no state
        return filelock.FileLock(cache.cache_folder() / f"lock{kind}").acquire(
            PATIENCE, PAUSE, cancel_check=is_there_now
        )
    except (OSError, NotImplementedError):  # timeout, or the code is stored now, or the file system has no locks
        return nullcontext()


# without these handlers, a process that is forked while another thread compiles would wait forever
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_one_thread.acquire, after_in_parent=_one_thread.release, after_in_child=_one_thread.release
    )


# --- messages ---------------------------------------------------------------------------------------------------------
_due: dict[str, float] = {}  # for "compiling" and "waiting": the seconds after which the next line is printed


def _report(what: str, seconds: float) -> None:
    """Report that the process is compiling or waiting.

    If `watch` is set, the function calls `watch` and prints nothing. If `watch` is not set, the function prints a line
    on standard error after GRACE seconds of compiling or waiting. Then it prints a short line every AGAIN seconds. If
    $CARC_ENV_QUIET is set to a value other than 0 or the empty string, nothing is printed.
    """
    if watch:
        watch(what)
    elif seconds > _due.get(what, GRACE) and os.environ.get("CARC_ENV_QUIET", "0") in ("", "0"):
        line = "waiting for another process that compiles (seconds to a minute)"
        if what in _due:
            line = f"still {what}, {seconds:.0f} seconds so far"
        elif what == "compiling":
            reason = cache.kept_nowhere()
            place = f"kept in {cache.cache_folder()}" if reason is None else f"kept nowhere: {reason}"
            line = f"compiling functions that are used for the first time (seconds to a minute); {place}"
        _due[what] = seconds + AGAIN
        with suppress(AttributeError, OSError, ValueError):  # standard error is missing, broken or closed
            sys.stderr.write(f"carc_env: {line}\n")
            sys.stderr.flush()
