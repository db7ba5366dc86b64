"""Make, save and load models of Stable-Baselines3 for Carcassonne, and use them as bots."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from carc_env import networks
from carc_env.common.errors import ConfigError
from carc_env.envs.common import observation_space
from carc_env.envs.inputs import Window
from carc_env.envs.opponents import SELF, Given
from carc_env.envs.sb3 import make_vec_env
from carc_env.envs.wrappers import VectorWindowObservation
from carc_env.games.games import Games
from carc_env.observing import encode

from . import state, weights
from .actor import ActorBot
from .algorithms import seed_for
from .env import LearningRewards
from .sb3_config import FREE, SB3Config
from .state import RunError

STATE = "state.safetensors"
CLASSES = {"MaskablePPO": MaskablePPO, "PPO": PPO, "A2C": A2C, "DQN": networks.LegalDQN, "QRDQN": networks.LegalQRDQN}
OFF_POLICY = (networks.LegalDQN, networks.LegalQRDQN)
KIND = {"DQN": "Q", "QRDQN": "Quantile"}  # the part of the policy's class name that depends on the algorithm


def observation_spec(config: SB3Config) -> encode.ObservationSpec:
    """Return the encoding of the network's observations."""
    is_rows = config.observation == "candidates"
    return encode.ObservationSpec(config.layout, config.observation, config.rows, is_rows, is_rows, config.price)


def make_env(config: SB3Config, seed: int, opponent: Given) -> LearningRewards:
    """Make the training environment with the given opponent."""
    seen = observation_spec(config)
    env = make_vec_env(
        "carc_env/Base-v0",
        config.games,
        seed,
        config=config.game_config,
        opponent=opponent,
        reward=config.reward,
        observation=seen.observation,
        actions="candidates" if seen.by_row else "ids",
        rows=seen.rows,
        table=seen.table,
        price=seen.price,
        spaces=config.spaces,
        threads=config.threads,
        wrapper_class=VectorWindowObservation if config.window else None,
        wrapper_kwargs={"size": config.window} if config.window else None,
    )
    return LearningRewards(env, config.points, config.outcome)


def make_model(config: SB3Config, folder: Path | None, seed: int, device: str = "cpu") -> BaseAlgorithm:
    """Make the model and its environment. The network is on `device`. Raises ConfigError for arguments that the
    algorithm or its network does not accept.

    With the opponent "self", all opponents play actions that are sampled from the current network.
    """
    torch.set_num_threads(config.threads)
    itself = ModelBot(None, config, is_best=False)
    env = make_env(config, seed, itself if config.opponent == SELF else config.opponent)
    policy = getattr(networks, f"{config.network.capitalize()}{KIND.get(config.algorithm, '')}Policy")
    board = None if folder is None else str(folder / "tensorboard")
    annealed = {"learning_rate": falling_rate(config)} if config.anneal else {}
    try:
        model = CLASSES[config.algorithm](
            policy,
            env,
            seed=seed,
            device=device,
            tensorboard_log=board,
            policy_kwargs=dict(config.network_settings),
            **config.settings | annealed,
        )
    except (TypeError, AssertionError) as error:
        raise ConfigError(f"settings or network_settings: {error}") from None
    if isinstance(model, MaskablePPO) and model.batch_size and config.games * model.n_steps % model.batch_size == 1:
        raise ConfigError(
            f"batch_size = {model.batch_size}: the last minibatch of {config.games} games x {model.n_steps} steps "
            f"would have only one decision, which gives no gradient"
        )
    itself.model = model
    return model


def falling_rate(config: SB3Config) -> Callable[[float], float]:
    """Return the schedule of a learning rate that falls linearly to 0. Stable-Baselines3 calls the schedule after a
    rollout, with the remaining fraction of all decisions. For the last update, this fraction is 0, so the learning rate
    would also be 0. Therefore, the schedule uses the fraction that remained before the rollout.
    """
    rollout = config.games * config.settings.get("n_steps", 1) / max(1, config.decisions)
    return lambda left: config.settings["learning_rate"] * min(1.0, max(0.0, left + rollout))


