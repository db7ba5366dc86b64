"""Compares the states of two games."""

import numpy as np

from carc_env.rules.state import GAME_FIELDS


def assert_same(one, other):
    """Assert that the states of two games are the same, except for the counts, the list of the last changed features,
    and the entries beyond the end of a list.
    """
    for name, *_ in GAME_FIELDS:
        here, there = one[name], other[name]
        if name in ("segments", "features"):
            here, there = here[: other["n_segments"]].copy(), there[: other["n_segments"]].copy()
            if name == "features":
                here["mark"] = there["mark"] = 0
        elif name in ("moves", "events", "frontier"):
            here, there = here[: other[f"n_{name}"]], there[: other[f"n_{name}"]]
        if name not in ("counts", "touched"):
            assert np.array_equal(here, there), name
