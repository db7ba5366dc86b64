"""What the environments share: their arguments, what the reward is the change of, spaces, and pictures."""

import numpy as np
from gymnasium import spaces

from carc_env import encode
from carc_env.game import Game

REWARDS = ("margin", "outcome", "potential")
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
    if reward == "outcome" and not game.is_over:
        return np.zeros(game.players)
    scores = game.provisional_scores() if reward == "potential" else game.scores
    margins = scores - best_of_others(scores)
    return np.sign(margins) if reward == "outcome" else margins


def best_of_others(scores: np.ndarray) -> np.ndarray:
    """For each player the highest score among the others, float64[players].

    >>> best_of_others(np.array([7, 3, 5])).tolist()
    [5.0, 7.0, 7.0]
    """
    ascending = np.sort(scores).astype(float)
    best = np.full(len(scores), ascending[-1])
    best[int(scores.argmax())] = ascending[-2]
    return best


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
