"""Tests of the bot `rollout` and of its search."""

import pickle

import numpy as np
import pytest

import carc_env
from carc_env import Games, Phase
from carc_env.bots.learned import shipped_prices
from carc_env.boxes.tiles import tile_table
from carc_env.common.errors import BotError
from carc_env.observing.pricing import NEAR
from carc_env.observing.prospects import default_prices
from carc_env.observing.value_network import Asked
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.searching.halving import SURE_STACKS, Searcher, Settings
from carc_env.searching.rollouts import LISTED, list_answers, play_turns, room_for
from tests import modes, tried
from tests.positions import middle

# tests/laws/test_no_peeking.py runs the search uncompiled
pytestmark = pytest.mark.skipif(
    modes.NAME == "uncompiled", reason="whole games that search; compiled they take seconds"
)


# --- the policy -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("preset", ["base", "goldmines", "carcassonne", modes.nightly("everything")])
def test_turns_played_by_plan_are_those_of_greedy(preset):
    """The policy of rollouts plays the ingot and the figure with which it priced the tile. `greedy` chooses the same
    actions when it makes these decisions one by one.
    """
    n = modes.sized(10, 3, 1)
    games = Games(preset, n, range(n))
    others = games[np.arange(n)]
    play_turns(games.records, tile_table(), default_prices(), *room_for(games.records.dtype), 400)
    greedy = carc_env.make_bot("greedy")
    while not others.is_over.all():
        others.step(greedy.choose_batch(others))
    assert (games.records["moves"]["answer"] == others.records["moves"]["answer"]).all()
    assert (games.scores == others.scores).all()


@pytest.mark.parametrize("preset", ["base", modes.nightly("everything")])
def test_rollouts_ask_the_network_about_the_best_answers_by_prospects(preset):
    config, changed = carc_env.preset(preset), 0
    with_network, without = (shipped_prices(config, asked) for asked in (Asked.PRICES, Asked.LEAVES))
    for seed in range(25):
        game = middle(preset, seed, answers=20 + 4 * seed)
        if game.is_over:
            continue
        answer = tried.quick_answer(game._games, tile_table(), with_network, *room_for(game.state.dtype))
        prices, full = (prices_of_answers(game, table) for table in (without, with_network))
        near = [other for other in prices if prices[other] >= max(prices.values()) - NEAR]
        assert answer in near
        assert tried.quick_answer(game._games, tile_table(), without, *room_for(game.state.dtype)) in near
        if game.phase != Phase.PLACE_TILE:  # no later decision of the turn is left to the prospects alone
            assert full[answer] == max(full[other] for other in near)
        changed += prices[answer] < max(prices.values())
    assert changed > 2


def prices_of_answers(game, prices):
    """Return the price (heuristic value) of each action."""
    listed, rooms = np.zeros(MAX_ANSWERS, LISTED), room_for(game.state.dtype)
    n = list_answers(game._games, tile_table(), prices, *rooms, listed)
    return dict(zip(listed["answer"][:n].tolist(), listed["price"][:n].tolist()))


# --- the bot ----------------------------------------------------------------------------------------------------------
def test_it_beats_greedy():
    result = carc_env.play_match("rollout:playouts=30", "greedy", "base", pairs=3)
    assert result.illegal == 0
    assert result.margin > 5


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads):
    for seed in range(4):
        game = middle("base", seed)
        alone = carc_env.make_bot("rollout:playouts=90", seed=2).analyse(game)
        assert carc_env.make_bot(f"rollout:playouts=90,threads={threads}", seed=2).analyse(game) == alone


def test_the_same_seed_and_game_give_the_same_answer_whatever_was_asked_before():
    game, bot = middle("carcassonne"), carc_env.make_bot("rollout:playouts=60", seed=4)
    first = bot.analyse(game)
    bot.choose(middle("base", 3))
    assert bot.analyse(game) == first
    assert pickle.loads(pickle.dumps(bot)).analyse(game) == first
    assert carc_env.make_bot("rollout:playouts=60", seed=5).analyse(game) != first


def test_the_game_is_left_as_it_is():
    game = middle("carcassonne")
    before = game.clone()
    carc_env.make_bot("rollout:playouts=30", seed=1).choose(game)
    assert game == before


