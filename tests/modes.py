"""In which of three modes the tests run, and how much runs in which; `docs/testing.md` says what each mode is for."""

import os

import pytest

from carc_env.rules.state import RARE
from carc_env.setup.config import GameConfig, _TableSize

NAME = (
    "uncompiled"
    if os.environ.get("NUMBA_DISABLE_JIT") == "1"
    else "checked"
    if os.environ.get("NUMBA_BOUNDSCHECK") == "1"
    else "compiled"
)


def sized(everything, sample, uncompiled):
    """What to take in this mode: all where rules are compiled as usual, a sample where array bounds are checked, or less
    still where the rules are slow.
    """
    return {"compiled": everything, "checked": sample, "uncompiled": uncompiled}[NAME]


def nightly(*values):
    """Parameters of a test that take the way of others through the code: `make nightly` runs it with them."""
    return pytest.param(*values, marks=pytest.mark.stress)


def later(*values):
    """Parameters of a test that are left to `make test-long`."""
    return pytest.param(*values, marks=pytest.mark.long)


check_table = GameConfig._check_table


def play_on_two_sizes():
    """Play games with rare boxes on a table of 75 and all others on one of 25, unless a test names a size: rules are
    compiled for each size. `make nightly` and the uncompiled tests play on the usual sizes.
    """

    def on_one_size(config):
        usual = config.table_size is None
        check_table(config)
        if usual and not set(RARE).isdisjoint(config.boxes):
            object.__setattr__(config, "table_size", _TableSize(75))
        elif usual and config.sheet is None and config.table_size == 31:
            object.__setattr__(config, "table_size", _TableSize(25))

    GameConfig._check_table = on_one_size
