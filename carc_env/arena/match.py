"""Plays matches between two bots. To reduce the effect of luck, the bots play two games with every shuffled stack of
tiles. Each bot begins one of the two games.

In games of more than two players, the bots take alternate seats.
"""

import pickle
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.arena import crew, sequential
from carc_env.bots import Bot, BotError, make
from carc_env.common.arguments import as_count, as_seed, brief
from carc_env.common.renamed import OldName
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.notation.notes import Notes, told_apart
from carc_env.notation.record_files import Recorder
from carc_env.rules.state import NONE
from carc_env.setup.config import GameConfig, as_config

CHUNK = 64  # the maximum number of pairs in a chunk; after each chunk, progress is reported and games are recorded
PATIENCE = 2.0  # the maximum number of seconds that a chunk should take; with slow bots, chunks are smaller
CHEAPER = 0.75  # chunks also grow if the time per pair is below this fraction of the previous chunk's time per pair
Z95 = 1.96  # 95 % of a normal distribution lie within 1.96 standard deviations of its mean


@dataclass(frozen=True)
class MatchResult:
    """The result of a match. Points, margins and win rates are means over all games. The margins and win rates are
    those of bot A.
    """

    a: str
    b: str
    preset: str  # the name of the preset; "custom" if the configuration is not a preset
    pairs: int  # the number of pairs; there are twice as many games
    win_rate_a: float  # bot A's share of the wins; several winners of a game share the win equally
    ci95: tuple[float, float]  # the 95 % interval of `win_rate_a`, see `interval95`
    points_a: float  # bot A's mean points per game and seat
    points_b: float
    margin: float  # `points_a` minus `points_b`
    margin_ci95: tuple[float, float] | None  # the 95 % interval of `margin`, see `margin_interval95`; None for one pair
    illegal: int  # the number of forfeited games, in which a bot returned an illegal action or no action
    seconds_per_move_a: float  # bot A's mean wall-clock time for an action, in seconds
    seconds_per_move_b: float
    agent_a: str | None = None  # the name of the checkpoint that bot A uses; None if it uses no checkpoint
    agent_b: str | None = None
    # the largest acceptable probability of a wrong result of the sequential test; None without a test
    until: float | None = None
    better: str | None = None  # the better bot by the sequential test: "a" or "b"; None while the test is undecided
    margin_anytime_ci95: tuple[float, float] | None = (
        None  # with a probability of at least 1 - `until`, all intervals during a match contain the true mean margin
    )
    players: int = 2
    faults: int = 0  # the number of forfeited games in which a bot failed and returned no action

    margin_always = OldName("margin_always", "margin_anytime_ci95")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dict for JSON."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @property
    def titles(self) -> tuple[str, str]:
        """The names of both bots, each followed by the name of its agent, if any."""
        return titled(self.a, self.agent_a), titled(self.b, self.agent_b)

    def __str__(self) -> str:
        low, high = self.ci95
        a, b = self.titles
        table = f"{self.preset}, {self.players} players" if self.players > 2 else self.preset
        return (
            f"{a} wins {self.win_rate_a:.1%} against {b} (95 % interval {low:.1%} to {high:.1%}), "
            f"{self.points_a:.1f} : {self.points_b:.1f} points, {self.pairs} pairs on {table}{self.forfeits}"
        )

    @property
    def forfeits(self) -> str:
        """A remark on the forfeited games, or an empty string if there are none."""
        if not self.illegal:
            return ""
        if self.illegal == 2 * self.pairs:
            return "; all games were forfeited, and the points are those scored before"
        return f"; {self.illegal} of {2 * self.pairs} games were forfeited, and their points are those scored before"


def titled(bot: str, agent: str | None) -> str:
    """Return the name of a bot, followed by the name of its agent. The agent's name is left out if the bot's name
    already contains it.

    >>> titled("ppo", "goldmines-quick"), titled("ppo:carcassonne-quick", "carcassonne-quick"), titled("greedy", None)
    ('ppo (goldmines-quick)', 'ppo:carcassonne-quick', 'greedy')
    """
    return bot if agent is None or agent in bot else f"{bot} ({agent})"


