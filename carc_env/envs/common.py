"""Contains the code that all environments share: checks of arguments, observation spaces, pictures, copies of arrays,
and threads.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv, VectorObservationWrapper, VectorWrapper

from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import as_count, brief, whole_number
from carc_env.common.errors import ArgumentError, PlayerError
from carc_env.envs.rewards import REWARDS, write_values
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing import encode
from carc_env.observing.candidates import MAX_CANDIDATES
from carc_env.observing.spaces import SPACES, Layout, layout_of
from carc_env.rules.state import MAX_PLAYERS
from carc_env.setup.config import GameConfig, presets

OBSERVATIONS = ("planes", "candidates", "both")
ACTIONS = ("ids", "candidates")
ILLEGAL = ("lose", "raise", "random")
RENDER_MODES = ("ansi", "svg", "rgb_array", "human")
RENDER_FPS = 2
LOST = {"margin": -100.0, "outcome": -1.0, "potential": -100.0}  # the reward if an illegal action ends the episode


def check(reward: str, observation: str, illegal_action: str) -> None:
    """Raise ArgumentError unless the given arguments have allowed values."""
    one_of("reward", reward, REWARDS)
    one_of("observation", observation, OBSERVATIONS)
    one_of("illegal_action", illegal_action, ILLEGAL)


def observation_spec(
    config: GameConfig, spaces: str, observation: str, actions: str, rows: int, table: bool = False, price: bool = False
) -> encode.ObservationSpec:
    """Return a specification of what an agent observes and how its actions are numbered. Raises ArgumentError."""
    one_of("actions", actions, ACTIONS)
    one_of("spaces", spaces, SPACES)
    by_row = actions == "candidates"
    if by_row and observation == "planes":
        raise ArgumentError(
            "with actions = 'candidates', the observation should be 'candidates' or 'both', because each action is "
            "the index of a candidate"
        )
    rows = as_count(rows, "rows", 1, MAX_CANDIDATES)
    return encode.ObservationSpec(layout_of(config, spaces), observation, rows, by_row, bool(table), bool(price))


def one_of(name: str, value: object, allowed: tuple[Any, ...]) -> None:
    """Raise ArgumentError unless an argument has one of the allowed values."""
    if not (value is None or isinstance(value, str)) or value not in allowed:
        raise ArgumentError(f"{name} = {brief(value)}: should be one of {', '.join(map(repr, allowed))}")


def as_seat(seat: object, players: int) -> int | str:
    """Check the seat of the agent, and return it as an int or "random". Raises PlayerError."""
    number = whole_number(seat)
    if isinstance(seat, str) and seat == "random":
        return seat
    if number is None or not 0 <= number < players:
        raise PlayerError(f"seat = {brief(seat)}: should be 'random' or an int from 0 to {players - 1}")
    return number


def read_options(options: object, *known: str) -> dict[str, Any]:
    """Check the options of a reset. Raises ArgumentError for an unknown option."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ArgumentError(f"options = {brief(options)}: should be a dict")
    for name in options:
        if name not in known:
            raise ArgumentError(f"unknown option {brief(name)}; known options are {', '.join(map(repr, known))}")
    return dict(options)


def check_deck(deck: Sequence[str] | None, config: GameConfig, layout: Layout) -> None:
    """Check the deck of a reset before the reset changes anything. Raises DeckError."""
    if deck is not None:
        layout.check_deck(deck)
        Game(config, 0, deck)  # raises an error for an invalid deck


def owner_of(env: VectorEnv, name: str) -> Any:
    """Return the outermost vector wrapper that itself defines an attribute with the given name. If no wrapper defines
    such an attribute, return the vector environment inside all wrappers.
    """
    while isinstance(env, VectorWrapper) and name not in vars(env) and not hasattr(type(env), name):
        env = env.env
    return env


def observations_of(env: VectorEnv) -> Any:
    """Return the current observations of a vector environment of carc_env, transformed by all wrappers around it."""
    owner = owner_of(env, "observations")
    # the method `observations` of a VectorObservationWrapper transforms the observations that are passed to it
    if isinstance(owner, VectorObservationWrapper):
        return owner.observations(observations_of(owner.env))
    return owner.observations()


class HasSpec:
    """An environment whose `spec` can be written as JSON even if the configuration was passed as an object."""

    config: GameConfig
    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The arguments with which `gymnasium.make` made the environment."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            spec.kwargs = {name: self._for_json(name, value) for name, value in spec.kwargs.items()}
        self._spec = spec

    def _for_json(self, name: str, value: Any) -> Any:
        if name == "config" and not (value is None or isinstance(value, str) and value in presets()):
            return self.config.to_dict()
        if isinstance(value, Enum):
            return value.value
        number = whole_number(value)
        return value if number is None else number


