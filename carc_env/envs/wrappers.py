"""Gymnasium wrappers. `RecordGames` writes games to a file. All other wrappers in this module prepare observations for
a network.

| one game | many games | effect |
|---|---|---|
| `RecordGames` | | writes every game played to a file of game records |
| `RescaleObservation` | `VectorRescaleObservation` | rescales numbers to the range from -1 to 1, and splits categories into planes |
| `WindowObservation` | `VectorWindowObservation` | crops the planes to a window around the placed tiles, and removes all actions outside this window |

To crop and rescale observations, apply the window first and the rescaling last, as in
`RescaleObservation(WindowObservation(env, 15))`. With Stable-Baselines3, pass a wrapper for many games as
`wrapper_class` of `carc_env.envs.sb3.make_vec_env`.
"""

import os
from typing import Any, SupportsFloat, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from carc_env.common.arguments import as_action, as_actions, brief, check_chances
from carc_env.common.errors import ArgumentError
from carc_env.envs import stepping
from carc_env.envs.common import ObservationSpace, observations_of, owner_of
from carc_env.envs.inputs import WIDEST, Rescale, Window
from carc_env.envs.saving import Saved
from carc_env.envs.single import CarcassonneEnv
from carc_env.games.game import Game
from carc_env.notation.record_files import Recorder

Observation = dict[str, np.ndarray]
Infos = dict[str, Any]


class RecordGames(gymnasium.Wrapper, RecordConstructorArgs):
    """Appends the record of each game to a JSON-lines file when the game's episode ends or is abandoned.

    An episode is abandoned if `reset` or `close` is called after the first action and before the end of the episode.
    `carc_env.read_records(path)` reads the file, `carc_env.replay(record)` replays a game, and the command
    `carc replay` shows a game.

    Args:
        env: an environment of `gymnasium.make("carc_env/...")`, wrapped or not.
        path: the path of the JSON-lines file. Records that the file already contains are kept.

    Raises:
        ArgumentError: for an environment that does not belong to carc_env.
        RecordError: for a file that cannot be written.

    >>> import gymnasium, carc_env, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "games.jsonl")
    >>> env = RecordGames(gymnasium.make("carc_env/Base-v0", opponent="random"), path)
    >>> observation, info = env.reset(seed=7)
    >>> observation, *_ = env.step(int(info["action_mask"].argmax()))
    >>> env.close()
    >>> [carc_env.replay(record).players for record in carc_env.read_records(path)]
    [2]
    """

    def __init__(self, env: gymnasium.Env, path: str | os.PathLike[str]):
        if not isinstance(env.unwrapped, CarcassonneEnv):
            raise ArgumentError(f"only games of carc_env can be recorded, not {brief(env.unwrapped)}")
        with Recorder(path) as recorder:  # raises an error if the file cannot be written
            self._path = os.fspath(recorder.path)
        RecordConstructorArgs.__init__(self, path=self._path)
        gymnasium.Wrapper.__init__(self, env)
        self._is_open = False  # True if the current game has an action and its record has not been written yet

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Begin a new game. If the previous game has at least one action but is not over, its record is written. If the
        arguments are invalid, nothing is written and the previous game continues.
        """
        game = self._game
        try:
            return self.env.reset(**arguments)
        finally:
            if self._game is not game:
                self._write(game)

    def step(self, action: int) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play an action. If the episode ends, the game record is written."""
        given = self.env.step(action)
        self._is_open = True
        if given[2] or given[3]:
            self._write(self._game)
        return given

    def close(self) -> None:
        """Close the environment. If the current game has at least one action but is not over, its record is written
        first.
        """
        self._write(self._game)
        self.env.close()

    @property
    def _game(self) -> Game:
        """The current game."""
        inner: Any = self.unwrapped
        game: Game = inner.game
        return game

    def _write(self, game: Game) -> None:
        """Write the record of a game, unless the game has no action or its record has already been written."""
        if self._is_open:
            with Recorder(self._path) as add:
                add(game.record())
        self._is_open = False


