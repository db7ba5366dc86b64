"""Checks that modules which have moved can still be imported under their old names."""

import importlib
import subprocess
import sys
from importlib.machinery import PathFinder

import pytest

import carc_env
from carc_env.common.moved import MOVED, PUBLIC


@pytest.mark.parametrize("old", sorted(set(MOVED) - {"openspiel", "gpu"}))
def test_an_old_name_gives_the_module_and_warns(old):
    sys.modules.pop(f"carc_env.{old}", None)
    new = importlib.import_module(f"carc_env.{MOVED[old]}")
    with pytest.warns(
        DeprecationWarning,
        match=f"carc_env.{old} was renamed to carc_env.{MOVED[old]} in version 0.2; the old name will be removed in version 0.3",
    ):
        assert importlib.import_module(f"carc_env.{old}") is new
    assert new.__spec__.name == new.__name__ == f"carc_env.{MOVED[old]}", "it keeps what it knows of itself"


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_stays_without_a_warning(name):
    program = f"import carc_env.{name} as module, carc_env; assert carc_env.{name} is module; print(module.__name__)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert done.stdout == f"carc_env.{PUBLIC[name]}\n", done.stderr


def test_an_attribute_gives_it_as_well():
    sys.modules.pop("carc_env.config", None)
    vars(carc_env).pop("config", None)
    with pytest.warns(DeprecationWarning):
        assert carc_env.config.GameConfig is carc_env.GameConfig


def test_no_old_name_is_a_name_of_today():
    for old in MOVED | PUBLIC:
        assert PathFinder.find_spec(f"carc_env.{old}", carc_env.__path__) is None, old
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("carc_env.nonsense")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        carc_env.nonsense
