"""Support for the old names of modules that were moved in version 0.2.

Until version 0.3, the old names still work, but importing an old name issues a DeprecationWarning.
"""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

from carc_env.common.renamed import GONE

MOVED = {  # maps old to new module names; both are without the prefix `carc_env.`
    "analysis": "arena.analysis",
    "bench": "commands.bench",
    "candidates": "observing.candidates",
    "chances": "games.open_game",
    "check": "arena.check_files",
    "checkpoint": "bots.checkpoint",
    "cli": "commands.cli",
    "config": "setup.config",
    "dataset": "arena.dataset",
    "docs": "commands.docs",
    "doctor": "commands.doctor",
    "errors": "common.errors",
    "events": "notation.events",
    "game": "games.game",
    "gpu": "envs.gpu",
    "jit": "compiling.jit",
    "layout": "boxes.layout",
    "layouts": "observing.spaces",
    "match": "arena.match",
    "movie": "arena.movie",
    "openspiel": "envs.openspiel",
    "position": "notation.positions",
    "prospects": "observing.prospects",
    "protocol": "arena.protocol",
    "recorder": "notation.record_files",
    "records": "notation.records",
    "sheets": "boxes.sheets",
}
# old module names that remain public: importing them issues no warning
PUBLIC = {"actions": "boxes.actions", "encode": "observing.encode"}


class MovedModules(MetaPathFinder, Loader):
    """Finds a module by its old name.

    Importing the old name returns the same module object as importing the new name.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a `ModuleSpec` if `fullname` is the old name of a moved module, and otherwise None."""
        package, _, name = fullname.partition(".")
        return spec_from_loader(fullname, self) if package == "carc_env" and name in MOVED | PUBLIC else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module with the new name."""
        name = spec.name.partition(".")[2]
        new = f"carc_env.{(MOVED | PUBLIC)[name]}"
        if name in MOVED:
            warnings.warn(
                f"{spec.name} was renamed to {new} in version 0.2; the old name will be removed in version {GONE}",
                DeprecationWarning,
                stacklevel=2,
            )
        module = importlib.import_module(new)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the original `__spec__` of a module.

        The import of the old name has replaced the `__spec__` of the module. The module is not executed again, because
        it has already been executed under its new name.
        """
        module.__spec__ = self._spec


def find_moved_modules() -> None:
    """Let Python find modules by their old names.

    If there is a real module with the old name, Python imports this module instead of the moved one.
    """
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.append(MovedModules())
