"""Where `training` lies, whose commands are commands of `carc` too.

In a checkout it lies beside carc_env and is called `training`. It is installed as `carc_env.training`, since a package
that is just called `training` is no one's in particular; its modules import each other by relative names and so do not
care.
"""

import importlib
import sys
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parents[1]
# of each command, with `parser(prog)`, whose default `run` carries it out
MODULES = {"train": "ppo", "evaluate": "evaluate", "benchmark": "benchmark"}


def module(command: str) -> ModuleType:
    """The module of a command of `carc`. Raises ImportError where it was not installed."""
    return importlib.import_module(f"{package()}.{MODULES[command]}")


def package() -> str:
    """The name of `training` here; in a checkout it can be imported from then on, wherever one stands."""
    if (PACKAGE / "training").is_dir():
        return "carc_env.training"
    if str(PACKAGE.parent) not in sys.path:
        sys.path.insert(0, str(PACKAGE.parent))
    return "training"
