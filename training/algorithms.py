"""The names of the benchmark's algorithms, and the interface for an algorithm of your own.

An algorithm is a class with the methods of `Algorithm`. The class need not inherit from `Algorithm`.
"""

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from carc_env.common.arguments import brief
from carc_env.common.errors import ConfigError

from . import devices
from .devices import CPU
from .ppo import check_libraries
from .tasks import Task

NAMES = {  # for each algorithm: its module in `training`, and its class
    "maskable-ppo": "sb3_algorithms:MaskablePPO",
    "ppo": "sb3_algorithms:PPO",
    "a2c": "sb3_algorithms:A2C",
    "dqn": "sb3_algorithms:DQN",
    "qr-dqn": "sb3_algorithms:QRDQN",
    "ppo-single-file": "ppo_single_file:PPO",
    "reinforce": "reinforce:Reinforce",
    "clone": "clone_greedy:Clone",
    "expert-iteration": "expert_iteration:ExpertIteration",
    "random": "fixed:Random",
    "greedy": "fixed:Greedy",
    "keen": "fixed:Keen",
    "rollout": "fixed:Rollout",
}


class Budget:
    """Limits the number of decisions that an algorithm may learn from, and counts the decisions that the algorithm has
    learned from so far.

    Args:
        decisions: the number of decisions in the whole training run.
        made: the number of decisions made so far.

    >>> budget = Budget(100)
    >>> budget.spend(60)
    >>> budget.left, budget.share
    (40, 0.6)
    """

    def __init__(self, decisions: int, made: int = 0):
        self.decisions, self.made = decisions, made

    @property
    def left(self) -> int:
        """The number of decisions that remain in the budget. Training ends when no decisions remain."""
        return self.decisions - self.made

    @property
    def share(self) -> float:
        """The fraction of the budget that has been used, from 0 to 1."""
        return min(1.0, self.made / self.decisions)

    def spend(self, decisions: int) -> None:
        """Report that the algorithm has learned from `decisions` more decisions. During the call, the benchmark may
        play matches and save the state of the run.
        """
        self.made += decisions


class Algorithm(Protocol):
    """The methods that an algorithm of the benchmark must have.

    If an algorithm also has the methods `state` and `set_state`, interrupted training continues from the last saved
    state. Without `state` and `set_state`, interrupted training starts from the beginning. The optional attribute
    `settings` is a JSON-serialisable dict, and is written to the result. The optional attribute `bot` is a Bot. If an
    algorithm has the attribute `bot`, this bot plays the evaluation matches, and the method `act` is not called. If
    `__init__` also has the argument `device`, the algorithm can learn on devices other than the CPU.
    """

    def __init__(self, task: Task, seed: int):
        """Make an algorithm for a task. All random numbers of the algorithm should be derived from the seed."""

    def fit(self, budget: Budget) -> None:
        """Learn in games of `task.environment(...)` while `budget.left > 0`. Call `budget.spend` after each update."""

    def act(self, observations: dict[str, np.ndarray]) -> np.ndarray:
        """Return the best action for each of n observations, as int64[n]. If the observations are planes, an action is
        an action id. If the observations are candidates, an action is the index of a candidate. The first axis of each
        observation array has length n.
        """


@runtime_checkable
class Saving(Protocol):
    """The additional methods of an algorithm whose training can be continued."""

    def state(self) -> dict[str, np.ndarray]:
        """Return everything that the algorithm has learned, as arrays."""

    def set_state(self, arrays: dict[str, np.ndarray], made: int) -> None:
        """Continue from the arrays that `state` returned. `made` is the number of decisions at the time when
        `state` returned the arrays.
        """


def find(spec: str) -> type[Algorithm]:
    """Return the class of an algorithm.

    `spec` is one of NAMES, or `FILE.py:CLASS`. Raises ConfigError if there is no such class. Raises MissingLibrary if
    an algorithm in NAMES needs a library that is not installed.
    """
    if spec in NAMES:
        module, _, name = NAMES[spec].partition(":")
        if module != "fixed":
            check_libraries()
        return getattr(importlib.import_module(f".{module}", __package__), name)
    path, colon, name = spec.rpartition(":")
    if not colon or not path.endswith(".py"):
        raise ConfigError(
            f"no algorithm {brief(spec)}; choose one of {', '.join(NAMES)}, or name a class of your own as "
            "FILE.py:CLASS"
        )
    if not Path(path).is_file():
        raise ConfigError(f"no algorithm {brief(spec)}; there is no file {path}")
    found = getattr(loaded(Path(path).resolve()), name, None)
    missing = [method for method in ("fit", "act") if not hasattr(found, method)]
    if found is None:
        raise ConfigError(f"{path}: the file has no class {name}")
    if missing:
        raise ConfigError(f"{path}: {name} has no method {' and no '.join(missing)}")
    return found


def loaded(path: Path) -> object:
    """Load a Python file as a module. Loading executes the code in the file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None  # for a .py file, neither of the two is None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses and pickle look for the module in `sys.modules`
    spec.loader.exec_module(module)
    return module


def made(spec: str, task: Task, seed: int, device: str = CPU) -> Algorithm:
    """Make an algorithm for a task. The network of the algorithm is placed on `device`. Raises ConfigError if the
    algorithm does not accept the device. Raises the same errors as `find` if the algorithm cannot be found.
    """
    kind: Any = find(spec)
    if device == CPU:
        return kind(task, seed)
    check_device(spec, device)
    return kind(task, seed, device=device)


def check_device(spec: str, device: str) -> None:
    """Raise ConfigError if the device does not exist or the algorithm does not accept the device."""
    if device == CPU:
        return
    if "device" not in inspect.signature(find(spec)).parameters:
        raise ConfigError(f"--device {device}: {name_of(spec)} learns only on the CPU; leave out --device")
    devices.check_device(device)


def name_of(spec: str) -> str:
    """Return the name that an algorithm has in result files. For an algorithm that is not in NAMES, this is the name of
    its class.
    """
    return spec if spec in NAMES else spec.rpartition(":")[2]


def home(spec: str) -> Path:
    """Return the path of the file that contains the class of an algorithm."""
    if spec in NAMES:
        return Path(__file__).with_name(f"{NAMES[spec].partition(':')[0]}.py")
    return Path(spec.rpartition(":")[0])


def seed_for(seed: int, made: int = 0) -> int:
    """Return a 32-bit seed for the games and the random numbers of a training run. The result also depends on `made`,
    the number of decisions so far. A resumed run therefore does not repeat the games from the start of the run. Runs
    with neighbouring seeds, such as 1 and 2, have no games in common.

    >>> seed_for(1) != seed_for(2) != seed_for(1, 5000)
    True
    """
    return int(np.random.SeedSequence([seed, made]).generate_state(1)[0])
