"""Shards of self-play: games of a policy against itself, from which a value of the table is learned.

A shard is a file in the format Parquet, which pandas, Polars, DuckDB and Arrow read. Each row is a table on which the
place of a tile was asked for:

| column | meaning |
|---|---|
| `inputs` | what the value network sees, float32[N_INPUTS], from the side of whoever is asked |
| `promised` | the margin that prospects promise, in points, float32 |
| `margin` | the margin with which the game ended, float32 |
| `left` | tiles in the stack, int16 |
| `player` | who is asked, int8 |
| `game` | the seed of the game, int64 |

A shard is written as a whole or not at all. Whoever is killed loses the shards that were being played.
"""

import hashlib
import json
import os
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.arena import crew
from carc_env.bots import make
from carc_env.bots.checkpoint import prices_to_dict, write_whole
from carc_env.bots.greedy import GreedyBot
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import as_count, as_seed, brief, seed_words
from carc_env.common.errors import BotError, ConfigError, FileError
from carc_env.games.games import Games
from carc_env.observing.prospects import LEARNED, PRICES
from carc_env.observing.value_network import tensors_of
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.rollouts import LISTED, room_for
from carc_env.searching.selfplay import NOTED, play_and_note
from carc_env.setup.config import GameConfig

FORMAT = 1  # of shards and their folder
SHARD = 1000  # games
BLOCK = 50  # games that are played before Ctrl-C is noticed
COLUMNS = ("inputs", "promised", "margin", "left", "player", "game")


@dataclass(frozen=True)
class Play:
    """How games are played and noted."""

    config: GameConfig
    prices: np.ndarray  # of the policy, an array of one PRICES record
    errors: int = 80  # of a thousand answers
    near: float = 4.0  # points by which the price of an error may lie below the best
    every: int = 4  # of so many questions for the place of a tile one is noted

    def job(self, first: int, games: int) -> tuple[Any, ...]:
        """What `play_shard` needs, in types that can be sent anywhere."""
        return self.config, self.prices.tobytes(), self.errors, self.near, self.every, first, games


def prices_of(spec: str, config: GameConfig) -> np.ndarray:
    """The prices that a bot plays a game by, an array of one PRICES record. Raises BotError for a bot without prices."""
    bot = make(spec)
    if not isinstance(bot, GreedyBot):
        raise BotError(
            f"bot {brief(spec)} has no prices; those that have are greedy, keen, learned, learned:<checkpoint>"
        )
    return bot.prices_for(config)


