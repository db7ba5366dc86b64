"""The bot `ppo`, a trained agent. A small neural network computes a logit for every candidate action, and the agent
plays the action with the highest logit.

The bot computes the network with NumPy and does not need PyTorch. The following formulas define the layers of the
network. They use the names of the tensors in the checkpoint file:

- input: `x = clip((row - scale.mean) / scale.spread, -LIMIT, LIMIT)`
- hidden layers i = 0, 2, ...: `x = relu(x @ logit.<i>.weight.T + logit.<i>.bias)`
- output: `logit = x @ logit.<last>.weight.T + logit.<last>.bias`

The feature row of a candidate usually has N_SHOWN columns. For a network that also uses `greedy`'s heuristic values,
the feature row has N_COLUMNS columns. The column `price` contains the heuristic value of the action minus the highest
heuristic value of all legal actions. `greedy.weight * price` is added to the logit.
"""

import dataclasses
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.bots import checkpoint
from carc_env.bots.bot import Bot
from carc_env.bots.checkpoint import CheckpointError
from carc_env.bots.greedy import priced
from carc_env.boxes.layout import N_COLUMNS, N_SHOWN
from carc_env.boxes.tiles import tile_table
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing.candidates import PRICE, candidates, room_for
from carc_env.observing.prospects import PRICES
from carc_env.rules.state import NONE
from carc_env.setup.config import GameConfig, preset, presets

DEFAULT = "base-quick"  # the agent for games that no other agent was trained on
LIMIT = 8.0  # scaled columns are clipped to the range from -LIMIT to LIMIT (in standard deviations)
# the number of feature rows in a matrix product; a product of this size fits into the cache and runs on one thread
BLOCK = 64
GRID = 1e6  # logits are rounded to multiples of 1 / GRID before they are compared, see PolicyBot


class Network:
    """The network that computes a logit for each candidate action from the action's feature row.

    Args:
        tensors: the tensors of a checkpoint by name. Tensors that the policy does not use, such as the weights of a
            value function, are ignored.
        dtype: the dtype in which the network computes.
    """

    def __init__(self, tensors: dict[str, np.ndarray], dtype: type = np.float32):
        self._mean: np.ndarray = tensors["scale.mean"].astype(dtype)
        self._spread: np.ndarray = tensors["scale.spread"].astype(dtype)
        self.columns = self._mean.size  # the number of columns of a feature row
        self._price: np.ndarray | None = tensors["greedy.weight"].astype(dtype) if self.columns == N_COLUMNS else None
        numbers = sorted(int(key.split(".")[1]) for key in tensors if key.startswith("logit.") and "weight" in key)
        self._layers: list[tuple[np.ndarray, np.ndarray]] = [
            (
                np.ascontiguousarray(tensors[f"logit.{number}.weight"].T.astype(dtype)),
                tensors[f"logit.{number}.bias"].astype(dtype),
            )
            for number in numbers
        ]
        self._check()

    def _check(self) -> None:
        """Check that the shapes of the layers fit together. Raises ValueError if the shapes do not fit."""
        if not (self._spread > 0).all():
            raise ValueError("scale.spread should be greater than 0")
        shapes = {self._mean.shape, self._spread.shape}
        if shapes not in ({(N_SHOWN,)}, {(N_COLUMNS,)}):
            raise ValueError(
                f"the network should have {N_SHOWN} columns as input, or {N_COLUMNS} with the heuristic value"
            )
        width = self.columns
        for weight, bias in self._layers:
            if weight.shape != (width, len(bias)):
                raise ValueError(f"a layer of shape {weight.shape} does not fit {width} inputs")
            width = len(bias)
        if width != 1 or (self._price is not None and self._price.shape != (1,)):
            raise ValueError(f"the network should compute one logit from {self.columns} columns")

    def logits(self, rows: np.ndarray) -> np.ndarray:
        """Return the logit of each feature row. The array `rows` has the shape [n, columns], and the result has the
        shape [n].
        """
        logits = np.empty(len(rows), self._mean.dtype)
        for first in range(0, len(rows), BLOCK):
            logits[first : first + BLOCK] = self._logits_of_block(rows[first : first + BLOCK])
        return logits

    def _logits_of_block(self, rows: np.ndarray) -> np.ndarray:
        x = np.clip((rows - self._mean) / self._spread, -LIMIT, LIMIT)
        for weight, bias in self._layers[:-1]:
            x = np.maximum(x @ weight + bias, 0)
        weight, bias = self._layers[-1]
        logits: np.ndarray = (x @ weight + bias)[:, 0]
        return logits if self._price is None else logits + self._price[0] * rows[:, PRICE]

    def padded_logits(self, rows: np.ndarray, valid: np.ndarray) -> np.ndarray:
        """Return the logits of the candidates at several decisions. Where `valid` is False, the logit is -inf. The
        array `rows` has the shape [m, K, columns], and the result has the shape [m, K].
        """
        logits = np.full(valid.shape, -np.inf, self._mean.dtype)
        logits[valid] = self.logits(rows[valid])
        return logits


