"""Fixtures for small training runs: a few games with only the eight tiles of The Goldmines."""

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from carc_env.compiling import jit
from training.config import TrainConfig

TINY = {
    "game": {"boxes": ["goldmines"]},
    "updates": 4,
    "games": 4,
    "steps": 8,
    "minibatch": 16,
    "width": 8,
    "rows": 40,
    "past_every": 1,
    "past_kept": 2,
    "check_every": 2,
    "check_pairs": 1,
    "eval_pairs": 1,
}
if not jit.is_compiled():  # the engine is slow without the compiler
    TINY |= {"games": 2, "steps": 4, "minibatch": 4}


@pytest.fixture(scope="session")
def tiny():
    """Return a function that makes a TrainConfig for very short games. Settings can be changed by name."""

    def make(**changes: Any) -> TrainConfig:
        return TrainConfig.from_dict(TINY | changes)

    return make


@pytest.fixture
def tiny_file(tmp_path):
    """Return a function that writes such a configuration to a file and returns the path."""

    def write(name: str = "tiny", **changes: Any) -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(tomli_w.dumps(TINY | changes))
        return path

    return write
