"""Tables of self-play with what the games ended with: from these a value of the table is learned.

Each row of a shard is a table on which the place of a tile was asked for:

| column | meaning |
|---|---|
| `inputs` | what the value network sees, float32[N_INPUTS], from the side of whoever is asked |
| `promised` | the margin that prospects promise, in points, float32 |
| `margin` | the margin with which the game ended, float32 |
| `left` | tiles in the stack, int16 |
| `player` | who is asked, int8 |
| `game` | the seed of the game, int64 |
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.common.errors import ConfigError
from carc_env.games.games import Games
from carc_env.observing.prospects import PRICES
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.rollouts import LISTED, room_for
from carc_env.searching.selfplay import NOTED, play_and_note
from carc_env.setup.config import GameConfig

SHARD = 1000  # games
BLOCK = 50  # games that are played before Ctrl-C is noticed
COLUMNS = ("inputs", "promised", "margin", "left", "player", "game")


@dataclass(frozen=True)
class Tables:
    """How games are played, and which tables of them are noted. Raises ConfigError for other than two players."""

    config: GameConfig
    prices: np.ndarray  # of the policy, an array of one PRICES record
    errors: int = 80  # of a thousand answers
    near: float = 4.0  # points by which the price of an error may lie below the best
    every: int = 4  # of so many questions for the place of a tile one is noted

    def __post_init__(self) -> None:
        check_players(self.config)

    @property
    def size(self) -> int:
        """The games of a shard."""
        return SHARD

    @property
    def play(self) -> Callable[..., dict[str, np.ndarray]]:
        """Plays a shard."""
        return play_tables

    def told(self) -> dict[str, Any]:
        """What `_selfplay.json` says."""
        return {"errors": self.errors, "near": self.near, "every": self.every}

    def job(self, first: int, games: int) -> tuple[Any, ...]:
        """What `play_tables` needs, in types that can be sent anywhere."""
        return self.config, self.prices.tobytes(), self.errors, self.near, self.every, first, games


def check_players(config: GameConfig) -> None:
    """Raises ConfigError for other than two players."""
    if config.players != 2:
        raise ConfigError(f"players = {config.players}: the value that is learned knows games of two players")


def play_tables(
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