def test_a_budget_in_milliseconds_is_kept_and_used():
    game, bot = middle("base"), carc_env.make_bot("rollout:ms=600", seed=1)
    bot.choose(game)
    found = bot.search(game)
    assert found.playouts > 8
    assert found.seconds < 6  # a busy machine may exceed the budget


def search_made_up(game, margin, aim="margin", **budget):
    """Search a position with made-up results of rollouts. `margin(rank, lot)` is the margin after an action on a stack.
    `rank` 0 is the policy's own action. `lot` is a number from -1 to 1 that is drawn for the action and the stack.
    """
    searcher, ranks = Searcher(default_prices(), Settings(near=1e6, aim=aim)), {}

    def make_up(search, values, first):
        for k, row in enumerate(values):
            lots = np.random.default_rng(first + k).uniform(-1, 1, len(row))
            for action in search.alive:
                row[action] = margin(ranks.setdefault(int(action), len(ranks)), lots[action])

    searcher.roll_out = make_up
    return searcher.search(Games.view_of(game).records, np.array([1, 2]), **budget)


def search_noisy(margins, seconds):
    """Search for some seconds. `margins` are the actions' mean margins, by rank. All other actions are hopeless."""
    margins = dict(enumerate(margins))
    return search_made_up(middle("carcassonne"), lambda rank, lot: margins.get(rank, -99) + lot, ms=1000 * seconds)


@pytest.mark.parametrize("margins", [(0, 3), (3, 0), (0, 3, 6, 9), (9, 6, 3, 0), (6, 0, 9), (0, 0, 0, 0, 9, 0, 0, 0)])
def test_a_search_that_is_sure_ends_before_its_time(margins):
    found = search_noisy(margins, seconds=60)
    assert found.seconds < 30  # usually some milliseconds, but longer on a busy machine
    assert found.values[0] == pytest.approx(max(margins), abs=0.7)
    assert found.playouts >= SURE_STACKS * len(margins)


@pytest.mark.parametrize("margins", [(0, 0), (9, 9), (0, 0, 0), (5, 0, 5), (5, 5, 0, 0), (5, 0, 0, 0, 5)])
def test_a_search_that_is_not_sure_uses_its_time(margins):
    """An action that is as good as the policy's own action is never found to be clearly better or worse."""
    assert search_noisy(margins, seconds=0.25).seconds >= 0.2


def test_playouts_are_spent_and_not_overspent():
    for playouts in (1, 8, 20, 50, 200):
        found = carc_env.make_bot(f"rollout:playouts={playouts}", seed=1).search(middle("base"))
        assert found.playouts <= max(playouts, 2)
        assert found.playouts >= 0.8 * playouts


def test_few_playouts_compare_few_answers():
    """With few playouts, the search only tries as many actions as can be tried on two stacks each in the first round.
    The spec can set the number of actions.
    """
    many = middle("carcassonne")
    assert len(many.legal_actions()) > 8

    def looked_at(budget):
        return len(carc_env.make_bot(f"rollout:{budget},near=1e6", seed=1).search(many).answers)

    assert [looked_at(f"playouts={n}") for n in (8, 16, 29, 47, 48, 500)] == [2, 4, 4, 7, 8, 8]
    assert looked_at("playouts=8,most=8") == 8 and looked_at("playouts=500,most=30") > 8
    assert looked_at("ms=1") == 4 and looked_at("ms=3000") == 8


def test_answers_come_best_first_and_the_first_is_played():
    game, bot = middle("goldmines"), carc_env.make_bot("rollout:playouts=100", seed=3)
    analysed = bot.analyse(game)
    assert bot.choose(game) == analysed[0][0]
    assert {action for action, _ in analysed} <= set(game.legal_actions().tolist())


def test_an_answer_that_is_not_clearly_better_leaves_that_of_the_policy():
    """With a very large `doubt`, no action is ever clearly better than the policy's own action."""
    searcher = Searcher(default_prices(), Settings(doubt=1e6))
    greedy = carc_env.make_bot("greedy")
    for seed in range(6):
        game = middle("carcassonne", seed)
        found = searcher.search(Games.view_of(game).records, np.array([1, 2]), playouts=40)
        assert found.answers[0] == greedy.choose(game)


