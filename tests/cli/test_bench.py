"""Tests of `carc bench`: names, prefixes, medians and the baseline. No test checks how fast anything is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import carc_env
from carc_env.commands import bench
from carc_env.rules.state import whole_game

PRESETS = ("base", "goldmines")
PROMISED = {"clone.bytes", "clone.us", "first_call_s.cold", "first_call_s.warm"} | {
    f"{what}.{preset}.{figure}"
    for preset in PRESETS
    for what, figure in (
        ("engine", "games_per_s"),
        ("engine", "decisions_per_s"),
        ("single", "steps_per_s"),
        ("candidates", "decisions_per_s"),
        ("vector", "512.decisions_per_s"),
        ("aec", "steps_per_s"),
        ("render", "ms"),
    )
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Make all measurements small, so that the tests are quick."""
    for name, size in {
        "BATCH": 1,
        "STEPS": 5,
        "WARM_UP": 1,
        "CLONES": 2,
        "SIDE_BY_SIDE": 2,
        "ROUNDS": 2,
        "VECTOR_STEPS": 3,
        "SHARED": 20,
        "FRAMES": 2,
    }.items():
        assert hasattr(bench, name)
        monkeypatch.setattr(bench, name, size)


def test_all_promised_figures_are_there_and_have_a_unit():
    assert set(bench.names()) >= PROMISED
    assert len(bench.names()) == len(set(bench.names()))
    assert all(bench.unit(name) for name in bench.names())


def test_json_is_one_flat_object_of_the_figures_asked_for(carc, monkeypatch):
    monkeypatch.setattr(bench, "SIZES", (4,))
    figures = carc(
        "bench",
        "engine.base",
        "single.goldmines",
        "candidates.base",
        "vector.base.4",
        "aec.base",
        "threads",
        "clone",
        "--json",
    ).json
    threads = {f"threads.{n}.decisions_per_s" for n in bench.THREADS if n <= os.cpu_count()}
    assert set(figures) == threads | {
        "engine.base.games_per_s",
        "engine.base.decisions_per_s",
        "single.goldmines.steps_per_s",
        "single.goldmines.candidates.steps_per_s",
        "candidates.base.decisions_per_s",
        "vector.base.4.decisions_per_s",
        "vector.base.4.copied.decisions_per_s",
        "vector.base.4.masked.decisions_per_s",
        "aec.base.steps_per_s",
        "clone.bytes",
        "clone.us",
    }
    assert all(isinstance(value, (int, float)) and value > 0 for value in figures.values())
    assert figures["clone.bytes"] == whole_game(25).itemsize
    assert figures["engine.base.decisions_per_s"] > 50 * figures["engine.base.games_per_s"]


def test_frames_are_timed_put_together_and_drawn_anew(carc):
    figures = carc("bench", "render.base", "--json").json
    assert set(figures) == {"render.base.ms", "render.base.whole.ms"}
    assert 0 < figures["render.base.ms"] < figures["render.base.whole.ms"]


def test_a_prefix_may_be_a_whole_name(carc):
    assert list(carc("bench", "clone.us", "--json").json) == ["clone.us"]


def test_the_table_has_units(carc):
    outcome = carc("bench", "clone")
    lines = outcome.out.splitlines()
    assert outcome.status == 0 and len(lines) == 2
    assert lines[0].split() == ["clone.bytes", f"{whole_game(25).itemsize:,}", "bytes"] and lines[1].endswith("µs")


def test_a_figure_is_the_median_of_three_runs(monkeypatch):
    runs = iter([(1.0, 30.0), (5.0, 10.0), (2.0, 20.0)])
    monkeypatch.setattr(bench, "groups", lambda: {("a.us", "b.us"): lambda: next(runs)})
    assert dict(bench.measure()) == {"a.us": 2.0, "b.us": 20.0}


def test_nothing_runs_that_was_not_asked_for(monkeypatch):
    monkeypatch.setattr(bench, "groups", lambda: {("a.us",): lambda: (1.0,), ("b.us",): lambda: 1 / 0})
    assert dict(bench.measure(["a"])) == {"a.us": 1.0}


def test_the_first_call_of_a_new_process():
    printed = subprocess.run(
        [sys.executable, "-c", bench.FIRST_CALL],
        cwd=Path(carc_env.__file__).parents[1],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert 0 < float(printed) < 600


def test_what_has_fallen_is_marked_and_fails_nothing(carc, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "BASELINE", tmp_path / "baseline.json")
    monkeypatch.setattr(bench, "groups", lambda: {("a.games_per_s", "b.us", "c.us"): lambda: (84.0, 100.0, 100.0)})
    bench.BASELINE.write_text(json.dumps({"a.games_per_s": 100, "b.us": 84, "d.us": 1}))
    outcome = carc("bench", "--compare")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert lines[0].endswith("84% of the baseline  FALLEN") and lines[1].endswith("119% of the baseline  FALLEN")
    assert lines[2].split()[-1] == "µs"
    bench.BASELINE.write_text(json.dumps({"a.games_per_s": 98, "b.us": 86}))
    assert "FALLEN" not in carc("bench", "--compare").out


def test_the_committed_baseline_has_a_number_for_every_promised_figure():
    assert set(bench.baseline()) >= PROMISED and all(value > 0 for value in bench.baseline().values())


def test_the_vector_is_measured_without_copies_and_with_them(monkeypatch):
    made = []
    monkeypatch.setattr("gymnasium.make_vec", lambda *_, copy, **__: made.append(copy) or 1 / 0)
    groups = {name: run for names, run in bench.groups().items() for name in names}
    for name in (
        "vector.base.64.decisions_per_s",
        "vector.base.64.copied.decisions_per_s",
        "threads.1.decisions_per_s",
    ):
        with pytest.raises(ZeroDivisionError):
            groups[name]()
    assert made == [False, True, False]
