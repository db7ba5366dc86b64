"""Measures how much time each use of a private feature of numba saves: `python -m tests.private [WAY ...]`.

Each entry of `carc_env.compiling.private.WAYS` can be disabled: a new process then finds a numba that lacks the
feature. Processes with and without the feature run by turns. With an empty cache, a process plays its first action. A
second process uses the cache of the first one, plays its first action, and then plays random games. The medians are
printed: the processor time until the first action of each process, in seconds, and the games per second.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from carc_env.compiling.private import WAYS

ROOT = Path(__file__).parents[1]

# This code runs before any part of carc_env except `compiling` is imported. If numba no longer calls a feature,
# replacing the feature has no effect.
TAKEN = {
    "cache": "del private.CompileResult._reduce, private.CompileResult._rebuild",
    "names": "del numba.types.Record.mangling_args",
    "waiting": """
import functools
from numba.core.dispatcher import Dispatcher
numbas_own = Dispatcher.compile
Dispatcher.compile = property(lambda self: functools.partial(numbas_own, self), lambda self, value: None)
""",
    "parts": "del private.NativeLowering",
    "short": """
def gone(library):
    raise AttributeError("CPUCodegen._tm")
linking._Library._optimize_but_stay_short = gone
""",
    "arguments": "linking._Arguments.__repr__ = tuple.__repr__",
}
START = f"""
import sys, types
package = types.ModuleType("carc_env")
package.__path__ = [{str(ROOT / "carc_env")!r}]
sys.modules["carc_env"] = package
import numba
from carc_env.compiling import cache, jit, linking, private, waiting
TAKEN
del sys.modules["carc_env"]
"""
MEASURE = """
import time
import carc_env
game = carc_env.Game("base", seed=0)
game.play(int(game.legal_actions()[0]))
seconds = time.process_time()
import numpy as np
from carc_env.boxes.tiles import tile_table
from carc_env.rules import batch
speeds = []
for _ in range(8 if sys.argv[1] == "play" else 0):
    games, began = carc_env.Games("base", 100, range(100)), time.perf_counter()
    batch.play_random(games.records, tile_table(), np.arange(200).reshape(100, 2) + 1)
    speeds.append(100 / (time.perf_counter() - began))
print(seconds, max(speeds, default=0))
"""


def start(program: str, folder: Path, taken: str, *words: str) -> subprocess.CompletedProcess:
    """Run a program in a new process whose numba lacks some feature. `folder` is the process's cache folder."""
    return subprocess.run(
        [sys.executable, "-c", START.replace("TAKEN", taken) + program, *words],
        cwd=ROOT,
        env=os.environ | {"CARC_ENV_CACHE_DIR": str(folder), "CARC_ENV_QUIET": "1", "PYTHONPATH": str(ROOT)},
        text=True,
        capture_output=True,
    )


def measured(taken: str) -> tuple[float, float, float]:
    """Return the seconds until the first action with an empty cache, the seconds until the first action of the next
    process, and the games per second of that process.
    """
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for word in ("first", "play"):
            done = start(MEASURE, Path(folder), taken, word)
            if done.returncode:
                raise SystemExit(done.stderr)
            found.append([float(value) for value in done.stdout.split()])
    return found[0][0], found[1][0], found[1][1]


def compare(way: str, rounds: int) -> str:
    """Return a line of text about one way: the medians with and without it."""
    rows: dict[str, list[tuple[float, float, float]]] = {"": [], TAKEN[way]: []}
    for number in range(rounds):
        for taken in list(rows)[:: 1 if number % 2 else -1]:
            rows[taken].append(measured(taken))
    texts = [[statistics.median(column) for column in zip(*row)] for row in rows.values()]
    (cold, warm, speed), (cold_without, warm_without, speed_without) = texts
    return (
        f"{way:10} first answer {cold:6.2f} s, {cold_without:6.2f} without; from the cache {warm:5.2f} s, "
        f"{warm_without:6.2f} without; {speed:,.0f} games/s, {speed_without:,.0f} without"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser("python -m tests.private", description="Measure what each private way gains.")
    parser.add_argument("ways", metavar="WAY", nargs="*", help=f"of {', '.join(WAYS)}; without any all of them")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind (default: 3)")
    arguments = parser.parse_args(argv)
    for way in arguments.ways or WAYS:
        if way not in TAKEN:
            parser.error(f"there is no way called {way}")
        print(compare(way, arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
