"""Tests of many games at once (tests/web/load.py)."""

import pytest

from tests.web.load import measure


@pytest.mark.long
def test_five_games_at_once():
    found = measure(games=5, config="base", pause=0.1, seconds=2)
    assert found["answers"] >= 10 and found["answer_ms"]["median"] < 2000, found


@pytest.mark.stress
def test_two_hundred_games_at_once():
    """Checks that no request fails, and that 99 % of the turns take less than ten seconds."""
    found = measure(games=200, config="goldmines", pause=10, seconds=60)
    assert found["answers"] > 400 and found["turn_ms"]["99th"] < 10_000, found
