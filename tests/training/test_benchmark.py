"""Tests of `carc benchmark` with tiny tasks: every algorithm on planes, on candidates and in self-play, results,
interruptions, and seeds in parallel.
"""

import dataclasses
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import carc_env
from carc_env import ConfigError
from carc_env.bots.keen import KeenBot
from carc_env.bots.rollout import RolloutBot
from carc_env.commands import cli
from carc_env.compiling import jit
from carc_env.games.games import Games
from tests.modes import later, nightly
from training import algorithms, benchmark, ppo, results, seed_run, tasks
from training.state import RunError
from training.tasks import Task

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "my_algorithm.py"
TINY = dataclasses.replace(
    tasks.task("Base-debug-20k"), name="Tiny", decisions=64, checks=2, check_pairs=1, eval_pairs=1, seeds=2
)
SEEN = {
    "candidates": TINY,
    "planes": dataclasses.replace(TINY, name="TinyPlanes", observation="planes"),
    "self": dataclasses.replace(TINY, name="TinySelf", opponent="self"),
    "three": dataclasses.replace(TINY, name="TinyThree", preset="goldmines", players=3),
}
pytestmark = pytest.mark.skipif(not jit.is_compiled(), reason="whole games; the rules are not what is tested here")


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """Return a function that runs the command with tiny tasks and tiny algorithms, in a temporary folder."""
    from training import clone_greedy, expert_iteration, ppo_single_file, sb3_algorithms

    monkeypatch.setattr(tasks, "TASKS", (*tasks.TASKS, *SEEN.values()))
    for kind in (sb3_algorithms.MaskablePPO, sb3_algorithms.PPO):
        monkeypatch.setattr(
            kind, "arguments", sb3_algorithms.PPO_SETTINGS | {"n_steps": 4, "batch_size": 16, "n_epochs": 1}
        )
    monkeypatch.setattr(sb3_algorithms.A2C, "arguments", sb3_algorithms.A2C.arguments | {"n_steps": 2})
    for kind in (sb3_algorithms.DQN, sb3_algorithms.QRDQN):
        monkeypatch.setattr(
            kind, "arguments", sb3_algorithms.OFF_POLICY | {"buffer_size": 100, "learning_starts": 16, "batch_size": 8}
        )
    monkeypatch.setattr(
        ppo_single_file.PPO.__init__,
        "__defaults__",
        (ppo_single_file.Settings(steps=2, minibatch=16, epochs=1, width=8), "cpu"),
    )
    monkeypatch.setattr(clone_greedy.Clone, "settings", clone_greedy.Clone.settings | {"steps": 1})
    monkeypatch.setattr(
        expert_iteration.ExpertIteration,
        "settings",
        expert_iteration.ExpertIteration.settings | {"games": 4, "steps": 8, "searched": 4, "stacks": 2, "tiles": 1},
    )
    monkeypatch.setattr(RolloutBot, "named", classmethod(searching_little))
    monkeypatch.chdir(tmp_path)
    return lambda *words: benchmark.main([str(word) for word in words])


def searching_little(kind, spec, seed):
    """Return the bot `rollout` with two playouts. With the usual number, whole games take seconds."""
    bot = kind(seed, playouts=2, depth=0)
    bot.name = spec
    return bot


def one(folder: Path, *parts: str) -> dict:
    return results.read(folder.joinpath("benchmarks", *parts))


BOTS = ("random", "greedy", "keen", "rollout")
LEARNERS = [name for name in algorithms.NAMES if name not in BOTS]
# PPO and A2C use the code of MaskablePPO, and DQN uses the code of QR-DQN. They also learn in tests/networks.
LATER = {("planes", name) for name in LEARNERS if name not in ("ppo", "a2c", "dqn", "expert-iteration")}
IN_EVERY_RUN = {("candidates", "expert-iteration"), ("self", "ppo-single-file"), ("three", "reinforce")}


