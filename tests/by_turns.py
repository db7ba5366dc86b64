"""Compares the speed of two versions of carc_env, which are measured in turns.

    git worktree add ../before 88a7a93
    python -m tests.by_turns ../before engine.base vector.base.512

Each version runs in its own process, and both processes run on the same core. In turns, each process measures a figure
of its own version's `carc bench`. If the clock rate of the machine changes, it changes for both versions. The order in
which the processes start can change the result by a tenth, because their memory lies in different places. Therefore,
each ratio is measured with two pairs of processes, and each version starts first in one of them. The command prints the
median of the ratios, and all ratios. If a ratio is above 1, this version is faster.
"""

import argparse
import importlib
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def load_bench() -> Any:
    """Return the module `bench` of the carc_env that Python imports. Before version 0.2, the module was
    `carc_env.bench`.
    """
    try:
        return importlib.import_module("carc_env.commands.bench")
    except ModuleNotFoundError:
        return importlib.import_module("carc_env.bench")


def answer(name: str) -> None:
    """For each line of standard input, measure the figure once and print the result. Each measuring process runs this
    function.
    """
    run, at = next((run, group.index(name)) for group, run in load_bench().groups().items() if name in group)
    run()  # the first run compiles
    for _ in sys.stdin:
        print(run()[at], flush=True)


class Version:
    """A process that measures one version. The first measurement is made, and ignored, when the process is created."""

    def __init__(self, folder: Path, name: str, core: int) -> None:
        pin = {"preexec_fn": lambda: os.sched_setaffinity(0, {core})} if hasattr(os, "sched_setaffinity") else {}
        self.process = subprocess.Popen(  # by path and not with -m, so that Python imports carc_env from `folder`
            [sys.executable, __file__, "--answer", name],
            env=os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "CARC_ENV_QUIET": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **pin,
        )  # type: ignore[call-overload]
        self.ask()

    def ask(self) -> float:
        """Let the process measure once, and return the result."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("one of the two versions could not measure it")
        return float(line)

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.wait()


def ratio(folders: Sequence[Path], name: str, rounds: int, core: int) -> float:
    """Return the median of the ratios of the second version's result to the first version's result. The versions are
    measured in turns. The process of the first version starts first.
    """
    first, second = versions = [Version(folder, name, core) for folder in folders]
    found = []
    for number in range(rounds):
        values = {version: version.ask() for version in (versions if number % 2 else versions[::-1])}
        found.append(values[second] / values[first])
    for version in versions:
        version.close()
    return statistics.median(found)


def compare(before: Path, name: str, pairs: int, rounds: int, core: int) -> list[float]:
    """Return the ratios of this version's speed to the other version's speed, one for each two pairs of processes."""
    found = [
        (ratio((before, ROOT), name, rounds, core) / ratio((ROOT, before), name, rounds, core)) ** 0.5
        for _ in range(pairs)
    ]
    bench = load_bench()
    return [1 / value for value in found] if bench.unit(name) in bench.LESS_IS_BETTER else found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.by_turns", description="Measure this version and another by turns."
    )
    parser.add_argument("before", type=Path, nargs="?", help="folder of the other version")
    parser.add_argument("figures", nargs="*", help="names as `carc bench` prints them; units may be left out")
    parser.add_argument("--pairs", type=int, default=3, help="pairs of pairs of processes (default: 3)")
    parser.add_argument("--rounds", type=int, default=10, help="runs of each process (default: 10)")
    parser.add_argument("--core", type=int, default=0, help="the core that both run on (default: 0)")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.answer:
        answer(asked.answer)
        return
    for wanted in asked.figures:
        names = [name for name in load_bench().names() if wanted in (name, name.rsplit(".", 1)[0])]
        if not names:
            parser.error(f"no figure of carc bench is called {wanted}")
        ratios = compare(asked.before.resolve(), names[0], asked.pairs, asked.rounds, asked.core)
        print(
            f"{names[0]:40} {statistics.median(ratios):.3f}   {' '.join(f'{value:.3f}' for value in ratios)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
