"""Checks that each training command takes a device, and gives an error if the device does not exist."""

import importlib

import pytest

from carc_env.common.exit_status import WRONG_USAGE

torch = pytest.importorskip("torch")

COMMANDS = {
    "ppo": ["--config", "{config}", "--run", "{folder}"],
    "sb3": ["--config", "configs/sb3_base_planes_taught.toml", "--run", "{folder}"],
    "clone": ["no data set", "--config", "{config}", "--run", "{folder}"],
    "learn_values": ["--run", "{folder}"],
    "ppo_single_file": ["--decisions", "1"],
}


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is there")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_gpu_that_is_not_there(name, tiny_file, tmp_path, capsys):
    words = [word.format(config=tiny_file(), folder=tmp_path / "run") for word in COMMANDS[name]]
    assert importlib.import_module(f"training.{name}").main([*words, "--device", "cuda"]) == WRONG_USAGE
    error = capsys.readouterr().err
    assert "--device cuda: torch finds no GPU here" in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()
