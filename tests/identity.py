"""Plays the same games one by one, in batches, in a vector environment with one or more threads, and uncompiled.

    python -m tests.identity --games 10000

prints `10000 games are the same`, or the first game that differs, with exit status 1. The actions of a game are drawn
from its number. The uncompiled engine is slow: in a separate process, it plays `--uncompiled` of each block of 1,024
games.
"""

import argparse
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from gymnasium.utils import seeding

import carc_env
from carc_env.boxes.tiles import tile_table
from carc_env.envs import common
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.rules import batch
from carc_env.rules.chance import random_below
from carc_env.rules.state import NONE

WAYS = {  # (games at a time, threads) of each vector environment
    "vector of 1": (1, 1),
    "vector of 7": (7, 1),
    "vector of 64 on 2 threads": (64, 2),
    "vector of 512 on 3 threads": (512, 3),
}


def preset_of(number: int) -> str:
    """Return the preset of a game. It changes every 1,024 games, so that a vector can play a whole block of games."""
    names = carc_env.presets()
    return names[number // 1024 % len(names)]


def seed_of(number: int) -> int:
    """Return the seed that an environment with the seed `number` gives to its first game."""
    return common.draw(seeding.np_random(number)[0], carc_env.preset(preset_of(number)).players)[0]


def chances_of(numbers: range) -> np.ndarray:
    """Return the states of the random number generators that draw the actions of these games."""
    return np.array([(number + 1, 2 * number + 1) for number in numbers], np.int64)


def digest(record: np.ndarray) -> int:
    """Return a checksum of every byte of a game's state."""
    return zlib.crc32(record.tobytes())


def one_by_one(numbers: range) -> list[int]:
    """Play each game as a Game. Returns the checksum of each final state, as the next three functions do."""
    ends = []
    for number, chance in zip(numbers, batch.generators(chances_of(numbers))):
        game = carc_env.Game(preset_of(number), seed=seed_of(number))
        while not game.is_over:
            legal = game.legal_actions()
            game.play(int(legal[random_below(chance, len(legal))]))
        ends.append(digest(game._games))
    return ends


def in_a_batch(numbers: range) -> list[int]:
    """Play the games, which have one preset, as one batch. Games that are over wait for the others."""
    games = carc_env.Games(preset_of(numbers[0]), len(numbers), [seed_of(number) for number in numbers])
    chances, actions = chances_of(numbers), np.empty(len(numbers), np.int64)
    live = np.arange(len(numbers))
    while len(live):
        some, few = games[live], chances[live]
        batch.random_actions(some.records, tile_table(), few, actions[: len(live)])
        some.step(actions[: len(live)])
        games[live], chances[live] = some, few
        live = live[games.players[live] != NONE]
    return [digest(games.records[i : i + 1]) for i in range(len(numbers))]


def in_a_vector(numbers: range, n: int, threads: int) -> list[int]:
    """Play the games, which have one preset, n at a time in a vector environment."""
    ends = []
    for first in range(numbers.start, numbers.stop, n):
        some = range(first, min(first + n, numbers.stop))
        envs = CarcassonneVectorEnv(len(some), preset_of(first), "self", threads=threads, copy=False)
        envs.reset(seed=list(some))
        found, chances = [0] * len(some), chances_of(some)
        over = np.zeros(len(some), bool)
        while not over.all():
            _, _, ends_now, _, _ = envs.step(envs.random_actions(chances))
            for i in np.flatnonzero(ends_now & ~over):
                found[i] = digest(envs.games.records[i : i + 1])
            over |= ends_now
        envs.close()
        ends += found
    return ends


def uncompiled(numbers: range) -> list[int]:
    """Play the games with the rules as plain Python, in another process."""
    command = [sys.executable, "-m", "tests.identity", "--digests", str(numbers.start), str(numbers.stop)]
    told = subprocess.run(
        command,
        cwd=Path(__file__).parents[1],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return [int(word) for word in told.stdout.split()]


def differences(numbers: range, few: int) -> Iterator[str]:
    """Yield a message for each way of playing that changes a game. All games have one preset; the first `few` are also
    played uncompiled.
    """
    expected = one_by_one(numbers)
    ways = {"batch": in_a_batch(numbers), "uncompiled": uncompiled(numbers[:few]) if few else []}
    ways |= {name: in_a_vector(numbers, *how) for name, how in WAYS.items()}
    for name, found in ways.items():
        for number, here, there in zip(numbers, found, expected):
            if here != there:
                yield f"game {number} ({preset_of(number)}) is not the same in: {name}"


def main() -> int:
    """Read the command line, play the games and report. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.identity", description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--uncompiled", type=int, default=2, help="so many of each block of 1,024 games (2)")
    parser.add_argument("--digests", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.digests:
        print(*one_by_one(range(*arguments.digests)))
        return 0
    for first in range(0, arguments.games, 1024):
        numbers = range(first, min(first + 1024, arguments.games))
        for difference in differences(numbers, arguments.uncompiled):
            print(difference)
            return 1
        print(f"{numbers.stop} games, the last {len(numbers)} of {preset_of(first)}", flush=True)
    print(f"{arguments.games} games are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
