"""A cache of compiled code on disk.

numba's own cache checks only the source file of the cached function. If the cached function calls functions in other
files, numba's cache does not detect edits in those files. Numba's cache also does not distinguish code with bounds
checks from code without bounds checks. Therefore the name of carc_env's cache folder contains a hash of all sources of
compiled code. The name of the folder also tells whether the code checks array bounds. If one of the sources is edited,
carc_env uses a new, empty cache folder. Editing a file that is not in `compiled_sources` has no effect on the cache.

Two processes that save to numba's own cache at the same time can damage the index file of this cache. Unlike numba's
cache, carc_env's cache has no index file. A compiled function that is called from Python has one cache file for each of
its signatures. The cache file contains this function and all functions that it calls (see `linking`). The name of the
cache file contains a hash of the source and the signature. Cache files are written atomically.

The cache uses private features of numba (see `private`). If the installed numba lacks one of the private features, the
cache stores nothing, but everything else works.
"""

import functools
import hashlib
import os
import pickle
import re
import sys
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numba
import platformdirs

from carc_env.compiling import private

PACKAGE = Path(__file__).parents[1]
IMPORT = re.compile(r"^from (carc_env[.\w]*) import ([^(\n]+|\([^)]*\))|^import (carc_env[.\w]+)", re.MULTILINE)
COMPILED = re.compile(r"^@jit\b", re.MULTILINE)  # the decorator of a compiled function

_trouble = private.no_cache  # the reason why the cache does not work with this numba


# --- the sources ------------------------------------------------------------------------------------------------------
@functools.cache
def compiled_sources() -> tuple[Path, ...]:
    """Return the paths of all sources of compiled code.

    The sources are the modules with compiled functions, the modules that they import, and the tile files. Compiled
    constants depend on the number of tiles, so the tile files are included.
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
    """Return the files to which an import statement can refer.

    The import statement `from a import b` can refer to the files of `a` and of `a.b`.
    """
    parts = [module] if module else [package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))]
    return [file for part in parts for file in _files(PACKAGE, part)]


@functools.cache
def _files(folder: Path, module: str) -> tuple[Path, ...]:
    """Return the possible paths of a module's source file. `folder` is the folder of the package."""
    path = os.path.join(folder, *module.split(".")[1:])
    return () if module == "carc_env" else (Path(f"{path}.py"), Path(path, "__init__.py"))


@functools.cache
def source_hash() -> str:
    """Return a hash that covers the Python version, the numba version and all sources of compiled code."""
    digest = hashlib.sha256(f"{sys.version_info[:3]} {numba.__version__}".encode())
    for path in compiled_sources():
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def checking_mode() -> str:
    """Return "checked" if numba checks array bounds (NUMBA_BOUNDSCHECK=1), and otherwise "plain"."""
    return "checked" if numba.config.BOUNDSCHECK else "plain"


# --- the folder -------------------------------------------------------------------------------------------------------
def _bases() -> list[Path]:
    """Return the folders in which carc_env can create its cache folder.

    The first folder is $CARC_ENV_CACHE_DIR, if this variable is set. The second folder is the user's cache
    folder for carc_env on this operating system, such as ~/.cache/carc_env.
    """
    bases = [os.environ.get("CARC_ENV_CACHE_DIR")]
    with suppress(RuntimeError):  # raised for a user without a home directory
        bases.append(platformdirs.user_cache_dir("carc_env", appauthor=False))
    bases = [os.path.expanduser(base) for base in bases if base]
    return [Path(base).absolute() for base in bases if base[0] != "~"]  # a "~" remains if there is no home directory


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def cache_folder() -> Path | None:
    """Return the cache folder for compiled code, or None if there is no such folder.

    The cache folder lies in the first writable folder of `_bases()`. If none of these folders is writable, carc_env
    looks for an existing cache folder in them. In this case, carc_env loads code from the existing cache folder, but
    cannot store code there. Without a cache folder, each process compiles the code for itself.
    """
    folders = [base / f"{source_hash()}-{checking_mode()}" for base in _bases()]
    return next(filter(_writable, folders), None) or next(filter(Path.is_dir, folders), None)


def kept_nowhere() -> str | None:
    """Return the reason why compiled code is not stored for later processes, or None if it is stored."""
    if _trouble or (cache_folder() and _writable(cache_folder())):
        return _trouble
    return "no cache folder is writable (CARC_ENV_CACHE_DIR can name another one)"


