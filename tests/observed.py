"""Computes sums of the observations in a few games of random play. A sum changes if any observed number changes.

    python -m tests.observed

writes `data/observed.json` anew. Run the command only after an intended change of the observations, because agents are
trained on these numbers. For each column, plane and global feature, the file contains the sum of all its values, each
multiplied by a weight that depends on the value's place. The file also contains such sums for the values that some bots
give to the legal actions. These bots use the same code as `candidates`.
"""

import dataclasses
import json
from pathlib import Path

import numpy as np

import carc_env
from carc_env.bots.greedy import GreedyBot, priced
from carc_env.bots.keen import KeenBot
from carc_env.bots.learned import LearnedBot
from carc_env.boxes.layout import COLUMNS, GLOBALS, PLANES, STANDING
from carc_env.observing.encode import ObservationSpec
from carc_env.observing.spaces import layout_of

FILE = Path(__file__).parent / "data" / "observed.json"
GAMES = {  # the seed, the number of decisions between two observations, the number of players
    "base": (1, 3, 2),
    "carcassonne": (2, 4, 2),
    "expansions": (3, 7, 2),
    "everything": (4, 11, 2),
    "goldmines": (5, 12, 3),
}
SIZES = {"expansions": 25}  # the usual table is larger; the rules are compiled for each table size
NAMES = {"candidates": COLUMNS, "planes": PLANES, "globals": GLOBALS, "table": STANDING}
BOTS = {"keen": KeenBot(), "learned": LearnedBot("base-values"), "no shrines": GreedyBot(without="shrines")}
Sums = dict[str, dict[str, float]]


def random_action(game: carc_env.Game, rng: np.random.Generator) -> int:
    """Return a random legal action. `pass` is rarely chosen, so that more pieces come to the table."""
    actions = game.legal_actions()
    may_pass = game.text(int(actions[-1])) == "pass"
    return int(rng.choice(actions[:-1] if may_pass and len(actions) > 1 and rng.random() < 0.7 else actions))


def weights(n: int, k: int) -> np.ndarray:
    """Return n weights from 0.5 to 1.5, one for each place in the k-th observation."""
    return 0.5 + (np.arange(1, n + 1) * 2654435761 + 40503 * k) % 1009 / 1009


def observed(preset: str) -> Sums:
    """Play one game, and return its sums."""
    seed, every, players = GAMES[preset]
    config = dataclasses.replace(carc_env.preset(preset), players=players, table_size=SIZES.get(preset))
    game, rng = carc_env.Game(config, seed=seed), np.random.default_rng(seed)
    found: Sums = {kind: dict.fromkeys(names, 0.0) for kind, names in (NAMES | {"worth": BOTS}).items()}
    questions = 0
    while not game.is_over:
        if questions % every == 0:
            spec = ObservationSpec(layout_of(game.config.table_size, "common"), "both", table=True, price=True)
            for kind, array in game.observe(None, spec).items():
                if kind in NAMES:
                    add(found[kind], array.astype(np.float64), questions, by_row=kind == "candidates")
            if questions % (8 * every) == 0:
                for name, bot in BOTS.items():
                    values = priced(game, bot.prices_for(game.config))[2]
                    found["worth"][name] += float(values @ weights(len(values), questions))
        questions += 1
        game.play(random_action(game, rng))
    return {kind: {name: round(value, 3) for name, value in sums.items() if value} for kind, sums in found.items()}


def add(sums: dict[str, float], array: np.ndarray, k: int, by_row: bool) -> None:
    """Add an array of the k-th observation to the sums. The names belong to the last axis of `candidates`, and to the
    first axis of all other arrays.
    """
    numbers = (array.T if by_row else array).reshape(len(sums), -1)
    for name, value in zip(sums, numbers @ weights(numbers.shape[1], k)):
        sums[name] += float(value)


def main() -> None:
    """Write the file with the sums."""
    told = {preset: observed(preset) for preset in GAMES}
    FILE.write_text(json.dumps(told, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
