"""Plays random games on a GPU, one game per thread. The package numba-cuda compiles the functions of `carc_env.rules`
for CUDA.

`python -m carc_env.envs.gpu` plays the same games on the GPU and on the CPU. The command checks that the results are
equal, and measures both speeds.
"""

import argparse
import functools
import time
import warnings
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numba
import numpy as np

from carc_env.boxes.actions import USUAL_SIZE
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.games.games import Games
from carc_env.rules import batch
from carc_env.rules.answers import ROOM
from carc_env.rules.chance import CHANCE, seed_chance
from carc_env.rules.opening import set_up
from carc_env.rules.state import TILES, whole_game
from carc_env.rules.turn import play_to_end
from carc_env.setup.config import GameConfig, as_config, presets
from carc_env.setup.template import template

try:
    import numba_cuda  # noqa: F401 - without numba-cuda, numba.cuda is an older implementation or missing
    from numba import cuda
except ImportError:
    cuda = None

THREADS = 32  # games per block; the threads diverge anyway, so small blocks cost nothing
TIMES = 5  # how many times the GPU plays the games for a measurement of its speed


class GpuError(RuntimeError):
    """Raised if there is no GPU, or if numba-cuda is not installed. The error message says how to solve the problem."""


def play(games, tiles, template, seeds, chances, rooms, decisions):
    """The CUDA kernel. Each GPU thread sets up one game from the game's seed, and plays the game to its end."""
    i = cuda.grid(1)
    if i < len(games):
        games[i] = template[0]
        seed_chance(seeds[i], int(seeds[i].a), int(seeds[i].b))  # from here on, seeds[i] is the state of a generator
        set_up(games[i], tiles[0], seeds[i], rooms[i])
        decisions[i] = play_to_end(games[i], tiles[0], chances[i], rooms[i])


@functools.cache
def kernel() -> Any:
    """Return the kernel as a CUDA function that numba can launch."""
    return cuda.jit(play)


def arguments(size: int) -> tuple[tuple[Any, int], ...]:
    """Return the dtype and the number of axes of each argument of the kernel. `size` is the number of rows and columns
    of the table.
    """
    game = whole_game(size)
    return (game, 1), (TILES, 1), (game, 1), (CHANCE, 1), (CHANCE, 1), (ROOM, 1), (np.int64, 1)


def check_installed() -> None:
    """Raise GpuError if numba-cuda is not installed."""
    if cuda is None:
        raise GpuError('numba-cuda is not installed: pip install ".[cuda]"')


def compile_ptx(cc: tuple[int, int] = (9, 0), size: int = USUAL_SIZE) -> str:
    """Compile the kernel for a compute capability, and return its code in PTX, the assembly language of GPUs. The
    function needs no GPU. Raises GpuError.
    """
    check_installed()
    from numba.cuda import dispatcher

    signature = numba.void(
        *(numba.types.Array(numba.from_dtype(np.dtype(dtype)), axes, "C") for dtype, axes in arguments(size))
    )
    # Even if `cc` is given, numba asks the device for its compute capability when numba compiles the called functions.
    with mock.patch.object(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=cc)):
        ptx: str = cuda.compile_ptx(play, signature, cc=cc)[0]
        return ptx


def to_device(config: GameConfig | str, seeds: Sequence[int] | np.ndarray, chances: np.ndarray) -> list[Any]:
    """Create the arguments of the kernel in the memory of the GPU. Raises GpuError."""
    check_installed()
    if not cuda.is_available():
        raise GpuError("no GPU was found for CUDA; `nvidia-smi` should list one")
    n, config = len(seeds), as_config(config)
    game = whole_game(config.table_size)
    given = (
        tile_table(),
        template(config).view(game),
        batch.generators(seed_words(seeds)),
        batch.generators(np.array(chances, np.int64)),
    )
    return [
        cuda.device_array(n, game),
        *map(cuda.to_device, given),
        cuda.device_array(n, ROOM),
        cuda.device_array(n, np.int64),
    ]


def launch(arguments: list[Any]) -> None:
    """Play the games on the GPU, and wait until all are over."""
    blocks = -(-len(arguments[0]) // THREADS)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*Grid size")  # numba warns if there are too few games to fill the GPU
        kernel()[blocks, THREADS](*arguments)
    cuda.synchronize()


def play_random(
    config: GameConfig | str, seeds: Sequence[int] | np.ndarray, chances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each seed, play one game to its end on the GPU, with uniformly random actions. Raises GpuError.

    Args:
        config: a GameConfig or the name of a preset.
        seeds: one seed for each game, an integer from 0 to 2**64 - 1.
        chances: the states of the games' random generators, int64[n, 2]. The generators choose the actions. A state
            consists of two 32-bit words, and at least one of the two words is not 0.

    Returns: The records of the finished games, and the number of actions chosen in each game. The records have the
        dtype `state.whole_game(config.table_size)`. On the CPU, `Games(config, n, seeds)` and `rules.batch.play_random`
        give the same results if the random generators begin in the same states.
    """
    arguments = to_device(config, seeds, chances)
    launch(arguments)
    return arguments[0].copy_to_host(), arguments[-1].copy_to_host()


def compare(preset: str, n: int) -> str:
    """Play n games on the GPU, and the same games on one thread of the CPU. Returns a line of text that says whether
    the results are equal. The line also reports how many games per second the GPU played, and how many the CPU played.
    The speed of the GPU is computed from the median time of five runs.
    """
    rng = np.random.default_rng(0)
    seeds, chances = rng.integers(2**63, size=n), rng.integers(1, 2**32, (n, 2))
    # These two calls compile the code for the GPU and for the CPU, so that compilation is not measured.
    play_random(preset, seeds[:1], chances[:1])
    batch.play_random(Games(preset, 1, seeds[:1]).records, tile_table(), chances[:1].copy())
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        arguments = to_device(preset, seeds, chances)
        loaded = time.perf_counter()
        launch(arguments)
        played = time.perf_counter()
        records = arguments[0].copy_to_host()
        times.append((played - loaded, time.perf_counter() - began))
    playing, with_copying = np.median(times, axis=0)
    began = time.perf_counter()
    games = Games(preset, n, seeds)
    batch.play_random(games.records, tile_table(), chances)
    on_cpu = time.perf_counter() - began
    # NumPy compares the records field by field; the padding between the fields is undefined
    differ = int((records != games.records.view(records.dtype)).sum())
    verdict = "all equal" if differ == 0 else f"{differ} DIFFER"
    return (
        f"{preset}: {n:,} games, {verdict}; {n / playing:,.0f} games/s on the GPU, "
        f"{n / with_copying:,.0f} with copying; {n / on_cpu:,.0f} on one thread of the CPU"
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m carc_env.envs.gpu", description="Compare random games on a GPU with the same games on the CPU."
    )
    parser.add_argument("--games", type=int, default=10_000, help="number of games for each preset (default: 10000)")
    parser.add_argument("--preset", choices=presets(), action="append", help="play only this preset; may be repeated")
    arguments = parser.parse_args()
    try:
        for preset in arguments.preset or presets():
            print(compare(preset, arguments.games), flush=True)
    except GpuError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
