"""Read and write the results of the benchmark, and compute statistics from these results.

Each seed has one JSON file, `benchmarks/<task>-v<version>/<algorithm>/seed<n>.json`. Results of different versions (see
`versions`) are never combined: a RunError is raised, and its message lists the differences between the versions.
"""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.bots.checkpoint import write_whole
from carc_env.common.arguments import brief

from . import stats, tasks, versions
from .seed_run import FORMAT
from .state import RunError
from .stats import Figure, Runs
from .tasks import HELD_OUT, Task

FOLDER = Path("benchmarks")
MEASURING = ("task", "game", "protocol", "bots")  # versions that all results of a task share
GAME = ("preset", "players", "observation", "rows", "opponent", "reward", "spaces")  # task fields that define a game
REACHED = 0.25  # the tables show how soon an algorithm reaches this win rate against greedy
Result = dict[str, Any]
Found = dict[str, list[Result]]  # for each algorithm: its results in the order of seeds
NEEDED = (
    "task", "algorithm", "file", "seed", "settings", "versions", "decisions", "seconds", "processor_seconds", "breaks",
    "illegal", "curve", "final", "libraries", "machine", "commit",
)  # fmt: skip


# --- files ------------------------------------------------------------------------------------------------------------
def path(folder: Path, task: Task, algorithm: str, seed: int) -> Path:
    """Return the path of the result file for a seed."""
    return folder / task.id / algorithm / f"seed{seed}.json"


def write(folder: Path, result: Result) -> Path:
    """Write the result of a seed atomically. Returns the path."""
    place = path(folder, Task(**result["task"]), result["algorithm"], result["seed"])
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, text(result).encode())
    return place


def text(result: Result) -> str:
    """Return a result as JSON text, with one line for each key."""
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in result.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(place: Path) -> Result:
    """Read a result file. Raises RunError if the file is not valid."""
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise RunError(
                f"{place}: this result has the format {found['format']} instead of {FORMAT}, so it comes from another "
                f"version of the benchmark"
            )
        missing = [name for name in NEEDED if name not in found]
        if missing:
            raise RunError(f"{place}: not a result of the benchmark: it lacks {', '.join(missing)}")
        Task(**found["task"])
        check_shape(found)
        return found
    except RunError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise RunError(f"{place}: not a result of the benchmark: {what}") from None


def check_shape(found: Result) -> None:
    """Check the format of a result. Raises ValueError, TypeError, KeyError or AttributeError if the format is wrong."""
    told = found["versions"]
    if {*versions.KINDS} - {*told} or not all(isinstance(one, str) for one in versions.flat(told).values()):
        raise ValueError(f"versions should have a string for each of {', '.join(versions.KINDS)}")
    for key in ("seed", "decisions", "breaks", "illegal"):
        if not isinstance(found[key], int) or found[key] < 0:
            raise ValueError(f"{key} = {brief(found[key])}: should be an integer of at least 0")
    if not isinstance(found["algorithm"], str) or not isinstance(found["file"], str | None):
        raise TypeError("algorithm should be a string, and file should be a string or null")
    for one in (found, *found["curve"]):
        for key in ("decisions", "seconds", "processor_seconds"):
            float(one[key])
    for match in (*found["final"], *(match for point in found["curve"] for match in point["matches"])):
        check_match(match)
    for key, of in (("libraries", ()), ("machine", ("processor", "cores", "device", "threads", "workers"))):
        missing = {*of} - found[key].keys()
        if missing:
            raise ValueError(f"{key} should have {', '.join(sorted(missing))}")


def check_match(match: dict[str, Any]) -> None:
    """Check the lists `wins`, `margins` and `ms_per_move` of a match. For each pair of games, `wins` contains the
    fraction of games won, and `margins` contains the margin. Raises ValueError or KeyError if a list is missing or
    wrong.
    """
    wins, margins, opponent = np.array(match["wins"], float), np.array(match["margins"], float), match["opponent"]
    if wins.shape != margins.shape or wins.ndim != 1 or not len(wins):
        raise ValueError(f"wins and margins against {opponent} should have one number for each pair of games")
    if not ((wins >= 0) & (wins <= 1)).all() or not np.isfinite(margins).all():
        raise ValueError(f"wins against {opponent} should be between 0 and 1, and margins should be finite")
    if np.shape(match["ms_per_move"]) != (2,) or not np.isfinite(np.array(match["ms_per_move"], float)).all():
        raise ValueError(
            f"ms_per_move against {opponent} should be two numbers: those of the agent and of the opponent"
        )


