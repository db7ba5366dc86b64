"""Run one seed of an algorithm on a task: the training, the matches during training, and the final evaluation.
Interrupted training can be continued.
"""

import contextlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from carc_env import __version__
from carc_env.bots import Bot
from carc_env.common.arguments import brief, whole_number
from carc_env.common.errors import IllegalAction

from . import algorithms, state, versions
from .actor import ActorBot
from .algorithms import Budget, Saving, seed_for
from .evaluation import APART, CHECK_DECKS, DECKS, match
from .ppo import commit
from .tasks import CHECKERS, JUDGES, Task

FORMAT = 3  # the format of a result file
STATE = "state.safetensors"
# attributes of a run that are saved with its state
KEPT = ("versions", "made", "seconds", "processor_seconds", "curve", "breaks", "commits")
SAVE_SECONDS = 60.0  # the shortest time between two saved states
MOST_LOOKS = 20_000  # how often `left` may be read between two calls of `spend`
TELL_SECONDS = 30.0  # the shortest time between two lines of progress
LIBRARIES = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")  # libraries whose versions are in a result


class Counted(Budget):
    """The budget that the algorithm's method `fit` receives. The budget gives an algorithm no access to the matches of
    the learning curve.

    Args:
        decisions: the number of decisions in the whole training run.
        made: the number of decisions made so far.
        who: the algorithm and the seed, for error messages.
        after: a function that `spend` calls after counting decisions. Its argument is the number of decisions that this
            call of `spend` has counted.
    """

    def __init__(self, decisions: int, made: int, who: str, after: Callable[[int], None]):
        super().__init__(decisions, made)
        self._looks, self._who, self._after = 0, who, after  # how often `left` was read since the last call of `spend`

    @property
    def left(self) -> int:
        """The number of decisions that remain in the budget.

        A training run would never end if the algorithm did not call `spend`. So RunError is raised if `left` is read
        more than MOST_LOOKS times without a call of `spend`.
        """
        self._looks += 1
        if self._looks > MOST_LOOKS:
            raise state.RunError(
                f"{self._who}: `fit` has read `budget.left` {MOST_LOOKS:,} times without a call of "
                "`budget.spend`, so the training would never end; call `budget.spend(n)` after every n decisions"
            )
        return super().left

    def spend(self, decisions: int) -> None:
        """Count decisions. If a point of the learning curve has been reached, play its matches."""
        whole = whole_number(decisions)
        if whole is None or whole < 0:
            raise state.RunError(f"{self._who}: budget.spend({brief(decisions)}): should be an int from 0 up")
        self._looks = 0
        super().spend(whole)
        self._after(whole)


