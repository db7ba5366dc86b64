"""The benchmark: `python -m training.benchmark TASK --algorithm NAME`, or `carc benchmark`; docs/benchmark.md tells of
it.

Each seed learns, is measured, and leaves a file under `benchmarks/`. A seed that has one is not run again; one that was
interrupted goes on from the state last saved under `runs/`. How far it is is told on standard error. Exit status: 0
good, 1 failed, 2 wrong usage, 130 interrupted.
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

ALL = "all"  # in place of a task: every run of the published tables
KNOWN = ("task", "game", "algorithm", "network", "bots")  # versions that are known before an algorithm is made


def main(argv: Sequence[str] | None = None) -> int:
    """Learn, measure and report. Returns the exit status; argparse raises SystemExit for --help and wrong usage."""
    return start(parser().parse_args(argv))


def parser(command: str = "python -m training.benchmark") -> cli.Parser:
    """The command line, of this module or of `carc benchmark`."""
    found = cli.Parser(
        command,
        description="Let an algorithm learn a task from several seeds and measure it; docs/benchmark.md tells of it.",
    )
    found.set_defaults(run=start, command=command)
    found.add_argument("task", metavar="TASK", nargs="?", help=f"a task, see --list; {ALL}: the published tables")
    found.add_argument("--list", action="store_true", help="list tasks and algorithms")
    found.add_argument("--plan", action="store_true", help="what the published tables still need, and how many hours")
    found.add_argument(
        "--check", type=Path, metavar="DIR", help="what a folder of results holds: is it complete, can it be repeated?"
    )
    found.add_argument(
        "--submit", type=Path, metavar="DIR", help="make a folder to submit of what was measured of --algorithm"
    )
    found.add_argument(
        "--algorithm",
        metavar="NAME",
        help="an algorithm, see --list, or one of your own: FILE.py:CLASS; without it what was measured is shown",
    )
    found.add_argument("--seeds", type=cli.positive, metavar="N", help="seeds 1 to N (those of the published table)")
    found.add_argument(
        "--decisions",
        type=cli.positive,
        metavar="N",
        help="another budget than that of the task; results stand by themselves",
    )
    found.add_argument(
        "--again",
        action="store_true",
        help="run seeds again that have a result, or were interrupted, from the beginning",
    )
    add_means(found)
    found.add_argument("--json", action="store_true", help="print what is listed, planned, found or measured as JSON")
    return found


def add_means(found: cli.Parser) -> None:
    """The words about who works, and where what is found lies."""
    found.add_argument(
        "--workers",
        type=cli.positive,
        default=1,
        metavar="N",
        help="seeds that learn side by side (1); from 2 on joblib is needed",
    )
    found.add_argument(
        "--backend",
        choices=tuple(crew.CREWS),
        default="loky",
        help="of joblib: processes of this machine (loky), or machines of a cluster",
    )
    found.add_argument(
        "--address", metavar="A", help="of the cluster: Dask's scheduler, such as tcp://host:8786, or Ray's head"
    )
    found.add_argument(
        "--threads", type=cli.positive, default=1, metavar="N", help="threads of torch for each seed (1)"
    )
    add_device(found)
    found.add_argument(
        "--results", type=Path, default=results.FOLDER, metavar="DIR", help=f"where results lie ({results.FOLDER})"
    )
    found.add_argument(
        "--run",
        type=Path,
        default=RUNS / "benchmark",
        metavar="DIR",
        dest="folder",
        help=f"where states of unfinished seeds lie ({RUNS / 'benchmark'})",
    )


def start(asked: argparse.Namespace) -> int:
    """Do what the words of the command line say."""
    try:
        return carry_out(asked)
    except KeyboardInterrupt:
        print(
            f"\ninterrupted; the same command{' without --again' * asked.again} goes on where each seed was last saved",
            file=sys.stderr,
            flush=True,
        )
        return INTERRUPTED
    except ConfigError as error:
        return complain(asked.command, error, WRONG_USAGE)
    except (RunError, ImportError, OSError) as error:
        return complain(asked.command, error, FAILED)


def carry_out(asked: argparse.Namespace) -> int:
    """Do one of the things that can be asked for. Returns the exit status."""
    if asked.list:
        print(json.dumps(listed()) if asked.json else list_text())
    elif asked.check is not None:
        return benchmark_check.tell(asked.check, asked.json)
    elif asked.plan:
        benchmark_plan.tell(asked.results, asked.workers, asked.json)
    elif asked.submit is not None:
        benchmark_check.submit(asked.results, asked.algorithm, asked.task, asked.submit)
    elif asked.task is None:
        raise ConfigError("which TASK? --list lists them")
    elif asked.task == ALL:
        run(asked, planned(asked))
    else:
        measure(asked, chosen(asked))
    return GOOD


def chosen(asked: argparse.Namespace) -> Task:
    """The task with its budget. Raises ConfigError."""
    found = task(asked.task)
    return found if asked.decisions is None else found.at(asked.decisions)


def measure(asked: argparse.Namespace, one: Task) -> None:
    """Run the seeds that have no result yet, and show what was measured of the task."""
    if asked.algorithm is not None:
        run(asked, [Wanted(one, asked.algorithm, seed) for seed in range(1, (asked.seeds or one.seeds) + 1)])
    found = results.lines(asked.results, one)
    if asked.json:
        print(json.dumps({"task": one.to_dict(), "lines": [line.to_dict() for line in found]}))
    else:
        from .benchmark_report import text_table

        print(f"\n{text_table(found)}" if found else f"{one.id}: nothing was measured yet")


# --- running ----------------------------------------------------------------------------------------------------------
class Wanted(NamedTuple):
    """A seed that is to have a result."""

    task: Task
    spec: str  # of the algorithm
    seed: int

    def state(self, asked: argparse.Namespace) -> Path:
        """The folder with its state while it learns."""
        name = algorithms.name_of(self.spec)
        return (asked.folder / self.task.id / name / f"seed{self.seed}").absolute()

    def job(self, asked: argparse.Namespace) -> tuple[Any, ...]:
        """The arguments of `run_seed`."""
        path, colon, name = self.spec.rpartition(":")
        spec = f"{Path(path).absolute()}{colon}{name}" if colon else self.spec
        return self.task, spec, self.seed, self.state(asked), asked.threads, asked.device


def planned(asked: argparse.Namespace) -> list[Wanted]:
    """All runs of the published tables, or those of one algorithm. Raises ConfigError for words that do not go with
    `all`.
    """
    if asked.decisions is not None or asked.seeds is not None:
        raise ConfigError(f"{ALL} has its own budgets and seeds: leave out --decisions and --seeds")
    return [
        Wanted(row.task, row.algorithm, seed)
        for row in benchmark_plan.rows(asked.algorithm)
        for seed in range(1, row.seeds + 1)
    ]


def run(asked: argparse.Namespace, wanted: Sequence[Wanted]) -> None:
    """Run the seeds that have no result, or were begun again, and write theirs as they come."""
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
    """Whether there is a result of a seed. Raises RunError for one of other versions than would be measured now."""
    place = results.path(asked.results, one.task, algorithms.name_of(one.spec), one.seed)
    if not place.is_file():
        return False
    apart = versions.differences(results.read(place)["versions"], of_run(one.task, one.spec), KNOWN)
    if apart:
        raise RunError(
            f"{place}: was measured with other versions ({'; '.join(apart)}); --again measures anew, another folder "
            "for --results keeps both"
        )
    return True


def run_all(jobs: list[tuple[Any, ...]], asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The results of `run_seed`, in whatever order they come: one after the other in this process, or side by side by
    joblib.
    """
    if not jobs or is_alone(asked):
        yield from (run_seed(*job) for job in jobs)
        return
    from joblib import Parallel, delayed

    kind = "list" if asked.backend == "ray" else "generator_unordered"  # Ray's workers give all results at the end
    with crew.crew(asked.backend, asked.workers, asked.address):
        yield from Parallel(return_as=kind, batch_size=1, pre_dispatch="all")(delayed(run_seed)(*job) for job in jobs)


def is_alone(asked: argparse.Namespace) -> bool:
    """Whether all seeds learn in this process."""
    return asked.workers == 1 and asked.backend == "loky"


def check_crew(asked: argparse.Namespace) -> None:
    """Raises ConfigError for words that do not go together, ImportError where joblib is needed and not there."""
    if not is_alone(asked) or asked.address is not None:
        crew.check(asked.backend, asked.address)


# --- the list ---------------------------------------------------------------------------------------------------------
def listed() -> dict[str, Any]:
    """All tasks and algorithms."""
    return {"tasks": [one.to_dict() for one in TASKS], "algorithms": list(algorithms.NAMES)}


def list_text() -> str:
    """All tasks and algorithms, as text for people."""
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
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell started us with SIGINT ignored
    sys.exit(main())
