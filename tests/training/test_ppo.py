"""Tests of whole training runs on a small scale: the report, the files, and resuming."""

import json
import math
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from carc_env.bots import checkpoint
from carc_env.setup.config import GameConfig
from training import files, teacher
from training.config import TrainConfig
from training.learner import COLUMNS, Learner
from training.ppo import FAILED, GOOD, INTERRUPTED, WRONG_USAGE, main, what_next

ROOT = Path(__file__).parents[2]


def train(config: Path, folder: Path, *more: str) -> int:
    """Run the command in this process, and return its exit status."""
    return main(["--config", str(config), "--run", str(folder), *more])


def test_a_whole_training(tiny_file, tmp_path, capsys):
    config, folder = tiny_file(), tmp_path / "run"
    assert train(config, folder) == GOOD
    told = capsys.readouterr().out
    assert len(re.findall(r"^update \d/4 .* illegal 0 ", told, re.MULTILINE)) == 4
    assert "95 % interval" in told
    assert f"carc match ppo:{folder}/checkpoint greedy --preset {folder}/game.toml --pairs 1000" in told
    assert GameConfig.from_toml(folder / "game.toml") == TrainConfig.from_toml(config).game_config
    result = json.loads((folder / "result.json").read_text())
    decisions = TrainConfig.from_toml(config).decisions
    assert (result["updates"], result["steps"], result["illegal"]) == (4, decisions, 0)
    assert [match["b"] for match in result["results"]] == ["random", "greedy"]
    for match in result["results"]:
        assert match["pairs"] == 1 and match["illegal"] == 0
        assert 0 <= match["ci95"][0] <= match["win_rate_a"] <= match["ci95"][1] <= 1
    rows = files.read_progress(folder / "progress.csv")
    assert [row["update"] for row in rows] == [1, 2, 3, 4] and set(rows[0]) == set(COLUMNS)
    assert all(row["illegal"] == 0 for row in rows) and np.isnan(rows[0]["check"]) and 0 <= rows[1]["check"] <= 1
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((folder / "tensorboard").glob("events.*"))
    card = checkpoint.read(folder / "checkpoint").card
    assert card.strength == result["results"] and card.steps == decisions and card.training["width"] == 8
    assert card.training["game"] == {"boxes": ["goldmines"]} and card.preset == "custom"


def test_what_comes_next_names_what_was_played_and_what_was_learned(tmp_path, monkeypatch):
    """Checks that the commands name the preset, and the value network of the teacher if one was accepted."""
    words = what_next(TrainConfig(preset="base"), tmp_path)
    assert "greedy --preset base --pairs" in words and "learned:" not in words
    monkeypatch.setattr(teacher, "value_agent", lambda config, folder: folder / "value" / "round-2")
    words = what_next(TrainConfig(preset="france"), tmp_path)
    assert f"match learned:{tmp_path}/teacher/value/round-2 greedy --preset france --pairs 1000" in words


def test_runs_with_neighbouring_seeds_have_no_game_in_common(tiny):
    first, second = ({*Learner(tiny(seed=seed)).env.batch.np_random_seed} for seed in (1, 2))
    assert len(first) == len(second) == tiny().games
    assert not first & second


def test_going_on_gives_the_same_bits(tiny):
    straight = Learner(tiny())
    for _ in range(4):
        straight.learn()
    first = Learner(tiny())
    for _ in range(2):
        first.learn()
    arrays, rest = first.state()
    data, text = safetensors.numpy.save(dict(arrays)), json.dumps(rest)
    second = Learner(tiny())
    second.learn()  # this is forgotten when the state is set
    second.set_state(safetensors.numpy.load(data), json.loads(text))
    for _ in range(2):
        second.learn()
    (a, about_a), (b, about_b) = straight.state(), second.state()
    assert a.keys() == b.keys()
    assert [key for key in a if not np.array_equal(a[key], b[key])] == []
    assert about_a | {"seconds": 0} == about_b | {"seconds": 0}
    assert not np.array_equal(a["policy.score.logit.0.weight"], arrays["policy.score.logit.0.weight"])


