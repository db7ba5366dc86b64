"""The examples in the docstrings hold."""

import doctest
import importlib
import pkgutil

import carc_env
import pytest

MODULES = [module.name for module in pkgutil.walk_packages(carc_env.__path__, "carc_env.")
           if not module.name.endswith("__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    counts = [len(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))]
    assert sum(counts) > 20
