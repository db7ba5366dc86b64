"""Tests of the statistics over seeds and pairs of games. The expected values are computed by hand, by SciPy, or by
rliable 1.2.0, the library of Agarwal et al.
"""

import itertools

import numpy as np
import pytest

from tests.rliable_figures import OURS, THEIRS, THRESHOLDS
from training import stats

# These figures were computed with rliable 1.2.0, arch 7.2.0 and pandas 2.3.3, by `python -m tests.rliable_figures`:
# metrics.aggregate_iqm, metrics.probability_of_improvement, library.create_performance_profile and
# library.get_interval_estimates.
IQM = {"ours": 0.39909090909090905, "theirs": 0.46181818181818174}
IQM_BETWEEN = {"ours": (0.23363636, 0.57272727), "theirs": (0.30090909, 0.61)}
IMPROVEMENT, IMPROVEMENT_BETWEEN = 0.4557823129251701, (0.28571429, 0.63265306)
PROFILE = [0.95238095, 0.71428571, 0.47619048, 0.33333333, 0.0952381, 0.0]
PROFILE_LOW = [0.85714286, 0.52380952, 0.28571429, 0.14285714, 0.0, 0.0]
PROFILE_HIGH = [1.0, 0.9047619, 0.66666667, 0.52380952, 0.23809524, 0.0]


def single(scores):
    """Return runs with one pair of games each, so that the bootstrap resamples only the seeds."""
    return [of_task[:, None] for of_task in scores]


def test_interquartile_means_are_those_of_rliable():
    for name, scores in (("ours", OURS), ("theirs", THEIRS)):
        found = stats.pooled(single(scores))
        assert found.value == pytest.approx(IQM[name], abs=1e-12)
        assert (found.low, found.high) == pytest.approx(IQM_BETWEEN[name], abs=0.015)  # rliable draws other resamples


def test_the_probability_of_improvement_is_that_of_rliable():
    found = stats.probability_of_improvement(single(OURS), single(THEIRS))
    assert found.value == pytest.approx(IMPROVEMENT, abs=1e-12)
    assert (found.low, found.high) == pytest.approx(IMPROVEMENT_BETWEEN, abs=0.015)


def test_performance_profiles_are_those_of_rliable():
    value, low, high = stats.profile(single(OURS), THRESHOLDS)
    assert value == pytest.approx(PROFILE, abs=1e-7)
    assert low == pytest.approx(PROFILE_LOW, abs=0.05) and high == pytest.approx(PROFILE_HIGH, abs=0.05)


def test_they_are_those_of_scipy():
    scipy = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    for n in range(1, 30):
        ours, theirs = rng.integers(9, size=n) / 8, rng.integers(9, size=n + 2) / 8  # with ties
        assert float(stats.iqm(ours)) == pytest.approx(scipy.trim_mean(ours, 0.25))
        u = scipy.mannwhitneyu(ours, theirs, alternative="greater").statistic
        assert float(stats.improvement(ours, theirs)) == pytest.approx(u / (n * (n + 2)))
        if n > 1:
            first, second = rng.integers(5, size=n), rng.integers(5, size=n)
            expected = np.nan_to_num(scipy.kendalltau(first, second).statistic)
            assert float(stats.agreement(first, second)) == pytest.approx(expected)


def test_an_interquartile_mean_leaves_out_a_quarter_at_each_end():
    assert stats.iqm(np.array([5.0])) == 5.0 and stats.iqm(np.array([1.0, 2.0, 6.0])) == 3.0
    assert stats.iqm(np.array([-100.0, 1.0, 2.0, 90.0])) == 1.5
    assert stats.iqm(np.array([[0.0, 4.0], [1.0, 3.0]])).tolist() == [2.0, 2.0]


def test_equal_scores_are_equal_however_they_were_rounded():
    """Two sums of the same numbers in different order differ by rounding. The statistics treat them as equal."""
    one, other = np.array([0.1 + 0.2 + 0.3]), np.array([0.3 + 0.2 + 0.1])
    assert one != other
    assert stats.improvement(one, other) == stats.improvement(other, one) == 0.5
    assert stats.above(one, np.array([0.6])).tolist() == stats.above(other, np.array([0.6])).tolist() == [0.0]
    assert float(stats.agreement(np.array([one[0], other[0], 2]), np.array([0.0, 0.0, 1.0]))) == 1.0


def test_two_rankings_agree_as_far_as_their_order_is_known():
    runs = [np.full((3, 4), value) for value in (0.1, 0.5, 0.9)]
    assert stats.rank_agreement(runs, runs) == stats.Figure(1.0, 1.0, 1.0)
    assert stats.rank_agreement(runs, runs[::-1]).value == -1.0
    noise = np.random.default_rng(0)
    near = [0.5 + 0.01 * at + 0.2 * noise.normal(size=(5, 10)) for at in range(4)]
    found = stats.rank_agreement(near, runs[:1] + near[1:])
    assert found.low < found.high
    with pytest.raises(ValueError, match="a ranking of 3 algorithms cannot be compared with one of 2"):
        stats.rank_agreement(runs, runs[:2])


