"""One process compiles at a time for games of one kind, and somebody is told of it.

The others find what it made. What is compiled for games of one kind (their boxes and the size of their table) is no use
to those of another, so that another process may compile for these at the same time. Where there is no lock between
processes they all compile: that costs time and nothing else.
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

import filelock  # not later: what it does at a fork has to come after what we do

from carc_env.compiling import cache

PATIENCE = 300  # seconds to wait for another process that compiles; then do it ourselves
PAUSE = 0.02  # seconds between two looks
GRACE = 2  # seconds of compiling or waiting that nobody is told of

# called with "compiling" or "waiting" as it goes on, in place of a line on standard error
watch: Callable[[str], object] | None = None

_one_thread = threading.RLock()  # always taken before numba's own lock


class NotCompiled(RuntimeError):
    """A function that `only_loading` would have to compile."""


_began = None  # when the compiling of a function and all that it calls began
_spent = 0.0  # seconds that this process compiled before
_may_compile = True  # the first two change under `_one_thread` only


@contextmanager
def only_loading() -> Iterator[None]:
    """What has to be compiled within raises NotCompiled instead."""
    global _may_compile
    before, _may_compile = _may_compile, False
    try:
        yield
    finally:
        _may_compile = before


def take_turns(dispatcher: Any, store: cache.Kept, try_out: Callable[[], object]) -> None:
    """Let a function that Python calls be compiled in one process at a time for one kind of games, unless what it is to
    make is kept.

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
    """Load or compile a function, the latter one process at a time for one kind of games."""
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
    """Let Python look for garbage less often: numba makes many small objects, of which most stay until it is done.

    A tenth of the time of compiling goes into that otherwise; so it takes 25 MB more.
    """
    before = gc.get_threshold()
    gc.set_threshold(200_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def going_on() -> None:
    """A function that another one calls is about to be compiled for it."""
    if _began is not None:
        _report("compiling", _spent + time.monotonic() - _began)


def _lock(kind: str, is_there: Callable[[], bool]) -> AbstractContextManager:
    """Wait until no other process compiles for this kind of games, or one has compiled what we want. Returns what holds
    the lock until it closes.
    """
    began = time.monotonic()

    def is_there_now() -> bool:
        _report("waiting", time.monotonic() - began)
        return is_there()

    try:  # a lock of our own for each time: nothing of it is left to threads and forks
        return filelock.FileLock(cache.cache_folder() / f"lock{kind}").acquire(
            PATIENCE, PAUSE, cancel_check=is_there_now
        )
    except (OSError, NotImplementedError):  # out of patience, or there, or a folder without locks
        return nullcontext()


# a process forked while another thread compiles would wait for it for ever
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_one_thread.acquire, after_in_parent=_one_thread.release, after_in_child=_one_thread.release
    )


# --- telling ----------------------------------------------------------------------------------------------------------
_told = set()


def _report(what: str, seconds: float) -> None:
    """Tell of compiling or waiting that goes on: a line on standard error, once a process, unless $CARC_ENV_QUIET is
    set.
    """
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
        with suppress(AttributeError, OSError, ValueError):  # nobody to tell: standard error is none, broken or closed
            sys.stderr.write(f"carc_env: {line}\n")
            sys.stderr.flush()
