"""Tests of the bot `expectimax` and of its search."""

import pickle
import random

import numpy as np
import pytest

import carc_env
from carc_env.bots import expectimax
from carc_env.bots.expectimax import DRAWS, ExpectimaxBot
from carc_env.common.errors import BotError
from carc_env.rules.state import Phase
from tests import modes


def begin(config, seed):
    """Return a new game. Without the compiler, its deck has only five tiles."""
    deck = carc_env.Game(config, seed=seed).deck
    return carc_env.Game(config, seed=seed, deck=deck[: modes.sized(len(deck), len(deck), 5)])


def middle(config, seed=1, answers=40):
    """Return the position after `answers` actions of a game that `greedy` plays; after two actions without the
    compiler.
    """
    game, greedy = begin(config, seed), carc_env.make_bot("greedy")
    for _ in range(modes.sized(answers, answers, 2)):
        game.play(greedy.choose(game))
    return game


def tree_of(bot, game):
    """Search a position, and return the search tree as it is at the end of the search."""
    bot.search(game)
    return bot._room(game._games.dtype)[1][0]


# --- chance -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("preset", ["base", "carcassonne"])
def test_each_kind_left_has_its_share(preset):
    for seed in range(modes.sized(8, 3, 1)):
        game = middle(preset, seed)
        first = tree_of(ExpectimaxBot(width=1, draws=1), game)["levels"][0]
        n = int(first["n_kinds"])
        left = game.state["deck"][int(game.state["n_drawn"]) : int(game.state["n_deck"])]
        kinds, numbers = np.unique(left, return_counts=True)
        assert dict(zip(first["kinds"][:n], first["chances"][:n])) == dict(zip(kinds, numbers / len(left)))
        assert first["chances"][:n].sum() == pytest.approx(1)
        assert (np.diff(first["chances"][:n]) <= 0).all()


def test_the_order_of_the_stack_changes_nothing():
    for seed in range(modes.sized(12, 4, 1)):
        game = middle("base", seed)
        twin = game.clone()
        twin.reshuffle_hidden(seed)
        assert ExpectimaxBot(seed=3).analyse(game) == ExpectimaxBot(seed=3).analyse(twin)


