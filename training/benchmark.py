"""The benchmark: `python -m training.benchmark TASK --algorithm NAME`, or `carc benchmark`. The page docs/benchmark.md
describes the benchmark.

The command trains an algorithm with several seeds, evaluates each agent, and writes one result file per seed to the
folder `benchmarks/`. A seed that has a result file is not run again. After an interruption, the same command continues
the training from the last saved state under `runs/`. Progress is reported on standard error.

Exit status: 0 success, 1 failure, 2 invalid arguments, 130 interrupted.
"""

import argparse
import json
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from carc_env.arena import crew
from carc_env.commands import cli
from carc_env.common.errors import ConfigError
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, WRONG_USAGE

from . import algorithms, benchmark_check, benchmark_plan, results, versions
from .devices import add_device
from .ppo import RUNS, complain
from .seed_run import of_run, run_seed
from .state import RunError
from .tasks import TASKS, Task, task

ALL = "all"  # given instead of a task, this word selects all runs of the published tables


def main(argv: Sequence[str] | None = None) -> int:
    """Train, evaluate and report. Returns the exit status. For --help and invalid arguments, argparse raises
    SystemExit.
    """
    return start(parser().parse_args(argv))


def parser(command: str = "python -m training.benchmark") -> cli.Parser:
    """Return the argument parser. In usage and error messages, `command` is shown as the name of the program."""
    found = cli.Parser(
        command, description="Train an algorithm on a task from several seeds and evaluate it; see docs/benchmark.md."
    )
    found.set_defaults(run=start, command=command)
    found.add_argument(
        "task", metavar="TASK", nargs="?", help=f"the task (see --list), or {ALL} for the published tables"
    )
    found.add_argument("--list", action="store_true", help="list tasks and algorithms")
    found.add_argument(
        "--plan",
        action="store_true",
        help="show which runs of the published tables are missing, and how many hours they take",
    )
    found.add_argument(
        "--check", type=Path, metavar="DIR", help="check whether the results in a folder are complete and reproducible"
    )
    found.add_argument(
        "--submit", type=Path, metavar="DIR", help="copy the results of --algorithm to a new folder, for submission"
    )
    add_runs(found)
    add_means(found)
    found.add_argument("--json", action="store_true", help="print the output as JSON")
    return found


def add_runs(found: cli.Parser) -> None:
    """Add the options that select the algorithm, the seeds and the number of decisions."""
    found.add_argument(
        "--algorithm",
        metavar="NAME",
        help="the algorithm (see --list), or FILE.py:CLASS for one of your own; without --algorithm, the command shows "
        "the results of the task",
    )
    found.add_argument(
        "--seeds",
        type=cli.positive,
        metavar="N",
        help="run seeds 1 to N; the default is the number of seeds of the task",
    )
    found.add_argument(
        "--decisions",
        type=cli.positive,
        metavar="N",
        help="the number of decisions to learn from, instead of the task's budget; the results go to a separate folder",
    )
    found.add_argument(
        "--again",
        action="store_true",
        help="run seeds from the beginning even if they have a result or were interrupted",
    )


def add_means(found: cli.Parser) -> None:
    """Add the options for workers and folders."""
    found.add_argument(
        "--workers",
        type=cli.positive,
        default=1,
        metavar="N",
        help="the number of seeds that are trained at the same time (1); 2 or more need joblib",
    )
    found.add_argument(
        "--backend",
        choices=tuple(crew.CREWS),
        default="loky",
        help="the backend of joblib: processes on this machine (loky) or a cluster",
    )
    found.add_argument(
        "--address", metavar="A", help="the address of Dask's scheduler, such as tcp://host:8786, or of Ray's head node"
    )
    found.add_argument(
        "--threads", type=cli.positive, default=1, metavar="N", help="the number of torch threads for each seed (1)"
    )
    add_device(found)
    found.add_argument(
        "--results",
        type=Path,
        default=results.FOLDER,
        metavar="DIR",
        help=f"the folder with the results ({results.FOLDER})",
    )
    found.add_argument(
        "--run",
        type=Path,
        default=RUNS / "benchmark",
        metavar="DIR",
        dest="folder",
        help=f"the folder for the saved states of unfinished seeds ({RUNS / 'benchmark'})",
    )


