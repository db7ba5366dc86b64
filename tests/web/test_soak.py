"""Tests that run the simulation in tests/web/soak.py."""

import pytest

from tests.web.soak import soak


@pytest.mark.long
def test_some_minutes_in_seconds():
    found = soak(hours=0.2, tables=6, speed=180, kill_every=2.5, seed=1)
    assert found["kills"] and found["counts"]["answers"] and found["acknowledged_answers_found"], found


@pytest.mark.stress
def test_a_day():
    found = soak(hours=24, tables=200, speed=40, kill_every=180, seed=2)
    assert found["acknowledged_answers_found"] > 10_000 and found["rss_mb"]["most"] < 2 * found["rss_mb"]["first"], (
        found
    )
