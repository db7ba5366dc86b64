"""The benchmark: `python -m training.benchmark TASK --algorithm NAME --seeds 3`, or `carc benchmark`; docs/benchmark.md
tells of it.

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
from typing import Any

from carc_env.arena import crew
from carc_env.commands import cli
from carc_env.common.errors import ConfigError
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, WRONG_USAGE

from . import algorithms, results
from .ppo import RUNS, complain
from .seed_run import run_seed
from .state import RunError
from .tasks import TASKS, Task, task


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
    found.add_argument("task", metavar="TASK", nargs="?", help="a task, see --list")
    found.add_argument("--list", action="store_true", help="list tasks and algorithms")
    found.add_argument(
        "--algorithm",
        metavar="NAME",
        help="an algorithm, see --list, or one of your own: FILE.py:CLASS; without it what was measured is shown",
    )
    found.add_argument("--seeds", type=cli.positive, default=3, metavar="N", help="seeds 1 to N (3)")
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
    found.add_argument("--json", action="store_true", help="print what is listed or was measured as JSON")
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
        if asked.list:
            print(json.dumps(listed()) if asked.json else list_text())
        elif asked.task is None:
            raise ConfigError("which TASK? --list lists them")
        else:
            measure(asked, chosen(asked))
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
    return GOOD


def chosen(asked: argparse.Namespace) -> Task:
    """The task with its budget. Raises ConfigError."""
    found = task(asked.task)
    return found if asked.decisions is None else found.at(asked.decisions)


def measure(asked: argparse.Namespace, one: Task) -> None:
    """Run the seeds that have no result yet, and show what was measured of the task."""
    if asked.algorithm is not None:
        algorithms.find(asked.algorithm)
        run(asked, one)
    found = results.lines(asked.results, one)
    if asked.json:
        print(json.dumps({"task": one.to_dict(), "lines": [line.to_dict() for line in found]}))
    else:
        from .benchmark_report import text_table

        print(f"\n{text_table(found)}" if found else f"{one.id}: nothing was measured yet")


# --- running ----------------------------------------------------------------------------------------------------------
def run(asked: argparse.Namespace, one: Task) -> None:
    """Run the seeds of an algorithm that have no result, or were begun again, and write theirs as they come."""
    name = algorithms.name_of(asked.algorithm)
    check_crew(asked)
    folders = {seed: (asked.folder / one.id / name / f"seed{seed}").absolute() for seed in range(1, asked.seeds + 1)}
    left = [
        seed for seed, folder in folders.items() if asked.again or folder.exists() or not is_measured(asked, one, seed)
    ]
    spec = asked.algorithm if asked.algorithm in algorithms.NAMES else str(Path(asked.algorithm).absolute())
    for folder in folders.values() if asked.again else ():
        shutil.rmtree(folder, ignore_errors=True)
    for result in run_all([(one, spec, seed, folders[seed], asked.threads) for seed in left], asked):
        place = results.write(asked.results, result)
        shutil.rmtree(folders[result["seed"]], ignore_errors=True)
        print(
            f"{place}: {result['decisions']:,} decisions in {result['seconds'] / 60:.1f} minutes",
            file=sys.stderr,
            flush=True,
        )


def is_measured(asked: argparse.Namespace, one: Task, seed: int) -> bool:
    """Whether there is a result of a seed. Raises RunError for one of an algorithm of one's own that has been changed
    since, or of another one.
    """
    place = results.path(asked.results, one, algorithms.name_of(asked.algorithm), seed)
    if not place.is_file():
        return False
    if results.read(place)["source"] != algorithms.source(asked.algorithm):
        raise RunError(
            f"{place}: was measured with another file than that of {asked.algorithm} is now; --again measures anew, "
            "another name of the class keeps both"
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
    rows = [f"{'task':26}{'version':>8}  {'preset':13}{'observation':13}{'against':9}{'decisions':>11}"]
    rows += [
        f"{one.name:26}{one.version:>8}  {one.preset:13}{one.observation:13}{one.opponent:9}{one.decisions:>11,}"
        for one in TASKS
    ]
    return "\n".join([*rows, "", f"algorithms: {', '.join(algorithms.NAMES)}, or FILE.py:CLASS"])


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell started us with SIGINT ignored
    sys.exit(main())
