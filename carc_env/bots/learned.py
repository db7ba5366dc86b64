"""The bot `learned`: looks one turn ahead by prices to which a learned value is added.

The prices are those of `keen`. A small network adds what they miss; it was learned from games
(`observing/value_network.py`). The package contains one network for each preset.
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

KIND = "values"  # of the network, and how names of its checkpoints end


class LearnedBot(GreedyBot):
    """Plays the tile, ingot and figure actions that together have the best price. It does not use chance.

    Args:
        path: a checkpoint file, with or without `.safetensors`, or the name of one that comes with the package. By
            default
            it is the one for the preset. Games without one, and games of more than two players, are played like `keen`.
        seed: has no effect.

    Raises CheckpointError, which names the file and its fault.
    """

    def __init__(self, path: str | None = None, seed: int | None = None):
        self.name = f"learned:{path}" if path else "learned"
        self._path = checkpoint.find(path) if path else None
        super().__init__(seed, keen_prices() if self._path is None else read_prices(self._path, Asked.PRICES))

    def prices_for(self, config: GameConfig) -> np.ndarray:
        """The prices of a game, an array of one PRICES record."""
        return self.prices if self._path else shipped_prices(config, Asked.PRICES)

    def agent_for(self, config: GameConfig) -> str | None:
        """The name of the checkpoint that the bot uses for a configuration; None if there is none."""
        path = self._path or shipped_for(config)
        return None if path is None else checkpoint.paths(path)[0].stem


def read_prices(path: Path | str, asked: Asked) -> np.ndarray:
    """The prices of a checkpoint with its network, an array of one PRICES record. Raises CheckpointError."""
    found = checkpoint.read(path)
    if found.card.network != KIND:
        raise CheckpointError(f"{found.path}: network = {found.card.network!r}: this bot needs {KIND!r}")
    prices = found.prices.copy()
    try:
        prices[LEARNED] = network_of(found.tensors, asked)
    except (KeyError, ValueError) as error:
        raise CheckpointError(f"{found.path}: not the weights of such a network: {error}") from None
    return prices


@functools.lru_cache(maxsize=256)
def shipped_prices(config: GameConfig, asked: Asked) -> np.ndarray:
    """The prices that come with the package for a game: those of `keen` if there is no network. Do not write to
    them.
    """
    path = shipped_for(config)
    return keen_prices() if path is None else read_prices(path, asked)


def shipped_for(config: GameConfig) -> Path | None:
    """The checkpoint that comes with the package for a game of two players; None if there is none."""
    for name in presets():
        path = checkpoint.shipped(f"{name}-{KIND}")
        if preset(name) == dataclasses.replace(config, players=2) and checkpoint.paths(path)[0].is_file():
            return path
    return None
