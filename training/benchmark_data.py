"""Gather all results of the benchmark in one JSON file, `docs/benchmark_results.json`. The page
`docs/benchmark_results.md` is generated only from this JSON file.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import results, stats
from .results import Found
from .stats import Runs
from .tasks import CHECKERS, HEADLINE, HELD_OUT, JUDGES, LONG, TASKS, Task

FORMAT = 3  # the format of the JSON file
THRESHOLDS = np.linspace(0, 1, 51)  # of performance profiles
POOLS = tuple(dict.fromkeys(task.pool for task in TASKS if task.pool))
Data = dict[str, Any]


def gather(folder: Path) -> Data:
    """Return all results in a folder as a JSON-serialisable dict. Raises RunError for results that cannot be
    compared.
    """
    found = results.measured(folder)
    pools = [
        pooled(folder, name, [task for task in found if task.pool == name and not task.is_short]) for name in POOLS
    ]
    return {
        "format": FORMAT,
        "judges": list(JUDGES),
        "held_out": list(HELD_OUT),
        "tasks": [of_task(folder, task) for task in found],
        "pools": [pool for pool in pools if pool],
        "long": long(folder, found),
    }


def of_task(folder: Path, task: Task) -> Data:
    """Collect the versions, the learning curves and the results of all algorithms on a task.

    The algorithms that learn come before the bots. Both groups are sorted by score, with the best score first.
    """
    found = results.of_task(folder, task)
    lines = sorted(results.lines(folder, task), key=lambda line: not line.decisions)
    scored = {line.algorithm: [results.scores(found[line.algorithm])] for line in lines}
    learners = {line.algorithm: scored[line.algorithm] for line in lines if line.decisions}
    beats = over_the_next(learners)
    every = [one for ones in found.values() for one in ones]
    return {
        "id": task.id,
        "task": task.to_dict(),
        "versions": {kind: every[0]["versions"][kind] for kind in results.MEASURING},
        "lines": [line.to_dict() | {"beats_next": beats.get(line.algorithm)} for line in lines],
        "scores": {name: scores_of(found[name]) for name in scored},
        "improvement": improvements(scored),
        "twins": twins(learners),
        "curves": {name: curves(found[name]) for name in scored},
        "processor_hours": round(sum(one["processor_seconds"] for one in every) / 3600, 2),
        "commits": sorted({str(one["commit"]) for one in every}),
        "machines": sorted({machine(one) for one in every}),
        "libraries": sorted({", ".join(f"{name} {told}" for name, told in one["libraries"].items()) for one in every}),
        "files": files(found),
    }


def over_the_next(scored: dict[str, list[Runs]]) -> dict[str, dict[str, Any]]:
    """Return the probability of improvement of each algorithm over the next algorithm. The last algorithm has no next
    algorithm, so the dict does not contain it.
    """
    return {
        name: stats.probability_of_improvement(scored[name], scored[following]).to_dict()
        for name, following in itertools.pairwise(scored)
    }


def twins(scored: dict[str, list[Runs]]) -> list[Data]:
    """Return the pairs of algorithms that seem to learn in the same way. Two algorithms are such a pair if their scores
    are equal for at least half of their common seeds. Scores of 0 do not count as equal.
    """
    means = {name: runs[0].mean(-1) for name, runs in scored.items()}
    found = []
    for one, other in itertools.combinations(means, 2):
        seeds = min(len(means[one]), len(means[other]))
        ours, theirs = means[one][:seeds], means[other][:seeds]
        equal = int(((stats.signs(ours - theirs) == 0) & (ours > 0)).sum())
        if 2 * equal >= seeds:
            found.append({"algorithms": [one, other], "equal": equal, "seeds": seeds})
    return found


def scores_of(ones: Sequence[results.Result]) -> dict[str, float]:
    """Return a dict that maps the seed of each run, as a string, to the score of the run."""
    return {str(one["seed"]): float(score) for one, score in zip(ones, results.scores(ones).mean(1))}


def improvements(scored: dict[str, list[Runs]]) -> Data:
    """Return the probability of improvement for each ordered pair of algorithms, as a dict of dicts."""
    return {
        name: {
            other: stats.probability_of_improvement(ours, theirs).to_dict()
            for other, theirs in scored.items()
            if other != name
        }
        for name, ours in scored.items()
    }


def curves(ones: Sequence[results.Result]) -> Data:
    """Return the learning curve of an algorithm. Each point of the curve holds the number of decisions so far, the
    minutes of learning, and the minutes of processor time. Each point also has the win rate and the margin against each
    bot in CHECKERS.
    """
    return {
        "decisions": results.along(ones, "decisions").tolist(),
        "minutes": (results.along(ones, "seconds") / 60).tolist(),
        "cpu_minutes": (results.along(ones, "processor_seconds") / 60).tolist(),
        **{
            key: {name: [figure.to_dict() for figure in results.curve(ones, name, key)] for name in CHECKERS}
            for key in ("wins", "margins")
        },
    }


def machine(one: results.Result) -> str:
    """Return a description of the machine on which a training run was carried out."""
    told = one["machine"]
    return (
        f"{told['processor']} ({told['cores']} cores, {told['device']}; runs trained at the same time: "
        f"{told['workers']}; torch threads per run: {told['threads']})"
    )


def files(found: Found) -> dict[str, str]:
    """Return the file name of each algorithm that is not part of the package."""
    return {name: ones[0]["file"] for name, ones in found.items() if ones[0]["file"] is not None}


# --- several tasks ----------------------------------------------------------------------------------------------------
def pooled(folder: Path, name: str, found: Sequence[Task]) -> Data | None:
    """Return the combined results of several tasks. Returns None if there are fewer than two tasks. Also returns None
    if no algorithm has complete results on all tasks.
    """
    runs = results.pool(folder, found) if len(found) > 1 else {}
    if not runs:
        return None
    means = {algorithm: stats.pooled(of_tasks) for algorithm, of_tasks in runs.items()}
    learners = {algorithm for algorithm, ones in results.of_task(folder, found[0]).items() if ones[0]["decisions"]}
    order = sorted(runs, key=lambda algorithm: (algorithm not in learners, -means[algorithm].value))
    beats = over_the_next({algorithm: runs[algorithm] for algorithm in order if algorithm in learners})
    return {
        "pool": name,
        "tasks": [task.id for task in found],
        "seeds": len(next(iter(runs.values()))[0]),
        "lines": [
            {
                "algorithm": algorithm,
                "score": means[algorithm].to_dict(),
                "beats_next": beats.get(algorithm),
                "by_task": [float(stats.iqm(of_task.mean(-1))) for of_task in runs[algorithm]],
            }
            for algorithm in order
        ],
        "thresholds": THRESHOLDS.tolist(),
        "profiles": {algorithm: profile(runs[algorithm]) for algorithm in order},
    }


def profile(runs: Sequence[Runs]) -> dict[str, list[float]]:
    """Return the performance profile of an algorithm, with its 95 % interval."""
    return dict(zip(("value", "low", "high"), (array.tolist() for array in stats.profile(runs, THRESHOLDS))))


def long(folder: Path, found: Sequence[Task]) -> Data | None:
    """Compare two rankings of the algorithms on the main task, `HEADLINE`.

    The first ranking uses the task's own budget. The second ranking uses the task's own budget multiplied by the
    constant `LONG`. Returns None if fewer than two algorithms have results for both budgets.
    """
    task = HEADLINE.at(LONG * HEADLINE.decisions)
    if task not in found or HEADLINE not in found:
        return None
    both = results.pool(folder, (HEADLINE, task))  # raises RunError if the versions differ
    if len(both) < 2:
        return None
    runs = [{name: results.scores(results.of_task(folder, one)[name]) for name in both} for one in (HEADLINE, task)]
    short, later = ({name: stats.figure(of[name]).to_dict() for name in both} for of in runs)
    names = sorted(both, key=lambda name: -later[name]["value"])
    ours, theirs = ([of[name] for name in names] for of in runs)
    ranks = {name: rank(short, name) for name in names}
    swapped = [(a, b) for a, b in itertools.combinations(names, 2) if ranks[a] > ranks[b]]  # b was better
    return {
        "tasks": [HEADLINE.id, task.id],
        "seeds": [[len(of[name]) for name in names] for of in runs],
        "agreement": stats.rank_agreement(ours, theirs).to_dict(),
        "ceiling": float(stats.agreement(*(np.array([stats.iqm(one[k::2].mean(-1)) for one in ours]) for k in (0, 1)))),
        "lines": [
            {
                "algorithm": name,
                "score": short[name],
                "later": later[name],
                "gain": stats.gain(before[: len(after)], after[: len(before)]).to_dict(),
                "rank": ranks[name],
                "later_rank": rank(later, name),
            }
            for name, before, after in zip(names, ours, theirs)
        ],
        "swaps": [swap(pair, *runs) for pair in swapped],
    }


def swap(pair: tuple[str, str], *runs: dict[str, Runs]) -> Data:
    """Return the probability that the first algorithm of a pair is better than the second one, for each budget. The
    first dict in `runs` contains the scores for the usual budget. The second dict contains the scores for `LONG` times
    this budget.
    """
    chances = [stats.probability_of_improvement(*([of[name]] for name in pair)).to_dict() for of in runs]
    return {"algorithms": list(pair)} | dict(zip(("before", "later"), chances))


def rank(scores: dict[str, Data], name: str) -> int:
    """Return the rank of an algorithm. Algorithms with equal scores have the same rank."""
    better = [stats.signs(np.array(one["value"] - scores[name]["value"])) > 0 for one in scores.values()]
    return 1 + int(np.sum(better))
