"""Reads and shows puzzles. A puzzle is a position in which one action is clearly best. The values of all actions are
estimates from long rollouts.

In a file, a puzzle is a JSON object with these keys:

| key | meaning |
|---|---|
| `preset` | the name of the preset, or the names of the boxes |
| `position` | the position as text that `Game.from_position` reads |
| `answers` | a list with one entry `[text, gain, error]` for each legal action, best first. The gain is the mean final margin after the action minus the mean final margin after the best action, in points. The gain is 0 for the best action and negative for the other actions. The error is the standard error of the gain |
| `why` | a list with one object for each action, in the order of `answers`. The object is `{source: [own, other]}`, with a key for each source of points, such as `cities`. Each number is a difference: the mean points from the source after the action, minus the mean points from the source after the best action. `own` refers to the points of the player who has to act. `other` refers to the points of the opponent with the most points. A source is left out if both differences are smaller than LEAST_TOLD points |
| `greedy` | the action that the bot `greedy` chooses |
| `difficulty` | the difficulty of finding the best action, in bits; see `difficulty_of` |
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
LEAST_GAIN, LEAST_ERRORS = 4.0, 3.0  # the minimum lead of the best action, in points and in standard errors
TEMPERATURE = 1.0  # in points; the bot `level:1` has about the same temperature
FIELDS = {"preset": str, "position": str, "answers": list, "why": list, "greedy": str, "difficulty": float}

LEAST_TOLD = 0.5  # in points; `why` leaves out a source if both of its differences are smaller
# two dicts with the points from each source: one dict for the acting player, and one for the best opponent
Sources = tuple[Mapping[str, float], Mapping[str, float]]
# for each source: two differences in points (see `why_of`), one for the acting player and one for the best opponent
Why = dict[str, tuple[float, float]]


class Valued(NamedTuple):
    """An action and its value."""

    text: str
    gain: float  # mean final margin after this action minus that after the best action, in points: 0 or negative
    error: float  # the standard error of `gain`


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
        """Return the puzzle as a dict for JSON."""
        return asdict(self)

    @property
    def best(self) -> str:
        """The text of the best action."""
        return self.answers[0].text

    @property
    def gain(self) -> float:
        """The lead of the best action over the second-best action, in points."""
        return -self.answers[1].gain


def is_clear(answers: tuple[Valued, ...], greedy: str) -> bool:
    """True if a position is a puzzle. `answers` holds the legal actions in the position, best first.

    The value of the best action must exceed the value of every other action by at least LEAST_GAIN points. The
    difference must also be at least LEAST_ERRORS standard errors. The bot `greedy` must choose an action other than the
    best action.

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
    """Return the difficulty of finding the best action, in bits. The difficulty is `-log2(p)`, where p is the
    probability that a simulated beginner plays the best action. The difficulty is 0 if the simulated beginner always
    plays the best action.

    The simulated beginner chooses each action with a probability proportional to `exp(price / TEMPERATURE)`. Here,
    `price` is the value of the action according to `greedy`.
    """
    prices = dict(GreedyBot().analyse(game))
    top = max(prices.values())
    total = math.fsum(math.exp((price - top) / TEMPERATURE) for price in prices.values())
    return round(((top - prices[best]) / TEMPERATURE + math.log(total)) / math.log(2), 2)


# --- for people -------------------------------------------------------------------------------------------------------
def lines_of(puzzle: Puzzle, most: int = 5) -> list[str]:
    """Return the puzzle as lines of text. The first line describes the position. The other lines list the best actions,
    each with its gain and the standard error of the gain.
    """
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
    """Read a puzzle from a JSON object. The text `what` says where the puzzle is stored. Every error message begins
    with this text. Raises FileError.
    """
    check_fields(found, FIELDS, {}, what, FileError)
    try:
        answers = tuple(Valued(str(text), float(gain), float(error)) for text, gain, error in found["answers"])
        why = tuple(
            {source: (float(own), float(other)) for source, (own, other) in one.items()} for one in found["why"]
        )
    except (TypeError, ValueError, AttributeError):
        raise FileError(
            f"{what}: 'answers' should hold lists [text, gain, error]; 'why' should hold objects of lists [own, other]"
        ) from None
    if len(why) != len(answers) or not is_clear(answers, found["greedy"]):
        raise FileError(
            f"{what}: this is not a puzzle; the first action should lead every other action by {LEAST_GAIN:g} points "
            f"and {LEAST_ERRORS:g} standard errors; 'greedy' should be an action other than the first; 'why' should "
            "have an entry for each action"
        )
    return Puzzle(found["preset"], found["position"], answers, why, found["greedy"], found["difficulty"])


@functools.cache
def shipped() -> tuple[Puzzle, ...]:
    """Return the puzzles that come with the package, the easiest first."""
    found = [puzzle for path in sorted(SHIPPED.glob("*.json")) for puzzle in _read_list(path)]
    return tuple(sorted(found, key=lambda puzzle: (puzzle.difficulty, puzzle.position)))


def _read_list(path: Path) -> Iterator[Puzzle]:
    """Yield the puzzles of a file that contains a JSON list of puzzles. Raises FileError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: {error}") from None
    if not isinstance(found, list):
        raise FileError(f"{path}: the file should contain a list of puzzles")
    for number, one in enumerate(found, 1):
        yield read_puzzle(one, f"{path}, puzzle {number}")


def why_of(best: Sources, of: Sources) -> Why:
    """Return the difference in points between an action and the best action, separately for each source of points, such
    as cities. For each source, the result holds two differences: one for the acting player, and one for the best
    opponent. A source is left out if both differences are smaller than LEAST_TOLD points.
    """
    found = {
        source: (round(of[0][source] - best[0][source], 1), round(of[1][source] - best[1][source], 1))
        for source in best[0]
    }
    return {source: points for source, points in found.items() if max(map(abs, points)) >= LEAST_TOLD}
