"""Rates bots in a ladder. The bots play pairs of games, and the results determine ratings on a common scale.

The results are saved after every few pairs of games (see `ladder_file`). You can stop a ladder at any time, continue it
later, and add more bots or pairs. Every pair of games has its own shuffled stack of tiles, so all pairs are
independent.
"""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from carc_env.arena import crew, sequential
from carc_env.arena.ladder_file import Journal, Meeting, Settings, Two
from carc_env.arena.match import Sides, Tally, interval95, margin_interval95, play_by_crew
from carc_env.arena.ratings import is_connected, ratings
from carc_env.bots import make
from carc_env.common.arguments import as_count, as_seed, brief
from carc_env.common.errors import ArgumentError
from carc_env.setup.config import GameConfig, as_config

PIECE = 4  # the number of pairs of games in a chunk; after each chunk, results are saved, and `until` is checked
START = 1000.0  # the fixed rating of `greedy`, or of the first bot if `greedy` does not take part

Show = Callable[[int, int], None]  # called with the number of pairs played and the total number of pairs


@dataclass(frozen=True)
class Standing:
    """A bot's place on the ladder."""

    rank: int
    bot: str
    rating: float  # on the Elo scale
    rating_ci95: tuple[float, float]  # the 95 % interval of `rating`, assuming that the fixed rating is exact
    games: int
    wins: float  # the number of games won; a tie counts half
    margin: float  # the mean margin over all games of this bot
    seconds_per_move: float


@dataclass(frozen=True)
class Played:
    """The results of the games between two bots, from the perspective of bot A."""

    a: str
    b: str
    pairs: int
    win_rate_a: float
    ci95: tuple[float, float]
    margin: float
    margin_ci95: tuple[float, float] | None
    illegal: int
    # the better bot according to the sequential test, "a" or "b"; None if the test is undecided, or if `until` is None
    better: str | None


