"""Tests of tuning the heuristic weights of `keen`: a short run can be stopped and continued."""

import pytest

from carc_env.observing.keen import keen_prices, prices_in, text_of_prices
from carc_env.observing.prospects import default_prices
from training import tune_prices

pytest.importorskip("cma")


@pytest.fixture
def quick(monkeypatch):
    """Play only one preset, with two pairs of games per generation."""
    monkeypatch.setattr(tune_prices, "SCATTER", {"base": (2, 11.9)})


def test_prices_are_a_row_of_steps_and_back():
    for prices in (default_prices(), keen_prices()):
        found = tune_prices.prices_of(tune_prices.vector_of(prices))
        for name in ("parts", "early", "hands", *tune_prices.NAMES):
            assert found[0][name] == pytest.approx(prices[0][name])


def test_it_writes_prices_after_each_generation_and_goes_on_from_them(quick, tmp_path, capsys):
    out = tmp_path / "keen.toml"
    assert tune_prices.main(["--minutes", "0.02", "--out", str(out)]) == 0
    assert "generation 1," in capsys.readouterr().out
    first = prices_in(out)
    assert first[0]["follower"] != pytest.approx(keen_prices()[0]["follower"])
    assert tune_prices.main(["--minutes", "0", "--out", str(out)]) == 0
    assert prices_in(out).tobytes() == first.tobytes()


def test_ctrl_c_leaves_the_prices(quick, tmp_path, capsys, monkeypatch):
    out = tmp_path / "keen.toml"

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tune_prices.Opponent, "margins", stop)
    assert tune_prices.main(["--minutes", "1", "--out", str(out)]) == 130
    assert "no generation was completed" in capsys.readouterr().out and not out.exists()
    out.write_text(text_of_prices(keen_prices()))
    assert tune_prices.main(["--minutes", "1", "--out", str(out)]) == 130
    assert f"another --seed begins a new search from the weights in {out}" in capsys.readouterr().out
    assert out.read_text() == text_of_prices(keen_prices())


def test_better_prices_have_less_loss(quick, monkeypatch):
    monkeypatch.setattr(tune_prices, "SCATTER", {"base": (60, 11.9)})
    worse = default_prices()
    worse[0]["parts"][2] = 0.0  # the weight of the points that unfinished cities have now
    opponent = tune_prices.Opponent()
    assert opponent.loss(default_prices(), 1) == 0.0
    assert opponent.loss(worse, 1) > 0.3
