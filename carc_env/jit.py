"""The one decorator of all compiled code, and the place where compiled code is cached.

numba's own cache does not notice an edit in *another* file or a change of the bounds-checking switch. So our cache
folder is named after a hash of all that compiled code is made from and after the checking mode; an edit of such a file gives a
new, empty folder, an edit of any other none.

Nor is numba's cache made for several writers: two that save at once mix up its index. Ours has no index. Each signature of
a function has a file of its own, named after what it was compiled from, and appears there as a whole. A lock lets one
process compile at a time, so that the others find what it made. Where there is no such lock they all compile: that costs
time and nothing else.
"""

import functools
import hashlib
import os
import pickle
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from operator import itemgetter
from pathlib import Path

import numba
import numpy as np
from numba import njit
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
    _SourceFileBackedLocatorMixin,
)
from numba.core.compiler_lock import global_compiler_lock

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

PACKAGE = Path(__file__).parent
IMPORT = re.compile(r"^from (carc_env[.\w]*) import ([^(\n]+|\([^)]*\))|^import (carc_env[.\w]+)", re.MULTILINE)
PATIENCE = 300  # seconds to wait for another process that compiles; then do it ourselves
PAUSE = 0.02  # seconds between two looks

_dispatchers = []  # what `jit` has made of each function


@functools.cache
def compiled_sources() -> tuple[Path, ...]:
    """What compiled code is made from: modules with compiled functions, what they import, and the tiles their constants count."""
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    todo, found = [path for path, text in texts.items() if "\n@jit\n" in text], set()
    while todo:
        path = todo.pop()
        if path in texts and path not in found:
            found.add(path)
            todo += [module for match in IMPORT.finditer(texts[path]) for module in _modules(*match.groups())]
    return tuple(sorted(found | set((PACKAGE / "data").glob("*.toml"))))


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
        digest.update(f"{path.relative_to(PACKAGE)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def checking_mode() -> str:
    """`plain`, or `checked` when numba tests array bounds (NUMBA_BOUNDSCHECK=1)."""
    return "checked" if numba.config.BOUNDSCHECK else "plain"


def is_compiled() -> bool:
    """False when the compiler is switched off (NUMBA_DISABLE_JIT=1) and the rules run as plain Python."""
    return not numba.config.DISABLE_JIT


def record_type(names: Sequence[str]) -> type:
    """The type of one record with these fields: np.record, and without the compiler one that finds them four times as fast."""
    if is_compiled():
        return np.record

    def field(name: str) -> property:
        return property(itemgetter(name), lambda self, value: self.__setitem__(name, value))

    plain = {name: getattr(np.void, name) for name in ("__getattribute__", "__setattr__", "__getitem__")}
    return type("record", (np.record,), plain | {name: field(name) for name in names})


# --- where ------------------------------------------------------------------------------------------------------------
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
    bases = [os.environ.get("CARC_ENV_CACHE_DIR"), os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "carc_env")]
    bases = [os.path.expanduser(base) for base in bases if base]
    folders = [Path(base).absolute() / f"{source_hash()}-{checking_mode()}" for base in bases if base[0] != "~"]  # "~": no home
    return next(filter(_writable, folders), None) or next(filter(Path.is_dir, folders), None)


def other_folders() -> list[Path]:
    """The folders beside ours: of other sources (older ones, for most), of another Python or numba."""
    ours = cache_folder()
    pattern = re.compile(r"[0-9a-f]{16}-(plain|checked)")
    return [] if ours is None else sorted(
        folder for folder in ours.parent.iterdir()
        if pattern.fullmatch(folder.name) and not folder.name.startswith(source_hash()) and folder.is_dir())


