"""What was measured, for people: a table for the terminal, and the tables and curves of docs/benchmark.md: `python -m
training.benchmark_report`.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import results
from .ppo import OPPONENTS
from .results import Figure, Line
from .tasks import JUDGES, TASKS, Task

PAGE = Path(__file__).parents[1] / "docs" / "benchmark.md"
BEGIN, END = "<!-- results: written by `python -m training.benchmark_report` -->", "<!-- end of results -->"
TITLES = {"random": "random", "greedy": "greedy", "ppo": "the shipped agent"}


def text_table(found: Sequence[Line]) -> str:
    """A line for each algorithm: games won and points ahead, with 95 % intervals."""
    head = (
        f"{'algorithm':18}{'seeds':>6}{'decisions':>11}"
        + "".join(f"  {f'against {judge}':32}" for judge in JUDGES)
        + f"{'decisions/s':>12}{'a core':>9}{'illegal':>9}"
    )
    rows = [
        f"{one.algorithm:18}{one.seeds:>6}{one.decisions:>11,}"
        + "".join(f"  {both(one, judge):32}" for judge in JUDGES)
        + f"{speed(one.decisions_per_s):>12}{speed(one.decisions_per_processor_s):>9}{one.illegal:>9}"
        for one in found
    ]
    return "\n".join([head, *rows])


def both(one: Line, judge: str) -> str:
    """Games won, with their interval, and points."""
    return f"{ranged(one.win_rate[judge], '.1%')} {one.margin[judge].value:+.1f}"


def speed(decisions_per_s: float | None) -> str:
    """Decisions a second; a dash for what learns nothing."""
    return "-" if decisions_per_s is None else f"{decisions_per_s:,.0f}"


def ranged(figure: Figure, form: str) -> str:
    """A figure with its interval, if it has one."""
    return f"{figure.value:{form}}" + ("" if figure.low is None else f" ({figure.low:{form}} to {figure.high:{form}})")


# --- the page ---------------------------------------------------------------------------------------------------------
def section(folder: Path, task: Task) -> list[str]:
    """The part of the page about a task."""
    found = results.lines(folder, task)
    head = [
        "algorithm",
        "seeds",
        *(f"{TITLES[judge]}{what}" for judge in JUDGES for what in (", won", ", margin")),
        "decisions/s",
        "a core-second",
        "minutes a seed",
    ]
    command = f"carc benchmark {task.name} --algorithm NAME" + f" --decisions {task.decisions}" * task.is_short
    is_old = (task.name, task.version) not in {(one.name, one.version) for one in TASKS}
    said = f"Version {task.version} of the task no longer runs; these are its figures" if is_old else f"`{command}`"
    return [
        f"### {task.id}",
        "",
        f"{said}: {task.preset}, {task.observation}, against `{task.opponent}`, {task.decisions:,} decisions; "
        f"{task.eval_pairs} pairs of games a seed and opponent. Illegal answers of all: "
        f"{sum(one.illegal for one in found)}.",
        "",
        *(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *map(cells, found))),
        "",
        f"![Curves of {task.id}]({picture_name(task)})",
        "",
        f"Measured on {machines(folder, task)}.",
        "",
    ]


def cells(one: Line) -> list[str]:
    """The row of an algorithm in the table of a task."""
    strength = [
        text for judge in JUDGES for text in (ranged(one.win_rate[judge], ".1%"), ranged(one.margin[judge], "+.1f"))
    ]
    return [
        f"`{one.algorithm}`",
        str(one.seeds),
        *strength,
        speed(one.decisions_per_s),
        speed(one.decisions_per_processor_s),
        f"{one.minutes:.1f}",
    ]


def machines(folder: Path, task: Task) -> str:
    """What the seeds of a task were measured on."""
    found = {
        f"{one['machine']['processor']} ({one['machine']['cores']} cores; torch {one['versions'].get('torch', '-')})"
        for ones in results.of_task(folder, task).values()
        for one in ones
    }
    return ", ".join(sorted(found))


def overall(folder: Path, observation: str, found: Sequence[Task]) -> list[str]:
    """The part of the page about the tasks with an observation taken together; nothing unless two were measured
    whole.
    """
    whole = [task for task in found if not task.is_short and task.observation == observation]
    rows = results.together(folder, whole) if len(whole) > 1 else []
    return [
        f"### All tasks on {observation} together",
        "",
        f"Games won against `greedy`, over {len(whole)} tasks, of what was measured on all of them.",
        "",
        "| algorithm | won |",
        "|---|---|",
        *(f"| `{name}` | {ranged(figure, '.1%')} |" for name, figure in rows),
        "",
    ] * bool(rows)


def tables(folder: Path) -> str:
    """All that stands between BEGIN and END."""
    found = results.measured(folder)
    together = [line for observation in ("planes", "candidates") for line in overall(folder, observation, found)]
    return "\n".join([BEGIN, "", *together, *(line for task in found for line in section(folder, task)), END])


def page(text: str, folder: Path) -> str:
    """The page with the tables of the results in a folder."""
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: tables(folder), text, flags=re.DOTALL)


# --- the curves -------------------------------------------------------------------------------------------------------
def picture_name(task: Task) -> str:
    """The file of the curves of a task, beside the page."""
    return f"benchmark_{task.id}.png"


def draw(folder: Path, task: Task, path: Path) -> None:
    """Draw games won and margin against each of OPPONENTS over the decisions learned from, with 95 % intervals over
    seeds.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    picture, axes = pyplot.subplots(2, 2, figsize=(11, 7), layout="constrained")
    found = results.of_task(folder, task)
    for column, opponent in enumerate(OPPONENTS):
        for row, (key, scale, label) in enumerate((("win_rate", 100, "games won, %"), ("margin", 1, "points ahead"))):
            for number, (algorithm, ones) in enumerate(found.items()):
                draw_curve(axes[row, column], ones, opponent, key, scale, f"C{number}", algorithm)
            axes[row, column].set(xlabel="thousand decisions", ylabel=label, title=f"against {opponent}")
    axes[0, 0].legend(fontsize=8)
    picture.savefig(path, dpi=110)
    pyplot.close(picture)