class ModelBot(ActorBot):
    """A bot that plays with a model. The bot plays the model's best actions, or it samples actions as in training.

    Args:
        model: a Stable-Baselines3 model with the observations of `config`.
        config: the configuration of the model's training.
        is_best: if True, the bot plays the best actions. If False, the bot samples actions.
    """

    def __init__(self, model: BaseAlgorithm | None, config: SB3Config, is_best: bool = True):
        self.model, self._is_best = model, is_best
        super().__init__(config.algorithm, self._chosen, observation_spec(config))
        self._window = Window(observation_space(self._observation_spec), config.window) if config.window else None

    def _chosen(self, seen: dict[str, np.ndarray]) -> np.ndarray:
        assert self.model is not None
        return self.model.predict(seen, deterministic=self._is_best)[0]

    def _played(self, games: Games) -> np.ndarray:
        if self._window is None:
            return super()._played(games)
        layout = self._layout(games)
        seen = encode.observe(games.records, games.players, self._observation_spec)
        corners = self._window.corners(seen)
        return layout.to_common(self._window.ids(self._chosen(self._window(seen, corners)), corners))


class Watching(BaseCallback):
    """A callback that calls the methods of an `sb3.Watch` object.

    The method `step` is called after each environment step. The method `learned` is called before each rollout, after
    all updates for the previous rollout.
    """

    def __init__(self, watch: Any):
        super().__init__()
        self._watch = watch

    def _on_rollout_start(self) -> None:
        self._watch.learned()

    def _on_step(self) -> bool:
        self._watch.step()
        return True


# --- resuming ---------------------------------------------------------------------------------------------------------
def go_on(model: BaseAlgorithm, arrays: dict[str, np.ndarray], decisions: int, updates: int) -> None:
    """Restore a model's network and optimiser, and its counts of decisions and updates."""
    weights.take(model.policy, model.policy.optimizer, arrays)
    model.num_timesteps, model._n_updates = decisions, updates
    if isinstance(model, OFF_POLICY):
        model.go_on(decisions)


def made_for(config: SB3Config) -> dict[str, Any]:
    """Return a description of the games that a model can play, as a JSON-serialisable dict.

    A model that observes planes can play only games with the layout of its training games. Games with the same layout
    have the same planes, global features and actions. A model that observes candidates can play games with any
    configuration.
    """
    return {
        "observation": config.observation,
        "spaces": config.spaces,
        "config": config.game_config.to_dict(),
        "layout_hash": encode.layout_hash(config.observation, config.layout),
    }


def save(folder: Path, model: BaseAlgorithm, config: SB3Config, rest: dict[str, Any]) -> None:
    """Write the network, the optimiser, and a JSON-serialisable dict. Games and replay buffers are not included."""
    told = {
        "config": config.to_dict(),
        "made_for": made_for(config),
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
    } | rest
    state.write(folder / STATE, weights.numbers(model.policy, model.policy.optimizer), told)


def read(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what `save` wrote. Raises RunError if there is no valid state."""
    return state.read(folder / STATE, "config", "made_for", "decisions", "updates")


def load(folder: Path, config: SB3Config, device: str = "cpu") -> tuple[BaseAlgorithm, dict[str, Any]]:
    """Load a saved model. The training of the model continues in new games, because games are not saved. Returns the
    model and the JSON content of the file. Raises RunError if there is no valid state. Also raises RunError if a field
    of the configuration has changed and FREE does not contain this field.
    """
    arrays, data = read(folder)
    for key, now in config.to_dict().items():
        began_with = data["config"].get(key, getattr(SB3Config(), key))  # the default for a field that the state lacks
        if key not in FREE and began_with != now:
            raise RunError(
                f"{folder}: this run began with {key} = {began_with!r}, "
                f"but the configuration says {now!r}; only {', '.join(FREE)} may change"
            )
    began, now = data["made_for"], made_for(config)
    if began["layout_hash"] != now["layout_hash"]:
        raise RunError(
            f"{folder}: the {now['observation']} of {config.preset} (spaces = "
            f"{config.spaces!r}) had layout {began['layout_hash']} when this run began, but now have layout "
            f"{now['layout_hash']}; begin a new run"
        )
    model = make_model(config, folder, seed_for(config.seed, data["decisions"]), device)
    go_on(model, arrays, data["decisions"], data["updates"])
    return model, data
