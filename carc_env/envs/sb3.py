"""Defines `make_vec_env`, which makes a Stable-Baselines3 VecEnv of many games."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv

from carc_env.common.arguments import as_actions, as_seed
from carc_env.common.errors import ArgumentError
from carc_env.envs.common import observations_of, owner_of
from carc_env.envs.saving import Saved
from carc_env.envs.vector import CarcassonneVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor
except ImportError:
    raise ImportError('carc_env.envs.sb3 needs Stable-Baselines3: pip install ".[train]"') from None


class CarcassonneVecEnv(VecEnv):
    """A Stable-Baselines3 VecEnv of n games, based on the batch engine of `CarcassonneVectorEnv`.

    Observations, actions, rewards and infos have the same meaning as in `CarcassonneEnv`. The rewards are float32[n].
    At the end of a game the info also has the key "terminal_observation". All games are stored in one batch, and there
    is no separate environment object for each game.

    Args:
        games: a `CarcassonneVectorEnv` with autoreset_mode="SameStep" and copy=True, or a vector wrapper around such an
            environment.

    Attributes:
        illegal: the number of illegal actions so far.
    """

    def __init__(self, games: VectorEnv):
        batch: Any = games.unwrapped
        is_carc = isinstance(batch, CarcassonneVectorEnv)
        if not is_carc or batch.autoreset_mode != AutoresetMode.SAME_STEP or not owner_of(games, "copy").copy:
            raise ArgumentError("a VecEnv needs a vector environment with autoreset_mode='SameStep' and copy=True")
        self.batch: Any = games
        self.illegal = 0
        self.render_mode = games.render_mode
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)

    def reset(self) -> dict[str, np.ndarray]:
        """Restart all games. After `seed(s)`, game i has the seed s + i."""
        observations: dict[str, np.ndarray]
        observations, infos = self.batch.reset(seed=self._seeds, options=self._options[0])
        self.reset_infos = self._each(infos)
        self._reset_seeds()
        self._reset_options()
        return observations

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next reset. All games get the same options: if `options` is a list, it has one entry
        for each game, and all entries must be equal. Raises ArgumentError.
        """
        if not (options is None or isinstance(options, dict)) and (
            len(options) != self.num_envs or not all(_are_equal(options[0], entry) for entry in options)
        ):
            raise ArgumentError(f"options should be a dict, or a list of {self.num_envs} equal dicts")
        super().set_options(options)

    def step_async(self, actions: np.ndarray) -> None:
        """Store an action id for each game, int[n]. Raises IllegalAction if `actions` is not one integer for each
        game. `step_wait` checks whether the actions are legal.
        """
        self._actions = as_actions(actions, self.num_envs, int(cast(Discrete, self.action_space).n))

    def step_wait(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play the actions of `step_async`. Games that end are restarted."""
        observations, rewards, dones, _, infos = self.batch.step(self._actions)
        each = self._each(infos)
        if dones.any():
            finals = self._each(infos["final_info"])
            for i in np.flatnonzero(dones):
                self.reset_infos[i] = {name: value for name, value in each[i].items() if name in finals[i]}
                each[i] = each[i] | finals[i] | {"terminal_observation": infos["final_obs"][i]}
        self.illegal += sum("illegal_action" in info for info in each)
        return observations, rewards.astype(np.float32), dones, each

    def action_masks(self) -> np.ndarray:
        """Return the action masks, bool[n, m] for m actions. An entry of a mask is True if the action is legal."""
        masks: np.ndarray = owner_of(self.batch, "action_masks").action_masks()
        return masks

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return one picture of each game."""
        return self.batch.render() or [None] * self.num_envs

    def close(self) -> None:
        """Stop the threads."""
        self.batch.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return a list with one entry for each game. All entries are the same object. If this VecEnv has the attribute
        `attr_name`, the object is the value of this attribute. Otherwise, the attribute of the vector environment is
        used.
        """
        return [getattr(self._owner(attr_name), attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of this VecEnv. If this VecEnv does not have the attribute, set it in the vector
        environment.
        """
        setattr(self._owner(attr_name), attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method that returns one result for each game. Returns the results of the games in `indices`."""
        found = getattr(self._owner(method_name), method_name)(*method_args, **method_kwargs)
        return [found[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each game, because no game has a wrapper of its own."""
        return [False] * len(list(self._get_indices(indices)))

    # --- states ----------------------------------------------------------------------------------------------------
    def save(self) -> Saved:
        """Return the state of all games; see `CarcassonneVectorEnv.save`."""
        state: Saved = owner_of(self.batch, "save").save()
        return state

    def restore(self, state: Saved) -> dict[str, np.ndarray]:
        """Restore a state that `save` returned. Returns the observations. Raises ArgumentError."""
        owner_of(self.batch, "restore").restore(state)
        observations: dict[str, np.ndarray] = observations_of(self.batch)
        return observations

    def _owner(self, name: str) -> Any:
        """Return this VecEnv if it has an attribute `name`. Otherwise return the vector wrapper or vector environment
        that has this attribute.
        """
        return self if hasattr(self, name) else owner_of(self.batch, name)

    def _each(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        """Convert the infos of all games from one dict of arrays to a list with one dict for each game."""
        names = [name for name in infos if f"_{name}" in infos and not name.startswith("final")]
        whole = [name for name in names if infos[f"_{name}"].all() and not isinstance(infos[name], dict)]
        each = [dict(zip(whole, values)) for values in zip(*(infos[name] for name in whole))] or [
            {} for _ in range(self.num_envs)
        ]
        for name in names:
            if name not in whole:
                for i in np.flatnonzero(infos[f"_{name}"]):
                    each[i][name] = _entry(infos[name], i)
        return each


def _entry(values: Any, i: Any) -> Any:
    """Return the entry of game i in an array, or in each array of a dict."""
    return {name: _entry(array, i) for name, array in values.items()} if isinstance(values, dict) else values[i]


def _are_equal(options: Any, others: Any) -> bool:
    """True if the options of two games are equal. The options can contain arrays."""
    if not (isinstance(options, dict) and isinstance(others, dict)):
        return False
    return options.keys() == others.keys() and all(np.array_equal(options[name], others[name]) for name in options)


def make_vec_env(
    id: str,
    n_envs: int = 1,
    seed: int | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    wrapper_class: Callable[..., VectorEnv] | None = None,
    wrapper_kwargs: Mapping[str, Any] | None = None,
    **settings: Any,
) -> VecMonitor:
    """Make a Stable-Baselines3 VecEnv of `n_envs` games, wrapped in a VecMonitor. The VecEnv has the method
    `action_masks()`.

    All arguments except `id` and `settings` have the same names as in Stable-Baselines3's `make_vec_env`.

    Args:
        id: the id of an environment, such as "carc_env/Goldmines-v0".
        n_envs: the number of games.
        seed: game i has the seed `seed + i`. If `seed` is None, the operating system supplies the seeds.
        env_kwargs: arguments of `CarcassonneVectorEnv`, such as opponent, reward, observation and threads.
        wrapper_class: a wrapper for the vector environment, such as `carc_env.envs.wrappers.VectorRescaleObservation`.
        wrapper_kwargs: the keyword arguments of `wrapper_class`.
        settings: further arguments of `CarcassonneVectorEnv`. The arguments `autoreset_mode` and `copy` are always
            "SameStep" and True; other values are ignored.

    >>> env = make_vec_env("carc_env/Goldmines-v0", 4, seed=7, opponent="random")
    >>> observations = env.reset()
    >>> observations, rewards, dones, infos = env.step(env.action_masks().argmax(1))
    """
    seed = None if seed is None else as_seed(seed)
    settings = {**(env_kwargs or {}), **settings, "autoreset_mode": AutoresetMode.SAME_STEP, "copy": True}
    made: Any = gymnasium.make_vec(id, n_envs, "vector_entry_point", **settings)
    if wrapper_class is not None:
        made = wrapper_class(made, **(wrapper_kwargs or {}))
    env = CarcassonneVecEnv(made)
    if seed is not None:  # `env.seed(None)` would draw a seed from NumPy's global generator
        env.seed(seed)
    return VecMonitor(env)
