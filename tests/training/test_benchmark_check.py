"""`carc benchmark --check`, `--submit` and `--plan`: what a folder holds, ours or a stranger's."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from carc_env.bots.rollout import RolloutBot
from carc_env.compiling import jit
from tests.training.test_benchmark import searching_little
from training import benchmark, benchmark_check, benchmark_plan, results, tasks
from training.state import RunError

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "my_algorithm.py"
TINY = dataclasses.replace(
    tasks.task("Base-debug-20k"), name="Tiny", decisions=64, checks=2, check_pairs=1, eval_pairs=1, seeds=2
)
pytestmark = pytest.mark.skipif(not jit.is_compiled(), reason="whole games; the rules are not what is tested here")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A folder of a stranger: a file with an algorithm, and results of it and of `random` on a tiny task."""
    folder = tmp_path_factory.mktemp("stranger")
    shutil.copy(EXAMPLE, folder / "mine.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "TASKS", (*tasks.TASKS, TINY))
        patch.setattr(RolloutBot, "named", classmethod(searching_little))
        patch.chdir(folder)
        for name in ("random", "mine.py:Columns"):
            assert benchmark.main(["Tiny", "--algorithm", name, "--results", "results"]) == 0
    return folder


@pytest.fixture
def stranger(measured, tmp_path, monkeypatch):
    """A copy of that folder, to stand in."""
    shutil.copytree(measured, tmp_path / "stranger")
    monkeypatch.setattr(tasks, "TASKS", (*tasks.TASKS, TINY))
    monkeypatch.setattr(RolloutBot, "named", classmethod(searching_little))
    monkeypatch.chdir(tmp_path / "stranger")
    return tmp_path / "stranger"


def bench(*words):
    return benchmark.main([str(word) for word in words])


def change(place, **fields):
    """Change fields of a result."""
    place.write_text(results.text(results.read(place) | fields))


def row(folder, algorithm="Columns"):
    (found,) = (one for one in benchmark_check.check(folder) if one.algorithm == algorithm)
    return found


def test_a_submitted_folder_is_complete_and_reproducible(stranger, capsys):
    assert bench("Tiny", "--algorithm", "mine.py:Columns", "--results", "results", "--submit", "out") == 0
    assert "out contains 2 results of Columns, complete and reproducible" in capsys.readouterr().out
    files = sorted(str(path.relative_to("out")) for path in Path("out").rglob("*") if path.is_file())
    assert files == ["SUBMISSION.md", *(f"Tiny-v2/Columns/seed{seed}.json" for seed in (1, 2)), "mine.py"]
    note = Path("out/SUBMISSION.md").read_text()
    assert "carc benchmark Tiny --algorithm mine.py:Columns --seeds 2 --results again" in note
    assert "| Tiny | algorithm | `Columns@" in note and "| Tiny | bot keen | `keen@" in note
    assert bench("--check", "out") == 0
    out = capsys.readouterr().out
    assert "Tiny-v2  Columns  2 seeds  complete, reproducible" in out
    assert out.endswith("out: 1 of 1 rows are complete and reproducible\n")


@pytest.mark.long
def test_the_commands_of_a_submission_measure_the_same(stranger, capsys):
    assert bench("--algorithm", "mine.py:Columns", "--results", "results", "--submit", "out") == 0
    shutil.copy("out/mine.py", "mine.py")
    assert bench("Tiny", "--algorithm", "mine.py:Columns", "--seeds", 2, "--results", "again") == 0
    for seed in (1, 2):
        ours, theirs = (results.read(Path(of) / "Tiny-v2/Columns" / f"seed{seed}.json") for of in ("out", "again"))
        assert all(ours[key] == theirs[key] for key in ("versions", "decisions", "settings"))
        assert [match["wins"] for match in ours["final"]] == [match["wins"] for match in theirs["final"]]


@pytest.mark.long
def test_the_published_results_are_complete_and_of_this_code():
    """`carc benchmark --check benchmarks` finds nothing missing, and no version that differs from the code."""
    rows = benchmark_check.check(ROOT / "benchmarks")
    assert rows and not [(row.task, row.algorithm, row.missing, row.apart) for row in rows if not row.is_good]


def test_what_is_missing_is_named(stranger):
    shutil.copy("mine.py", "results")
    place = Path("results/Tiny-v2/Columns/seed2.json")
    whole = results.read(place)
    assert row(Path("results")).is_good
    change(place, decisions=10)
    assert row(Path("results")).missing == [
        "seed2.json: 10 of 64 decisions were made",
        "seed2.json: the curve does not cover the whole training",
    ]
    change(place, **whole | {"task": whole["task"] | {"seeds": 1}})
    assert row(Path("results")).is_good  # the task of this checkout says how many
    change(place, **whole | {"final": whole["final"][1:]})
    assert row(Path("results")).missing == ["seed2.json: some of the 1 pairs against random at the end are missing"]
    change(place, **whole | {"seed": 3})
    assert row(Path("results")).missing == [
        "seed2.json: contains the result of seed 3 of Columns on Tiny-v2",
        "missing seeds: 2",
    ]
    place.write_text("{")
    assert "seed2.json: not a result of the benchmark" in row(Path("results")).missing[0]
    place.unlink()
    assert row(Path("results")).missing == ["missing seeds: 2"]
    shutil.move("results/Tiny-v2/Columns", "results/Tiny-v2/Other")
    assert "seed1.json: contains the result of seed 1 of Columns on Tiny-v2" in row(Path("results"), "Other").missing


def test_what_cannot_be_reproduced_is_named(stranger, monkeypatch):
    folder = Path("results")
    assert row(folder).apart == [
        "the file of the algorithm, mine.py, is not in the folder; `--submit` makes a folder with this file"
    ]
    (folder / "mine.py").write_text(EXAMPLE.read_text().replace("+ 0.1", "+ 0.2"))
    (apart,) = row(folder).apart
    assert apart.startswith("this checkout has algorithm: Columns@") and ", not Columns@" in apart
    place = folder / "Tiny-v2/random/seed1.json"
    told = results.read(place)["versions"]
    change(place, versions=told | {"bots": told["bots"] | {"keen": "keen@0"}})
    apart = row(folder, "random").apart
    assert apart[0].startswith("this checkout has bot keen: keen@") and apart[1].startswith("seed2.json: bot keen: ")
    change(place, versions=told, settings={"other": 1})
    assert any(
        "seed1.json: its settings do not match the version settings@" in what for what in row(folder, "random").apart
    )
    monkeypatch.setattr(tasks, "TASKS", tuple(task for task in tasks.TASKS if task != TINY))
    assert row(folder, "random").apart == ["this checkout has no task Tiny"]
    monkeypatch.setattr(tasks, "TASKS", (dataclasses.replace(TINY, version=3),))
    assert row(folder, "random").apart == ["Tiny differs from this checkout's task Tiny-v3"]


def test_what_a_reader_should_know_is_noted(stranger, capsys):
    place = Path("results/Tiny-v2/random/seed1.json")
    found = results.read(place)
    change(place, libraries=found["libraries"] | {"torch": "0.1"}, commit="abc+", illegal=2)
    told = row(Path("results"), "random").notes
    assert not any("made no decisions" in note for note in told), "a bot learns nothing"
    assert any(note.startswith("torch 0.1 and ") for note in told) and "2 illegal actions" in told
    assert any("measured with uncommitted changes: " in note and "abc+" in note for note in told)
    change(place, commit=None)
    assert any(
        note.startswith("measured with an installed copy of the package, so the commit is unknown")
        for note in row(Path("results"), "random").notes
    )
    change(place, breaks=1, decisions=80, machine=found["machine"] | {"device": "cuda"})
    told = row(Path("results"), "random").notes
    assert "seed1.json: was interrupted, so a new run may have other games and other results" in told
    assert "seed1.json: 80 decisions, more than the budget of 64" in told
    assert "seed1.json: learned on cuda, so a new run may have other results" in told
    assert any(note.startswith("the runs used different machines, or different settings of one") for note in told)
    change(place, **found | {"commit": "abc+"})
    Path("results/old/Tiny-v1/random").mkdir(parents=True)
    shutil.copy(place, "results/old/Tiny-v1/random")
    assert bench("--check", "results") == 1
    assert "results/old: 1 JSON files are not checked" in capsys.readouterr().out
    assert bench("--check", "results", "--json") == 1
    out = json.loads(capsys.readouterr().out)
    assert out["is_good"] is False and {one["algorithm"]: one["is_complete"] for one in out["rows"]} == {
        "Columns": True,
        "random": True,
    }


def test_results_that_are_not_good_are_not_submitted(stranger, capsys):
    Path("results/Tiny-v2/Columns/seed1.json").unlink()
    assert bench("--algorithm", "mine.py:Columns", "--results", "results", "--submit", "out") == 1
    assert "cannot be submitted yet: Tiny-v2: missing seeds: 1" in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["--submit", "out"], 2, "--submit needs --algorithm NAME or FILE.py:CLASS"),
        (["--submit", "results", "--algorithm", "random"], 2, "exists already and is not empty"),
        (["--submit", "out", "--algorithm", "a2c"], 1, "results: contains no results of a2c"),
        (["Base-rows-200k", "--submit", "out", "--algorithm", "random"], 1, "no results of random on Base-rows-200k"),
        (["--check", "nowhere"], 1, "nowhere: not a folder"),
        (["--check", "."], 1, "contains no results of the benchmark (files <task>/<algorithm>/seed<n>.json)"),
    ],
)
def test_wrong_words_are_one_line(words, status, told, stranger, capsys):
    assert bench(*words, "--results", "results") == status
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1


