"""The one decorator of all compiled code.

What it makes of a function is seen from two sides. Python calls a dispatcher of numba's, which compiles the function
with all that it calls for the types of the arguments, loads it where that was done before (`cache`), and waits while
another process does it (`waiting`). Compiled code never sees that dispatcher: `numba.extending.overload` tells it, from
the types of the arguments, which function takes its place. That may be the function itself, compiled as part of its
caller (`linking`), one that returns a constant, or one that makes narrow integers wide first.
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

_compiled = []  # of each compiled function: its dispatcher, what is kept of it, whether compiled code calls it
_common = set()  # the dtypes of games that have none of the boxes that are rare, and numba's types of them
NOTHING = object()  # for `jit`: the function is of all games


def is_compiled() -> bool:
    """False when the compiler is switched off (NUMBA_DISABLE_JIT=1) and the rules run as plain Python."""
    return not numba.config.DISABLE_JIT


each_of = numba.literal_unroll  # goes over a constant tuple of names, so that record[name] can be compiled for each


def record_type(names: Sequence[str]) -> type:
    """The type of one record with these fields: np.record, and without the compiler one that finds them four times as
    fast.
    """
    if is_compiled():
        return np.record

    def field(name: str) -> property:
        return property(itemgetter(name), lambda self, value: self.__setitem__(name, value))

    plain = {name: getattr(np.void, name) for name in ("__getattribute__", "__setattr__", "__getitem__")}
    return type("record", (np.record,), plain | {name: field(name) for name in names})


# --- the decorator ----------------------------------------------------------------------------------------------------
class Compiled:
    """What the project knows of one compiled function."""

    def __init__(self, function: Callable) -> None:
        self.dispatcher = njit(**linking.OPTIONS)(function)  # what Python calls
        self.kept = cache.Kept(function)
        self.is_part = False  # whether compiled code calls it
        self.kept.serve(self.dispatcher)
        waiting.take_turns(self.dispatcher, self.kept, linking.try_out)


def jit(function=None, *, inline=False, absent=NOTHING):
    """Compile `function` with numba, kept in `cache.cache_folder()`; other users of numba keep their own cache folder.

    `inline` puts it into all its callers, whatever its length: for one that is called so often that the calls
    themselves count. `absent` is what it returns for games that know nothing of its box (`state.RARE`): of their code
    it is all that there is of it.
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
    """What Python calls: the dispatcher, behind an object of which numba knows only what `overload` tells it."""
    if absent is NOTHING:
        return functools.update_wrapper(functools.partial(dispatcher), function)

    @functools.wraps(function)
    def called(*arguments):
        is_absent = any(getattr(argument, "dtype", None) in _common for argument in arguments)
        return absent if is_absent else dispatcher(*arguments)

    return called


def _for_compiled_code(called, compiled, absent):
    """What `overload` asks: the function that compiled code calls for arguments of these types."""
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
    """Another function, whose machine code has a name that no other function's has."""
    other.__module__, other.__qualname__ = function.__module__, f"{function.__qualname__}.{what}"
    return other


def _is_narrow(kind) -> bool:
    """Whether it is an integer that is passed as int64, so that the function is not compiled for each width."""
    return isinstance(kind, numba.types.Integer) and kind.bitwidth < 64


# --- what the type of a record says -----------------------------------------------------------------------------------
def know_by_type(function, field: str, find: Callable[[int], object]) -> None:
    """Let compiled code know what a function of a record returns: what `find` makes of the length of an array field,
    which its type says.
    """

    def choose(record):
        if field in getattr(record, "fields", ()):
            known = find(record.typeof(field).shape[0])
            return lambda record: known

    if is_compiled():
        overload(function, jit_options=linking.PART)(choose)


def know_as_common(dtype: np.dtype) -> None:
    """Let records of this dtype be games that know nothing of the boxes whose functions say what they return then
    (`absent`).
    """
    if is_compiled():
        _common.update((dtype, numba.from_dtype(dtype)))


# --- counting ---------------------------------------------------------------------------------------------------------
def functions() -> int:
    """How many functions can be compiled, of all modules that were imported."""
    return len(_compiled)


def loaded() -> tuple[int, int]:
    """How many functions, and how many signatures of them, this process has loaded from the cache."""
    return _count([one.kept.loads for one in _compiled])


def compiled() -> tuple[int, int]:
    """How many functions, and how many signatures of them, this process has compiled for Python, with all that they
    call.
    """
    return _count([len(one.dispatcher.overloads) - one.kept.loads for one in _compiled])


def at_hand() -> int:
    """How many functions this process has, for Python or as part of others."""
    return sum(one.is_part or bool(one.dispatcher.overloads) for one in _compiled)


def cached() -> tuple[int, int]:
    """How many functions that Python calls, and how many signatures of them, the cache has."""
    folder = cache.cache_folder() if is_compiled() else None
    paths = folder.rglob("*.nbc") if folder else []
    return _count(list(Counter((path.parent, path.name.rsplit(".", 2)[0]) for path in paths).values()))


def _count(signatures: list[int]) -> tuple[int, int]:
    return sum(map(bool, signatures)), sum(signatures)