# --- pruning ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("preset", "depth", "width", "n"),
    [("base", 1, 8, 60), ("base", 2, 3, 6), ("goldmines", 1, 8, 30), ("goldmines", 2, 2, 4), ("carcassonne", 1, 6, 8)],
)
def test_pruning_changes_neither_the_answer_nor_its_value(preset, depth, width, n):
    rng = random.Random(preset)
    fast, slow = (ExpectimaxBot(depth=depth, width=width, draws=1, prunes=prunes) for prunes in (True, False))
    pruned = all_turns = 0
    for seed in range(modes.sized(n, max(2, n // 10), 1) if modes.NAME != "uncompiled" or depth == 1 else 0):
        game = middle(preset, seed, rng.randrange(60))
        found, exact = fast.search(game), slow.search(game)
        assert found.answers.tolist() == exact.answers.tolist()
        assert found.best == exact.best
        assert found.values[found.best] == exact.values[exact.best]
        assert (found.values >= exact.values - 1e-6).all()  # the value of a pruned action is an upper bound
        pruned, all_turns = pruned + found.turns, all_turns + exact.turns
    assert pruned <= all_turns
    assert modes.NAME != "compiled" or pruned < all_turns


def test_every_value_is_exact_where_asked_for():
    for seed in range(modes.sized(10, 3, 1)):
        game = middle("base", seed)
        every = ExpectimaxBot().search(game, every=True)
        assert every.values.tolist() == ExpectimaxBot(prunes=False).search(game).values.tolist()
        assert every.best == ExpectimaxBot().search(game).best


# --- the end of the game ----------------------------------------------------------------------------------------------
POLICY, LISTER = carc_env.make_bot("keen"), ExpectimaxBot(width=64)


def near_the_end(config, seed, left):
    """Let the policy play until a tile has to be placed and `left` tiles are left in the stack. Return the game."""
    game = begin(config, seed)
    while not (game.is_over or (game.tiles_left == left and game.phase == Phase.PLACE_TILE)):
        game.play(POLICY.choose(game))
    return game


def margins(game):
    """Return the margin of each player in a finished game."""
    assert game.is_over
    scores = game.scores.tolist()
    return [scores[p] - max(scores[:p] + scores[p + 1 :]) for p in range(len(scores))]


def tried(game, answer, depth):
    """Return the expected final margin of each player after an action, computed with the public class Game. At most
    `depth` tiles may be left, so that the search tree reaches the end of the game.
    """
    game = game.clone()
    while True:
        before, left = game.clone(), game.tiles_left
        game.play(answer)
        if game.is_over and game.tiles_left == left:
            return margins(game)
        if game.tiles_left < left:
            break
        answer = POLICY.choose(game)
    deck, n_drawn = before._games[0]["deck"], int(before._games[0]["n_drawn"])
    stack = deck[n_drawn : int(before._games[0]["n_deck"])].tolist()
    found = []
    for kind in stack:  # one result for each tile, so each kind has its share
        i = n_drawn + stack.index(kind)
        drawn = before.clone()
        drawn._games[0]["deck"][[n_drawn, i]] = deck[[i, n_drawn]]
        drawn.play(answer)
        found.append(answered(drawn, depth - 1))
    return np.mean(found, 0).tolist()


def answered(game, depth):
    """Return the expected final margin of each player, if every player chooses the action that is best for himself."""
    while depth == 0 and not game.is_over:
        game.play(POLICY.choose(game))
    if game.is_over:
        return margins(game)
    player = game.player
    answers = LISTER.search(game).answers if game.phase == Phase.PLACE_TILE else [POLICY.choose(game)]
    return max((tried(game, int(answer), depth) for answer in answers), key=lambda found: found[player])


@pytest.mark.parametrize("config", ["base", "goldmines", {"players": 3}])
@pytest.mark.parametrize(("depth", "n"), [(1, 6), (2, 2)])
def test_at_the_end_values_are_those_of_brute_force(config, depth, n):
    for seed in range(modes.sized(n, 1, 1) if depth == 1 or modes.NAME != "uncompiled" else 0):
        game, bot = near_the_end(config, seed, depth), ExpectimaxBot(depth=depth, width=64)
        while not game.is_over:
            player, found = game.player, bot.search(game, every=True)
            assert len(found.answers) == min(64, len(game.legal_actions()))
            values = [tried(game, int(answer), depth)[player] for answer in found.answers]
            assert found.values.tolist() == pytest.approx(values, abs=1e-9)
            assert values[bot.search(game).best] == pytest.approx(max(values))
            if depth > 1:
                break
            game.play(int(found.answers[found.best]))


def test_with_no_tile_left_an_answer_is_worth_what_it_scores():
    """When no tile is left, the value of an action is the points that it scores, and the search draws no tile."""
    game = carc_env.Game("base", deck=["E"])
    game.play("E@0,-1/180")
    found = carc_env.make_bot("expectimax").search(game)
    values = dict(zip(map(game.text, found.answers.tolist()), found.values.round(6).tolist()))
    assert values["meeple city S"] == max(values.values()) == 4.0 and found.turns == 0


# --- the bot ----------------------------------------------------------------------------------------------------------
@pytest.mark.skipif(modes.NAME != "compiled", reason="whole games take long otherwise")
def test_it_beats_greedy():
    result = carc_env.play_match("expectimax", "greedy", "base", pairs=8)
    assert result.illegal == 0
    assert result.margin > 2


@pytest.mark.parametrize("preset", ["carcassonne", modes.nightly("everything")])
def test_it_plays_any_preset(preset):
    game, bot = begin(preset, 2), ExpectimaxBot(width=3)
    legal = 0
    for _ in range(modes.sized(400, 20, 4)):
        if game.is_over:
            break
        game.play(bot.choose(game))
        legal += 1
    assert legal > 3
    assert modes.NAME != "compiled" or game.is_over


@pytest.mark.parametrize("players", [3, 4])
def test_more_players(players):
    game, bot = begin({"players": players}, 1), ExpectimaxBot(width=4)
    for _ in range(modes.sized(400, 12, 3)):
        if game.is_over:
            break
        game.play(bot.choose(game))
    assert modes.NAME != "compiled" or game.is_over
    game = middle({"players": players}, answers=130)
    assert len(ExpectimaxBot(depth=2, width=1).analyse(game)) == 1


def test_the_same_seed_and_game_give_the_same_answer_whatever_was_asked_before():
    game, bot = middle("carcassonne"), ExpectimaxBot(seed=4, width=4)
    first = bot.analyse(game)
    bot.choose(middle("base", 3))
    assert bot.analyse(game) == first
    assert pickle.loads(pickle.dumps(bot)).analyse(game) == first


def test_the_game_is_left_as_it_is():
    game = middle("carcassonne")
    before = game.clone()
    ExpectimaxBot(width=2).choose(game)
    assert game == before


def test_answers_come_best_first_and_the_first_is_played():
    for seed in range(modes.sized(10, 3, 1)):
        game, bot = middle("goldmines", seed, 31), ExpectimaxBot()
        analysed = bot.analyse(game)
        assert bot.choose(game) == analysed[0][0]
        assert [value for _, value in analysed] == sorted((value for _, value in analysed), reverse=True)
        assert {action for action, _ in analysed} <= set(game.legal_actions().tolist())
        assert len(analysed) == min(8, len(game.legal_actions()))


def test_a_finished_game_has_nothing_to_choose():
    game, player = carc_env.Game("base", deck=["U", "V"]), carc_env.make_bot("random", seed=1)
    while not game.is_over:
        game.play(player.choose(game))
    with pytest.raises(ValueError, match="the game is over"):
        ExpectimaxBot().choose(game)


@pytest.mark.parametrize(
    ("spec", "depth", "width"),
    [("expectimax", 1, 8), ("expectimax:2", 2, 8), ("expectimax:depth=3,width=4", 3, 4), ("expectimax:width=5", 1, 5)],
)
def test_specs(spec, depth, width):
    bot = carc_env.make_bot(spec)
    assert (bot.depth, bot.width, bot.name) == (depth, width, spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("expectimax:0", "depth = '0' should be a whole number from 1 to 4"),
        ("expectimax:5", "depth = '5' should be a whole number from 1 to 4"),
        ("expectimax:two", "'two' is not a valid option of expectimax. Its options are depth, width, draws"),
        ("expectimax:width=0", "width = '0' should be a whole number from 1 to 64"),
        ("expectimax:depth=1.5", "depth = '1.5' should be a whole number"),
        ("expectimax:depth=1,depth=2", "depth is given twice"),
    ],
)
def test_a_bad_spec_is_named(spec, message):
    with pytest.raises(BotError, match=message):
        carc_env.make_bot(spec)


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"depth": 9}, {"width": 65}, {"draws": 0}, {"width": 2.0}])
def test_wrong_numbers_are_named(wrong):
    with pytest.raises(BotError, match=f"{next(iter(wrong))} = .* should be a whole number from 1 to"):
        ExpectimaxBot(**wrong)


@pytest.mark.parametrize("preset, draws", [("base", 1), ("carcassonne", DRAWS)])
def test_hidden_chips_are_drawn_several_times(preset, draws, monkeypatch):
    found, numbers = expectimax.search, []
    monkeypatch.setattr(expectimax, "search", lambda *words: (numbers.append(words[-1]), found(*words)))
    ExpectimaxBot(width=2).choose(begin(preset, 1))
    assert numbers == list(range(draws))


@pytest.mark.parametrize(
    "spec, is_good",
    [
        ("expectimax:draws=1000", True),
        ("expectimax:draws=1001", False),
        ("rollout:depth=0,playouts=8", True),
        ("rollout:depth=201", False),
        ("rollout:doubt=100", True),
        ("rollout:doubt=101", False),
    ],
)
def test_options_have_the_ranges_that_docs_name(spec, is_good):
    if is_good:
        assert carc_env.make_bot(spec)
    else:
        with pytest.raises(BotError, match="should be a"):
            carc_env.make_bot(spec)
