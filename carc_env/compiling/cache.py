"""The cache of compiled code.

numba's own cache does not notice an edit in *another* file, or a change of the switch for bounds checking. So the name
of our cache folder contains a hash of all sources of compiled code, and the checking mode. An edit of such a source
leads to a new, empty folder; an edit of any other file changes nothing.

numba's cache is also not made for several writers: two processes that save at the same time can damage its index. Our
cache has no index. Each signature of a function that Python calls has its own file, which also contains everything that
the function calls (`linking`). The file is named after what it was compiled from, and appears in one atomic step.

A cache needs names that numba does not promise to keep (`private`). If one of them is missing, nothing is stored, and
everything else works.
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
COMPILED = re.compile(r"^@jit\b", re.MULTILINE)  # the mark of a module with compiled functions

_trouble = private.no_cache  # the reason why this numba gives us no cache


# --- the sources ------------------------------------------------------------------------------------------------------
@functools.cache
def compiled_sources() -> tuple[Path, ...]:
    """The sources of compiled code: modules with compiled functions, the modules that they import, and the tiles,
    because constants count them.
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
    """The files that an import can refer to: the module itself and modules in it."""
    parts = [module] if module else [package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))]
    paths = [PACKAGE.joinpath(*part.split(".")[1:]) for part in parts if part != "carc_env"]
    return [file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py")]


@functools.cache
def source_hash() -> str:
    """A hash of all sources of compiled code and of the versions of Python and numba."""
    digest = hashlib.sha256(f"{sys.version_info[:3]} {numba.__version__}".encode())
    for path in compiled_sources():
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def checking_mode() -> str:
    """`plain`, or `checked` if numba checks array bounds (NUMBA_BOUNDSCHECK=1)."""
    return "checked" if numba.config.BOUNDSCHECK else "plain"


# --- the folder -------------------------------------------------------------------------------------------------------
def _bases() -> list[Path]:
    """The folders that may contain our folder: that of $CARC_ENV_CACHE_DIR, then the user's cache folder."""
    bases = [os.environ.get("CARC_ENV_CACHE_DIR")]
    with suppress(RuntimeError):  # a user without a home directory
        bases.append(platformdirs.user_cache_dir("carc_env", appauthor=False))
    bases = [os.path.expanduser(base) for base in bases if base]
    return [Path(base).absolute() for base in bases if base[0] != "~"]  # "~": again no home directory


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def cache_folder() -> Path | None:
    """The folder of compiled code: in $CARC_ENV_CACHE_DIR, or else in the user's cache folder.

    If neither can be written, an existing one is read. None means that each process compiles for itself.
    """
    folders = [base / f"{source_hash()}-{checking_mode()}" for base in _bases()]
    return next(filter(_writable, folders), None) or next(filter(Path.is_dir, folders), None)


def kept_nowhere() -> str | None:
    """The reason why compiled code is not stored for later processes, or None if it is stored."""
    if _trouble or (cache_folder() and _writable(cache_folder())):
        return _trouble
    return "no folder can be written (CARC_ENV_CACHE_DIR names one)"


def other_folders() -> list[Path]:
    """The other cache folders next to this one: for other versions of the sources, mostly older ones, and for other
    versions of Python or numba.
    """
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
    """The stored code of one function, in the form that numba expects of a cache.

    Our own sources are identified by their hash, so that two installations with the same sources share compiled code.
    Each file also contains its key, so a file name that matches by chance does no harm.
    """

    def __init__(self, function: Callable) -> None:
        code, self.loads, self.cache_path = function.__code__, 0, None
        file = Path(code.co_filename)
        is_ours = file.is_relative_to(PACKAGE)
        with _attempt():  # no such file: the function was typed in by hand
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
        """Become the cache of a dispatcher: numba asks it before compiling the function for Python, and gives it the
        result.
        """
        global _trouble
        if not hasattr(dispatcher, "_cache"):
            _trouble = _trouble or f"numba {numba.__version__} is not what the cache was made for: no Dispatcher._cache"
        dispatcher._cache = self

    @property
    def is_on(self) -> bool:
        """True if there is a place to store code."""
        return self.cache_path is not None and not _trouble

    def _entry(self, signature: tuple, codegen: object) -> tuple[tuple, Path]:
        key = self._made_from, signature, codegen.magic_tuple()
        return key, self.cache_path / f"{self._name}.{_digest(repr(key).encode())}.nbc"

    def has(self, signature: tuple, target: object) -> bool:
        """True if the code for a signature is stored."""
        if self.is_on:
            with _attempt():
                return self._entry(signature, target.codegen())[1].exists()
        return False

    def load_overload(self, signature: tuple, target: object) -> object | None:
        """The stored code for a signature, or None."""
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
                        f"{self._name} uses what has another address in every process: not kept",
                        numba.NumbaWarning,
                        stacklevel=2,
                    )
                    return
                if not _is_named_by_content(result):
                    raise AttributeError("records are named in another way")
                key, path = self._entry(signature, result.codegen)
                data, part = private.dumps((key, result._reduce())), path.with_suffix(f".{uuid.uuid4().hex}")
                path.parent.mkdir(parents=True, exist_ok=True)
                try:
                    part.write_bytes(data)
                    part.replace(path)
                finally:
                    part.unlink(missing_ok=True)


def kind_of(signature: tuple) -> str:
    """A name for the kind of games for which a function with these types of arguments is compiled. The games are the
    first argument; the name is empty if it is something else.
    """
    kind = getattr(signature[0], "dtype", signature[0]) if signature else None
    return f"-{_digest(kind.name.encode())}" if isinstance(kind, numba.types.Record) else ""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


@contextmanager
def _attempt() -> Iterator[None]:
    """Handle errors of the cache: unreadable code is compiled again, code that cannot be written is not stored, and
    with a numba that lacks what we use nothing is stored.
    """
    global _trouble
    try:
        yield
    except (OSError, EOFError, pickle.UnpicklingError):  # the last two: the file was cut short by a crash
        pass
    except (AttributeError, ImportError, TypeError) as error:
        _trouble = f"numba {numba.__version__} is not what the cache was made for: {error}"


def _name_records_by_content() -> None:
    """Let machine code name records by their content.

    numba names them by a counter of the process. In a process that loads code from two others, games on tables of two
    sizes could have the same number, and a function for one size would call functions for the other.
    """
    mangling = functools.cache(lambda name: ("Record", (_digest(name.encode()),)))
    numba.types.Record.mangling_args = property(lambda record: mangling(record.name))


_name_records_by_content()


def _is_named_by_content(result: object) -> bool:
    """True if the name of a function in machine code contains the content of its record arguments."""
    kinds = [getattr(kind, "dtype", kind) for kind in result.signature.args]
    digests = [_digest(kind.name.encode()) for kind in kinds if isinstance(kind, numba.types.Record)]
    return all(digest in result.fndesc.mangled_name for digest in digests)
