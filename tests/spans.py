"""Measures how far the tiles of a game extend, and thus how large the table of each preset should be.

    python -m tests.spans --games 10000 --workers 2 --json build/spans.json

The span of a game is the larger of the width and the height of the tiles on the table at the end of the game, in cells.
A table with `size` rows and columns has room for a span of size - 1, so a game with this span may have been cut off.
The games are therefore played on the largest possible table, by uniformly random actions and by `greedy`. Presets on a
map sheet are left out, because the map sheet limits the span.

Progress is reported on standard error, and the result is a Markdown table. `--json FILE` saves the raw counts, and
combinations in the file are not played again. Game number n of a combination is always the same game.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import carc_env
from carc_env.boxes.tiles import tile_table
from carc_env.rules import batch
from carc_env.rules.state import MAX_SIZE
from carc_env.setup.config import tiles_of

CHUNK = 256  # the number of games that are played together
SILENCE = 20  # seconds between two lines of progress
BOTS = ("random", "greedy")
HEADS = (
    "preset",
    "tiles",
    "players",
    "bot",
    "games",
    "median",
    "99 %",
    "99.99 %",
    "largest",
    "table",
    "games per 10,000 that reach the edge of the table",
)


@dataclass(frozen=True)
class Combination:
    """What is played, by whom, and how often."""

    preset: str
    players: int
    bot: str
    games: int
    seed: int

    @property
    def config(self) -> carc_env.GameConfig:
        """Return the preset for this number of players, with its usual table size."""
        return replace(carc_env.preset(self.preset), players=self.players)

    def __str__(self) -> str:
        return f"{self.preset}, {self.players} players, {self.bot}"


# --- playing ---------------------------------------------------------------------------------------------------------
def play_chunk(what: Combination, first: int) -> Counter[int]:
    """Play a chunk of games, beginning with number `first`. Return how many games had each span."""
    seeds = [(what.seed << 32) + number for number in range(first, min(first + CHUNK, what.games))]
    games = carc_env.Games(replace(what.config, table_size=MAX_SIZE), len(seeds), seeds)
    if what.bot == "random":
        chances = np.random.default_rng((what.seed, first)).integers(1, 1 << 32, (len(seeds), 2))
        batch.play_random(games.records, tile_table(), chances)
    else:
        bot = carc_env.make_bot(what.bot)
        while not games.is_over.all():
            games.step(bot.choose_batch(games))
    return Counter(spans(games.records).tolist())


def spans(records: np.ndarray) -> np.ndarray:
    """Return the larger of width and height of each layout, int[n]."""
    ranges = np.stack([records["x_range"], records["y_range"]]).astype(int)
    return (ranges[:, :, 1] - ranges[:, :, 0] + 1).max(0)


def play(what: Combination, workers: int) -> Counter[int]:
    """Play all games of a combination, and report the progress. Return how many games had each span."""
    found, began, told = Counter(), time.monotonic(), 0.0
    for some in chunks(what, workers):
        found += some
        seconds = time.monotonic() - began
        if seconds - told >= SILENCE or found.total() == what.games:
            told = seconds
            print(
                f"{what}: {found.total()} of {what.games} games, largest span {max(found)}, {seconds:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    return found


def chunks(what: Combination, workers: int) -> Iterator[Counter[int]]:
    """Yield the results of the chunks of a combination as they are finished, in any order."""
    firsts = range(0, what.games, CHUNK)
    if workers == 1:
        yield from map(partial(play_chunk, what), firsts)
        return
    with Pool(workers) as pool:
        yield from pool.imap_unordered(partial(play_chunk, what), firsts)


# --- raw counts -------------------------------------------------------------------------------------------------------
def read(path: Path | None) -> dict[Combination, Counter[int]]:
    """Return the raw counts in a file, or an empty dict if the file does not exist."""
    if path is None or not path.exists():
        return {}
    found = {}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        counts = Counter({int(span): count for span, count in entry.pop("spans").items()})
        found[Combination(**entry)] = counts
    return found


def write(path: Path, found: dict[Combination, Counter[int]]) -> None:
    """Write all raw counts, with one combination on each line. An interrupted write leaves the file as it was."""
    lines = [json.dumps({**asdict(what), "spans": dict(sorted(counts.items()))}) for what, counts in found.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    part.replace(path)


# --- the table --------------------------------------------------------------------------------------------------------
def quantile(counts: Counter[int], parts: int, whole: int) -> int:
    """Return the smallest span that at least `parts` of every `whole` games do not exceed."""
    games = 0
    for span in sorted(counts):
        games += counts[span]
        if games * whole >= counts.total() * parts:
            return span
    raise ValueError("no games")


def row(what: Combination, counts: Counter[int]) -> str:
    """Return the row of the table for a combination."""
    size = what.config.table_size
    at_edge = sum(count for span, count in counts.items() if span >= size - 1)
    cells = [
        what.preset,
        tiles_of(what.config).total(),
        what.players,
        what.bot,
        f"{counts.total():,}",
        quantile(counts, 1, 2),
        quantile(counts, 99, 100),
        quantile(counts, 9999, 10000),
        max(counts),
        size,
        f"{10000 * at_edge / counts.total():.4g}",
    ]
    return in_columns(cells)


def in_columns(cells: list | tuple) -> str:
    """Return a line of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |"


# --- the program ------------------------------------------------------------------------------------------------------
def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.spans", description="how wide games become")
    parser.add_argument("--games", type=int, default=10000, help="of each combination")
    parser.add_argument(
        "--presets", nargs="+", default=list(carc_env.presets()), choices=carc_env.presets(), metavar="PRESET"
    )
    parser.add_argument("--players", type=int, nargs="+", default=[2, 5])
    parser.add_argument("--bots", nargs="+", default=list(BOTS), choices=BOTS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="keep raw counts here, and play only what is not there yet"
    )
    return parser.parse_args()


def main() -> None:
    """Play the combinations that are not known yet, and print the table."""
    arguments = parse()
    known = read(arguments.json)
    on_sheet = [name for name in arguments.presets if carc_env.preset(name).sheet is not None]
    asked = [
        Combination(preset, players, bot, arguments.games, arguments.seed)
        for preset in arguments.presets
        if preset not in on_sheet
        for players in arguments.players
        for bot in arguments.bots
    ]
    for what in asked:
        if what not in known:
            known[what] = play(what, arguments.workers)
            if arguments.json:
                # another run may have added results to the file in the meantime
                write(arguments.json, {**read(arguments.json), what: known[what]})
    print(in_columns(HEADS))
    print(in_columns(["---"] * len(HEADS)))
    for what in asked:
        print(row(what, known[what]))
    if on_sheet:
        print(f"\nLeft out: {', '.join(on_sheet)}. They are played on a sheet, which is the limit.")


if __name__ == "__main__":
    main()
