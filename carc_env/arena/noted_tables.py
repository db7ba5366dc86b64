"""Produces shards (files of self-play data) that contain positions and the final margins of their games. A value
network learns from these positions and margins.

Each row of a shard describes a position in which a player has to place a tile. A shard has these columns:

| column | meaning |
|---|---|
| `inputs` | the inputs of the value network, float32[N_INPUTS], from the perspective of the player who has to act |
| `promised` | the player's final margin in points, as estimated by `carc_env.observing.prospects`, float32 |
| `margin` | the player's final margin in points, float32 |
| `left` | the number of tiles in the stack, int16 |
| `player` | the player who has to act, int8 |
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

SHARD = 1000  # the number of games in a shard
BLOCK = 50  # the number of games that one call plays; during a call, Ctrl-C has no effect
COLUMNS = ("inputs", "promised", "margin", "left", "player", "game")


@dataclass(frozen=True)
class Tables:
    """The settings for playing games and selecting positions. Raises ConfigError if the number of players is not
    two.
    """

    config: GameConfig
    prices: np.ndarray  # the policy's heuristic weights, as an array with one record of the dtype PRICES
    errors: int = 80  # the mean number of decisions, out of 1,000, in which the policy plays a random good action
    # the largest difference, in points, between the heuristic values of the best action and of a good action
    near: float = 4.0
    every: int = 4  # with the value k, the position before every k-th tile placement is stored

    def __post_init__(self) -> None:
        check_players(self.config)

    @property
    def size(self) -> int:
        """The number of games in a shard."""
        return SHARD

    @property
    def play(self) -> Callable[..., dict[str, np.ndarray]]:
        """The function that plays the games of a shard."""
        return play_tables

    def told(self) -> dict[str, Any]:
        """Return the settings to be stored in `_selfplay.json`."""
        return {"errors": self.errors, "near": self.near, "every": self.every}

    def job(self, first: int, games: int) -> tuple[Any, ...]:
        """Return the arguments of `play_tables`. The arguments can be pickled, so any worker process can play the
        games.
        """
        return self.config, self.prices.tobytes(), self.errors, self.near, self.every, first, games


def check_players(config: GameConfig) -> None:
    """Raise ConfigError if the number of players is not two."""
    if config.players != 2:
        raise ConfigError(
            f"players = {config.players}: should be 2, because value networks are for games of two players"
        )


def play_tables(
    config: GameConfig, prices: bytes, errors: int, near: float, every: int, first: int, n: int
) -> dict[str, np.ndarray]:
    """Play `n` games. The first game has the seed `first`, the next game has the seed `first + 1`, and so on. Returns
    the columns of a shard.
    """
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