def test_the_bootstrap_draws_seeds_and_then_their_pairs():
    """Checks that each resampled score is a mean of pairs of one seed, and that seeds and pairs are resampled."""
    runs = np.array([[0.0, 1.0], [10.0, 11.0]])
    drawn = stats.resampled(runs)
    assert set(np.unique(drawn)) == {0.0, 0.5, 1.0, 10.0, 10.5, 11.0}
    assert np.mean(drawn < 5) == pytest.approx(0.5, abs=0.03) and np.mean(drawn == 0.5) == pytest.approx(0.25, abs=0.03)


def test_a_single_seed_has_an_interval_by_its_pairs_and_equal_pairs_one_by_seeds():
    assert stats.figure(np.ones((1, 20))) == stats.Figure(1.0, 1.0, 1.0)
    one = stats.figure(np.arange(20.0)[None])
    assert one.value == 9.5 and 5 < one.low < 8 and 11 < one.high < 14
    seeds = stats.figure(np.repeat([[0.0], [1.0]], 20, 1))
    assert (seeds.value, seeds.low, seeds.high) == (0.5, 0.0, 1.0)


def test_each_task_is_drawn_from_by_itself():
    found = stats.pooled([np.zeros((5, 4)), np.ones((5, 4))])
    assert (found.low, found.high) == (0.5, 0.5)  # if the tasks were mixed, the fractions of 0 and 1 would vary


def test_few_seeds_have_intervals_that_are_too_narrow():
    """Checks the statement in docs/benchmark.md."""
    assert 0.72 < stats.coverage(3, times=200) < 0.9 < stats.coverage(10, times=200)
    assert 0.7 < stats.coverage_of_improvement(3, 200) < 0.88 < stats.coverage_of_improvement(10, 200) < 0.98


def test_where_games_alone_differ_the_intervals_are_too_wide():
    assert stats.coverage(10, between_seeds=0.0, times=200) > 0.97


def test_a_gain_is_that_of_the_same_seeds_and_pairs():
    before = np.random.default_rng(0).random((5, 6))
    assert stats.gain(before, before) == stats.Figure(0.0, 0.0, 0.0)
    more = stats.gain(before, before + 0.1)
    assert (more.value, more.low, more.high) == pytest.approx((0.1, 0.1, 0.1))
    with pytest.raises(
        ValueError, match=r"runs of the shape \(5, 6\) cannot be compared with runs of the shape \(4, 6"
    ):
        stats.gain(before, before[:4])


def test_luck_in_the_games_is_told_from_the_strength_of_the_runs():
    rng = np.random.default_rng(3)
    alike, apart = (stats.simulated(rng, 400, 25, between, 0.2) for between in (0.0, 0.1))
    assert stats.spread_of_games(alike) == pytest.approx(0.04, abs=0.001) == stats.spread_of_games(apart)
    assert stats.spread(alike) == pytest.approx(0.04, abs=0.005)
    assert stats.spread(apart) == pytest.approx(np.hypot(0.04, 0.1), abs=0.01)
    assert stats.spread(alike[:1]) == stats.spread_of_games(alike[:, :1]) == 0.0


@pytest.mark.parametrize("seeds, pairs, between, within", [(10, 50, 0.05, 0.4), (10, 50, 0.0, 0.4), (10, 5, 0.1, 0.0)])
def test_an_interval_holds_the_truth_as_often_as_it_says(seeds, pairs, between, within):
    """Checks three cases: both the seeds and the games differ, only the games differ, and only the seeds differ."""
    rng, held = np.random.default_rng(1), []
    for _ in range(150):
        runs = 0.5 + between * rng.normal(size=(seeds, 1)) + within * rng.normal(size=(seeds, pairs))
        found = stats.figure(runs)
        held.append(found.low <= 0.5 <= found.high)
    assert 0.87 <= np.mean(held) <= 1.0


def test_a_figure_does_not_depend_on_what_was_worked_out_before():
    runs = np.random.default_rng(2).random((5, 8))
    first = stats.figure(runs)
    for shape in itertools.product(range(1, 6), range(1, 5)):
        stats.figure(np.zeros(shape))
    assert stats.figure(runs) == first


def test_tasks_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match="need the same number of seeds, not 2 and 3"):
        stats.pooled([np.zeros((2, 1)), np.zeros((3, 1))])
    with pytest.raises(ValueError, match="results on 1 tasks cannot be compared with results on 2 tasks"):
        stats.probability_of_improvement(single(OURS[:1]), single(THEIRS[:2]))
