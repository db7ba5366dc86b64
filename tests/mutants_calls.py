"""A plugin of pytest for `tests/mutants.py`: notes which functions each test calls, or runs only some of the tests.

    MUTANTS_CALLS=calls.json    in the environment: writes {test: [seconds, functions]}, uncompiled
    MUTANTS_TESTS=tests.json    runs the tests of this list, in its order

A function has a name such as `carc_env/rules/chance.py:random_below`. Functions that are called before the first test,
for example while modules are imported, are listed under the name "": all tests may depend on them.
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
    """Note a call. `sys.settrace` has this function called at each call of a Python function."""
    called.add((frame.f_code.co_filename, frame.f_code.co_name))


def keep(test: str, seconds: float) -> None:
    """Store the functions called since the last time under the name of a test."""
    ours = [(file, name) for file, name in called.copy() if file.startswith(f"{ROOT}carc_env")]
    calls[test] = [seconds, [f"{file.removeprefix(ROOT)}:{name}" for file, name in ours]]
    called.clear()


def pytest_collection_modifyitems(items) -> None:
    """Keep only the tests of the list, in its order."""
    if TESTS in os.environ:
        place = {test: number for number, test in enumerate(json.loads(Path(os.environ[TESTS]).read_text()))}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


if NOTES in os.environ:
    sys.settrace(note)

    def pytest_collection_finish() -> None:
        """Store what was called while modules were imported and parameters of tests were made."""
        keep("", 0.0)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(item):
        """Run a test with its fixtures, and store what was called."""
        began = time.perf_counter()
        yield
        keep(item.nodeid, time.perf_counter() - began)

    def pytest_sessionfinish() -> None:
        """Stop tracing, and write all calls to the file."""
        sys.settrace(None)
        Path(os.environ[NOTES]).write_text(json.dumps(calls))
