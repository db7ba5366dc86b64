"""Options in the spec of a bot, such as `rollout:playouts=200,threads=2`."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from carc_env.common.arguments import brief
from carc_env.common.errors import BotError


class Option(NamedTuple):
    """Defines the valid values of an option: a range of whole numbers, a range of real numbers, or the strings in
    `words`.
    """

    kind: type  # int, float or str
    least: float = 0
    most: float = 2**31
    words: tuple[str, ...] = ()

    def read(self, text: str) -> Any:
        """Parse the value of the option. Return None if the text is not a valid value."""
        if self.kind is str:
            return text if text in self.words else None
        try:
            value = self.kind(text)
        except ValueError:
            return None
        # the range is checked first, because math.isfinite fails for a very large int
        return value if self.least <= value <= self.most and math.isfinite(value) else None

    def __str__(self) -> str:
        if self.kind is str:
            return " or ".join(self.words)
        what = "a whole number" if self.kind is int else "a number"
        return f"{what} from {self.least:g} to {self.most:g}"


def read_options(spec: str, known: Mapping[str, Option]) -> dict[str, Any]:
    """Parse the options in the spec of a bot, and return their values by name. Raises BotError for an unknown, repeated
    or invalid option.

    >>> read_options("rollout:playouts=200", {"playouts": Option(int, 1)})
    {'playouts': 200}
    """
    name, _, text = spec.partition(":")
    options: dict[str, Any] = {}
    for part in text.split(",") if text else ():
        key, found, value = part.partition("=")
        if not found or key not in known:
            raise BotError(
                f"bot {brief(spec)}: {brief(part)} is not a valid option of {name}. "
                f"Its options are {', '.join(known)}=..."
            )
        if key in options:
            raise BotError(f"bot {brief(spec)}: {key} is given twice")
        options[key] = known[key].read(value)
        if options[key] is None:
            raise BotError(f"bot {brief(spec)}: {key} = {brief(value)} should be {known[key]}")
    return options