def test_interrupted_and_gone_on_with(tiny_file, tmp_path, capsys, monkeypatch):
    config, folder = tiny_file(), tmp_path / "run"
    assert train(config, tmp_path / "straight") == GOOD
    learn = Learner.learn

    def interrupted(learner):
        if learner.update == 2:
            raise KeyboardInterrupt
        return learn(learner)

    monkeypatch.setattr(Learner, "learn", interrupted)
    assert train(config, folder) == INTERRUPTED
    assert f"--config {config} --resume --run {folder}" in capsys.readouterr().out
    monkeypatch.setattr(Learner, "learn", learn)
    with open(folder / "progress.csv", "a") as file:  # a line of an update that was not saved
        file.write("3" + "," * (len(COLUMNS) - 1) + "\n")
    assert train(config, folder, "--resume") == GOOD
    assert "continuing after update 2" in capsys.readouterr().out
    assert [row["update"] for row in files.read_progress(folder / "progress.csv")] == [1, 2, 3, 4]
    for name in ("checkpoint.safetensors",):
        assert (folder / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()


@pytest.mark.long
def test_ctrl_c_stops_the_command_and_keeps_the_run(tiny_file, tmp_path):
    config, folder = tiny_file(updates=10**6), tmp_path / "run"
    command = [sys.executable, "-m", "training.ppo", "--config", str(config), "--run", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("update 2/"):
            process.send_signal(signal.SIGINT)
            break
    out, err = process.communicate(timeout=120)
    assert process.returncode == INTERRUPTED and "--resume" in out and "Traceback" not in err
    assert files.saved_update(folder) >= 2


def test_figures_read_and_written_again_stay_the_same(tmp_path):
    row = dict.fromkeys(COLUMNS, math.nan) | {
        "update": 7,
        "steps": 1_622_016,
        "games": 1_234_567,
        "margin": 1.25,
        "win_rate": 1.0,
    }
    figures = files.Figures(tmp_path, 0)
    figures.add(row)
    figures.close()
    text = (tmp_path / "progress.csv").read_bytes()
    assert b"1622016" in text
    for _ in range(2):
        files.Figures(tmp_path, 7).close()
        assert (tmp_path / "progress.csv").read_bytes() == text


def test_a_run_is_never_overwritten(tiny_file, tmp_path, capsys):
    config, folder = tiny_file(updates=1, check_pairs=0, eval_pairs=0), tmp_path / "run"
    assert train(config, folder) == GOOD
    before = (folder / "resume.safetensors").read_bytes()
    capsys.readouterr()
    assert train(config, folder) == FAILED
    assert "a run of 1 updates; continue it with --resume" in capsys.readouterr().err
    assert (folder / "resume.safetensors").read_bytes() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    assert train(config, tmp_path / "mine") == FAILED
    assert "is not empty" in capsys.readouterr().err
    assert train(config, tmp_path / "mine" / "thesis.txt" / "run") == FAILED
    assert "Not a directory" in capsys.readouterr().err


def test_resuming_needs_a_run_and_its_own_configuration(tiny_file, tmp_path, capsys):
    small = {"updates": 1, "check_pairs": 0, "eval_pairs": 0}
    folder = tmp_path / "run"
    assert train(tiny_file(**small), folder, "--resume") == FAILED
    assert "there is no run to continue" in capsys.readouterr().err
    assert train(tiny_file(**small), folder) == GOOD
    assert train(tiny_file("other", **small, width=9), folder, "--resume") == FAILED
    assert "began with width = 8" in capsys.readouterr().err
    assert train(tiny_file("longer", **small | {"updates": 2}), folder, "--resume") == GOOD
    assert files.saved_update(folder) == 2
    data = (folder / "resume.safetensors").read_bytes()
    (folder / "resume.safetensors").write_bytes(data[: len(data) // 2])
    capsys.readouterr()
    assert train(tiny_file(**small), folder, "--resume") == FAILED
    assert "this file is not the saved state of a run" in capsys.readouterr().err


def test_time_is_limited(tiny_file, tmp_path, capsys):
    config = tiny_file(updates=100, max_minutes=0.0, check_pairs=0, eval_pairs=0, save_every=5)
    assert train(config, tmp_path / "run") == GOOD
    assert "max_minutes = 0 is reached; training ends after update 1" in capsys.readouterr().out
    assert files.saved_update(tmp_path / "run") == 1


def test_time_that_the_teacher_has_used_up_leaves_one_update(tiny_file, tmp_path, capsys):
    """Checks that the report then contains no speed."""
    pytest.importorskip("pyarrow")
    lessons = {"lessons": 3, "lesson_steps": 1, "lesson_questions": 8, "lesson_games": 2, "value_rounds": 0}
    config = tiny_file(updates=5, max_minutes=0.0, check_pairs=0, eval_pairs=0, **lessons)
    assert train(config, tmp_path / "run") == GOOD
    assert "training ends after update 1" in capsys.readouterr().out
    assert json.loads((tmp_path / "run" / files.RESULT).read_text())["decisions_per_s"] is None
    assert json.loads((tmp_path / "run" / "checkpoint.json").read_text())["minutes"] > 0


def test_wrong_configurations(tmp_path, capsys):
    path = tmp_path / "faulty.toml"
    path.write_text("speed = 3")
    assert train(path, tmp_path / "run") == WRONG_USAGE
    err = capsys.readouterr().err
    assert "unknown key 'speed'" in err and err.count("\n") == 1 and not (tmp_path / "run").exists()
