"""The folder of a run: runs/<name>/.

| file | content |
|---|---|
| `teacher/` | the teacher's self-play games, in data files (shards), and the teacher's learned value function |
| `resume.safetensors` | the state from which the next update continues; see Learner.state |
| `progress.csv` | the metrics, with one row per update |
| `tensorboard/` | the metrics of `progress.csv`, for TensorBoard |
| `checkpoint.safetensors`, `checkpoint.json` | the agent, and its model card |
| `game.toml` | the game configuration, if it is not a preset |
| `curve.png` | the learning curve |
| `result.json` | the results of the final evaluation |
"""

import csv
import io
import math
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from carc_env.bots.checkpoint import write_whole

from . import state
from .learner import COLUMNS, Learner
from .state import RunError

RESUME, PROGRESS, CHECKPOINT, CURVE, RESULT, TEACHER, GAME = (
    "resume.safetensors",
    "progress.csv",
    "checkpoint",
    "curve.png",
    "result.json",
    "teacher",
    "game.toml",
)
# Settings that may change when a run is resumed.
FREE = ("updates", "max_minutes", "save_every", "check_every", "check_pairs", "eval_pairs")


# --- the state of a run -----------------------------------------------------------------------------------------------
def save(folder: Path, learner: Learner) -> None:
    """Write the state of a run atomically."""
    arrays, rest = learner.state()
    state.write(folder / RESUME, arrays, {"config": learner.config.to_dict(), "state": rest})


def saved_update(folder: Path) -> int:
    """Return the number of updates that a saved run has made. Raises RunError if there is no valid state."""
    return state.read(folder / RESUME, "config", "state")[1]["state"]["update"]


def load(folder: Path, learner: Learner) -> None:
    """Restore a learner from the saved state of a run. Raises RunError if there is no valid state. Also raises RunError
    if the configuration has changed, except for changes of the fields in FREE.
    """
    arrays, data = state.read(folder / RESUME, "config", "state")
    began, now = data["config"], learner.config.to_dict()
    for key in now:
        if key not in FREE and began.get(key) != now[key]:
            raise RunError(
                f"{folder}: this run began with {key} = {began.get(key)!r}, but the configuration says "
                f"{now[key]!r}; only {', '.join(FREE)} may change"
            )
    ranks, now_ranks = 1 + len(data["state"].get("others", ())), learner.ranks.count
    if ranks != now_ranks:
        raise RunError(
            f"{folder}: this run began with {ranks} processes, but now there {'are' if now_ranks > 1 else 'is'} "
            f"{now_ranks}; continue with torchrun --nproc-per-node {ranks}"
        )
    learner.set_state(arrays, data["state"])


# --- figures --------------------------------------------------------------------------------------------------------
class Figures:
    """Writes the metrics of each update to progress.csv and TensorBoard. An interrupted run may have written metrics
    after its last saved update. The constructor removes these metrics.

    Args:
        folder: the folder of the run.
        update: the last update of the saved run. The metrics of later updates are removed.
    """

    def __init__(self, folder: Path, update: int):
        self._path = folder / PROGRESS
        self.rows = [row for row in read_progress(self._path) if row["update"] <= update]
        text = io.StringIO(newline="")
        csv.writer(text).writerows([COLUMNS, *map(_line, self.rows)])
        write_whole(self._path, text.getvalue().encode())
        self._board = SummaryWriter(folder / "tensorboard", purge_step=update + 1)

    def add(self, row: dict[str, float]) -> None:
        """Write the metrics of one update."""
        self.rows.append(row)
        with open(self._path, "a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow(_line(row))
        for key, value in row.items():
            if key != "update" and not math.isnan(value):
                self._board.add_scalar(f"train/{key}", value, int(row["update"]))
        self._board.flush()

    def close(self) -> None:
        """Close the TensorBoard file."""
        self._board.close()


def _line(row: dict[str, float]) -> list[str]:
    """Convert the metrics of an update to strings, in the order of COLUMNS. A missing value becomes an empty string."""
    values = [row.get(key, math.nan) for key in COLUMNS]
    return [
        "" if math.isnan(value) else str(int(value)) if float(value).is_integer() else f"{value:.6g}"
        for value in values
    ]


def read_progress(path: Path) -> list[dict[str, float]]:
    """Read the rows of the file `path`. Returns an empty list if the file does not exist. Missing values are nan."""
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: float(row[key] or "nan") for key in COLUMNS} for row in csv.DictReader(file)]


def fresh_folder(folder: Path) -> None:
    """Make the folder of a new run. Raises RunError if the folder is not empty."""
    if (folder / RESUME).is_file():
        raise RunError(
            f"{folder}: this folder already contains a run of {saved_update(folder)} updates; continue it with "
            f"--resume, or name another folder with --run"
        )
    state.fresh_folder(folder)