# --- ready for a network: one game ------------------------------------------------------------------------------------
class RescaleObservation(gymnasium.ObservationWrapper, RecordConstructorArgs):
    """Rescales the numbers of observations, and splits categories into planes of 0 and 1.

    See `carc_env.envs.inputs.Rescale`.

    Args:
        env: an environment of `gymnasium.make("carc_env/...")`, wrapped or not.
        dtype: the dtype of the rescaled numbers, "float32" or "float16".
        counts: the scale of counts and signed numbers, "log" or "linear".
        widest: a plane with at most `widest` category ids, not counting 0, is split into one plane per category. In a
            plane with more category ids, the values are divided by the highest id.
        copy: if True, each step returns new arrays. If `copy` is False, each step overwrites the same arrays.

    >>> import gymnasium, carc_env
    >>> env = RescaleObservation(gymnasium.make("carc_env/Base-v0", opponent="random"))
    >>> observation, info = env.reset(seed=7)
    >>> observation["planes"].dtype, float(observation["planes"].min()), float(observation["planes"].max())
    (dtype('float32'), 0.0, 1.0)
    """

    def __init__(
        self, env: gymnasium.Env, dtype: str = "float32", counts: str = "log", widest: int = WIDEST, copy: bool = True
    ):
        RecordConstructorArgs.__init__(self, dtype=dtype, counts=counts, widest=widest, copy=copy)
        gymnasium.ObservationWrapper.__init__(self, env)
        self.rescale = Rescale(cast(spaces.Dict, env.observation_space), dtype, counts, widest)
        self.observation_space = self.rescale.space
        self._out: Observation | None = None if copy else {}

    def observation(self, observation: Observation) -> Observation:
        """Return the rescaled observation."""
        return self.rescale(observation, self._out)

    def action_masks(self) -> np.ndarray:
        """Return the current action mask, bool[n] for n actions."""
        legal: np.ndarray = self.env.get_wrapper_attr("action_masks")()
        return legal


class WindowObservation(gymnasium.Wrapper, RecordConstructorArgs):
    """Crops the planes to a window around the placed tiles. In the action ids, rows and columns are counted within the
    window, not on the table. See `carc_env.envs.inputs.Window`.

    Args:
        env: an environment of `gymnasium.make("carc_env/...")` whose observations contain planes.
        size: the number of rows and columns of the window. The window must not be larger than the planes.

    Attributes:
        corner: the window's north-west cell, as a row and a column of the table.
        layout: the description of the window's observations and action ids.

    >>> import gymnasium, carc_env
    >>> env = WindowObservation(gymnasium.make("carc_env/Base-v0", opponent="random"), 15)
    >>> observation, info = env.reset(seed=7)
    >>> observation["planes"].shape, int(env.action_space.n)
    ((42, 15, 15), 914)
    >>> observation, *_ = env.step(env.action_space.sample(info["action_mask"]))
    """

    def __init__(self, env: gymnasium.Env, size: int = 15):
        RecordConstructorArgs.__init__(self, size=size)
        gymnasium.Wrapper.__init__(self, env)
        self.window, self.corner = Window(cast(spaces.Dict, env.observation_space), size), np.zeros(2, np.int64)
        self.observation_space, self.action_space = self.window.space, spaces.Discrete(self.window.n_actions)
        self.layout = self.window.space.layout

    def reset(self, **arguments: Any) -> tuple[Observation, Infos]:
        """Begin a new game."""
        return self._shown(*self.env.reset(**arguments))

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Infos]:
        """Play an action. Action ids refer to the window of the last observation."""
        observation, reward, is_over, is_cut, info = self.env.step(
            int(self.window.ids(np.array(as_action(action, self.window.n_actions)), self.corner))
        )
        observation, info = self._shown(observation, info)
        return observation, float(reward), is_over, is_cut, info

    def action_masks(self) -> np.ndarray:
        """Return the current action mask of the window, bool[n] for n actions."""
        everywhere = self.env.get_wrapper_attr("action_masks")()
        legal: np.ndarray = everywhere[self.window.ids(np.arange(self.window.n_actions), self.corner)]
        return legal

    def save(self) -> Saved:
        """Return the state of the environment for `restore`. The state does not contain the window, because the window
        depends only on the game.
        """
        state: Saved = self.env.get_wrapper_attr("save")()
        return state

    def restore(self, state: Saved) -> None:
        """Restore a state that `save` returned, and move the window to the restored game. Call this method instead of
        `env.unwrapped.restore`, which does not move the window. Raises ArgumentError or DeckError if the environment
        cannot restore the state.
        """
        self.env.get_wrapper_attr("restore")(state)
        inner: Any = self.unwrapped
        if inner.game is not None:
            self._shown(*inner._look())

    def _shown(self, observation: Observation, info: Infos) -> tuple[Observation, Infos]:
        batch = {name: array[None] for name, array in observation.items()}
        corners = self.window.corners(batch)
        seen = {name: array[0] for name, array in self.window(batch, corners).items()}
        self.corner = corners[0]
        return seen, info | {"action_mask": seen["action_mask"].copy()}


