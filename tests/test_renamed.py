"""Checks that old names of the public API still work, and that a warning tells the new name."""

import importlib

import numpy as np
import pytest

import carc_env
from carc_env import Bot, Game, Games, make_bot
from carc_env.arena.match import MatchResult
from carc_env.bots import ActionValue
from carc_env.bots.own import wrap
from carc_env.observing import encode
from carc_env.observing.spaces import layout_of

GAME = carc_env.preset("base")


@pytest.mark.parametrize(
    "module, old, new",
    [
        ("carc_env.observing.encode", "Sight", "ObservationSpec"),
        ("carc_env.observing.encode", "look", "observe"),
        ("carc_env.bots", "Worth", "ActionValue"),
        ("carc_env.bots.bot", "Worth", "ActionValue"),
        ("carc_env.networks", "AnswersPolicy", "NeighborhoodPolicy"),
        ("carc_env.networks", "AnswersQPolicy", "NeighborhoodQPolicy"),
        ("carc_env.networks", "AnswersQuantilePolicy", "NeighborhoodQuantilePolicy"),
    ],
)
def test_a_module_knows_its_old_names(module, old, new):
    home = importlib.import_module(module)
    with pytest.warns(
        DeprecationWarning, match=f"{module}.{old} is now {new}; version 0.3 removes the old name"
    ) as told:
        assert getattr(home, old) is getattr(home, new)
    assert told[0].filename == __file__
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        home.Nothing


def test_a_layout_knows_its_old_names():
    layout = layout_of(GAME, "game")
    with pytest.warns(DeprecationWarning, match="Layout.common is now Layout.to_common"):
        ids = layout.common(np.arange(5))
    with pytest.warns(DeprecationWarning, match="Layout.own is now Layout.from_common") as told:
        assert layout.own(ids).tolist() == [0, 1, 2, 3, 4]
    assert told[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="Layout.passing is now Layout.pass_action"):
        assert layout.passing == layout.pass_action


def test_a_batch_of_one_game_under_its_old_name():
    game = Game(GAME, seed=3)
    with pytest.warns(DeprecationWarning, match="Games.of is now Games.view_of"):
        games = Games.of(game)
    assert np.shares_memory(games.records, Games.view_of(game).records)


def test_what_a_match_found_under_its_old_name():
    result = MatchResult(
        "a", "b", "base", 1, 0.5, (0, 1), 1.0, 1.0, 0.0, None, 0, 0.1, 0.1, margin_anytime_ci95=(-1, 2)
    )
    with pytest.warns(DeprecationWarning, match="MatchResult.margin_always is now MatchResult.margin_anytime_ci95"):
        assert result.margin_always == (-1, 2)


class Object:
    """A bot that does not inherit from Bot and uses the old name `judge`."""

    def choose(self, game):
        return game.legal_actions()[0]

    def judge(self, game):
        return [(game.legal_actions()[0], 1.5, 0.25)]


def test_bots_that_value_actions_under_the_old_name():
    game = Game(GAME, seed=3)
    expected = [ActionValue(int(game.legal_actions()[0]), 1.5, 0.25)]
    with pytest.warns(DeprecationWarning, match="the method judge of the bot Own is now action_values"):

        class Own(Bot):
            choose, judge = Object.choose, Object.judge

    with pytest.warns(DeprecationWarning, match="the method judge of .*Object.* is now action_values"):
        wrapped = wrap(Object(), None, "object")
    for bot in (Own(), wrapped):
        assert bot.action_values(game) == expected and bot.analyse(game) == [expected[0][:2]]
    with pytest.warns(DeprecationWarning, match="ActionValue.answer is now ActionValue.action"):
        assert expected[0].answer == expected[0].action


def test_the_values_of_a_bot_under_the_old_name():
    with pytest.warns(DeprecationWarning, match="GreedyBot.judge is now GreedyBot.action_values"):
        found = make_bot("greedy").judge(Game(GAME, seed=3))
    assert found == make_bot("greedy").action_values(Game(GAME, seed=3))


def test_the_network_of_a_configuration_under_its_old_name():
    pytest.importorskip("stable_baselines3")
    from training.sb3_config import SB3Config

    with pytest.warns(DeprecationWarning, match='network = "answers" is now "neighborhood"'):
        assert SB3Config(network="answers") == SB3Config(network="neighborhood")


def test_old_names_are_not_listed():
    assert "Sight" not in dir(encode) and "AnswersPolicy" not in carc_env.networks.__all__
