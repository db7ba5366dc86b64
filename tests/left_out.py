"""Checks that what a layout of spaces="game" leaves out is never needed: it is always 0, or never legal.

    python -m tests.left_out --configs 2000

plays a random game of each preset and of 2,000 odd configurations, and looks at it in the common layout after every
few actions. It prints `2007 configurations: nothing left out was ever seen`, or the first configuration where something
was, with exit status 1.
"""

import argparse
import random
import sys
from dataclasses import replace

import numpy as np

import carc_env
from carc_env.boxes.tiles import BOX_NAMES
from carc_env.common.errors import DeckError
from carc_env.observing.spaces import layout_of
from carc_env.setup.config import ConfigError, GameConfig

TILE_BOXES = [name for name in BOX_NAMES if name not in ("map_chips", "abbot", "german_castles", "abbeys", "base")]
READINGS = {
    "small_city_points": (4, 2),
    "gold_rule": ("hig", "rgg_rounds", "rgg_single_pass"),
    "unfinished_inn_cathedral": ("zero", "ignore"),
    "border_city_coat_points": (2, 0),
    "border_road_coat_points": (0, 2),
    "border_monastery": ("count_tiles", "nine"),
    "chip_large_city_rule": ("any_edge", "open_edges_only"),
    "wine_sales_per_turn_scope": ("whole_turn", "turn_part"),
    "crop_add": ("may", "must"),
    "special_monasteries": ("replace", "keep"),
    "ferry_requires_highwayman": (False, True),
    "abbey_end": ("offer_once", "end_with_stack"),
}


def odd_config(seed: int) -> GameConfig:
    """Return a configuration with random boxes, the tiles alone of other boxes, and random settings. One in three uses
    the sheet of France.
    """
    rng = random.Random(seed)
    while True:
        share, on_sheet = rng.choice((0.1, 0.3, 0.6)), rng.random() < 0.33
        boxes = [
            name for name in BOX_NAMES if name != "base" and rng.random() < share and (on_sheet or name != "map_chips")
        ]
        settings = {
            "players": rng.randint(2, 6),
            "edition": rng.choice(("C1", "C2", "C2")),
            "boxes": ("base", *boxes),
            "tiles_only": tuple(name for name in TILE_BOXES if name not in boxes and rng.random() < 0.15),
        }
        settings |= {"sheet": "france"} if on_sheet else {}
        settings |= {name: rng.choice(values) for name, values in READINGS.items() if rng.random() < 0.5}
        try:
            config = GameConfig(**settings)
            carc_env.Game(config)
        except (
            ConfigError,
            DeckError,
        ):  # a setting of a box that is not in play, six players without large meeples, too many actions
            continue
        return config


def left_out(config: GameConfig, seed: int, every: int = 10) -> str | None:
    """Play a random game. Returns a text that names what the layout leaves out although it was seen, or None."""
    own, common = layout_of(config, "game"), layout_of(config, "common")
    planes, numbers = np.ones(len(common.planes), bool), np.ones(len(common.globals), bool)
    planes[own.plane_numbers] = numbers[own.global_numbers] = False
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    while True:
        legal = game.legal_actions()
        if (own.from_common(legal) < 0).any():
            return f"action {game.text(int(legal[own.from_common(legal).argmin()]))} in {game}"
        if game.is_over or rng.random() < 1 / every:
            seen = game.observe(rng.randrange(config.players))
            wrong = [list(common.planes)[k] for k in np.flatnonzero(planes) if seen["planes"][k].any()]
            wrong += [list(common.globals)[k] for k in np.flatnonzero(numbers) if seen["globals"][k]]
            if config.sheet is not None:
                wrong += ["cells beyond the sheet"] * bool(
                    seen["planes"][:, own.rows :].any() or seen["planes"][:, :, own.columns :].any()
                )
            if wrong:
                return f"{', '.join(wrong)} in {game}"
        if game.is_over:
            return None
        answers = legal.tolist()
        if len(answers) > 1 and rng.random() < 0.6:  # without the last one, which may be `pass`
            answers = answers[:-1]
        game.play(rng.choice(answers))


PRESETS = carc_env.presets()


def config_of(number: int) -> GameConfig:
    """Return the configuration with this number: first each preset, with 2 to 5 players in turn, then odd ones."""
    if number < len(PRESETS):
        return replace(carc_env.preset(PRESETS[number]), players=2 + number % 4)
    return odd_config(number - len(PRESETS))


def main() -> None:
    """Read the command line, and check the configurations."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.left_out", description="What layouts leave out is never seen."
    )
    parser.add_argument("--configs", type=int, default=2000, help="odd configurations (default: 2000)")
    n = len(PRESETS) + parser.parse_args().configs
    for number in range(n):
        config = config_of(number)
        wrong = left_out(config, number)
        if wrong:
            sys.exit(f"{config}: left out, but seen: {wrong}")
        if number % 100 == 99:
            print(f"{number + 1} of {n}", file=sys.stderr, flush=True)
    print(f"{n} configurations: nothing left out was ever seen")


if __name__ == "__main__":
    main()
