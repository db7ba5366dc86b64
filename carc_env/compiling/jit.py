"""The one decorator of all compiled code, and the place where compiled code is kept.

numba's own cache does not notice an edit in *another* file or a change of the bounds-checking switch. So our cache
folder is named after a hash of all that compiled code is made from and after the checking mode; an edit of such a file
gives a new, empty folder, an edit of any other none.

Nor is numba's cache made for several writers: two that save at once mix up its index. Ours has no index. Each signature
of a function that Python calls has a file of its own with all that the function calls (`linking`), named after what it
was compiled from, which appears there at once. A lock lets one process compile at a time, so that the others find what
it made. Where there is no such lock they all compile: that costs time and nothing else.

A cache needs names that numba does not promise to keep. Where one is missing nothing is kept and all the rest works.
"""

import functools
import hashlib
import inspect
import os
import pickle
import re
import sys
import tempfile
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from operator import itemgetter
from pathlib import Path

import filelock  # not later: what it does at a fork has to come after what we do
import numba
import numpy as np
import platformdirs
from numba import njit
from numba.core.errors import NumbaWarning
from numba.core.sigutils import normalize_signature
from numba.extending import overload

from carc_env.compiling import linking

_trouble = None  # why this numba gives us no cache
try:
    from numba.core.compiler import CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.serialize import dumps
except (AttributeError, ImportError) as error:
    _trouble, global_compiler_lock = (
        f"numba {numba.__version__} is not what the cache was made for: {error}",
        nullcontext(),
    )

PACKAGE = Path(__file__).parents[1]
IMPORT = re.compile(r"^from (carc_env[.\w]*) import ([^(\n]+|\([^)]*\))|^import (carc_env[.\w]+)", re.MULTILINE)
COMPILED = re.compile(r"^@jit\b", re.MULTILINE)  # what a module with compiled functions has
PATIENCE = 300  # seconds to wait for another process that compiles; then do it ourselves
PAUSE = 0.02  # seconds between two looks
GRACE = 2  # seconds of compiling or waiting that nobody is told of

# called with "compiling" or "waiting" as it goes on, in place of a line on standard error
watch: Callable[[str], object] | None = None

_dispatchers = []  # what `jit` has made of each function
_common = set()  # numba's types of games that have none of the boxes that are rare
NOTHING = object()  # for `jit`: the function is of all games


@functools.cache
def compiled_sources() -> tuple[Path, ...]:
    """What compiled code is made from: modules with compiled functions, what they import, and the tiles their constants
    count.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    todo, found = [path for path, text in texts.items() if COMPILED.search(text)], set()
    while todo:
        path = todo.pop()
        if path in texts and path not in found:
            found.add(path)
            todo += [module for match in IMPORT.finditer(texts[path]) for module in _modules(*match.groups())]
    return tuple(sorted(found | set((PACKAGE / "systems").glob("*/tiles.toml"))))


def _modules(package: str | None, names: str | None, module: str | None) -> list[Path]:
    """The files that an import may mean: of the module itself, and of modules in it."""
    parts = [module] if module else [package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))]
    paths = [PACKAGE.joinpath(*part.split(".")[1:]) for part in parts if part != "carc_env"]
    return [file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py")]


@functools.cache
def source_hash() -> str:
    """Hash of all that compiled code is made from, with the versions of Python and numba."""
    digest = hashlib.sha256(f"{sys.version_info[:3]} {numba.__version__}".encode())
    for path in compiled_sources():
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def checking_mode() -> str:
    """`plain`, or `checked` when numba tests array bounds (NUMBA_BOUNDSCHECK=1)."""
    return "checked" if numba.config.BOUNDSCHECK else "plain"


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


# --- where ------------------------------------------------------------------------------------------------------------
def _bases() -> list[Path]:
    """The folders that may hold ours: the one that $CARC_ENV_CACHE_DIR names, then the user's."""
    bases = [os.environ.get("CARC_ENV_CACHE_DIR")]
    with suppress(RuntimeError):  # a user without a home
        bases.append(platformdirs.user_cache_dir("carc_env", appauthor=False))
    bases = [os.path.expanduser(base) for base in bases if base]
    return [Path(base).absolute() for base in bases if base[0] != "~"]  # "~": no home either


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def cache_folder() -> Path | None:
    """Where compiled code is kept: in $CARC_ENV_CACHE_DIR, else in the user's cache folder.

    If neither can be written, one that is there is read. None if there is none: each process compiles for itself.
    """
    folders = [base / f"{source_hash()}-{checking_mode()}" for base in _bases()]
    return next(filter(_writable, folders), None) or next(filter(Path.is_dir, folders), None)


