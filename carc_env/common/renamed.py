"""Support for old names of the public API.

After a public name has changed, the old name works for one more version. Using an old name issues a DeprecationWarning
that gives the new name.
"""

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

GONE = "0.3"  # the version that removes the old names


def warn_of(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that a name has been replaced. The DeprecationWarning points to the code that uses the old name."""
    warnings.warn(f"{old} is now {new}; version {GONE} removes the old name", DeprecationWarning, stacklevel)


def old_names(module: str, new_of: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a function `__getattr__` (PEP 562) for a module in which some names have changed."""

    def getattr_of_module(name: str) -> Any:
        if name not in new_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_of(f"{module}.{name}", new_of[name])
        return getattr(sys.modules[module], new_of[name])

    return getattr_of_module


class OldName:
    """A descriptor for the old name of a method, a property or a field of a class."""

    def __init__(self, old: str, new: str):
        self._old, self._new = old, new

    def __get__(self, instance: Any, owner: type) -> Any:
        warn_of(f"{owner.__name__}.{self._old}", f"{owner.__name__}.{self._new}")
        return getattr(owner if instance is None else instance, self._new)
