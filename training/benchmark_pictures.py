"""Draw the results of the benchmark: scores, learning curves and performance profiles."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .algorithms import NAMES

Data = dict[str, Any]
# for each row of a picture: the key of the curve, the opponent, the scale and the label of the y-axis
SHOWN = (
    ("wins", "greedy", 100, "games won against greedy, %"),
    ("wins", "keen", 100, "games won against keen, %"),
    ("margins", "keen", 1, "points ahead of keen"),
)
# for each column of a picture: the key of the x-values, their scale and the label of the x-axis
AXES = (("decisions", 1e-3, "thousand decisions"), ("cpu_minutes", 1, "minutes of processor time"))
BOT_LINES: dict[str, Any] = {"random": ":", "greedy": "--", "keen": "-.", "rollout": (0, (8, 2))}  # line styles
LEARNERS = [name for name in NAMES if name not in BOT_LINES]


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
    """Draw two pictures side by side. The left picture shows the score of each algorithm with its 95 % interval, and
    each run as a grey dot. The right picture shows the probability of improvement for each pair of algorithms that
    learn. With fewer than two algorithms that learn, there is only the left picture.
    """
    lines, learners = task["lines"], [line["algorithm"] for line in task["lines"] if line["decisions"]]
    picture, axes = subplots(1, 2, (12, 1.2 + 0.32 * len(lines)))
    scores_of(axes[0, 0], task, len(learners))
    if len(learners) > 1:
        chances_of(axes[0, 1], task["improvement"], learners)
    else:
        axes[0, 1].remove()
    save(picture, path)


def scores_of(axis: Any, task: Data, learners: int) -> None:
    """Draw the scores. A line separates the bots from the algorithms that learn."""
    for row, line in enumerate(task["lines"]):
        colour, score = (
            colour_of(line["algorithm"]),
            {key: 100 * line["score"][key] for key in ("value", "low", "high")},
        )
        runs = [100 * of_seed for of_seed in task["scores"][line["algorithm"]].values()]
        axis.plot([score["low"], score["high"]], [row, row], color=colour, lw=7, alpha=0.5, solid_capstyle="butt")
        axis.plot(runs, [row] * len(runs), "o", ms=4, color="0.35", alpha=0.6, mew=0)
        axis.plot(score["value"], row, "|", ms=13, mew=2, color=colour)
    if 0 < learners < len(task["lines"]):
        axis.axhline(learners - 0.5, color="0.5", lw=0.8)
    names = [line["algorithm"] for line in task["lines"]]
    axis.set(xlabel="score: games won against the held-out opponents, %", yticks=range(len(names)), yticklabels=names)
    axis.set_ylim(len(names) - 0.5, -0.5)  # the first row is at the top
    axis.grid(axis="x", alpha=0.3)


def chances_of(axis: Any, improvement: Data, learners: Sequence[str]) -> None:
    """Draw a matrix of the probabilities that a run of the row's algorithm has a higher score than a run of the
    column's algorithm.
    """
    chances = np.array(
        [[improvement[one][other]["value"] if one != other else np.nan for other in learners] for one in learners]
    )
    axis.imshow(chances, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
    for row, column in np.argwhere(np.isfinite(chances)):
        colour = "white" if abs(chances[row, column] - 0.5) > 0.35 else "black"
        axis.text(column, row, f"{chances[row, column]:.2f}", ha="center", va="center", fontsize=8, color=colour)
    axis.set(yticks=range(len(learners)), yticklabels=learners, xticks=range(len(learners)), xticklabels=learners)
    axis.tick_params(axis="x", rotation=45)
    axis.set_title("probability that a run of the row has a higher score than one of the column", fontsize=9)


def draw_curves(task: Data, path: Path) -> None:
    """Draw the learning curves of the win rates and the margin. Each curve is drawn twice: against the number of
    decisions, and against the processor time in minutes. The 95 % intervals are shaded.
    """
    picture, axes = subplots(len(SHOWN), len(AXES), (11, 10))
    for row, (key, checker, scale, label) in enumerate(SHOWN):
        for column, (along, unit, below) in enumerate(AXES):
            axis = axes[row, column]
            for algorithm, curve in task["curves"].items():
                draw_curve(axis, unit * np.array(curve[along]), curve[key][checker], scale, algorithm)
            axis.set(xlabel=below, ylabel=label)
            if key == "margins":
                axis.set_ylim(bottom=lowest(task, checker))
    picture.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6, fontsize=8)
    save(picture, path)


def lowest(task: Data, checker: str) -> float | None:
    """Return the lower end of the axis for margins. This end lies below the 95 % intervals at the last points of all
    learning curves. Returns None if there are no learning curves.
    """
    last = [curve["margins"][checker][-1]["low"] for curve in task["curves"].values() if len(curve["decisions"]) > 1]
    return min(last) - 20 if last else None


def draw_curve(axis: Any, at: np.ndarray, figures: Sequence[dict[str, float]], scale: float, algorithm: str) -> None:
    """Draw the learning curve of an algorithm. For an algorithm that does not learn, draw a horizontal line."""
    colour = colour_of(algorithm)
    if len(at) < 2:
        style = BOT_LINES.get(algorithm, (0, (1, 3)))
        axis.axhline(scale * figures[0]["value"], color=colour, ls=style, lw=1, label=algorithm)
        return
    value, low, high = (scale * np.array([figure[key] for figure in figures]) for key in ("value", "low", "high"))
    axis.plot(at, value, "o-", ms=3, color=colour, label=algorithm)
    axis.fill_between(at, low, high, color=colour, alpha=0.15)


def colour_of(algorithm: str) -> Any:
    """Return the colour of an algorithm, which is the same in all pictures. Bots are dark grey. An algorithm that is
    not part of the package has one of the light colours.
    """
    from matplotlib import colormaps

    if algorithm in BOT_LINES:
        return "0.25"
    number = 2 * LEARNERS.index(algorithm) if algorithm in LEARNERS else 1 + 2 * (zlib.crc32(algorithm.encode()) % 10)
    return colormaps["tab20"](number)


def draw_profiles(pool: Data, path: Path) -> None:
    """Draw the performance profiles of a group of tasks. For each threshold, a profile shows the fraction of runs whose
    score is above the threshold.
    """
    picture, axes = subplots(1, 1, (8, 4.5))
    axis, at = axes[0, 0], 100 * np.array(pool["thresholds"])
    for algorithm, profile in pool["profiles"].items():
        colour, style = colour_of(algorithm), BOT_LINES.get(algorithm, "-")
        axis.plot(at, profile["value"], color=colour, ls=style, label=algorithm)
        axis.fill_between(at, profile["low"], profile["high"], color=colour, alpha=0.15)
    axis.set(xlabel="score, %", ylabel="share of runs with a higher score", ylim=(0, 1.02))
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
