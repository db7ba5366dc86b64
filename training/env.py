"""Make environments for training. The training environments are the vector environments of the package, with scaled
rewards.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from carc_env.envs.opponents import Given
from carc_env.envs.sb3 import CarcassonneVecEnv, make_vec_env
from carc_env.observing.candidates import PRICE
from carc_env.setup.config import GameConfig


def make_env(
    config: GameConfig,
    games: int,
    rows: int,
    seed: int,
    opponent: Given = "greedy",
    threads: int = 1,
    price: bool = False,
) -> VecEnv:
    """Make an environment with the given number of parallel games. An observation has a row of features for each
    candidate action. An action is the index of a candidate. The reward is the change in the provisional margin, in
    points. The provisional margin is the margin that the player would have if the game ended now.

    The array `table` of every observation uses the layout "common", so the networks of all agents have the same shape.
    """
    return make_vec_env(
        "carc_env/Goldmines-v0",
        games,
        seed,
        config=config,
        opponent=opponent,
        reward="potential",
        observation="candidates",
        actions="candidates",
        rows=rows,
        table=True,
        spaces="common",
        price=price,
        threads=threads,
    )


def greedy_rows(obs: dict[str, np.ndarray]) -> np.ndarray:
    """For each game, return the index of the candidate with the highest heuristic value. This candidate is the action
    that `greedy` would choose. The observations must contain the heuristic values (`price=True`).
    """
    return np.where(obs["action_mask"] == 1, obs["candidates"][:, :, PRICE], -np.inf).argmax(1)


@dataclass(frozen=True)
class Finished:
    """The result of a game that the learner has played to the end."""

    opponent: int  # the index of the opponent in the pool; with several opponents in a game, the index of the first one
    margin: int  # the learner's points minus the points of the best other player
    result: float  # 1 won, 0.5 drawn, 0 lost
    reward: float  # sum of all rewards


class LearningRewards(VecEnvWrapper):
    """Divides rewards by `points`. If the learner wins a game, `outcome` is added to the last reward. If the learner
    loses a game, `outcome` is subtracted from the last reward. The wrapper also records the results of finished games.

    The reward of an action covers the time until the learner's next decision. So the reward includes the points that
    all other players score before the learner's next decision.
    """

    def __init__(self, venv: VecEnv, points: float, outcome: float):
        super().__init__(venv)
        self._points, self._outcome = points, outcome
        self._returns = np.zeros(self.num_envs)
        self._finished: list[Finished] = []

    def reset(self) -> dict[str, np.ndarray]:
        """Restart all games."""
        self._returns[:] = 0.0
        observations = self.venv.reset()
        assert isinstance(observations, dict)
        return observations

    def step_wait(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play the learner's actions. Then the other players act until the learner has to act again."""
        observations, rewards, dones, infos = self.venv.step_wait()
        assert isinstance(observations, dict)
        rewards = rewards / self._points
        self._returns += rewards
        for i in np.flatnonzero(dones):
            scores, seat = infos[i]["scores"].tolist(), int(infos[i]["player"])
            margin = scores.pop(seat) - max(scores)
            rewards[i] += self._outcome * np.sign(margin)
            reward = float(self._returns[i] + self._outcome * np.sign(margin))
            opponents = infos[i].get("opponents", np.zeros(1, np.int64))
            self._finished.append(
                Finished(int(opponents[opponents >= 0][0]), margin, float(np.sign(margin) + 1) / 2, reward)
            )
            self._returns[i] = 0.0
        return observations, rewards.astype(np.float32), dones, infos

    def take_finished(self) -> list[Finished]:
        """Return the results of the games that finished since the last call of this method."""
        finished, self._finished = self._finished, []
        return finished

    @property
    def _games(self) -> CarcassonneVecEnv:
        games = self.unwrapped
        assert isinstance(games, CarcassonneVecEnv)
        return games

    @property
    def illegal(self) -> int:
        """The number of illegal actions so far. It must stay 0."""
        return self._games.illegal

    @property
    def answered(self) -> int:
        """The number of actions so far, including the actions of opponents."""
        return self._games.batch.answered

    # --- resuming -------------------------------------------------------------------------------------------------
    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return the state of the games, as arrays and a JSON-serialisable dict. The games can be resumed from this
        state. The state of the opponents is not included.
        """
        parts = self._games.save().parts
        arrays = {name: part for name, part in parts.items() if isinstance(part, np.ndarray)} | {
            "returns": self._returns
        }
        arrays |= {f"records.{k}": np.frombuffer(data, np.uint8) for k, data in enumerate(parts["records"])}
        rest = {name: part for name, part in parts.items() if name not in ("records", *arrays)}
        return arrays, rest | {"illegal": self.illegal, "answered": self.answered}

    def set_state(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> dict[str, np.ndarray]:
        """Restore what `state` returned. Returns the observations."""
        own = self._games
        saved = own.save()
        records = [arrays[f"records.{k}"].tobytes() for k in range(len(saved.parts["records"]))]
        given = {name: arrays[name] if name in arrays else rest[name] for name in saved.parts if name != "records"}
        observations = own.restore(replace(saved, parts=given | {"records": records}))
        self._returns[:], self._finished = arrays["returns"], []
        own.illegal, own.batch.answered = rest["illegal"], rest["answered"]
        return observations
