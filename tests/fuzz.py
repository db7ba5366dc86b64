"""Throws odd input at carc_env: each must give one clear error of carc_env, or a game that plays to its end by the
rules.

    NUMBA_BOUNDSCHECK=1 python -m tests.fuzz --inputs 1000000 --seed 0

says how many inputs were tried, or prints the first that did otherwise, with exit status 1. An input is known by its
kind and number, and `--only KIND:NUMBER` tries it alone. Inputs are tried in processes of their own: one that ends such
a process, or keeps it busy for longer than `--patience` seconds, is told like any other.
"""

import argparse
import collections
import json
import mmap
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

from carc_env import Game, replay
from carc_env.boxes import sheets
from carc_env.boxes.tiles import tile_table
from carc_env.commands.doctor import compile_all
from carc_env.common.errors import CarcError
from carc_env.compiling import cache
from carc_env.observing import encode
from carc_env.rules import batch
from carc_env.rules.state import MAX_EVENTS, MAX_FRONTIER, MAX_MOVES, MAX_SEGMENTS, Phase
from tests.fuzz_inputs import KINDS

LONGEST = 500  # letters of an error
CHUNK = 10000  # inputs that one process tries
AGAIN = 5  # times as long an input may take that is tried once more
PLAYED_BACK = 0.004  # share of the games that are replayed from their record, which takes a tenth of a second
LOOKED_AT = 0.02  # share that is looked at halfway, by all players
PROGRAM = (sys.executable, "-X", "faulthandler", "-m", "tests.fuzz")  # of such a process
NONE_NOW, REFUSED, PLAYED = "nothing made", "refused", "played to the end"


class Finding(AssertionError):
    """An input that gives neither a clear error nor a whole game."""


# --- one input --------------------------------------------------------------------------------------------------------
def input_of(number: int) -> str:
    """The input of this number: all kinds take turns."""
    return f"{tuple(KINDS)[number % len(KINDS)]}:{number}"


def try_input(name: str, folder: Path, answers: int | None = None) -> str:
    """What became of an input. With `answers` a game is played on for so many only. Raises Finding."""
    kind, rng = name.split(":")[0], Random(name)
    try:
        game = KINDS[kind](rng, folder)
    except CarcError as error:
        check_error(error)
        return REFUSED
    except Exception as error:
        raise Finding(f"{type(error).__name__} instead of an error of carc_env\n{traceback.format_exc()}") from None
    if game is None:
        return NONE_NOW
    try:
        play_on(game, rng, answers)
    except Exception as error:
        raise Finding(f"the game does not play to its end: {type(error).__name__}\n{traceback.format_exc()}") from None
    return PLAYED


def check_error(error: CarcError) -> None:
    """An error of carc_env is one line that says something."""
    text = str(error)
    if not (
        type(error).__module__.startswith("carc_env") and text.strip() and text.isprintable() and len(text) < LONGEST
    ):
        raise Finding(f"{type(error).__name__}: {text!r} is not one clear line of less than {LONGEST} letters")


def play_on(game: Game, rng: Random, answers: int | None) -> None:
    """Play at random, to the end or so many answers, and hold the game against what must be so."""
    chances = np.array([(rng.getrandbits(32), rng.getrandbits(32) | 1)], np.int64)
    if rng.random() < LOOKED_AT or answers is not None:
        play_some(game, chances, rng.randint(0, 60) if answers is None else answers)
        look_around(game)
    if answers is None:
        batch.play_random(game._games, tile_table(), chances)
        assert game.is_over and game.state["phase"] == Phase.GAME_OVER
    check_state(game)
    if rng.random() < PLAYED_BACK:
        assert replay(json.loads(json.dumps(game.record()))) == game, "the record gives another game"


def play_some(game: Game, chances: np.ndarray, answers: int) -> None:
    """Play so many random answers, if there are so many."""
    out = np.empty(1, np.int64)
    for _ in range(answers):
        if not game.is_over:
            batch.random_actions(game._games, tile_table(), chances, out)
            batch.step(game._games, tile_table(), out)


