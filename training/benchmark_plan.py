"""List the runs of the published tables, and estimate how many hours the runs take: `carc benchmark --plan`.

The estimate uses speeds that were measured on one core. The file `training/speeds.json` contains the measured speeds:
the decisions per second of each algorithm on each task, and the seconds per pair of games against each opponent of the
evaluation. `python -m training.benchmark_plan` measures the speeds again.
"""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carc_env.bots.checkpoint import write_whole

from . import algorithms, results, seed_run
from .actor import ActorBot
from .algorithms import Budget
from .evaluation import match
from .ppo import commit
from .state import RunError
from .tasks import CHECKERS, HEADLINE, JUDGES, LONG, LONG_SEEDS, TASKS, Task

SPEEDS = Path(__file__).with_name("speeds.json")
BOTS = ("random", "greedy", "keen", "rollout")
LEARNERS = ("maskable-ppo", "ppo-single-file", "a2c", "qr-dqn", "reinforce", "clone", "expert-iteration")
HEADLINE_ONLY = ("ppo",)  # the network of `ppo` masks illegal actions, so `ppo` learns like `maskable-ppo`
SEARCHER = "rollout:playouts=64"  # the slowest evaluation opponent
WARM, SECONDS = 2500, 2.0  # decisions before the measurement; processor time of the measurement in seconds


@dataclass(frozen=True)
class Row:
    """A row of a published table. The row shows one algorithm on one task."""

    task: Task
    algorithm: str
    seeds: int

    def left(self, folder: Path) -> int:
        """Return the number of seeds that have no result yet."""
        wanted = range(1, self.seeds + 1)
        return sum(not results.path(folder, self.task, self.algorithm, seed).is_file() for seed in wanted)


def rows(algorithm: str | None = None) -> list[Row]:
    """Return all rows of the published tables. If `algorithm` is given, return only one row of this algorithm for each
    task in TASKS. These rows do not include the main task with `LONG` times its budget. The tasks are in the reverse
    order of TASKS, so short tasks come first.
    """
    if algorithm is not None:
        return [Row(task, algorithm, task.seeds) for task in TASKS[::-1]]
    found = [Row(task, name, task.seeds) for task in TASKS[::-1] for name in (*learners(task), *BOTS)]
    long = HEADLINE.at(LONG * HEADLINE.decisions)
    return found + [Row(long, name, LONG_SEEDS) for name in learners(long)]


def learners(task: Task) -> tuple[str, ...]:
    """Return the learning algorithms in the table of a task."""
    return LEARNERS + HEADLINE_ONLY * (task == HEADLINE)


def kind(task: Task) -> str:
    """Return one string with the fields of a task that affect the speed of a run. These fields are the preset, the
    number of players, the observation and the opponent.
    """
    return f"{task.preset}-{task.players}-{task.observation}-{task.opponent}"


# --- the estimate -----------------------------------------------------------------------------------------------------
def hours(row: Row, speeds: dict[str, Any]) -> float:
    """Estimate how many hours a training run with one seed takes on one core.

    The argument is a row of the published tables. The estimate includes the learning, the matches of the learning
    curve, and the evaluation. Raises RunError if the speed on the task is unknown.
    """
    task = row.task
    if kind(task) not in speeds["seconds_per_pair"]:
        raise RunError(f"the speeds of {task.name} are unknown; python -m training.benchmark_plan measures them")
    rate = speeds["decisions_per_s"][kind(task)].get(row.algorithm)
    pairs = speeds["seconds_per_pair"][kind(task)]
    once = sum(task.check_pairs * pairs[checker] for checker in CHECKERS)
    matches = (task.checks + 1 if rate else 1) * once + sum(task.eval_pairs * pairs[judge] for judge in JUDGES)
    searches = pairs[SEARCHER] * (task.eval_pairs * len(JUDGES) + task.check_pairs * len(CHECKERS))
    learning = task.decisions / rate if rate else 0.0
    return (learning + matches + searches * (row.algorithm == "rollout")) / 3600


def plan(folder: Path) -> list[dict[str, Any]]:
    """Return a list with one dict for each row of the published tables. Each dict has the number of seeds, the number
    of seeds without a result, and the hours per seed on one core. Raises RunError if the speeds are unknown.
    """
    speeds = read_speeds()
    return [
        {"task": row.task.id, "algorithm": row.algorithm, "seeds": row.seeds, "left": row.left(folder)}
        | {"hours_per_seed": round(hours(row, speeds), 3)}
        for row in rows()
    ]


