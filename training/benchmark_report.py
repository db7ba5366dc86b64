"""Report the results of the benchmark, as a table for the terminal and as the page docs/benchmark_results.md.

`python -m training.benchmark_report` writes the page with its JSON file and its pictures.
"""

import argparse
import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from carc_env.bots.checkpoint import write_whole

from . import benchmark_data, benchmark_pictures, benchmark_plan, results
from .results import REACHED, Line
from .stats import Figure
from .tasks import LONG

WIDTH = 100  # the greatest length of a line on the page

DOCS = Path(__file__).parents[1] / "docs"
NAME = "benchmark_results"  # the name of the page and of its JSON file, without the suffix
Data = dict[str, Any]
TITLES = {"rollout:playouts=64": "rollout 64", "ppo": "shipped agent"}  # column titles that differ from the bot's spec
# the columns of the first two tables in the section on a task
STRENGTH = ("algorithm", "seeds", "score, %", "P(better than the next)", "SD between runs (by luck alone)")
LEARNING = (
    "algorithm", "decisions", "area, %", f"decisions and CPU minutes to {round(100 * REACHED)} %", "decisions/s",
    "per CPU second", "minutes",
)  # fmt: skip

HEAD = f"""# Results of the benchmark

`make docs` writes this page from the files under `benchmarks/`.
[{NAME}.json]({NAME}.json) contains all numbers on the page, and further numbers.
The page about [the benchmark](benchmark.md) describes the protocol.

"""
NOTHING = """Nothing has been measured with version 2 of the tasks yet, so this page has no tables.
`carc benchmark all --workers 2` runs the whole benchmark. `carc benchmark --plan` estimates how
long that takes.
"""
CHECKING = """## Check this page in ten minutes

1. Run `carc benchmark --check benchmarks`. The command checks that the results are complete and
   that their versions match the code of this checkout.
2. Run `make docs`, then `git diff docs`. `make docs` makes the page, its JSON file and its pictures
   from the result files, so `git diff docs` should show no difference. (The pictures may differ
   slightly with another version of matplotlib.)
3. Open a result file, such as `{place}`.
   The entry `final` lists, for each pair of games, the share of games won and the margin. The win
   rate and the margin of a seed against an opponent are the means over all pairs of games against
   this opponent.
4. Measure seed 1 again:
   `carc benchmark {task} --algorithm {algorithm} --seeds 1 --results again`.
   Compare `again/{relative}` with the file of the same name under `benchmarks`. The `wins` and
   `margins` should be equal; only times and the commit differ. On another type of processor, a
   rounding error may change an action, and then the rest of the run.

"""
READING = """## How to read the tables

Each task has three tables. The algorithms that learn come first, then the bots. Bots do not learn,
so they are not in the second table. For bots, a seed determines the order of the tiles and the
random choices of the bots.

The first table shows how strong the trained agents are:

- **score**: the share of games won against the three held-out opponents (keen, rollout 64, shipped
  agent). A tie counts as half a win, and the three opponents have the same weight. The bots `keen`
  and `rollout` are also held-out opponents, so a third of the score of these two bots comes from
  games against themselves.
- **P(better than the next)**: the probability that a run of this algorithm has a higher score than
  a run of the algorithm in the next row. Equal scores count as one half. The two algorithms do not
  play against each other. The picture of the scores shows the probability of a higher score for all
  pairs of algorithms that learn.
- **SD between runs (by luck alone)**: the standard deviation of the scores of the runs, in
  percentage points. In brackets: the standard deviation that luck in the games would cause if all
  runs were equally strong. If both standard deviations are about the same, the scores of the runs
  differ mainly because of luck in the games.
- **random** to **shipped agent**: one column for each evaluation opponent, with the share of games
  won and the margin in points. The bots `greedy` and `keen` win exactly half of the games against
  themselves.
- **ms per action**: the wall-clock time per action, in milliseconds, in the fastest match of the
  evaluation. Many games are played at once in a match. The time is taken from the fastest match,
  because other processes delayed this match least.

The second table shows how fast the algorithms learn:

- **decisions**: the number of decisions from which a run learned (the maximum over all seeds).
- **area**: the share of games won against `keen`, averaged over the points of the learning curve.
  Fast learning and a strong agent both increase the area.
- **decisions and CPU minutes to {reached} %**: how much learning it takes until the win rate
  against `greedy`, averaged over the seeds, stays at or above {reached} %. CPU minutes are minutes
  of processor time.
- **decisions/s** and **minutes** use wall-clock time, and **per CPU second** uses processor time.
  These three columns show medians over seeds and do not include the time of the matches. Other
  processes slow down some runs, so compare algorithms by processor time.

The third table shows the versions of the algorithms.

Scores, win rates, margins and areas are interquartile means over seeds. An interquartile mean
leaves out the lowest and the highest quarter of the runs, rounded down. With ten runs, it is the
mean of the middle six; with five runs, the mean of the middle three; with three runs, the mean of
all. Therefore, the score of an algorithm is not exactly the mean of its win rates against the three
held-out opponents. The grey dots in the picture of the scores are single runs.

The ranges in brackets are 95 % intervals from a bootstrap. The page about [the
benchmark](benchmark.md#the-protocol) says how often a bootstrap interval contains the true value.
An interval of width 0 shows only that the bootstrap found no variation. If an agent loses all of
500 games, its true win rate may still be 0.7 %.

"""