@dataclass
class Tally:
    """The results of some pairs of games. In each array, index 0 belongs to bot A and index 1 belongs to bot B."""

    wins: list[float] = field(default_factory=list)  # bot A's share of the wins in each pair, from 0 to 1
    margins: list[float] = field(default_factory=list)
    points: np.ndarray = field(default_factory=lambda: np.zeros(2))  # sums over games
    seconds: np.ndarray = field(default_factory=lambda: np.zeros(2))
    moves: np.ndarray = field(default_factory=lambda: np.zeros(2, np.int64))
    illegal: int = 0
    faults: int = 0  # the games of `illegal` in which the bot failed and returned no action
    records: list[dict[str, Any]] = field(default_factory=list)  # the game records, pair by pair, if they are wanted

    def add(self, other: "Tally") -> None:
        """Add the results of further pairs, but not their records."""
        self.wins += other.wins
        self.margins += other.margins
        self.points += other.points
        self.seconds += other.seconds
        self.moves += other.moves
        self.illegal += other.illegal
        self.faults += other.faults


def play_match(
    a: object,
    b: object,
    config: GameConfig | str = "goldmines",
    pairs: int = 100,
    seed: int = 0,
    progress: Callable[[MatchResult], None] | None = None,
    record: Path | str | Callable[[dict[str, Any]], None] | None = None,
    workers: int = 1,
    until: float | None = None,
    backend: str | None = None,
    address: str | None = None,
) -> MatchResult:
    """Play pairs of games between two bots. Both games of a pair have the same stack of tiles. Bot A begins one game of
    a pair, and bot B begins the other game.

    The stack of pair k is shuffled with the seed `seed + k`. With more than two players, the bots take alternate seats:
    A, B, A, B in one game and B, A, B, A in the other. In a game of more than two players, the points of a bot are the
    mean score of its seats. A bot wins a game if one of its seats has the highest score. If several seats share the
    highest score, the win is divided equally among these seats. A bot that plays an illegal action loses the game at
    once. The final scores of a forfeited game are the scores before the illegal action.

    Args:
        a, b: any argument that `carc_env.make_bot` accepts. Each of the two bots has its own seed, which is derived
            from `seed`.
        progress: a function that receives the results so far. This function is called after each chunk (a group of
            pairs that are played at the same time). When Ctrl-C raises KeyboardInterrupt in the caller, `progress` has
            already received the results of all complete chunks.
        record: a file to which the game records are appended as lines, or a function that is called with each record.
            Records are written after each chunk, pair by pair. In each pair of games, the game in which bot A moves
            first is written first. If a bot plays an illegal action, the record of the game ends before this action.
        workers: the number of processes. Results and records do not depend on the number of processes. Each process
            makes its own bots. With two or more processes, `a` and `b` must therefore be strings or objects that can be
            pickled.
        until: if given, the match ends as soon as a sequential test of the margins finds the better bot (see
            `carc_env.arena.sequential`). `until` is the largest acceptable probability of a wrong result, such as 0.05.
            The match has no more than `pairs` pairs, even if the test is still undecided.
        backend: where the workers run. If `backend` is None, Python's standard library starts the workers as processes
            on this machine. With "loky", joblib starts the workers as processes on this machine. With "dask" or "ray",
            the workers run on a cluster. With "loky", "dask" and "ray", a bot can be any function, even one that pickle
            does not support.
        address: the address of Dask's scheduler or of Ray's head node.

    Raises ConfigError, BotError, SeedError, CountError or ArgumentError for an invalid argument. Raises RecordError if
    a file cannot be written. Raises ImportError if a backend is not installed.

    >>> play_match("random", "random", "base", pairs=2).pairs
    2
    """
    name, config = config if isinstance(config, str) else "custom", as_config(config)
    pairs, seed, workers = as_count(pairs, "pairs", 1), as_seed(seed), as_count(workers, "workers", 1)
    as_seed(seed + pairs - 1)
    until = None if until is None else sequential.as_error(until)
    if backend is not None or address is not None:
        crew.check(backend or "loky", address)
    sides = Sides(a, b, config, seed, record is not None)
    bots, tally = sides.bots(), Tally()
    recording: Any = nullcontext(record) if record is None or callable(record) else Recorder(record)
    most = CHUNK if until is None else sequential.LOOK
    if backend is None:
        playing = played(sides, bots, pairs, workers, most)
    else:
        playing = crew.in_order(play_by_crew, jobs(sides, pairs, workers, most), backend, workers, address)
    with recording as keep, closing(playing) as parts:
        for chunk in parts:
            for game in chunk.records if keep else ():
                keep(game)
            tally.add(chunk)
            result = figures(bots, name, config, tally, until)
            if progress:
                progress(result)
            if result.better:
                break
    return result


@dataclass(frozen=True)
class Sides:
    """The data that a process needs to play some pairs of a match."""

    a: object
    b: object
    config: GameConfig
    seed: int  # the seed of the match
    is_recorded: bool

    def bots(self) -> tuple[Bot, Bot]:
        """Return both bots. Each bot has already chosen one action, so its code is compiled. Later measurements of the
        bot's thinking time therefore do not include the compilation.
        """
        bots = make(self.a, own_seed(self.seed, 0)), make(self.b, own_seed(self.seed, 1))
        for bot in bots:
            bot.ask(Games(self.config, 1, [self.seed]), strict=False)
        return bots