def places(folder: Path) -> list[Path]:
    """Return the result files in a folder, sorted by task, algorithm and seed."""
    found = [place for place in folder.glob("*/*/seed*.json") if place.stem.removeprefix("seed").isdecimal()]
    return sorted(found, key=lambda place: (place.parent, int(place.stem.removeprefix("seed"))))


def all_of(folder: Path, task: Task) -> Found:
    """Read the results of a task, grouped by algorithm. The results may come from different versions of the code.
    Raises RunError for a file that is not a result, or whose path and content belong to different runs.
    """
    found: Found = {}
    for place in places(folder):
        if place.parent.parent.name == task.id:
            one = read(place)
            if path(folder, Task(**one["task"]), one["algorithm"], one["seed"]) != place:
                raise RunError(f"{place}: contains the result of {title(one)}")
            found.setdefault(place.parent.name, []).append(one)
    return found


def title(one: Result) -> str:
    """Return the seed, the algorithm and the task of a result, as text."""
    return f"seed {one['seed']} of {one['algorithm']} on {Task(**one['task']).id}"


def of_task(folder: Path, task: Task) -> Found:
    """Read the results of a task, grouped by algorithm. Raises RunError if the results cannot be compared."""
    found = all_of(folder, task)
    check_alike(found, folder / task.id)
    return found


def check_alike(found: Found, where: Path) -> None:
    """Check that the versions of results allow a comparison.

    All results must have the same task, game, protocol and bots. All seeds of an algorithm must have the same code,
    network and settings. Raises RunError otherwise.
    """
    first = next(iter(found.values()), [{}])[0]
    for algorithm, results in found.items():
        for one in results:
            for other, kinds in ((first, MEASURING), (results[0], versions.KINDS)):
                apart = versions.differences(one["versions"], other["versions"], kinds)
                if apart:
                    place = where / algorithm / f"seed{one['seed']}.json"
                    raise RunError(
                        f"{place}: its versions differ from those of {other['algorithm']}/seed{other['seed']}.json "
                        f"({'; '.join(apart)}); move one of the two to another folder, or measure it again with --again"
                    )


def measured(folder: Path) -> list[Task]:
    """Return the tasks that have results, in the order of TASKS. Tasks with a changed budget come last."""
    found = {one.id: one for one in (current(Task(**read(place)["task"])) for place in places(folder))}.values()
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


def current(task: Task) -> Task:
    """Return the task of this checkout that has the same version as the task of a result. The returned task determines
    how many seeds are needed, and with which other tasks the result is combined. If this checkout has no such task,
    return the task of the result without its `pool`. Results on a task without `pool` are not combined with results on
    other tasks.
    """
    for own in tasks.TASKS:
        if own.name == task.name and versions.of_task(own.at(task.decisions)) == versions.of_task(task):
            return own.at(task.decisions)
    return dataclasses.replace(task, pool="")


# --- scores of pairs --------------------------------------------------------------------------------------------------
def against(found: Sequence[Result], opponent: str, key: str) -> Runs:
    """Return the outcome of each pair of games against an opponent, as float[seeds, pairs].

    The games are those of the final evaluation. `key` is `wins` or `margins`. Raises RunError if a seed lacks games
    against the opponent.
    """
    try:
        return np.array([match_of(one["final"], opponent)[key] for one in found], float)
    except (StopIteration, KeyError, ValueError):
        one = found[0]
        raise RunError(f"{one['algorithm']}: some seeds lack pairs of games against {opponent}") from None


def match_of(matches: Sequence[dict[str, Any]], opponent: str) -> dict[str, Any]:
    """Return the match against an opponent. Raises StopIteration if there is no such match."""
    return next(match for match in matches if match["opponent"] == opponent)


