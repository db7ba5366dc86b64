"""Sequential halving of the promising actions: in each round, all remaining actions are rolled out on the same
reshuffled stacks. Each round eliminates the worse half of the actions (Karnin, Koren and Somekh 2013).

The policy's own action is never eliminated. On each stack, the gain of any other action is the action's value minus the
value of the policy's own action. Another action is preferred to the policy's own action only if its mean gain is more
than `doubt` times the standard error of this mean. The threshold `doubt` keeps the search from preferring an action
merely because of lucky draws, for example of hidden chips.

If the budget is a time, an action can also be eliminated during a round, as soon as it is clearly worse than the best
action (a race; Maron and Moore 1994). Most decisions therefore take less time than the budget allows.
"""

import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from carc_env.boxes.tiles import tile_table
from carc_env.observing.prospects import LEARNED, PRICES
from carc_env.observing.value_network import chance_to_win, scale_of_winning
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.rules.state import NONE
from carc_env.searching.rollouts import LISTED, list_answers, promising, roll_out_all, room_for

CHUNK = 0.002  # seconds between two checks of the time
MOST = 8  # the maximum number of actions to try; a small budget allows fewer
FEW = 4  # if the budget is a time, the number of actions that are tried first, to measure the time of a playout
STACKS = 2  # the number of actions is limited so that the first round can try each action on this many stacks
SURE = 4.0  # if the budget is a time: a round eliminates actions that are this many standard errors worse than the best
SURE_STACKS = 16  # the number of stacks to try before an action can be eliminated during a round


@dataclass(frozen=True)
class Settings:
    """The settings of a search with rollouts."""

    depth: int = 4  # the number of tiles that are played after the action's own tile
    most: int | None = None  # the maximum number of actions; None: as many as the budget can compare, at most MOST
    near: float = 8.0  # actions whose heuristic value is more than this many points below the best are left out
    doubt: float = 0.5  # the number of standard errors that a gain must exceed
    aim: str = "margin"  # what is compared: "margin", or "win", which is the probability of winning


@dataclass(frozen=True)
class Found:
    """The result of a search."""

    answers: np.ndarray  # ids of the actions that were tried, int64[k], best first
    values: np.ndarray  # the expected margin in points after each of these actions, float64[k]
    # standard errors in points, float64[k]; inf if not known. In a search by halving, these are the standard errors of
    # the gains over the policy's own action. In Monte Carlo tree search, these are the standard errors of the values.
    errors: np.ndarray
    playouts: int
    seconds: float


class LeftOut(NamedTuple):
    """Actions that were eliminated together, best first."""

    answers: np.ndarray  # the indices of the actions
    errors: np.ndarray  # standard errors of the actions' gains over the policy's own action, in points