@pytest.mark.parametrize(("aim", "chosen"), [("margin", "more points"), ("win", "the win")])
@pytest.mark.parametrize("players", [2, 3])
def test_the_aim_is_more_points_or_the_win(aim, chosen, players):
    """The policy's own action wins by 3 points. Another action wins by 22 or, equally often, loses by 10 points."""
    late = middle({"players": players}, seed=1, answers=120)
    assert 0 < late.tiles_left < 15 and len(late.legal_actions()) > 1
    outcomes = {0: lambda lot: 3, 1: lambda lot: 22 if lot > 0 else -10}
    found = search_made_up(late, lambda rank, lot: outcomes.get(rank, lambda lot: -99)(lot), aim, playouts=2000)
    own = carc_env.make_bot("greedy").choose(late)
    assert (found.answers[0] == own) == (chosen == "the win")


def test_rollouts_to_the_end_of_the_game_are_won_or_lost():
    """With few tiles left, a rollout ends with the final scores. With the aim `win`, a certain win by one point is
    better than many points in half of the rollouts.
    """
    late = middle("base", seed=1, answers=130)
    assert late.tiles_left < Settings().depth + 1 and len(late.legal_actions()) > 1
    outcomes = {0: lambda lot: 1}
    found = search_made_up(
        late, lambda rank, lot: outcomes.get(rank, lambda lot: 12 if lot > 0 else -2)(lot), "win", playouts=400
    )
    assert found.answers[0] == carc_env.make_bot("greedy").choose(late)


def test_errors_are_in_points_whatever_the_aim():
    errors = [
        search_made_up(middle("base"), lambda rank, lot: 10 * lot + rank, aim, playouts=80).errors
        for aim in ("margin", "win")
    ]
    for found in errors:
        assert found[np.isfinite(found) & (found > 0)].min() > 0.5


def test_without_doubt_the_least_gain_decides():
    game = middle("base")
    searcher = Searcher(default_prices(), Settings(doubt=0))
    with np.errstate(all="raise"):
        assert searcher.search(Games.view_of(game).records, np.array([1, 2]), playouts=2).playouts == 2


def test_it_names_the_network_that_values_its_rollouts():
    pair, three = carc_env.preset("base"), carc_env.GameConfig(players=3)
    assert carc_env.make_bot("rollout").agent_for(pair) == "base-values"
    assert carc_env.make_bot("rollout:values=prices").agent_for(pair) is None
    assert carc_env.make_bot("rollout").agent_for(three) is carc_env.make_bot("learned").agent_for(three) is None


def test_three_players():
    game = carc_env.Game({"players": 3}, seed=1)
    bot = carc_env.make_bot("rollout:playouts=20,depth=1", seed=1)
    for _ in range(modes.sized(200, 12, 4)):
        if game.is_over:
            break
        game.play(bot.choose(game))
    assert modes.NAME != "compiled" or game.is_over


def test_a_finished_game_has_nothing_to_choose():
    game = middle("base", answers=0)
    random = carc_env.make_bot("random", seed=1)
    while not game.is_over:
        game.play(random.choose(game))
    with pytest.raises(ValueError, match="the game is over"):
        carc_env.make_bot("rollout").choose(game)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rollout:playouts=0", "playouts = '0' should be a whole number from 1 to"),
        ("rollout:playouts=2.5", "should be a whole number"),
        ("rollout:ms=nan", "ms = 'nan' should be a number from 1 to"),
        ("rollout:speed=3", "'speed=3' is not a valid option of rollout. Its options are playouts, ms"),
        ("rollout:50", "'50' is not a valid option of rollout"),
        ("rollout:ms=5,ms=6", "ms is given twice"),
        ("rollout:ms=5,playouts=6", "not both"),
    ],
)
def test_a_bad_spec_is_named(spec, message):
    with pytest.raises(BotError, match=message):
        carc_env.make_bot(spec)


def test_values_descend():
    for seed in range(5):
        values = [value for _, value in carc_env.make_bot("rollout:playouts=80", seed=1).analyse(middle("base", seed))]
        assert len(values) > 1
        assert values == sorted(values, reverse=True)