def scores(found: Sequence[Result]) -> Runs:
    """Return the score of each pair of games. The score is the fraction of games won, averaged over the held-out
    opponents. No task of the benchmark uses the held-out opponents in training.
    """
    return np.mean([against(found, judge, "wins") for judge in HELD_OUT], 0)


def shared_points(found: Sequence[Result]) -> list[list[dict[str, Any]]]:
    """Return the points of the learning curve for which all seeds have results. Each returned point is a list with one
    entry for each seed.

    The learning curve should have `task.checks` points, so the budget is divided into this number of intervals. In each
    interval, the first point of each seed is used.
    """
    task = Task(**found[0]["task"])
    step = max(1, task.decisions // task.checks)
    points: dict[int, list[dict[str, Any]]] = {}
    for one in found:
        for number, point in {point["decisions"] // step: point for point in reversed(one["curve"])}.items():
            points.setdefault(number, []).append(point)
    return [ones for _, ones in sorted(points.items()) if len(ones) == len(found)]


def checked(points: Sequence[dict[str, Any]], opponent: str, key: str) -> Runs:
    """Return the outcome of each pair of games at a point of the learning curve, as float[seeds, pairs]."""
    return np.array([match_of(point["matches"], opponent)[key] for point in points], float)


def curve(found: Sequence[Result], opponent: str, key: str) -> list[Figure]:
    """Estimate the win rate or the margin at each point of the learning curve, with a 95 % interval.

    `key` is `wins` or `margins`. If some seeds lack a point of the learning curve, the point is left out.
    """
    return [stats.figure(checked(points, opponent, key)) for points in shared_points(found)]


def along(found: Sequence[Result], axis: str) -> np.ndarray:
    """Return the mean cost over all seeds at each point of the learning curve. `axis` selects the unit of the cost:
    `decisions`, `seconds` or `processor_seconds`.
    """
    return np.array([np.mean([point[axis] for point in points]) for points in shared_points(found)])


def reached(found: Sequence[Result], axis: str) -> float | None:
    """Return the mean cost of reaching the win rate `REACHED` against `greedy`. `axis` selects the unit of the cost, as
    in `along`.

    The win rate at a point of the learning curve is the mean over all seeds. The win rate is reached at the first point
    from which it stays at or above `REACHED`. Returns None if the last point is below `REACHED`.
    """
    rates = [np.mean(checked(points, "greedy", "wins")) for points in shared_points(found)]
    below = [at for at, rate in enumerate(rates) if rate < REACHED]
    first = below[-1] + 1 if below else 0
    return float(along(found, axis)[first]) if first < len(rates) else None


# --- what is made of them ---------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Line:
    """The results of an algorithm on a task, over all seeds."""

    algorithm: str
    seeds: int
    needed: int  # how many seeds are needed for complete results
    decisions: int  # the highest number of decisions that a run learned from
    score: Figure  # the fraction of games won against the held-out opponents
    spread: float  # the standard deviation of the runs' scores
    spread_of_games: float  # the standard deviation of the scores if the runs differed only by luck in the games
    win_rate: dict[str, Figure]  # for each opponent, from 0 to 1
    margin: dict[str, Figure]  # for each opponent, in points
    area: Figure | None  # win rate against keen, averaged over the learning curve; None if nothing is learned
    reached_decisions: float | None  # decisions until the win rate REACHED against greedy
    reached_cpu_minutes: float | None  # minutes of processor time until the win rate REACHED against greedy
    decisions_per_s: float | None  # the median over the runs; None for algorithms that learn nothing
    # decisions per second of processor time; other processes of the machine hardly affect this value
    decisions_per_processor_s: float | None
    minutes: float  # the median of the minutes of learning
    ms_per_action: float  # milliseconds per action in the fastest match: other processes slowed this match down least
    breaks: int  # seeds whose training was interrupted and continued
    illegal: int  # illegal actions in all matches
    versions: dict[str, str]  # the versions of the algorithm, the network and the settings

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a JSON-serialisable dict."""
        return asdict(self)


def line(algorithm: str, found: Sequence[Result]) -> Line:
    """Return the results of all seeds of an algorithm."""
    judges = [match["opponent"] for match in found[0]["final"]]
    learned = max(one["decisions"] for one in found)
    seconds = reached(found, "processor_seconds") if learned else None
    runs = scores(found)
    curve = [checked(points, "keen", "wins") for points in shared_points(found)]

    def rate(key: str) -> float | None:
        rates = [one["decisions"] / one[key] for one in found if one[key]]  # a short time can be rounded to 0
        return float(np.median(rates)) if learned and rates else None

    return Line(
        algorithm,
        len(found),
        tasks.needed_seeds(current(Task(**found[0]["task"]))),
        learned,
        stats.figure(runs),
        stats.spread(runs),
        stats.spread_of_games(runs),
        {judge: stats.figure(against(found, judge, "wins")) for judge in judges},
        {judge: stats.figure(against(found, judge, "margins")) for judge in judges},
        stats.figure(np.mean(curve, 0)) if learned else None,
        reached(found, "decisions") if learned else None,
        None if seconds is None else seconds / 60,
        rate("seconds"),
        rate("processor_seconds"),
        float(np.median([one["seconds"] for one in found])) / 60,
        float(min(match["ms_per_move"][0] for one in found for match in one["final"])),
        sum(one["breaks"] > 0 for one in found),
        sum(one["illegal"] for one in found),
        {kind: found[0]["versions"][kind] for kind in versions.KINDS if kind not in MEASURING},
    )


def lines(folder: Path, task: Task) -> list[Line]:
    """Return the results of all algorithms on a task, with the best score first. Raises RunError for results of
    different versions.
    """
    found = [line(algorithm, results) for algorithm, results in of_task(folder, task).items()]
    return sorted(found, key=lambda one: (-one.score.value, -one.margin[HELD_OUT[0]].value))


def pool(folder: Path, found: Sequence[Task]) -> dict[str, list[Runs]]:
    """Return the scores of each algorithm that has complete results on all given tasks. The same seeds are used for
    each task. The number of seeds is the smallest value of `needed_seeds` among the tasks.

    Raises RunError if the versions of an algorithm or of the bots differ between the tasks.
    """
    by_task = [of_task(folder, task) for task in found]
    seeds = range(1, min((tasks.needed_seeds(task) for task in found), default=0) + 1)
    chosen = {
        name: [[one for one in results.get(name, ()) if one["seed"] in seeds] for results in by_task]
        for name in (by_task[0] if by_task else ())
    }
    chosen = {name: of for name, of in chosen.items() if all(len(ones) == len(seeds) for ones in of)}
    for of in chosen.values():
        check_pooled([ones[0] for ones in of])
    return {name: [scores(ones) for ones in of] for name, of in chosen.items()}


def check_pooled(found: Sequence[Result]) -> None:
    """Check that results of an algorithm on several tasks can be combined. Raises RunError otherwise. See `unlike`."""
    for one in found[1:]:
        apart = unlike(one, found[0])
        if apart:
            raise RunError(
                f"{Task(**one['task']).id}/{one['algorithm']}: its versions differ from those of "
                f"{Task(**found[0]['task']).id}/{one['algorithm']} ({'; '.join(apart)}), so they cannot be combined; "
                f"measure one of them again with --again"
            )


def unlike(one: Result, other: Result) -> list[str]:
    """Return descriptions of the differences that prevent combining the results of two tasks. The protocol, the code of
    the algorithm and its network, and the code of all bots must be the same. If both tasks have the same game, the
    networks of the bots and the settings of the algorithm must also be the same. The number of decisions in the
    settings may differ.
    """
    ours, theirs = one["versions"], other["versions"]
    if all(one["task"][field] == other["task"][field] for field in GAME):
        apart = versions.differences(ours, theirs, ("game", "protocol", "algorithm", "network", "bots"))
        settings, told = ({**result["settings"], "decisions": 0} for result in (one, other))
        return apart + [f"settings: {brief(settings)}, not {brief(told)}"] * (settings != told)
    code = [{"bots": {name: versions.code_of(told) for name, told in of["bots"].items()}} for of in (ours, theirs)]
    return versions.differences(ours, theirs, ("protocol", "algorithm", "network")) + versions.differences(*code)
