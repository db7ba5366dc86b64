"""The bot `learned`, which looks ahead to the end of its own turn. The value of an action is its heuristic value plus a
learned value.

The heuristic value is computed as in the bot `keen`. The learned value is the output of a small neural network. The
network is trained to predict the errors of the heuristic (`observing/value_network.py`). The package contains a network
for each preset except `goldmines-c1`.
"""

import dataclasses
import functools
from pathlib import Path

import numpy as np

from carc_env.bots import checkpoint
from carc_env.bots.checkpoint import CheckpointError
from carc_env.bots.greedy import GreedyBot
from carc_env.observing.keen import keen_prices
from carc_env.observing.prospects import LEARNED
from carc_env.observing.value_network import Asked, network_of
from carc_env.setup.config import GameConfig, preset, presets

KIND = "values"  # the kind of network, and the suffix in the names of its checkpoints


class LearnedBot(GreedyBot):
    """Plays like KeenBot, but adds a learned value to the heuristic value of each action. The bot uses no random
    numbers.

    Args:
        path: a checkpoint file, or the name of a checkpoint in the package. The suffix `.safetensors` is optional. The
            default is the checkpoint for the preset of the game. If the package has no checkpoint for the preset, or if
            the game has more than two players, the bot plays like `keen`.
        seed: has no effect.

    Raises CheckpointError if the checkpoint cannot be used. The error message contains the path of the file and the
    reason.
    """

    def __init__(self, path: str | None = None, seed: int | None = None):
        self.name = f"learned:{path}" if path else "learned"
        self._path = checkpoint.find(path) if path else None
        super().__init__(seed, keen_prices() if self._path is None else read_prices(self._path, Asked.PRICES))

    def prices_for(self, config: GameConfig) -> np.ndarray:
        """Return the heuristic weights and the network for a configuration. The returned array has a single PRICES
        record, which holds the weights and the network.
        """
        return self.prices if self._path else shipped_prices(config, Asked.PRICES)

    def agent_for(self, config: GameConfig) -> str | None:
        """Return the name of the bot's checkpoint for a configuration. Return None if the bot uses no checkpoint, as in
        games of more than two players.
        """
        path = (self._path or shipped_for(config)) if config.players == 2 else None
        return None if path is None else checkpoint.paths(path)[0].stem


def read_prices(path: Path | str, asked: Asked) -> np.ndarray:
    """Return the heuristic weights and the network of a checkpoint. The returned array has a single PRICES record,
    which holds the weights and the network. Raises CheckpointError if the checkpoint cannot be used.
    """
    found = checkpoint.read(path)
    if found.card.network != KIND:
        raise CheckpointError(f"{found.path} has network = {found.card.network!r}, but this bot needs {KIND!r}")
    prices = found.prices.copy()
    try:
        prices[LEARNED] = network_of(found.tensors, asked)
    except (KeyError, ValueError) as error:
        raise CheckpointError(f"{found.path} has no network that this bot can use: {error}") from None
    return prices


@functools.lru_cache(maxsize=256)
def shipped_prices(config: GameConfig, asked: Asked) -> np.ndarray:
    """Return the package's heuristic weights and value network for a configuration. The returned array has a single
    PRICES record, which holds the weights and the network. If the package contains no network for the configuration,
    return the heuristic weights of `keen`. Callers must not change the returned array.
    """
    path = shipped_for(config)
    return keen_prices() if path is None else read_prices(path, asked)


def shipped_for(config: GameConfig) -> Path | None:
    """Return the path of the package's checkpoint for a configuration. The number of players is ignored. Return None if
    the package has no checkpoint for the configuration.
    """
    for name in presets():
        path = checkpoint.shipped(f"{name}-{KIND}")
        if preset(name) == dataclasses.replace(config, players=2) and checkpoint.paths(path)[0].is_file():
            return path
    return None
