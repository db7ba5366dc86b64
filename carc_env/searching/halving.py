"""Sequential halving: the promising answers are rolled out on the same redrawn stacks, and after each round the worse
half of them is left out (Karnin, Koren and Somekh 2013).

The policy's own answer stays to the end. Another one takes its place only where it is clearly better, stack by stack:
by more than `doubt` standard errors of the difference. What hidden chips bring is mostly chance, which would otherwise
be taken for gain.
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
from carc_env.searching.rollouts import LISTED, list_answers, promising, roll_out_all, room_for

CHUNK = 0.002  # seconds of work between two looks at the clock
MOST = 8  # answers that are looked at where the budget allows it
FEW = 4  # answers that are tried first where the budget is a time, to see how many playouts it holds
STACKS = 2  # on which an answer is tried before it may be left out, where the budget decides how many are looked at


@dataclass(frozen=True)
class Settings:
    """How answers are rolled out."""

    depth: int = 4  # tiles that are played after the one of the answer
    most: int | None = None  # answers that are looked at; None: as many as the budget can compare, MOST at most
    near: float = 8.0  # points by which their price may lie below the best
    doubt: float = 0.5  # standard errors that a gain has to exceed
    aim: str = "margin"  # what is compared: "margin", points less the best other player's, or "win", the chance to win


@dataclass(frozen=True)
class Found:
    """What a search has found."""

    answers: np.ndarray  # ids of the answers that were looked at, int64[k], best first
    values: np.ndarray  # the margin in points to expect after each, float64[k]
    errors: np.ndarray  # standard errors of the gains over the policy's own answer, float64[k]
    playouts: int
    seconds: float


class LeftOut(NamedTuple):
    """The answers that one round has left out, the best first."""

    answers: np.ndarray  # their numbers
    errors: np.ndarray  # standard errors of their gains over the policy's own answer


class Searcher:
    """Searches one question at a time.

    Args:
        prices: array of one PRICES record, those of the policy.
        settings: how answers are rolled out.
        threads: how many threads roll out at a time.
    """

    def __init__(self, prices: np.ndarray, settings: Settings | None = None, threads: int = 1):
        self.prices, self.settings, self.threads = prices, settings or Settings(), threads
        self._listed = np.zeros(MAX_ANSWERS, LISTED)
        self._rooms: dict[np.dtype, list[tuple[np.ndarray, np.ndarray]]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def search(self, games: np.ndarray, seed: np.ndarray, playouts: int = 0, ms: float = 0.0) -> Found:
        """Search the question of games[0], which stays as it is, with so many playouts, or milliseconds. `seed` is two
        words.
        """
        began = time.perf_counter()
        n = list_answers(games, tile_table(), self.prices, *self.rooms(games.dtype)[0], self._listed)
        prices = self._listed["price"][:n]
        near = promising(prices, self.settings.most or MOST, self.settings.near)
        search = _Search(self, games, seed, near, n)
        if playouts:
            search.spend_playouts(playouts)
        else:
            search.spend_time(began, ms / 1000)
        return search.found(began)

    def rooms(self, dtype: np.dtype) -> list[tuple[np.ndarray, np.ndarray]]:
        """Room to work in for each thread."""
        if dtype not in self._rooms:
            self._rooms[dtype] = [room_for(dtype) for _ in range(self.threads)]
        return self._rooms[dtype]

    def roll_out(self, search: "_Search", values: np.ndarray, first: int) -> None:
        """Roll out the answers that are left on stacks number `first` on; writes to values[stack, answer]."""
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
        """For pickle and copies: the room is made anew."""
        return {"prices": self.prices.tobytes(), "settings": self.settings, "threads": self.threads}

    def __setstate__(self, state: dict[str, Any]) -> None:
        prices = np.frombuffer(bytearray(state["prices"]), PRICES)
        self.__init__(prices, state["settings"], state["threads"])  # type: ignore[misc]


class _Search:
    """One search: the answers that are still in it, and what each was worth, stack by stack."""

    def __init__(self, searcher: Searcher, games: np.ndarray, seed: np.ndarray, alive: np.ndarray, n: int):
        self.searcher, self.games, self.seed = searcher, games, seed
        self.own, self.alive = int(alive[0]), alive  # numbers of answers: the policy's, and those that are left
        self.values = np.full((0, n), np.nan)  # [stack, answer], margin in points
        self.left_out: list[LeftOut] = []  # round by round

    def spend_playouts(self, playouts: int) -> None:
        """Each round gets the same share."""
        self.alive = self.alive[: self.comparable(len(self.alive), playouts)]
        spent, rounds = 0, rounds_of(len(self.alive))
        for number in range(rounds):
            share = (playouts - spent) // (rounds - number)
            stacks = max(1, share // len(self.alive))
            spent += stacks * len(self.alive)
            self.roll_out(stacks)
            self.halve()

    def spend_time(self, began: float, seconds: float) -> None:
        """Each round gets the same share; at least one stack is tried."""
        if len(self.alive) == 1:
            return
        each = self.try_first(began, seconds)  # seconds of a playout, as measured last
        now, rounds = time.perf_counter(), rounds_of(len(self.alive))
        for number in range(rounds):
            end = began + seconds * (number + 1) / rounds
            while now + each * len(self.alive) < end:
                stacks = max(1, int(min(CHUNK, end - now) / (each * len(self.alive))))
                self.roll_out(stacks)
                before, now = now, time.perf_counter()
                each = (now - before) / (stacks * len(self.alive))
            self.halve()

    def try_first(self, began: float, seconds: float) -> float:
        """Try the best prices on the first stack, then as many more answers as the time can compare. Returns the seconds
        that a playout took.
        """
        near, begun = self.alive, time.perf_counter()
        self.alive = near[:FEW]
        self.roll_out(1)
        each = (time.perf_counter() - begun) / len(self.alive)
        self.alive = near[FEW : self.comparable(len(near), int((began + seconds - begun) / each))]
        if len(self.alive):
            self.searcher.roll_out(self, self.values, 0)
        self.alive = near[: FEW + len(self.alive)]
        return each

    def comparable(self, answers: int, playouts: int) -> int:
        """How many of the answers so many playouts can compare: each on STACKS stacks before the first round ends."""
        if self.searcher.settings.most is None:
            while answers > 2 and playouts < STACKS * answers * rounds_of(answers):
                answers -= 1
        return answers

    def roll_out(self, stacks: int) -> None:
        """Roll out the answers that are left on so many further stacks."""
        first = len(self.values)
        self.values = np.concatenate([self.values, np.full((stacks, self.values.shape[1]), np.nan)])
        self.searcher.roll_out(self, self.values[first:], first)

    def gains(self) -> tuple[np.ndarray, np.ndarray]:
        """How much more the answers that are left are worth than the policy's own, and the standard errors."""
        worths = self.values if self.searcher.settings.aim == "margin" else self.chances()
        gains = worths[:, self.alive] - worths[:, [self.own]]
        spread = gains.std(0, ddof=1) if len(gains) > 1 else np.where(self.alive == self.own, 0.0, np.inf)
        return gains.mean(0), spread / math.sqrt(len(gains))

    def chances(self) -> np.ndarray:
        """The chance to win that each margin means."""
        tiles_left = int(self.games[0]["n_deck"] - self.games[0]["n_drawn"])
        return chance_to_win(self.values, tiles_left, scale_of_winning(self.searcher.prices[LEARNED]))

    def halve(self) -> None:
        """The better half stays, and the policy's own answer."""
        gains, errors = self.gains()
        order = np.argsort(-gains, kind="stable")
        stays = np.zeros(len(order), bool)
        stays[order[: max(1, len(order) // 2)]] = True
        stays |= self.alive == self.own
        worse = order[~stays[order]]
        self.left_out.append(LeftOut(self.alive[worse], errors[worse]))
        self.alive = self.alive[stays]

    def found(self, began: float) -> Found:
        """All answers that were looked at. Another one than the policy's own comes first where it is clearly better;
        those that were left out come after those that stayed. None is said to be worth more than one before it.
        """
        listed = self.searcher._listed
        if not len(self.values):  # a single answer is near the best price
            own = listed[[self.own]]
            return Found(own["answer"], own["price"], np.zeros(1), 0, time.perf_counter() - began)
        gains, errors = self.gains()
        sure = np.where(self.alive == self.own, 0.0, gains - self.searcher.settings.doubt * errors)
        order = np.lexsort((self.alive != self.own, -sure))
        answers, errors = self.alive[order], errors[order]
        for out in reversed(self.left_out):
            answers, errors = np.append(answers, out.answers), np.append(errors, out.errors)
        worth = np.minimum.accumulate(self.margins()[answers])
        playouts = int(np.isfinite(self.values).sum())
        return Found(listed["answer"][answers], worth, errors, playouts, time.perf_counter() - began)

    def margins(self) -> np.ndarray:
        """The margin to expect after each answer: that of the policy's own, and the gain on the stacks of both."""
        gains = self.values - self.values[:, [self.own]]
        tried = np.isfinite(gains)
        means = np.where(tried, gains, 0.0).sum(0) / np.maximum(tried.sum(0), 1)
        return np.asarray(self.values[:, self.own].mean() + means)


def rounds_of(answers: int) -> int:
    """How many rounds there are until one answer is left beside the policy's."""
    return math.ceil(math.log2(answers))
