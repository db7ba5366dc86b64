"""The examples in the docstrings hold."""

import doctest
import importlib
import importlib.util
import pkgutil

import pytest

import carc_env

NEEDS = {"carc_env.envs.openspiel": "pyspiel", "carc_env.arena.dataset": "minari"}  # libraries that may not be there
MODULES = [
    module.name
    for module in pkgutil.walk_packages(carc_env.__path__, "carc_env.")
    if not module.name.endswith("__main__") and importlib.util.find_spec(NEEDS.get(module.name, "json"))
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    counts = [len(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))]
    assert sum(counts) > 20