class ObservationSpace(spaces.Dict):
    """The space of the arrays that one player observes. The attribute `layout` of the space describes the observed
    arrays.
    """

    layout: Layout


def observation_space(spec: encode.ObservationSpec) -> ObservationSpace:
    """Return the space of the arrays that one player observes."""
    space = ObservationSpace(
        {
            name: spaces.Box(
                np.broadcast_to(low, shape).astype(dtype), np.broadcast_to(high, shape).astype(dtype), shape, dtype
            )
            for name, (shape, dtype, low, high) in encode.spaces(spec).items()
        }
    )
    space.layout = spec.layout
    return space


def draw(rng: np.random.Generator, players: int) -> tuple[int, int, int]:
    """Return random numbers for a reset: the seed of the game, the seed of the bots, and the agent's seat."""
    game_seed, bot_seed = rng.integers(2**63, size=2).tolist()
    return game_seed, bot_seed, int(rng.integers(players))


def values(game: Game, reward: str) -> np.ndarray:
    """Return one value for each player, float64[players]. The argument `reward` selects the kind of value: the margin,
    the outcome or the potential (see `carc_env.envs.rewards`). A player's reward is the change in this value.
    """
    out = np.empty((1, MAX_PLAYERS))
    write_values(Games.view_of(game).records, tile_table(), REWARDS.index(reward), out)
    return out[0, : game.players]


class Screen:
    """Draws the pictures of one environment. `draw` returns a picture. `show` displays the picture in a window if the
    render mode is "human".
    """

    def __init__(self, mode: str | None):
        self._mode = mode
        self._window: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Exclude the render window from copies and pickles. A copy opens its own window when it first shows a game."""
        return Screen, (self._mode,)

    def draw(self, game: Game | None) -> str | np.ndarray | None:
        """Draw the table. The modes "ansi" and "svg" return text, and "rgb_array" returns uint8[height, width, 3]."""
        if self._mode is None or game is None:
            return None
        from carc_env import render

        if self._mode == "human":
            self.show(game)
            return None
        picture: str | np.ndarray = getattr(render, self._mode)(game)
        return picture

    def show(self, game: Game) -> None:
        """Draw the table in the window if the render mode is "human"."""
        if self._mode == "human":
            from carc_env.envs.pygame_window import Window

            self._window = self._window or Window(RENDER_FPS)
            self._window.show(game)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None


class Copies:
    """Makes copies of arrays for the caller. If the caller no longer holds an earlier copy, the memory of that copy is
    reused. Reusing memory saves time, because allocating memory takes longer than copying.
    """

    MOST = 3  # for each array: the maximum number of copies whose memory can be reused

    def __init__(self) -> None:
        self._made: dict[str, list[np.ndarray]] = {}

    def of(self, name: str, array: np.ndarray) -> np.ndarray:
        """Return a copy of an array. All arrays with the same name must have the same shape and dtype."""
        made = self._made.setdefault(name, [])
        for k in range(len(made)):
            if _references(made, k) == NONE_ELSEWHERE:
                np.copyto(made[k], array)
                return made[k]
        made.insert(0, array.copy())
        del made[self.MOST :]
        return made[0]


def _references(arrays: list[np.ndarray], k: int) -> int:
    """Return the number of references to `arrays[k]`, including those that this call itself holds."""
    return sys.getrefcount(arrays[k])


NONE_ELSEWHERE = _references([np.empty(0)], 0)


class Threads:
    """Threads that divide the games of a batch among themselves. One of these threads is the thread of the caller."""

    FEW = 16  # if `share_out` gets fewer games, it uses only one thread

    def __init__(self, n: int):
        self._n = as_count(n, "threads", 1, 1024)
        self._pool = ThreadPoolExecutor(max(1, n - 1))

    def __reduce__(self) -> tuple[Any, ...]:
        """Exclude the threads from copies and pickles. A copy of this object starts its own threads."""
        return Threads, (self._n,)

    def share_out(self, work: Callable[..., Any], which: np.ndarray, *more: np.ndarray) -> list[Any]:
        """Divide some of the games among the threads. The array `which` contains the indices of these games. Each
        thread calls `work` once, for its share of the games. Returns a list with the result of each call of `work`.
        """
        if self._n == 1 or len(which) < self.FEW:
            return [work(which, *more)]
        parts = list(zip(*(np.array_split(array, self._n) for array in (which, *more))))
        others = [self._pool.submit(work, *part) for part in parts[1:]]
        return [work(*parts[0]), *(other.result() for other in others)]

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown()
