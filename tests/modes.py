"""In which of three modes the tests run, and how much runs in which; `docs/testing.md` says what each mode is for."""

import os
from dataclasses import replace

import pytest

from carc_env.rules.state import RARE

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


def on_a_size_in_use(config):
    """The game on a table of 75 if it has rare boxes and 31 rows: rules are compiled for each size, and no preset
    has these.
    """
    is_other = NAME != "uncompiled" and config.table_size == 31 and not set(RARE).isdisjoint(config.boxes)
    return replace(config, table_size=75) if is_other else config
