"""Measure the quality of a learned value function: `python -m training.judge_values --preset base`.

The command computes two measures, ranking and calibration, on games that were not used for learning.

**Ranking**: This measure tells how well a bot's heuristic values order the actions of a position. In each position, the
command tries every promising action, and lets `keen` play the rest of the game. All actions are tried on the same
reshuffled stacks. The mean final margin after an action counts as its true value. Two statistics compare a bot's
heuristic values with the true values. The first statistic is Kendall's tau. The second statistic is the points lost:
the true value of the best action minus the true value of the action with the highest heuristic value.

**Calibration**: The predicted margin of a position is compared with the final margin of its game. The predicted
probability of winning is compared with the fraction of games won. The positions are divided into four groups by the
number of tiles left. The plot of the calibration has one curve for each group.
"""

import argparse
import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.arena.noted_tables import Tables, play_tables
from carc_env.arena.shards import prices_of
from carc_env.bots import make
from carc_env.bots.learned import shipped_prices
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.common.progress import progress
from carc_env.games.games import Games
from carc_env.observing.prospects import LEARNED
from carc_env.observing.value_network import Asked, chance_to_win, tensors_of
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.rollouts import LISTED, list_answers, roll_out_all, room_for
from carc_env.setup.config import GameConfig, preset

BOTS = ("greedy", "keen", "learned")
# compare at most MOST actions, with heuristic values at most NEAR points below the best one
MOST, NEAR = 8, 8.0
SEED = 9 * 10**11  # the seed of the first game; it is far from the seeds of the games used for learning


def rankings(config: GameConfig, questions: int, stacks: int) -> dict[str, dict[str, float]]:
    """Compare each bot's heuristic values of actions with the true values. Returns Kendall's tau and the points lost,
    with standard errors. The points lost are the true value of the best action minus the true value of the action with
    the highest heuristic value.
    """
    found: dict[str, list[tuple[float, float]]] = {bot: [] for bot in BOTS}
    tables = {bot: prices_of(bot, config) for bot in BOTS}
    with progress() as show:
        for number in range(questions):
            games = position(config, number)
            listed = {bot: prices_by_answer(games, tables[bot]) for bot in BOTS}
            best = sorted(listed["keen"], key=lambda answer: -listed["keen"][answer])[:MOST]
            answers = [answer for answer in best if listed["keen"][answer] >= listed["keen"][best[0]] - NEAR]
            if len(answers) > 1:
                truth = played_out(games, tables["keen"], answers, stacks, number)
                for bot in BOTS:
                    found[bot].append(judged(np.array([listed[bot][answer] for answer in answers]), truth))
            show("questions", number + 1, questions)
    return {bot: figures(np.array(rows)) for bot, rows in found.items()}


def position(config: GameConfig, number: int) -> Games:
    """Let `keen` play a game against itself. The game is stopped midway, at a decision with at least five legal
    actions. Returns the game.
    """
    games, keen, rng = Games(config, 1, [SEED + number]), make("keen"), np.random.default_rng(number)
    stop = rng.integers(3, int(games.records["n_deck"][0]) - 3)
    while games.records["n_drawn"][0] < stop or (games.legal_mask().sum() < 5 and not games.is_over[0]):
        games.step(keen.choose_batch(games))
    return games


def prices_by_answer(games: Games, prices: np.ndarray) -> dict[int, float]:
    """Return the heuristic value of each legal action, as a dict. The keys of the dict are action ids."""
    listed, rooms = np.zeros(MAX_ANSWERS, LISTED), room_for(games.records.dtype)
    n = list_answers(games.records, tile_table(), prices, *rooms, listed)
    return dict(zip(listed["answer"][:n].tolist(), listed["price"][:n].tolist()))


def played_out(games: Games, prices: np.ndarray, answers: Sequence[int], stacks: int, seed: int) -> np.ndarray:
    """Return the mean final margin after each action, from rollouts on reshuffled stacks."""
    listed, rooms = np.zeros(MAX_ANSWERS, LISTED), room_for(games.records.dtype)
    n = list_answers(games.records, tile_table(), prices, *rooms, listed)
    which = np.array([listed["answer"][:n].tolist().index(answer) for answer in answers])
    out = np.zeros((stacks, n))
    roll_out_all(games.records, tile_table(), prices, *rooms, listed, which, seed_words([seed])[0], 0, MAX_ANSWERS, out)
    return np.asarray(out[:, which].mean(0))


