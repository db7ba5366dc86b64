"""Checks that commands such as `carc train` and `carc evaluate` run the modules of `training`, from any folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from carc_env.commands import cli, find_training
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED
from carc_env.setup.config import ConfigError
from training import config as configs
from training import ppo
from training.learner import Learner

ROOT = Path(__file__).parents[2]


def test_training_of_a_checkout_is_found_from_elsewhere(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "carc_env", "train", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0 and done.stdout.startswith("usage: carc train [-h] --config FILE"), done.stderr


def test_train_has_the_words_of_training_ppo(tiny_file, tmp_path, capsys):
    config, folder = tiny_file(updates=1, check_pairs=0, eval_pairs=0), tmp_path / "run"
    assert cli.main(["train", "--config", str(config), "--run", str(folder), "--device", "cpu"]) == GOOD
    told = capsys.readouterr().out
    assert "update 1/1" in told and (folder / "checkpoint.safetensors").is_file()
    assert f"evaluate ppo:{folder / 'checkpoint'} --against ppo" in told
    assert cli.main(["train", "--config", str(config), "--run", str(folder)]) == FAILED
    assert capsys.readouterr().err.startswith("carc train: ")


@pytest.mark.parametrize(("command", "again"), [(["train"], "carc train"), (None, "python -m training.ppo")])
def test_the_command_that_goes_on_is_the_one_that_was_given(tiny_file, tmp_path, capsys, monkeypatch, command, again):
    def interrupted(learner):
        raise KeyboardInterrupt

    monkeypatch.setattr(Learner, "learn", interrupted)
    words = ["--config", str(tiny_file()), "--run", str(tmp_path / "run")]
    assert (cli.main([*command, *words]) if command else ppo.main(words)) == INTERRUPTED
    assert f"{again} --config {words[1]} --resume --run {words[3]}\n" in capsys.readouterr().out


def test_wrong_words_are_one_line(capsys):
    with pytest.raises(SystemExit) as leaving:
        cli.main(["train", "--config", "quick", "--speed", "9"])
    assert leaving.value.code == 2
    assert capsys.readouterr().err == "carc train: unrecognized arguments: --speed 9 (see carc train --help)\n"
    assert cli.main(["train", "--config", "slow"]) == 2
    told = capsys.readouterr().err
    assert (
        told.startswith("carc train: no configuration 'slow': there is no such file, and the package contains base, ")
        and told.count("\n") == 1
    )


def test_without_its_libraries_training_says_so_before_it_begins(tiny_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ppo, "LIBRARIES", ("torch", "missing_one", "missing_two"))
    assert cli.main(["train", "--config", str(tiny_file()), "--run", str(tmp_path / "run")]) == FAILED
    assert capsys.readouterr().err == 'carc train: training needs missing_one, missing_two: pip install ".[train]"\n'
    assert not (tmp_path / "run").exists()


def test_evaluate_is_a_match(capsys):
    assert cli.main(["evaluate", "random", "--against", "random", "--pairs", "1", "--preset", "base"]) == 0
    assert "2 pairs" not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main(["evaluate", "random"])
    assert capsys.readouterr().err.startswith("carc evaluate: the following arguments are required: --against")


def test_every_command_of_training_is_one_of_carc(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    told = capsys.readouterr().out
    for command in find_training.MODULES:
        assert f"    {command}" in [line[: 4 + len(command)].rstrip() for line in told.splitlines()]
        assert find_training.module(command).parser(f"carc {command}").get_default("run")


# --- configurations by name -------------------------------------------------------------------------------------------
def test_a_configuration_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert configs.find("quick") == ROOT / "configs" / "quick.toml" and configs.find("quick").is_file()
    (tmp_path / "quick").mkdir()  # a folder of this name is ignored
    assert configs.find("quick").is_file()
    assert configs.find("mine.toml") == Path("mine.toml")
    (tmp_path / "mine").write_text("")
    assert configs.find("mine") == Path("mine")
    with pytest.raises(ConfigError, match="no configuration 'nothing'"):
        configs.find("nothing")


def test_a_commit_is_that_of_the_checkout_only(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "carc_env" / "training"
    package.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "--allow-empty", "-m", "theirs"],
        cwd=tmp_path,
        check=True,
    )
    monkeypatch.setattr(ppo, "__file__", str(package / "ppo.py"))
    assert ppo.commit() is None
