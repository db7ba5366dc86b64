"""What the environments share: their arguments, spaces, pictures, and threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium import spaces

from carc_env import encode
from carc_env.boxes import tile_table
from carc_env.envs.rewards import REWARDS, write_values
from carc_env.game import Game
from carc_env.games import Games
from carc_env.rules.state import MAX_PLAYERS

ILLEGAL = ("lose", "raise", "random")
RENDER_MODES = ("ansi", "svg", "rgb_array", "human")
RENDER_FPS = 2
LOST = {"margin": -100.0, "outcome": -1.0, "potential": -100.0}  # reward of an episode that ends with an illegal action


def check(reward: str, illegal_action: str, render_mode: str | None) -> None:
    """Raise ValueError unless these arguments are among those allowed."""
    _one_of("reward", reward, REWARDS)
    _one_of("illegal_action", illegal_action, ILLEGAL)
    _one_of("render_mode", render_mode, (None, *RENDER_MODES))


def _one_of(name: str, value: object, allowed: tuple) -> None:
    if value not in allowed:
        raise ValueError(f"{name} = {value!r}: should be one of {', '.join(map(repr, allowed))}")


def observation_space(observation: str) -> spaces.Dict:
    """The space of the arrays that one player sees."""
    return spaces.Dict({name: spaces.Box(low, high, shape, dtype)
                        for name, (shape, dtype, low, high) in encode.spaces(observation).items()})


def draw(rng: np.random.Generator, players: int) -> tuple[int, int, int]:
    """What chance decides at a reset: the seeds of the game and of a bot, and the agent's seat."""
    game_seed, bot_seed = rng.integers(2**63, size=2).tolist()
    return game_seed, bot_seed, int(rng.integers(players))


def values(game: Game, reward: str) -> np.ndarray:
    """What the reward is the change of, float64[players]."""
    out = np.empty((1, MAX_PLAYERS))
    write_values(Games.of(game).records, tile_table(), REWARDS.index(reward), out)
    return out[0, :game.players]


class Screen:
    """The pictures of one environment: `draw` gives one to the caller, `show` puts one in the window of "human"."""

    def __init__(self, mode: str | None):
        self._mode, self._window = mode, None

    def draw(self, game: Game | None) -> str | np.ndarray | None:
        """The table as text ("ansi", "svg") or as a picture ("rgb_array", uint8[height, width, 3])."""
        if self._mode is None or game is None:
            return None
        from carc_env import render

        if self._mode == "human":
            self.show(game)
            return None
        return getattr(render, self._mode)(game)

    def show(self, game: Game) -> None:
        """Draw to the window, in the mode "human"."""
        if self._mode == "human":
            from carc_env.envs.window import Window

            self._window = self._window or Window(RENDER_FPS)
            self._window.show(game)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None


class Threads:
    """Threads that share the games of a batch; the caller's is one of them."""

    FEW = 16  # so few games are not worth a second thread

    def __init__(self, n: int):
        self._n, self._pool = n, ThreadPoolExecutor(max(1, n - 1))

    def share_out(self, work: Callable, which: np.ndarray, *more: np.ndarray) -> list[Any]:
        """Let each thread do the work for a part of the games numbered `which`; what it returns for each part."""
        if self._n == 1 or len(which) < self.FEW:
            return [work(which, *more)]
        parts = list(zip(*(np.array_split(array, self._n) for array in (which, *more))))
        others = [self._pool.submit(work, *part) for part in parts[1:]]
        return [work(*parts[0]), *(other.result() for other in others)]

    def close(self) -> None:
        """Let them go."""
        self._pool.shutdown()
