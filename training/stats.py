"""Statistics over seeds and pairs of games, with 95 % intervals.

The definitions are those of Agarwal et al., *Deep reinforcement learning at the edge of the statistical precipice*
(NeurIPS 2021, arXiv 2108.13264).

A **run** trains an algorithm once, with one seed. Each pair of games in the evaluation of a run has one outcome, such
as the fraction of games won. The outcomes of an algorithm on a task form an array, float[seeds, pairs]. The **score**
of a run is the mean of its outcomes.

The ends of each interval are percentiles of the bootstrapped statistics. For interquartile means, the bootstrap
resamples in two stages, with replacement. The first stage resamples the seeds. The second stage resamples the pairs of
games of each resampled seed. The scores of the seeds already contain the randomness of the games, so the second stage
adds this randomness a second time and makes the intervals wider. With few seeds, intervals from only the first stage
would be too narrow. If the runs differ only by luck in the games, the intervals of the two-stage bootstrap are too
wide.

For the probability of improvement, for performance profiles and for the agreement of rankings, the bootstrap resamples
only the seeds, as in the paper. These statistics depend on the order of the scores. A second stage would add noise to
the scores, make their order more random, and so bias the statistics towards those of a random order. If there are
several tasks, each task is resampled separately (stratified bootstrap).

`python -m training.stats` simulates how many 95 % intervals contain the true value.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

RESAMPLES = 2000
LEVELS = (2.5, 97.5)  # percentiles of a 95 % interval
SAME = 1e-9  # smaller differences between scores may be rounding errors, so such scores count as equal
Runs = np.ndarray  # float[seeds, pairs]
Scores = np.ndarray  # float[..., seeds]


@dataclass(frozen=True)
class Figure:
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a JSON-serialisable dict."""
        return asdict(self)


# --- statistics of scores; the last axis of each array is the axis of the runs ----------------------------------------
def iqm(scores: Scores) -> np.ndarray:
    """Return the interquartile mean: the mean without the lowest and the highest quarter of the runs.

    If there are n scores, the n // 4 lowest and the n // 4 highest are left out.

    >>> float(iqm(np.array([0.0, 1.0, 2.0, 90.0])))
    1.5
    """
    ordered, cut = np.sort(scores, -1), scores.shape[-1] // 4
    return ordered[..., cut : scores.shape[-1] - cut].mean(-1)


def improvement(ours: Scores, theirs: Scores) -> np.ndarray:
    """Return the probability that a run of `ours` has a higher score than a run of `theirs` on the same task. A pair of
    runs with equal scores counts as one half.

    The result is the Mann-Whitney U statistic, divided by the number of pairs of runs.

    >>> float(improvement(np.array([1.0, 2.0]), np.array([1.0, 0.0])))
    0.875
    """
    return 0.5 + signs(ours[..., :, None] - theirs[..., None, :]).mean((-1, -2)) / 2


def above(scores: Scores, thresholds: np.ndarray) -> np.ndarray:
    """Return the performance profile, as float[..., thresholds]. For each threshold, the profile is the fraction of
    runs whose score is above the threshold.

    >>> above(np.array([0.2, 0.6]), np.array([0.0, 0.5, 1.0])).tolist()
    [1.0, 0.5, 0.0]
    """
    return (scores[..., None, :] > thresholds[:, None] + SAME).mean(-1)


def signs(apart: np.ndarray) -> np.ndarray:
    """Return the signs of differences between scores: -1, 0 or 1. Scores are means, so the difference of two equal
    scores may be a rounding error. If the absolute difference is below `SAME`, the sign is 0.

    >>> signs(np.array([0.3 - (0.1 + 0.2), 0.01, -2.0])).tolist()
    [0.0, 1.0, -1.0]
    """
    return np.sign(np.where(np.abs(apart) < SAME, 0.0, apart))


def agreement(one: Scores, other: Scores) -> np.ndarray:
    """Return Kendall's tau-b of two lists of scores for the same items. The last axis of each array is the axis of the
    items. Tau is 1 if both lists have the same order and the same ties. Tau is -1 if the lists have opposite orders. If
    all scores of a list are equal, tau is 0.

    >>> float(agreement(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0])))
    0.3333333333333333
    """
    ours, theirs = (signs(scores[..., :, None] - scores[..., None, :]) for scores in (one, other))
    untied = np.sqrt((ours**2).sum((-1, -2)) * (theirs**2).sum((-1, -2)))
    return (ours * theirs).sum((-1, -2)) / np.where(untied, untied, 1.0)