# --- the terminal -----------------------------------------------------------------------------------------------------
def text_table(found: Sequence[Line]) -> str:
    """Return a table with one line per algorithm. Each line shows the algorithm's score with its 95 % interval. The
    line also shows the win rate and the margin in points against each opponent of the evaluation.
    """
    judges = list(found[0].win_rate)
    head = (
        f"{'algorithm':18}{'seeds':>6}{'decisions':>11}  {'score':24}"
        + "".join(f"{TITLES.get(judge, judge):>16}" for judge in judges)
        + f"{'decisions/s':>13}{'per CPU second':>16}{'illegal':>9}"
    )
    rows = [
        f"{one.algorithm:18}{one.seeds:>6}{one.decisions:>11,}  {ranged(one.score.to_dict()):24}"
        + "".join(f"{both(one.win_rate[judge], one.margin[judge]):>16}" for judge in judges)
        + f"{number(one.decisions_per_s):>13}{number(one.decisions_per_processor_s):>16}{one.illegal:>9}"
        for one in found
    ]
    return "\n".join([head, *rows])


def both(won: Figure, points: Figure) -> str:
    """Return a win rate and a margin as text."""
    return f"{won.value:.1%} {points.value:+.1f}"


def number(value: float | None) -> str:
    """Return a number as text with thousands separators. For None, return a dash."""
    return "-" if value is None else f"{value:,.0f}"


def ranged(figure: Data | None, form: str = ".1%") -> str:
    """Return an estimate with its interval as text. If there is no estimate (None), return a dash."""
    return "-" if figure is None else f"{figure['value']:{form}} ({figure['low']:{form}} to {figure['high']:{form}})"


def percent(figure: Data | None) -> str:
    """Return a share with its interval as text, in per cent, without the per cent sign."""
    return ranged(figure and {key: 100 * figure[key] for key in ("value", "low", "high")}, ".1f")


# --- the page ---------------------------------------------------------------------------------------------------------
def page(data: Data) -> str:
    """The whole page."""
    if not data["tasks"]:
        return HEAD + NOTHING
    parts = [checking(data), READING.format(reached=round(100 * REACHED)), measured(data)]
    parts += [pool(one) for one in data["pools"]]
    parts += [] if data["long"] is None else [long(data["long"])]
    return wrapped(HEAD + "".join([*parts, *(section(one) for one in data["tasks"])]).rstrip()) + "\n"


def wrapped(text: str) -> str:
    """Break the long lines of a page, except titles, pictures and lines of tables."""
    return "\n".join(
        line if line.startswith(("|", "!", "#")) or len(line) <= WIDTH else broken(line) for line in text.split("\n")
    )


def broken(line: str) -> str:
    """Break a long line. The continuation lines of a list item are aligned with the first word of the item."""
    indent = " " * (len(line) - len(line.lstrip(" -")))
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def checking(data: Data) -> str:
    """Return the section that explains how to check the results on the page. The example in this section is the task
    with the smallest budget.
    """
    task = min(data["tasks"], key=lambda one: one["task"]["decisions"])
    learners = [line for line in task["lines"] if line["decisions"]] or task["lines"]
    algorithm = learners[0]["algorithm"]
    relative = f"{task['id']}/{algorithm}/seed1.json"
    told = task["task"]
    short = told["name"] + f" --decisions {told['decisions']}" * told["is_short"]
    spec = f"benchmarks/{task['files'][algorithm]}:{algorithm}" if algorithm in task["files"] else algorithm
    return CHECKING.format(place=f"benchmarks/{relative}", task=short, algorithm=spec, relative=relative)


