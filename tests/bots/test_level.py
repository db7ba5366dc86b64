"""Tests of the levels for human players: their actions, their seeds, and the errors for unknown levels."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import carc_env
from carc_env import BotError, Game, Games, make_bot
from carc_env.bots.bot import ActionValue
from carc_env.bots.erring import ErringBot
from carc_env.bots.level import LEVELS, RATINGS, SPECS, all_in_words, in_words
from carc_env.setup.config import presets
from tests import modes

ERRING = ("level:1", "level:2", "level:3")


def positions(config: str = "base", n: int = 12) -> list[Game]:
    """Return the first `n` positions of a game that `greedy` plays."""
    game, greedy, found = Game(config, seed=3), make_bot("greedy"), []
    for _ in range(n):
        found.append(game.clone())
        game.play(greedy.choose(game))
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_every_level_is_a_bot_of_that_name(spec):
    assert make_bot(spec, seed=1).name == spec
    assert in_words(spec) == spec.replace(":", " ") and f"{spec} {LEVELS[int(spec[-1])].word}" in all_in_words()


def test_levels_are_100_to_300_points_apart():
    assert list(RATINGS) == list(LEVELS) == [1, 2, 3, 4, 5, 6]
    steps = np.diff(list(RATINGS.values()))
    assert min(steps) > 100 and max(steps) < 300


def test_the_docs_have_the_same_ratings():
    text = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
    for number, level in LEVELS.items():
        assert f"| `level:{number}` | {level.word} | {RATINGS[number]} |" in text


@pytest.mark.parametrize("spec", ["level", "level:", "level:0", "level:7", "level:x", "level:1,2", "level:01"])
def test_what_is_no_level_is_told_which_there_are(spec):
    with pytest.raises(BotError, match=f"there is no bot '{spec}'; the levels are level:1 to level:6"):
        make_bot(spec)


@pytest.mark.parametrize("spec", ERRING)
def test_the_same_seed_and_game_give_the_same_answer(spec):
    found = positions()
    answers = [make_bot(spec, seed=5).choose(game) for game in found]
    bot = make_bot(spec, seed=5)
    assert [bot.choose(game) for game in reversed(found)] == answers[::-1]
    assert [pickle.loads(pickle.dumps(bot)).choose(game) for game in found] == answers
    others = [[make_bot(spec, seed=seed).choose(game) for game in found] for seed in range(4)]
    assert len({tuple(some) for some in others}) > 1


def test_many_games_at_once_and_games_that_are_over():
    games = Games("base", 3, [1, 2, 3])
    bot = make_bot("level:1", seed=2)
    assert bot.choose_batch(games).tolist() == [bot.choose(games.game(i)) for i in range(3)]
    seeds = np.array([7, 8, 9], np.uint64)
    each = []
    for i, seed in enumerate(seeds):
        bot.reseed(int(seed))
        each.append(bot.choose(games.game(i)))
    assert bot.choose_for(games, np.arange(3), seeds).tolist() == each
    over = Game("base", deck=["V"])
    over.play("V@1,0/0")
    over.play("pass")
    assert bot.choose_batch(Games.view_of(over)).tolist() == [-1]


def test_answers_are_drawn_by_their_prices():
    """The odds of two actions are the exponential of the difference of their values, divided by the temperature."""
    game = Game("base", deck=["V", "E", "K"])
    values = dict(make_bot("greedy").analyse(game))
    bot, counts = ErringBot(0, temperature=2.0), dict.fromkeys(values, 0)
    for seed in range(3000):
        bot.reseed(seed)
        counts[bot.choose(game)] += 1
    weights = np.exp(np.array([*values.values()]) / 2.0)
    expected = 3000 * weights / weights.sum()
    assert np.all(np.abs(np.array([*counts.values()]) - expected) < 5 * np.sqrt(expected) + 5)


@pytest.mark.skipif(modes.NAME == "uncompiled", reason="whole games; the law of peeking draws uncompiled")
@pytest.mark.parametrize("config", presets())
def test_beginners_play_every_preset(config):
    assert carc_env.play_match("level:1", "level:3", config, pairs=1).illegal == 0


@pytest.mark.skipif(modes.NAME == "uncompiled", reason="whole games; the law of peeking draws uncompiled")
def test_each_level_of_one_ply_is_better_than_the_one_before():
    for weak, strong in zip(("random", *ERRING), (*ERRING, "level:4")):
        assert carc_env.play_match(strong, weak, "base", pairs=50).win_rate_a > 0.6


def test_what_levels_say_that_answers_are_worth():
    game = positions()[6]
    assert make_bot("level:1", seed=1).analyse(game) == make_bot("greedy").analyse(game)
    assert make_bot("level:4").analyse(game) == make_bot("greedy").analyse(game)


@pytest.mark.skipif(modes.NAME == "uncompiled", reason="whole games; the law of peeking draws uncompiled")
# --- values with standard errors --------------------------------------------------------------------------------------
@pytest.mark.parametrize("spec", ["rollout:playouts=20", "rollout:playouts=60", "mcts:playouts=60"])
def test_searching_bots_know_the_errors_of_their_values(spec):
    errors = []
    for game in positions():
        bot = make_bot(spec, seed=4)
        found = bot.action_values(game)
        assert bot.analyse(game) == [(worth.action, worth.value) for worth in found]
        assert found[0].action == bot.choose(game)
        errors += [worth.error for worth in found]
    known = [error for error in errors if error is not None]
    assert len(known) > len(errors) / 3 and all(0 <= error < 1000 for error in known)


def test_a_bot_that_only_analyses_knows_no_errors():
    game = positions()[4]
    assert make_bot("greedy").action_values(game) == [ActionValue(*each) for each in make_bot("greedy").analyse(game)]
    with pytest.raises(BotError, match="cannot compute values of actions"):
        make_bot("random").action_values(game)


class Judging:
    """A user's own object, not a subclass of Bot, that knows the standard errors of its values."""

    def choose(self, game):
        return game.legal_actions()[0]

    def action_values(self, game):
        return [(int(action), 1.0, 0.5) for action in game.legal_actions()]


def test_an_object_of_ones_own_may_know_errors():
    game = positions()[4]
    bot = make_bot(Judging())
    assert {worth.error for worth in bot.action_values(game)} == {0.5} and bot.analyse(game)[0][1] == 1.0
