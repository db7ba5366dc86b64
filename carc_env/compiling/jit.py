"""The decorator of all compiled code.

A compiled function has two sides. Python calls a numba dispatcher. It compiles the function, with everything that it
calls, for the types of the arguments; it loads the code if that was done before (`cache`), and waits while another
process does it (`waiting`). Compiled code never sees this dispatcher: `numba.extending.overload` tells it, by the types
of the arguments, which function to use instead. That can be the function itself, compiled as part of its caller
(`linking`), a function that returns a constant, or one that first widens narrow integers.
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
_common = set()  # the dtypes of games without rare boxes, and numba's types of them
NOTHING = object()  # the default of `absent`: the function is needed in all games


def is_compiled() -> bool:
    """False if the compiler is switched off (NUMBA_DISABLE_JIT=1) and the rules run as plain Python."""
    return not numba.config.DISABLE_JIT


# iterates over a constant tuple of names, so that record[name] is compiled for each name
each_of = numba.literal_unroll


def record_type(names: Sequence[str]) -> type:
    """The type of a record with these fields: np.record, or without the compiler a subclass that finds them four times
    as fast.
    """
    if is_compiled():
        return np.record

    def field(name: str) -> property:
        return property(itemgetter(name), lambda self, value: self.__setitem__(name, value))

    plain = {name: getattr(np.void, name) for name in ("__getattribute__", "__setattr__", "__getitem__")}
    return type("record", (np.record,), plain | {name: field(name) for name in names})


# --- the decorator ----------------------------------------------------------------------------------------------------
class Compiled:
    """What the project knows about a compiled function."""

    def __init__(self, function: Callable) -> None:
        self.dispatcher = njit(**linking.OPTIONS)(function)  # called by Python
        self.kept = cache.Kept(function)
        self.is_part = False  # True if compiled code calls the function
        self.kept.serve(self.dispatcher)
        waiting.take_turns(self.dispatcher, self.kept, linking.try_out)


def jit(function=None, *, inline=False, absent=NOTHING):
    """Compile `function` with numba and store it in `cache.cache_folder()`. Other users of numba keep their own cache
    folder.

    `inline` puts the function into all its callers, whatever its length. Use it for functions that are called so often
    that the calls themselves take time. `absent` is the value that the function returns for games without rare boxes
    (`state.RARE`); for these games nothing else of it is compiled.
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
    overload(called, strict=False, jit_options=linking.PART)(_for_compiled_code(called, compiled, absent))
    return called


def _for_python(function, dispatcher, absent):
    """What Python calls: the dispatcher inside an object about which numba knows only what `overload` tells it."""
    if absent is NOTHING:
        return functools.update_wrapper(functools.partial(dispatcher), function)

    @functools.wraps(function)
    def called(*arguments):
        is_absent = any(getattr(argument, "dtype", None) in _common for argument in arguments)
        return absent if is_absent else dispatcher(*arguments)

    return called


def _for_compiled_code(called, compiled, absent):
    """The function for `overload`: it chooses the function that compiled code calls for arguments of these types."""
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
        compiled.is_part = True
        if absent is not NOTHING and not _common.isdisjoint(kinds):
            return _named_after(function, "absent", without)
        narrow = next((k for k, kind in enumerate(kinds) if _is_narrow(kind)), None)
        return function if narrow is None else widened(narrow)

    return choose


def _named_after(function, what: str, other):
    """Give a function a name of its own, so that its machine code does not share a name with another function."""
    other.__module__, other.__qualname__ = function.__module__, f"{function.__qualname__}.{what}"
    return other


def _is_narrow(kind) -> bool:
    """True for integers that are passed as int64, so that the function is not compiled for each width."""
    return isinstance(kind, numba.types.Integer) and kind.bitwidth < 64


# --- what is known from the type of a record
# ---------------------------------------------------------------------------
def know_by_type(function, field: str, find: Callable[[int], object]) -> None:
    """Let compiled code know the result of a function of a record as a constant: `find` computes it from the length of
    an array field, which is part of the type.
    """

    def choose(record):
        if field in getattr(record, "fields", ()):
            known = find(record.typeof(field).shape[0])
            return lambda record: known

    if is_compiled():
        overload(function, jit_options=linking.PART)(choose)


def know_as_common(dtype: np.dtype) -> None:
    """Declare a dtype as that of games without rare boxes, for which functions return their `absent` value."""
    if is_compiled():
        _common.update((dtype, numba.from_dtype(dtype)))


# --- counting ---------------------------------------------------------------------------------------------------------
def functions() -> int:
    """The number of functions that can be compiled, in all imported modules."""
    return len(_compiled)


def loaded() -> tuple[int, int]:
    """The number of functions, and of their signatures, that this process has loaded from the cache."""
    return _count([one.kept.loads for one in _compiled])


def compiled() -> tuple[int, int]:
    """The number of functions, and of their signatures, that this process has compiled for Python, with everything that
    they call.
    """
    return _count([len(one.dispatcher.overloads) - one.kept.loads for one in _compiled])


def at_hand() -> int:
    """The number of functions that this process has ready, for Python or as part of others."""
    return sum(one.is_part or bool(one.dispatcher.overloads) for one in _compiled)


def cached() -> tuple[int, int]:
    """The number of functions for Python, and of their signatures, that are in the cache."""
    folder = cache.cache_folder() if is_compiled() else None
    paths = folder.rglob("*.nbc") if folder else []
    return _count(list(Counter((path.parent, path.name.rsplit(".", 2)[0]) for path in paths).values()))


def _count(signatures: list[int]) -> tuple[int, int]:
    return sum(map(bool, signatures)), sum(signatures)
