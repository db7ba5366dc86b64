"""A sequential test of which of two players is better, by the margins of their pairs. You may look at it after any
pair.

If two players are equally strong, the margin of a pair is as likely x as -x. Then `exp(k * sum - k**2 * squares / 2)`
has a mean of at most 1 for every k, where `squares` is the sum of the squared margins (de la Peña 1999, "A general
class of exponential inequalities for martingales and ratios"). The evidence is the mean of this over a normal
distribution of k with variance `1 / scale`, as in Robbins 1970, "Statistical methods related to the law of the iterated
logarithm". The probability that it ever reaches `1 / error` is at most `error`, however often one looks (Ville's
inequality; Howard, Ramdas, McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence
sequences").

The test estimates no variance, so it is valid for few pairs and for margins that are not normal. The scale comes from
the sizes of the first margins, which do not depend on their signs. If two different players are equally strong, their
margins may be skewed, with mean 0. Then the test is only approximately valid, like the normal intervals of a match, and
improves with more pairs.
"""

import math
from collections.abc import Sequence

import numpy as np

from carc_env.common.arguments import brief, is_of
from carc_env.common.errors import ArgumentError

FIRST = 8  # pairs whose margins set the scale; the test decides nothing before. Best for a decision after some 70 pairs
LOOK = 4  # pairs from one look to the next
SMALLEST = 1.0  # squared points: the scale is no smaller, as the first margins may all be 0


def as_error(value: object) -> float:
    """Check a probability of error, which is between 0 and 1. Raises ArgumentError."""
    if not (is_of(value, (int, float)) and 0 < value < 1):  # type: ignore[operator]
        raise ArgumentError(f"until = {brief(value)}: should be a probability of error between 0 and 1, such as 0.05")
    return float(value)  # type: ignore[arg-type]


def evidence(margins: Sequence[float] | np.ndarray, centre: float = 0.0) -> float:
    """The logarithm of the evidence against a mean margin of `centre`.

    >>> evidence([5.0, -3.0] * 10) < 0 < math.log(1 / 0.05) < evidence([5.0, 3.0] * 10)
    True
    """
    away = np.asarray(margins, np.float64) - centre
    if len(away) < FIRST:
        return 0.0
    squares, scale = float(away @ away), max(float(away[:FIRST] @ away[:FIRST]), SMALLEST)
    return float(away.sum()) ** 2 / (2 * (squares + scale)) - math.log(1 + squares / scale) / 2


def better(margins: Sequence[float] | np.ndarray, error: float) -> str | None:
    """The better player by the margins of A over B: "a", "b", or None while that is undecided.

    >>> better([5.0, 3.0] * 10, 0.05), better([-5.0, -3.0] * 10, 0.05), better([5.0, -3.0] * 10, 0.05)
    ('a', 'b', None)
    """
    if evidence(margins) < math.log(1 / error):
        return None
    return "a" if sum(margins) > 0 else "b"


def interval(margins: Sequence[float] | np.ndarray, error: float) -> tuple[float, float] | None:
    """The mean margins that the evidence does not exclude.

    With probability 1 - error they contain the true mean margin at all looks together. None while nothing is excluded.

    >>> [round(end, 1) for end in interval([5.0, 3.0] * 10, 0.05)]
    [3.0, 5.0]
    """
    highest, count = math.log(1 / error), len(margins)
    if count < FIRST or count**2 / (2 * (count + FIRST)) - math.log(1 + count / FIRST) / 2 <= highest:
        return None  # this is what the evidence comes to far away from all margins
    return _end(margins, highest, -1), _end(margins, highest, 1)


def _end(margins: Sequence[float] | np.ndarray, highest: float, way: int) -> float:
    """The point on one side of the mean where the evidence reaches its limit."""
    middle = float(np.mean(margins))
    inside, outside = 0.0, 1.0
    while evidence(margins, middle + way * outside) < highest:
        inside, outside = outside, 2 * outside
    for _ in range(50):
        half = (inside + outside) / 2
        inside, outside = (half, outside) if evidence(margins, middle + way * half) < highest else (inside, half)
    return middle + way * outside
