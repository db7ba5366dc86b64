"""The one decorator of all compiled code, and the place where compiled code is cached.

numba's own cache does not notice an edit in *another* file or a change of the bounds-checking switch. So our cache
folder is named after a hash of every source file that can reach compiled code and after the checking mode; an edit
anywhere gives a new, empty folder.
"""

import functools
import hashlib
import os
import sys
import tempfile
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path

import numba
import numpy as np
from numba import njit

PACKAGE = Path(__file__).parent
NOT_COMPILED = ("render", "web", "envs", "cli.py", "gpu.py", "__main__.py")  # sources that no compiled function uses


def source_hash() -> str:
    """Hash of all sources that compiled code is made from, with the versions of Python and numba."""
    digest = hashlib.sha256(f"{sys.version_info[:3]} {numba.__version__}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE)
        if name.parts[0] not in NOT_COMPILED:
            digest.update(f"{name}\n".encode() + path.read_bytes())
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


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def cache_folder() -> Path:
    """Where compiled code is kept: $CARC_ENV_CACHE_DIR, else the user's cache folder, else a temporary one."""
    name = f"{source_hash()}-{checking_mode()}"
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    for base in (os.environ.get("CARC_ENV_CACHE_DIR"), Path(user) / "carc_env"):
        if base and _writable(Path(base) / name):
            return Path(base) / name
    return Path(tempfile.mkdtemp(prefix="carc_env-"))


def jit(function):
    """Compile `function` with numba, cached in `cache_folder()`; other users of numba keep their own cache folder."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder()) if is_compiled() else before
    try:
        return njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)
    finally:
        numba.config.CACHE_DIR = before