@pytest.mark.parametrize(
    "seen, name",
    [
        (seen, name) if (seen, name) in IN_EVERY_RUN else (later if (seen, name) in LATER else nightly)(seen, name)
        for seen, name in itertools.product(SEEN, LEARNERS)
    ],
)
def test_every_algorithm_learns_and_is_measured(name, seen, bench, tmp_path, capsys):
    task = SEEN[seen]
    assert bench(task.name, "--algorithm", name, "--seeds", 1) == 0
    told = one(tmp_path, task.id, name, "seed1.json")
    assert told["decisions"] >= 64 and told["illegal"] == 0 and told["breaks"] == 0
    assert told["seconds"] > 0 and told["processor_seconds"] > 0
    assert [match["opponent"] for match in told["final"]] == list(tasks.JUDGES)
    assert {len(match[key]) for match in told["final"] for key in ("wins", "margins")} == {1}
    assert told["final"][-1]["agent"] == f"{task.preset}-quick"
    decisions = [point["decisions"] for point in told["curve"]]
    assert decisions[0] == 0 and decisions[-1] == told["decisions"]
    assert [match["opponent"] for match in told["curve"][0]["matches"]] == list(tasks.CHECKERS)
    assert told["task"] == task.to_dict() and told["settings"] and told["libraries"]["carc_env"]
    assert told["machine"]["cores"] and told["machine"]["device"] == "cpu" and told["machine"]["threads"] == 1
    assert not list((tmp_path / "runs").rglob("*.safetensors"))


@pytest.mark.parametrize("name", ["random", "greedy", nightly("keen"), nightly("rollout")])
def test_lines_to_compare_with_learn_nothing(name, bench, tmp_path):
    assert bench("Tiny", "--algorithm", name, "--seeds", 1) == 0
    told = one(tmp_path, TINY.id, name, "seed1.json")
    assert told["decisions"] == 0 and len(told["curve"]) == 1 and told["versions"]["network"] == "none"
    if name == "greedy":
        assert told["final"][1]["wins"] == [0.5] and told["final"][1]["margins"] == [0]


def test_decks_differ_between_seeds_and_between_curve_and_evaluation(bench, tmp_path):
    """The margins of `random` against `greedy` differ from deck to deck, so equal margins would mean equal decks."""
    assert bench("Tiny", "--algorithm", "greedy", "--seeds", 2) == 0
    told = [one(tmp_path, TINY.id, "greedy", f"seed{seed}.json") for seed in (1, 2)]
    margins = [tuple(one_["final"][0]["margins"]) for one_ in told]  # against random
    assert len(set(margins)) == 2
    keen = [results.match_of(of, "keen")["margins"] for of in (told[0]["final"], told[0]["curve"][0]["matches"])]
    assert keen[0] != keen[1]


def test_two_algorithms_are_judged_on_the_same_decks(bench, tmp_path):
    file = tmp_path / "twin.py"
    file.write_text(
        "from training.fixed import Greedy\n\n\nclass Twin(Greedy):\n    def act(self, seen):\n        pass\n"
    )
    for name in ("greedy", "twin.py:Twin"):
        assert bench("Tiny", "--algorithm", name, "--seeds", 1) == 0
    ours, theirs = (one(tmp_path, TINY.id, name, "seed1.json")["final"] for name in ("greedy", "Twin"))
    assert [match["margins"] for match in ours] == [match["margins"] for match in theirs]


