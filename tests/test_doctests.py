"""Checks that the examples in the docstrings give the results that they show."""

import doctest
import importlib
import importlib.util
import pkgutil

import carc_env

NEEDS = {"carc_env.envs.openspiel": "pyspiel", "carc_env.arena.dataset": "minari"}  # libraries that may be missing
MODULES = [
    module.name
    for module in pkgutil.walk_packages(carc_env.__path__, "carc_env.")
    if not module.name.endswith("__main__") and importlib.util.find_spec(NEEDS.get(module.name, "json"))
]


def test_examples():
    done = {name: doctest.testmod(importlib.import_module(name)) for name in MODULES}
    assert [name for name, found in done.items() if found.failed] == []
    assert sum(found.attempted for found in done.values()) > 20
