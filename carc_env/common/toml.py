"""Reading TOML with the standard library's `tomllib`, or with `tomli`, which is the same code, before Python 3.11."""

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["TOMLDecodeError", "loads"]


class TOMLDecodeError(ValueError):
    """A text that is not valid TOML, for any reason."""


def loads(text: str) -> dict[str, Any]:
    """The table described by a TOML text. Raises TOMLDecodeError for any invalid text."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TOMLDecodeError("brackets within brackets, too deep to be read") from None
    except ValueError as error:  # invalid TOML, a number with too many digits, or a date that does not exist
        raise TOMLDecodeError(str(error)) from None
