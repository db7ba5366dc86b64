"""Results of the benchmark: one JSON file a seed, `benchmarks/<task>-v<version>/<algorithm>/seed<n>.json`, and what is
made of them.

Figures over seeds are interquartile means with 95 % intervals of a stratified bootstrap, as Agarwal et al. recommend
for few runs (Deep reinforcement learning at the edge of the statistical precipice, NeurIPS 2021, arXiv 2108.13264).
"""

import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.bots.checkpoint import write_whole

from . import tasks
from .seed_run import FORMAT
from .state import RunError
from .tasks import Task

FOLDER = Path("benchmarks")
RESAMPLES = 2000
Statistic = Callable[[Sequence[np.ndarray]], float]


# --- files ------------------------------------------------------------------------------------------------------------
def path(folder: Path, task: Task, algorithm: str, seed: int) -> Path:
    """Where the result of a seed lies."""
    return folder / task.id / algorithm / f"seed{seed}.json"


def write(folder: Path, result: dict[str, Any]) -> Path:
    """Write the result of a seed, as a whole or not at all. Returns where."""
    place = path(folder, Task(**result["task"]), result["algorithm"], result["seed"])
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, (json.dumps(result, indent=1) + "\n").encode())
    return place


def read(place: Path) -> dict[str, Any]:
    """The result of a file. Raises RunError."""
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise RunError(
                f"{place}: format {found['format']}, not {FORMAT}: measured by another version of the benchmark"
            )
        Task(**found["task"])
        return found
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise RunError(f"{place}: no result of the benchmark: {error}") from None


def of_task(folder: Path, task: Task) -> dict[str, list[dict[str, Any]]]:
    """The results of a task by algorithm, in the order of seeds."""
    found: dict[str, list[dict[str, Any]]] = {}
    for place in sorted(
        (folder / task.id).glob("*/seed*.json"),
        key=lambda place: (place.parent.name, int(place.stem.removeprefix("seed"))),
    ):
        found.setdefault(place.parent.name, []).append(read(place))
    return found


def measured(folder: Path) -> list[Task]:
    """The tasks that have results, in the order of TASKS, those with another budget after those with their own."""
    found = {Task(**read(place)["task"]) for place in folder.glob("*/*/seed*.json")}
    names = [task.name for task in tasks.TASKS]
    return sorted(
        found,
        key=lambda task: (
            task.is_short,
            names.index(task.name) if task.name in names else len(names),
            task.version,
            task.decisions,
        ),
    )


# --- statistics -------------------------------------------------------------------------------------------------------
def iqm(scores: Sequence[np.ndarray]) -> float:
    """The interquartile mean of all scores, those of several tasks taken together: the mean without the lowest and the
    highest quarter.

    Of n scores the n // 4 lowest and the n // 4 highest are left out, so that of three none is.

    >>> iqm([np.array([0.0, 1.0, 2.0, 90.0])])
    1.5
    """
    together = np.sort(np.concatenate([np.asarray(some, float) for some in scores]))
    cut = len(together) // 4
    return float(together[cut : len(together) - cut].mean())


def interval(
    scores: Sequence[np.ndarray], statistic: Statistic = iqm, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float]:
    """A 95 % interval by stratified bootstrap: of each task as many seeds are drawn as it has, with replacement;
    percentiles of what results.

    Args:
        scores: of each task, one for each seed.
        statistic: of what is drawn.
        resamples: how often is drawn.
        seed: of the drawing.
    """
    rng = np.random.default_rng(seed)
    drawn = [
        statistic([some[rng.integers(len(some), size=len(some))] for some in map(np.asarray, scores)])
        for _ in range(resamples)
    ]
    low, high = np.percentile(drawn, (2.5, 97.5))
    return float(low), float(high)


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure over seeds."""

    value: float  # interquartile mean
    low: float | None  # of the 95 % interval; None for a single seed
    high: float | None

    @classmethod
    def of(cls, scores: Sequence[np.ndarray]) -> "Figure":
        """Of the scores of the seeds of each task."""
        return cls(iqm(scores), *(interval(scores) if max(map(len, scores)) > 1 else (None, None)))


@dataclasses.dataclass(frozen=True)
class Line:
    """What an algorithm gave on a task."""

    algorithm: str
    seeds: int
    decisions: int  # learned from, by the seed with most
    win_rate: dict[str, Figure]  # by opponent, from 0 to 1
    margin: dict[str, Figure]  # in points
    decisions_per_s: float | None  # median; None for what learns nothing
    # the same for a second of a core, which other work on the machine hardly changes
    decisions_per_processor_s: float | None
    minutes: float  # of learning, median
    illegal: int  # answers in all matches

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON knows them."""
        return dataclasses.asdict(self)


def line(algorithm: str, found: Sequence[dict[str, Any]]) -> Line:
    """What the seeds of an algorithm gave together."""

    def over(key: str) -> dict[str, Figure]:
        return {
            match["b"]: Figure.of([np.array([one["final"][k][key] for one in found])])
            for k, match in enumerate(found[0]["final"])
        }

    def rate(key: str) -> float | None:
        return float(np.median([one["decisions"] / one[key] for one in found])) if learned else None

    learned = max(one["decisions"] for one in found)
    return Line(
        algorithm,
        len(found),
        learned,
        over("win_rate_a"),
        over("margin"),
        rate("seconds"),
        rate("processor_seconds"),
        float(np.median([one["seconds"] for one in found])) / 60,
        sum(one["illegal"] for one in found),
    )


def lines(folder: Path, task: Task) -> list[Line]:
    """What was measured of a task, the best against greedy first."""
    found = [line(algorithm, results) for algorithm, results in of_task(folder, task).items()]
    return sorted(found, key=lambda one: (-one.win_rate["greedy"].value, -one.margin["greedy"].value))


def together(folder: Path, found: Sequence[Task]) -> list[tuple[str, Figure]]:
    """The win rate against greedy over several tasks, of the algorithms that were measured on all of them, the best
    first.
    """
    by_task = [of_task(folder, task) for task in found]
    made = []
    for algorithm in by_task[0] if by_task else ():
        if all(algorithm in results for results in by_task):
            scores = [np.array([win_rate(one, "greedy") for one in results[algorithm]]) for results in by_task]
            made.append((algorithm, Figure.of(scores)))
    return sorted(made, key=lambda one: -one[1].value)


def win_rate(result: dict[str, Any], opponent: str) -> float:
    """The win rate of a seed at the end."""
    return next(match["win_rate_a"] for match in result["final"] if match["b"] == opponent)


def curve(found: Sequence[dict[str, Any]], opponent: str, key: str) -> tuple[np.ndarray, list[Figure]]:
    """The curve of an algorithm over its seeds: decisions, and a figure for each point that all seeds have.

    The budget is divided into as many stretches as the task has checks; the first match of each stretch is its point.
    """
    task = Task(**found[0]["task"])
    step = max(1, task.decisions // task.checks)
    points: dict[int, list[dict[str, Any]]] = {}
    for one in found:
        for number, point in {point["decisions"] // step: point for point in reversed(one["curve"])}.items():
            points.setdefault(number, []).append(point)
    shared = [ones for _, ones in sorted(points.items()) if len(ones) == len(found)]
    return (
        np.array([np.mean([point["decisions"] for point in ones]) for ones in shared]),
        [Figure.of([np.array([point[opponent][key] for point in ones])]) for ones in shared],
    )
