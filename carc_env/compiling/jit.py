"""Defines `jit`, the decorator of every function that is compiled.

Python calls a compiled function through a numba dispatcher. When Python first calls the function with arguments of
certain types, the dispatcher looks for stored code (see `cache`). If no code is stored, the dispatcher compiles the
function and all functions that it calls. If another process is already compiling this code, the dispatcher waits for
the result (see `waiting`).

Compiled code never calls the dispatcher. Suppose that a compiled function `f` calls a compiled function `g`. When numba
compiles `f`, `numba.extending.overload` looks at the types of the arguments, and selects one of three functions for the
call:

- `g` itself, which is compiled together with its caller `f` (see `linking`);
- a function that only returns a constant, for games without the rarely used boxes (see `absent` in `jit`);
- a function that widens an integer argument to 64 bits and then calls `g`.
"""

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from operator import itemgetter

import numba
import numpy as np
from numba import njit
from numba.extending import overload
from numpy import int64

from carc_env.compiling import cache, linking, waiting

_compiled = []  # all compiled functions
_common = set()  # the dtypes of game states without rare boxes, and the numba types of these states
NOTHING = object()  # the default of `absent`, for functions that all games need


def is_compiled() -> bool:
    """Return True if functions are compiled. If NUMBA_DISABLE_JIT=1 switches the compiler off, the result is False and
    the rules run as plain Python.
    """
    return not numba.config.DISABLE_JIT


# iterates over a constant tuple of names, so that record[name] is compiled for each name
each_of = numba.literal_unroll


def record_type(names: Sequence[str]) -> type:
    """Return the Python type for records whose fields have the given names.

    If the compiler is on, the type is np.record. Without the compiler, the type is a subclass of np.record. Reading or
    writing a field of the subclass is four times as fast as with np.record.
    """
    if is_compiled():
        return np.record

    def field(name: str) -> property:
        return property(itemgetter(name), lambda self, value: self.__setitem__(name, value))

    plain = {name: getattr(np.void, name) for name in ("__getattribute__", "__setattr__", "__getitem__")}
    return type("record", (np.record,), plain | {name: field(name) for name in names})


# --- the decorator ----------------------------------------------------------------------------------------------------
class Compiled:
    """A compiled function with its dispatcher and its cache."""

    def __init__(self, function: Callable) -> None:
        self.dispatcher = njit(**linking.OPTIONS)(function)  # called by Python
        self.kept = cache.Kept(function)
        self.kept.serve(self.dispatcher)
        waiting.take_turns(self.dispatcher, self.kept, linking.try_out)


def jit(function=None, *, inline=False, absent=NOTHING):
    """Compile `function` with numba and store the code in `cache.cache_folder()`.

    Other packages that use numba keep their own cache folders.

    Args:
        function: the function to compile.
        inline: True to inline the function into all its callers, even if the function is long. Inlining helps if a
            function is called very often, because it avoids the time that each call takes.
        absent: a constant. In games without the rarely used boxes (`state.RARE`), each call of `function` is replaced
            by the constant `absent`.
    """
    if function is None:
        return functools.partial(jit, inline=inline, absent=absent)
    if not is_compiled():
        return function
    function.inline = inline
    compiled = Compiled(function)
    _compiled.append(compiled)
    called = _for_python(function, compiled.dispatcher, absent)
    called.py_func, called.dispatcher = function, compiled.dispatcher
    overload(called, strict=False, jit_options=linking.PART)(_for_compiled_code(called, absent))
    return called


def _for_python(function, dispatcher, absent):
    """Return a wrapper through which Python calls numba's dispatcher.

    Because of the wrapper, compiled code can use the function only through `overload`.
    """
    if absent is NOTHING:
        return functools.update_wrapper(functools.partial(dispatcher), function)

    @functools.wraps(function)
    def called(*arguments):
        is_absent = any(getattr(argument, "dtype", None) in _common for argument in arguments)
        return absent if is_absent else dispatcher(*arguments)

    return called


def _for_compiled_code(called, absent):
    """Return the function to pass to `overload`.

    When numba compiles a call of `called`, numba passes the types of the arguments to the returned function. The
    returned function then selects the implementation for these types.
    """
    function = called.py_func

    def without(*arguments):
        return absent

    @functools.cache
    def widened(k):
        after = k + 1

        def with_wide_integer(*arguments):
            return called(*(arguments[:k] + (int64(arguments[k]),) + arguments[after:]))

        return _named_after(function, f"wide{k}", with_wide_integer)

    def choose(*kinds):
        linking.try_out()
        waiting.going_on()
        if absent is not NOTHING and not _common.isdisjoint(kinds):
            return _named_after(function, "absent", without)
        narrow = next((k for k, kind in enumerate(kinds) if _is_narrow(kind)), None)
        return function if narrow is None else widened(narrow)

    return choose


def _named_after(function, what: str, other):
    """Set the name of `other` to the name of `function`, a dot and `what`, so that names in machine code are unique."""
    other.__module__, other.__qualname__ = function.__module__, f"{function.__qualname__}.{what}"
    return other


def _is_narrow(kind) -> bool:
    """Return True for integer types with fewer than 64 bits.

    Arguments of narrow integer types are widened to int64. Without this conversion, numba would compile a function
    separately for each integer width.
    """
    return isinstance(kind, numba.types.Integer) and kind.bitwidth < 64


# --- what is known from the type of a record
# ---------------------------------------------------------------------------
def know_by_type(function, field: str, find: Callable[[int], object]) -> None:
    """Let compiled code treat the result of `function` as a constant.

    The argument of `function` is a record with an array field. The result of `function` depends only on the length of
    this array. The compiler knows the length of an array field, because the length is part of the record type.

    Args:
        function: a function whose only argument is a record.
        field: the name of the array field.
        find: a function that computes the constant from the length of the array.
    """

    def choose(record):
        if field in getattr(record, "fields", ()):
            known = find(record.typeof(field).shape[0])
            return lambda record: known

    if is_compiled():
        overload(function, jit_options=linking.PART)(choose)


def know_as_common(dtype: np.dtype) -> None:
    """Declare that game states of this dtype belong to games without the rarely used boxes (`state.RARE`).

    In games without rarely used boxes, a function with an `absent` value (see `jit`) returns this value.
    """
    if is_compiled():
        _common.update((dtype, numba.from_dtype(dtype)))


# --- counting ---------------------------------------------------------------------------------------------------------
def loaded() -> tuple[int, int]:
    """Return how many functions and how many signatures this process has loaded from the cache."""
    return _count([one.kept.loads for one in _compiled])


def compiled() -> tuple[int, int]:
    """Return how many functions and how many signatures this process has compiled for calls from Python."""
    return _count([len(one.dispatcher.overloads) - one.kept.loads for one in _compiled])


def cached() -> tuple[int, int]:
    """Return how many functions and how many signatures are in the cache."""
    folder = cache.cache_folder() if is_compiled() else None
    paths = folder.rglob("*.nbc") if folder else []
    return _count(list(Counter((path.parent, path.name.rsplit(".", 2)[0]) for path in paths).values()))


def _count(signatures: list[int]) -> tuple[int, int]:
    return sum(map(bool, signatures)), sum(signatures)
