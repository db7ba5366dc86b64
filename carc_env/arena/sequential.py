"""Implements a sequential test that finds the better of two players. The test uses the margins of the pairs of games
between the two players. The test may be applied after any pair of games.

Assume that the margins of two equally strong players are symmetric: a margin of x in a pair is as likely as a margin of
-x. Let `sum` be the sum of the margins, and let `squares` be the sum of their squares. Under the assumption,
`exp(k * sum - k**2 * squares / 2)` has a mean of at most 1 for every k (de la Peña 1999, "A general class of
exponential inequalities for martingales and ratios"). The evidence is the mean of `exp(k * sum - k**2 * squares / 2)`
over a normal distribution of k. The normal distribution has mean 0 and variance `1 / scale`, as in Robbins 1970,
"Statistical methods related to the law of the iterated logarithm". Under the assumption, the probability that the
evidence ever reaches `1 / error` is at most `error`. This bound holds no matter how often the evidence is checked
(Ville's inequality; Howard, Ramdas, McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence
sequences").

The test does not estimate a variance. It is therefore valid even for few pairs, and even if the margins are not
normally distributed. The scale is computed from the margins of the first pairs of games, as the sum of the squares of
these margins. The scale therefore does not depend on the signs of the margins. Two different players can have skewed
margins even if their mean margin is 0. For skewed margins, the test is only approximately valid. A match also reports
confidence intervals that assume normally distributed margins. For skewed margins, these confidence intervals are only
approximately valid. The approximation improves as the number of pairs grows.
"""

import math
from collections.abc import Sequence

import numpy as np

from carc_env.common.arguments import brief, is_of
from carc_env.common.errors import ArgumentError

# the number of pairs from which the scale is computed; with fewer pairs, the test is undecided. 8 is a good value for
# tests that decide after about 70 pairs
FIRST = 8
LOOK = 4  # the number of pairs that a match plays between two applications of the test
SMALLEST = 1.0  # the minimum scale, in squared points; otherwise, the scale could be 0 if the first margins are all 0


def as_error(value: object) -> float:
    """Return a probability of error as a float. Raises ArgumentError unless the probability is between 0 and 1."""
    if not (is_of(value, (int, float)) and 0 < value < 1):  # type: ignore[operator]
        raise ArgumentError(
            f"until = {brief(value)}: should be the largest acceptable probability of a wrong result; give a "
            "number between 0 and 1, such as 0.05"
        )
    return float(value)  # type: ignore[arg-type]


def evidence(margins: Sequence[float] | np.ndarray, centre: float = 0.0) -> float:
    """Return the logarithm of the evidence against the hypothesis that the true mean margin is `centre`. The module's
    docstring defines the evidence for `centre = 0`.

    >>> evidence([5.0, -3.0] * 10) < 0 < math.log(1 / 0.05) < evidence([5.0, 3.0] * 10)
    True
    """
    away = np.asarray(margins, np.float64) - centre
    if len(away) < FIRST:
        return 0.0
    squares, scale = float(away @ away), max(float(away[:FIRST] @ away[:FIRST]), SMALLEST)
    return float(away.sum()) ** 2 / (2 * (squares + scale)) - math.log(1 + squares / scale) / 2


def better(margins: Sequence[float] | np.ndarray, error: float) -> str | None:
    """Return the better player: "a", "b", or None if the test is undecided. `margins` contains the margins of player A
    over player B.

    >>> better([5.0, 3.0] * 10, 0.05), better([-5.0, -3.0] * 10, 0.05), better([5.0, -3.0] * 10, 0.05)
    ('a', 'b', None)
    """
    if evidence(margins) < math.log(1 / error):
        return None
    return "a" if sum(margins) > 0 else "b"


def better_bot(margins: Sequence[float], wins: Sequence[float], forfeits: int, error: float) -> str | None:
    """Return the better bot of a match: "a", "b", or None if the test is undecided. `forfeits` is the number of
    forfeited games. If there are forfeited games, the test is undecided unless the bot with the better margins has also
    won more games than the other bot. The margin of a forfeited game is the margin before the forfeit, so a bot can
    be in the lead in every game that it forfeits.
    """
    found, ahead = better(margins, error), float(np.mean(wins) - 0.5) if len(wins) else 0.0
    return None if forfeits and found and ahead * (1 if found == "a" else -1) <= 0 else found


def interval(margins: Sequence[float] | np.ndarray, error: float) -> tuple[float, float] | None:
    """Return a confidence interval for the mean margin. The interval contains all mean margins that the test does not
    reject. Return None if the test does not reject any mean margin yet.

    With a probability of at least `1 - error`, all intervals that are computed during a match contain the true mean
    margin.

    >>> [round(end, 1) for end in interval([5.0, 3.0] * 10, 0.05)]
    [3.0, 5.0]
    """
    highest, count = math.log(1 / error), len(margins)
    if count < FIRST or count**2 / (2 * (count + FIRST)) - math.log(1 + count / FIRST) / 2 <= highest:
        return None  # the test rejects no mean margin, no matter how large the mean margin is
    low, high = _end(margins, highest, -1), _end(margins, highest, 1)
    if evidence(margins) < highest:  # the mean margins that are not rejected need not form an interval
        low, high = min(low, 0.0), max(high, 0.0)
    return low, high


def _end(margins: Sequence[float] | np.ndarray, highest: float, way: int) -> float:
    """Return the upper end (`way = 1`) or the lower end (`way = -1`) of the confidence interval. The test rejects
    a mean margin if the evidence against this mean margin is at least `highest`. At the returned end, the evidence
    equals `highest`.
    """
    middle = float(np.mean(margins))
    inside, outside = 0.0, 1.0
    while evidence(margins, middle + way * outside) < highest:
        inside, outside = outside, 2 * outside
    for _ in range(50):
        half = (inside + outside) / 2
        inside, outside = (half, outside) if evidence(margins, middle + way * half) < highest else (inside, half)
    return middle + way * outside
