"""Puzzles: positions in which one answer is clearly best, with what long rollouts say of every answer.

A puzzle is a JSON object:

| key | meaning |
|---|---|
| `preset` | what is played: a preset, or the boxes |
| `position` | a line of text that `Game.from_position` reads |
| `answers` | `[text, gain, error]` of every legal answer, best first: the gain in points of final margin over the best answer, 0 for the best and negative for others, and its standard error |
| `why` | for each answer in the same order: `{source: [own, other]}`, by how many points more or less than after the best answer the player asked and the best other one get from it |
| `greedy` | the answer of `greedy` |
| `difficulty` | how rarely one finds the best answer who errs as a beginner does, in bits; see `difficulty_of` |
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
    """An answer with what it is worth."""

    text: str
    gain: float  # points of final margin over the best answer: 0 or negative
    error: float  # its standard error


@dataclass(frozen=True)
class Puzzle:
    """A position in which one answer is clearly best."""

    preset: str
    position: str
    answers: tuple[Valued, ...]  # best first
    why: tuple[Why, ...]
    greedy: str
    difficulty: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        return asdict(self)

    @property
    def best(self) -> str:
        """The text of the best answer."""
        return self.answers[0].text

    @property
    def gain(self) -> float:
        """By how many points the best answer leads the next one."""
        return -self.answers[1].gain


def is_clear(answers: tuple[Valued, ...], greedy: str) -> bool:
    """Whether these answers, best first, make a puzzle: the best one leads every other by LEAST_GAIN points and
    LEAST_ERRORS standard errors, and is not that of `greedy`.

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
    """How rarely somebody gives an answer who draws answers with a probability proportional to
    `exp(price / TEMPERATURE)`, by the prices of `greedy`, in bits: 0 for always, one more for half as often.
    """
    prices = dict(GreedyBot().analyse(game))
    top = max(prices.values())
    total = math.fsum(math.exp((price - top) / TEMPERATURE) for price in prices.values())
    return round(((top - prices[best]) / TEMPERATURE + math.log(total)) / math.log(2), 2)


# --- for people -------------------------------------------------------------------------------------------------------
def lines_of(puzzle: Puzzle, most: int = 5) -> list[str]:
    """A puzzle in lines: what is asked, then the best answers with their gains and errors."""
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
    """The puzzle of a JSON object; `what` names where it stands. Raises FileError."""
    check_fields(found, FIELDS, {}, what, FileError)
    try:
        answers = tuple(Valued(str(text), float(gain), float(error)) for text, gain, error in found["answers"])
        why = tuple(
            {source: (float(own), float(other)) for source, (own, other) in one.items()} for one in found["why"]
        )
    except (TypeError, ValueError, AttributeError):
        raise FileError(f"{what}: answers should be [text, gain, error], and why a table of [own, other]") from None
    if len(why) != len(answers) or not is_clear(answers, found["greedy"]):
        raise FileError(f"{what}: no puzzle: its first answer is not clearly the best")
    return Puzzle(found["preset"], found["position"], answers, why, found["greedy"], found["difficulty"])


@functools.cache
def shipped() -> tuple[Puzzle, ...]:
    """The puzzles that come with the package, the easiest first."""
    found = [puzzle for path in sorted(SHIPPED.glob("*.json")) for puzzle in _read_list(path)]
    return tuple(sorted(found, key=lambda puzzle: (puzzle.difficulty, puzzle.position)))


def _read_list(path: Path) -> Iterator[Puzzle]:
    """The puzzles of a file with a JSON list of them. Raises FileError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: {error}") from None
    if not isinstance(found, list):
        raise FileError(f"{path}: should be a list of puzzles")
    for number, one in enumerate(found, 1):
        yield read_puzzle(one, f"{path}, puzzle {number}")


def why_of(best: Sources, of: Sources) -> Why:
    """By how many points more or less than after the best answer, by source; sources that differ by less than LEAST_TOLD
    on both sides are left out.
    """
    found = {
        source: (round(of[0][source] - best[0][source], 1), round(of[1][source] - best[1][source], 1))
        for source in best[0]
    }
    return {source: points for source, points in found.items() if max(map(abs, points)) >= LEAST_TOLD}
