"""What a search has found, as bots tell it."""

import math

from carc_env.bots.bot import Worth
from carc_env.searching.halving import Found


def worths(found: Found) -> list[Worth]:
    """The answers that a search has looked at, best first. An error of 0 or infinity is none that is known."""
    rows = zip(found.answers.tolist(), found.values.tolist(), found.errors.tolist())
    return [
        Worth(answer, round(value, 3), round(error, 3) if 0 < error < math.inf else None)
        for answer, value, error in rows
    ]
