"""Finds the package `training`, whose commands, such as `train`, are also commands of `carc`.

In a checkout, the package `training` is a folder beside carc_env. In an installed carc_env, the package has the name
`carc_env.training`, because other packages may be called `training`. The modules of the package import each other by
relative names, so they work under both names of the package.
"""

import importlib
import sys
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parents[1]
# The module of each command. The module has a function `parser(prog)`, which returns an argument parser. This parser
# sets `run` to the function that executes the command.
MODULES = {"train": "ppo", "evaluate": "evaluate", "benchmark": "benchmark"}


def module(command: str) -> ModuleType:
    """Return the module of a command of `carc`. Raises ImportError if the package `training` is not installed."""
    return importlib.import_module(f"{package()}.{MODULES[command]}")


def package() -> str:
    """Return the name under which the package `training` can be imported. In a checkout, this function adds the
    checkout's root folder to Python's module search path.
    """
    if (PACKAGE / "training").is_dir():
        return "carc_env.training"
    if str(PACKAGE.parent) not in sys.path:
        sys.path.insert(0, str(PACKAGE.parent))
    return "training"