# --- ready for a network: many games ----------------------------------------------------------------------------------
class _Shaped(VectorWrapper):
    """A vector wrapper that transforms all observations of a vector environment, including the final observations. The
    vector environment is called the batch. The wrapper has all methods of the batch. Between the wrapper and the batch,
    there may be other vector wrappers.
    """

    env: Any  # Any, because carc_env's vector environments have attributes that VectorEnv lacks

    def __init__(self, env: VectorEnv, space: ObservationSpace, copy: bool | None):
        super().__init__(env)
        self.layout = space.layout
        self.copy = owner_of(env, "copy").copy if copy is None else copy
        self.single_observation_space, self.observation_space = space, batch_space(space, env.num_envs)
        self._out: Observation = {}

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the batch, such as `games`."""
        if name.startswith("_") or name == "env":
            raise AttributeError(name)
        return getattr(owner_of(self.env, name), name)

    def reset(self, **arguments: Any) -> tuple[Observation, Infos]:
        """Restart games. The arguments are passed to the `reset` method of the batch."""
        return self._shown(*self.env.reset(**arguments))

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Play an action in each game."""
        observations, *given, infos = self.env.step(
            self._meant(as_actions(actions, self.num_envs, self.layout.n_actions))
        )
        if "final_obs" in infos:
            infos = self._with_finals(infos)
        observations, infos = self._shown(observations, infos)
        return observations, *given, infos

    def observations(self) -> Observation:
        """Return the current observations."""
        return self._shown(observations_of(self.env), {})[0]

    def restore(self, state: Saved) -> None:
        """Restore a state that `save` returned. Raises ArgumentError."""
        owner_of(self.env, "restore").restore(state)
        self.observations()

    def _room(self) -> Observation | None:
        """Return the arrays to overwrite, or None if new arrays should be made."""
        return None if self.copy else self._out

    def _meant(self, actions: np.ndarray) -> np.ndarray:
        """Translate actions of this wrapper to actions of the batch."""
        return actions

    def _shown(self, observations: Observation, infos: Infos) -> tuple[Observation, Infos]:
        """Return the transformed observations, and the infos of the same step or reset."""
        raise NotImplementedError

    def _changed(self, observations: Observation) -> Observation:
        """Transform some observations."""
        raise NotImplementedError

    def _with_finals(self, infos: Infos) -> Infos:
        """Transform the final observations in the infos, and return the new infos."""
        finals, ended = infos["final_obs"].copy(), np.flatnonzero(infos["_final_obs"])
        seen = self._changed({name: np.stack([finals[i][name] for i in ended]) for name in finals[ended[0]]})
        for k, i in enumerate(ended):
            finals[i] = {name: array[k].copy() for name, array in seen.items()}
        masks = np.zeros((self.num_envs, seen["action_mask"].shape[1]), np.int8)
        masks[ended] = seen["action_mask"]
        return infos | {"final_obs": finals, "final_info": infos["final_info"] | {"action_mask": masks}}


