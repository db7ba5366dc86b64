"""Read TOML with `tomllib` of the standard library. Before Python 3.11, the package `tomli` is used instead."""

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["TOMLDecodeError", "loads"]


class TOMLDecodeError(ValueError):
    """Raised for any text that is not valid TOML."""


def loads(text: str) -> dict[str, Any]:
    """Return the content of a TOML text as a dict. Raises TOMLDecodeError for any invalid text."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TOMLDecodeError("the brackets are nested too deeply") from None
    except ValueError as error:  # also raised for a number with too many digits, or for a date that does not exist
        raise TOMLDecodeError(str(error)) from None
