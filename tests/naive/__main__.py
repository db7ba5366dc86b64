"""Plays many games on the engine and on the naive model side by side.

    python -m tests.naive --games 20000 --workers 2

runs for a night. It prints a line of progress from time to time. The last line is `20000 games agreed`. At the first
disagreement it stops instead, prints the record of the game, and returns the exit status 1. Game number n is always the
same game; `--first` begins at another number. Presets and other tables take turns; `--preset` plays only one kind.

The model's table has no border. If the engine's table was too small for a game, only the part before that is compared.
Such games are counted and named. If there are more of them than `--cut-off` says (0), the exit status is 1 as well.
"""

import argparse
import sys
import time
from collections import Counter
from functools import partial
from multiprocessing import Pool

from .compare import Disagreement, compare_game
from .tables import PRESETS, SYSTEM_KINDS


def compare_games(numbers, workers, preset=None):
    """Yield the counts of the situations met in each game. A disagreement ends the run with an exception."""
    if workers == 1:
        yield from map(partial(compare_game, preset=preset), numbers)
        return
    with Pool(workers) as pool:
        yield from pool.imap_unordered(partial(compare_game, preset=preset), numbers, chunksize=4)


def main():
    """Read the command line, play the games and report. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.naive", description="engine against naive model")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    kinds = sorted({*PRESETS, *SYSTEM_KINDS})
    parser.add_argument("--preset", choices=kinds, help="play this preset, or kind of table, only")
    parser.add_argument(
        "--cut-off", type=int, default=0, metavar="N", help="how many games may be cut off by the end of the table"
    )
    arguments = parser.parse_args()

    met, began, told = Counter(), time.monotonic(), 0.0
    numbers = range(arguments.first, arguments.first + arguments.games)
    try:
        for found in compare_games(numbers, arguments.workers, arguments.preset):
            met += found
            seconds = time.monotonic() - began
            if seconds - told >= 20:
                told = seconds
                print(f"{met['games']} games, {met['answers']} answers, {seconds:.0f} s", flush=True)
    except Disagreement as disagreement:
        print(disagreement)
        return 1
    for situation, times in sorted(met.items()):
        print(f"{times:9d}  {situation}")
    if met["games cut off"]:
        print(f"{met['games cut off']} games cut off, as their tables were too small: they agreed up to there")
    print(f"{met['games'] - met['games cut off']} games agreed")
    return int(met["games cut off"] > arguments.cut_off)


if __name__ == "__main__":
    sys.exit(main())