def judged(prices: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Compare heuristic values with true values. Returns Kendall's tau and the points lost.

    `prices` contains the heuristic values, and `truth` contains the true values. The points lost are the true value of
    the best action minus the true value of the action with the highest heuristic value.
    """
    one, other = np.triu_indices(len(prices), 1)
    signs = np.sign(prices[one] - prices[other]) * np.sign(truth[one] - truth[other])
    return float(signs.mean()), float(truth.max() - truth[prices.argmax()])


def figures(rows: np.ndarray) -> dict[str, float]:
    """Return two means and their standard errors: the mean of Kendall's tau, and the mean of the points lost."""
    error = rows.std(0, ddof=1) / len(rows) ** 0.5
    return {
        "questions": len(rows),
        "tau": round(float(rows[:, 0].mean()), 3),
        "tau_error": round(float(error[0]), 3),
        "points_lost": round(float(rows[:, 1].mean()), 3),
        "points_lost_error": round(float(error[1]), 3),
    }


# --- calibration ------------------------------------------------------------------------------------------------------
def expected(columns: dict[str, np.ndarray], network: np.ndarray) -> np.ndarray:
    """Predict the margin of each position. The prediction is a hand-made estimate (the column `promised`) plus the
    correction by the network.
    """
    from .learn_values import half_of  # it loads torch

    return np.asarray(columns["promised"] + half_of(tensors_of(network))(columns["inputs"]))


def draw(columns: dict[str, np.ndarray], margins: np.ndarray, scatter: float, path: Path, title: str) -> None:
    """Plot real values against predicted values. The left plot shows margins, and the right plot shows probabilities of
    winning. The positions are divided into four groups by the number of tiles left. Each group has its own curve.
    """
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    won = np.sign(columns["margin"]) / 2 + 0.5
    chance = chance_to_win(margins, columns["left"], scatter)
    edges = np.quantile(columns["left"], [0, 0.25, 0.5, 0.75, 1])
    for k, (low, high) in enumerate(itertools.pairwise(edges)):
        some = (columns["left"] >= low) & (columns["left"] <= high)
        color, label = f"C{k}", f"{low:.0f} to {high:.0f} tiles left"
        for axes, predicted, real in ((left, margins, columns["margin"]), (right, chance, won)):
            axes.plot(*binned(predicted[some], real[some]), ".-", color=color, label=label)
    for axes, what, ends in ((left, "margin, points", (-40, 40)), (right, "chance to win", (0, 1))):
        axes.plot(ends, ends, ":", color="gray")
        axes.set(xlabel=f"predicted {what}", ylabel="real", xlim=ends, ylim=ends, aspect="equal")
    left.legend(fontsize=8)
    figure.suptitle(title)
    figure.savefig(path, dpi=110)


def binned(predicted: np.ndarray, real: np.ndarray, bins: int = 12) -> tuple[list[float], list[float]]:
    """Sort the positions by predicted value, and divide them into bins with equal numbers of positions. Returns two
    lists with one number for each bin: the mean predicted values and the mean real values.
    """
    parts = np.array_split(np.argsort(predicted, kind="stable"), bins)
    return [float(predicted[part].mean()) for part in parts], [float(real[part].mean()) for part in parts]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the quality of a learned value function and print the results as JSON. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.judge_values", description="Measure the quality of a learned value function."
    )
    parser.add_argument("--preset", default="base", metavar="P", help="the preset (base)")
    parser.add_argument(
        "--questions", type=int, default=200, metavar="N", help="the number of positions whose actions are ranked (200)"
    )
    parser.add_argument(
        "--stacks", type=int, default=200, metavar="N", help="the number of reshuffled stacks for each position (200)"
    )
    parser.add_argument(
        "--games", type=int, default=2000, metavar="N", help="the number of games for the calibration (2000)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="save a plot of the calibration as PNG or SVG")
    asked = parser.parse_args(argv)
    config = preset(asked.preset)
    told: dict[str, Any] = {"preset": asked.preset, "ranking": rankings(config, asked.questions, asked.stacks)}
    columns = play_tables(*Tables(config, prices_of("learned", config), errors=0).job(SEED, asked.games))
    network = shipped_prices(config, Asked.LEAVES)[LEARNED]
    margins = expected(columns, network)
    told["squared_error"] = {
        "prospects": round(float(np.square(columns["promised"] - columns["margin"]).mean()), 1),
        "learned": round(float(np.square(margins - columns["margin"]).mean()), 1),
    }
    if asked.out:
        draw(
            columns,
            margins,
            float(network["scatter"][0, 0]),
            asked.out,
            f"{asked.preset}: {asked.games:,} games of `learned` against itself",
        )
    print(json.dumps(told, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