def test_nothing_of_a_strangers_folder_is_run(stranger):
    Path("results/mine.py").write_text("raise SystemExit('run')\n")
    assert row(Path("results")).apart[0].startswith("this checkout has algorithm: Columns@")
    Path("results/mine.py").write_text("no Python\n")
    assert row(Path("results")).apart == ["mine.py: invalid syntax (<unknown>, line 1)"]


# --- the plan ---------------------------------------------------------------------------------------------------------
def test_the_plan_has_every_task_and_says_what_is_left(tmp_path, capsys):
    assert bench("--plan", "--json", "--workers", 2, "--results", tmp_path) == 0
    told = json.loads(capsys.readouterr().out)
    long = tasks.HEADLINE.at(tasks.LONG * tasks.HEADLINE.decisions)
    assert {row["task"] for row in told["rows"]} == {task.id for task in (*tasks.TASKS, long)}
    assert all(row["left"] == row["seeds"] and row["hours_per_seed"] > 0 for row in told["rows"])
    assert (
        told["hours"]
        == told["hours_left"]
        == pytest.approx(sum(row["seeds"] * row["hours_per_seed"] for row in told["rows"]), abs=0.01)
    )
    assert told["hours"] / told["cores"] <= 40
    seeds = {(row["task"], row["algorithm"]): row["seeds"] for row in told["rows"]}
    assert seeds[tasks.HEADLINE.id, "a2c"] == 10 and seeds[long.id, "a2c"] == 3