def start(asked: argparse.Namespace) -> int:
    """Run the command with parsed arguments. Returns the exit status."""
    try:
        return carry_out(asked)
    except KeyboardInterrupt:
        print(
            f"\ninterrupted; the same command{' without --again' * asked.again} continues each seed from its last "
            f"saved state",
            file=sys.stderr,
            flush=True,
        )
        return INTERRUPTED
    except ConfigError as error:
        return complain(asked.command, error, WRONG_USAGE)
    except (RunError, ImportError, OSError) as error:
        return complain(asked.command, error, FAILED)


def carry_out(asked: argparse.Namespace) -> int:
    """Execute the option selected by the arguments, such as --list or --check. Returns the exit status."""
    if asked.list:
        print(json.dumps(listed()) if asked.json else list_text())
    elif asked.check is not None:
        return benchmark_check.tell(asked.check, asked.json)
    elif asked.plan:
        benchmark_plan.tell(asked.results, asked.workers, asked.json)
    elif asked.submit is not None:
        benchmark_check.submit(asked.results, asked.algorithm, asked.task, asked.submit)
    elif asked.task is None:
        raise ConfigError("a TASK is missing; see --list")
    elif asked.task == ALL:
        run(asked, planned(asked))
    else:
        measure(asked, chosen(asked))
    return GOOD


def chosen(asked: argparse.Namespace) -> Task:
    """Return the task named by the arguments. The option --decisions replaces the task's budget. Raises ConfigError for
    an unknown task.
    """
    found = task(asked.task)
    return found if asked.decisions is None else found.at(asked.decisions)


def measure(asked: argparse.Namespace, one: Task) -> None:
    """Run the seeds of --algorithm that have no result. Then show all results of the task."""
    if asked.algorithm is not None:
        run(asked, [Wanted(one, asked.algorithm, seed) for seed in range(1, (asked.seeds or one.seeds) + 1)])
    found = results.lines(asked.results, one)
    if asked.json:
        print(json.dumps({"task": one.to_dict(), "lines": [line.to_dict() for line in found]}))
    else:
        from .benchmark_report import text_table

        print(f"\n{text_table(found)}" if found else f"there are no results for {one.id} yet")


# --- running ----------------------------------------------------------------------------------------------------------
class Wanted(NamedTuple):
    """A run of the benchmark: one algorithm, one task and one seed."""

    task: Task
    spec: str  # of the algorithm
    seed: int

    def state(self, asked: argparse.Namespace) -> Path:
        """Return the folder for the saved state of the training run."""
        name = algorithms.name_of(self.spec)
        return (asked.folder / self.task.id / name / f"seed{self.seed}").absolute()

    def job(self, asked: argparse.Namespace) -> tuple[Any, ...]:
        """Return the arguments for `run_seed`."""
        path, colon, name = self.spec.rpartition(":")
        spec = f"{Path(path).absolute()}{colon}{name}" if colon else self.spec
        return self.task, spec, self.seed, self.state(asked), asked.threads, asked.device, asked.workers


def planned(asked: argparse.Namespace) -> list[Wanted]:
    """List all runs of the published tables, or the runs of --algorithm on all tasks. Raises ConfigError for options
    that cannot be used with `all`.
    """
    if asked.decisions is not None or asked.seeds is not None:
        raise ConfigError(f"{ALL} has its own budgets and seeds: leave out --decisions and --seeds")
    return [
        Wanted(row.task, row.algorithm, seed)
        for row in benchmark_plan.rows(asked.algorithm)
        for seed in range(1, row.seeds + 1)
    ]