def measured(data: Data) -> str:
    """Return the section that lists the measured tasks, the machines and the libraries."""
    head = ("task", "algorithms", "seeds", "hours of learning", "commits", "illegal actions", "interrupted runs")
    rows = [
        (
            f"[{one['id']}](#{one['id'].lower()})",
            str(len(one["lines"])),
            seeds_of(one),
            f"{one['processor_hours']:.1f}",
            ", ".join(f"`{commit}`" for commit in one["commits"]),
            str(sum(line["illegal"] for line in one["lines"])),
            str(sum(line["breaks"] for line in one["lines"])),
        )
        for one in data["tasks"]
    ]
    told = {key: sorted({told for one in data["tasks"] for told in one[key]}) for key in ("machines", "libraries")}
    return (
        "## What was measured\n\n"
        + table(head, rows)
        + "\nThe hours of learning are hours of processor time. The time of the matches is not included.\n\n"
        + "".join(f"- {key}: {'; '.join(of)}\n" for key, of in told.items())
        + "\n"
    )


def seeds_of(task: Data) -> str:
    """Return a text with the number of seeds that each algorithm used on a task. If the algorithms have different
    numbers of seeds, return the lowest and the highest number.
    """
    found = sorted({line["seeds"] for line in task["lines"]})
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def pool(one: Data) -> str:
    """Return the section with the combined results of a group of tasks."""
    rows = [
        (
            f"`{line['algorithm']}`",
            percent(line["score"]),
            ranged(line["beats_next"], ".2f"),
            *(f"{100 * score:.1f}" for score in line["by_task"]),
        )
        for line in one["lines"]
    ]
    return (
        f"## The tasks on {one['pool']} combined\n\n"
        f"This section combines {', '.join(one['tasks'])}, with {one['seeds']} seeds per task. The table has the "
        "algorithms with complete results on all of these tasks. The evaluation opponents differ between the tasks, "
        "so the scores of different tasks are not on the same scale. The last columns give the score on each task, "
        "for the same seeds. The performance profile shows, for each threshold, the share of runs with a higher "
        "score.\n\n"
        + table(("algorithm", "score, %", "P(better than the next)", *one["tasks"]), rows)
        + f"\n![Performance profiles]({benchmark_pictures.profiles_name(one)})\n\n"
    )


def long(one: Data) -> str:
    """Return the section that compares the rankings for two budgets on the main task.

    The first budget is the task's own budget. The second budget is the task's own budget multiplied by the constant
    `LONG`.
    """
    rows = [
        (
            f"`{line['algorithm']}`",
            percent(line["score"]),
            str(line["rank"]),
            percent(line["later"]),
            str(line["later_rank"]),
            percent(line["gain"]),
        )
        for line in one["lines"]
    ]
    head = [cell for task in one["tasks"] for cell in (f"score on {task}, %", "rank")]
    seeds = [f"{min(of)} to {max(of)}" if len({*of}) > 1 else str(of[0]) for of in one["seeds"]]
    return (
        f"## The main task with {LONG} times its budget\n\n"
        f"Kendall's tau-b of the two rankings is {ranged(one['agreement'], '.2f')}; 1 would mean equal rankings. For "
        f"comparison, tau-b is {one['ceiling']:.2f} for two rankings with the usual budget, one from the odd seeds and "
        f"one from the even seeds. The numbers of seeds behind the two scores are {' and '.join(seeds)}. The gain is "
        "the second score minus the first score, both for the same seeds, in percentage points.\n\n"
        + table(("algorithm", *head, "gain"), rows)
        + "\n"
        + swapped(one)
    )


def swapped(one: Data) -> str:
    """Return a table with the pairs of algorithms that have opposite orders in the two rankings."""
    if not one["swaps"]:
        return "Both rankings have the same order.\n\n"
    count = len(one["lines"])
    rows = [
        (
            " and ".join(f"`{name}`" for name in pair["algorithms"]),
            ranged(pair["before"], ".2f"),
            ranged(pair["later"], ".2f"),
        )
        for pair in one["swaps"]
    ]
    return (
        f"The order of {len(one['swaps'])} of {count * (count - 1) // 2} pairs of algorithms depends on the budget. "
        "For these pairs, the next table shows the probability that a run of the first algorithm has a higher score "
        "than a run of the second one.\n\n"
        + table(("first and second algorithm", *(f"P(first is better) on {task}" for task in one["tasks"])), rows)
        + "\n"
    )


