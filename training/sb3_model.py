"""An algorithm of Stable-Baselines3 on our games, the bot that plays as it does, and its state as arrays."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from carc_env import encode, networks
from carc_env.bots import Bot
from carc_env.checkpoint import write_whole
from carc_env.config import ConfigError
from carc_env.envs.common import observation_space
from carc_env.envs.inputs import Window
from carc_env.envs.sb3 import make_vec_env
from carc_env.envs.wrappers import VectorWindowObservation
from carc_env.games import Games
from carc_env.rules.state import NONE
from .env import LearningRewards
from .files import RunError
from .learner import moments, part, tensors
from .sb3_config import FREE, SB3Config

STATE = "state.safetensors"
CLASSES = {"MaskablePPO": MaskablePPO, "PPO": PPO, "A2C": A2C, "DQN": networks.LegalDQN, "QRDQN": networks.LegalQRDQN}
KIND = {"DQN": "Q", "QRDQN": "Quantile"}  # in the name of the policy


def sight(config: SB3Config) -> encode.Sight:
    """What the network sees."""
    is_rows = config.observation == "candidates"
    return encode.Sight(config.observation, config.rows, is_rows, is_rows) if is_rows else encode.Sight("planes")


def make_env(config: SB3Config, seed: int) -> LearningRewards:
    """The games that are learned from."""
    seen = sight(config)
    env = make_vec_env("carc_env/Base-v0", config.games, seed, config=config.game_config, opponent=config.opponent, reward=config.reward,
                       observation=seen.observation, actions="candidates" if seen.by_row else "ids", rows=seen.rows, table=seen.table,
                       threads=config.threads, wrapper_class=VectorWindowObservation if config.window else None,
                       wrapper_kwargs={"size": config.window} if config.window else None)
    return LearningRewards(env, config.points, config.outcome)


def make_model(config: SB3Config, folder: Path | None, seed: int) -> BaseAlgorithm:
    """The algorithm with its games. Raises ConfigError for arguments that it, or its network, does not take."""
    torch.set_num_threads(config.threads)
    policy = getattr(networks, f"{config.network.capitalize()}{KIND.get(config.algorithm, '')}Policy")
    board = None if folder is None else str(folder / "tensorboard")
    try:
        return CLASSES[config.algorithm](policy, make_env(config, seed), seed=seed, device="cpu", tensorboard_log=board,
                                         policy_kwargs=dict(config.network_settings), **config.settings)
    except (TypeError, AssertionError) as error:
        raise ConfigError(f"settings or network_settings: {error}") from None


class ModelBot(Bot):
    """Plays what a model thinks best.

    Args:
        model: of Stable-Baselines3; its observations are those of `config`.
        config: how it was trained.
    """

    def __init__(self, model: BaseAlgorithm, config: SB3Config):
        self.name, self._model, self._sight = config.algorithm, model, sight(config)
        self._window = Window(observation_space(self._sight), config.window) if config.window else None

    def choose_batch(self, games: Games) -> np.ndarray:
        """The answer for every game, int64[n]; NONE where a game is over."""
        answers, asked = np.full(len(games), NONE, np.int64), np.flatnonzero(games.players != NONE)
        if len(asked):
            answers[asked] = self._played(games[asked])
        return answers

    def _played(self, games: Games) -> np.ndarray:
        seen = encode.look(games.records, games.players, self._sight)
        if self._window is None:
            actions = self._model.predict(seen, deterministic=True)[0]
            return seen["candidate_actions"][np.arange(len(games)), actions] if self._sight.by_row else actions
        corners = self._window.corners(seen)
        return self._window.ids(self._model.predict(self._window(seen, corners), deterministic=True)[0], corners)


# --- going on later -----------------------------------------------------------------------------------------------------------
def save(folder: Path, model: BaseAlgorithm, config: SB3Config, rest: dict[str, Any]) -> None:
    """Write what was learned: the network, the optimiser, and what JSON knows. Games and replay buffers are not part of it."""
    arrays = {f"policy.{key}": tensor.cpu().numpy() for key, tensor in model.policy.state_dict().items()}
    for number, state in model.policy.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{number}.{key}": np.asarray(value) for key, value in state.items()}
    text = json.dumps({"config": config.to_dict(), "decisions": model.num_timesteps, "updates": model._n_updates} | rest)
    write_whole(folder / STATE, safetensors.numpy.save({key: np.ascontiguousarray(array) for key, array in arrays.items()}, {"json": text}))


def read(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What `save` wrote. Raises RunError."""
    path = folder / STATE
    if not path.is_file():
        raise RunError(f"{folder}: there is no run to go on with; leave out --resume to begin one")
    try:
        with safetensors.safe_open(path, "np") as file:
            return {key: file.get_tensor(key) for key in file.keys()}, json.loads(file.metadata()["json"])
    except (safetensors.SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path}: no state of a run: {error}") from None


def load(folder: Path, config: SB3Config) -> tuple[BaseAlgorithm, dict[str, Any]]:
    """A model that goes on from what was saved, in new games, and the rest of what was saved. Raises RunError."""
    arrays, data = read(folder)
    for key, now in config.to_dict().items():
        if key not in FREE and data["config"].get(key) != now:
            raise RunError(f"{folder}: this run began with {key} = {data['config'].get(key)!r}, but the configuration says {now!r}; "
                           f"only {', '.join(FREE)} may change")
    model = make_model(config, folder, (config.seed + data["decisions"]) % 2**32)
    model.policy.load_state_dict(tensors(part(arrays, "policy.")))
    model.policy.optimizer.load_state_dict({"state": moments(arrays), "param_groups": model.policy.optimizer.state_dict()["param_groups"]})
    model.num_timesteps, model._n_updates = data["decisions"], data["updates"]
    return model, data