@dataclass(frozen=True)
class Agent:
    """A network, and the settings that determine the network's input. `rows` is the maximum number of candidates.
    `prices` holds the heuristic weights, which are used to compute the features of the candidates.
    """

    network: Network
    rows: int
    prices: np.ndarray
    name: str | None = None  # the name of the checkpoint file without its suffix; None if no file was read

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle. As in GreedyBot, the heuristic weights are converted to bytes."""
        return self.__dict__ | {"prices": self.prices.tobytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, prices=np.frombuffer(bytearray(state["prices"]), PRICES))

    def choose(self, games: Games) -> np.ndarray:
        """Return the agent's action in every game, as an array int64[n]. For a game that is over, the action is -1."""
        rows, actions = room_for(len(games), self.rows, self.network.columns)
        candidates(games.records, np.arange(len(games)), tile_table(), self.prices, rows, actions)
        logits = self.network.padded_logits(rows, actions != NONE)
        best = np.round(logits * GRID).argmax(1)
        chosen: np.ndarray = actions[np.arange(len(games)), best].astype(np.int64)
        return chosen


def read_agent(path: Path | str) -> Agent:
    """Return the agent of a checkpoint. Raises CheckpointError if the checkpoint cannot be used."""
    found = checkpoint.read(path)
    if found.card.network != "candidates":
        raise CheckpointError(f"{found.path} has network = {found.card.network!r}, but this bot needs 'candidates'")
    try:
        return Agent(Network(found.tensors, np.float64), found.card.rows, found.prices, found.path.stem)
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise CheckpointError(f"{found.path} has no network that this bot can use: {error}") from None


@functools.lru_cache(maxsize=256)
def shipped_agent(config: GameConfig) -> Agent:
    """Return the package's agent for a configuration. Raises CheckpointError if the checkpoint cannot be used."""
    return read_agent(shipped_for(config))


def shipped_for(config: GameConfig) -> Path:
    """Return the path of the package's checkpoint for a configuration. The checkpoint for a preset is used with any
    number of players. For a configuration without its own checkpoint, return the path of the checkpoint DEFAULT.
    """
    for name in presets():
        path = checkpoint.shipped(f"{name}-quick")
        if (
            dataclasses.replace(preset(name), players=2) == dataclasses.replace(config, players=2)
            and checkpoint.paths(path)[0].is_file()
        ):
            return path
    return checkpoint.shipped(DEFAULT)


class PolicyBot(Bot):
    """A trained agent. The bot plays the candidate with the highest logit and uses no random numbers.

    Logits are computed in double precision. The last digits of the logits depend on the number of games in the batch.
    Therefore, the logits are rounded before they are compared. The rounding keeps the chosen action independent of the
    number of games in the batch.

    Args:
        path: a checkpoint file, or the name of a checkpoint in the package. The suffix `.safetensors` is optional. The
            default is the checkpoint for the preset of the game. For a preset without a checkpoint, the default is the
            checkpoint for `base`. Every agent can play games of every configuration.
        seed: has no effect.

    Raises:
        CheckpointError: if the checkpoint cannot be used. The error message contains the path of the file, and the
            reason.
    """

    def __init__(self, path: str | None = None, seed: int | None = None):
        self.name = f"ppo:{path}" if path else "ppo"
        self._agent = read_agent(checkpoint.find(path)) if path else None
        if not path:
            shipped_agent(preset("base"))

    @classmethod
    def of(cls, network: Network, rows: int, prices: np.ndarray) -> "PolicyBot":
        """Return a bot that uses the given network. No checkpoint file is read."""
        bot = object.__new__(cls)
        bot.name, bot._agent = "ppo", Agent(network, rows, prices)
        return bot

    def choose_batch(self, games: Games) -> np.ndarray:
        """Return the agent's action in every game, as an array int64[n]. For a game that is over, the action is -1."""
        return (self._agent or shipped_agent(games.config)).choose(games)

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """Return the legal actions with their values in points, best first. The agent plays the first action of this
        list.

        The network's logits are not in points. Therefore, the logits are scaled so that they have the same standard
        deviation as the values that `greedy` gives to the legal actions. The action that the agent plays keeps the
        value that `greedy` gives to it. No other action has a higher value than the action that the agent plays. The
        value of another action is lower by the difference between the scaled logits of the two actions. If an action
        outside the agent's candidates has a higher logit than the action that the agent plays, the two actions have
        equal values.
        """
        agent = self._agent or shipped_agent(game.config)
        rows, actions, values = priced(game, agent.prices)
        played, logits = (
            int(np.flatnonzero(actions == self.choose(game))[0]),
            np.round(agent.network.logits(rows[:, : agent.network.columns]) * GRID) / GRID,
        )
        behind = np.maximum(logits[played] - logits, 0) * (values.std() / max(logits.std(), 1 / GRID))
        found = sorted(zip(behind.tolist(), (actions != actions[played]).tolist(), actions.tolist()))
        return [(action, round(float(values[played]) - less, 3)) for less, _, action in found]

    def agent_for(self, config: GameConfig) -> str | None:
        """Return the name of the bot's checkpoint for a configuration. Return None if the network does not come from a
        file.
        """
        return (self._agent or shipped_agent(config)).name

    def __repr__(self) -> str:
        return (
            f"<bot {self.name}>"
            if self._agent
            else f"<bot {self.name} ({' or '.join(checkpoint.shipped_names('quick'))})>"
        )
