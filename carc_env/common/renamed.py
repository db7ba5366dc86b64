"""Old names of the public API: they work for one more version, with a DeprecationWarning that names the new one."""

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

GONE = "0.3"  # the version without the old names


def warn_of(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn the caller's caller that a name is old."""
    warnings.warn(f"{old} is now {new}; version {GONE} removes the old name", DeprecationWarning, stacklevel)


def old_names(module: str, new_of: Mapping[str, str]) -> Callable[[str], Any]:
    """The function `__getattr__` of a module (PEP 562) that has renamed some of its names."""

    def getattr_of_module(name: str) -> Any:
        if name not in new_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_of(f"{module}.{name}", new_of[name])
        return getattr(sys.modules[module], new_of[name])

    return getattr_of_module


class OldName:
    """The old name of a method, a property or a field of a class."""

    def __init__(self, old: str, new: str):
        self._old, self._new = old, new

    def __get__(self, instance: Any, owner: type) -> Any:
        warn_of(f"{owner.__name__}.{self._old}", f"{owner.__name__}.{self._new}")
        return getattr(owner if instance is None else instance, self._new)
