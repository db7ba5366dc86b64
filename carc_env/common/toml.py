"""TOML reading: the standard library's `tomllib`, or `tomli`, the same code, before Python 3.11."""

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["TOMLDecodeError", "loads"]


class TOMLDecodeError(ValueError):
    """A text is no TOML, for whatever reason."""


def loads(text: str) -> dict[str, Any]:
    """The table that a text of TOML describes. Raises TOMLDecodeError, whatever is wrong with it."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TOMLDecodeError("brackets within brackets, too deep to be read") from None
    except ValueError as error:  # no TOML, a number of too many digits, a day that no month has
        raise TOMLDecodeError(str(error)) from None
