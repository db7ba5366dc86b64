"""The bot `ppo`, a trained agent that scores every candidate action with a small neural network and plays the best one.

The bot needs only NumPy. The layers of the network have these names in the checkpoint file:

    x = clip((row - scale.mean) / scale.spread, -LIMIT, LIMIT)
    x = relu(x @ logit.<i>.weight.T + logit.<i>.bias)      for the hidden layers i = 0, 2, ...
    logit = x @ logit.<last>.weight.T + logit.<last>.bias

The feature row of a candidate has N_SHOWN columns. If the network also takes `greedy`'s heuristic value as input, the
feature row has N_COLUMNS columns. Its column `price` is the heuristic value, and `greedy.weight * price` is added to
the logit.
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
LIMIT = 8.0  # standard deviations at which a column is cut off
BLOCK = 64  # number of rows computed together: so small a matrix product stays in the cache and on one thread
GRID = 1e6  # logits are compared in steps of 1 / GRID, see PolicyBot


class Network:
    """The network that computes a logit for each candidate action from the action's feature row.

    Args:
        tensors: the tensors of a checkpoint by name. Tensors that the policy does not use are ignored, such as those of
            a value function.
        dtype: the dtype in which the network computes.
    """

    def __init__(self, tensors: dict[str, np.ndarray], dtype: type = np.float32):
        self._mean: np.ndarray = tensors["scale.mean"].astype(dtype)
        self._spread: np.ndarray = tensors["scale.spread"].astype(dtype)
        self.columns = self._mean.size  # of its input rows
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
        """Return the logit of each row, [n] for rows [n, columns]."""
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
        """Return the logits of the candidates at several decisions, [m, K] for rows [m, K, columns]. A logit is -inf
        where `valid` is False.
        """
        logits = np.full(valid.shape, -np.inf, self._mean.dtype)
        logits[valid] = self.logits(rows[valid])
        return logits


@dataclass(frozen=True)
class Agent:
    """A network with the settings for its input: the maximum number of candidates, and the heuristic weights with which
    the feature rows of the candidates are computed.
    """

    network: Network
    rows: int
    prices: np.ndarray
    name: str | None = None  # of its checkpoint

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, with the heuristic weights as bytes, as in GreedyBot."""
        return self.__dict__ | {"prices": self.prices.tobytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, prices=np.frombuffer(bytearray(state["prices"]), PRICES))

    def choose(self, games: Games) -> np.ndarray:
        """Return the action for every game, int64[n], and -1 for a game that is over."""
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
    """Return the path of the package's checkpoint for a configuration. If the configuration is a preset, with any
    number of players, and the package has a checkpoint for this preset, that checkpoint is used. Otherwise, the
    checkpoint DEFAULT is used.
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
    Therefore, the logits are rounded before they are compared, so that the number of games in the batch does not affect
    the chosen action.

    Args:
        path: a checkpoint file, with or without `.safetensors`, or the name of one that comes with the package. The
            default is the checkpoint for the preset that is played, or the checkpoint for `base` if the preset that is
            played has none. Every agent can play games of every configuration.
        seed: has no effect.

    Raises:
        CheckpointError: if the checkpoint cannot be used. The message names the file and the reason.
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
        """Return the action for every game, int64[n], and -1 for a game that is over."""
        return (self._agent or shipped_agent(games.config)).choose(games)

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """Return the legal actions, each with a value in points, in the order in which the agent ranks them. The agent
        plays the first action of this list.

        The network's logits are not in points. To give values in points, the logits are multiplied by a factor that
        makes their standard deviation equal to that of `greedy`'s values in this position. For the action that the
        agent plays, the result is the value that `greedy` gives to this action. The value of any other action is the
        value of the played action minus the difference between the scaled logits of the played action and of the other
        action. An action that was not among the agent's candidates may have a higher logit than the played action; it
        then has the value of the played action.
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
        """Return the name of the checkpoint that the bot uses for a configuration, or None if its network does not come
        from a file.
        """
        return (self._agent or shipped_agent(config)).name

    def __repr__(self) -> str:
        return (
            f"<bot {self.name}>"
            if self._agent
            else f"<bot {self.name} ({' or '.join(checkpoint.shipped_names('quick'))})>"
        )