def test_what_was_measured_is_not_left(tmp_path):
    place = tmp_path / "Base-debug-20k-v2" / "random" / "seed1.json"
    place.parent.mkdir(parents=True)
    place.touch()
    found = {(row["task"], row["algorithm"]): row["left"] for row in benchmark_plan.plan(tmp_path)}
    assert found["Base-debug-20k-v2", "random"] == 4 and found["Base-debug-20k-v2", "greedy"] == 5


def test_the_time_of_a_run_is_that_of_learning_and_of_all_its_games():
    task = tasks.task("Base-debug-20k")
    speeds = {
        "decisions_per_s": {benchmark_plan.kind(task): {"a2c": 100.0}},
        "seconds_per_pair": {benchmark_plan.kind(task): dict.fromkeys(tasks.JUDGES, 1.0)},
    }
    pairs = task.eval_pairs * len(tasks.JUDGES) + (task.checks + 1) * task.check_pairs * len(tasks.CHECKERS)
    assert benchmark_plan.hours(benchmark_plan.Row(task, "a2c", 5), speeds) == pytest.approx((200 + pairs) / 3600)


def test_without_speeds_it_says_how_they_are_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(benchmark_plan.read_speeds, "__defaults__", (tmp_path / "none.json",))
    assert bench("--plan") == 1
    assert "python -m training.benchmark_plan measures the speeds" in capsys.readouterr().err


def test_a_task_without_speeds_is_named():
    row = benchmark_plan.Row(tasks.HEADLINE, "a2c", 5)
    with pytest.raises(RunError, match="the speeds of Base-rows-200k are unknown"):
        benchmark_plan.hours(row, {"seconds_per_pair": {}})


def test_a_speed_is_taken_after_a_beginning_and_ends(monkeypatch):
    monkeypatch.setattr(benchmark_plan, "SECONDS", 0.0)
    budget = benchmark_plan.Timed(10**9)
    with pytest.raises(benchmark_plan.Enough):
        while True:
            budget.spend(500)
            sum(range(10**5))
    assert budget.made == benchmark_plan.WARM + 500 and budget.speed > 0
