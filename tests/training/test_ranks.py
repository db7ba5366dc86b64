"""Tests of several processes (ranks) that train one network together: they learn what one process learns from as many
games, and a run can be resumed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from carc_env.common.exit_status import FAILED, GOOD
from tests.training import ranks_program
from training import files
from training.ppo import main, parser, what_is_kept
from training.ranks import ALONE, Ranks, threads_of

ROOT = Path(__file__).parents[2]
ALIKE = {  # no action is drawn, so games do not depend on the rank that plays them
    "share_self": 0.0, "share_past": 0.0, "share_greedy": 1.0, "share_random": 0.0, "entropy": 0.0, "updates": 2,
    "epochs": 1,
}  # fmt: skip
HALF = 2  # games of each of two ranks


def torchrun(ranks: int, *words: object) -> subprocess.CompletedProcess:
    """Run a module in `ranks` processes."""
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        str(ranks),
        "-m",
        "--",
    ]
    return subprocess.run(
        [*command, *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=400,
    )


@pytest.fixture(scope="module")
def one_rank(tiny, tmp_path_factory):
    """Return the arrays of the state that one process learns."""
    config = tiny(**ALIKE, games=2 * HALF, minibatch=2 * HALF * tiny().steps)
    folder = tmp_path_factory.mktemp("one")
    ranks_program.main(str(folder), json.dumps({"alike": (config.to_dict(), False)}))
    return safetensors.numpy.load_file(folder / "alike")


@pytest.fixture(scope="module")
def two_ranks(tiny, tmp_path_factory):
    """Return the arrays of the states that two processes learn together: with half of the games each, and with other
    settings, without a break and resumed.
    """
    alike, other = tiny(**ALIKE, games=HALF, minibatch=HALF * tiny().steps).to_dict(), tiny().to_dict()
    tasks = {"alike": (alike, False), "straight": (other, False), "resumed": (other, True)}
    folder = tmp_path_factory.mktemp("two")
    done = torchrun(2, "tests.training.ranks_program", folder, json.dumps(tasks))
    assert done.returncode == 0, done.stderr
    return {name: safetensors.numpy.load_file(folder / name) for name in tasks}


@pytest.mark.long
def test_two_ranks_learn_what_one_learns_from_twice_the_games(one_rank, two_ranks):
    one, two = one_rank, two_ranks["alike"]
    assert np.array_equal(one["env.returns"], np.r_[two["env.returns"], two["rank1.env.returns"]])  # the same games
    for name in (name for name in one if name.startswith("policy.")):
        np.testing.assert_allclose(two[name], one[name], rtol=0, atol=2e-5, err_msg=name)
    moments = [name for name in one if name.startswith("optimizer.") and name.endswith("exp_avg")]
    assert sum(np.abs(one[name]).max() > 1e-4 for name in moments) > 4  # there was something to learn
    for name in moments:
        np.testing.assert_allclose(two[name], one[name], rtol=0.02, atol=2e-4, err_msg=name)


@pytest.mark.long
def test_ranks_go_on_with_the_same_bits(two_ranks):
    straight, resumed = two_ranks["straight"], two_ranks["resumed"]
    assert straight.keys() == resumed.keys()
    assert [key for key in straight if not np.array_equal(straight[key], resumed[key])] == []
    assert not np.array_equal(straight["env.returns"], straight["rank1.env.returns"])  # each rank has its own games


@pytest.mark.stress
def test_the_command_in_two_ranks(tiny_file, tmp_path, capsys):
    lessons = {"lessons": 1, "lesson_games": 2, "lesson_steps": 2, "value_rounds": 0}
    config, folder = tiny_file(**lessons), tmp_path / "run"
    done = torchrun(2, "training.ppo", "--config", config, "--run", folder)
    assert done.returncode == GOOD, done.stderr
    assert done.stdout.count("learned from") == 1 and "2 ranks" in done.stdout
    rows = files.read_progress(folder / "progress.csv")
    told = json.loads((folder / "result.json").read_text())
    config_of = json.loads((folder / "checkpoint.json").read_text())["training"]
    assert [row["update"] for row in rows] == [1, 2, 3, 4] and rows[0]["lesson_loss"] > 0 and rows[-1]["illegal"] == 0
    assert told["steps"] == 2 * (config_of["updates"] - 1) * config_of["games"] * config_of["steps"]

    assert main(["--config", str(config), "--run", str(folder), "--resume"]) == FAILED
    assert "this run began with 2 processes, but now there is 1" in capsys.readouterr().err


def test_an_interrupted_run_tells_the_command_that_goes_on(tmp_path, monkeypatch):
    arguments = parser().parse_args(["--config", "some.toml", "--run", str(tmp_path)])
    (tmp_path / files.RESUME).touch()
    monkeypatch.setattr(files, "saved_update", lambda folder: 7)
    assert f"-m training.ppo --config some.toml --resume --run {tmp_path}" in what_is_kept(arguments, tmp_path)
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    monkeypatch.setenv("MASTER_ADDR", "one.example")
    told = what_is_kept(arguments, tmp_path)
    assert "torchrun --nnodes 2 --rdzv-backend c10d --rdzv-endpoint one.example:29500 --nproc-per-node 2 -m" in told
    monkeypatch.setenv("WORLD_SIZE", "2")
    told = what_is_kept(arguments, tmp_path)
    assert "update 7" in told and "torchrun --nproc-per-node 2 -m -- training.ppo --config some.toml --resume" in told


def test_one_process_says_what_is_wrong(tmp_path):
    done = torchrun(2, "training.ppo", "--config", tmp_path / "none.toml")
    assert done.returncode != GOOD and done.stderr.count("No such file") == 1


def test_ranks_of_a_machine_share_its_cores():
    assert ALONE.leads and threads_of(4, ALONE) == 4
    assert threads_of(4, Ranks(1, 4, here=2)) == 2 and threads_of(2, Ranks(0, 4, here=4)) == 1
    advantages = np.array([[1.0, 2.0], [3.0, 6.0]], np.float32)
    ALONE.normalise(advantages)
    assert abs(advantages.mean()) < 1e-6 and abs(advantages.std(ddof=1) - 1) < 1e-6