def kept_nowhere() -> str | None:
    """Why what is compiled now is not kept for later processes; None if it is."""
    if _trouble or (cache_folder() and _writable(cache_folder())):
        return _trouble
    return "no folder can be written (CARC_ENV_CACHE_DIR names one)"


def other_folders() -> list[Path]:
    """The folders beside ours: of other sources (older ones, for most), of another Python or numba."""
    ours = cache_folder()
    pattern = re.compile(r"[0-9a-f]{16}-(plain|checked)")
    return (
        []
        if ours is None
        else sorted(
            folder
            for folder in ours.parent.iterdir()
            if pattern.fullmatch(folder.name) and not folder.name.startswith(source_hash()) and folder.is_dir()
        )
    )


# --- the cache --------------------------------------------------------------------------------------------------------
class _Kept:
    """What is kept of one function: all that numba asks of a cache.

    Our own sources are known by their hash, so that two installations of the same ones share what either compiled.
    Each file holds its key as well, so that a name that fits by chance does no harm.
    """

    def __init__(self, function: Callable) -> None:
        code, self.loads, self.cache_path = function.__code__, 0, None
        file = Path(code.co_filename)
        is_ours = file.is_relative_to(PACKAGE)
        with _attempt():  # no such file: typed in by hand
            made_from = source_hash() if is_ours else _digest(file.read_bytes())
            self._made_from = made_from, _digest(code.co_code)
            self._name = re.sub("[<>]", "", function.__qualname__) + f"-{code.co_firstlineno}"
            if cache_folder() and function.__closure__ is None:
                self.cache_path = cache_folder() / (
                    file.relative_to(PACKAGE.parent).with_suffix("")
                    if is_ours
                    else f"{file.stem}_{_digest(str(file).encode())}"
                )

    @property
    def is_on(self) -> bool:
        """Whether there is a place for it."""
        return self.cache_path is not None and not _trouble

    def _entry(self, signature: tuple, codegen: object) -> tuple[tuple, Path]:
        key = self._made_from, signature, codegen.magic_tuple()
        return key, self.cache_path / f"{self._name}.{_digest(repr(key).encode())}.nbc"

    def has(self, signature: tuple, target: object) -> bool:
        """Whether a signature is there."""
        if self.is_on:
            with _attempt():
                return self._entry(signature, target.codegen())[1].exists()
        return False

    def load_overload(self, signature: tuple, target: object) -> object | None:
        """What was compiled for a signature, None if it is not there."""
        if self.is_on:
            with _attempt():
                target.refresh()
                key, path = self._entry(signature, target.codegen())
                saved, parts = pickle.loads(path.read_bytes())
                if saved == key:
                    result = CompileResult._rebuild(target, *parts)
                    self.loads += 1
                    return result
        return None

    def save_overload(self, signature: tuple, result: object) -> None:
        """Keep what was compiled for a signature."""
        if self.is_on and not linking.is_part(result.library):
            with _attempt():
                if result.library.has_dynamic_globals:
                    warnings.warn(
                        f"{self._name} uses what has another address in every process: not kept",
                        NumbaWarning,
                        stacklevel=2,
                    )
                    return
                key, path = self._entry(signature, result.codegen)
                data, part = dumps((key, result._reduce())), path.with_suffix(f".{uuid.uuid4().hex}")
                path.parent.mkdir(parents=True, exist_ok=True)
                try:
                    part.write_bytes(data)
                    part.replace(path)
                finally:
                    part.unlink(missing_ok=True)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


