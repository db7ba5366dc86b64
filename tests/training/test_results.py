"""Figures over seeds, by examples that can be worked out by hand, and the page that is written of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from training import benchmark_report, results, tasks
from training.results import Figure, interval, iqm
from training.state import RunError
from training.tasks import Task

ROOT = Path(__file__).parents[2]
TASK = tasks.task("Base-debug-20k")


def result(algorithm: str, seed: int, won: float, decisions: int = 20_000, task: Task = TASK) -> dict:
    """A result in which all games went alike."""
    points = [
        {
            "decisions": at,
            "seconds": 1.0,
            **{name: {"win_rate": won, "margin": 100 * won - 50, "illegal": 0} for name in tasks.OPPONENTS},
        }
        for at in sorted({0, decisions // 2, decisions})
    ]
    final = [{"b": judge, "win_rate_a": won, "margin": 100 * won - 50, "illegal": 0} for judge in tasks.JUDGES]
    return {
        "format": results.FORMAT,
        "task": task.to_dict(),
        "algorithm": algorithm,
        "source": None,
        "seed": seed,
        "decisions": decisions,
        "seconds": 120.0,
        "processor_seconds": 60.0,
        "illegal": 0,
        "curve": points,
        "final": final,
        "versions": {"torch": "2"},
        "machine": {"processor": "one", "cores": 2},
    }


@pytest.fixture
def folder(tmp_path):
    for seed in range(1, 5):
        results.write(tmp_path, result("good", seed, 0.1 * seed + 0.4))
        results.write(tmp_path, result("bad", seed, 0.25))
    results.write(tmp_path, result("random", 1, 0.0, 0))
    return tmp_path


def test_an_interquartile_mean_leaves_out_a_quarter_at_each_end():
    assert iqm([np.array([5.0])]) == 5.0 and iqm([np.array([1.0, 2.0, 6.0])]) == 3.0
    assert iqm([np.array([-100.0, 1.0, 2.0, 90.0])]) == 1.5
    assert iqm([np.array([0.0, 1.0]), np.array([2.0, 100.0])]) == 1.5  # of all tasks together


def test_it_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    for n in range(1, 30):
        scores = rng.normal(size=n)
        assert iqm([scores]) == pytest.approx(stats.trim_mean(scores, 0.25))


def test_the_bootstrap_draws_from_each_task_by_itself():
    assert interval([np.array([3.0, 3.0, 3.0])]) == (3.0, 3.0)
    assert interval([np.zeros(5), np.ones(5)]) == (0.5, 0.5)  # mixed, the shares of 0 and 1 would change
    low, high = interval([np.array([0.0, 1.0])], resamples=500)
    assert (low, high) == (0.0, 1.0)


def test_an_interval_holds_the_mean_about_as_often_as_it_says():
    """Of 30 numbers of a normal distribution; percentiles of a bootstrap are a little too narrow."""
    rng = np.random.default_rng(1)
    held = [low <= 0 <= high for low, high in (interval([rng.normal(size=30)], resamples=200) for _ in range(200))]
    assert 0.87 <= np.mean(held) <= 0.99


def test_a_single_seed_has_no_interval():
    assert Figure.of([np.array([0.5])]) == Figure(0.5, None, None)


def test_lines_stand_in_the_order_of_strength(folder):
    found = results.lines(folder, TASK)
    assert [(line.algorithm, line.seeds) for line in found] == [("good", 4), ("bad", 4), ("random", 1)]
    assert found[0].win_rate["ppo"].value == pytest.approx(0.65) and found[0].margin["greedy"].value == pytest.approx(
        15.0
    )
    assert found[0].win_rate["ppo"].low >= 0.5 and found[0].win_rate["ppo"].high <= 0.8
    assert (
        found[2].decisions_per_s is None
        and found[0].decisions_per_s == pytest.approx(20_000 / 120)
        and found[0].minutes == 2.0
    )
    assert found[0].decisions_per_processor_s == pytest.approx(20_000 / 60)


def test_a_curve_has_the_points_that_all_seeds_have(tmp_path):
    results.write(tmp_path, result("one", 1, 0.5))
    later = result("one", 2, 0.7)
    later["curve"][1]["decisions"] += 900  # an update may end a little after the stretch
    later["curve"][2:] = []
    results.write(tmp_path, later)
    steps, figures = results.curve(results.of_task(tmp_path, TASK)["one"], "greedy", "win_rate")
    assert steps.tolist() == [0.0, 10_450.0] and [figure.value for figure in figures] == pytest.approx([0.6, 0.6])


def test_tasks_together_are_of_what_was_measured_on_all(folder):
    other = tasks.task("Base-candidates-1M")
    for seed in (1, 2):
        results.write(folder, result("good", seed, 1.0, task=other))
    assert results.measured(folder) == [other, TASK]
    ((name, figure),) = results.together(folder, [other, TASK])
    assert name == "good" and figure.value == pytest.approx(np.mean([0.6, 0.7, 0.8, 1.0]))
    results.write(folder, result("good", 1, 0.1, task=tasks.task("Base-planes-1M")))
    page = benchmark_report.tables(folder)
    assert "### All tasks on candidates together" in page and "on planes together" not in page
    assert "over 2 tasks" in page and f"| `good` | {figure.value:.1%} (" in page


def test_a_file_that_is_no_result_is_named(folder):
    place = results.path(folder, TASK, "good", 1)
    for text, told in (
        ("{", "no result of the benchmark"),
        ("{}", "no result of the benchmark"),
        ('{"format": 9}', "format 9, not 1"),
        (json.dumps(result("good", 1, 0.5) | {"task": {"speed": 1}}), "no result of the benchmark"),
    ):
        place.write_text(text)
        with pytest.raises(RunError, match=told) as error:
            results.read(place)
        assert str(place) in str(error.value)


def test_the_page_is_written_of_the_results(folder, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\nbefore\n\n{benchmark_report.BEGIN}\nold\n{benchmark_report.END}\n\nafter\n")
    assert benchmark_report.main(["--results", str(folder), "--page", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("# Title\n\nbefore\n") and text.endswith("\nafter\n") and "old" not in text
    assert "| `good` | 4 | 65.0% (" in text and "| `random` | 1 | 0.0% | -50.0 |" in text
    assert (tmp_path / "benchmark_Base-debug-20k-v1.png").stat().st_size > 10_000


# --- those that come along --------------------------------------------------------------------------------------------
def test_the_page_tells_what_was_measured():
    text = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert benchmark_report.page(text, ROOT / "benchmarks") == text, "run `make docs`"
    for task in results.measured(ROOT / "benchmarks"):
        assert (ROOT / "docs" / benchmark_report.picture_name(task)).is_file()


def test_a_task_that_was_measured_has_not_changed_since():
    """Who changes a task raises its version."""
    known = {task.id: task for task in tasks.TASKS}
    for task in results.measured(ROOT / "benchmarks"):
        assert task.is_short or task.id not in known or known[task.id] == task


def test_every_task_and_algorithm_stands_on_the_page():
    from training.algorithms import NAMES

    text = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    for task in tasks.TASKS:
        assert (
            f"| `{task.name}` | {task.version} | `{task.preset}` | {task.observation} | `{task.opponent}` | {task.decisions:,} |"
            in text
        )
    assert all(f"| `{name}` |" in text for name in NAMES)