def draw_curve(
    axis: Any, ones: Sequence[dict[str, Any]], opponent: str, key: str, scale: float, colour: str, label: str
) -> None:
    """The curve of an algorithm; a dashed line for what learns nothing."""
    steps, figures = results.curve(ones, opponent, key)
    if max(one["decisions"] for one in ones) == 0:
        axis.axhline(scale * figures[0].value, color=colour, ls="--", lw=1, label=label)
        return
    axis.plot(steps / 1000, [scale * figure.value for figure in figures], "o-", ms=3, color=colour, label=label)
    if len(ones) > 1:
        axis.fill_between(
            steps / 1000,
            scale * np.array([figure.low for figure in figures], float),
            scale * np.array([figure.high for figure in figures], float),
            color=colour,
            alpha=0.2,
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page and its pictures anew. Returns the exit status."""
    found = argparse.ArgumentParser(
        "python -m training.benchmark_report", description="Write the tables and curves of docs/benchmark.md anew."
    )
    found.add_argument(
        "--results", type=Path, default=results.FOLDER, metavar="DIR", help=f"where results lie ({results.FOLDER})"
    )
    found.add_argument(
        "--page", type=Path, default=PAGE, metavar="FILE", help="the page; pictures are written beside it"
    )
    asked = found.parse_args(argv)
    asked.page.write_text(page(asked.page.read_text(encoding="utf-8"), asked.results), encoding="utf-8")
    for task in results.measured(asked.results):
        draw(asked.results, task, asked.page.parent / picture_name(task))
        print(asked.page.parent / picture_name(task))
    return 0


if __name__ == "__main__":
    sys.exit(main())