def run(asked: argparse.Namespace, wanted: Sequence[Wanted]) -> None:
    """Run all seeds that have no result, and all interrupted seeds. With --again, run all seeds from the beginning.
    Write each result as soon as it is ready.
    """
    for spec in dict.fromkeys(one.spec for one in wanted):
        algorithms.find(spec)
        algorithms.check_device(spec, asked.device)
    check_crew(asked)
    left = [one for one in wanted if asked.again or one.state(asked).exists() or not is_measured(asked, one)]
    for one in wanted if asked.again else ():
        shutil.rmtree(one.state(asked), ignore_errors=True)
    states = {(one.task.id, algorithms.name_of(one.spec), one.seed): one.state(asked) for one in left}
    for result in run_all([one.job(asked) for one in left], asked):
        place = results.write(asked.results, result)
        shutil.rmtree(states[Task(**result["task"]).id, result["algorithm"], result["seed"]], ignore_errors=True)
        print(
            f"{place}: {result['decisions']:,} decisions in {result['seconds'] / 60:.1f} minutes",
            file=sys.stderr,
            flush=True,
        )


def is_measured(asked: argparse.Namespace, one: Wanted) -> bool:
    """Return True if the results folder already contains the result of a run. Raises RunError if the versions in this
    result differ from the versions of a new run.
    """
    place = results.path(asked.results, one.task, algorithms.name_of(one.spec), one.seed)
    if not place.is_file():
        return False
    apart = versions.differences(results.read(place)["versions"], of_run(one.task, one.spec), versions.KNOWN)
    if apart:
        raise RunError(
            f"{place}: this result was measured with other versions ({'; '.join(apart)}). Use --again to replace it, "
            f"or --results to write the new result to another folder"
        )
    return True


def run_all(jobs: list[tuple[Any, ...]], asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Run `run_seed` for each job, and yield the results. The order of the results is not fixed.

    If `is_alone` returns True, the jobs run one after the other in this process. If `is_alone` returns False, joblib
    runs the jobs in parallel.
    """
    if not jobs or is_alone(asked):
        yield from (run_seed(*job) for job in jobs)
        return
    from joblib import Parallel, delayed

    kind = "list" if asked.backend == "ray" else "generator_unordered"  # with Ray, all results come at the end
    with crew.crew(asked.backend, asked.workers, asked.address):
        yield from Parallel(return_as=kind, batch_size=1, pre_dispatch="all")(delayed(run_seed)(*job) for job in jobs)


def is_alone(asked: argparse.Namespace) -> bool:
    """Return True if all seeds are trained in this process, without worker processes."""
    return asked.workers == 1 and asked.backend == "loky"


def check_crew(asked: argparse.Namespace) -> None:
    """Check the options `--workers`, `--backend` and `--address`. Raises ConfigError if these options contradict each
    other. Raises ImportError if joblib is needed but not installed.
    """
    if not is_alone(asked) or asked.address is not None:
        crew.check(asked.backend, asked.address)


# --- the list ---------------------------------------------------------------------------------------------------------
def listed() -> dict[str, Any]:
    """Return all tasks and algorithms as a JSON-serialisable dict."""
    return {"tasks": [one.to_dict() for one in TASKS], "algorithms": list(algorithms.NAMES)}


def list_text() -> str:
    """Return all tasks and algorithms as text."""
    rows = [
        f"{'task':24}{'version':>8}  {'preset':13}{'players':>7}  {'observation':13}{'against':9}"
        f"{'decisions':>11}{'seeds':>7}"
    ]
    rows += [
        f"{one.name:24}{one.version:>8}  {one.preset:13}{one.players:>7}  {one.observation:13}{one.opponent:9}"
        f"{one.decisions:>11,}{one.seeds:>7}"
        for one in TASKS
    ]
    return "\n".join([*rows, "", f"algorithms: {', '.join(algorithms.NAMES)}, or FILE.py:CLASS"])


if __name__ == "__main__":
    # SIGINT raises KeyboardInterrupt even if the shell made this process ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
