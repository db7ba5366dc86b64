"""Gives carc_env random invalid and unusual inputs. Each input must either raise one clear error of carc_env or make a
game that can be played to its end by the rules.

    NUMBA_BOUNDSCHECK=1 python -m tests.fuzz --inputs 1000000 --seed 0

prints how many inputs were tried, or the first input that failed, with exit status 1. An input is identified by its
kind and its number: `--only KIND:NUMBER` tries it alone. Inputs are tried in separate processes. An input that ends its
process is reported like any other failure, and so is an input that keeps it busy for longer than `--patience` seconds
and does not end in a longer second try either.
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

LONGEST = 500  # an error message must be shorter than this many characters
CHUNK = 10000  # inputs that one process tries at most
AGAIN = 5  # an input that is tried once more may take this many times as long
PLAYED_BACK = 0.004  # share of the games that are replayed from their record; a replay takes a tenth of a second
LOOKED_AT = 0.02  # share of the games whose observations are checked halfway, for all players
PROGRAM = (sys.executable, "-X", "faulthandler", "-m", "tests.fuzz")  # the command that starts a process of the fuzzer
NONE_NOW, REFUSED, PLAYED = "nothing made", "refused", "played to the end"


class Finding(AssertionError):
    """Raised for an input that gives neither a clear error nor a game that can be played to its end."""


# --- one input --------------------------------------------------------------------------------------------------------
def input_of(number: int) -> str:
    """Return the name of the input with this number, such as `config:11`. All kinds take turns."""
    return f"{tuple(KINDS)[number % len(KINDS)]}:{number}"


def try_input(name: str, folder: Path, answers: int | None = None) -> str:
    """Try an input. Returns REFUSED, PLAYED, or NONE_NOW if the input makes no game. Raises Finding.

    If `answers` is given, only this many actions are played.
    """
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
    """Raise Finding unless the error belongs to carc_env and its message is one short line of printable characters."""
    text = str(error)
    if not (
        type(error).__module__.startswith("carc_env") and text.strip() and text.isprintable() and len(text) < LONGEST
    ):
        raise Finding(f"{type(error).__name__}: {text!r} is not one clear line of less than {LONGEST} letters")


def play_on(game: Game, rng: Random, answers: int | None) -> None:
    """Play random actions to the end of the game, or only `answers` of them, and check the state afterwards."""
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
    """Play this many random actions, or fewer if the game ends earlier."""
    out = np.empty(1, np.int64)
    for _ in range(answers):
        if not game.is_over:
            batch.random_actions(game._games, tile_table(), chances, out)
            batch.step(game._games, tile_table(), out)


def look_around(game: Game) -> None:
    """Check that the observations of all players have the declared shapes, dtypes and bounds."""
    for player in range(game.players):
        seen = game.observe(player, "both")
        for name, (shape, dtype, low, high) in encode.spaces("both", game.config.table_size).items():
            array = seen[name]
            assert array.shape == shape and array.dtype == dtype and (array >= low).all() and (array <= high).all(), (
                name
            )
    assert (game.provisional_scores() >= game.scores).all()


def check_state(game: Game) -> None:
    """Check that no list exceeds its capacity, no number has overflowed, and points by source add up to the scores."""
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
    """Try inputs in this process, and write the number of each input to `place` before it is tried. Yields a dict for
    each finding, and one with the totals.
    """
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
    """Forget the sheets and delete the files of earlier inputs, except the sheets of `fuzz_inputs.a_sheet`."""
    sheets._read.cache_clear()
    for path in folder.iterdir():
        if not path.name.startswith("odd-"):
            path.unlink()


def run_chunk(first: int, last: int, path: str) -> None:
    """Do the work of one process: print one JSON line for each finding and one for the totals."""
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 8) as place:
        for line in try_chunk(first, last, place):
            print(json.dumps(line), flush=True)


# --- many processes ---------------------------------------------------------------------------------------------------
class Worker:
    """A process that tries a chunk of the inputs, and the file in which it notes the number of the current input."""

    def __init__(self, first: int, last: int):
        self.first, self.last = first, last
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(first.to_bytes(8, "little"))
        self.path, self.at, self.since = Path(file.name), None, time.monotonic()
        self.excused: int | None = None  # the number of the input that may take longer
        self.output = tempfile.TemporaryFile("w+")  # noqa: SIM115 - the process writes there
        self.process = subprocess.Popen(
            [*PROGRAM, "--chunk", str(first), str(last), file.name], stdout=self.output, stderr=subprocess.STDOUT
        )

    def number(self) -> int:
        """Return the number of the input that is being tried."""
        return int.from_bytes(self.path.read_bytes(), "little")

    def waited(self) -> float:
        """Return how many seconds the process has spent on the current input, not counting time that was granted."""
        if self.number() != self.at:
            self.at, self.since = self.number(), time.monotonic()
        return time.monotonic() - self.since

    def result(self) -> tuple[dict, list[dict]]:
        """Return the totals and the findings of a process that has ended."""
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
    """Try inputs in several processes until there is a finding. Prints the totals and returns the findings."""
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
    """Try the input of a busy process once more, alone. Returns a finding if the input does not end.

    This try may take AGAIN times as long, because code for another table size may have to be compiled first. If it
    ends, the busy process is granted the same time once. A process that is still busy after that is a finding, too.
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
    """Print one line of progress."""
    words = ", ".join(f"{count:,} {what}" for what, count in totals.items())
    print(f"{totals.total():,} inputs, {totals.total() / seconds:.0f} a second: {words}", file=sys.stderr, flush=True)


def main() -> int:
    """Read the command line and run the fuzzer."""
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
    """Run the fuzzer, print what was found, and return the exit status."""
    print(
        f"array bounds {'checked' if cache.checking_mode() == 'checked' else 'not checked: set NUMBA_BOUNDSCHECK=1'}",
        file=sys.stderr,
    )
    compile_all()  # compiled here, because compiling takes longer than one input may take
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
