"""Policy distillation (Rusu et al., 2016): a network that observes planes learns from a teacher.

The teacher is a bot such as `learned`, which estimates the values of the legal actions. Many games are played in
parallel. In some games, the teacher acts, and chooses a small fraction of its actions at random from the nearly best
actions. In the remaining games, the network acts (DAgger; Ross et al., 2011), so it also learns from the positions that
its own actions reach. At each decision, the network learns how much the values of the legal actions differ, in points.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from torch import Tensor

from carc_env.arena.shards import prices_of
from carc_env.boxes.tiles import tile_table
from carc_env.games.games import Games
from carc_env.observing import encode
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.rollouts import LISTED, list_answers, play_turns, room_for

from .questions import difference_loss, weights
from .sb3_config import SB3Config
from .teacher import POINTS

if TYPE_CHECKING:
    from .sb3 import Watch

# the seed of the first game in a run with the seed 0; the increase of this seed if the seed of the run increases by 1
SEED, STRIDE = 3 * 10**9, 10**9
STUDENT = 0.5  # share of the games in which the network acts
# share of the teacher's actions that are random; the greatest loss by such an action, in points
ERRORS, NEAR = 0.08, 4.0
LEAST = 0.02  # share of the learning rate that remains at the end


@dataclass(frozen=True)
class Asked:
    """One decision of each game, with the teacher's values of the legal actions. In the arrays, the actions of the
    first decision come first, then the actions of the second decision, and so on.
    """

    seen: dict[str, Tensor]  # the observations
    ids: np.ndarray  # int64[actions], each decision's legal actions in ascending order, as ids of the layout "common"
    worth: np.ndarray  # float32[actions], the teacher's values in points
    count: np.ndarray  # int64[games], the number of legal actions of each decision

    @property
    def first(self) -> np.ndarray:
        """For each decision, the index of its first action in the arrays."""
        return np.cumsum(self.count) - self.count


class Lessons:
    """Games in which a network learns the values of actions from a teacher.

    Args:
        config: the settings of the training run.
        questions: the number of decisions from which the network has already learned. The seeds of new games depend on
            `questions`, so new games differ from earlier games.
        device: the device of the network.
    """

    def __init__(self, config: SB3Config, questions: int = 0, device: torch.device | str = "cpu"):
        self._prices, self._observation_spec = (
            prices_of(config.teacher, config.game_config),
            encode.ObservationSpec(config.layout),
        )
        self._rng, self._device = np.random.default_rng([config.seed, questions]), device
        n = config.lesson_games
        # A continued run skips the seeds of the earlier games. These games used at most `2 * questions` seeds, because
        # `questions` is at least `n`.
        self._next = SEED + STRIDE * config.seed + 2 * questions
        self.games = Games(config.game_config, n, self._seeds(n))
        self._parts = np.array_split(np.arange(n), min(config.threads, n))
        self._rooms = [(*room_for(self.games.records.dtype), np.zeros(MAX_ANSWERS, LISTED)) for _ in self._parts]
        self._pool = ThreadPoolExecutor(len(self._parts))
        self._is_student = self._rng.random(n) < STUDENT
        self._spread()

    def step(self, scorer: Any, optimizer: torch.optim.Optimizer) -> float:
        """Learn from the current decision of each game, then play an action in each game. Returns the loss.

        `scorer` is a network that returns a tuple. The first item of the tuple contains the scores of the legal
        actions, with the shape [actions, 1]. All other items are ignored.
        """
        asked = self.ask()
        scores = scorer(asked.seen)[0][:, 0]
        loss = difference_loss(POINTS * scores, asked.worth, asked.count, weights(asked.worth, asked.count))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        self.act(asked, scores.detach().cpu().numpy())
        return float(loss.detach())

    def ask(self) -> Asked:
        """Return the next decision of each game, with the teacher's values of the legal actions."""
        found = list(self._pool.map(self._part, range(len(self._parts))))
        seen = {
            name: torch.cat([torch.as_tensor(part[0][name]).to(self._device) for part in found]) for name in found[0][0]
        }
        ids, worth, count = (np.concatenate([part[k] for part in found]) for k in (1, 2, 3))
        return Asked(seen, ids, worth, count)

    def act(self, asked: Asked, scores: np.ndarray) -> None:
        """Play an action in each game. In some games, the teacher's choice is played. In all other games, the action
        with the highest score is played. Finished games are replaced by new games.
        """
        best, near = _best(asked.worth, asked), np.flatnonzero(asked.worth >= _highest(asked.worth, asked) - NEAR)
        ends = np.searchsorted(near, np.append(asked.first, len(asked.ids)))
        drawn = near[ends[:-1] + self._rng.integers(ends[1:] - ends[:-1])]
        errs = self._rng.random(len(best)) < ERRORS
        chosen = np.where(self._is_student, _best(scores, asked), np.where(errs, drawn, best))
        self.games.step(asked.ids[chosen])
        self._begin_anew()

    def _part(self, k: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
        """Compute the teacher's values of the legal actions in the games of thread `k`. Returns the observations, the
        legal actions, the values of the actions, and the number of legal actions in each game.
        """
        which, room = self._parts[k], self._rooms[k]
        records = self.games.records[which[0] : which[-1] + 1]
        ids, worth, count = [], [], np.empty(len(which), np.int64)
        for i in range(len(which)):
            count[i] = n = list_answers(records[i : i + 1], tile_table(), self._prices, *room)
            ids.append(room[-1]["answer"][:n].copy())
            worth.append(room[-1]["price"][:n].astype(np.float32))
        return (
            encode.observe(records, records["player"], self._observation_spec),
            np.concatenate(ids),
            np.concatenate(worth),
            count,
        )

    def _spread(self) -> None:
        """In each game, let the teacher play until a random number of tiles is placed, so that the games are at
        different stages.
        """
        rooms, trials, _ = self._rooms[0]
        for i, tiles in enumerate(self._rng.integers(self.games.records["n_deck"]).tolist()):
            play_turns(self.games.records[i : i + 1], tile_table(), self._prices, rooms, trials, tiles)
        self._begin_anew()

    def _begin_anew(self) -> None:
        over = np.flatnonzero(self.games.is_over)
        self.games.reset(over, self._seeds(len(over)))
        self._is_student[over] = self._rng.random(len(over)) < STUDENT

    def _seeds(self, n: int) -> Sequence[int]:
        self._next += n
        return range(self._next - n, self._next)


def _highest(values: np.ndarray, asked: Asked) -> np.ndarray:
    """For each action, return the highest value among the actions of the same decision."""
    found: np.ndarray = np.repeat(np.maximum.reduceat(values, asked.first), asked.count)
    return found


def _best(values: np.ndarray, asked: Asked) -> np.ndarray:
    """For each game, return the index of the action with the highest value, as int64[games]. If several actions have
    the highest value, the first of these actions is chosen.
    """
    highest = np.flatnonzero(values == _highest(values, asked))
    return highest[np.searchsorted(highest, asked.first)]


def give_lessons(model: BaseAlgorithm, config: SB3Config, watch: "Watch") -> None:
    """Train a Stable-Baselines3 model to imitate the teacher. The number of decisions is `config.questions`. The
    learning rate falls linearly. The constant `LEAST` is the final learning rate as a fraction of the initial learning
    rate.
    """
    lessons = Lessons(config, watch.questions, model.device)
    while watch.questions < config.questions:
        rate = config.lesson_rate * max(LEAST, 1 - watch.questions / config.questions)
        for group in model.policy.optimizer.param_groups:
            group["lr"] = rate
        lessons.step(model.policy.scorer, model.policy.optimizer)
        watch.taught(config.lesson_games)