class VectorRescaleObservation(_Shaped):
    """Rescales the observations of many games, as `RescaleObservation` does for one game.

    Args:
        env: an environment of `gymnasium.make_vec("carc_env/...", vectorization_mode="vector_entry_point")`, wrapped or
            not.
        dtype, counts, widest: as in `RescaleObservation`.
        copy: if True, each step returns new arrays. If `copy` is False, each step overwrites the same arrays, which is
            faster. If `copy` is None, the setting of the wrapped environment is used.
    """

    def __init__(
        self,
        env: VectorEnv,
        dtype: str = "float32",
        counts: str = "log",
        widest: int = WIDEST,
        copy: bool | None = None,
    ):
        self.rescale = Rescale(cast(spaces.Dict, env.single_observation_space), dtype, counts, widest)
        super().__init__(env, self.rescale.space, copy)

    def _shown(self, observations: Observation, infos: Infos) -> tuple[Observation, Infos]:
        return self.rescale(observations, self._room()), infos

    def _changed(self, observations: Observation) -> Observation:
        return self.rescale(observations)


class VectorWindowObservation(_Shaped):
    """Crops the planes of many games to windows, as `WindowObservation` does for one game.

    Args:
        env: an environment of `gymnasium.make_vec("carc_env/...", vectorization_mode="vector_entry_point")` whose
            observations contain planes.
        size: the number of rows and columns of each window. The window must not be larger than the planes.
        copy: if True, each step returns new arrays. If `copy` is False, each step overwrites the same arrays, which is
            faster. If `copy` is None, the setting of the wrapped environment is used.

    Attributes:
        corners: each window's north-west cell, as a row and a column of the table, int64[n, 2].
    """

    def __init__(self, env: VectorEnv, size: int = 15, copy: bool | None = None):
        self.window, self.corners = (
            Window(cast(spaces.Dict, env.single_observation_space), size),
            np.zeros((env.num_envs, 2), np.int64),
        )
        super().__init__(env, self.window.space, copy)
        self.single_action_space = spaces.Discrete(self.window.n_actions)
        self.action_space = batch_space(self.single_action_space, env.num_envs)

    def action_masks(self) -> np.ndarray:
        """For each game, return the mask of the legal actions inside the window, bool[games, actions]."""
        return np.take_along_axis(owner_of(self.env, "action_masks").action_masks(), self._every(), 1)

    def random_actions(self, chances: np.ndarray) -> np.ndarray:
        """Return a legal action for each game, chosen uniformly at random from the actions of its window, int64[n].
        `chances` is as in `CarcassonneVectorEnv.random_actions`. Raises ArrayError.
        """
        check_chances(chances, self.num_envs)
        actions = np.empty(self.num_envs, np.int64)
        stepping.random_legal(self.action_masks().view(np.int8), chances, actions)
        return actions

    def _every(self) -> np.ndarray:
        """For each action of each window, return the id of the action in the environment, int64[n, m]."""
        return self.window.ids(
            np.broadcast_to(np.arange(self.window.n_actions), (self.num_envs, self.window.n_actions)),
            self.corners[:, None],
        )

    def _meant(self, actions: np.ndarray) -> np.ndarray:
        return self.window.ids(actions, self.corners)

    def _shown(self, observations: Observation, infos: Infos) -> tuple[Observation, Infos]:
        self.corners = self.window.corners(observations)
        seen = self.window(observations, self.corners, self._room())
        return seen, infos | (
            {"action_mask": seen["action_mask"].copy() if self.copy else seen["action_mask"]} if infos else {}
        )

    def _changed(self, observations: Observation) -> Observation:
        return self.window(observations, self.window.corners(observations))