@contextmanager
def _attempt() -> Iterator[None]:
    """What cannot be read is compiled, what cannot be written is not kept, and a numba without what we use keeps
    nothing.
    """
    global _trouble
    try:
        yield
    except (OSError, EOFError, pickle.UnpicklingError):  # the last two: cut short when the machine went down
        pass
    except (AttributeError, ImportError, TypeError) as error:
        _trouble = f"numba {numba.__version__} is not what the cache was made for: {error}"


def _names_by_content() -> None:
    """Let machine code name records by what they hold.

    numba names them by a number that each process counts for itself. In a process that loads code of two others, games
    on tables of two sizes might have the same number, and a function of the one would call those of the other.
    """
    found: dict[str, tuple[str, tuple[str]]] = {}

    def mangling_args(self: numba.types.Record) -> tuple[str, tuple[str]]:
        if self.name not in found:
            found[self.name] = "Record", (_digest(self.name.encode()),)
        return found[self.name]

    numba.types.Record.mangling_args = property(mangling_args)


_names_by_content()


# --- one process at a time --------------------------------------------------------------------------------------------
class NotCompiled(RuntimeError):
    """A function that `only_loading` would have to compile."""


_began = None  # when the compiling of a function and all that it calls began
_spent = 0.0  # seconds that this process compiled before
_may_compile = True  # these three change under numba's own lock only, which one thread has at a time


@contextmanager
def only_loading() -> Iterator[None]:
    """What has to be compiled within raises NotCompiled instead."""
    global _may_compile
    before, _may_compile = _may_compile, False
    try:
        yield
    finally:
        _may_compile = before


@contextmanager
def _our_turn(kept: _Kept, is_there: Callable[[], bool]) -> Iterator[None]:
    """Load or compile a function, the latter one process at a time."""
    global _began, _spent
    if _began is not None:  # for a caller of it that is being compiled
        _report("compiling", _spent + time.monotonic() - _began)
        yield
        return
    if not (_may_compile or is_there()):
        raise NotCompiled
    with nullcontext() if not kept.is_on or is_there() else _lock(is_there):
        _began, loads = time.monotonic(), kept.loads
        try:
            yield
        finally:
            seconds, _began = time.monotonic() - _began, None
            if kept.loads == loads:
                _spent += seconds
                _report("compiling", _spent)


def _lock(is_there: Callable[[], bool]) -> AbstractContextManager:
    """Wait until no other process compiles, or one has compiled what we want. Returns what holds the lock until it
    closes.
    """
    began = time.monotonic()

    def is_there_now() -> bool:
        _report("waiting", time.monotonic() - began)
        return is_there()

    try:  # a lock of our own for each time: nothing of it is left to threads and forks
        return filelock.FileLock(cache_folder() / "lock").acquire(PATIENCE, PAUSE, cancel_check=is_there_now)
    except (OSError, NotImplementedError):  # out of patience, or there, or a folder without locks
        return nullcontext()


# a process forked while another thread compiles would wait for it for ever
if hasattr(os, "register_at_fork") and not _trouble:
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
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
            place = kept_nowhere()
            line = (
                f"compiling once, about a minute, kept in {cache_folder()}"
                if place is None
                else (f"compiling, about a minute, kept nowhere: {place}")
            )
        with suppress(AttributeError, OSError, ValueError):  # nobody to tell: standard error is none, broken or closed
            sys.stderr.write(f"carc_env: {line}\n")
            sys.stderr.flush()


# --- the decorator ----------------------------------------------------------------------------------------------------
def jit(function=None, *, inline=False, absent=NOTHING):
    """Compile `function` with numba, kept in `cache_folder()`; other users of numba keep their own cache folder.

    `inline` puts it into all its callers, whatever its length: for one that is called so often that the calls
    themselves count. `absent` is what it returns for games that know nothing of its box (`state.RARE`): of their code
    it is all that there is of it.
    """
    if function is None:
        return functools.partial(jit, inline=inline, absent=absent)
    function.inline = inline
    dispatcher, kept = _dispatcher(function)
    if is_compiled():
        _dispatchers.append((dispatcher, kept))
        if absent is not NOTHING:
            dispatcher.compile = _or_absent(
                dispatcher, _returning(repr(absent), len(inspect.signature(function).parameters))
            )
    return dispatcher


