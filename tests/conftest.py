"""Settings and fixtures of all tests. Messages about compiling are off, and the report names the mode (see
tests/modes.py).
"""

import os
import signal
import sys
from pathlib import Path

import pytest

from carc_env.setup import config
from carc_env.setup.config import GameConfig
from tests import modes

TESTS = Path(__file__).parent
SAMPLES = "samples of the random games"
RULES = {
    "checked": f"compiled, array bounds checked; {SAMPLES}",
    "compiled": "compiled, array bounds not checked",
    "uncompiled": f"not compiled; {SAMPLES}",
}

# if the tests run in the background of a shell, they and the processes that they start would otherwise ignore Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("CARC_ENV_QUIET", "1")  # no messages about compiling, also where standard error should be empty
if modes.NAME == "compiled":
    modes.play_on_two_sizes()


# The slowest files run first. Each file is run by one process, and all processes should end at about the same time.
LONGEST = (
    "web/test_page.py",
    "training/test_benchmark.py",
    "web/test_page_company.py",
    "naive/test_naive.py",
    "scenarios/test_scenarios.py",
    "test_pages.py",
    "networks/test_networks.py",
    "training/test_sb3_recipes.py",
    "training/test_teacher.py",
    "systems/test_random_games.py",
    "test_jit.py",
    "web/test_page_understanding.py",
    "terminal/test_screen.py",
    "laws/test_search.py",
    "training/test_ranks.py",
    "cli/test_shards.py",
    "test_site.py",
)


@pytest.fixture(autouse=True)
def one_thread():
    """Let torch compute with one thread again after each test. Some tests use more threads, which would slow down the
    other processes.
    """
    yield
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


@pytest.fixture
def usual_sizes():
    """Let games have the table sizes that users get, even in the mode in which tests use only two table sizes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GameConfig, "_check_table", modes.check_table)
        config._preset.cache_clear()
        yield
    config._preset.cache_clear()


def pytest_collection_modifyitems(items) -> None:
    """Run the files in LONGEST first, in this order."""
    places = {str(TESTS / name): place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(str(item.path), len(places)))


def pytest_terminal_summary(terminalreporter) -> None:
    """Print the mode, so that the log says what was tested."""
    terminalreporter.write_line(f"rules: {RULES[modes.NAME]}")
