"""Answers of self-play that rollouts compare, as tables: from these a value of the table learns which answer is better.

Each row of a shard is the table that an answer to the question for the place of a tile leads to, at the end of the turn:

| column | meaning |
|---|---|
| `inputs` | what the value network sees, float32[N_INPUTS], from the side of who was asked |
| `promised` | the margin that prospects promise him, in points, float32 |
| `value` | the margin that rollouts expect, float32 |
| `move` | answers given before in its game, int16: the tables of one question have the same |
| `game` | the seed of the game, int64 |

All answers of a question are rolled out on the same redrawn stacks, so that the differences of their values tell more
than the values.
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
from carc_env.observing.value_network import N_INPUTS
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.rollouts import LISTED, list_answers, roll_out_all, room_for
from carc_env.searching.selfplay import NOTED, note_what_follows, play_until_placement
from carc_env.setup.config import GameConfig

SHARD = 20  # games
COLUMNS = {"inputs": "f4", "promised": "f4", "value": "f4", "move": "i2", "game": "i8"}


@dataclass(frozen=True)
class Comparisons:
    """How games are played, and which answers are compared. Raises ConfigError for other than two players."""

    config: GameConfig
    prices: np.ndarray  # of the policy, an array of one PRICES record
    stacks: int = 12  # redrawn for each question
    depth: int = 4  # tiles that are played after the one of the answer
    most: int = 4  # answers that are compared
    near: float = 5.0  # points by which their price may lie below the best
    every: int = 4  # of so many questions for the place of a tile the answers to one are compared
    errors: int = 80  # of a thousand answers that are given, drawn among those that are near

    def __post_init__(self) -> None:
        if self.config.players != 2:
            raise ConfigError(f"players = {self.config.players}: the value that is learned knows games of two players")

    @property
    def size(self) -> int:
        """The games of a shard."""
        return SHARD

    @property
    def play(self) -> Callable[..., dict[str, np.ndarray]]:
        """Plays a shard."""
        return play_comparisons

    def told(self) -> dict[str, Any]:
        """What `_selfplay.json` says."""
        return {name: getattr(self, name) for name in ("stacks", "depth", "most", "near", "every", "errors")}

    def job(self, first: int, games: int) -> tuple[Any, ...]:
        """What `play_comparisons` needs, in types that can be sent anywhere."""
        return self.config, self.prices.tobytes(), tuple(self.told().values()), first, games


def play_comparisons(
    config: GameConfig, prices: bytes, told: tuple[Any, ...], first: int, n: int
) -> dict[str, np.ndarray]:
    """Play games with the seeds from `first` on. Returns the columns of a shard."""
    plan = Comparisons(config, np.frombuffer(bytearray(prices), PRICES), *told)
    found: list[dict[str, np.ndarray]] = [part for seed in range(first, first + n) for part in Player(plan, seed)]
    shape = {"inputs": (0, N_INPUTS)}
    return {
        name: np.concatenate([np.zeros(shape.get(name, 0), kind), *(part[name].astype(kind) for part in found)])
        for name, kind in COLUMNS.items()
    }


class Player:
    """Plays a game of the policy against itself, and compares answers on the way: iterate over it."""

    def __init__(self, plan: Comparisons, seed: int):
        self._plan, self._seed = plan, seed
        self._games = Games(plan.config, 1, [seed]).records
        self._given = tile_table(), plan.prices, *room_for(self._games.dtype)
        self._listed, self._noted = np.zeros(MAX_ANSWERS, LISTED), np.zeros(plan.most, NOTED)

    def __iter__(self) -> Any:
        plan = self._plan
        wait = int(np.random.default_rng(self._seed).integers(plan.every))
        while play_until_placement(
            self._games, *self._given, self._listed, self._drawn(0), plan.errors, plan.near, int(wait)
        ):
            found = self._compared()
            if found:
                yield found
            wait = plan.every

    def _drawn(self, what: int) -> np.ndarray:
        """Words that seed a draw here: a game has fewer than 4,096 moves."""
        words: np.ndarray = seed_words([((self._seed << 13) + 2 * int(self._games[0]["n_moves"]) + what) % 2**63])[0]
        return words

    def _compared(self) -> dict[str, np.ndarray]:
        """The columns of the question asked; none where there is nothing to compare, or the game may end."""
        plan, games = self._plan, self._games
        n = list_answers(games, *self._given, self._listed)
        prices = self._listed["price"][:n]
        best = np.argsort(-prices, kind="stable")[: plan.most]
        near = best[prices[best] >= prices[best[0]] - plan.near]
        if len(near) < 2:
            return {}
        values = np.zeros((plan.stacks, n))
        roll_out_all(games, *self._given, self._listed, near, self._drawn(1), 0, plan.depth, values)
        if note_what_follows(games, *self._given, self._listed, near, self._noted) < len(near):
            return {}
        noted = self._noted[: len(near)]
        return {
            "inputs": noted["inputs"].copy(),
            "promised": noted["promised"].copy(),
            "value": values.mean(0)[near],
            "move": np.full(len(near), games[0]["n_moves"]),
            "game": np.full(len(near), self._seed),
        }
