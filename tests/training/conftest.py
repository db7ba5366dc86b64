"""Training in small: games of the eight tiles of The Goldmines, and few of them."""

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
if not jit.is_compiled():  # the engine is slow then
    TINY |= {"games": 2, "steps": 4, "minibatch": 4}


@pytest.fixture(scope="session")
def tiny():
    """Make a TrainConfig for very short games; settings can be changed by name."""

    def make(**changes: Any) -> TrainConfig:
        return TrainConfig.from_dict(TINY | changes)

    return make


@pytest.fixture
def tiny_file(tmp_path):
    """Write such a configuration to a file."""

    def write(name: str = "tiny", **changes: Any) -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(tomli_w.dumps(TINY | changes))
        return path

    return write
