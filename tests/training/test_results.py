"""Tests of the results of the benchmark: the figures and the page made from them, and the files that are refused."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from training import benchmark_data, benchmark_report, results, tasks, versions
from training.state import RunError
from training.tasks import Task

ROOT = Path(__file__).parents[2]
TASK, PAIRS = tasks.task("Base-debug-20k"), 8
VERSIONS = {
    "task": "Base-debug-20k-v2@1",
    "game": "base-2@1",
    "protocol": "protocol@1",
    "bots": {judge: f"{judge}@1" for judge in tasks.JUDGES},
    "algorithm": "good@1",
    "network": "networks@1",
    "settings": "settings@1",
}


def match(opponent: str, won: float, pairs: int = PAIRS) -> dict:
    """Return a match with the win rate `won`. The pairs alternate between slightly more and slightly fewer wins."""
    wins = [won + min(0.1, won, abs(1 - won)) * (-1) ** pair for pair in range(pairs)]
    margins = [100 * one - 50 for one in wins]
    return {"opponent": opponent, "agent": None, "wins": wins, "margins": margins, "illegal": 0, "ms_per_move": [1, 1]}


def result(name: str, seed: int, won: float, decisions: int = 20_000, of: Task = TASK, **versions: object) -> dict:
    """Return a result that has the same win rate against every judge."""
    points = [
        {
            "decisions": at,
            "seconds": at / 200,
            "processor_seconds": at / 400,
            "matches": [match(checker, won * at / max(1, decisions)) for checker in tasks.CHECKERS],
        }
        for at in sorted({0, decisions // 2, decisions})
    ]
    return {
        "format": 3,
        "task": of.to_dict(),
        "algorithm": name,
        "file": None,
        "seed": seed,
        "settings": {},
        "versions": VERSIONS | {"task": f"{of.id}@1", "algorithm": f"{name}@1"} | versions,
        "decisions": decisions,
        "seconds": 120.0,
        "processor_seconds": 60.0,
        "breaks": 0,
        "illegal": 0,
        "curve": points,
        "final": [match(judge, won) for judge in tasks.JUDGES],
        "libraries": {"torch": "2"},
        "machine": {"processor": "one", "cores": 2, "device": "cpu", "threads": 1, "workers": 1},
        "commit": "abc",
    }


@pytest.fixture
def folder(tmp_path):
    for seed in range(1, 5):
        results.write(tmp_path, result("good", seed, 0.1 * seed + 0.4))
        results.write(tmp_path, result("bad", seed, 0.25))
    results.write(tmp_path, result("random", 1, 0.1, 0))
    return tmp_path


def test_lines_stand_in_the_order_of_strength(folder):
    found = results.lines(folder, TASK)
    assert [(line.algorithm, line.seeds) for line in found] == [("good", 4), ("bad", 4), ("random", 1)]
    good, _, random = found
    assert good.score.value == good.win_rate["ppo"].value == pytest.approx(0.65)
    assert good.margin["greedy"].value == pytest.approx(15.0)
    assert 0.5 <= good.score.low < 0.65 < good.score.high <= 0.8
    assert good.area.value == pytest.approx((0 + 0.325 + 0.65) / 3)  # the mean over the three points of the curve
    assert good.reached_decisions == 10_000 and good.reached_cpu_minutes == pytest.approx(25 / 60)
    assert good.spread == pytest.approx(np.std([0.5, 0.6, 0.7, 0.8], ddof=1)) and good.spread_of_games > 0
    assert (good.ms_per_action, good.breaks, good.illegal) == (1.0, 0, 0)
    assert (good.decisions_per_s, good.decisions_per_processor_s) == pytest.approx((20_000 / 120, 20_000 / 60))
    assert good.versions == {"algorithm": "good@1", "network": "networks@1", "settings": "settings@1"}
    assert random.decisions_per_s is None and random.reached_decisions is None and random.area is None
    assert random.score.low < random.score.value < random.score.high  # because its pairs differ


def test_the_score_is_of_the_held_out_judges_alone(tmp_path):
    one = result("one", 1, 0.5)
    for match_ in one["final"]:
        if match_["opponent"] in ("random", "greedy"):
            match_["wins"] = [1.0] * PAIRS
        if match_["opponent"] == "keen":
            match_["wins"] = [0.2] * PAIRS
    results.write(tmp_path, one)
    assert results.lines(tmp_path, TASK)[0].score.value == pytest.approx((0.2 + 0.5 + 0.5) / 3)


def test_a_curve_has_the_points_that_all_seeds_have(tmp_path):
    results.write(tmp_path, result("one", 1, 0.5))
    later = result("one", 2, 0.7)
    later["curve"][1]["decisions"] += 900  # the update that reaches a point of the curve may end later
    later["curve"][2:] = []
    results.write(tmp_path, later)
    found = results.of_task(tmp_path, TASK)["one"]
    assert results.along(found, "decisions").tolist() == [0.0, 10_450.0]
    assert [figure.value for figure in results.curve(found, "greedy", "wins")] == pytest.approx([0.0, 0.3])


def test_a_win_rate_is_reached_if_the_mean_over_seeds_stays_there(tmp_path):
    def reached(*rates: tuple[float, float]) -> float | None:
        """Return the number of decisions after which two seeds reach a win rate of 25 %. `rates` has one win rate per
        seed for each point of the learning curve.
        """
        for seed in (1, 2):
            one = result("one", seed, 0.5)
            for point, won in zip(one["curve"], rates):
                point["matches"] = [match(checker, won[seed - 1]) for checker in tasks.CHECKERS]
            results.write(tmp_path, one)
        return results.reached(results.of_task(tmp_path, TASK)["one"], "decisions")

    assert reached((0.0, 0.0), (0.6, 0.0), (0.5, 0.1)) == 10_000  # one seed alone is below 25 %
    assert reached((0.0, 0.0), (0.6, 0.0), (0.3, 0.1)) is None  # the rate falls below 25 % again
    assert reached((0.3, 0.3), (0.0, 0.0), (0.3, 0.3)) == 20_000
    assert reached((0.3, 0.3), (0.3, 0.3), (0.3, 0.3)) == 0


def test_bots_stand_after_the_algorithms_that_learn(folder):
    for seed in range(1, 5):
        results.write(folder, result("greedy", seed, 0.9, 0))
    told = benchmark_data.of_task(folder, TASK)
    assert [line["algorithm"] for line in told["lines"]] == ["good", "bad", "greedy", "random"]
    assert [line["beats_next"] and line["beats_next"]["value"] for line in told["lines"]] == [1.0, None, None, None]
    assert list(told["curves"]) == ["good", "bad", "greedy", "random"]


def test_algorithms_with_equal_scores_are_named(folder):
    for seed, won in enumerate((0.5, 0.6, 0.3, 0.3), 1):
        results.write(folder, result("twin", seed, won))
    data = benchmark_data.gather(folder)
    assert data["tasks"][0]["twins"] == [{"algorithms": ["good", "twin"], "equal": 2, "seeds": 4}]
    assert "In 2 of 4 seeds, `good` and `twin` have the same score." in benchmark_report.page(data)


@pytest.mark.parametrize("kind", ["task", "game", "protocol", "bots", "algorithm", "network", "settings"])
def test_results_of_different_versions_are_not_shown_together(kind, folder):
    changed = {"bots": VERSIONS["bots"] | {"keen": "keen@2"}}.get(kind, f"{kind}@2")
    results.write(folder, result("good", 5, 0.5, **{kind: changed}))
    what = "bot keen: keen@2, not keen@1" if kind == "bots" else f"{kind}: {kind}@2, not "
    with pytest.raises(RunError, match=what) as error:
        results.lines(folder, TASK)
    assert "good/seed5.json: its versions differ from those of" in str(error.value)


def test_algorithms_of_different_code_stand_side_by_side(folder):
    results.write(folder, result("other", 1, 0.5, algorithm="other@9", network="none", settings="settings@9"))
    assert "other" in [line.algorithm for line in results.lines(folder, TASK)]


def test_another_game_of_another_algorithm_is_refused_too(folder):
    results.write(folder, result("other", 1, 0.5, game="base-2@9"))
    with pytest.raises(RunError, match="other/seed1.json: its versions differ from those of bad/seed1.json"):
        results.lines(folder, TASK)


def pool_tasks(folder: Path) -> list[Task]:
    """Write results for two tasks of a pool. The first task has one more seed than the second. Returns the tasks."""
    found = [task for task in tasks.TASKS if task.pool == "rows"][:2]
    for task, seeds in zip(found, (6, 5)):
        for seed in range(1, seeds + 1):
            results.write(folder, result("good", seed, 0.1 * seed, of=task))
            results.write(folder, result("bad", seed, 0.1, of=task))
    results.write(folder, result("lonely", 1, 0.9, of=found[0]))
    for seed in (1, 2, 3, 4, 6):
        results.write(folder, result("patchy", seed, 0.9, of=found[0]))
        results.write(folder, result("patchy", seed, 0.9, of=found[1]))
    return found


def test_pooled_tasks_have_as_many_seeds_each_and_the_debug_task_is_none(folder):
    found = pool_tasks(folder)
    data = benchmark_data.gather(folder)
    (pool,) = data["pools"]
    assert pool["pool"] == "rows" and pool["tasks"] == [task.id for task in found] and pool["seeds"] == 5
    assert [line["algorithm"] for line in pool["lines"]] == ["good", "bad"]
    # the pool has seeds 1 to 5; seed 6 has no result on the second task, and `patchy` is left out without seed 5
    assert pool["lines"][0]["score"]["value"] == pytest.approx(0.3)
    assert pool["lines"][0]["beats_next"]["value"] == pytest.approx(0.9) and pool["lines"][1]["beats_next"] is None
    assert TASK.id in [task["id"] for task in data["tasks"]] and not TASK.pool


def test_tasks_with_another_version_of_the_algorithm_are_not_pooled(folder):
    _, second = pool_tasks(folder)
    for seed in range(1, 6):
        results.write(folder, result("good", seed, 0.5, of=second, network="networks@2"))
    with pytest.raises(RunError, match="network: networks@2, not networks@1.*cannot be combined"):
        benchmark_data.gather(folder)


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ({"bots": VERSIONS["bots"] | {"rollout:playouts=64": "rollout:playouts=64@2-9"}}, "bot rollout:playouts=64: "),
        ({"bots": VERSIONS["bots"] | {"rollout:playouts=64": "rollout:playouts=64@1-9"}}, None),
        ({"protocol": "protocol@2"}, "protocol: "),
        ({"settings": "settings@9", "game": "other-2@1"}, None),
    ],
)
def test_tasks_are_pooled_if_all_that_is_no_game_is_the_same(what, told):
    """Checks that two tasks can be pooled if their protocol, algorithm, network and bots are the same. Of a bot, only
    the code must be the same, because its network differs between presets.
    """
    first, second = (
        result("good", 1, 0.5, of=task, **of)
        for task, of in zip([task for task in tasks.TASKS if task.pool == "rows"], ({}, what))
    )
    found = results.unlike(second, first)
    assert found == [] if told is None else len(found) == 1 and found[0].startswith(told)


@pytest.mark.parametrize(
    ("settings", "what", "told"),
    [
        ({"rate": 0.1, "decisions": 5}, {}, None),
        ({"rate": 0.2, "decisions": 1}, {}, "settings: "),
        ({"rate": 0.1, "decisions": 1}, {"game": "base-2@2"}, "game: base-2@2"),
        ({"rate": 0.1, "decisions": 1}, {"bots": VERSIONS["bots"] | {"ppo": "ppo@1-2"}}, "bot ppo: ppo@1-2"),
    ],
)
def test_two_budgets_of_a_task_differ_in_nothing_else(settings, what, told):
    first = result("good", 1, 0.5, of=tasks.HEADLINE) | {"settings": {"rate": 0.1, "decisions": 1}}
    long = result("good", 1, 0.5, of=tasks.HEADLINE.at(10**6), **what) | {"settings": settings}
    found = results.unlike(long, first)
    assert found == [] if told is None else len(found) == 1 and found[0].startswith(told)


def test_a_result_says_neither_how_many_seeds_are_needed_nor_with_what_it_is_pooled(tmp_path):
    """The task in this checkout determines both. A result whose task is not in this checkout is not pooled."""
    mine = dataclasses.replace(TASK, seeds=1, pool="rows")
    results.write(tmp_path, result("good", 1, 0.5, of=mine))
    assert results.measured(tmp_path) == [TASK] and results.lines(tmp_path, TASK)[0].needed == TASK.seeds
    other = dataclasses.replace(TASK, rows=9, version=1, pool="rows")
    assert results.current(other) == dataclasses.replace(other, pool="")


def test_a_copied_result_is_no_further_seed(folder):
    results.path(folder, TASK, "good", 9).write_text(results.path(folder, TASK, "good", 1).read_text())
    with pytest.raises(RunError, match="seed9.json: contains the result of seed 1 of good on Base-debug-20k-v2"):
        results.lines(folder, TASK)


def test_the_ranking_is_compared_with_that_of_a_longer_training(tmp_path):
    long = tasks.HEADLINE.at(tasks.LONG * tasks.HEADLINE.decisions)
    for task, wins in ((tasks.HEADLINE, (0.2, 0.3, 0.4)), (long, (0.5, 0.7, 0.6))):
        for number, won in enumerate(wins):
            for seed in range(1, tasks.LONG_SEEDS + 1):
                results.write(tmp_path, result(f"number{number}", seed, won, task.decisions, task))
    told = benchmark_data.gather(tmp_path)["long"]
    assert told["agreement"]["value"] == pytest.approx(1 / 3) and [line["rank"] for line in told["lines"]] == [2, 1, 3]
    assert told["agreement"]["low"] <= 1 / 3 <= told["agreement"]["high"] and told["seeds"] == [[3] * 3] * 2
    assert [line["algorithm"] for line in told["lines"]] == ["number1", "number2", "number0"]
    assert [line["later_rank"] for line in told["lines"]] == [1, 2, 3] and told["ceiling"] == 1.0
    assert [line["gain"]["value"] for line in told["lines"]] == pytest.approx([0.4, 0.2, 0.3])
    (swap,) = told["swaps"]
    assert swap["algorithms"] == ["number1", "number2"] and (swap["before"]["value"], swap["later"]["value"]) == (0, 1)
    assert "| `number1` and `number2` | 0.00 (0.00 to 0.00) | 1.00 (1.00 to 1.00) |" in benchmark_report.swapped(told)
    assert benchmark_report.swapped(told | {"swaps": []}) == "Both rankings have the same order.\n\n"
    scores = {name: {"value": value} for name, value in (("a", 0.1 + 0.2), ("b", 0.3), ("c", 0.2))}
    assert [benchmark_data.rank(scores, name) for name in scores] == [1, 1, 3]  # equal scores have the same rank
    assert "Kendall's tau-b of the two rankings is 0.33 (" in benchmark_report.page(benchmark_data.gather(tmp_path))


def test_a_file_that_is_no_result_is_named(folder):
    place = results.path(folder, TASK, "good", 1)
    whole = result("good", 1, 0.5)
    for text, told in (
        ("{", "not a result of the benchmark"),
        ("{}", "not a result of the benchmark"),
        ("[]", "not a result of the benchmark"),
        ('{"format": 1}', "this result has the format 1 instead of 3, so it comes from another version"),
        ('{"format": 3}', "it lacks task, algorithm, "),
        (json.dumps(whole | {"task": {"speed": 1}}), "not a result of the benchmark"),
        (json.dumps(whole | {"versions": 3}), "not a result of the benchmark"),
        (json.dumps(whole | {"versions": {"bots": {}}}), "versions should have a string for each of task, game"),
        (json.dumps(whole | {"seed": "1"}), "seed = '1': should be an integer of at least 0"),
        (json.dumps(whole | {"curve": [{"decisions": 0}]}), "it lacks 'seconds'"),
        (json.dumps(whole | {"final": [match("keen", 0.5) | {"margins": []}]}), "should have one number for each pair"),
        (json.dumps(whole | {"final": [match("keen", 1.5)]}), "wins against keen should be between 0 and 1"),
        (json.dumps(whole | {"final": [match("keen", 0.5) | {"ms_per_move": [1]}]}), "should be two numbers"),
        (json.dumps(whole | {"machine": {}}), "machine should have cores, device, processor, threads, workers"),
        (json.dumps({key: value for key, value in whole.items() if key != "curve"}), "it lacks curve"),
    ):
        place.write_text(text)
        with pytest.raises(RunError, match=told) as error:
            results.read(place)
        assert str(place) in str(error.value)


def test_a_judge_that_a_seed_did_not_meet_is_named(folder):
    one = result("good", 2, 0.5)
    one["final"] = [match_ for match_ in one["final"] if match_["opponent"] != "keen"]
    results.write(folder, one)
    with pytest.raises(RunError, match="good: some seeds lack pairs of games against keen"):
        results.lines(folder, TASK)


def test_the_page_the_json_and_the_pictures_are_made_of_the_results(folder, tmp_path):
    pool_tasks(folder)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "benchmark_old.png").touch()
    assert benchmark_report.main(["--results", str(folder), "--docs", str(docs)]) == 0
    text, data = (docs / "benchmark_results.md").read_text(), json.loads((docs / "benchmark_results.json").read_text())
    assert (
        "| `good` | 4 of 5 | 65.0 (" in text
        and "| `good` | 20,000 | " in text
        and "| `random` | 0 |" not in text  # `random` does not learn
        and "## Base-debug-20k-v2" in text
    )
    assert "carc benchmark Base-debug-20k --algorithm good --seeds 1 --results again" in text
    assert [line["algorithm"] for line in data["tasks"][-1]["lines"]] == ["good", "bad", "random"]
    assert data["tasks"][-1]["lines"][0]["score"]["value"] == pytest.approx(0.65)
    assert data["tasks"][-1]["scores"]["good"] == pytest.approx({str(seed): 0.1 * seed + 0.4 for seed in range(1, 5)})
    assert data["tasks"][-1]["improvement"]["good"]["random"]["value"] == 1.0
    assert "| algorithm | version of the algorithm | version of the network | version of the settings |" in text
    assert "Carcassonne-rows-200k" not in text  # this task has no results
    drawn = sorted(path.name for path in docs.glob("*.png"))
    assert drawn == [
        "benchmark_Base-debug-20k-v2.png", "benchmark_Base-rows-200k-v2.png", "benchmark_Goldmines-rows-200k-v2.png",
        "benchmark_profiles_rows.png", "benchmark_scores_Base-debug-20k-v2.png",
        "benchmark_scores_Base-rows-200k-v2.png", "benchmark_scores_Goldmines-rows-200k-v2.png",
    ]  # fmt: skip
    assert all((docs / name).stat().st_size > 10_000 for name in drawn)


def test_the_terminal_shows_what_the_page_does(folder):
    table = benchmark_report.text_table(results.lines(folder, TASK)).splitlines()
    assert len(table) == 4 and table[0].split()[:5] == ["algorithm", "seeds", "decisions", "score", "random"]
    assert table[1].startswith("good                   4     20,000  65.0% (") and "65.0% +15.0" in table[1]


# --- the results in this checkout -------------------------------------------------------------------------------------
def test_the_page_tells_what_was_measured():
    """Checks that the page and its JSON file in `docs` match the results in `benchmarks`."""
    data = benchmark_data.gather(ROOT / "benchmarks")
    for name, text in (("md", benchmark_report.page(data)), ("json", json.dumps(data, indent=1) + "\n")):
        assert (ROOT / "docs" / f"benchmark_results.{name}").read_text(encoding="utf-8") == text, "run `make docs`"
    for task in data["tasks"]:
        assert all((ROOT / "docs" / f"benchmark_{kind}{task['id']}.png").is_file() for kind in ("", "scores_"))


def test_a_task_that_was_measured_has_not_changed_since():
    """Checks that no measured task has changed. Anybody who changes a task must increase its version."""
    known = {task.id: task for task in tasks.TASKS}
    for place in results.places(ROOT / "benchmarks"):
        task = Task(**results.read(place)["task"])
        assert task.id not in known or versions.of_task(known[task.id]) == versions.of_task(task)


def test_every_task_and_algorithm_stands_on_the_page():
    from training.algorithms import NAMES

    text = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    for task in tasks.TASKS:
        row = (
            f"| `{task.name}` | `{task.preset}` | {task.players} | {task.observation} | `{task.opponent}` | "
            f"{task.decisions:,} | {task.eval_pairs} | {task.seeds} |"
        )
        assert row in text
    assert all(f"| `{name}` |" in text for name in NAMES)


def test_the_page_names_the_algorithms_that_a_table_lacks(folder):
    """`random` has a result; the other algorithms of the published tables have none, except those made up for tests."""
    page = benchmark_report.page(benchmark_data.gather(folder))
    assert "The table is incomplete: it still lacks `maskable-ppo`," in " ".join(page.split())
    assert "lacks `random`" not in page and ", `random`" not in page