def play_shard(
    config: GameConfig, prices: bytes, errors: int, near: float, every: int, first: int, n: int
) -> dict[str, np.ndarray]:
    """Play games with the seeds from `first` on. Returns the columns of a shard."""
    games = Games(config, n, range(first, first + n))
    records, rooms = games.records, room_for(games.records.dtype)
    noted = np.zeros((n, int(records["n_deck"].max()) // every + 2), NOTED)
    count, listed = np.zeros(n, np.int64), np.zeros(MAX_ANSWERS, LISTED)
    for start in range(0, n, BLOCK):
        some, words = slice(start, start + BLOCK), seed_words([first + start])[0]
        play_and_note(
            records[some], tile_table(), np.frombuffer(bytearray(prices), PRICES), *rooms, listed, words,
            errors, near, every, noted[some], count[some],
        )  # fmt: skip
    is_noted = np.arange(noted.shape[1]) < count[:, None]
    rows = noted[is_noted]
    seeds = np.broadcast_to(np.arange(first, first + n)[:, None], is_noted.shape)[is_noted]
    return {name: np.array(rows[name]) for name in COLUMNS[:-1]} | {"game": seeds}


def write_shards(
    folder: Path,
    play: Play,
    games: int,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    backend: str | None = None,
    address: str | None = None,
) -> list[Path]:
    """Play so many games, in shards of SHARD, and write those that the folder does not have. Returns all of them.

    Args:
        seed: of the first game; game k has `seed + k`.
        workers: processes that play. The shards are the same for any number.
        progress: gets the games played and those in all after each shard.
        backend, address: who the workers are, as for `carc_env.arena.match.play_match`.

    Raises ConfigError for other than two players or a backend that is none, CountError, SeedError, FileError for a
    folder with games of another kind, ImportError for a library that is not installed.
    """
    if play.config.players != 2:
        raise ConfigError(f"players = {play.config.players}: the value that is learned knows games of two players")
    games, seed, workers = as_count(games, "games", 1), as_seed(seed), as_count(workers, "workers", 1)
    if backend is not None or address is not None:
        crew.check(backend or "loky", address)
    libraries()
    begin(folder, play)
    shards = [(first, min(SHARD, seed + games - first)) for first in range(seed, seed + games, SHARD)]
    paths = {first: folder / f"games-{first:020d}.parquet" for first, _ in shards}
    missing = [(first, n) for first, n in shards if games_in(paths[first]) < n]
    done = games - sum(n for _, n in missing)
    with closing(played(play, missing, workers, backend, address)) as results:
        for (first, n), columns in zip(missing, results):
            write(paths[first], columns)
            done += n
            if progress:
                progress(done, games)
    return list(paths.values())


def shards_in(folder: Path) -> list[Path]:
    """The shards that a folder has, by the seeds of their games."""
    return sorted(folder.glob("games-*.parquet"))


def played(
    play: Play, shards: list[tuple[int, int]], workers: int, backend: str | None, address: str | None
) -> Generator[dict[str, np.ndarray], None, None]:
    """The columns of shards, in their order."""
    jobs = [play.job(first, n) for first, n in shards]
    if backend is not None:
        return crew.in_order(play_shard, jobs, backend, workers, address)
    return crew.in_processes(play_shard, jobs, workers)


def begin(folder: Path, play: Play) -> None:
    """The folder says what its shards are. Raises FileError for one that holds others."""
    told = {
        "carc_env": FORMAT,
        "config": play.config.to_dict(),
        "prices": name_of(play.prices),
        "errors": play.errors,
        "near": play.near,
        "every": play.every,
    }
    path = folder / "_selfplay.json"  # readers of a folder of shards leave out what begins so
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists() and json.loads(path.read_text(encoding="utf-8")) != json.loads(json.dumps(told)):
            raise FileError(f"{folder} holds games that were played otherwise: take another folder")
        if not path.exists():
            write_whole(path, (json.dumps(told, indent=2) + "\n").encode())
    except (OSError, ValueError) as error:
        raise error if isinstance(error, FileError) else FileError(f"{path}: {error}") from None


def name_of(prices: np.ndarray) -> str:
    """A short hash of prices and their network; bytes between the fields of a record are no part of it."""
    found = hashlib.sha256(json.dumps(prices_to_dict(prices)).encode())
    for array in tensors_of(prices[LEARNED]).values():
        found.update(array.tobytes())
    return found.hexdigest()[:16]


def write(path: Path, columns: dict[str, np.ndarray]) -> None:
    """Write a shard as a whole or not at all."""
    arrow, parquet = libraries()
    inputs = columns["inputs"]
    arrays = {name: arrow.array(array) for name, array in columns.items() if name != "inputs"}
    arrays["inputs"] = arrow.FixedSizeListArray.from_arrays(arrow.array(inputs.ravel()), inputs.shape[1])
    games = {"games": str(len(np.unique(columns["game"])))}
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    parquet.write_table(arrow.table({name: arrays[name] for name in COLUMNS}, metadata=games), beside)
    os.replace(beside, path)


def games_in(path: Path) -> int:
    """How many games a shard has; 0 where there is none. Raises FileError for a file that is none."""
    if not path.exists():
        return 0
    arrow, parquet = libraries()
    try:
        return int(parquet.read_schema(path).metadata[b"games"])
    except (OSError, KeyError, TypeError, ValueError, arrow.ArrowException) as error:
        raise FileError(f"{path}: no shard of self-play: {error}") from None


def read(paths: list[Path]) -> dict[str, np.ndarray]:
    """The columns of shards, one after another. Raises FileError for a file that is none."""
    arrow, parquet = libraries()
    found: dict[str, list[np.ndarray]] = {name: [] for name in COLUMNS}
    for path in paths:
        try:
            table = parquet.read_table(path, columns=list(COLUMNS))
            inputs = table["inputs"].combine_chunks()
            found["inputs"].append(inputs.flatten().to_numpy().reshape(len(inputs), -1))
            for name in COLUMNS[1:]:
                found[name].append(table[name].to_numpy())
        except (OSError, KeyError, ValueError, arrow.ArrowException) as error:
            raise FileError(f"{path}: no shard of self-play: {error}") from None
    return {name: np.concatenate(arrays) for name, arrays in found.items()}


def libraries() -> tuple[Any, Any]:
    """pyarrow and its module for Parquet. Raises ImportError that says how to install it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError('shards of self-play need pyarrow: pip install ".[train]"') from None
    return pyarrow, pyarrow.parquet
