"""How many games each law is tried on: the same ones in every run, few where the engine runs uncompiled.

`pytest tests/laws --hypothesis-profile=wide` tries other games in every run, and many more of them.
"""

import os

from hypothesis import settings

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"

settings.register_profile("wide", deadline=None, max_examples=1000, print_blob=True)
settings.register_profile("laws", deadline=None, max_examples=2 if UNCOMPILED else 60, derandomize=True)
settings.load_profile("laws")
