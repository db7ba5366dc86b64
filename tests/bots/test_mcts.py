"""Tests of the bot `mcts` and of its search trees."""

import pickle

import numpy as np
import pytest

import carc_env
from carc_env import Games
from carc_env.common.errors import BotError
from carc_env.observing.keen import keen_prices
from carc_env.searching import forest as forest_module
from carc_env.searching.forest import ROOM, TURN, Forest, Tree, errors_of
from carc_env.searching.mcts import SQUASHED
from tests import modes
from tests.positions import middle

# tests/laws/test_no_peeking.py runs the search uncompiled
pytestmark = pytest.mark.skipif(
    modes.NAME == "uncompiled", reason="whole games that search; compiled they take seconds"
)


@pytest.fixture(scope="module")
def tree():
    """Return a tree of 300 playouts, and the game whose position is the root."""
    game, forest, found = middle("base"), Forest(keen_prices()), Tree(0, ROOM)
    forest.grow(Games.view_of(game).records, np.array([1, 2]), found, 300)
    return found, game


def children_of(tree, number):
    first, n = int(tree.nodes[number]["first"]), int(tree.nodes[number]["n_children"])
    return tree.children[first : first + n]


# --- the tree ---------------------------------------------------------------------------------------------------------
def test_visits_add_up(tree):
    """Each playout that passes through a node also passes through one of its children. The first playout only creates
    the root, so 299 of the 300 playouts are counted.
    """
    found, _ = tree
    assert found.nodes[0]["visits"] == 299
    for number in range(int(found.counts[0]["n_nodes"])):
        assert found.nodes[number]["visits"] == children_of(found, number)["visits"].sum()


def test_priors_are_chances(tree):
    found, _ = tree
    for number in range(int(found.counts[0]["n_nodes"])):
        assert children_of(found, number)["prior"].sum() == pytest.approx(1)


def test_the_root_has_the_best_answers_by_price(tree):
    found, game = tree
    best = [action for action, _ in carc_env.make_bot("keen").analyse(game)]
    assert found.root["answer"].tolist()[:5] == best[:5]
    assert found.root["prior"].tolist() == sorted(found.root["prior"], reverse=True)


def test_totals_of_two_players_cancel_out(tree):
    """With two players, one player's gain is the other player's loss, so the totals of an action add up to 0."""
    found, _ = tree
    children = found.children[: int(found.counts[0]["n_children"])]
    np.testing.assert_allclose(children["total"][:, 0], -children["total"][:, 1], atol=1e-9)
    assert (np.abs(children["total"][:, 0]) <= children["visits"]).all()


def test_a_tree_grows_beyond_its_first_room():
    game, forest, small, large = middle("base"), Forest(keen_prices()), Tree(3, 4), Tree(3, ROOM)
    for _ in range(5):
        forest.grow(Games.view_of(game).records, np.array([1, 2]), small, 20)
    forest.grow(Games.view_of(game).records, np.array([1, 2]), large, 100)
    for field in ("answer", "visits", "total"):
        np.testing.assert_array_equal(small.root[field], large.root[field])


def test_ingots_that_a_player_has_are_worth_their_points():
    """Ten ingots are worth about 40 points. With ten more ingots, the acting player is far ahead, and the other player
    is as far behind.
    """
    game, forest, values = middle("goldmines"), Forest(keen_prices()), []
    for ingots in (0, 10):
        records, tree = Games.view_of(game).records.copy(), Tree(0, ROOM)
        records[0]["players"]["ingots"][:2] = 0
        records[0]["players"]["ingots"][game.player] = ingots
        forest.grow(records, np.array([1, 2]), tree, 1)
        values.append(np.arctanh(tree.nodes[0]["value"][:2]) * SQUASHED)
    gain = values[1] - values[0]
    assert 25 < gain[game.player] < 60 and gain.sum() == pytest.approx(0, abs=1e-6)


def test_a_search_by_time_ends_when_its_trees_are_as_large_as_they_may_be(monkeypatch):
    monkeypatch.setattr(forest_module, "LARGEST", 200)
    found = Forest(keen_prices(), stacks=2).search(Games.view_of(middle("base")).records, np.array([1, 2]), ms=60_000)
    assert found.seconds < 30 and 200 < found.playouts < 2 * (200 + TURN)


# --- the bot ----------------------------------------------------------------------------------------------------------
def test_it_beats_random():
    result = carc_env.play_match("mcts:playouts=40", "random", "base", pairs=modes.sized(2, 1, 1))
    assert result.illegal == 0
    assert result.margin > 20


def test_the_same_seed_and_game_give_the_same_answer_whatever_was_asked_before():
    game, bot = middle("carcassonne"), carc_env.make_bot("mcts:playouts=60", seed=4)
    first = bot.analyse(game)
    bot.choose(middle("base", 3))
    assert bot.analyse(game) == first
    assert pickle.loads(pickle.dumps(bot)).analyse(game) == first


def test_the_last_answer_of_a_game_is_the_best_one():
    """With the last tile in hand, nothing is hidden, and values are final margins."""
    game, greedy = carc_env.Game("base", seed=5), carc_env.make_bot("greedy")
    while game.tiles_left > 0:
        game.play(greedy.choose(game))
    before = game.clone()
    action, _ = carc_env.make_bot("mcts:playouts=400", seed=1).analyse(game)[0]
    assert game == before

    def best_end(game, player):
        """Return the final margin of the player if both players choose their best actions from here on."""
        if game.is_over:
            return int(game.scores[player] - game.scores[1 - player])
        ends = []
        for answer in game.legal_actions():
            after = game.clone()
            after.play(answer)
            ends.append(best_end(after, player))
        return max(ends) if game.player == player else min(ends)

    after = game.clone()
    after.play(action)
    assert best_end(after, game.player) == best_end(game, game.player)


def test_three_players_and_a_budget_of_time():
    game = carc_env.Game({"players": 3}, seed=1)
    found = carc_env.make_bot("mcts:ms=400", seed=1).search(game)
    assert found.playouts > 8
    assert found.answers[0] in game.legal_actions()
    assert found.seconds < 5  # a busy machine may exceed the budget


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mcts:playouts=0", "playouts = '0' should be a whole number from 1"),
        ("mcts:depth=3", "'depth=3' is not a valid option of mcts. Its options are playouts, ms, stacks, bonus"),
        ("mcts:ms=5,playouts=6", "not both"),
    ],
)
def test_a_bad_spec_is_named(spec, message):
    with pytest.raises(BotError, match=message):
        carc_env.make_bot(spec)


def test_errors_come_from_the_trees():
    """Each tree is a sample. If fewer than two trees have visited an action, the error of its value is unknown."""
    visits, totals = np.array([[2, 1, 0], [2, 1, 1]]), np.array([[0.8, 0.1, 0.0], [0.0, 0.1, 0.2]])
    errors = errors_of(visits, totals)
    assert errors[0] == pytest.approx(15 * np.arctanh(0.4) / 2)
    assert errors[1] == 0
    assert errors[2] == np.inf
