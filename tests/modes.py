"""Which of three modes the tests run in, and how much each mode tests; `docs/testing.md` explains the modes."""

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
    """Return `everything` in the compiled mode, `sample` in the mode that checks array bounds, and `uncompiled` in the
    uncompiled mode, which is the slowest.
    """
    return {"compiled": everything, "checked": sample, "uncompiled": uncompiled}[NAME]


def nightly(*values):
    """Return parameters of a test that only `make nightly` runs, because they run the same code as other parameters."""
    return pytest.param(*values, marks=pytest.mark.stress)


def later(*values):
    """Return parameters of a test that `make test` leaves to `make test-long`."""
    return pytest.param(*values, marks=pytest.mark.long)


check_table = GameConfig._check_table


def play_on_two_sizes():
    """Make 75 the default table size of games with rare boxes, and 25 instead of 31 that of other games without a
    sheet. The rules are compiled for each size.

    A test that names a size plays on it. `make nightly` and the uncompiled tests use the usual sizes.
    """

    def on_one_size(config):
        usual = config.table_size is None
        check_table(config)
        if usual and not set(RARE).isdisjoint(config.boxes):
            object.__setattr__(config, "table_size", _TableSize(75))
        elif usual and config.sheet is None and config.table_size == 31:
            object.__setattr__(config, "table_size", _TableSize(25))

    GameConfig._check_table = on_one_size
