"""Draw the learning curve of a training run."""

from pathlib import Path
from typing import Any

import numpy as np

from .learner import COLUMNS


def draw(rows: list[dict[str, float]], path: Path) -> None:
    """Draw the win rates, the margin and the entropy. The horizontal axis shows the training time in minutes. Two
    periods are shaded: the training of the teacher, and the imitation phase.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figures = {key: np.array([row.get(key, np.nan) for row in rows], float) for key in COLUMNS}
    lessons = figures["minutes"][~np.isnan(figures["lesson_loss"])]
    picture, (wins, points) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    draw_wins(wins, figures)
    draw_points(points, figures)
    for half in (wins, points):
        # If training ends during the imitation phase, there are no curves from which matplotlib could set the limits of
        # the axis.
        half.set_xlim(0, 1.05 * figures["minutes"].max())
        if len(lessons):
            shade(half, 0, lessons[0], "0.97", "the teacher learns and plays")
            shade(half, lessons[0], lessons[-1], "0.93", "lessons")
    picture.savefig(path, dpi=130)
    pyplot.close(picture)


def shade(half: Any, first: float, last: float, colour: str, name: str) -> None:
    """Shade and label an interval of minutes in one of the two plots."""
    half.axvspan(first, last, color=colour, zorder=-1)
    half.text((first + last) / 2, 0.99, name, ha="center", va="top", fontsize=7, transform=half.get_xaxis_transform())


def draw_wins(wins: Any, figures: dict[str, np.ndarray]) -> None:
    """Draw the win rates in training games and in matches. In matches, the network plays its best actions."""
    for key, label in (
        ("win_random", "random"),
        ("win_past", "earlier versions"),
        ("win_self", "itself"),
        ("win_greedy", "greedy"),
    ):
        wins.plot(figures["minutes"], smooth(100 * figures[key]), lw=1, label=f"while learning, against {label}")
    checked = ~np.isnan(figures["check"])
    if checked.any():
        middle, low, high = (100 * figures[key][checked] for key in ("check", "check_low", "check_high"))
        wins.errorbar(
            figures["minutes"][checked],
            middle,
            (middle - low, high - middle),
            fmt="ko-",
            ms=3,
            lw=1,
            capsize=2,
            label="playing its best, against greedy (95 %)",
        )
    wins.axhline(50, color="0.8", lw=0.8, zorder=0)
    wins.set(xlabel="minutes", ylabel="games won, %", ylim=(0, 102), title="Win rate")
    wins.legend(fontsize=7, loc="best")


def draw_points(points: Any, figures: dict[str, np.ndarray]) -> None:
    """Draw curves of the margin and of the policy's entropy over the minutes of training."""
    points.plot(figures["minutes"], smooth(figures["margin"]), label="margin in points")
    points.axhline(0, color="0.8", lw=0.8, zorder=0)
    points.set(xlabel="minutes", ylabel="points", title="Margin over all opponents, and entropy")
    entropy = points.twinx()
    entropy.plot(figures["minutes"], figures["entropy"], "C1", label="entropy of its choices")
    entropy.set(ylabel="nats", ylim=(0, None))
    lines = points.get_lines()[:1] + entropy.get_lines()
    points.legend(lines, [line.get_label() for line in lines], fontsize=7, loc="best")


def smooth(values: np.ndarray, width: int = 5) -> np.ndarray:
    """Return moving averages over the latest `width` values. Missing values (nan) are ignored."""
    windows = [values[max(0, end - width + 1) : end + 1] for end in range(len(values))]
    return np.array([np.nan if np.isnan(window).all() else np.nanmean(window) for window in windows])