@dataclass(frozen=True)
class Ladder:
    """The standings of all bots, best first, and the results of all match-ups."""

    preset: str
    seed: int
    pairs: int  # the maximum number of pairs in a match-up of two bots
    until: float | None
    neighbours: int | None
    standings: tuple[Standing, ...]
    played: tuple[Played, ...]
    players: int = 2

    def to_dict(self) -> dict[str, Any]:
        """Return the ladder as a dict for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Plan:
    """The plan of a ladder: the bots, the match-ups and the number of pairs of games."""

    specs: tuple[str, ...]  # from the weakest to the strongest bot if `neighbours` is set
    config: GameConfig
    pairs: int
    seed: int
    until: float | None
    neighbours: int | None

    def twos(self) -> list[Two]:
        """Return all match-ups, each as the specs of two bots."""
        reach = self.neighbours or len(self.specs)
        return [two_of(a, b) for place, a in enumerate(self.specs) for b in self.specs[place + 1 : place + 1 + reach]]

    def is_decided(self, meeting: Meeting) -> bool:
        """True if two bots need no further games, because a sequential test has found the better bot."""
        return self.until is not None and meeting.better(self.until) is not None

    def total(self, journal: Journal) -> int:
        """Return the total number of pairs of games. With `until`, the total is an upper limit, because a sequential
        test can end match-ups early.
        """
        meetings = map(journal.meeting, self.twos())
        return sum(len(one.wins) if self.is_decided(one) else max(self.pairs, len(one.wins)) for one in meetings)


class Piece(NamedTuple):
    """A chunk: a few pairs of games between two bots. The pairs of a chunk are played and saved together."""

    two: Two
    numbers: range  # the indices of the chunk's pairs; the first pair of the match-up has the index 0

    def job(self, plan: Plan) -> tuple[Sides, range]:
        """Return the arguments with which `play_by_crew` plays this chunk."""
        seed = seed_of(plan.seed, self.two)
        seeds = range(seed + self.numbers.start, seed + self.numbers.stop)
        return Sides(*self.two, plan.config, seed, False), seeds


def play_ladder(
    specs: Sequence[str],
    config: GameConfig | str = "goldmines",
    pairs: int = 100,
    seed: int = 0,
    until: float | None = None,
    neighbours: int | None = None,
    workers: int = 1,
    folder: PathLike[str] | str = "runs/ladder",
    progress: Show | None = None,
    name: str | None = None,
    backend: str | None = None,
    address: str | None = None,
) -> Ladder:
    """Let bots play pairs of games, and rate the bots. Games are not played again if the folder already contains their
    results.

    Args:
        specs: strings that `carc_env.make_bot` accepts. If `neighbours` is given, the bots must be listed from the
            weakest to the strongest.
        pairs: the number of pairs of games in each match-up of two bots.
        until: if given, a match-up ends as soon as a sequential test finds the better bot. `until` is the largest
            acceptable probability of a wrong result, such as 0.05.
        neighbours: a number n. Each bot plays only against the n bots before it and the n bots after it in the list
            `specs`. If `neighbours` is None, every bot plays against every other bot.
        workers: the number of processes. The ratings do not depend on the number of processes.
        folder: the folder to which all results are written.
        progress: a function that is called at the start and after every few pairs. The arguments of `progress` are the
            number of pairs played and the total number of pairs.
        name: the name of the configuration in the results.
        backend, address: where the workers run, as in `carc_env.arena.match.play_match`.

    Raises ConfigError if the configuration or the backend is invalid, or if the folder holds games with other settings.
    Raises BotError for an unknown bot, SeedError for an invalid seed, and CountError for a number out of range. Raises
    ArgumentError if `specs` or `until` is invalid. Raises FileError if the folder cannot be used. Raises ImportError if
    the backend is not installed.
    """
    title, config = name or (config if isinstance(config, str) else "custom"), as_config(config)
    plan = plan_of(specs, config, pairs, seed, until, neighbours)
    workers = as_count(workers, "workers", 1)
    if backend is not None or address is not None:
        crew.check(backend or "loky", address)
    with Journal(Path(folder), Settings(title, config.to_toml(), plan.seed)) as journal:

        def tell() -> None:
            if progress:
                progress(sum(len(journal.meeting(two).wins) for two in plan.twos()), plan.total(journal))

        tell()
        if backend is None:
            play_pieces(plan, journal, workers, tell)
        else:
            with crew.crew(backend, workers, address):
                hand_out_pieces(plan, journal, workers, tell)
        return rated(plan, title, journal)


def plan_of(
    specs: Sequence[str], config: GameConfig, pairs: int, seed: int, until: float | None, neighbours: int | None
) -> Plan:
    """Check the arguments, and return the plan that they define."""
    for spec in specs:
        if not isinstance(spec, str):
            raise ArgumentError(f"bot {brief(spec)}: a ladder needs the spec of each bot as a string")
        make(spec, 0)
    if len(specs) < 2 or len(set(specs)) < len(specs):
        raise ArgumentError(f"bots = {brief(list(specs))}: a ladder needs at least two bots, all different")
    pairs = as_count(pairs, "pairs", 1)
    as_seed(seed)
    until = None if until is None else sequential.as_error(until)
    neighbours = None if neighbours is None else as_count(neighbours, "neighbours", 1)
    return Plan(tuple(specs), config, pairs, seed, until, neighbours)


def two_of(a: str, b: str) -> Two:
    """Return the specs of two bots in alphabetical order. The results are stored under this pair of specs."""
    return (a, b) if a < b else (b, a)


def seed_of(seed: int, two: Two) -> int:
    """Return the seed of the first pair of games between two bots. The seed is a hash of `seed` and the specs of both
    bots, so different match-ups use different stacks.

    >>> seed_of(0, ("greedy", "random")) < 2**63
    True
    """
    words = [seed, *"\n".join(two).encode()]
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0]) >> 1


# --- playing ----------------------------------------------------------------------------------------------------------
def play_pieces(plan: Plan, journal: Journal, workers: int, tell: Callable[[], None]) -> None:
    """Play all pairs of games that have not been played yet. The pairs are played in small chunks (`Piece`). The
    results of each chunk are saved as soon as they are known.
    """
    if workers == 1:
        while piece := next_piece(plan, journal):
            journal.add(piece.two, piece.numbers.start, play_by_crew(*piece.job(plan)))
            tell()
        return
    waiting = dict[Future[Tally], Piece]()
    with crew.processes(workers) as pool:
        while True:
            while len(waiting) < workers and (piece := next_piece(plan, journal, waiting.values())):
                with crew.ctrl_c_held():  # `submit` may start a worker process, in which Ctrl-C is blocked at first
                    waiting[pool.submit(crew.interruptible, play_by_crew, *piece.job(plan))] = piece
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                piece = waiting.pop(future)
                journal.add(piece.two, piece.numbers.start, future.result())
                tell()


def hand_out_pieces(plan: Plan, journal: Journal, workers: int, tell: Callable[[], None]) -> None:
    """Let the workers of a backend play all pairs of games that have not been played yet. The pairs are sent to the
    workers in rounds of chunks (`Piece`). A round has at most `2 * workers` chunks, and begins when the previous round
    is done. The results of each chunk are saved as soon as they are known.
    """
    while pieces := next_pieces(plan, journal, 2 * workers):
        for piece, tally in zip(pieces, crew.results(play_by_crew, [piece.job(plan) for piece in pieces])):
            journal.add(piece.two, piece.numbers.start, tally)
            tell()


def next_pieces(plan: Plan, journal: Journal, most: int) -> list[Piece]:
    """Return at most `most` chunks of pairs to play next. These chunks can be played at the same time."""
    pieces: list[Piece] = []
    while len(pieces) < most and (piece := next_piece(plan, journal, pieces)):
        pieces.append(piece)
    return pieces


def next_piece(plan: Plan, journal: Journal, waiting: Collection[Piece] = ()) -> Piece | None:
    """Return the next chunk of pairs to play, or None if no pairs are left to start. The chunk belongs to the match-up
    with the fewest games so far. `waiting` contains the chunks that have been started but have not been saved yet.

    With `until`, a match-up has at most one chunk in progress. Therefore, the sequential test is applied after each
    chunk, and the number of pairs played does not depend on the speed of the workers.
    """
    due: list[tuple[int, Piece]] = []
    for two in plan.twos():
        played = set(journal.meeting(two).wins)
        begun = {number for piece in waiting if piece.two == two for number in piece.numbers}
        if plan.until is not None and (begun or plan.is_decided(journal.meeting(two))):
            continue
        if numbers := missing(played | begun, plan.pairs):
            due.append((len(played | begun), Piece(two, numbers)))
    return min(due, key=lambda entry: entry[0])[1] if due else None


def missing(played: Collection[int], pairs: int) -> range:
    """Return the indices of the pairs to play next. The range starts at the first missing pair. The range ends before
    the smallest of three indices: the index of the next pair that has been played, the next multiple of PIECE, and
    `pairs`.

    >>> missing({0, 1, 2, 3, 4}, 20), missing({0, 1, 2, 3}, 6), missing({0, 1}, 2)
    (range(5, 8), range(4, 6), range(2, 2))
    """
    first = next((number for number in range(pairs) if number not in played), pairs)
    end = min(pairs, (first // PIECE + 1) * PIECE)
    return range(first, next((number for number in range(first, end) if number in played), end))


# --- rating -----------------------------------------------------------------------------------------------------------
def rated(plan: Plan, title: str, journal: Journal) -> Ladder:
    """Return the ladder, computed from all games that the bots of the plan have played against each other."""
    numbers = {spec: number for number, spec in enumerate(plan.specs)}
    meetings = {two: one for two, one in sorted(journal.meetings.items()) if one.wins and set(two) <= set(plan.specs)}
    results = {(numbers[a], numbers[b]): one.in_order()[0] for (a, b), one in meetings.items()}
    if not is_connected(results, len(plan.specs)):
        raise ArgumentError(
            "the bots cannot be rated on one scale, because some of them are not connected by a chain of games"
        )
    anchor = numbers.get("greedy", 0)
    found, intervals = ratings(results, len(plan.specs), anchor)
    places = sorted(range(len(plan.specs)), key=lambda place: -found[place])
    standings = [
        standing(rank, plan.specs[place], START + found[place], START + intervals[place], meetings)
        for rank, place in enumerate(places, 1)
    ]
    told = [played_by(two, one, plan.until) for two, one in meetings.items()]
    return Ladder(
        title, plan.seed, plan.pairs, plan.until, plan.neighbours, tuple(standings), tuple(told), plan.config.players
    )


def standing(rank: int, bot: str, rating: float, interval: np.ndarray, meetings: dict[Two, Meeting]) -> Standing:
    """Return a bot's place on the ladder, with its results over all its games."""
    own = [(one, two.index(bot)) for two, one in meetings.items() if bot in two]
    games = 2 * sum(len(one.wins) for one, _ in own)
    won = 2 * sum(abs(side * len(one.wins) - sum(one.wins.values())) for one, side in own)
    margin = 2 * sum((1 - 2 * side) * sum(one.margins.values()) for one, side in own)
    seconds, moves = (sum(float(getattr(one, what)[side]) for one, side in own) for what in ("seconds", "moves"))
    low, high = interval.tolist()
    return Standing(rank, bot, float(rating), (low, high), games, won, margin / games, seconds / max(1.0, moves))


def played_by(two: Two, one: Meeting, until: float | None) -> Played:
    """Return the results of two bots against each other."""
    wins, margins = one.in_order()
    return Played(
        *two,
        len(wins),
        float(np.mean(wins)),
        interval95(wins),
        float(np.mean(margins)),
        margin_interval95(margins),
        one.illegal,
        None if until is None else one.better(until),
    )
