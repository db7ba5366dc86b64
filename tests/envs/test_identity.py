"""Checks that games are identical if they are played one by one, in batches, with threads or uncompiled. `python -m
tests.identity` checks more games.
"""

import pytest

import carc_env
from carc_env.compiling import jit
from tests import identity


@pytest.mark.parametrize("number", range(len(carc_env.presets()) if jit.is_compiled() else 2))
def test_a_sample_of_games_is_the_same_in_every_way(number, monkeypatch):
    games, few = (20, int(number == 0)) if jit.is_compiled() else (1, 0)
    ways = {"vector of 3": (3, 1), "vector of 20 on 2 threads": (20, 2)}
    monkeypatch.setattr(identity, "WAYS", ways if games > 1 else {"vector of 1": (1, 1)})
    first = 1024 * number
    assert list(identity.differences(range(first, first + games), few)) == []


def test_a_difference_would_be_told(monkeypatch):
    monkeypatch.setattr(identity, "WAYS", {})
    monkeypatch.setattr(identity, "in_a_batch", lambda numbers: [0])
    monkeypatch.setattr(identity, "one_by_one", lambda numbers: [1])
    assert list(identity.differences(range(5, 6), 0)) == ["game 5 (base) is not the same in: batch"]
