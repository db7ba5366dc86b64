"""Produces shards (files of self-play data). At some decisions of the games, rollouts compare several actions. From
these comparisons, a value network learns to find the better action.

Only actions that place a tile are compared. Each row of a shard describes the position at the end of a turn that began
with one of the compared actions. A shard has these columns:

| column | meaning |
|---|---|
| `inputs` | the inputs of the value network, float32[N_INPUTS], from the perspective of the player who chooses the action |
| `promised` | the player's final margin in points, as estimated by `carc_env.observing.prospects`, float32 |
| `value` | the player's expected margin in points, from rollouts, float32 |
| `move` | the number of earlier moves in the game, int16; the same for all rows of one decision |
| `game` | the seed of the game, int64 |

The rollouts of all compared actions of a decision use the same reshuffled stacks. The difference between the values of
two actions is therefore more precise than either value.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.arena.noted_tables import check_players
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.common.errors import ConfigError
from carc_env.games.games import Games
from carc_env.observing.prospects import PRICES
from carc_env.observing.value_network import N_INPUTS
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.rollouts import LISTED, list_answers, promising, roll_out_all, room_for
from carc_env.searching.selfplay import NOTED, note_what_follows, play_until_placement
from carc_env.setup.config import GameConfig

SHARD = 20  # the number of games in a shard
COLUMNS = {"inputs": "f4", "promised": "f4", "value": "f4", "move": "i2", "game": "i8"}


@dataclass(frozen=True)
class Comparisons:
    """The settings for playing games and comparing actions. Raises ConfigError unless there are two players and at
    least one stack.
    """

    config: GameConfig
    prices: np.ndarray  # the policy's heuristic weights, as an array with one record of the dtype PRICES
    stacks: int = 12  # the number of reshuffled stacks for each decision
    depth: int = 4  # the number of tiles that a rollout places after the current turn
    most: int = 4  # the maximum number of actions that are compared
    near: float = 5.0  # an action whose heuristic value is more than `near` points below the best value is not compared
    every: int = 4  # with the value k, actions are compared at every k-th tile placement
    errors: int = 80  # the mean number of random good actions that the policy plays per 1,000 decisions

    def __post_init__(self) -> None:
        check_players(self.config)
        if self.stacks < 1:
            raise ConfigError(f"stacks = {self.stacks}: should be at least 1")

    @property
    def size(self) -> int:
        """The number of games in a shard."""
        return SHARD

    @property
    def play(self) -> Callable[..., dict[str, np.ndarray]]:
        """The function that plays the games of a shard."""
        return play_comparisons

    def told(self) -> dict[str, Any]:
        """Return the settings to be stored in `_selfplay.json`."""
        return {name: getattr(self, name) for name in ("stacks", "depth", "most", "near", "every", "errors")}

    def job(self, first: int, games: int) -> tuple[Any, ...]:
        """Return the arguments of `play_comparisons`. The arguments can be pickled, so any worker process can play the
        games.
        """
        return self.config, self.prices.tobytes(), tuple(self.told().values()), first, games


def play_comparisons(
    config: GameConfig, prices: bytes, told: tuple[Any, ...], first: int, n: int
) -> dict[str, np.ndarray]:
    """Play `n` games. The first game has the seed `first`, the next game has the seed `first + 1`, and so on. Returns
    the columns of a shard.
    """
    plan = Comparisons(config, np.frombuffer(bytearray(prices), PRICES), *told)
    found: list[dict[str, np.ndarray]] = [
        part for seed in range(first, first + n) for part in comparisons_of(plan, seed)
    ]
    shape = {"inputs": (0, N_INPUTS)}
    return {
        name: np.concatenate([np.zeros(shape.get(name, 0), kind), *(part[name].astype(kind) for part in found)])
        for name, kind in COLUMNS.items()
    }


def comparisons_of(plan: Comparisons, seed: int) -> Iterator[dict[str, np.ndarray]]:
    """Play the game with the seed `seed` to its end. After each comparison of actions, yield the rows for these
    actions, as a dict of columns.
    """
    games = Games(plan.config, 1, [seed]).records
    given = tile_table(), plan.prices, *room_for(games.dtype), np.zeros(MAX_ANSWERS, LISTED)
    wait = int(np.random.default_rng(seed).integers(plan.every))
    while play_until_placement(games, *given, drawn(games, seed, 0), plan.errors, plan.near, wait):
        found = compare(plan, games, given, seed)
        if found:
            yield found
        wait = plan.every


def drawn(games: np.ndarray, seed: int, what: int) -> np.ndarray:
    """Return a seed for the random decisions in the current position, as two 32-bit integers. With `what=0`, the policy
    uses the seed to choose actions. With `what=1`, the rollouts use the seed to shuffle the stack.

    The returned seed is `8192 * seed + 2 * moves + what`, modulo 2**63. Here, `seed` is the seed of the game, and
    `moves` is the number of moves so far. A game has fewer than 4,096 moves. Therefore, no two positions get the same
    seed, as long as all games have different seeds below 2**50.
    """
    words: np.ndarray = seed_words([((seed << 13) + 2 * int(games[0]["n_moves"]) + what) % 2**63])[0]
    return words


def compare(plan: Comparisons, games: np.ndarray, given: tuple[Any, ...], seed: int) -> dict[str, np.ndarray]:
    """Compare the promising actions of the current decision in games[0]. Returns a dict with the columns of the shard
    for this decision. The dict is empty if fewer than two actions are promising. The dict is also empty if one of the
    promising actions ends the game in this turn.

    `given` is a tuple of arguments for the compiled functions: the tiles, the heuristic weights and the working memory.
    """
    listed = given[-1]
    n = list_answers(games, *given)
    near = promising(listed["price"][:n], plan.most, plan.near)
    values, noted = np.zeros((plan.stacks, n)), np.zeros(len(near), NOTED)
    if len(near) < 2:
        return {}
    roll_out_all(games, *given, near, drawn(games, seed, 1), 0, plan.depth, values)
    if note_what_follows(games, *given, near, noted) < len(near):
        return {}
    return {
        "inputs": noted["inputs"],
        "promised": noted["promised"],
        "value": values.mean(0)[near],
        "move": np.full(len(near), games[0]["n_moves"]),
        "game": np.full(len(near), seed),
    }
