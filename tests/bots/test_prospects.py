"""Checks that prospects (heuristic estimates) that are updated after an action equal those computed anew for the whole
table.
"""

import numpy as np
import pytest

import carc_env
from carc_env.boxes.tiles import tile_table
from carc_env.observing import prospects
from carc_env.rules.answers import ROOM
from carc_env.rules.state import MAX_PLAYERS, Phase
from tests.same import assert_same
from tests.tried import there_and_back, value_twice


def positions(preset, every):
    """Yield positions of three games in which a tile has to be placed, about one in `every`. A random bot plays, so
    that figures stand everywhere.
    """
    bot = carc_env.bots.make("random", seed=5)
    for seed in range(3):
        game = carc_env.Game(preset, seed=seed)
        while not game.is_over:
            if game.phase == Phase.PLACE_TILE and int(game.state["n_tiles"]) % every == seed:
                yield game
            game.play(bot.choose(game))


AT_A_CORNER = carc_env.GameConfig(starts=(("D", 12, 12, 0),))  # the tiles lie across both edges of the grid


@pytest.mark.parametrize("preset", [*carc_env.presets(), AT_A_CORNER], ids=[*carc_env.presets(), "at a corner"])
def test_prospects_after_a_tile(preset):
    """After a tile is placed, features far from the tile are not evaluated again. The prospects are the same as if all
    features were evaluated again.
    """
    views, rooms = np.zeros(2, prospects.VIEW), np.zeros(1, ROOM)
    trials = np.zeros(2, carc_env.Games(preset, 1, [0]).records.dtype)
    views["prices"] = prospects.default_prices()[list(prospects.PRICE_TABLE.names)]
    for game in positions(preset, every=9):
        actions = game.legal_actions()[::3].astype(np.int64)
        parts = np.zeros((1 + 2 * len(actions), MAX_PLAYERS, prospects.N_PARTS))
        value_twice(views, game._games, trials, tile_table(), actions, rooms, parts)
        assert parts[0].any()
        np.testing.assert_allclose(parts[1::2], parts[2::2], rtol=0, atol=1e-9)


@pytest.mark.parametrize("preset", carc_env.presets())
def test_a_tile_is_taken_back(preset):
    """After a tile was placed and taken back, everything that is read of a game is as before."""
    trials, rooms = np.zeros(2, carc_env.Games(preset, 1, [0]).records.dtype), np.zeros(1, ROOM)
    for game in positions(preset, every=9):
        for action in game.legal_actions().astype(np.int64)[::3]:
            there_and_back(game._games, trials, tile_table(), action, rooms)
            assert_same(trials[0], game.state)
            assert_same(trials[1], game.state)