def test_a_result_is_kept_and_a_budget_of_ones_own_stands_by_itself(bench, tmp_path, capsys):
    assert bench("Tiny", "--algorithm", "random", "--seeds", 2) == 0
    before = [place.stat().st_mtime_ns for place in sorted(tmp_path.rglob("seed*.json"))]
    assert len(before) == 2
    assert bench("Tiny", "--algorithm", "random", "--seeds", 2) == 0
    assert [place.stat().st_mtime_ns for place in sorted(tmp_path.rglob("seed*.json"))] == before
    assert bench("Tiny", "--algorithm", "random", "--seeds", 1, "--again") == 0
    assert [place.stat().st_mtime_ns for place in sorted(tmp_path.rglob("seed*.json"))] != before
    assert bench("Tiny", "--algorithm", "random", "--seeds", 1, "--decisions", 7) == 0
    assert (tmp_path / "benchmarks" / "Tiny-v2-at-7" / "random" / "seed1.json").is_file()
    capsys.readouterr()
    assert bench("Tiny", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [(line["algorithm"], line["seeds"]) for line in told["lines"]] == [("random", 2)]
    assert bench("TinySelf") == 0 and "there are no results for TinySelf-v2 yet" in capsys.readouterr().out


def test_nothing_but_json_is_printed_where_it_is_asked_for(bench, capsys):
    assert bench("Tiny", "--algorithm", "random", "--seeds", 1, "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["lines"][0]["algorithm"] == "random" and "0 of 64 decisions" in err


@pytest.mark.long
def test_the_example_of_stable_baselines3_learns_and_is_measured(bench, tmp_path):
    example = EXAMPLE.with_name("my_maskable_ppo.py")
    assert bench("Tiny", "--algorithm", f"{example}:Own", "--seeds", 1) == 0
    result = one(tmp_path, "Tiny-v2", "Own", "seed1.json")
    assert result["decisions"] >= 64 and all(match["illegal"] == 0 for match in result["final"])


@pytest.mark.parametrize(
    "name",
    ["maskable-ppo", "clone", *map(later, ("a2c", "qr-dqn", "ppo-single-file", "reinforce", f"{EXAMPLE}:Columns"))],
)
def test_an_interrupted_seed_goes_on(name, bench, tmp_path, monkeypatch, capsys):
    task = TINY.at(200)
    monkeypatch.setattr(seed_run, "SAVE_SECONDS", 0.0)
    save, saved = seed_run.Run.save, []

    def save_and_break(run):
        save(run)
        saved.append(run.made)
        raise KeyboardInterrupt

    words = ["Tiny", "--decisions", 200, "--algorithm", name, "--seeds", 1]
    monkeypatch.setattr(seed_run.Run, "save", save_and_break)
    assert bench(*words) == 130
    assert "the same command continues" in capsys.readouterr().err
    (state,) = (tmp_path / "runs").rglob("state.safetensors")
    monkeypatch.setattr(seed_run.Run, "save", save)
    run = seed_run.Run(task, name, 1, state.parent)
    arrays = seed_run.state.read(state)[0]
    assert run.made == saved[0] > 0 and all(
        np.array_equal(array, arrays[key]) for key, array in run.algorithm.state().items()
    )
    assert bench(*words) == 0
    told = one(tmp_path, task.id, algorithms.name_of(name), "seed1.json")
    assert told["decisions"] >= 200 and told["breaks"] == 1 and told["curve"][0]["decisions"] == 0
    assert not state.exists()


def test_a_state_of_another_version_is_refused(bench, tmp_path, monkeypatch):
    folder = tmp_path / "state"
    run = seed_run.Run(TINY, "reinforce", 1, folder)
    run.made = 20
    run.save()
    with pytest.raises(
        RunError,
        match="this state was saved with other versions: task: Tiny-v2@.*; game: .*; use --again to start again",
    ):
        seed_run.Run(dataclasses.replace(TINY, rows=9), "reinforce", 1, folder)
    kind = algorithms.find("reinforce")
    monkeypatch.setattr(kind, "settings", kind.settings | {"games": 5})
    with pytest.raises(
        RunError, match="this state was saved with other versions: settings: settings@.*, not settings@"
    ):
        seed_run.Run(TINY, "reinforce", 1, folder)


def test_a_state_that_the_algorithm_cannot_take_is_refused(bench, tmp_path):
    run = seed_run.Run(TINY, "reinforce", 1, tmp_path / "state")
    run.made = 20
    run.save()
    arrays, told = seed_run.state.read(tmp_path / "state" / "state.safetensors")
    name = next(name for name in arrays if name.startswith("policy."))
    seed_run.state.write(
        tmp_path / "state" / "state.safetensors", arrays | {name: np.zeros((3, 1, 4), np.float32)}, told
    )
    with pytest.raises(
        RunError, match="this state does not fit the algorithm reinforce: .*; use --again to start again"
    ):
        seed_run.Run(TINY, "reinforce", 1, tmp_path / "state")


def test_a_result_tells_all_commits_that_it_was_learned_at(bench, tmp_path, monkeypatch):
    for commit in ("aaa", "bbb", "bbb"):
        monkeypatch.setattr(seed_run, "commit", lambda: commit)
        run = seed_run.Run(TINY, "reinforce", 1, tmp_path / "state")
        run.made += 20
        run.save()
    assert run.result([])["commit"] == "aaa, bbb"


def test_a_seed_that_is_run_again_and_interrupted_goes_on(bench, tmp_path, monkeypatch, capsys):
    words = ["Tiny", "--algorithm", "reinforce", "--seeds", 1]
    assert bench(*words) == 0
    place = tmp_path / "benchmarks" / "Tiny-v2" / "reinforce" / "seed1.json"
    first = place.read_bytes()
    monkeypatch.setattr(seed_run, "SAVE_SECONDS", 0.0)
    save = seed_run.Run.save

    def save_and_break(run):
        save(run)
        raise KeyboardInterrupt

    monkeypatch.setattr(seed_run.Run, "save", save_and_break)
    assert bench(*words, "--again") == 130 and place.read_bytes() == first
    assert "the same command without --again continues" in capsys.readouterr().err
    monkeypatch.setattr(seed_run.Run, "save", save)
    assert bench(*words) == 0
    assert one(tmp_path, "Tiny-v2", "reinforce", "seed1.json")["breaks"] == 1 and not list(
        (tmp_path / "runs").rglob("*.safetensors")
    )


def test_wrong_words_take_no_state_away(bench, tmp_path):
    state = tmp_path / "runs" / "benchmark" / "Tiny-v2" / "reinforce" / "seed1" / "state.safetensors"
    state.parent.mkdir(parents=True)
    state.write_bytes(b"hours of work")
    assert bench("Tiny", "--algorithm", "reinforce", "--seeds", 1, "--again", "--backend", "dask") == 2
    assert state.read_bytes() == b"hours of work"


def test_an_algorithm_of_ones_own_learns(bench, tmp_path):
    assert bench("Tiny", "--decisions", 3000, "--algorithm", f"{EXAMPLE}:Columns", "--seeds", 1) == 0
    curve = one(tmp_path, "Tiny-v2-at-3000", "Columns", "seed1.json")["curve"]
    first, last = (np.mean(results.match_of(point["matches"], "greedy")["margins"]) for point in (curve[0], curve[-1]))
    assert last > first + 30


IDLE = """
class Idle:
    def __init__(self, task, seed):
        self.envs = task.environment(2)

    def fit(self, budget):
        if {spends}:
            budget.spend(16)
        observations, _ = self.envs.reset(seed=1)
        if {is_illegal}:
            self.envs.step([95, 95])
        while {forgets} and budget.left > 0:
            pass

    def act(self, observations):
        return observations["action_mask"].argmax(1)
"""


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("nothing", "Idle, seed 1, idle.py: `fit` returned after 0 of "),
        ("spends", "Idle, seed 1, idle.py: `fit` returned after 16 of "),
        ("is_illegal", "Idle, seed 1, idle.py: game 0: action 95 is not legal"),
        (
            "forgets",
            "Idle, seed 1, idle.py: `fit` has read `budget.left` 20,000 times without a call of `budget.spend`",
        ),
    ],
)
def test_an_algorithm_of_ones_own_that_does_not_learn_is_named(bench, tmp_path, capsys, does, told):
    (tmp_path / "idle.py").write_text(
        IDLE.format(**{word: word == does for word in ("spends", "is_illegal", "forgets")})
    )
    assert bench("Tiny", "--algorithm", "idle.py:Idle", "--seeds", 1) == 1
    assert told in capsys.readouterr().err and not (tmp_path / "Tiny-v2").exists()


