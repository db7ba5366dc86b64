"""Two versions of carc_env measured by turns: how fast is this one, beside another?

    git worktree add ../before 88a7a93
    python -m tests.by_turns ../before engine.base vector.base.512

Each has a process, both on one core, that are asked by turns for a figure of `carc bench`, its own version's. A machine
whose clock changes is then the same for both. Which process began first can matter by a tenth, as its memory
lies elsewhere: so processes come in pairs of pairs, in which each version begins once. Printed is the median of their
ratios; above 1 this version is faster.
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
    """The module that measures, of the carc_env that Python finds: it lay at the top before version 0.2."""
    try:
        return importlib.import_module("carc_env.commands.bench")
    except ModuleNotFoundError:
        return importlib.import_module("carc_env.bench")


def answer(name: str) -> None:
    """What a process does: for each line that it reads it measures the figure once and says what came out."""
    run, at = next((run, group.index(name)) for group, run in load_bench().groups().items() if name in group)
    run()  # compiles
    for _ in sys.stdin:
        print(run()[at], flush=True)


class Version:
    """A process that measures one version, from when it is asked first."""

    def __init__(self, folder: Path, name: str, core: int) -> None:
        pin = {"preexec_fn": lambda: os.sched_setaffinity(0, {core})} if hasattr(os, "sched_setaffinity") else {}
        self.process = subprocess.Popen(  # by path and not with -m: the folder's own package is to be found
            [sys.executable, __file__, "--answer", name],
            env=os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "CARC_ENV_QUIET": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **pin,
        )  # type: ignore[call-overload]
        self.ask()

    def ask(self) -> float:
        """Measure once."""
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
    """The median of what the second version measures by what the first does, asked by turns; the first one's process
    begins first.
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
    """Ratios of speed, ours by the other's: one for each pair of pairs of processes."""
    found = [
        (ratio((before, ROOT), name, rounds, core) / ratio((ROOT, before), name, rounds, core)) ** 0.5
        for _ in range(pairs)
    ]
    bench = load_bench()
    return [1 / value for value in found] if bench.unit(name) in bench.LESS_IS_BETTER else found


def main() -> None:
    """The command."""
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