class Run:
    """The training run of an algorithm with one seed. A run counts the algorithm's decisions, plays the matches of the
    learning curve, saves the state and reports the progress.

    Args:
        task: the task.
        spec: the algorithm, as in `algorithms.find`.
        seed: the seed of all random numbers.
        folder: the folder for the saved state.
        device: the device of the network.
        workers: the number of runs that this machine trains at the same time.
    """

    def __init__(self, task: Task, spec: str, seed: int, folder: Path, device: str = "cpu", workers: int = 1):
        self.task, self.name, self.seed, self.device = task, algorithms.name_of(spec), seed, device
        self.decisions, self.workers = task.decisions, workers
        self.file = None if spec in algorithms.NAMES else algorithms.home(spec).name
        self._path = folder / STATE
        told = self._told()
        self.made, self.seconds, self.processor_seconds = told["made"], told["seconds"], told["processor_seconds"]
        self.curve: list[dict[str, Any]] = told["curve"]
        self.breaks = told["breaks"] + bool(self.made)
        # the commits of the checkouts that have trained this run
        self.commits: list[str | None] = list(dict.fromkeys([*told["commits"], commit()]))
        measuring = of_run(task, spec)  # this call plays games, so the code is compiled before time is measured
        algorithms.find(spec)
        self._go_on()
        self.algorithm = algorithms.made(spec, task, seed_for(seed, self.made), device)
        self._pause()
        self.settings = settings_of(self.algorithm, self.who)
        self.versions = measuring | {"settings": versions.named("settings", self.settings)}
        if self.made:
            self._go_on_from(told["versions"])
        self._saves = isinstance(self.algorithm, Saving)
        self._saved = self._spoke = time.perf_counter()

    def _told(self) -> dict[str, Any]:
        """Return the JSON content of the saved state. For a new training run, return zeros and empty lists."""
        if not self._path.is_file():
            return {"made": 0, "seconds": 0.0, "processor_seconds": 0.0, "curve": [], "breaks": 0, "commits": []}
        return state.read(self._path, *KEPT)[1]

    def _go_on_from(self, told: dict[str, Any]) -> None:
        """Restore the saved state of the algorithm. Raises RunError if a version has changed since the state was
        saved.
        """
        others = versions.differences(told, self.versions)
        if others:
            raise state.RunError(
                f"{self._path}: this state was saved with other versions: {'; '.join(others)}; use --again to start "
                f"again"
            )
        try:
            assert isinstance(self.algorithm, Saving)  # only an algorithm with `state` and `set_state` saves a state
            self.algorithm.set_state(state.read(self._path)[0], self.made)
        except (RuntimeError, KeyError, ValueError) as error:
            told_by = str(error).splitlines()[0]
            raise state.RunError(
                f"{self._path}: this state does not fit the algorithm {self.name}: {told_by}; use --again to start "
                f"again"
            ) from error

    def run(self) -> dict[str, Any]:
        """Train to the end, and evaluate the agent. Returns the content of the result file."""
        if not self.made:
            self.check()
        self._go_on()
        self.learn()
        self._pause()
        if self.curve[-1]["decisions"] < self.made:
            self.check()
        if self._saves:
            self.save()
        return self.result([self.judged(judge) for judge in JUDGES])

    def learn(self) -> None:
        """Call the algorithm's method `fit`.

        Raises RunError if `fit` chooses an illegal action. Also raises RunError if `fit` returns before the budget is
        spent. There is one exception: if the algorithm has an attribute `bot`, `fit` may return without making any
        decision.
        """
        try:
            self.algorithm.fit(Counted(self.decisions, self.made, self.who, self.spent))
        except IllegalAction as error:
            raise state.RunError(f"{self.who}: {error}") from error
        if self.made < self.decisions and (self.made or getattr(self.algorithm, "bot", None) is None):
            raise state.RunError(
                f"{self.who}: `fit` returned after {self.made:,} of {self.decisions:,} decisions; it should call "
                "`budget.spend` for all decisions, until `budget.left` is 0"
            )

    def spent(self, decisions: int) -> None:
        """Count decisions. Play the matches of the learning curve if they are due, and save the state if saving is
        due.
        """
        self._pause()
        before, self.made = self.made, self.made + decisions
        step = max(1, self.decisions // self.task.checks)
        if before // step < self.made // step:
            self.check()
        elif time.perf_counter() - self._spoke >= TELL_SECONDS:
            self.tell()
        if self._saves and time.perf_counter() - self._saved >= SAVE_SECONDS:
            self.save()
        self._go_on()

    def check(self) -> None:
        """Play the matches for a point of the learning curve, and report the results."""
        decks = CHECK_DECKS + APART * self.seed
        found = [match(self.bot(), checker, self.task, self.task.check_pairs, decks) for checker in CHECKERS]
        self.curve.append(
            {
                "decisions": self.made,
                "seconds": round(self.seconds, 2),
                "processor_seconds": round(self.processor_seconds, 2),
                "matches": found,
            }
        )
        self.tell(", against " + ", ".join(f"{one['opponent']} {told(one)}" for one in found))

    def judged(self, judge: str) -> dict[str, Any]:
        """Play the final match against one of the JUDGES, which are the opponents in the evaluation."""
        self.tell(f", {self.task.eval_pairs} pairs of games against {judge}")
        return match(self.bot(), judge, self.task, self.task.eval_pairs, DECKS + APART * self.seed)

    def tell(self, more: str = "") -> None:
        """Report the progress in one line on standard error."""
        print(
            f"{self.task.id}  {self.name}  seed {self.seed}  {self.made:,} of {self.decisions:,} decisions, "
            f"{self.speed:,.0f}/s{more}",
            file=sys.stderr,
            flush=True,
        )
        self._spoke = time.perf_counter()

    def save(self) -> None:
        """Write the state atomically."""
        assert isinstance(self.algorithm, Saving)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        state.write(self._path, self.algorithm.state(), {name: getattr(self, name) for name in KEPT})
        self._saved = time.perf_counter()

    def bot(self) -> Bot:
        """Return the current agent as a bot. The bot is either the attribute `bot` of the algorithm, or it plays the
        actions that `act` returns.
        """
        return getattr(self.algorithm, "bot", None) or ActorBot(self.name, self.act, self.task.observation_spec)

    def act(self, observations: dict[str, np.ndarray]) -> np.ndarray:
        """Return the actions that the algorithm's method `act` returns. Raises RunError if `act` does not return one
        integer for each observation, or if an integer is outside the action space.
        """
        found, (n, most) = np.asarray(self.algorithm.act(observations)), observations["action_mask"].shape
        is_good = found.shape == (n,) and found.dtype.kind in "iu" and ((found >= 0) & (found < most)).all()
        if not is_good:
            what = "the index of a candidate" if self.task.observation == "candidates" else "an action id"
            raise state.RunError(
                f"{self.who}: `act` should return {what}, an int from 0 to {most - 1}, for each of {n} observations, "
                f"not {found.dtype}{list(found.shape)}: {brief(found.tolist())}"
            )
        return found

    @property
    def who(self) -> str:
        """The algorithm and the seed, for error messages."""
        return f"{self.name}, seed {self.seed}" + (f", {self.file}" if self.file else "")

    @property
    def speed(self) -> float:
        """The number of decisions per second of learning. The seconds do not include the time spent on matches."""
        return self.made / self.seconds if self.seconds else 0.0

    def _go_on(self) -> None:
        """Resume measuring the learning time."""
        self._began, self._processor_began = time.perf_counter(), processor_time()

    def _pause(self) -> None:
        """Stop measuring the learning time."""
        self.seconds += time.perf_counter() - self._began
        self.processor_seconds += processor_time() - self._processor_began

    def result(self, final: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the content of a result file, as a JSON-serialisable dict."""
        played = [*final, *(one for point in self.curve for one in point["matches"])]
        return {
            "format": FORMAT,
            "task": self.task.to_dict(),
            "algorithm": self.name,
            "file": self.file,
            "seed": self.seed,
            "settings": self.settings,
            "versions": self.versions,
            "decisions": self.made,
            "seconds": round(self.seconds, 2),
            "processor_seconds": round(self.processor_seconds, 2),
            "breaks": self.breaks,
            "illegal": sum(one["illegal"] for one in played),
            "curve": self.curve,
            "final": final,
            "libraries": libraries(),
            "machine": machine(self.device) | {"threads": threads(), "workers": self.workers},
            "commit": ", ".join(filter(None, self.commits)) or None,
        }


def settings_of(algorithm: object, who: str) -> dict[str, Any]:
    """Return the settings of an algorithm. Raises RunError if the settings are not a dict, or cannot be written as
    JSON.
    """
    found = getattr(algorithm, "settings", {})
    try:
        json.dumps(found, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise state.RunError(f"{who}: `settings` cannot be written as JSON: {error}") from None
    if not isinstance(found, dict):
        raise state.RunError(f"{who}: settings = {brief(found)}: should be a dict")
    return found


def of_run(task: Task, spec: str) -> dict[str, Any]:
    """Return the versions of everything that determines a run: the task, the game, the bots, the algorithm and the
    network. The settings are not included, because they are known only after the algorithm object has been made.
    """
    return versions.of_measuring(task) | versions.of_algorithm(algorithms.name_of(spec), algorithms.home(spec))


def told(one: dict[str, Any]) -> str:
    """Return the win rate and the margin of a match, as text."""
    pairs = len(one["wins"])
    return f"{sum(one['wins']) / pairs:.0%} ({sum(one['margins']) / pairs:+.1f})"


def libraries() -> dict[str, str]:
    """Return the versions of Python, carc_env and the installed libraries."""
    found = {"python": platform.python_version(), "carc_env": __version__}
    for name in LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def machine(device: str) -> dict[str, Any]:
    """Return those properties of the machine that affect the speed of a run."""
    return {"system": platform.system(), "processor": processor(), "cores": os.cpu_count(), "device": device}


def processor_time() -> float:
    """Return the processor time of this process and of its finished child processes, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def processor() -> str:
    """Return the name of the processor, if the system provides the name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def run_seed(
    task: Task, spec: str, seed: int, folder: Path, threads: int = 1, device: str = "cpu", workers: int = 1
) -> dict[str, Any]:
    """Train an algorithm with one seed and the given number of threads, and evaluate the agent. `workers` is the number
    of runs that this machine trains at the same time.

    Returns the content of the result file. Raises ConfigError for an unknown algorithm or device. Raises RunError if
    the run cannot continue from its saved state.
    """
    limit_threads(threads)
    return Run(task, spec, seed, folder, device, workers).run()


def limit_threads(threads: int) -> None:
    """Limit torch to the given number of threads, if torch is installed."""
    with contextlib.suppress(ImportError):
        import torch

        torch.set_num_threads(threads)


def threads() -> int:
    """Return the number of threads that torch uses, or 1 if torch is not installed."""
    try:
        import torch
    except ImportError:
        return 1
    return int(torch.get_num_threads())
