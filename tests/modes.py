"""In which of three modes the tests run, and so how much of them: all where array bounds are checked, samples elsewhere."""

import os

NAME = "uncompiled" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else \
    "checked" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else "compiled"


def sized(checked, compiled, uncompiled):
    """What to take in this mode: all, a sample, or less still where the rules are slow."""
    return {"checked": checked, "compiled": compiled, "uncompiled": uncompiled}[NAME]
