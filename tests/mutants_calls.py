"""A plugin of pytest for `tests/mutants.py`: notes which functions each test calls, or runs only some tests, quick ones
first.

    MUTANTS_CALLS=calls.json    in the environment: writes {test: [seconds, functions]}, uncompiled
    MUTANTS_TESTS=tests.json    runs the tests of this list, in its order

A function is called `carc_env/rules/chance.py:random_below`. What runs before the first test, as modules do when they
are imported, stands under the name "": all tests may depend on it.
"""

import json
import os
import sys
import time
from pathlib import Path

import pytest

ROOT = f"{Path(__file__).parents[1]}/"
NOTES, TESTS = "MUTANTS_CALLS", "MUTANTS_TESTS"
called, calls = set(), {}


def note(frame, event, argument) -> None:
    """What `sys.settrace` calls at each call of a Python function."""
    called.add((frame.f_code.co_filename, frame.f_code.co_name))


def keep(test: str, seconds: float) -> None:
    """Write down what was called since the last time."""
    ours = [(file, name) for file, name in called.copy() if file.startswith(f"{ROOT}carc_env")]
    calls[test] = [seconds, [f"{file.removeprefix(ROOT)}:{name}" for file, name in ours]]
    called.clear()


def pytest_collection_modifyitems(items) -> None:
    """Leave only the tests asked for."""
    if TESTS in os.environ:
        place = {test: number for number, test in enumerate(json.loads(Path(os.environ[TESTS]).read_text()))}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


if NOTES in os.environ:
    sys.settrace(note)

    def pytest_collection_finish() -> None:
        """Modules are imported, parameters of tests made."""
        keep("", 0.0)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(item):
        """A test, with its fixtures."""
        began = time.perf_counter()
        yield
        keep(item.nodeid, time.perf_counter() - began)

    def pytest_sessionfinish() -> None:
        """The end."""
        sys.settrace(None)
        Path(os.environ[NOTES]).write_text(json.dumps(calls))
