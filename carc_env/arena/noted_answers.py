"""Produces shards (files of self-play data) that contain legal actions and their values. With these data, a network
learns to choose good actions.

A shard is a table with one row for each legal action of a decision. If more than MAX_CANDIDATES actions are legal,
only those with the highest heuristic values have rows. Decisions with only one legal action are left out.
A shard has these columns:

| column | meaning |
|---|---|
| `row` | the features of the action, float32[N_COLUMNS], as in an environment with `observation="candidates"` and `price=True` |
| `price` | the policy's heuristic value of the action, in points, float32 |
| `value` | the expected margin after the action, estimated by rollouts, float32; NaN for actions that were not rolled out |
| `answer` | the id of the action, int32 |
| `move` | the number of earlier moves in the game, int16; the same for all actions of one decision |
| `game` | the seed of the game, int64 |

Only the actions with the best heuristic values are rolled out. All rolled-out actions of a decision share the same
reshuffled stacks. The difference between the values of two actions is therefore more precise than either value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.boxes.layout import N_COLUMNS
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.games.games import Games
from carc_env.observing import candidates
from carc_env.observing.prospects import PRICES, observed_prices
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.rules.state import NONE
from carc_env.searching.rollouts import LISTED, list_answers, promising, roll_out_all, room_for
from carc_env.setup.config import GameConfig

JUDGED, PRICED = 10, 200  # number of games per shard: with rollouts, and without rollouts
COLUMNS = ("row", "price", "value", "answer", "move", "game")


@dataclass(frozen=True)
class Answers:
    """The settings for playing games and estimating the values of actions. The policy plays the action with the best
    value.
    """

    config: GameConfig
    prices: np.ndarray  # the policy's heuristic weights, as an array with one record of the dtype PRICES
    stacks: int = 12  # reshuffled stacks per decision; 0: no rollouts, and the policy plays by heuristic values
    depth: int = 4  # the number of tiles for which a rollout continues after the current turn
    most: int = 3  # the maximum number of actions that are rolled out
    near: float = 4.0  # maximum gap to the best heuristic value, in points; actions with larger gaps are not rolled out
    errors: int = 0  # mean number of decisions in 1,000 at which the policy plays a random promising action

    @property
    def size(self) -> int:
        """The number of games in a shard."""
        return JUDGED if self.stacks else PRICED

    @property
    def play(self) -> Callable[..., dict[str, np.ndarray]]:
        """The function that plays the games of a shard."""
        return play_answers

    def told(self) -> dict[str, Any]:
        """Return the settings to be stored in `_selfplay.json`."""
        return {"stacks": self.stacks, "depth": self.depth, "most": self.most, "near": self.near, "errors": self.errors}

    def job(self, first: int, games: int) -> tuple[Any, ...]:
        """Return the arguments of `play_answers`. The arguments can be pickled, so any worker process can play the
        games.
        """
        return self.config, self.prices.tobytes(), tuple(self.told().values()), first, games


def play_answers(config: GameConfig, prices: bytes, told: tuple[Any, ...], first: int, n: int) -> dict[str, np.ndarray]:
    """Play `n` games. The first game has the seed `first`, the next game has the seed `first + 1`, and so on. Returns
    the columns of a shard.
    """
    judge = Judge(Answers(config, np.frombuffer(bytearray(prices), PRICES), *told))
    games = Games(config, n, range(first, first + n))
    while not games.is_over.all():
        answers = np.full(n, NONE, np.int64)
        for i in np.flatnonzero(~games.is_over).tolist():
            answers[i] = judge.answer(games.records[i : i + 1], first + i)
        games.step(answers)
    return judge.columns()


class Judge:
    """Chooses the actions in the games of a shard, and collects the rows of the shard."""

    def __init__(self, plan: Answers):
        self._plan, self._listed = plan, np.zeros(MAX_ANSWERS, LISTED)
        self._room = room_for(Games(plan.config, 1, [0]).records.dtype)
        self._rows, self._ids = candidates.room_for(1, columns=N_COLUMNS)
        self._noted: dict[str, list[np.ndarray]] = {name: [] for name in COLUMNS}

    def answer(self, games: np.ndarray, seed: int) -> int:
        """Return an action for the game `games[0]`, whose seed is `seed`. If several actions are legal, add a row for
        each of them to the shard, but at most MAX_CANDIDATES rows.
        """
        n = list_answers(games, tile_table(), self._plan.prices, *self._room, self._listed)
        if n == 1:
            return int(self._listed["answer"][0])
        move = int(games[0]["n_moves"])
        drawn = ((seed << 12) + move) % 2**62  # unique for each decision, because a game has fewer than 4,096 moves
        prices = self._listed["price"][:n].copy()
        near = promising(prices, self._plan.most, self._plan.near)
        values = self._values(games, near, n, drawn)
        self._note(games, prices, values, move, seed)
        chance = np.random.default_rng(drawn)
        if chance.integers(1000) < self._plan.errors:
            return int(self._listed["answer"][chance.choice(near)])
        return int(self._listed["answer"][near[0] if np.isnan(values).all() else np.nanargmax(values)])

    def _values(self, games: np.ndarray, which: np.ndarray, n: int, drawn: int) -> np.ndarray:
        """Return the values of the n legal actions, estimated by rollouts. Only the actions in `which` are rolled out,
        and all other actions have the value NaN. If `which` contains only one action, there are no rollouts.
        """
        values = np.full((max(1, self._plan.stacks), n), np.nan)
        if self._plan.stacks and len(which) > 1:
            roll_out_all(
                games, tile_table(), self._plan.prices, *self._room, self._listed, which, seed_words([drawn])[0], 0,
                self._plan.depth, values,
            )  # fmt: skip
        means: np.ndarray = values.mean(0)
        return means

    def _note(self, games: np.ndarray, prices: np.ndarray, values: np.ndarray, move: int, seed: int) -> None:
        candidates.candidates(games, np.arange(1), tile_table(), observed_prices(), self._rows, self._ids)
        ids = self._ids[0][self._ids[0] != NONE]
        at = np.searchsorted(self._listed["answer"][: len(prices)], ids)  # both arrays are sorted by action id
        noted = (self._rows[0, : len(ids)], prices[at], values[at])
        same = np.full(len(ids), move, np.int16), np.full(len(ids), seed, np.int64)
        for name, array, kind in zip(COLUMNS, (*noted, ids, *same), ("f4", "f4", "f4", "i4", "i2", "i8")):
            self._noted[name].append(array.astype(kind))

    def columns(self) -> dict[str, np.ndarray]:
        """Return all collected rows as a dict that maps the name of each column to an array."""
        empty = {name: np.zeros((0, N_COLUMNS) if name == "row" else 0) for name in COLUMNS}
        return {name: np.concatenate(arrays) if arrays else empty[name] for name, arrays in self._noted.items()}
