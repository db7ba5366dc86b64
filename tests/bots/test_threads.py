"""Tests of bots that several threads share, and of the time for loading code before the first search."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import carc_env
from carc_env.bots import search_bot
from carc_env.bots.search_bot import SearchingBot
from carc_env.searching.halving import Found

SPECS = ("rollout:playouts=12,depth=1", "mcts:playouts=40", "expectimax", "greedy", "learned", "ppo")


def positions(n):
    """Return `n` positions from the middle of games."""
    bot, games = carc_env.make_bot("greedy"), [carc_env.Game("base", seed=seed) for seed in range(n)]
    for number, game in enumerate(games):
        for _ in range(20 + 4 * number):
            game.play(bot.choose(game))
    return games


@pytest.mark.parametrize("spec", SPECS)
def test_threads_share_a_bot(spec):
    games, bot = positions(6) * 4, carc_env.make_bot(spec, seed=3)
    alone = [bot.choose(game) for game in games]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(bot.choose, [game.clone() for game in games])) == alone
        for other in (copy.deepcopy(bot), pickle.loads(pickle.dumps(bot))):
            assert list(pool.map(other.choose, games)) == alone


class Asked:
    """A search that does nothing but note its budgets."""

    def __init__(self):
        self.budgets = []

    def search(self, games, seed, playouts, ms, also=-1):
        self.budgets.append((playouts, ms))
        return Found(np.zeros(1, np.int64), np.zeros(1), np.zeros(1), 1, 0.0)


def test_code_is_loaded_before_the_clock_starts(monkeypatch):
    """The budget of a search does not include the time for loading code. Otherwise, the search for a process's first
    action would do hardly any playouts.
    """
    monkeypatch.setattr(search_bot, "_loaded", set())

    class Bot(SearchingBot):
        kind = "asked"

    game, search = carc_env.Game("base", seed=0), Asked()
    for _ in range(2):
        Bot(search, 0, 0, 20.0).choose(game)
    assert search.budgets == [(1, 0.0), (0, 20.0), (0, 20.0)]
    Bot(search, 0, 7, 0.0).choose(game)
    assert search.budgets[3:] == [(7, 0.0)]