def look_around(game: Game) -> None:
    """What everybody sees is within its bounds."""
    for player in range(game.players):
        seen = game.observe(player, "both")
        for name, (shape, dtype, low, high) in encode.spaces("both", game.config.table_size).items():
            array = seen[name]
            assert array.shape == shape and array.dtype == dtype and (array >= low).all() and (array <= high).all(), (
                name
            )
    assert (game.provisional_scores() >= game.scores).all()


def check_state(game: Game) -> None:
    """No list is longer than there is room, no number has wrapped, and the points add up."""
    state = game.state
    for count, most in (
        ("n_moves", MAX_MOVES),
        ("n_events", MAX_EVENTS),
        ("n_frontier", MAX_FRONTIER),
        ("n_segments", MAX_SEGMENTS),
    ):
        assert 0 <= state[count] <= most, f"{count} = {state[count]}"
    alive = state["features"][: state["n_segments"]]
    for field in ("tiles", "open", "pennants", "strength", "n_segments"):
        assert (alive[field] >= 0).all(), f"{field} of a feature is {alive[field].min()}"
    for field in ("score", "points", "ingots", "chips", "goods"):
        assert (state["players"][field] >= 0).all(), f"{field} of a player is {state['players'][field].min()}"
    assert sum(game.final_scores().values()).tolist() == game.scores.tolist(), "the sources of points do not add up"


# --- one process ------------------------------------------------------------------------------------------------------
def try_chunk(first: int, last: int, place: mmap.mmap) -> Iterator[dict]:
    """Try inputs in this process, noting each in `place` before; a dict for each finding, and one with the totals."""
    totals: collections.Counter = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, last):
            place[:8] = number.to_bytes(8, "little")
            try:
                totals[try_input(input_of(number), Path(folder))] += 1
            except Finding as finding:
                yield {"input": input_of(number), "what": str(finding)}
            if number % 2000 == 0:
                tidy(Path(folder))
    yield {"totals": totals}


def tidy(folder: Path) -> None:
    """Forget the sheets and files of the inputs before, but for those of `fuzz_inputs.a_sheet`."""
    sheets._read.cache_clear()
    for path in folder.iterdir():
        if not path.name.startswith("odd-"):
            path.unlink()


def run_chunk(first: int, last: int, path: str) -> None:
    """The work of a process: one JSON line for each finding and the totals."""
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 8) as place:
        for line in try_chunk(first, last, place):
            print(json.dumps(line), flush=True)


# --- many processes ---------------------------------------------------------------------------------------------------
class Worker:
    """A process that tries a chunk of the inputs, and the file where it notes which it is at."""

    def __init__(self, first: int, last: int):
        self.first, self.last = first, last
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(first.to_bytes(8, "little"))
        self.path, self.at, self.since = Path(file.name), None, time.monotonic()
        self.excused: int | None = None  # the input that may take longer
        self.output = tempfile.TemporaryFile("w+")  # noqa: SIM115 - the process writes there
        self.process = subprocess.Popen(
            [*PROGRAM, "--chunk", str(first), str(last), file.name], stdout=self.output, stderr=subprocess.STDOUT
        )

    def number(self) -> int:
        """The input that is being tried."""
        return int.from_bytes(self.path.read_bytes(), "little")

    def waited(self) -> float:
        """For how many seconds it has been at this input."""
        if self.number() != self.at:
            self.at, self.since = self.number(), time.monotonic()
        return time.monotonic() - self.since

    def result(self) -> tuple[dict, list[dict]]:
        """The totals and the findings of a process that has ended."""
        self.output.seek(0)
        lines = self.output.read().splitlines()
        told = [json.loads(line) for line in lines if line.startswith("{")]
        findings = [line for line in told if "input" in line]
        if self.process.returncode:
            what = "\n".join(
                [
                    f"the process ended with status {self.process.returncode}",
                    *(line for line in lines if not line.startswith("{")),
                ]
            )
            findings.append({"input": input_of(self.number()), "what": what})
        return next((line["totals"] for line in told if "totals" in line), {}), findings

    def stop(self) -> None:
        """End the process and remove its file."""
        self.process.kill()
        self.process.wait()
        self.path.unlink(missing_ok=True)


