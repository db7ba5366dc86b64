"""Tune the heuristic weights of the bot `keen`: `python -m training.tune_prices --minutes 60 --out keen.toml`.

CMA-ES (Hansen 2016, the package `cma`) searches for the heuristic weights with the best margin against `greedy`. The
games are played in pairs. Both games of a pair have the same tile stack, and each bot plays first in one of them.
Within a generation, all sets of weights are compared on the same tile stacks. Each generation uses newly shuffled tile
stacks. The score on a preset is the mean margin, divided by the standard deviation of the margins of pairs (`SCATTER`).
The search maximises the sum of the scores on all presets. After each generation, the centre of the search is written to
the output file. Ctrl-C stops the search. The same command then begins a new search around the weights in the output
file. Give the new search another `--seed`, because searches with the same seed use the same tile stacks.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from carc_env.boxes.prospect_parts import N_PARTS, Part
from carc_env.boxes.tiles import tile_table
from carc_env.commands.cli import positive
from carc_env.games.games import Games
from carc_env.observing.keen import keen_prices, prices_in, text_of_prices
from carc_env.observing.prospects import MOST_HELD, default_prices
from carc_env.searching.rollouts import play_against, room_for

# For each preset: pairs of games for each set of weights in a generation, and the standard deviation of a pair's mean
# margin, in points.
SCATTER = {"base": (70, 11.9), "goldmines": (60, 20.0), "carcassonne": (50, 31.0), "expansions": (30, 51.0)}
SPREAD = 0.35  # the standard deviation of each weight in the first generation, in units of its step size
CHECK = 500_000  # the seed of the first game in the matches that measure the centre of the search
NAMES = ("follower", "first_followers", "returning", "long", "ingot_gain", "others", "closing", "fitting", "filling")


def steps() -> np.ndarray:
    """Return the step size of each heuristic weight. For most weights, the step size is a fixed fraction of the value
    that the weight has in the bot `greedy`.
    """
    parts = 0.15 * np.maximum(0.5, np.abs(default_prices()[0]["parts"]))
    return np.concatenate([parts, parts, np.full(MOST_HELD + 1, 0.7), [0.2 * default_prices()[0][n] for n in NAMES]])


def vector_of(prices: np.ndarray) -> np.ndarray:
    """Convert heuristic weights to a vector. Each weight is divided by its step size."""
    one = prices[0]
    return np.concatenate([one["parts"], one["early"], one["hands"], [one[name] for name in NAMES]]) / steps()


def prices_of(vector: np.ndarray) -> np.ndarray:
    """Convert a vector from `vector_of` back to heuristic weights. The weights in NAMES are kept above 0."""
    found, values = default_prices(), vector * steps()
    found[0]["parts"], found[0]["early"] = values[:N_PARTS], values[N_PARTS : 2 * N_PARTS]
    found[0]["parts"][Part.NOW], found[0]["early"][Part.NOW] = 1.0, 0.0  # a scored point has the weight 1
    found[0]["hands"] = values[2 * N_PARTS : 2 * N_PARTS + MOST_HELD + 1]
    for name, value in zip(NAMES, values[-len(NAMES) :]):
        found[0][name] = max(float(value), 1e-3)
    return found


class Opponent:
    """Plays games between two bots. The first bot has the heuristic weights that the caller passes. The second bot has
    the weights of `greedy`.
    """

    def __init__(self) -> None:
        self._rooms = {preset: room_for(Games(preset, 1, [0]).records.dtype) for preset in SCATTER}

    def margins(self, prices: np.ndarray, preset: str, seed: int, pairs: int) -> np.ndarray:
        """Play pairs of games. Returns the mean margin of each pair, float64[pairs]."""
        games = Games(preset, 2 * pairs, np.repeat(np.arange(seed, seed + pairs), 2))
        seats = np.array([[0, 1], [1, 0]] * pairs)
        both = np.concatenate([prices, default_prices()])
        play_against(games.records, tile_table(), both, seats, *self._rooms[preset])
        margins = games.scores[:, 0] - games.scores[:, 1].astype(np.float64)
        margins[1::2] *= -1
        return np.asarray(margins.reshape(-1, 2).mean(1))

    def loss(self, prices: np.ndarray, seed: int) -> float:
        """Return the loss for CMA-ES. The loss is the negative sum of the scores on all presets."""
        found = (self.margins(prices, preset, seed, n).mean() / scale for preset, (n, scale) in SCATTER.items())
        return -float(sum(found))


def tune(out: Path, minutes: float, start: np.ndarray, say: Callable[[str], object] = print, first: int = 1) -> None:
    """Tune for the given number of minutes, starting from the heuristic weights `start`. Writes the tuned weights to
    the file `out`. `first` is the seed of the search. This seed also selects the tile stacks.
    """
    import cma

    opponent, began, seed = Opponent(), time.monotonic(), 20_000_000 * first
    search = cma.CMAEvolutionStrategy(vector_of(start), SPREAD, {"verbose": -9, "seed": first})
    while time.monotonic() - began < 60 * minutes:
        rows = search.ask()
        search.tell(rows, [opponent.loss(prices_of(row), seed) for row in rows])
        seed += max(pairs for pairs, _ in SCATTER.values())
        middle = prices_of(search.mean)
        out.write_text(text_of_prices(middle), encoding="utf-8")
        margins = {preset: opponent.margins(middle, preset, CHECK, n).mean() for preset, (n, _) in SCATTER.items()}
        told = ", ".join(f"{preset} {margin:+.1f}" for preset, margin in margins.items())
        say(f"generation {search.countiter}, {time.monotonic() - began:.0f} s, margins against greedy: {told}")


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the arguments and tune the heuristic weights. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.tune_prices", description="Tune the heuristic weights of `keen`."
    )
    parser.add_argument(
        "--minutes", type=float, default=60.0, metavar="M", help="the duration in minutes (default: 60)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="the TOML file for the heuristic weights. If the file exists, the search starts from its weights",
    )
    parser.add_argument(
        "--seed", type=positive, default=1, metavar="S", help="the seed of the search, at least 1 (default: 1)"
    )
    parser.add_argument(
        "--from-greedy",
        action="store_true",
        help="start from greedy's heuristic weights instead of keen's, unless FILE exists",
    )
    asked = parser.parse_args(argv)
    begin = default_prices() if asked.from_greedy else keen_prices()
    try:
        tune(asked.out, asked.minutes, prices_in(asked.out) if asked.out.exists() else begin, first=asked.seed)
    except KeyboardInterrupt:
        if asked.out.exists():
            print(f"stopped; the same command with another --seed begins a new search from the weights in {asked.out}")
        else:
            print(f"stopped; no generation was completed, so there is no {asked.out} yet")
        return 130
    print(
        f"the heuristic weights are in {asked.out}; the current heuristic weights of `keen` are in "
        "carc_env/observing/keen.toml"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
