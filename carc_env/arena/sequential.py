"""A test that may be looked at after every few pairs: which of two players is better, by the margins of their pairs.

Two players of equal strength can change names, so the margin of a pair is as likely x as -x. For such numbers
`exp(k * sum - k**2 * squares / 2)` has a mean of at most 1 for every k, where `squares` is the sum of their squares (de
la Peña 1999, "A general class of exponential inequalities for martingales and ratios"). The evidence is its mean over a
normal distribution of k with variance `1 / scale`, as in Robbins 1970, "Statistical methods related to the law of the
iterated logarithm". It reaches `1 / error` at some look with a probability of at most `error`, however often one looks
(Ville's inequality; Howard, Ramdas, McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence
sequences").

No variance is estimated, so the test holds for few pairs and for margins that are not normal. The scale comes from the
sizes of the first margins, which say nothing of their signs. Margins that are skewed, with a mean of 0, come from
players of different kinds; for them the test holds as the normal intervals of a match do, better with more pairs.
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
    """A probability of error, between 0 and 1. Raises ArgumentError."""
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
    """Who is better by the margins of A over B: "a", "b", or None while that is open.

    >>> better([5.0, 3.0] * 10, 0.05), better([-5.0, -3.0] * 10, 0.05), better([5.0, -3.0] * 10, 0.05)
    ('a', 'b', None)
    """
    if evidence(margins) < math.log(1 / error):
        return None
    return "a" if sum(margins) > 0 else "b"


def interval(margins: Sequence[float] | np.ndarray, error: float) -> tuple[float, float] | None:
    """The mean margins that the evidence does not speak against: they hold the true one at all looks together with a
    probability of 1 - error. None while they are all numbers.

    >>> [round(end, 1) for end in interval([5.0, 3.0] * 10, 0.05)]
    [3.0, 5.0]
    """
    highest, count = math.log(1 / error), len(margins)
    if count < FIRST or count**2 / (2 * (count + FIRST)) - math.log(1 + count / FIRST) / 2 <= highest:
        return None  # this is what the evidence comes to far away from all margins
    return _end(margins, highest, -1), _end(margins, highest, 1)


def _end(margins: Sequence[float] | np.ndarray, highest: float, way: int) -> float:
    """Where the evidence reaches its highest value, on one side of the mean."""
    middle = float(np.mean(margins))
    inside, outside = 0.0, 1.0
    while evidence(margins, middle + way * outside) < highest:
        inside, outside = outside, 2 * outside
    for _ in range(50):
        half = (inside + outside) / 2
        inside, outside = (half, outside) if evidence(margins, middle + way * half) < highest else (inside, half)
    return middle + way * outside