def played(
    sides: Sides, bots: tuple[Bot, Bot], pairs: int, workers: int, most: int = CHUNK
) -> Generator[Tally, None, None]:
    """Play a match chunk by chunk, and yield the results of each chunk.

    If `most` is less than CHUNK, the size of the chunks does not depend on the duration of the games: each chunk has
    `most` pairs, and the last chunk has the remaining pairs. With chunks of a fixed size, a caller sees the same
    intermediate results in every run.
    """
    if workers == 1:
        for seeds in chunks(sides.seed, pairs) if most == CHUNK else equal_chunks(sides.seed, pairs, most):
            yield play_chunk(bots, sides.config, seeds, sides.is_recorded)
        return
    check_pickles(sides)
    parts = jobs(sides, pairs, workers, most)
    yield from crew.in_processes(play_by_crew, parts, min(workers, len(parts)))


def jobs(sides: Sides, pairs: int, workers: int, most: int) -> list[tuple[Sides, range]]:
    """Return the chunks of pairs for the workers. Chunks for several workers are smaller than chunks for one worker,
    because most matches with several workers are between slow bots.
    """
    size = min(CHUNK // 4, -(-pairs // (2 * workers))) if most == CHUNK else most
    return [(sides, seeds) for seeds in equal_chunks(sides.seed, pairs, size)]


def play_by_crew(sides: Sides, seeds: range) -> Tally:
    """Make the bots, play one chunk of pairs in the current process, and return the results."""
    return play_chunk(sides.bots(), sides.config, seeds, sides.is_recorded)


def check_pickles(sides: Sides) -> None:
    """Check that the bots can be pickled for other processes. Raises BotError."""
    for bot in (sides.a, sides.b):
        try:
            pickle.dumps(bot)
        except Exception as error:  # noqa: BLE001 - a user's class may raise any exception
            raise BotError(
                f"bot {brief(bot)} cannot be sent to other processes: {error}; give it as '<module>:<Class>', or "
                "play with workers = 1"
            ) from None


def chunks(seed: int, pairs: int) -> Iterator[range]:
    """Yield the seeds of the pairs in chunks. The first chunk has only one pair, and the second has two. After a quick
    chunk, the next chunk is twice as large. The next chunk is also twice as large if the last chunk clearly reduced the
    time per pair. Otherwise, the next chunk is half as large. A chunk has at most CHUNK pairs. If a chunk clearly
    reduces the time per pair, all later chunks have at least the size of this chunk, as long as enough pairs remain.
    Large chunks can save time: for example, a large network on a GPU can need the same time for 64 pairs as for one
    pair.
    """
    first, size, least, before = 0, 1, 1, np.inf
    while first < pairs:
        began = time.perf_counter()
        yield range(seed + first, seed + min(first + size, pairs))
        took = time.perf_counter() - began
        first += size
        is_cheaper, before = took / size < CHEAPER * before, took / size
        least = size if is_cheaper else least
        size = min(2 * size, CHUNK) if is_cheaper or took < PATIENCE / 2 else max(least, size // 2)


def equal_chunks(seed: int, pairs: int, size: int) -> list[range]:
    """Return the seeds of the pairs in chunks of equal size. The last chunk may be smaller."""
    return [range(seed + first, seed + min(first + size, pairs)) for first in range(0, pairs, size)]


def own_seed(seed: int, side: int) -> int:
    """Return the seed of one bot of a match. The two bots have different seeds. With equal seeds, two copies of one bot
    would play both games of a pair identically.
    """
    return int(np.random.SeedSequence([seed, side]).generate_state(1, np.uint64)[0])


def play_chunk(bots: tuple[Bot, Bot], config: GameConfig, seeds: range, is_recorded: bool = False) -> Tally:
    """Play one pair of games for each seed, with all games in parallel. Returns the results."""
    n, tally = len(seeds), Tally()
    games = Games(config, 2 * n, [*seeds, *seeds])
    sides = (np.arange(config.players) + np.repeat([[0], [1]], n, axis=0)) % 2  # 0 for seats of bot A, 1 for bot B
    loser = np.full(2 * n, NONE)  # for each game: the bot that forfeited it (0 or 1), or NONE
    asked_last = np.full(2 * n, NONE)  # for each game: the player who forfeited it, or NONE
    while True:
        asked = np.where(loser == NONE, games.players, NONE)
        if (asked == NONE).all():
            break
        due = np.where(asked == NONE, NONE, sides[np.arange(2 * n), asked])
        for side, bot in enumerate(bots):
            which = np.flatnonzero(due == side)
            if len(which):
                faulty = answer_all(bot, games, which, side, tally)
                loser[faulty], asked_last[faulty] = side, asked[faulty]
                tally.illegal += len(faulty)
    count(games.scores, sides, loser, tally)
    if is_recorded:
        tally.records = [
            recorded(games.game(i), seed, [bots[side].name for side in sides[i]], int(asked_last[i]))
            for k, seed in enumerate(seeds)
            for i in (k, n + k)
        ]
    return tally


def recorded(game: Game, seed: int, names: Sequence[str], forfeit: int) -> dict[str, Any]:
    """Return the record of a game with the names of its players. `forfeit` is the player who forfeited the game, or
    NONE.
    """
    game.notes = Notes(told_apart(names), None if forfeit == NONE else forfeit)
    return game.record() | {"seed": seed}


def answer_all(bot: Bot, games: Games, which: np.ndarray, side: int, tally: Tally) -> np.ndarray:
    """Let the bot act in the games whose indices are in `which`. Returns the indices of the games in which the bot's
    action is illegal.
    """
    began = time.perf_counter()
    actions = bot.ask(games, which, strict=False)
    tally.seconds[side] += time.perf_counter() - began
    tally.moves[side] += len(which)
    is_refused = ~games.step_if_legal(actions, which)
    tally.faults += int((actions[is_refused] == NONE).sum())
    refused: np.ndarray = which[is_refused]
    return refused


def count(scores: np.ndarray, sides: np.ndarray, loser: np.ndarray, tally: Tally) -> None:
    """Add the results of n pairs of finished games to the tally. For each i, game i and game i + n form a pair. For
    each seat, the array `sides` holds 0 if bot A has the seat and 1 if bot B has it.
    """
    is_a, is_first = sides == 0, scores == scores.max(1, keepdims=True)
    points = np.stack([np.mean(scores, 1, where=is_a), np.mean(scores, 1, where=~is_a)], 1)
    margin = points[:, 0] - points[:, 1]
    win = np.where(loser == NONE, (is_first & is_a).sum(1) / is_first.sum(1), loser)
    tally.wins += win.reshape(2, -1).mean(0).tolist()
    tally.margins += margin.reshape(2, -1).mean(0).tolist()
    tally.points += points.sum(0)


def figures(
    bots: tuple[Bot, Bot], name: str, config: GameConfig, tally: Tally, until: float | None = None
) -> MatchResult:
    """Return the result of the games played so far."""
    pairs = len(tally.wins)
    points_a, points_b = (tally.points / (2 * pairs)).tolist()
    seconds_a, seconds_b = (tally.seconds / np.maximum(tally.moves, 1)).tolist()
    return MatchResult(
        bots[0].name,
        bots[1].name,
        name,
        pairs,
        float(np.mean(tally.wins)),
        interval95(tally.wins),
        points_a,
        points_b,
        float(np.mean(tally.margins)),
        margin_interval95(tally.margins),
        tally.illegal,
        seconds_a,
        seconds_b,
        bots[0].agent_for(config),
        bots[1].agent_for(config),
        until,
        None if until is None else sequential.better_bot(tally.margins, tally.wins, tally.illegal, until),
        None if until is None else sequential.interval(tally.margins, until),
        config.players,
        tally.faults,
    )


def margin_interval95(margins: list[float]) -> tuple[float, float] | None:
    """Return a 95 % confidence interval for the expected margin of a pair, computed by a normal approximation. Return
    None if there is only one pair.
    """
    if len(margins) < 2:
        return None
    middle, spread = float(np.mean(margins)), Z95 * float(np.std(margins, ddof=1)) / len(margins) ** 0.5
    return middle - spread, middle + spread


def interval95(results: list[float]) -> tuple[float, float]:
    """Return a 95 % confidence interval for the expected result of a pair. The result of a pair is a number from 0
    (both games lost) to 1 (both games won).

    The two games of a pair have the same stack of tiles, so the independent trials are pairs, not games. Two won pairs
    and two lost pairs are added before the normal interval is computed ("plus four", Agresti and Coull 1998). With
    these four pairs, the interval has a positive length even if all results are equal.

    >>> [round(end, 3) for end in interval95([1.0] * 100)]
    [0.954, 1.0]
    """
    padded = np.array([*results, 0.0, 0.0, 1.0, 1.0])
    middle, spread = padded.mean(), Z95 * padded.std() / len(padded) ** 0.5
    return max(0.0, float(middle - spread)), min(1.0, float(middle + spread))