def section(one: Data) -> str:
    """Return the section on a task."""
    task, lines = one["task"], one["lines"]
    judges = list(lines[0]["win_rate"])
    versions = one["versions"]
    told = [versions["task"], versions["game"], versions["protocol"], *versions["bots"].values()]
    kinds = ("algorithm", "network", "settings")
    own = [(f"`{line['algorithm']}`", *(f"`{line['versions'][kind]}`" for kind in kinds)) for line in lines]
    return (
        f"## {one['id']}\n\n"
        f"The games have the preset `{task['preset']}` and {task['players']} players. An algorithm learns from the "
        f"observation `{task['observation']}` against the opponent `{task['opponent']}`, with a budget of "
        f"{task['decisions']:,} decisions. In the evaluation, the agent of each seed plays {task['eval_pairs']} pairs "
        f"of games against each evaluation opponent.{unmeasured(one)}\n\n"
        + f"![Scores on {one['id']}]({benchmark_pictures.scores_name(one)})\n\n"
        + table(
            (*STRENGTH, *(TITLES.get(judge, judge) for judge in judges), "ms per action"),
            [strength(line) for line in lines],
        )
        + "".join(f"\n{alike(pair)}\n" for pair in one["twins"])
        + f"\n![Learning curves on {one['id']}]({benchmark_pictures.curves_name(one)})\n\n"
        + table(LEARNING, [learning(line) for line in lines if line["decisions"]])
        + "\n"
        + "Versions: "
        + ", ".join(f"`{version}`" for version in told)
        + ".\n\n"
        + table(("algorithm", *(f"version of the {kind}" for kind in kinds)), own)
        + "\n"
    )


def unmeasured(one: Data) -> str:
    """Return a sentence that lists the algorithms without results on a task. Only algorithms of the published tables
    are listed. If every algorithm has results, return an empty text.
    """
    wanted = [row.algorithm for row in benchmark_plan.rows() if row.task.id == one["id"]]
    names = [f"`{name}`" for name in wanted if name not in {line["algorithm"] for line in one["lines"]}]
    return f" The table is incomplete: it still lacks {', '.join(names)}." if names else ""


def strength(line: Data) -> tuple[str, ...]:
    """Return an algorithm's row in the table that shows how strong the trained agents are."""
    return (
        f"`{line['algorithm']}`",
        str(line["seeds"]) if line["seeds"] >= line["needed"] else f"{line['seeds']} of {line['needed']}",
        percent(line["score"]),
        ranged(line["beats_next"], ".2f"),
        f"{100 * line['spread']:.1f} ({100 * line['spread_of_games']:.1f})",
        *(f"{percent(won)}, {line['margin'][judge]['value']:+.1f}" for judge, won in line["win_rate"].items()),
        f"{line['ms_per_action']:.2g}",
    )


def alike(pair: Data) -> str:
    """Return a sentence about two algorithms that learn in the same way."""
    one, other = (f"`{name}`" for name in pair["algorithms"])
    return (
        f"In {pair['equal']} of {pair['seeds']} seeds, {one} and {other} have the same score. They learn in the same "
        "way, so compare other algorithms with only one of them."
    )


def learning(line: Data) -> tuple[str, ...]:
    """Return an algorithm's row in the table that shows how fast the algorithms learn."""
    reached = line["reached_decisions"]
    return (
        f"`{line['algorithm']}`",
        f"{line['decisions']:,}",
        percent(line["area"]),
        "-" if reached is None else f"{reached:,.0f}, {line['reached_cpu_minutes']:.2f} min",
        number(line["decisions_per_s"]),
        number(line["decisions_per_processor_s"]),
        f"{line['minutes']:.1f}",
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page, its JSON file and its pictures. Returns the exit status."""
    found = argparse.ArgumentParser(
        "python -m training.benchmark_report", description="Write the page of results, its JSON file and its pictures."
    )
    found.add_argument(
        "--results",
        type=Path,
        default=results.FOLDER,
        metavar="DIR",
        help=f"the folder with the results ({results.FOLDER})",
    )
    found.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="the folder for the page (docs)")
    asked = found.parse_args(argv)
    data = benchmark_data.gather(asked.results)
    write_whole(asked.docs / f"{NAME}.json", (json.dumps(data, indent=1) + "\n").encode())
    write_whole(asked.docs / f"{NAME}.md", page(data).encode())
    for old in asked.docs.glob("benchmark_*.png"):
        old.unlink()
    for task in data["tasks"]:
        benchmark_pictures.draw_scores(task, asked.docs / benchmark_pictures.scores_name(task))
        benchmark_pictures.draw_curves(task, asked.docs / benchmark_pictures.curves_name(task))
    for one in data["pools"]:
        benchmark_pictures.draw_profiles(one, asked.docs / benchmark_pictures.profiles_name(one))
    print(asked.docs / f"{NAME}.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
