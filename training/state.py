"""Read and write the state of a run. The state is one file with arrays and a JSON-serialisable dict. Reading the file
does not execute any code.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from carc_env.bots.checkpoint import write_whole


class RunError(ValueError):
    """Raised if a run cannot be started or continued. The message gives the reason."""


def write(path: Path, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
    """Write a state atomically, so that the file is never incomplete."""
    write_whole(
        path,
        safetensors.numpy.save(
            {key: np.asarray(array, order="C") for key, array in arrays.items()}, {"json": json.dumps(rest)}
        ),
    )


def read(path: Path, *needed: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what `write` wrote. Raises RunError if the file is not valid, or if its dict lacks a key in `needed`."""
    if not path.is_file():
        raise RunError(f"{path.parent}: there is no run to continue; leave out --resume to begin one")
    try:
        with safetensors.safe_open(path, "np") as file:
            names = file.keys()  # a list, because the file itself is not iterable
            arrays, rest = {name: file.get_tensor(name) for name in names}, json.loads(file.metadata()["json"])
    except (safetensors.SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path}: this file is not the saved state of a run: {error}") from None
    for name in needed:
        if name not in rest:
            raise RunError(f"{path}: this file is the saved state of another command, because it lacks {name}")
    return arrays, rest


def fresh_folder(folder: Path, state: str | None = None) -> Path:
    """Make the folder of a new run. Returns the folder. Raises RunError if the folder is not empty. `state` is the name
    of the state file of a run.
    """
    if state is not None and (folder / state).is_file():
        raise RunError(
            f"{folder}: this folder already contains a run; continue it with --resume, or name another folder with "
            "--run"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunError(f"{folder}: exists already and is not empty; name another folder with --run")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
