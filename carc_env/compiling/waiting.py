"""One process compiles at a time for games of one kind, and the user is told about it.

The other processes load the result. Code for games of one kind (their boxes and the size of their table) is of no use
to games of another kind, so another process may compile for those at the same time. If there is no lock between
processes, all of them compile: this costs time, but nothing else.
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

import filelock  # imported here because its actions at a fork must come after ours

from carc_env.compiling import cache

PATIENCE = 300  # seconds to wait for another process that compiles, before this one compiles itself
PAUSE = 0.02  # seconds between two checks
GRACE = 2  # seconds of compiling or waiting before the user is told

# called with "compiling" or "waiting" in the meantime, instead of the line on standard error
watch: Callable[[str], object] | None = None

_one_thread = threading.RLock()  # always acquired before numba's own lock


class NotCompiled(RuntimeError):
    """Raised for a function that would have to be compiled within `only_loading`."""


_began = None  # the time at which compiling a function and everything that it calls began
_spent = 0.0  # seconds that this process has spent on compiling before
_may_compile = True  # the two above change only under `_one_thread`


@contextmanager
def only_loading() -> Iterator[None]:
    """Raise NotCompiled instead of compiling anything in this context."""
    global _may_compile
    before, _may_compile = _may_compile, False
    try:
        yield
    finally:
        _may_compile = before


def take_turns(dispatcher: Any, store: cache.Kept, try_out: Callable[[], object]) -> None:
    """Let a function that Python calls be compiled in one process at a time for each kind of games, unless its code is
    stored.

    Args:
        try_out: called before anything is compiled.
    """
    compile_or_load = dispatcher.compile

    def compile_in_turn(signature):
        is_there = partial(store.has, signature, dispatcher.targetctx)
        with _one_thread, _our_turn(store, cache.kind_of(signature), is_there, try_out):
            return compile_or_load(signature)

    dispatcher.compile = compile_in_turn


@contextmanager
def _our_turn(
    store: cache.Kept, kind: str, is_there: Callable[[], bool], try_out: Callable[[], object]
) -> Iterator[None]:
    """Load or compile a function. Only one process at a time compiles for each kind of games."""
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
    """Let Python collect garbage less often: numba makes many small objects, and most of them stay until it is done.

    This saves a tenth of the compile time, and takes 25 MB more memory.
    """
    before = gc.get_threshold()
    gc.set_threshold(200_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def going_on() -> None:
    """Report progress. Called before each function that is compiled as part of another one."""
    if _began is not None:
        _report("compiling", _spent + time.monotonic() - _began)


def _lock(kind: str, is_there: Callable[[], bool]) -> AbstractContextManager:
    """Wait until no other process compiles for this kind of games, or one has compiled what this process needs. Returns
    an object that holds the lock until it is closed.
    """
    began = time.monotonic()

    def is_there_now() -> bool:
        _report("waiting", time.monotonic() - began)
        return is_there()

    try:  # a new lock for each use, so that nothing of it is left for threads and forks
        return filelock.FileLock(cache.cache_folder() / f"lock{kind}").acquire(
            PATIENCE, PAUSE, cancel_check=is_there_now
        )
    except (OSError, NotImplementedError):  # the time is over, the code is there, or the folder has no locks
        return nullcontext()


# otherwise a process forked while another thread compiles would wait forever
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_one_thread.acquire, after_in_parent=_one_thread.release, after_in_child=_one_thread.release
    )


# --- messages ---------------------------------------------------------------------------------------------------------
_told = set()


def _report(what: str, seconds: float) -> None:
    """Report compiling or waiting: one line on standard error for each process, unless $CARC_ENV_QUIET is set."""
    if watch:
        watch(what)
    elif seconds > GRACE and what not in _told and os.environ.get("CARC_ENV_QUIET", "0") in ("", "0"):
        _told.add(what)
        line = "waiting for another process that compiles, about a minute"
        if what == "compiling":
            place = cache.kept_nowhere()
            line = (
                f"compiling once, about a minute, kept in {cache.cache_folder()}"
                if place is None
                else (f"compiling, about a minute, kept nowhere: {place}")
            )
        with suppress(AttributeError, OSError, ValueError):  # standard error is missing, broken or closed
            sys.stderr.write(f"carc_env: {line}\n")
            sys.stderr.flush()
