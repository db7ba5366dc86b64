"""Expert iteration (Anthony, Tian and Barber 2017, arXiv 1705.08439): the algorithm of the benchmark that searches.

The network draws its actions while it plays. At some of its questions it searches. The search plays on from each of the
actions that the network likes best, by the network itself, on reshuffled stacks that are the same for all actions. Then
the table is valued as if the game were scored now. The network learns which actions the search prefers. No bot teaches
it.

A decision is an action in a game, not one in a search. So the time that the algorithm takes shows the cost of the
search.
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
    """Plays, searches, and learns from recent searches."""

    settings: dict[str, Any] = {
        "games": 32,
        "steps": 32,  # answers in each game between two updates
        "searched": 32,  # questions of them that are searched
        "answers": 4,  # that a search tries
        "stacks": 8,  # on which each of them is played on
        "tiles": 4,  # that are laid before the table is valued
        "points": 3.0,  # by which an answer has to be better to be e times as likely
        "kept": 4096,  # questions that are learned from again and again
        "minibatch": 256,
        "updates": 8,  # steps of the gradient after each round of play
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
        """Search at the questions of some games. Returns what the network learns from: the observations; `tried`, the
        actions that were tried, int64[questions, answers]; and `target`, the probability that each should have,
        float32[questions, answers].
        """
        tried = self._liked(seen)
        rows = np.arange(len(which))[:, None]
        ids = seen["candidate_actions"][rows, tried] if "candidate_actions" in seen else tried
        common = np.where(tried == NONE, NONE, envs.layout.to_common(ids))
        worth = np.where(tried == NONE, -np.inf, self._play_on(envs.games[which], common) / self.settings["points"])
        likely = np.exp(worth - worth.max(1, keepdims=True))
        return seen | {"tried": tried, "target": (likely / likely.sum(1, keepdims=True)).astype(np.float32)}

    def _liked(self, seen: Observations) -> np.ndarray:
        """The actions that the network likes best, int64[questions, answers]; NONE if there are fewer."""
        with torch.no_grad():
            ids, scores = self._choices(seen).each()
        best = scores.sort(dim=1, descending=True, stable=True).indices[:, : self.settings["answers"]]
        found = ids.gather(1, best).cpu().numpy()
        room = self.settings["answers"] - found.shape[1]
        return np.pad(found, ((0, 0), (0, room)), constant_values=NONE)

    def _play_on(self, games: Games, ids: np.ndarray) -> np.ndarray:
        """The values of some actions in points, float64[questions, answers]: the margin of the player who acts,
        averaged over stacks, as if the table were scored at the end of the search. Entries for NONE mean nothing.
        """
        stacks, tried = self.settings["stacks"], ids.shape[1]
        question = np.repeat(np.arange(len(games)), tried * stacks)
        tables, player = games[question], games.players[question]
        seeds = self._rng.integers(2**62, size=(len(games), 1, stacks))
        tables.reshuffle_hidden(np.broadcast_to(seeds, (len(games), tried, stacks)).ravel())
        tables.step_if_legal(np.repeat(ids.ravel(), stacks))
        last = tables.records["n_drawn"] + self.settings["tiles"]
        while len(going := np.flatnonzero((tables.records["n_drawn"] <= last) & ~tables.is_over)):
            tables.step_if_legal(self._player.choose_batch(tables[going]), going)
        return margins(tables, player).reshape(len(games), tried, stacks).mean(2)

    def _learn(self, searched: Observations) -> None:
        """Make one gradient step, by cross-entropy."""
        tried, target = (torch.as_tensor(searched[name], device=self._device) for name in ("tried", "target"))
        choices = self._choices(searched)
        likely = torch.stack([choices.log_prob(tried[:, k]) for k in range(tried.shape[1])], 1)
        loss = -(likely * target).sum(1).mean()
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), self.settings["max_gradient"])
        self._optimizer.step()


class Kept:
    """The most recent questions that were searched.

    Args:
        most: the maximum number of questions.
    """

    def __init__(self, most: int):
        self._most, self._arrays, self._added = most, dict[str, np.ndarray](), 0

    def add(self, some: Observations) -> None:
        """Add some questions. The oldest ones are removed."""
        if not self._arrays:
            self._arrays = {name: np.empty((self._most, *array.shape[1:]), array.dtype) for name, array in some.items()}
        n = len(some["tried"])
        places = (self._added + np.arange(n)) % self._most
        for name, array in some.items():
            self._arrays[name][places] = array
        self._added += n

    def some(self, n: int, rng: np.random.Generator) -> Observations:
        """So many of the questions, drawn with replacement."""
        which = rng.integers(min(self._added, self._most), size=n)
        return {name: array[which] for name, array in self._arrays.items()}


def margins(games: Games, players: np.ndarray) -> np.ndarray:
    """The points of a player in each game minus those of the best other player, as if the games were scored now,
    float64[n].
    """
    scores = np.empty((len(games), MAX_PLAYERS), np.int64)
    encode.provisional_scores(games.records, tile_table(), scores)
    scores, every = scores[:, : games.config.players].astype(float), np.arange(len(games))
    own = scores[every, players]
    scores[every, players] = -np.inf
    return own - scores.max(1)
