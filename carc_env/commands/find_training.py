"""Finds the package `training`, whose commands are also commands of `carc`.

In a checkout it lies beside carc_env and is called `training`. It is installed as `carc_env.training`, because
`training` alone is too common a name. Its modules import each other by relative names, so both names work.
"""

import importlib
import sys
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parents[1]
# of each command, with `parser(prog)`, whose default `run` carries it out
MODULES = {"train": "ppo", "evaluate": "evaluate", "benchmark": "benchmark"}


def module(command: str) -> ModuleType:
    """The module of a command of `carc`. Raises ImportError if `training` is not installed."""
    return importlib.import_module(f"{package()}.{MODULES[command]}")


def package() -> str:
    """The name of the package `training` here. In a checkout, this makes it importable from any folder."""
    if (PACKAGE / "training").is_dir():
        return "carc_env.training"
    if str(PACKAGE.parent) not in sys.path:
        sys.path.insert(0, str(PACKAGE.parent))
    return "training"