CARELESS = """
import numpy as np

class Careless:
    settings = {settings}

    def __init__(self, task, seed):
        pass

    def fit(self, budget):
        while budget.left > 0:
            budget.spend({spent})

    def act(self, observations):
        actions = observations["action_mask"].argmax(1)
        return {actions}
"""


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"actions": "actions * 1.0"},
            "`act` should return the index of a candidate, an int from 0 to 95, for each of ",
        ),
        (
            {"actions": "actions + 96"},
            "`act` should return the index of a candidate, an int from 0 to 95, for each of ",
        ),
        ({"actions": "0"}, "not int64[]: 0"),
        ({"actions": "actions[:1]"}, "not int64[1]: ["),
        ({"spent": "4.0"}, "budget.spend(4.0): should be an int from 0 up"),
        ({"spent": "-1"}, "budget.spend(-1): should be an int from 0 up"),
        ({"settings": "{'lr': np.float32(3)}"}, "`settings` cannot be written as JSON: Object of type float32"),
        ({"settings": "3"}, "settings = 3: should be a dict"),
    ],
)
def test_an_algorithm_of_ones_own_with_a_mistake_gets_one_line(bench, tmp_path, capsys, wrong, told):
    (tmp_path / "careless.py").write_text(
        CARELESS.format(**{"settings": "{}", "spent": "16", "actions": "actions"} | wrong)
    )
    assert bench("Tiny", "--algorithm", "careless.py:Careless", "--seeds", 1) == 1
    said = capsys.readouterr().err
    assert told in said and "Careless, seed 1, careless.py: " in said and "Traceback" not in said


