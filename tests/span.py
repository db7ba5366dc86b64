"""How often the edge of the table matters: `python -m tests.span --preset goldmines --games 10000`.

Greedy plays itself. A layout that spans SIZE - 1 cells in a direction may not grow further there; the last line says in
how many games that happened (the design aims at fewer than 1 in 10,000).
"""

import argparse

import numpy as np

import carc_env
from carc_env import bots
from carc_env.rules.state import SIZE

BATCH = 500


def spans(preset: str, first: int, games: int) -> np.ndarray:
    """The wider of width and height of the layout at the end of each game, int[games]."""
    batch, greedy = carc_env.Games(preset, games, range(first, first + games)), bots.make("greedy")
    while not batch.is_over.all():
        live = ~batch.is_over
        some = batch[live]
        some.step(greedy.choose_batch(some))
        batch[live] = some
    ranges = np.stack([batch.records["x_range"], batch.records["y_range"]]).astype(int)
    return (ranges[:, :, 1] - ranges[:, :, 0] + 1).max(0)


def main() -> None:
    """Play, with a line of progress for each batch, and say what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", default="goldmines")
    parser.add_argument("--games", type=int, default=10000)
    arguments = parser.parse_args()
    widest = np.zeros(0, int)
    for first in range(0, arguments.games, BATCH):
        widest = np.append(widest, spans(arguments.preset, first, min(BATCH, arguments.games - first)))
        print(f"{len(widest)} games, mean span {widest.mean():.1f}, widest {widest.max()}", flush=True)
    print(f"{(widest >= SIZE - 1).sum()} of {len(widest)} games of {arguments.preset} spanned {SIZE - 1} cells")


if __name__ == "__main__":
    main()
