"""Compiles the functions that the tests call, so that no test has to compile them.

    python -m tests.compiled goldmines everything

compiles the functions for games like these. numba compiles a function together with all functions that it calls. This
takes half a minute in a new process. It takes only a few seconds in a process that has compiled another function for
the same kind of games. A function that is not compiled here is compiled by the first test that needs it.
"""

import dataclasses
import sys

import numpy as np

import carc_env
from carc_env.arena.noted_comparisons import Comparisons, play_comparisons
from carc_env.arena.noted_tables import Tables, play_tables
from carc_env.boxes.tiles import tile_table
from carc_env.commands import bench, doctor
from carc_env.observing import prospects
from carc_env.observing.keen import keen_prices
from carc_env.rules import batch
from carc_env.rules.answers import ROOM
from carc_env.rules.state import MAX_PLAYERS
from carc_env.searching.rollouts import room_for
from tests import modes, tried
from training import tune_prices

CONFIGS = {  # one preset for each table size; a preset with rare boxes has a larger table
    name: carc_env.preset(name) for name in ("goldmines", "everything")
}
BOTS = ("level:1", "rollout:playouts=2,depth=1", "mcts:playouts=2", "expectimax:width=1,draws=1")


def play_more(config: carc_env.GameConfig) -> None:
    """Call functions that the tests use and that `carc doctor --compile` does not compile."""
    carc_env.Game(dataclasses.replace(config, sheet="france"), seed=0)
    games, chances = carc_env.Games(config, 2, [0, 1]), np.ones((2, 2), np.int64)
    batch.random_actions(games.records, tile_table(), chances, np.empty(2, np.int64))
    batch.play_random(games.records, tile_table(), chances)


def try_tiles(config: carc_env.GameConfig) -> None:
    """Call the functions with which tests try actions on copies of a game."""
    game = carc_env.Game(config, seed=0)
    while game.phase != carc_env.Phase.PLACE_TILE:
        game.play("pass")
    views, trials, rooms = np.zeros(2, prospects.VIEW), np.zeros(2, game.state.dtype), np.zeros(1, ROOM)
    views["prices"] = prospects.default_prices()[list(prospects.PRICE_TABLE.names)]
    actions = game.legal_actions()[:1].astype(np.int64)
    parts = np.zeros((3, MAX_PLAYERS, prospects.N_PARTS))
    tried.value_twice(views, game._games, trials, tile_table(), actions, rooms, parts)
    tried.there_and_back(game._games, trials, tile_table(), actions[0], rooms)
    tried.quick_answer(game._games, tile_table(), prospects.default_prices(), *room_for(game.state.dtype))


def search() -> None:
    """Run the search bots, and play games in which a bot plays against itself."""
    game = carc_env.Game("carcassonne", seed=0)
    for spec in BOTS:
        carc_env.make_bot(spec).choose(game)
    bench.search("goldmines")
    few = carc_env.GameConfig(boxes=("goldmines",))
    tune_prices.Opponent().margins(keen_prices(), "base", 0, 1)
    play_tables(*Tables(few, keen_prices()).job(0, 1))
    play_comparisons(*Comparisons(few, keen_prices(), stacks=1, most=2).job(0, 1))


def main(names: list[str]) -> None:
    """Compile for games like those of the given presets."""
    modes.play_on_two_sizes()
    for name in names:
        doctor.play_some(CONFIGS[name])
        play_more(CONFIGS[name])
        try_tiles(CONFIGS[name])
        if name == "goldmines":
            search()
        print(f"compiled: games like {name}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