# --- the cache --------------------------------------------------------------------------------------------------------
class _Place(_SourceFileBackedLocatorMixin, _CacheLocator):
    """`cache_folder()`, with a folder in it for each folder of sources.

    Our own sources are known by their hash, so that two installations of the same ones share what either compiled.
    """

    def __init__(self, function: Callable, file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._is_ours = Path(file).is_relative_to(PACKAGE)

    def get_cache_path(self) -> str:
        folder = Path(self._py_file).parent
        return os.path.join(cache_folder(), folder.relative_to(PACKAGE.parent) if self._is_ours
                            else self.get_suitable_cache_subpath(self._py_file))

    def get_source_stamp(self) -> object:
        return source_hash() if self._is_ours else super().get_source_stamp()

    def ensure_cache_path(self) -> None:
        with suppress(OSError):
            os.makedirs(self.get_cache_path(), exist_ok=True)


class _Names(CompileResultCacheImpl):
    _locator_classes = [_Place]


class _Files(IndexDataCacheFile):
    """The files of one function. Each holds its key as well, so that a name that fits by chance does no harm."""

    def name(self, key: tuple) -> str:
        digest = hashlib.sha256(repr((self._source_stamp, key)).encode()).hexdigest()
        return self._data_name(int(digest[:12], 16))

    def has(self, key: tuple) -> bool:
        return os.path.exists(self._data_path(self.name(key)))

    def save(self, key: tuple, data: tuple) -> None:
        self._save_data(self.name(key), (key, data))

    def load(self, key: tuple) -> tuple | None:
        try:
            saved, data = self._load_data(self.name(key))
        except (EOFError, pickle.UnpicklingError):  # cut short when the machine went down
            return None
        return data if saved == key else None


class _Cache(FunctionCache):
    """The cache of one function. What cannot be read is compiled, what cannot be written is not kept."""

    _impl_class = _Names

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def has(self, signature: tuple, target: object) -> bool:
        return self._cache_file.has(self._index_key(signature, target.codegen()))

    def _guard_against_spurious_io_errors(self) -> AbstractContextManager:
        return suppress(OSError)


# --- one process at a time --------------------------------------------------------------------------------------------
_is_our_turn = False  # changed under numba's own lock only, which one thread has at a time


@contextmanager
def _our_turn(is_there: Callable[[], bool]) -> Iterator[None]:
    global _is_our_turn
    with nullcontext() if _is_our_turn or is_there() else _wait(is_there):
        before, _is_our_turn = _is_our_turn, True
        try:
            yield
        finally:
            _is_our_turn = before


def _wait(is_there: Callable[[], bool]) -> AbstractContextManager:
    """Wait until no other process compiles, or one has compiled what we want. Returns what holds the lock until it closes."""
    try:
        lock = open(cache_folder() / "lock", "ab")
    except OSError:
        return nullcontext()
    until = time.monotonic() + PATIENCE
    while fcntl and not is_there() and time.monotonic() < until:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            time.sleep(PAUSE)
        except OSError:  # a file system without locks
            break
    return lock


if hasattr(os, "register_at_fork"):  # a process forked while another thread compiles would wait for that thread for ever
    os.register_at_fork(before=global_compiler_lock.acquire, after_in_parent=global_compiler_lock.release,
                        after_in_child=global_compiler_lock.release)


# --- the decorator ----------------------------------------------------------------------------------------------------
def jit(function):
    """Compile `function` with numba, cached in `cache_folder()`; other users of numba keep their own cache folder."""
    dispatcher = njit(nogil=True, no_cfunc_wrapper=True)(function)
    if is_compiled():
        _dispatchers.append(dispatcher)
        if cache_folder():
            dispatcher._cache = _Cache(function)
            dispatcher.compile = _in_turn(dispatcher)
    return dispatcher


def _in_turn(dispatcher):
    """The method `compile` of a function, for one process at a time unless the cache has what it is to make."""
    compile_or_load = dispatcher.compile

    def compile_in_turn(signature):
        with global_compiler_lock, _our_turn(lambda: dispatcher._cache.has(signature, dispatcher.targetctx)):
            return compile_or_load(signature)

    return compile_in_turn


def loaded() -> tuple[int, int]:
    """How many functions, and how many signatures of them, this process has loaded from the cache."""
    return _count([len(dispatcher.stats.cache_hits) for dispatcher in _dispatchers])


def compiled() -> tuple[int, int]:
    """How many functions, and how many signatures of them, this process has compiled."""
    return _count([len(dispatcher.stats.cache_misses) for dispatcher in _dispatchers])


def cached() -> tuple[int, int]:
    """How many functions, and how many signatures of them, the cache has."""
    folder = cache_folder() if is_compiled() else None
    paths = folder.rglob("*.nbc") if folder else []
    return _count(list(Counter((path.parent, path.name.rsplit(".", 2)[0]) for path in paths).values()))


def _count(signatures: list[int]) -> tuple[int, int]:
    return sum(map(bool, signatures)), sum(signatures)
