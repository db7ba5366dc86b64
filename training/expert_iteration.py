"""Expert iteration (Anthony, Tian and Barber 2017, arXiv 1705.08439), as an algorithm of the benchmark.

During play, actions are sampled from the network's policy. At some randomly chosen decisions, the algorithm also runs a
search. The search tries the actions with the highest probabilities. All actions are tried on the same reshuffled
stacks. After each tried action, the search plays a few more tiles, with actions sampled from the policy. Then the
search scores the position as if the game ended there. The value of an action is the mean margin over all stacks on
which it was tried. The network learns to prefer the actions with the highest values. The network has no teacher.

The budget of decisions limits the number of actions in the training games. Actions inside a search do not count, so a
search makes the training slower but does not use up the budget.
"""

from typing import Any

import numpy as np
import torch

from carc_env.boxes.tiles import tile_table
from carc_env.games.games import Games
from carc_env.observing import encode
from carc_env.rules.state import MAX_PLAYERS, NONE

from .actor import ActorBot
from .algorithms import Budget, seed_for
from .answering import Answering, Observations
from .tasks import Task


class ExpertIteration(Answering):
    """An algorithm that plays games, runs searches at some decisions, and learns from the most recent searches."""

    settings: dict[str, Any] = {
        "games": 32,
        "steps": 32,  # actions in each game between two updates
        "searched": 32,  # the number of searches between two updates
        "answers": 4,  # the number of actions that a search tries
        "stacks": 8,  # the number of reshuffled stacks on which each action is tried
        "tiles": 4,  # the number of tiles that a search plays after the current turn
        "points": 3.0,  # the temperature, in points, of the softmax that converts values to target probabilities
        "kept": 4096,  # the maximum number of stored decisions at which a search was run
        "minibatch": 256,
        "updates": 8,  # gradient steps after each round of play
        "width": 64,
        "learning_rate": 1e-3,
        "max_gradient": 0.5,
    }

    def __init__(self, task: Task, seed: int, device: str = "cpu"):
        super().__init__(task, seed, device)
        self._rng, self._searched = np.random.default_rng(seed), Kept(self.settings["kept"])
        self._player = ActorBot("expert-iteration", self._drawn, task.observation_spec)

    def fit(self, budget: Budget) -> None:
        """Play, search and learn in turn until the budget is spent."""
        envs = self._task.environment(self.settings["games"])
        observations, _ = envs.reset(seed=seed_for(self._seed, budget.made))
        size = self.settings["games"] * self.settings["steps"]
        while budget.left > 0:
            due = self._rng.choice(size, self.settings["searched"], replace=False)
            for step in range(self.settings["steps"]):
                which = due[due // self.settings["games"] == step] % self.settings["games"]
                if len(which):
                    some = {name: array[which] for name, array in observations.items()}
                    self._searched.add(self._search(envs, some, which))
                observations = envs.step(self._drawn(observations))[0]
            for _ in range(self.settings["updates"]):
                self._learn(self._searched.some(self.settings["minibatch"], self._rng))
            budget.spend(size)
        envs.close()

    def _search(self, envs: Any, seen: Observations, which: np.ndarray) -> Observations:
        """Run a search from the current position of each game whose index is in `which`.

        Returns the dict `seen` with two additional arrays. The array `tried` contains the tried actions of each game,
        as int64[games, actions]. The array `target` contains the target probabilities of these actions, as
        float32[games, actions].
        """
        tried = self._liked(seen)
        rows = np.arange(len(which))[:, None]
        ids = seen["candidate_actions"][rows, tried] if "candidate_actions" in seen else tried
        common = np.where(tried == NONE, NONE, envs.layout.to_common(ids))
        worth = np.where(tried == NONE, -np.inf, self._play_on(envs.games[which], common) / self.settings["points"])
        likely = np.exp(worth - worth.max(1, keepdims=True))
        return seen | {"tried": tried, "target": (likely / likely.sum(1, keepdims=True)).astype(np.float32)}

    def _liked(self, seen: Observations) -> np.ndarray:
        """Return the actions with the highest probabilities in each game.

        The setting `answers` is the number of actions that a search tries. If a game has fewer legal actions than this
        number, the array is padded with NONE. Returns int64[games, actions].
        """
        with torch.no_grad():
            ids, scores = self._choices(seen).each()
        best = scores.sort(dim=1, descending=True, stable=True).indices[:, : self.settings["answers"]]
        found = ids.gather(1, best).cpu().numpy()
        room = self.settings["answers"] - found.shape[1]
        return np.pad(found, ((0, 0), (0, room)), constant_values=NONE)

    def _play_on(self, games: Games, ids: np.ndarray) -> np.ndarray:
        """Estimate the value of each action in points, as float64[games, actions]. At the end of a search, the position
        is scored as if the game ended there. The value of an action is the acting player's mean margin over the
        reshuffled stacks. For the action id NONE, the value is arbitrary.
        """
        stacks, tried = self.settings["stacks"], ids.shape[1]
        question = np.repeat(np.arange(len(games)), tried * stacks)
        tables, player = games[question], games.players[question]
        seeds = self._rng.integers(2**62, size=(len(games), 1, stacks))
        tables.reshuffle_hidden(np.broadcast_to(seeds, (len(games), tried, stacks)).ravel())
        last = tables.records["n_drawn"] + self.settings["tiles"]  # the same limit for all actions of a decision
        tables.step_if_legal(np.repeat(ids.ravel(), stacks))
        while len(going := np.flatnonzero((tables.records["n_drawn"] <= last) & ~tables.is_over)):
            tables.step_if_legal(self._player.choose_batch(tables[going]), going)
        return margins(tables, player).reshape(len(games), tried, stacks).mean(2)

    def _learn(self, searched: Observations) -> None:
        """Make one gradient step on the cross-entropy loss."""
        tried, target = (torch.as_tensor(searched[name], device=self._device) for name in ("tried", "target"))
        choices = self._choices(searched)
        likely = torch.stack([choices.log_prob(tried[:, k]) for k in range(tried.shape[1])], 1)
        loss = -(likely * target).sum(1).mean()
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), self.settings["max_gradient"])
        self._optimizer.step()


class Kept:
    """Stores the most recent decisions at which a search was run.

    Args:
        most: the maximum number of decisions.
    """

    def __init__(self, most: int):
        self._most, self._arrays, self._added = most, dict[str, np.ndarray](), 0

    def add(self, some: Observations) -> None:
        """Add decisions. When the store is full, new decisions replace the oldest ones."""
        if not self._arrays:
            self._arrays = {name: np.empty((self._most, *array.shape[1:]), array.dtype) for name, array in some.items()}
        n = len(some["tried"])
        places = (self._added + np.arange(n)) % self._most
        for name, array in some.items():
            self._arrays[name][places] = array
        self._added += n

    def some(self, n: int, rng: np.random.Generator) -> Observations:
        """Return `n` stored decisions, chosen at random with replacement."""
        which = rng.integers(min(self._added, self._most), size=n)
        return {name: array[which] for name, array in self._arrays.items()}


def margins(games: Games, players: np.ndarray) -> np.ndarray:
    """Return the margin of the given player in each of n games, as float64[n]. Each game is scored as if the game ended
    now. The margin is the player's points minus the points of the opponent with the highest score.
    """
    scores = np.empty((len(games), MAX_PLAYERS), np.int64)
    encode.provisional_scores(games.records, tile_table(), scores)
    scores, every = scores[:, : games.config.players].astype(float), np.arange(len(games))
    own = scores[every, players]
    scores[every, players] = -np.inf
    return own - scores.max(1)
