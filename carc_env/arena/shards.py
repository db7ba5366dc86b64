"""Reads and writes shards of self-play. A shard is a file with data from games that a policy played against itself.
Training programs learn from the data in shards.

A shard is a Parquet file, which pandas, Polars, DuckDB and Arrow can read. There are three types of shards:

- Shards of `carc_env.arena.noted_tables` contain positions with the final margins of their games.
- Shards of `carc_env.arena.noted_answers` contain actions with their values.
- Shards of `carc_env.arena.noted_comparisons` contain the positions after some actions. Rollouts have compared these
  actions.

A shard is written completely or not at all. If the process is killed, only its unfinished shards are lost.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from carc_env.arena import crew
from carc_env.bots import make
from carc_env.bots.checkpoint import prices_to_dict, write_whole
from carc_env.bots.greedy import GreedyBot
from carc_env.common.arguments import as_count, as_seed, brief
from carc_env.common.errors import BotError, FileError, SeedError
from carc_env.observing.prospects import LEARNED
from carc_env.observing.value_network import tensors_of
from carc_env.setup.config import GameConfig

FORMAT = 1  # the format version of a folder with shards
HIGHEST = 2**63  # all seeds are less than HIGHEST, because seeds are written as int64


class Notes(Protocol):
    """The settings for playing games, and for selecting the data that a shard stores."""

    @property
    def config(self) -> GameConfig:
        """The game configuration."""

    @property
    def prices(self) -> np.ndarray:
        """The heuristic weights of the policy, as an array with one record of the dtype PRICES."""

    @property
    def size(self) -> int:
        """The number of games in a shard."""

    @property
    def play(self) -> Callable[..., dict[str, np.ndarray]]:
        """The function that plays the games of a shard. The method `job` returns the arguments of `play`. The function
        returns the columns of the shard as a dict of arrays with equal length.
        """

    def job(self, first: int, games: int) -> tuple[Any, ...]:
        """Return the arguments for one call of `play`. `games` is the number of games, and `first` is the seed of the
        first game. All arguments can be pickled, so any worker process can play the games.
        """

    def told(self) -> dict[str, Any]:
        """Return the settings that are stored in `_selfplay.json`. The configuration and the heuristic weights are not
        included.
        """


def prices_of(spec: str, config: GameConfig) -> np.ndarray:
    """Return the heuristic weights of a bot for a configuration, as an array with one record of the dtype PRICES.
    Raises BotError for a bot that has no heuristic weights.
    """
    bot = make(spec)
    if not isinstance(bot, GreedyBot):
        raise BotError(
            f"bot {brief(spec)} has no heuristic weights; the bots with heuristic weights are greedy, keen, learned, "
            "learned:<checkpoint>"
        )
    return bot.prices_for(config)


def write_shards(
    folder: Path,
    notes: Notes,
    games: int,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    backend: str | None = None,
    address: str | None = None,
) -> list[Path]:
    """Play games, and write the shards that are missing from the folder. Returns the paths of all shards.

    Args:
        seed: the seed of the first game. Game k has the seed `seed + k`.
        workers: the number of processes. The shards do not depend on the number of processes.
        progress: a function that is called after each shard. The arguments of `progress` are the number of games played
            and the total number of games.
        backend, address: where the workers run, as in `carc_env.arena.match.play_match`.

    Raises ConfigError, CountError or SeedError for an invalid argument. Raises FileError if the folder has shards with
    other settings. Raises ImportError if a library is not installed.
    """
    games, seed, workers = as_count(games, "games", 1), as_seed(seed), as_count(workers, "workers", 1)
    if seed + games > HIGHEST:
        raise SeedError(f"seed = {seed}: the seeds of all {games:,} games should be below 2**63")
    if backend is not None or address is not None:
        crew.check(backend or "loky", address)
    libraries()
    begin(folder, notes)
    size = notes.size
    shards = [(first, min(size, seed + games - first)) for first in range(seed, seed + games, size)]
    paths = {first: folder / f"games-{first:020d}.parquet" for first, _ in shards}
    check_overlap(folder, shards)
    missing = [(first, n) for first, n in shards if games_in(paths[first]) < n]
    done = games - sum(n for _, n in missing)
    with closing(played(notes, missing, workers, backend, address)) as results:
        for index, columns in results:
            first, n = missing[index]
            write(paths[first], columns, n)
            done += n
            if progress:
                progress(done, games)
    return list(paths.values())


def shards_in(folder: Path) -> list[Path]:
    """Return the paths of the shards in a folder, sorted by the seeds of their games."""
    return sorted(folder.glob("games-*.parquet"))


def check_overlap(folder: Path, shards: Sequence[tuple[int, int]]) -> None:
    """Raise FileError if a game of the given `shards` is already in another shard of the folder."""
    wanted = dict(shards)
    for path in shards_in(folder):
        first = int(path.stem.removeprefix("games-"))
        last = first + games_in(path) - 1
        if first not in wanted and any(other <= last and first < other + n for other, n in shards):
            raise FileError(
                f"{path} holds the games with the seeds {first} to {last}, and some of them would be played again; "
                "choose another folder, or a --seed greater than all seeds in this folder"
            )


def played(
    notes: Notes, shards: list[tuple[int, int]], workers: int, backend: str | None, address: str | None
) -> Generator[tuple[int, dict[str, np.ndarray]], None, None]:
    """Play the games of several shards. Yield the index and the columns of each shard as soon as its games are over."""
    jobs = [notes.job(first, n) for first, n in shards]
    return crew.as_done(notes.play, jobs, workers, backend, address)


def begin(folder: Path, notes: Notes) -> None:
    """Write the settings of the shards into `_selfplay.json` in the folder. Raises FileError if the folder holds shards
    with other settings.
    """
    told = {"carc_env": FORMAT, "config": notes.config.to_dict(), "prices": name_of(notes.prices), **notes.told()}
    path = folder / "_selfplay.json"  # readers of such folders skip files whose names begin with _
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists() and json.loads(path.read_text(encoding="utf-8")) != json.loads(json.dumps(told)):
            raise FileError(f"{folder} holds games with other settings; choose another folder")
        if not path.exists():
            write_whole(path, (json.dumps(told, indent=2) + "\n").encode())
    except (OSError, ValueError) as error:
        raise error if isinstance(error, FileError) else FileError(f"{path}: {error}") from None


def name_of(prices: np.ndarray) -> str:
    """Return a short hash of the heuristic weights and the value network of a bot. Padding bytes in the record of the
    weights do not affect the hash.
    """
    found = hashlib.sha256(json.dumps(prices_to_dict(prices)).encode())
    for array in tensors_of(prices[LEARNED]).values():
        found.update(array.tobytes())
    return found.hexdigest()[:16]


def write(path: Path, columns: dict[str, np.ndarray], games: int) -> None:
    """Write a shard, completely or not at all. `games` is the number of games in the shard. It is possible that
    a game has no rows in the shard.
    """
    arrow, parquet = libraries()
    arrays = {
        name: arrow.array(array)
        if array.ndim == 1
        else arrow.FixedSizeListArray.from_arrays(array.ravel(), array.shape[1])
        for name, array in columns.items()
    }
    # the name is random, because other machines may write to the same folder
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    parquet.write_table(arrow.table(arrays, metadata={"games": str(games)}), beside, compression="zstd")
    os.replace(beside, path)


def games_in(path: Path) -> int:
    """Return the number of games in a shard, or 0 if the file does not exist. Raises FileError if the file is not a
    shard.
    """
    if not path.exists():
        return 0
    arrow, parquet = libraries()
    try:
        return int(parquet.read_schema(path).metadata[b"games"])
    except (OSError, KeyError, TypeError, ValueError, arrow.ArrowException) as error:
        raise FileError(f"{path} is not a shard of self-play: {error}") from None


def read(paths: list[Path]) -> dict[str, np.ndarray]:
    """Return the columns of several shards, concatenated. Raises FileError if a file is not a shard."""
    arrow, parquet = libraries()
    found: dict[str, list[np.ndarray]] = {}
    for path in paths:
        try:
            table = parquet.read_table(path)
            for name in table.column_names:
                found.setdefault(name, []).append(as_array(arrow, table[name].combine_chunks()))
        except (OSError, KeyError, ValueError, arrow.ArrowException) as error:
            raise FileError(f"{path} is not a shard of self-play: {error}") from None
    return {name: np.concatenate(arrays) for name, arrays in found.items()}


def as_array(arrow: Any, column: Any) -> np.ndarray:
    """Return a column of a shard as an array. A column of lists becomes an array with two axes."""
    if not arrow.types.is_fixed_size_list(column.type):
        array: np.ndarray = column.to_numpy(zero_copy_only=False)
        return array
    return np.asarray(column.flatten().to_numpy().reshape(len(column), column.type.list_size))


def libraries() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet. Raises an ImportError with installation instructions if pyarrow
    is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError('shards of self-play need pyarrow: pip install ".[train]"') from None
    return pyarrow, pyarrow.parquet