def test_an_algorithm_of_ones_own_that_has_changed_is_not_taken_for_measured(bench, tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(EXAMPLE.read_text())
    words = ["Tiny", "--algorithm", "mine.py:Columns", "--seeds", 1]
    assert bench(*words) == 0 and bench(*words) == 0
    file.write_text(EXAMPLE.read_text() + "# a comment changes nothing\n")
    assert bench(*words) == 0
    file.write_text(EXAMPLE.read_text().replace("+ 0.1", "+ 0.2"))
    capsys.readouterr()
    assert bench(*words) == 1
    assert "this result was measured with other versions (algorithm: Columns@" in capsys.readouterr().err
    assert bench(*words, "--again") == 0


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["Base-planes-2M"], 2, "no task 'Base-planes-2M'; the tasks are Base-rows-200k, "),
        ([], 2, "a TASK is missing; see --list"),
        (
            ["Tiny", "--algorithm", "sac"],
            2,
            "no algorithm 'sac'; choose one of maskable-ppo, ppo, a2c, dqn, qr-dqn, ppo-single-file, reinforce, clone, "
            "expert-iteration, random, greedy, keen, rollout, or name a class of your own as FILE.py:CLASS",
        ),
        (["Tiny", "--algorithm", "none.py:Mine"], 2, "there is no file none.py"),
        (["Tiny", "--algorithm", f"{EXAMPLE}:Rows"], 2, "the file has no class Rows"),
        (["Tiny", "--algorithm", f"{EXAMPLE}:best_candidates"], 2, "best_candidates has no method fit and no act"),
        (
            ["Tiny", "--algorithm", "random", "--address", "tcp://x:1"],
            2,
            "--backend dask and --backend ray need --address",
        ),
        (["Tiny", "--algorithm", "random", "--backend", "dask"], 2, "--backend dask and --backend ray need --address"),
        (["Tiny", "--algorithm", f"{EXAMPLE}:Columns", "--device", "cuda"], 2, "Columns learns only on the CPU"),
        (["all", "--seeds", 3], 2, "all has its own budgets and seeds: leave out --decisions and --seeds"),
    ],
)
def test_wrong_words_are_one_line(words, status, told, bench, capsys):
    if "--address" in words or "--backend" in words:
        pytest.importorskip("joblib")
    assert bench(*words) == status
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1 and err.startswith("training.benchmark: ")


def test_a_device_that_is_not_there_is_named_before_anything_is_learned(bench, monkeypatch, capsys):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert bench("Tiny", "--algorithm", "reinforce", "--device", "cuda") == 2
    assert capsys.readouterr().err == "training.benchmark: --device cuda: torch finds no GPU here\n"


@pytest.mark.parametrize(
    "name", ["reinforce", "clone", "expert-iteration", "ppo-single-file", "maskable-ppo", "qr-dqn"]
)
def test_algorithms_with_a_network_put_it_on_the_device_that_they_get(name, bench, monkeypatch):
    """Uses `cpu:0`, another name of the CPU, so that the test needs no GPU."""
    given = []
    kind = algorithms.find(name)
    monkeypatch.setattr(algorithms, "check_device", lambda spec, device: given.append((spec, device)))
    one = algorithms.made(name, TINY, 1, "cpu:0")
    network = one.model.policy if hasattr(one, "model") else one._network
    assert isinstance(one, kind) and given == [(name, "cpu:0")]
    assert {parameter.device.type for parameter in network.parameters()} == {"cpu"}


def test_the_list_names_tasks_and_algorithms_without_loading_torch():
    program = "import sys; from carc_env.commands.cli import main; status = main(['benchmark', '--list']); sys.exit(status or 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(task.name in done.stdout for task in tasks.TASKS) and "algorithms: maskable-ppo, " in done.stdout


def test_tasks_have_names_of_their_own_and_say_what_they_are():
    assert len({task.name for task in tasks.TASKS}) == len(tasks.TASKS)
    for task in tasks.TASKS:
        assert task.id == f"{task.name}-v{task.version}" and task.at(task.decisions) is task
        assert not task.observation_spec.price and task.config.players == task.players
    headline, base_planes = (task for task in tasks.TASKS if task.seeds == tasks.HEADLINE_SEEDS)
    assert headline == tasks.HEADLINE and base_planes.observation == "planes" and base_planes.preset == "base"
    with pytest.raises(ConfigError):
        Task("Bad", "no such preset", "planes", 5)
    with pytest.raises(ConfigError, match="observation = 'rows': should be planes or candidates"):
        Task("Bad", "base", "rows", 5)


