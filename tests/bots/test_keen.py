"""Tests of the bot `keen`, of its prices (heuristic weights), and of the points that it expects in a position."""

import numpy as np
import pytest

import carc_env
from carc_env import Games
from carc_env.common.errors import ConfigError
from carc_env.observing.keen import KEEN, keen_prices, prices_in, text_of_prices
from carc_env.observing.prospects import LEARNED, default_prices
from carc_env.observing.value_network import Asked
from tests import modes

IN_NUMBERS = pytest.mark.skipif(modes.NAME == "uncompiled", reason="many whole games")


def test_prices_are_read_as_they_are_written(tmp_path):
    path = tmp_path / "prices.toml"
    for prices in (keen_prices(), default_prices()):
        path.write_text(text_of_prices(prices), encoding="utf-8")
        for name in set(prices.dtype.names) - {"network"}:
            np.testing.assert_allclose(prices_in(path)[0][name], prices[0][name], rtol=1e-3)


def test_a_point_on_the_track_is_a_point():
    """The price of a point on the scoring track is 1, so that scored points and expected points can be added."""
    assert keen_prices()[0]["parts"][0] == 1.0
    assert keen_prices()[0]["early"][0] == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("follower = ", "folower = "), "not a file of heuristic weights such as keen.toml: 'follower'"),
        (("follower = ", "follower = 'much' # "), "not a file of heuristic weights"),
        (("[early]", "[late]"), "'early'"),
        (("hands = [", "hands = [1.0, "), "not a file of heuristic weights|finite"),
        (("[parts]", "speed = 3\n[parts]"), "there is no heuristic weight called speed"),
        (("NOW = 1", "NOW = nan"), "finite"),
        (("[parts]", "[parts"), "not a file of heuristic weights"),
    ],
)
def test_a_broken_file_of_prices_is_named(tmp_path, change, message):
    path = tmp_path / "prices.toml"
    text = KEEN.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=f"prices.toml: .*({message})"):
        prices_in(path)


def test_keen_prices_are_a_copy():
    keen_prices()[0]["follower"] = 99.0
    assert keen_prices()[0]["follower"] < 99.0


def test_prices_alone_ask_no_network():
    """Prices without a trained network contain a network of zeros, which is not used."""
    for prices in (default_prices(), keen_prices()):
        assert Asked(int(prices[LEARNED]["asked"][0])) is Asked.NOTHING


@IN_NUMBERS
def test_keen_beats_greedy():
    result = carc_env.play_match("keen", "greedy", "base", pairs=modes.sized(300, 60, 60))
    assert result.illegal == 0
    assert result.margin > 1


# --- expected points --------------------------------------------------------------------------------------------------
def test_finished_games_are_worth_what_was_scored():
    games, bot = Games("goldmines", 3, [1, 2, 3]), carc_env.make_bot("random", seed=1)
    while not games.is_over.all():
        games.step(bot.choose_batch(games))
    np.testing.assert_array_equal(carc_env.make_bot("keen").expect_points(games), games.scores)


@IN_NUMBERS
def test_what_is_expected_comes_near_what_is_scored():
    """Half-way through games that `keen` plays, the expected margin is correlated with the final margin."""
    n, keen = modes.sized(100, 30, 30), carc_env.make_bot("keen")
    games = Games("base", n, range(n))
    while (games.records["n_drawn"] < games.records["n_deck"] // 2).any():
        games.step(keen.choose_batch(games))
    expected = keen.expect_points(games)
    assert expected.shape == (n, 2)
    while not games.is_over.all():
        games.step(keen.choose_batch(games))
    assert (
        modes.NAME == "uncompiled"
        or np.corrcoef(expected[:, 0] - expected[:, 1], games.scores[:, 0] - games.scores[:, 1])[0, 1] > 0.5
    )


def test_nothing_is_expected_of_what_nobody_knows():
    games = Games("carcassonne", 2, [1, 2])
    keen = carc_env.make_bot("keen")
    for _ in range(20):
        games.step(keen.choose_batch(games))
    before = keen.expect_points(games)
    games.reshuffle_hidden([3, 4])
    np.testing.assert_array_equal(keen.expect_points(games), before)