def _dispatcher(function):
    """What numba makes of a function, and what is kept of it, None where nothing is compiled."""
    global _trouble
    dispatcher, kept = njit(nogil=True, no_cfunc_wrapper=True, **linking.OPTIONS)(function), None
    if is_compiled():
        if not hasattr(dispatcher, "_cache"):
            _trouble = _trouble or f"numba {numba.__version__} is not what the cache was made for: no Dispatcher._cache"
        kept = dispatcher._cache = _Kept(function)
        dispatcher.compile = _in_turn(dispatcher, kept)
        dispatcher.add_overload = functools.partial(linking.add_overload, dispatcher)
        dispatcher.get_call_template = _with_wide_integers(dispatcher.get_call_template)
    return dispatcher, kept


def _with_wide_integers(get_call_template):
    """The method by which compiled code finds a function: it passes narrow integers and constants as int64, so that not
    each has code of its own.
    """

    def wide(kind):
        kind = numba.types.unliteral(kind)
        return numba.types.int64 if isinstance(kind, numba.types.Integer) and kind.bitwidth < 64 else kind

    def get_wide_call_template(arguments, named):
        return get_call_template(tuple(map(wide, arguments)), {name: wide(kind) for name, kind in named.items()})

    return get_wide_call_template


def _in_turn(dispatcher, kept: _Kept):
    """The method `compile` of a function, for one process at a time unless what it is to make is kept."""
    compile_or_load = dispatcher.compile

    def compile_in_turn(signature):
        with (
            global_compiler_lock,
            linking.making(dispatcher, signature, part=_began is not None),
            _our_turn(kept, lambda: kept.has(signature, dispatcher.targetctx)),
        ):
            return compile_or_load(signature)

    return compile_in_turn


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
        overload(function)(choose)


# --- games that know nothing of a box ---------------------------------------------------------------------------------
def know_as_common(dtype: np.dtype) -> None:
    """Let records of this dtype be games that know nothing of the boxes whose functions say what they return then
    (`absent`).
    """
    if is_compiled():
        _common.add(numba.from_dtype(dtype))


@functools.cache
def _returning(value: str, n_arguments: int):
    """What numba makes of a function of so many arguments that returns this and does nothing else."""
    return _dispatcher(eval(f"lambda {', '.join(f'a{k}' for k in range(n_arguments))}: {value}"))[0]


def _or_absent(dispatcher, absent):
    """The method `compile` of a function: for games that know nothing of its box `absent` takes its place."""
    compile_function = dispatcher.compile

    def compile_or_replace(signature):
        arguments = tuple(normalize_signature(signature)[0])
        if _common.isdisjoint(arguments):
            return compile_function(signature)
        with global_compiler_lock:
            entry_point = absent.compile(signature)
            if dispatcher.overloads.get(arguments) is not absent.overloads[arguments]:
                dispatcher.add_overload(absent.overloads[arguments])
        return entry_point

    return compile_or_replace


# --- counting ---------------------------------------------------------------------------------------------------------
def functions() -> int:
    """How many functions can be compiled, of all modules that were imported."""
    return len(_dispatchers)


def loaded() -> tuple[int, int]:
    """How many functions, and how many signatures of them, this process has loaded from the cache."""
    return _count([kept.loads for _, kept in _dispatchers])


def compiled() -> tuple[int, int]:
    """How many functions, and how many signatures of them, this process has compiled for Python, with all that they
    call.
    """
    return _count([linking.wholes(dispatcher) - kept.loads for dispatcher, kept in _dispatchers])


def at_hand() -> int:
    """How many functions this process has, for Python or as part of others."""
    return sum(bool(dispatcher.overloads) for dispatcher, _ in _dispatchers)


def cached() -> tuple[int, int]:
    """How many functions that Python calls, and how many signatures of them, the cache has."""
    folder = cache_folder() if is_compiled() else None
    paths = folder.rglob("*.nbc") if folder else []
    return _count(list(Counter((path.parent, path.name.rsplit(".", 2)[0]) for path in paths).values()))


def _count(signatures: list[int]) -> tuple[int, int]:
    return sum(map(bool, signatures)), sum(signatures)
