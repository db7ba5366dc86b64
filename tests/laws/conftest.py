"""Sets how many games each law is tested on. The games are the same in every run; the compiled mode plays most of them.

`pytest tests/laws --hypothesis-profile=wide` plays other games in every run, and many more of them.
"""

from hypothesis import HealthCheck, settings

from tests import modes

# the first game may wait until the rules are compiled
SLOW = (HealthCheck.too_slow,)
settings.register_profile("wide", deadline=None, suppress_health_check=SLOW, max_examples=1000, print_blob=True)
settings.register_profile(
    "laws", deadline=None, suppress_health_check=SLOW, max_examples=modes.sized(25, 5, 1), derandomize=True
)
settings.load_profile("laws")