def other_folders() -> list[Path]:
    """Return the cache folders that belong to other versions of the sources, of Python or of numba."""
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
class Kept:
    """The cache of one function, with the methods that numba requires of a cache.

    The cache key of a function in carc_env contains a hash of all sources. Therefore two installations with the same
    sources share compiled code. Each cache file also contains its full key, so a collision of file names does no harm.
    """

    def __init__(self, function: Callable) -> None:
        code, self.loads, self.cache_path = function.__code__, 0, None
        file = Path(code.co_filename)
        is_ours = file.is_relative_to(PACKAGE)
        with _attempt():  # fails if the function has no source file, for example in an interactive session
            made_from = source_hash() if is_ours else _digest(file.read_bytes())
            self._made_from = made_from, _digest(code.co_code)
            self._name = re.sub("[<>]", "", function.__qualname__) + f"-{code.co_firstlineno}"
            if cache_folder() and function.__closure__ is None:
                self.cache_path = cache_folder() / (
                    file.relative_to(PACKAGE.parent).with_suffix("")
                    if is_ours
                    else f"{file.stem}_{_digest(str(file).encode())}"
                )

    def serve(self, dispatcher: object) -> None:
        """Make a numba dispatcher use this cache.

        Before numba compiles a function for calls from Python, numba looks for the code in this cache. After compiling,
        numba saves the code in this cache.
        """
        global _trouble
        if not hasattr(dispatcher, "_cache"):
            _trouble = _trouble or f"numba {numba.__version__} is not what the cache was made for: no Dispatcher._cache"
        dispatcher._cache = self

    @property
    def is_on(self) -> bool:
        """True if the compiled code of the function can be stored."""
        return self.cache_path is not None and not _trouble

    def _entry(self, signature: tuple, codegen: object) -> tuple[tuple, Path]:
        key = self._made_from, signature, codegen.magic_tuple()
        return key, self.cache_path / f"{self._name}.{_digest(repr(key).encode())}.nbc"

    def has(self, signature: tuple, target: object) -> bool:
        """Return True if the code for a signature is stored."""
        if self.is_on:
            with _attempt():
                return self._entry(signature, target.codegen())[1].exists()
        return False

    def load_overload(self, signature: tuple, target: object) -> object | None:
        """Return the stored code for a signature, or None if there is none."""
        if self.is_on:
            with _attempt():
                target.refresh()
                key, path = self._entry(signature, target.codegen())
                saved, parts = pickle.loads(path.read_bytes())
                if saved == key:
                    result = private.CompileResult._rebuild(target, *parts)
                    self.loads += 1
                    return result
        return None

    def save_overload(self, signature: tuple, result: object) -> None:
        """Store the code for a signature."""
        if self.is_on:
            with _attempt():
                if result.library.has_dynamic_globals:
                    warnings.warn(
                        f"{self._name} is not stored: it uses an object whose address differs in every process",
                        numba.NumbaWarning,
                        stacklevel=2,
                    )
                    return
                if not _is_named_by_content(result):
                    raise AttributeError(
                        "the name of a compiled function lacks the hashes of its arguments' record types"
                    )
                key, path = self._entry(signature, result.codegen)
                data, part = private.dumps((key, result._reduce())), path.with_suffix(f".{uuid.uuid4().hex}")
                path.parent.mkdir(parents=True, exist_ok=True)
                try:
                    part.write_bytes(data)
                    part.replace(path)
                finally:
                    part.unlink(missing_ok=True)


def kind_of(signature: tuple) -> str:
    """Return a short name for the type of the game states in a function's signature.

    A function that uses game states has them as its first argument. The short name consists of a hyphen and a hash. The
    short name is empty if the first argument is neither a record nor an array of records.
    """
    kind = getattr(signature[0], "dtype", signature[0]) if signature else None
    return f"-{_digest(kind.name.encode())}" if isinstance(kind, numba.types.Record) else ""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


@contextmanager
def _attempt() -> Iterator[None]:
    """Return a context manager that suppresses errors of the cache.

    Code that cannot be read is compiled again. Code that cannot be written is not stored. If the installed numba lacks
    a private feature that the cache uses, nothing is stored.
    """
    global _trouble
    try:
        yield
    except (OSError, EOFError, pickle.UnpicklingError):  # EOFError, UnpicklingError: a crash has truncated the file
        pass
    except (AttributeError, ImportError, TypeError) as error:
        _trouble = f"numba {numba.__version__} is not what the cache was made for: {error}"


def _name_records_by_content() -> None:
    """Include a hash of the arguments' record types in the name of each compiled function.

    By default, the name of a compiled function contains an index for each record type. Each process assigns these
    indices separately. Therefore the same index can stand for one table size in one process, and for another table size
    in another process.

    Suppose that one process compiles a function for one table size, and another process compiles this function for a
    second table size. The two compiled functions could then have the same name. A third process that loads both
    functions could call the wrong function.
    """
    mangling = functools.cache(lambda name: ("Record", (_digest(name.encode()),)))
    numba.types.Record.mangling_args = property(lambda record: mangling(record.name))


_name_records_by_content()


def _is_named_by_content(result: object) -> bool:
    """Return True if the name of a compiled function contains a hash of each record type of its arguments."""
    kinds = [getattr(kind, "dtype", kind) for kind in result.signature.args]
    digests = [_digest(kind.name.encode()) for kind in kinds if isinstance(kind, numba.types.Record)]
    return all(digest in result.fndesc.mangled_name for digest in digests)
