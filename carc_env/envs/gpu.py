"""Random games on a GPU, one thread a game: the very functions of `rules`, compiled for CUDA by numba-cuda.

`python -m carc_env.envs.gpu` compares them with the CPU's, game for game, and tells how fast they are.
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
    import numba_cuda  # noqa: F401 - without it numba.cuda is another, older one, or none
    from numba import cuda
except ImportError:
    cuda = None

THREADS = 32  # games of a block: every thread goes its own way, so that small blocks cost nothing


class GpuError(RuntimeError):
    """There is no GPU, or nothing that compiles for it; the message says what to do."""


def play(games, tiles, template, seeds, chances, rooms, decisions):
    """The kernel: each thread sets up one game from its seed and plays it to its end."""
    i = cuda.grid(1)
    if i < len(games):
        games[i] = template[0]
        seed_chance(seeds[i], int(seeds[i].a), int(seeds[i].b))  # from here on seeds[i] is the generator
        set_up(games[i], tiles[0], seeds[i], rooms[i])
        decisions[i] = play_to_end(games[i], tiles[0], chances[i], rooms[i])


@functools.cache
def kernel() -> Any:
    """The kernel as numba launches it."""
    return cuda.jit(play)


def arguments(size: int) -> tuple[tuple[Any, int], ...]:
    """The dtypes and dimensions of the kernel's arguments, for games on a table of this size."""
    game = whole_game(size)
    return (game, 1), (TILES, 1), (game, 1), (CHANCE, 1), (CHANCE, 1), (ROOM, 1), (np.int64, 1)


def check_installed() -> None:
    """Raises GpuError without numba-cuda."""
    if cuda is None:
        raise GpuError('numba-cuda is not installed: pip install ".[cuda]"')


def compile_ptx(cc: tuple[int, int] = (9, 0), size: int = USUAL_SIZE) -> str:
    """The kernel in PTX, the assembly language of GPUs, for a compute capability; no GPU is needed. Raises GpuError."""
    check_installed()
    from numba.cuda import dispatcher

    signature = numba.void(
        *(numba.types.Array(numba.from_dtype(np.dtype(dtype)), axes, "C") for dtype, axes in arguments(size))
    )
    # For the functions that a kernel calls numba asks the device what it can do, even when told what to compile for.
    with mock.patch.object(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=cc)):
        ptx: str = cuda.compile_ptx(play, signature, cc=cc)[0]
        return ptx


def to_device(config: GameConfig | str, seeds: Sequence[int] | np.ndarray, chances: np.ndarray) -> list[Any]:
    """The kernel's arguments in the memory of the GPU. Raises GpuError."""
    check_installed()
    if not cuda.is_available():
        raise GpuError("no GPU was found that CUDA can use: `nvidia-smi` should list one")
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
    """Play the games, and wait until all are over."""
    blocks = -(-len(arguments[0]) // THREADS)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Grid size")  # few games leave most of a GPU idle, and may
        kernel()[blocks, THREADS](*arguments)
    cuda.synchronize()


def play_random(
    config: GameConfig | str, seeds: Sequence[int] | np.ndarray, chances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Play one game a seed to its end with uniformly random answers, all on the GPU. Raises GpuError.

    Args:
        config: a GameConfig or the name of a preset.
        seeds: one seed a game, integers from 0 to 2**64 - 1.
        chances: int64[n, 2], for each game two words of 32 bits, not both 0, from which its answers are drawn.

    Returns: The records at the end, dtype `state.whole_game(config.table_size)`, and how many answers were chosen in
        each game: what `Games(config, n, seeds)` and `rules.batch.play_random` with the same chances come to on the
        CPU.
    """
    arguments = to_device(config, seeds, chances)
    launch(arguments)
    return arguments[0].copy_to_host(), arguments[-1].copy_to_host()


def compare(preset: str, n: int) -> str:
    """Play n games on the GPU and on one thread of the CPU: a line that says whether they are equal, and how fast both
    were.
    """
    rng = np.random.default_rng(0)
    seeds, chances = rng.integers(2**63, size=n), rng.integers(1, 2**32, (n, 2))
    play_random(preset, seeds[:1], chances[:1])  # compiles
    began = time.perf_counter()
    arguments = to_device(preset, seeds, chances)
    loaded = time.perf_counter()
    launch(arguments)
    played = time.perf_counter()
    records = arguments[0].copy_to_host()
    copied = time.perf_counter()
    games = Games(preset, n, seeds)
    batch.play_random(games.records, tile_table(), chances)
    done = time.perf_counter()
    # field by field: what lies between the fields is nobody's
    differ = int((records != games.records.view(records.dtype)).sum())
    verdict = "all equal" if differ == 0 else f"{differ} DIFFER"
    return (
        f"{preset}: {n:,} games, {verdict}; {n / (played - loaded):,.0f} games/s on the GPU, "
        f"{n / (copied - began):,.0f} with copying; {n / (done - copied):,.0f} on one thread of the CPU"
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m carc_env.envs.gpu", description="Random games on a GPU against the CPU's."
    )
    parser.add_argument("--games", type=int, default=10_000, help="games of each preset (default: 10000)")
    parser.add_argument("--preset", choices=presets(), action="append", help="only this one; may be given again")
    arguments = parser.parse_args()
    try:
        for preset in arguments.preset or presets():
            print(compare(preset, arguments.games), flush=True)
    except GpuError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
