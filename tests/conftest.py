"""What all tests share: nothing is told of compiling, and a line says in which of the three modes they run."""

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

# in the background of a shell tests, and what they start, would not hear Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("CARC_ENV_QUIET", "1")  # a command that says nothing on standard error may still have to compile
if modes.NAME == "compiled":
    modes.play_on_two_sizes()


# Files that take longest are begun first: each is run by one process, and all should end at the same time.
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
    """After a test torch computes with one thread again. Some tests ask for more, which would disturb the other processes."""
    yield
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


@pytest.fixture
def usual_sizes():
    """Games have tables of the sizes that users get, also where the tests play on two sizes alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GameConfig, "_check_table", modes.check_table)
        config._preset.cache_clear()
        yield
    config._preset.cache_clear()


def pytest_collection_modifyitems(items) -> None:
    """The files of LONGEST come first, in this order."""
    places = {str(TESTS / name): place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(str(item.path), len(places)))


def pytest_terminal_summary(terminalreporter) -> None:
    """The mode, so that a log tells what was tested."""
    terminalreporter.write_line(f"rules: {RULES[modes.NAME]}")
