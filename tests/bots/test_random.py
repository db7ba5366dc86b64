"""Tests of the bot `random`, and of `make` with specs of bots."""

import os
from collections import Counter

import numpy as np
import pytest

import carc_env
from carc_env.bots import SPECS, BotError, make
from carc_env.bots.random import RandomBot
from carc_env.rules.state import NONE

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
SAMPLES = 300 if UNCOMPILED else 3000


def played(bot, config="goldmines", seed=7, answers=10**6):
    """Return a game after at most `answers` actions of a bot that plays against itself."""
    game = carc_env.Game(config, seed=seed)
    while not game.is_over and answers:
        game.play(bot.choose(game))
        answers -= 1
    return game


def test_same_seed_same_game_same_answer():
    assert played(RandomBot(5)) == played(RandomBot(5))
    assert played(RandomBot(5)).moves != played(RandomBot(6)).moves
    assert played(RandomBot(5)).moves != played(RandomBot(5 + 2**32)).moves  # the upper 32 bits of a seed count, too


def test_what_it_was_asked_before_does_not_matter():
    game, other = played(RandomBot(1), answers=20), played(RandomBot(2), answers=31)
    fresh, busy = RandomBot(5), RandomBot(5)
    for _ in range(3):
        busy.choose(other)
    assert [busy.choose(game), busy.choose(game)] == [fresh.choose(game)] * 2


def test_answers_depend_on_the_game():
    """In the course of a game, the bot does not always choose the same position in the list of legal actions."""
    bot, game, shares = RandomBot(5), carc_env.Game("base", seed=3), []
    for _ in range(40):
        legal, answer = game.legal_actions(), bot.choose(game)
        shares.append(np.searchsorted(legal, answer) / len(legal))
        game.play(answer)
    assert np.std(shares) > 0.2


def test_every_legal_answer_is_as_likely_as_the_others():
    game = carc_env.Game("base", deck=["U", "V"])
    legal = game.legal_actions().tolist()
    counts = Counter(RandomBot(seed).choose(game) for seed in range(SAMPLES))
    assert set(counts) == set(legal)
    expected = SAMPLES / len(legal)
    chi_square = sum((counts[action] - expected) ** 2 / expected for action in legal)
    assert chi_square < 4 * len(legal)


def test_the_order_of_the_tiles_left_does_not_matter():
    game = played(RandomBot(1), answers=30)
    shuffled = game.clone()
    state, rng = shuffled._games[0], np.random.default_rng(0)
    left = state["deck"][state["n_drawn"] : state["n_deck"]]
    state["deck"][state["n_drawn"] : state["n_deck"]] = rng.permutation(left)
    assert shuffled.deck != game.deck
    assert [RandomBot(seed).choose(shuffled) for seed in range(20)] == [
        RandomBot(seed).choose(game) for seed in range(20)
    ]


def test_a_batch_gets_the_answers_of_its_games():
    games = carc_env.Games("goldmines", 5, range(5))
    bot = RandomBot(9)
    for _ in range(12):
        games.step(bot.choose_batch(games))
    singles = [played(bot, seed=seed, answers=12) for seed in range(5)]
    assert [bot.choose(game) for game in singles] == bot.choose_batch(games).tolist()


def test_games_that_are_over():
    games = carc_env.Games("base", 2, [1, 2])
    bot, before = RandomBot(0), RandomBot(0).choose_batch(games)
    games.records[0] = played(bot, "base").state
    answers = bot.choose_batch(games)
    assert answers.dtype == np.int64 and answers.tolist() == [NONE, before[1]]
    with pytest.raises(ValueError, match="the game is over"):
        bot.choose(played(bot, "base"))


def test_it_changes_no_game():
    games = carc_env.Games("base", 3, [1, 2, 3])
    before = games.records.tobytes()
    RandomBot(0).choose_batch(games)
    assert games.records.tobytes() == before


def test_answers_are_the_same_on_every_machine_and_in_every_mode():
    """The expected actions were recorded from one game."""
    game = played(RandomBot(5), answers=6)
    assert game.moves == ["V@-1,0/270", "meeple road E", "A@0,1/270", "meeple field Nw", "E@0,2/180", "pass"]


def test_without_a_seed_every_bot_plays_its_own_game():
    assert played(make("random"), answers=20).moves != played(make("random"), answers=20).moves


def test_reseeding_makes_it_the_bot_of_the_other_seed():
    bot = RandomBot(5)
    bot.reseed(6)
    assert played(bot, answers=20) == played(RandomBot(6), answers=20)


# --- specs -------------------------------------------------------------------------------------------------------
def test_make():
    bot = make("random", seed=3)
    assert (bot.name, repr(bot)) == ("random", "<bot random>")
    assert played(bot, answers=20) == played(RandomBot(3), answers=20)
    assert make(bot) is bot
    assert make("greedy").name == "greedy"


@pytest.mark.parametrize("spec", ["", "Random", "random:3", "greedy:", "ppo:", "alphazero", ":", "a:", "greedy:Class"])
def test_an_unknown_spec_lists_the_known_ones(spec):
    with pytest.raises(BotError) as refusal:
        make(spec)
    assert str(refusal.value) == f"unknown bot {spec!r}; the known bots are {', '.join(SPECS)}"
    assert str(refusal.value).endswith("ppo, ppo:<checkpoint>, cmd:<program>, <module>:<Class>")
