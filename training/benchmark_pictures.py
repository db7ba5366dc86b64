"""Draw the results of the benchmark: scores, learning curves and performance profiles."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Data = dict[str, Any]
# for each row of a picture: the key of the curve, the opponent, the scale and the label of the y-axis
SHOWN = (("wins", "greedy", 100, "games won against greedy, %"), ("margins", "keen", 1, "points ahead of keen"))
# for each column of a picture: the key of the x-values, their scale and the label of the x-axis
AXES = (("decisions", 1e-3, "thousand decisions"), ("minutes", 1, "minutes of learning"))


def scores_name(task: Data) -> str:
    """Return the file name of the picture with the scores on a task."""
    return f"benchmark_scores_{task['id']}.png"


def curves_name(task: Data) -> str:
    """Return the file name of the learning curves of a task."""
    return f"benchmark_{task['id']}.png"


def profiles_name(pool: Data) -> str:
    """Return the file name of the performance profiles of a group of tasks."""
    return f"benchmark_profiles_{pool['pool']}.png"


def draw_scores(task: Data, path: Path) -> None:
    """Draw the score of each algorithm with its 95 % interval. Each run is a grey dot. The best algorithm is at the
    top.
    """
    names = [line["algorithm"] for line in task["lines"]]
    picture, axes = subplots(1, 1, (8, 1.2 + 0.3 * len(names)))
    axis, numbers = axes[0, 0], {name: number for number, name in enumerate(task["curves"])}
    for row, line in enumerate(task["lines"]):
        score = {key: 100 * line["score"][key] for key in ("value", "low", "high")}
        runs = [100 * of_seed for of_seed in task["scores"][names[row]].values()]
        colour = colour_of(numbers[names[row]])
        axis.plot(runs, [row] * len(runs), "o", ms=4, color="0.6", alpha=0.6, mew=0)
        axis.plot([score["low"], score["high"]], [row, row], color=colour, lw=7, alpha=0.5, solid_capstyle="butt")
        axis.plot(score["value"], row, "|", ms=13, mew=2, color=colour)
    axis.set(xlabel="games won against the held-out opponents, %", yticks=range(len(names)), yticklabels=names)
    axis.invert_yaxis()
    axis.grid(axis="x", alpha=0.3)
    save(picture, path)


def draw_curves(task: Data, path: Path) -> None:
    """Draw the win rate and the margin as curves, once against the number of decisions and once against the minutes of
    training. The 95 % intervals are shaded.
    """
    picture, axes = subplots(len(SHOWN), len(AXES), (11, 7))
    for row, (key, checker, scale, label) in enumerate(SHOWN):
        for column, (along, unit, below) in enumerate(AXES):
            axis = axes[row, column]
            for number, (algorithm, curve) in enumerate(task["curves"].items()):
                draw_curve(axis, unit * np.array(curve[along]), curve[key][checker], scale, number, algorithm)
            axis.set(xlabel=below, ylabel=label)
    picture.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6, fontsize=8)
    save(picture, path)


def draw_curve(
    axis: Any, at: np.ndarray, figures: Sequence[dict[str, float]], scale: float, number: int, label: str
) -> None:
    """Draw one curve, or a dashed line for an algorithm that learns nothing."""
    colour = colour_of(number)
    if len(at) < 2:
        axis.axhline(scale * figures[0]["value"], color=colour, ls="--", lw=1, label=label)
        return
    value, low, high = (scale * np.array([figure[key] for figure in figures]) for key in ("value", "low", "high"))
    axis.plot(at, value, "o-", ms=3, color=colour, label=label)
    axis.fill_between(at, low, high, color=colour, alpha=0.2)


def colour_of(number: int) -> Any:
    """Return the colour of the algorithm with the index `number`. The first ten algorithms have strong colours, and the
    next ten algorithms have light colours.
    """
    from matplotlib import colormaps

    return colormaps["tab20"](2 * (number % 10) + number // 10 % 2)


def draw_profiles(pool: Data, path: Path) -> None:
    """Draw the performance profiles of a group of tasks. For each threshold, a profile shows the fraction of runs whose
    score is above the threshold.
    """
    picture, axes = subplots(1, 1, (8, 4.5))
    axis, at = axes[0, 0], np.array(pool["thresholds"])
    for number, (algorithm, profile) in enumerate(pool["profiles"].items()):
        axis.plot(at, profile["value"], color=colour_of(number), label=algorithm)
        axis.fill_between(at, profile["low"], profile["high"], color=colour_of(number), alpha=0.2)
    axis.set(xlabel="score", ylabel="share of runs with a higher score", ylim=(0, 1.02))
    axis.legend(fontsize=7)
    save(picture, path)


def subplots(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a matplotlib figure with a grid of `rows` x `columns` axes, and return these axes as an array."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)


def save(picture: Any, path: Path) -> None:
    """Write a matplotlib figure to a file and close it."""
    from matplotlib import pyplot

    picture.savefig(path, dpi=100)
    pyplot.close(picture)
