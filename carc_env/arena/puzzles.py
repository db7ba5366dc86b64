"""Puzzles: positions in which one action is clearly best. Long rollouts give the value of every action.

A puzzle is a JSON object:

| key | meaning |
|---|---|
| `preset` | the preset that is played, or the boxes |
| `position` | a line of text that `Game.from_position` reads |
| `answers` | `[text, gain, error]` of every legal action, best first. The gain is the final margin in points compared with the best action: 0 for the best, negative for the others. The error is its standard error |
| `why` | for each action in the same order: `{source: [own, other]}`, the difference in points from the best action, for the player who has to act and for the best other player |
| `greedy` | the action of `greedy` |
| `difficulty` | how rarely a player who errs like a beginner finds the best action, in bits; see `difficulty_of` |
"""

import functools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from carc_env.bots.greedy import GreedyBot
from carc_env.common.arguments import check_fields
from carc_env.common.errors import FileError
from carc_env.games.game import Game

SHIPPED = Path(__file__).parents[1] / "data" / "puzzles"
LEAST_GAIN, LEAST_ERRORS = 4.0, 3.0  # points and standard errors by which the best answer leads
TEMPERATURE = 1.0  # points; about that of `level:1`
FIELDS = {"preset": str, "position": str, "answers": list, "why": list, "greedy": str, "difficulty": float}

LEAST_TOLD = 0.5  # points; a source that differs by less is not told of
Sources = tuple[Mapping[str, float], Mapping[str, float]]  # points by source of the player asked, and of the best other
Why = dict[str, tuple[float, float]]  # source -> points more of the player asked, and of the best other one


class Valued(NamedTuple):
    """An action and its value."""

    text: str
    gain: float  # points of final margin over the best answer: 0 or negative
    error: float  # its standard error


@dataclass(frozen=True)
class Puzzle:
    """A position in which one action is clearly best."""

    preset: str
    position: str
    answers: tuple[Valued, ...]  # best first
    why: tuple[Why, ...]
    greedy: str
    difficulty: float

    def to_dict(self) -> dict[str, Any]:
        """The puzzle as a dict for JSON."""
        return asdict(self)

    @property
    def best(self) -> str:
        """The text of the best action."""
        return self.answers[0].text

    @property
    def gain(self) -> float:
        """The lead of the best action over the next one, in points."""
        return -self.answers[1].gain


def is_clear(answers: tuple[Valued, ...], greedy: str) -> bool:
    """True if these actions, best first, make a puzzle.

    The best action must lead every other by LEAST_GAIN points and LEAST_ERRORS standard errors, and `greedy` must
    choose another one.

    >>> is_clear((Valued("a", 0, 0), Valued("b", -5, 1)), "b"), is_clear((Valued("a", 0, 0), Valued("b", -5, 2)), "b")
    (True, False)
    """
    others = answers[1:]
    return (
        bool(others)
        and answers[0].text != greedy
        and all(-other.gain >= max(LEAST_GAIN, LEAST_ERRORS * other.error) for other in others)
    )


def difficulty_of(game: Game, best: int) -> float:
    """How rarely a beginner finds an action, in bits: 0 for always, and one more each time the probability halves.

    The beginner draws an action with a probability proportional to `exp(price / TEMPERATURE)`, by the prices of
    `greedy`.
    """
    prices = dict(GreedyBot().analyse(game))
    top = max(prices.values())
    total = math.fsum(math.exp((price - top) / TEMPERATURE) for price in prices.values())
    return round(((top - prices[best]) / TEMPERATURE + math.log(total)) / math.log(2), 2)


# --- for people -------------------------------------------------------------------------------------------------------
def lines_of(puzzle: Puzzle, most: int = 5) -> list[str]:
    """The puzzle as lines: first the question, then the best actions with their gains and errors."""
    game = Game.from_position(puzzle.position, seed=0)
    rows = [(text, f"{gain:+.1f} ± {error:.1f}") for text, gain, error in puzzle.answers[:most]]
    rows[0] = (puzzle.best, "best")
    if puzzle.greedy not in dict(rows):
        rows += [(text, f"{gain:+.1f} ± {error:.1f}") for text, gain, error in puzzle.answers if text == puzzle.greedy]
    wide = max(len(text) for text, _ in rows)
    lines = [f"  {text:{wide}}  {said}{'  (greedy)' if text == puzzle.greedy else ''}" for text, said in rows]
    more = len(puzzle.answers) - len(rows)
    return [f"{game}; difficulty {puzzle.difficulty:.1f}", *lines, *([f"  and {more} more"] if more else [])]


# --- files ------------------------------------------------------------------------------------------------------------
def read_puzzle(found: Any, what: str) -> Puzzle:
    """Read the puzzle of a JSON object. `what` says where it is. Raises FileError."""
    check_fields(found, FIELDS, {}, what, FileError)
    try:
        answers = tuple(Valued(str(text), float(gain), float(error)) for text, gain, error in found["answers"])
        why = tuple(
            {source: (float(own), float(other)) for source, (own, other) in one.items()} for one in found["why"]
        )
    except (TypeError, ValueError, AttributeError):
        raise FileError(
            f"{what}: 'answers' should contain [text, gain, error], and 'why' tables of [own, other]"
        ) from None
    if len(why) != len(answers) or not is_clear(answers, found["greedy"]):
        raise FileError(f"{what}: not a puzzle, because its first action is not clearly the best")
    return Puzzle(found["preset"], found["position"], answers, why, found["greedy"], found["difficulty"])


@functools.cache
def shipped() -> tuple[Puzzle, ...]:
    """The puzzles that come with the package, the easiest first."""
    found = [puzzle for path in sorted(SHIPPED.glob("*.json")) for puzzle in _read_list(path)]
    return tuple(sorted(found, key=lambda puzzle: (puzzle.difficulty, puzzle.position)))


def _read_list(path: Path) -> Iterator[Puzzle]:
    """Yield the puzzles of a file that holds a JSON list of them. Raises FileError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: {error}") from None
    if not isinstance(found, list):
        raise FileError(f"{path}: should contain a list of puzzles")
    for number, one in enumerate(found, 1):
        yield read_puzzle(one, f"{path}, puzzle {number}")


def why_of(best: Sources, of: Sources) -> Why:
    """The differences from the best action by source, in points. Sources that differ by less than LEAST_TOLD on both
    sides are left out.
    """
    found = {
        source: (round(of[0][source] - best[0][source], 1), round(of[1][source] - best[1][source], 1))
        for source in best[0]
    }
    return {source: points for source, points in found.items() if max(map(abs, points)) >= LEAST_TOLD}