def test_no_task_trains_against_a_held_out_judge():
    assert set(tasks.HELD_OUT) <= set(tasks.JUDGES)
    assert {task.opponent for task in tasks.TASKS}.isdisjoint(tasks.HELD_OUT)
    held_out = (
        "keen",
        "rollout:ms=5",
        "ppo",
        ["greedy", "ppo:base-quick"],
        "learned",
        "mcts",
        "expectimax:2",
        "level:6",
    )
    for opponent in (*held_out, carc_env.make_bot("keen"), [carc_env.make_bot("learned")], KeenBot):
        with pytest.raises(ConfigError, match="may train only against random, greedy, self, or a bot of your own"):
            TINY.environment(1, opponent)
    for opponent in ("self", "random", None, carc_env.make_bot("greedy"), lambda game: game.legal_actions()[0]):
        TINY.environment(1, opponent).close()


@pytest.mark.parametrize("seen", SEEN)
def test_a_seed_is_a_stream_of_games_of_its_own(seen):
    """Checks that two seeds, and two parts of a training run, have no deck in common."""
    decks = []
    for seed, made in ((1, 0), (2, 0), (1, 500)):
        envs = SEEN[seen].environment(16)
        envs.reset(seed=algorithms.seed_for(seed, made))
        decks += [envs.games.game(i).deck for i in range(16)]
    assert len({tuple(deck) for deck in decks}) == len(decks)


@pytest.mark.stress
@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_seeds_learn_side_by_side(backend, bench, tmp_path, monkeypatch):
    """Checks on this machine and with two workers of Dask that each seed gives the same result as alone."""
    monkeypatch.delattr(RolloutBot, "named")  # the workers use the usual judge
    pytest.importorskip("joblib")
    words = ["Tiny", "--algorithm", "greedy", "--seeds", 2, "--workers", 2]
    if backend == "loky":
        assert bench(*words) == 0
    else:
        distributed = pytest.importorskip("distributed")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
        ) as cluster:
            assert bench(*words, "--backend", "dask", "--address", cluster.scheduler_address) == 0
    assert bench("Tiny", "--algorithm", "greedy", "--seeds", 2, "--results", "alone") == 0
    for seed in (1, 2):
        side_by_side, alone = (
            one(tmp_path, "Tiny-v2", "greedy", f"seed{seed}.json"),
            results.read(tmp_path / "alone" / "Tiny-v2" / "greedy" / f"seed{seed}.json"),
        )
        assert [match["margins"] for match in side_by_side["final"]] == [match["margins"] for match in alone["final"]]


def test_without_its_libraries_it_says_so(bench, monkeypatch, capsys):
    monkeypatch.setattr(ppo, "LIBRARIES", ("torch", "missing_one"))
    assert bench("Tiny", "--algorithm", "reinforce") == 1
    assert capsys.readouterr().err == 'training.benchmark: training needs missing_one: pip install ".[train]"\n'
    assert bench("Tiny", "--algorithm", "greedy", "--seeds", 1) == 0


def test_the_command_of_the_package_is_the_same(bench, capsys):
    assert cli.main(["benchmark", "Tiny", "--algorithm", "random", "--seeds", "1"]) == 0
    assert "random                 1          0" in capsys.readouterr().out
    assert cli.main(["benchmark", "Nothing"]) == 2
    assert capsys.readouterr().err.startswith("carc benchmark: no task 'Nothing'")


def test_the_learner_itself_sits_in_the_other_seat():
    """In self-play, the algorithms of Stable-Baselines3 learn for one seat. Checks that the other seat plays legal
    actions of the same network.
    """
    algorithm = algorithms.find("ppo")(SEEN["self"], 1)
    env = algorithm.model.env
    observations = env.reset()
    assert (observations["action_mask"].sum(1) > 0).all()
    games = Games("base", 3, range(3))
    bot = env.unwrapped.batch._opponents.bots[0]
    assert bot.model is algorithm.model
    assert games.are_legal(bot.ask(games)).all()
