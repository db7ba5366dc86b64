"""Checks that observations do not change by mistake: sums over a few games equal those in `data/observed.json` (see
tests/observed.py).
"""

import json

import pytest

from tests.observed import FILE, GAMES, observed

TOLD = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("preset", GAMES)
def test_what_is_seen_is_what_it_was(preset):
    """After an intended change, write the file again with `python -m tests.observed`."""
    found, told = observed(preset), TOLD[preset]
    for kind, sums in told.items():
        assert found[kind].keys() == sums.keys(), kind
        other = {
            name: (found[kind][name], value) for name, value in sums.items() if abs(found[kind][name] - value) > 0.002
        }
        assert not other, f"{kind}: now and before: {other}"