# --- the bootstrap ----------------------------------------------------------------------------------------------------
@functools.lru_cache(maxsize=16)
def _draws(seeds: int, pairs: int, task: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw the random samples of the bootstrap.

    The first returned array contains the indices of the drawn seeds, int[RESAMPLES, seeds]. For each drawn seed, the
    second array contains the indices of the drawn pairs of games, int[RESAMPLES, seeds, pairs].

    The same arguments always give the same samples, so an estimate does not depend on earlier estimates.
    """
    rng = np.random.default_rng([seeds, pairs, task])
    which = rng.integers(seeds, size=(RESAMPLES, seeds))
    return which, rng.integers(pairs, size=(RESAMPLES, seeds, pairs), dtype=np.int32)


def resampled(runs: Runs, task: int = 0) -> Scores:
    """Return the scores of the resampled runs, as float[RESAMPLES, seeds]. `task` is the index of the task. The index
    is part of the seed of the random numbers, so different tasks are resampled independently.
    """
    which, pairs = _draws(*runs.shape, task)
    return runs[which[..., None], pairs].mean(-1)


def redrawn(runs: Runs, task: int = 0) -> Scores:
    """Return the scores of resampled runs as `resampled` does, but resample only the seeds. A resampled run keeps all
    of its pairs.
    """
    return runs.mean(-1)[_draws(*runs.shape, task)[0]]


def between(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and the upper ends of 95 % intervals. `drawn` contains the resampled statistics, as
    float[RESAMPLES, ...].
    """
    low, high = np.percentile(drawn, LEVELS, axis=0)
    return low, high


def _figure(value: np.ndarray, drawn: np.ndarray) -> Figure:
    low, high = between(drawn)
    return Figure(float(value), float(low), float(high))


def figure(runs: Runs) -> Figure:
    """Return the interquartile mean over the runs of one task, with its 95 % interval."""
    return _figure(iqm(runs.mean(-1)), iqm(resampled(runs)))


def pooled(tasks: Sequence[Runs], statistic: Callable[[Scores], np.ndarray] = iqm) -> Figure:
    """Return a statistic of the combined runs of several tasks, with its 95 % interval. A task with more seeds would
    have more weight, so all tasks must have the same number of seeds. Raises ValueError if the numbers of seeds differ.
    """
    _check(tasks)
    scores = np.concatenate([runs.mean(-1) for runs in tasks])
    drawn = np.concatenate([resampled(runs, task) for task, runs in enumerate(tasks)], -1)
    return _figure(statistic(scores), statistic(drawn))


def probability_of_improvement(ours: Sequence[Runs], theirs: Sequence[Runs]) -> Figure:
    """Return the probability of improvement, averaged over tasks, with its 95 % interval. Raises ValueError if `ours`
    and `theirs` have different numbers of tasks.
    """
    if len(ours) != len(theirs):
        raise ValueError(f"results on {len(ours)} tasks cannot be compared with results on {len(theirs)} tasks")
    value = np.mean([improvement(a.mean(-1), b.mean(-1)) for a, b in zip(ours, theirs)])
    drawn = np.mean(
        [improvement(redrawn(a, 2 * k), redrawn(b, 2 * k + 1)) for k, (a, b) in enumerate(zip(ours, theirs))], 0
    )
    return _figure(value, drawn)


def profile(tasks: Sequence[Runs], thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the performance profile over several tasks, with 95 % intervals.

    Returns three arrays, float[thresholds]: the profile, the lower ends of the intervals, and the upper ends of the
    intervals. Raises ValueError if the tasks have different numbers of seeds.
    """
    _check(tasks)
    value = np.mean([above(runs.mean(-1), thresholds) for runs in tasks], 0)
    drawn = np.mean([above(redrawn(runs, task), thresholds) for task, runs in enumerate(tasks)], 0)
    return (value, *between(drawn))


def _check(tasks: Sequence[Runs]) -> None:
    seeds = sorted({len(runs) for runs in tasks})
    if len(seeds) != 1:
        raise ValueError(f"pooled tasks need the same number of seeds, not {' and '.join(map(str, seeds))}")


def rank_agreement(short: Sequence[Runs], later: Sequence[Runs]) -> Figure:
    """Return Kendall's tau-b of two rankings of the same algorithms, with its 95 % interval. Each ranking orders the
    algorithms by their interquartile means. Raises ValueError if `short` and `later` have different numbers of
    algorithms.
    """
    if len(short) != len(later):
        raise ValueError(f"a ranking of {len(short)} algorithms cannot be compared with one of {len(later)}")
    values = [np.array([iqm(runs.mean(-1)) for runs in of]) for of in (short, later)]
    drawn = [
        np.stack([iqm(redrawn(runs, 2 * k + which)) for k, runs in enumerate(of)], -1)
        for which, of in enumerate((short, later))
    ]
    return _figure(agreement(*values), agreement(*drawn))


def gain(before: Runs, after: Runs) -> Figure:
    """Return how much the interquartile mean grows from `before` to `after`, with its 95 % interval. Both arrays have
    the same seeds and the same pairs of games. Each resample draws the same seeds and pairs from both arrays. Raises
    ValueError if the shapes differ.
    """
    if before.shape != after.shape:
        raise ValueError(f"runs of the shape {before.shape} cannot be compared with runs of the shape {after.shape}")
    return _figure(iqm(after.mean(-1)) - iqm(before.mean(-1)), iqm(resampled(after)) - iqm(resampled(before)))


# --- luck in the games ------------------------------------------------------------------------------------------------
def spread(runs: Runs) -> float:
    """Return the standard deviation of the scores of the runs, or 0 if there is only one run."""
    return float(runs.mean(-1).std(ddof=1)) if len(runs) > 1 else 0.0


def spread_of_games(runs: Runs) -> float:
    """Return the standard deviation that the scores would have if all runs were equally strong, and differed only by
    luck in the games. If each run has only one pair of games, return 0.

    >>> round(spread_of_games(np.array([[0.0, 1.0, 0.0, 1.0]])), 4)
    0.2887
    """
    pairs = runs.shape[-1]
    return float(np.sqrt(runs.var(-1, ddof=1).mean() / pairs)) if pairs > 1 else 0.0


# --- how good the intervals are ---------------------------------------------------------------------------------------
# the standard deviation of the outcomes of the pairs in a run; similar to that of the published results
IN_GAMES = 0.18
SPREADS = (0.0, 0.03, 0.1)  # standard deviations of the strength of runs


def coverage(
    seeds: int, pairs: int = 25, between_seeds: float = 0.1, in_games: float = IN_GAMES, times: int = 500
) -> float:
    """Simulate how often the 95 % interval of an interquartile mean contains the true mean. The scores of the simulated
    runs are normally distributed. `between_seeds` is the standard deviation of the strength of the runs. `in_games` is
    the standard deviation of the outcomes of the pairs of games in one run.
    """
    rng, held = np.random.default_rng(0), 0
    for _ in range(times):
        found = figure(simulated(rng, seeds, pairs, between_seeds, in_games))
        held += found.low <= 0 <= found.high
    return held / times


def coverage_of_improvement(seeds: int, times: int = 500) -> float:
    """Simulate how often the 95 % interval of the probability of improvement contains the true value, one half. Both
    algorithms are equally strong, and their scores are normally distributed.
    """
    rng, held = np.random.default_rng(0), 0
    for _ in range(times):
        found = probability_of_improvement(*([rng.normal(size=(seeds, 1))] for _ in range(2)))
        held += found.low <= 0.5 <= found.high
    return held / times


def simulated(rng: np.random.Generator, seeds: int, pairs: int, between_seeds: float, in_games: float) -> Runs:
    """Simulate the outcomes of runs whose true mean is 0."""
    return between_seeds * rng.normal(size=(seeds, 1)) + in_games * rng.normal(size=(seeds, pairs))


def main() -> None:
    """Print how many of the 95 % intervals contain the true value."""
    print("intervals that contain the true interquartile mean, by the standard deviation of the strength of the runs")
    for seeds in (3, 5, 10):
        shares = [
            f"{between_seeds:.0%}: {coverage(seeds, between_seeds=between_seeds):.0%}" for between_seeds in SPREADS
        ]
        print(f"  {seeds:2} seeds  {', '.join(shares)}")
    print("intervals that contain the true probability of improvement")
    for seeds in (3, 5, 10):
        print(f"  {seeds:2} seeds  {coverage_of_improvement(seeds):.0%}")


if __name__ == "__main__":
    main()
