"""The state of a run as one file: arrays, and what JSON knows. Nothing in it is run when it is read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from carc_env.checkpoint import write_whole


class RunError(ValueError):
    """A run cannot be begun or gone on with; the message says why and what to do."""


def write(path: Path, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
    """Write a state, as a whole or not at all."""
    write_whole(path, safetensors.numpy.save({key: np.asarray(array, order="C") for key, array in arrays.items()}, {"json": json.dumps(rest)}))


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What `write` wrote. Raises RunError."""
    if not path.is_file():
        raise RunError(f"{path.parent}: there is no run to go on with; leave out --resume to begin one")
    try:
        with safetensors.safe_open(path, "np") as file:
            return {key: file.get_tensor(key) for key in file.keys()}, json.loads(file.metadata()["json"])
    except (safetensors.SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path}: no state of a run: {error}") from None
