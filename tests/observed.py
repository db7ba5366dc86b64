"""What is seen in a few games of random play, in numbers that change when anything of it does.

    python -m tests.observed

writes `data/observed.json` anew, after a change of what is observed that is meant: agents are trained on these numbers.
For each column, plane and global there is the sum of all its values, each multiplied by a weight of its own place. The
same for what answers are worth to some bots, which look as `candidates` do.
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
GAMES = {  # seed, every how many questions, players
    "base": (1, 3, 2),
    "carcassonne": (2, 4, 2),
    "expansions": (3, 7, 2),
    "everything": (4, 11, 2),
    "goldmines": (5, 12, 3),
}
SIZES = {"expansions": 25}  # its usual table is larger; rules are compiled for each size
NAMES = {"candidates": COLUMNS, "planes": PLANES, "globals": GLOBALS, "table": STANDING}
BOTS = {"keen": KeenBot(), "learned": LearnedBot("base-values"), "no shrines": GreedyBot(without="shrines")}
Sums = dict[str, dict[str, float]]


def random_action(game: carc_env.Game, rng: np.random.Generator) -> int:
    """A legal action; seldom none, so that there is something to see."""
    actions = game.legal_actions()
    may_pass = game.text(int(actions[-1])) == "pass"
    return int(rng.choice(actions[:-1] if may_pass and len(actions) > 1 and rng.random() < 0.7 else actions))


def weights(n: int, k: int) -> np.ndarray:
    """A weight for each of n places in the k-th picture, from 0.5 to 1.5."""
    return 0.5 + (np.arange(1, n + 1) * 2654435761 + 40503 * k) % 1009 / 1009


def observed(preset: str) -> Sums:
    """The sums of one game."""
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
    """Add one picture: names stand in the last axis of candidates, elsewhere in the first."""
    numbers = (array.T if by_row else array).reshape(len(sums), -1)
    for name, value in zip(sums, numbers @ weights(numbers.shape[1], k)):
        sums[name] += float(value)


def main() -> None:
    """Write the file."""
    told = {preset: observed(preset) for preset in GAMES}
    FILE.write_text(json.dumps(told, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
