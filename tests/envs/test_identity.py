"""Batch, single, threaded and uncompiled play are the same, bit for bit; more games by `python -m tests.identity`."""

import pytest

import carc_env
from carc_env import jit

from tests import identity


@pytest.mark.parametrize("number", range(len(carc_env.presets())))
def test_a_sample_of_games_is_the_same_in_every_way(number, monkeypatch):
    games, few = (20, int(number == 0)) if jit.is_compiled() else (2, 0)
    monkeypatch.setattr(identity, "WAYS", {"vector of 3": (3, 1), "vector of 20 on 2 threads": (20, 2)})
    first = 1024 * number
    assert list(identity.differences(range(first, first + games), few)) == []
    assert identity.one_by_one(range(first, first + 1)) != identity.one_by_one(range(first + 1, first + 2))
