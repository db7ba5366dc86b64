"""Matches between two bots: every deck is played twice, each bot beginning once, so that luck of the draw cancels out."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from carc_env.bots import Bot, make
from carc_env.config import ConfigError, GameConfig, as_config
from carc_env.games import Games
from carc_env.gate import seed_words
from carc_env.rules.state import NONE

CHUNK = 64  # pairs played side by side; progress is told and Ctrl-C is heard after each chunk
Z95 = 1.96  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class MatchResult:
    """What came out of a match; points, margin and rates are seen from bot A and are means over all games."""

    a: str
    b: str
    preset: str  # a preset's name, "custom" for another configuration
    pairs: int  # pairs played: twice as many games
    win_rate_a: float  # a draw counts half
    ci95: tuple[float, float]  # 95 % interval of win_rate_a, see `interval95`
    points_a: float
    points_b: float
    margin: float  # points of A less points of B
    margin_ci95: tuple[float, float] | None  # normal interval over pairs; None for a single pair
    illegal: int  # answers of both bots that were not legal; each lost its game
    seconds_per_move_a: float  # wall time in choose_batch per answer
    seconds_per_move_b: float

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON knows them."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    def __str__(self) -> str:
        low, high = self.ci95
        return (f"{self.a} wins {self.win_rate_a:.1%} against {self.b} (95 % interval {low:.1%} to {high:.1%}), "
                f"{self.points_a:.1f} : {self.points_b:.1f} points, {self.pairs} pairs on {self.preset}")


@dataclass
class Tally:
    """The figures of all pairs played so far. Index 0 is bot A, 1 is bot B."""

    wins: list[float]  # of A in each pair: the mean of its two games
    margins: list[float]
    points: np.ndarray  # float[2]: sums over games
    seconds: np.ndarray  # float[2]
    moves: np.ndarray  # int[2]
    illegal: int

    @classmethod
    def empty(cls) -> "Tally":
        """Nothing played yet."""
        return cls([], [], np.zeros(2), np.zeros(2), np.zeros(2, np.int64), 0)


def play_match(a: str | Bot, b: str | Bot, config: GameConfig | str = "goldmines", pairs: int = 100, seed: int = 0,
               progress: Callable[[MatchResult], None] | None = None) -> MatchResult:
    """Play pairs of two-player games between two bots: A begins one game of a pair, B the other, same deck.

    The deck of pair k is that of seed `seed + k`. An answer that is not legal loses the game on the spot; the points
    stay as they stand on the track. `progress` gets the figures so far after each chunk of pairs. Ctrl-C
    (KeyboardInterrupt) reaches the caller, who has then had the figures up to the last whole chunk.

    Raises ConfigError for other than two players, BotError, SeedError, or ValueError for a number of pairs below 1.

    >>> play_match("random", "random", "base", pairs=2).pairs
    2
    """
    name, config = config if isinstance(config, str) else "custom", as_config(config)
    if config.players != 2:
        raise ConfigError(f"players = {config.players}: a match is between two bots, so 2 players are needed")
    if pairs < 1:
        raise ValueError(f"pairs = {pairs}: at least one pair is needed")
    seed_words([seed, seed + pairs - 1])
    bots = make(a, own_seed(seed, 0)), make(b, own_seed(seed, 1))
    for bot in bots:  # so that compiling is not counted as thinking
        bot.ask(Games(config, 1, [seed]), strict=False)
    tally, result = Tally.empty(), None
    for first in range(0, pairs, CHUNK):
        play_chunk(bots, config, range(seed + first, seed + min(first + CHUNK, pairs)), tally)
        result = figures(bots, name, tally)
        if progress:
            progress(result)
    return result


def own_seed(seed: int, side: int) -> int:
    """A seed for each bot of a match, so that two of the same kind do not play the same game twice."""
    return int(np.random.SeedSequence([seed, side]).generate_state(1, np.uint64)[0])


def play_chunk(bots: tuple[Bot, Bot], config: GameConfig, seeds: range, tally: Tally) -> None:
    """Play one pair for each seed, all games side by side, and add them to the tally."""
    n = len(seeds)
    games = Games(config, 2 * n, [*seeds, *seeds])
    seats = np.repeat([[0, 1], [1, 0]], n, axis=0)  # of A and B in each game: A begins the first n
    loser = np.full(2 * n, NONE)  # the bot that gave an answer that is not legal
    while True:
        asked = np.where(loser == NONE, games.players, NONE)
        if (asked == NONE).all():
            break
        for side, bot in enumerate(bots):
            which = np.flatnonzero(asked == seats[:, side])
            if len(which):
                faulty = answer_all(bot, games, which, side, tally)
                loser[faulty] = side
                tally.illegal += len(faulty)
    count(games.scores, seats, loser, tally)


def answer_all(bot: Bot, games: Games, which: np.ndarray, side: int, tally: Tally) -> np.ndarray:
    """The bot answers in the games numbered `which`. Returns the numbers of those in which its answer is not legal."""
    began = time.perf_counter()
    actions = bot.ask(games, which, strict=False)
    tally.seconds[side] += time.perf_counter() - began
    tally.moves[side] += len(which)
    good = games[which].are_legal(actions)
    stepped = games[which[good]]
    stepped.step(actions[good])
    games[which[good]] = stepped
    return which[~good]


def count(scores: np.ndarray, seats: np.ndarray, loser: np.ndarray, tally: Tally) -> None:
    """Add finished games to the tally; game i and game i + n are a pair."""
    points = np.take_along_axis(scores.astype(np.float64), seats, axis=1)
    margin = points[:, 0] - points[:, 1]
    win = np.where(loser == NONE, np.sign(margin), 2 * loser - 1) / 2 + 0.5
    tally.wins += win.reshape(2, -1).mean(0).tolist()
    tally.margins += margin.reshape(2, -1).mean(0).tolist()
    tally.points += points.sum(0)


def figures(bots: tuple[Bot, Bot], name: str, tally: Tally) -> MatchResult:
    """The result of what was played so far."""
    pairs = len(tally.wins)
    points = tally.points / (2 * pairs)
    seconds = tally.seconds / np.maximum(tally.moves, 1)
    margin, margin_ci95 = float(np.mean(tally.margins)), None
    if pairs > 1:
        spread = Z95 * float(np.std(tally.margins, ddof=1)) / pairs**0.5
        margin_ci95 = margin - spread, margin + spread
    return MatchResult(bots[0].name, bots[1].name, name, pairs, float(np.mean(tally.wins)), interval95(tally.wins),
                       *points.tolist(), margin, margin_ci95, tally.illegal, *seconds.tolist())


def interval95(results: list[float]) -> tuple[float, float]:
    """A 95 % interval for the mean of pair results, each from 0 to 1.

    The two games of a pair share a deck, so pairs, not games, are the independent trials. Normal interval after adding
    two pairs won and two lost ("plus four", Agresti and Coull 1998), which keeps it honest when all results are equal.

    >>> [round(end, 3) for end in interval95([1.0] * 100)]
    [0.954, 1.0]
    """
    padded = np.array([*results, 0.0, 0.0, 1.0, 1.0])
    middle, spread = padded.mean(), Z95 * padded.std() / len(padded)**0.5
    return max(0.0, float(middle - spread)), min(1.0, float(middle + spread))