class Searcher:
    """Searches one decision in each call of `search`.

    Args:
        prices: the weights of the policy's heuristic, as an array with one PRICES record.
        settings: the settings of the rollouts.
        threads: the number of threads that do rollouts in parallel.
    """

    def __init__(self, prices: np.ndarray, settings: Settings | None = None, threads: int = 1):
        self.prices, self.settings, self.threads = prices, settings or Settings(), threads
        self._listed = np.zeros(MAX_ANSWERS, LISTED)
        self._rooms: dict[np.dtype, list[tuple[np.ndarray, np.ndarray]]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def search(
        self, games: np.ndarray, seed: np.ndarray, playouts: int = 0, ms: float = 0.0, also: int = NONE
    ) -> Found:
        """Search for the best actions in games[0] with `playouts` playouts, or for `ms` milliseconds. The game is not
        changed. `seed` holds the low and the high 32 bits of a seed. `also` is NONE, or a legal action that is tried
        even if its heuristic value is low.
        """
        began = time.perf_counter()
        n = list_answers(games, tile_table(), self.prices, *self.rooms(games.dtype)[0], self._listed)
        prices = self._listed["price"][:n]
        near = promising(prices, self.settings.most or MOST, self.settings.near)
        search = _Search(self, games, seed, near, n, np.flatnonzero(self._listed["answer"][:n] == also))
        if playouts:
            search.spend_playouts(playouts)
        else:
            search.spend_time(began, ms / 1000)
        return search.found(began)

    def rooms(self, dtype: np.dtype) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the working memory of each thread. The memory holds game states of the dtype `dtype`."""
        if dtype not in self._rooms:
            self._rooms[dtype] = [room_for(dtype) for _ in range(self.threads)]
        return self._rooms[dtype]

    def roll_out(self, search: "_Search", values: np.ndarray, first: int) -> None:
        """Play a rollout after each action in `search.alive`, on `len(values)` reshuffled stacks. The index of the
        first stack is `first`. The value of an action on a stack is written to `values[stack - first, action]`.
        """
        rooms = self.rooms(search.games.dtype)
        cuts = np.linspace(0, len(values), min(len(rooms), len(values)) + 1).astype(int).tolist()

        def part(k: int) -> None:
            roll_out_all(
                search.games, tile_table(), self.prices, *rooms[k], self._listed, search.alive, search.seed,
                first + cuts[k], self.settings.depth, values[cuts[k] : cuts[k + 1]],
            )  # fmt: skip

        if len(cuts) == 2:
            part(0)
            return
        self._pool = self._pool or ThreadPoolExecutor(self.threads)
        list(self._pool.map(part, range(len(cuts) - 1)))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling and copying. The state does not contain the working memory, because a copy
        allocates its own working memory.
        """
        return {"prices": self.prices.tobytes(), "settings": self.settings, "threads": self.threads}

    def __setstate__(self, state: dict[str, Any]) -> None:
        prices = np.frombuffer(bytearray(state["prices"]), PRICES)
        self.__init__(prices, state["settings"], state["threads"])  # type: ignore[misc]


class _Search:
    """The state of one search. It contains the remaining actions, and the value of each action on each stack."""

    def __init__(
        self, searcher: Searcher, games: np.ndarray, seed: np.ndarray, alive: np.ndarray, n: int, also: np.ndarray
    ):
        self.searcher, self.games, self.seed = searcher, games, seed
        # indices: the policy's own action, the remaining actions, and the action that is tried in any case (if any)
        self.own, self.alive, self.also = int(alive[0]), alive, also
        self.values = np.full((0, n), np.nan)  # [stack, action], margin in points
        self.left_out: list[LeftOut] = []  # in the order of their elimination

    def spend_playouts(self, playouts: int) -> None:
        """Use about the same number of playouts in each round of the search."""
        self.alive = self.with_also(self.alive[: self.comparable(len(self.alive), playouts)])
        spent, rounds = 0, rounds_of(len(self.alive))
        for number in range(rounds):  # each remaining action has at least one playout in each round
            share = (playouts - spent) // (rounds - number)
            stacks = max(1, share // len(self.alive))
            spent += stacks * len(self.alive)
            self.roll_out(stacks)
            self.halve()

    def spend_time(self, began: float, seconds: float) -> None:
        """Use about the same amount of time in each round of the search. The search ends early if one action is clearly
        the best. If there is only one action to try, it is not rolled out. Otherwise, each compared action is rolled
        out on at least one stack.
        """
        if len(self.with_also(self.alive)) == 1:
            return
        each = self.try_first(began, seconds)  # seconds per playout, as last measured
        now, deadline = time.perf_counter(), began + seconds
        while len(self.alive) > 1:
            actions, rounds = len(self.alive), rounds_of(len(self.alive))
            end = now + (deadline - now) / rounds
            while now + each * actions < end and len(self.alive) == actions:
                stacks = max(1, int(min(CHUNK, end - now) / (each * actions)))
                self.roll_out(stacks)
                before, now = now, time.perf_counter()
                each = (now - before) / (stacks * actions)
                if self.drop_worse():
                    return
            if len(self.alive) == actions:  # no action was eliminated during the round
                if rounds == 1:
                    return
                self.halve()

    def try_first(self, began: float, seconds: float) -> float:
        """Measure the time of a playout, and select the actions to compare. First, the actions with the best heuristic
        values (at most FEW actions) are rolled out on the first stack. The measured time determines how many additional
        actions the search can compare in the remaining time. The additional actions are then rolled out on the first
        stack. Returns the measured time per playout, in seconds.
        """
        near, begun = self.alive, time.perf_counter()
        first = self.alive = near[:FEW]
        self.roll_out(1)
        each = (time.perf_counter() - begun) / len(self.alive)
        every = self.with_also(near[: max(FEW, self.comparable(len(near), int((began + seconds - begun) / each)))])
        self.alive = every[len(first) :]
        if len(self.alive):
            self.searcher.roll_out(self, self.values, 0)
        self.alive = every
        return each

    def with_also(self, alive: np.ndarray) -> np.ndarray:
        """Return the actions in `alive`, followed by the action in `self.also` if `alive` does not contain it.
        `self.also` is empty, or contains an action that the search must try in any case.
        """
        return np.append(alive, self.also[~np.isin(self.also, alive)])

    def comparable(self, answers: int, playouts: int) -> int:
        """Return how many actions a search of `playouts` playouts can compare. The argument `answers` is the number of
        available actions. The search needs enough playouts to roll out each action on at least STACKS stacks in the
        first round.
        """
        if self.searcher.settings.most is None:
            while answers > 2 and playouts < STACKS * answers * rounds_of(answers):
                answers -= 1
        return answers

    def roll_out(self, stacks: int) -> None:
        """Roll out the remaining actions on `stacks` additional stacks."""
        first = len(self.values)
        self.values = np.concatenate([self.values, np.full((stacks, self.values.shape[1]), np.nan)])
        self.searcher.roll_out(self, self.values[first:], first)

    def gains(self) -> tuple[np.ndarray, np.ndarray]:
        """Return two arrays for the remaining actions: the mean gain over the policy's own action, and the standard
        error of this gain.
        """
        gains = self.worths(self.alive) - self.worths(np.array([self.own]))
        return gains.mean(0), self.errors_of(gains)

    def errors(self) -> np.ndarray:
        """Return the standard errors of the mean gains of the remaining actions, in points."""
        return self.errors_of(self.values[:, self.alive] - self.values[:, [self.own]])

    def errors_of(self, gains: np.ndarray) -> np.ndarray:
        """Return the standard errors of the mean gains of the remaining actions."""
        spread = gains.std(0, ddof=1) if len(gains) > 1 else np.where(self.alive == self.own, 0.0, np.inf)
        return np.asarray(spread / math.sqrt(len(gains)))

    def worths(self, which: np.ndarray) -> np.ndarray:
        """Return the quantities by which the search compares actions, with one row for each stack. The argument `which`
        contains the indices of the compared actions. For the aim "margin", the quantities are the margins in `values`.
        For the aim "win", the quantities are the probabilities of winning with the margins in `values`. If the rollouts
        reach the end of the game, the probability is 1 for a win, 0.5 for a tie and 0 for a loss.
        """
        settings, margins = self.searcher.settings, self.values[:, which]
        if settings.aim == "margin":
            return margins
        left = int(self.games[0]["n_deck"] - self.games[0]["n_drawn"]) - settings.depth - 1
        if left < 0:
            return np.asarray(0.5 + np.sign(margins) / 2)
        return chance_to_win(margins, left, scale_of_winning(self.searcher.prices[LEARNED]))

    def drop_worse(self) -> bool:
        """Eliminate the actions that are worse than the best one by at least SURE standard errors. The policy's own
        action is never eliminated. Returns True if the best action is better than every other action by at least SURE
        standard errors.
        """
        worths = self.worths(self.alive)
        if len(worths) < SURE_STACKS:
            return False
        best = worths.mean(0).argmax()
        gaps = worths[:, [best]] - worths
        behind = gaps.mean(0)
        worse = behind >= SURE * gaps.std(0, ddof=1) / math.sqrt(len(gaps))
        worse[best] = False
        leaves = np.flatnonzero(worse & (self.alive != self.own))
        self.eliminate(leaves[np.argsort(behind[leaves], kind="stable")])
        return int(worse.sum()) == len(worse) - 1

    def halve(self) -> None:
        """Eliminate the worse half of the remaining actions. The policy's own action and the best of the other actions
        always remain.
        """
        others = np.flatnonzero(self.alive != self.own)
        order = others[np.argsort(-self.gains()[0][others], kind="stable")]
        self.eliminate(order[max(1, len(order) // 2) :])

    def eliminate(self, leaves: np.ndarray) -> None:
        """Eliminate the actions alive[leaves]. The array `leaves` is sorted, best action first."""
        if len(leaves):
            self.left_out.append(LeftOut(self.alive[leaves], self.errors()[leaves]))
            self.alive = np.delete(self.alive, leaves)

    def found(self, began: float) -> Found:
        """Return all actions that were tried, best first. Only actions that are clearly better than the policy's own
        action are ranked above it. Eliminated actions are ranked below the remaining actions. If the value of an action
        is higher than the value of the action ranked above it, the higher value is replaced by the lower one.
        """
        listed = self.searcher._listed
        if not len(self.values):  # no other action has a heuristic value near the best
            own = listed[[self.own]]
            return Found(own["answer"], own["price"], np.zeros(1), 0, time.perf_counter() - began)
        gains, errors = self.gains()
        doubts = self.searcher.settings.doubt * errors if self.searcher.settings.doubt else np.zeros(len(errors))
        sure = np.where(self.alive == self.own, 0.0, gains - doubts)
        order = np.lexsort((self.alive != self.own, -sure))
        answers, errors = self.alive[order], self.errors()[order]
        for out in reversed(self.left_out):
            answers, errors = np.append(answers, out.answers), np.append(errors, out.errors)
        worth = np.minimum.accumulate(self.margins()[answers])
        playouts = int(np.isfinite(self.values).sum())
        return Found(listed["answer"][answers], worth, errors, playouts, time.perf_counter() - began)

    def margins(self) -> np.ndarray:
        """Return the expected margin after each action. For the policy's own action, the expected margin is the mean
        over all stacks. For any other action, the expected margin is the action's mean gain plus the mean margin of the
        policy's own action. On each stack, the gain of an action is the action's margin minus the margin of the
        policy's own action. The mean gain is the mean over those stacks on which both actions were rolled out.
        """
        gains = self.values - self.values[:, [self.own]]
        tried = np.isfinite(gains)
        means = np.where(tried, gains, 0.0).sum(0) / np.maximum(tried.sum(0), 1)
        return np.asarray(self.values[:, self.own].mean() + means)


def rounds_of(answers: int) -> int:
    """Return the number of rounds for this number of actions: the binary logarithm, rounded up."""
    return math.ceil(math.log2(answers))