def run(first: int, inputs: int, workers: int, patience: float) -> list[dict]:
    """Try so many inputs in several processes, until there is a finding. Returns the findings; totals are printed."""
    chunks = iter([(at, min(at + CHUNK, first + inputs)) for at in range(first, first + inputs, CHUNK)])
    totals, findings, running, began = collections.Counter(), [], [], time.monotonic()
    try:
        while not findings:
            running += [Worker(*chunk) for _, chunk in zip(range(workers - len(running)), chunks)]
            if not running:
                break
            time.sleep(0.05)
            for worker in [worker for worker in running if worker.process.poll() is not None]:
                found, troubles = worker.result()
                worker.stop()
                running.remove(worker)
                totals.update(found)
                findings += troubles
                tell(totals, time.monotonic() - began)
            busy = [worker for worker in running if worker.waited() > patience]
            findings += filter(None, [try_alone(worker, patience) for worker in busy])
    finally:
        for worker in running:
            worker.stop()
    return findings


def try_alone(worker: Worker, patience: float) -> dict | None:
    """Try the input of a busy process once more, alone. Code for another size of table may have to be compiled first, so
    this may take longer, and so may the busy process, once. Returns a finding if one of the two still does not end.
    """
    asked, longer = input_of(worker.number()), AGAIN * patience
    endless = {"input": asked, "what": f"no end in {patience:.0f} s, nor, once more, in {longer:.0f} s"}
    if worker.excused == worker.number():
        return endless
    try:
        subprocess.run([*PROGRAM, "--only", asked], capture_output=True, timeout=longer)
    except subprocess.TimeoutExpired:
        return endless
    worker.excused, worker.since = worker.number(), time.monotonic() + longer - patience
    return None


def tell(totals: collections.Counter, seconds: float) -> None:
    """One line of progress."""
    words = ", ".join(f"{count:,} {what}" for what, count in totals.items())
    print(f"{totals.total():,} inputs, {totals.total() / seconds:.0f} a second: {words}", file=sys.stderr, flush=True)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=20000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="other inputs for another seed")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count(), help="processes side by side (default %(default)s)"
    )
    parser.add_argument(
        "--patience", type=float, default=120, help="seconds that one input may take (default %(default)s)"
    )
    parser.add_argument("--only", metavar="KIND:NUMBER", help="try this input alone")
    parser.add_argument("--chunk", nargs=3, metavar=("FIRST", "LAST", "FILE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.chunk:
        run_chunk(int(asked.chunk[0]), int(asked.chunk[1]), asked.chunk[2])
        return 0
    if asked.only:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{asked.only}: {try_input(asked.only, Path(folder))}")
        return 0
    return report(asked)


def report(asked: argparse.Namespace) -> int:
    """Run, and say what was found."""
    print(
        f"array bounds {'checked' if cache.checking_mode() == 'checked' else 'not checked: set NUMBA_BOUNDSCHECK=1'}",
        file=sys.stderr,
    )
    compile_all()  # here, as it takes longer than an input may
    try:
        findings = run(asked.seed * 10**9, asked.inputs, asked.workers, asked.patience)
    except KeyboardInterrupt:
        print("stopped; nothing was found", file=sys.stderr)
        return 130
    if findings:
        first = min(findings, key=lambda finding: int(finding["input"].split(":")[1]))
        print(f"{first['what'].rstrip()}\n\nFOUND: python -m tests.fuzz --only {first['input']}")
        return 1
    print(f"{asked.inputs} inputs: each gave one clear error or a game that plays to its end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