def read_speeds(path: Path = SPEEDS) -> dict[str, Any]:
    """Read the measured speeds. Raises RunError if the file cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{path}: {error}; python -m training.benchmark_plan measures the speeds") from None


def tell(folder: Path, workers: int, as_json: bool) -> None:
    """Print the rows of the published tables and the estimated hours of their runs. The last line gives the total hours
    of all runs, and the total hours of the missing runs. If `workers` is greater than 1, the last line also tells how
    long the missing runs take in `workers` parallel processes.
    """
    found = plan(folder)
    whole, left = (sum(row[key] * row["hours_per_seed"] for row in found) for key in ("seeds", "left"))
    if as_json:
        print(json.dumps({"rows": found, "hours": round(whole, 2), "hours_left": round(left, 2), "cores": workers}))
        return
    print(f"{'task':32}{'algorithm':18}{'seeds':>6}{'left':>6}{'hours on one core':>17}")
    for row in found:
        took = row["seeds"] * row["hours_per_seed"]
        print(f"{row['task']:32}{row['algorithm']:18}{row['seeds']:>6}{row['left']:>6}{took:>17.2f}")
    print(
        f"\n{whole:.1f} hours on one core in total; the missing runs take {left:.1f} hours"
        + (f", or {left / workers:.1f} hours with --workers {workers}" if workers > 1 else "")
    )


# --- measuring --------------------------------------------------------------------------------------------------------
class Enough(Exception):
    """Raised to end a training run when the algorithm's speed has been measured."""


class Timed(Budget):
    """A budget for measuring the speed of an algorithm. The training ends as soon as the speed has been measured. The
    measurement begins after `WARM` decisions, and takes `SECONDS` seconds of processor time.
    """

    def __init__(self, decisions: int):
        super().__init__(decisions)
        self._began: tuple[int, float] | None = None
        self.speed = 0.0  # decisions per second of processor time

    def spend(self, decisions: int) -> None:
        """Count decisions. Raises Enough when the measurement is complete."""
        super().spend(decisions)
        now = time.process_time()
        if self._began is None:
            self._began = (self.made, now) if self.made >= WARM else None
        elif now - self._began[1] >= SECONDS:
            self.speed = (self.made - self._began[0]) / (now - self._began[1])
            raise Enough


def learning_speed(task: Task, algorithm: str) -> float:
    """Measure the learning speed of an algorithm on one core, in decisions per second."""
    budget = Timed(task.decisions)
    with contextlib.suppress(Enough):
        algorithms.made(algorithm, task, 1).fit(budget)
    return round(budget.speed, 1)


def pair_seconds(task: Task, judge: str) -> float:
    """Measure the seconds per pair of games on one core.

    An untrained network plays against the bot with the spec `judge`.
    """
    player = algorithms.made("ppo-single-file", task, 1)
    bot = ActorBot("untrained", player.act, task.observation_spec)
    pairs = 2 if judge == SEARCHER else 8
    match(bot, judge, task, 1, 0)
    began = time.process_time()
    match(bot, judge, task, pairs, 1)
    return round((time.process_time() - began) / pairs, 4)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the speeds and write them to a file. Returns the exit status."""
    found = argparse.ArgumentParser(
        "python -m training.benchmark_plan", description="Measure the speeds that --plan uses for its estimate."
    )
    found.add_argument("--out", type=Path, default=SPEEDS, metavar="FILE", help=f"the file for the speeds ({SPEEDS})")
    asked = found.parse_args(argv)
    seed_run.limit_threads(1)
    speeds: dict[str, Any] = {"machine": seed_run.machine("cpu"), "commit": commit()}
    speeds |= {"decisions_per_s": {}, "seconds_per_pair": {}}
    for name, task in {kind(task): task for task in reversed(TASKS)}.items():
        speeds["decisions_per_s"][name] = {one: learning_speed(task, one) for one in learners(task)}
        speeds["seconds_per_pair"][name] = {judge: pair_seconds(task, judge) for judge in JUDGES}
        print(name, speeds["decisions_per_s"][name], speeds["seconds_per_pair"][name], flush=True)
        write_whole(asked.out, (json.dumps(speeds, indent=1) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
