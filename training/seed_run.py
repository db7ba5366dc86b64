"""One seed of an algorithm on a task: learn, play matches on the way and at the end, and go on after a break."""

import contextlib
import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from carc_env import __version__
from carc_env.arena.match import MatchResult, play_match
from carc_env.bots import Bot
from carc_env.observing import encode

from . import state
from .actor import ActorBot
from .algorithms import Algorithm, Budget, Saving, find, name_of, seed_for, source
from .ppo import CHECK_SEED, OPPONENTS, commit
from .tasks import JUDGES, Task

FORMAT = 1  # of a result
STATE = "state.safetensors"
# of a run, with its state
KEPT = ("source", "layout_hash", "settings", "made", "seconds", "processor_seconds", "curve", "breaks", "commits")
SAVE_SECONDS = 60.0  # between two saved states, at least
TELL_SECONDS = 30.0  # between two lines that tell how far it is, at least
LIBRARIES = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")  # whose versions a result tells


class Run(Budget):
    """A training that is watched: it plays the matches of the curve, saves the state and tells how it goes.

    Args:
        task: of the benchmark.
        spec: the algorithm, see `algorithms.find`.
        seed: of everything that is drawn.
        folder: where the state is saved.
    """

    def __init__(self, task: Task, spec: str, seed: int, folder: Path):
        super().__init__(task.decisions)
        self.task, self.name, self.source, self.seed, self._path = (
            task,
            name_of(spec),
            source(spec),
            seed,
            folder / STATE,
        )
        self.layout_hash = encode.layout_hash(task.observation, task.layout)
        kind = find(spec)
        told = self._told()
        self.made, self.seconds, self.processor_seconds = told["made"], told["seconds"], told["processor_seconds"]
        self.curve: list[dict[str, Any]] = told["curve"]
        self.breaks = told["breaks"] + bool(self.made)
        self.commits: list[str | None] = list(dict.fromkeys([*told["commits"], commit()]))  # that it was learned at
        self.algorithm: Algorithm = kind(task, seed_for(seed, self.made))
        self.settings: dict[str, Any] = getattr(self.algorithm, "settings", {})
        if self.made:
            if told["settings"] != self.settings:
                raise state.RunError(f"{self._path}: was saved with other settings of {self.name}; --again begins anew")
            self._set_state(state.read(self._path)[0])
        self._saves = isinstance(self.algorithm, Saving)
        self._saved = self._spoke = time.perf_counter()
        self._go_on()

    def _told(self) -> dict[str, Any]:
        """What was saved with the state; of a new training nothing is. Raises RunError for a state that cannot be gone
        on with.
        """
        if not self._path.is_file():
            return {"made": 0, "seconds": 0.0, "processor_seconds": 0.0, "curve": [], "breaks": 0, "commits": []}
        told = state.read(self._path, "task", *KEPT)[1]
        for what, now in (("task", self.task.to_dict()), ("layout_hash", self.layout_hash), ("source", self.source)):
            if told[what] != now:
                named = f"the algorithm {self.name}" if what == "source" else f"the task {self.task.id}"
                raise state.RunError(f"{self._path}: was saved for another form of {named}; --again begins anew")
        return told

    def _set_state(self, arrays: dict[str, Any]) -> None:
        """Let the algorithm go on from what it had learned. Raises RunError where it takes something else now."""
        try:
            assert isinstance(self.algorithm, Saving)  # it has saved
            self.algorithm.set_state(arrays, self.made)
        except (RuntimeError, KeyError, ValueError) as error:
            told = str(error).splitlines()[0]
            raise state.RunError(
                f"{self._path}: was saved by another form of {self.name}: {told}; --again begins anew"
            ) from error

    def run(self) -> dict[str, Any]:
        """Learn to the end and measure. Returns the result, see `result`."""
        if not self.made:
            self.check()
        self._go_on()
        self.algorithm.fit(self)
        self._pause()
        if self.curve[-1]["decisions"] < self.made:
            self.check()
        if self._saves:
            self.save()
        return self.result([self.judged(judge) for judge in JUDGES])

    def spend(self, decisions: int) -> None:
        """Count decisions, and play the matches of the curve when they are due."""
        before = self.made
        super().spend(decisions)
        self._pause()
        step = max(1, self.decisions // self.task.checks)
        if before // step < self.made // step:
            self.check()
        elif time.perf_counter() - self._spoke >= TELL_SECONDS:
            self.tell()
        if self._saves and time.perf_counter() - self._saved >= SAVE_SECONDS:
            self.save()
        self._go_on()

    def check(self) -> None:
        """Play the matches of a point of the curve, and tell of it."""
        point: dict[str, Any] = {"decisions": self.made, "seconds": round(self.seconds, 2)}
        for opponent in OPPONENTS:
            result = match(self.bot(), opponent, self.task, self.task.check_pairs, CHECK_SEED)
            point[opponent] = {"win_rate": result.win_rate_a, "margin": result.margin, "illegal": result.illegal}
        self.curve.append(point)
        against = ", ".join(
            f"{name} {point[name]['win_rate']:.0%} ({point[name]['margin']:+.1f})" for name in OPPONENTS
        )
        self.tell(f", against {against}")

    def judged(self, judge: str) -> MatchResult:
        """The match at the end against one of JUDGES."""
        self.tell(f", {self.task.eval_pairs} pairs of games against {judge}")
        return match(self.bot(), judge, self.task, self.task.eval_pairs, 0)

    def tell(self, more: str = "") -> None:
        """A line on standard error that tells how far it is."""
        print(
            f"{self.task.id}  {self.name}  seed {self.seed}  {self.made:,} of {self.decisions:,} decisions, "
            f"{self.speed:,.0f}/s{more}",
            file=sys.stderr,
            flush=True,
        )
        self._spoke = time.perf_counter()

    def save(self) -> None:
        """Write the state, as a whole or not at all."""
        assert isinstance(self.algorithm, Saving)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        state.write(
            self._path,
            self.algorithm.state(),
            {"task": self.task.to_dict()} | {name: getattr(self, name) for name in KEPT},
        )
        self._saved = time.perf_counter()

    def bot(self) -> Bot:
        """The player as it is now, giving its best answers."""
        return getattr(self.algorithm, "bot", None) or ActorBot(self.name, self.algorithm.act, self.task.sight)

    @property
    def speed(self) -> float:
        """Decisions a second, without matches."""
        return self.made / self.seconds if self.seconds else 0.0

    def _go_on(self) -> None:
        """Count the time from now on."""
        self._began, self._processor_began = time.perf_counter(), time.process_time()

    def _pause(self) -> None:
        """Stop counting the time."""
        self.seconds += time.perf_counter() - self._began
        self.processor_seconds += time.process_time() - self._processor_began

    def result(self, final: list[MatchResult]) -> dict[str, Any]:
        """What a file of results holds, as JSON knows it."""
        matches = [one.to_dict() for one in final]
        return {
            "format": FORMAT,
            "task": self.task.to_dict(),
            "layout_hash": self.layout_hash,
            "algorithm": self.name,
            "source": self.source,
            "seed": self.seed,
            "settings": self.settings,
            "decisions": self.made,
            "seconds": round(self.seconds, 2),
            "processor_seconds": round(self.processor_seconds, 2),
            "breaks": self.breaks,
            "illegal": sum(one.illegal for one in final)
            + sum(point[name]["illegal"] for point in self.curve for name in OPPONENTS),
            "curve": self.curve,
            "final": matches,
            "versions": versions(),
            "machine": machine(),
            "commit": ", ".join(filter(None, self.commits)) or None,
        }


def match(bot: Bot, opponent: str, task: Task, pairs: int, seed: int) -> MatchResult:
    """Pairs of games on the same decks, each player beginning one of a pair."""
    return play_match(bot, opponent, task.preset, pairs, seed)


def versions() -> dict[str, str]:
    """Of Python, of carc_env, and of the libraries that are there."""
    found = {"python": platform.python_version(), "carc_env": __version__}
    for name in LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def machine() -> dict[str, Any]:
    """What figures of speed depend on."""
    return {"system": platform.system(), "processor": processor(), "cores": os.cpu_count()}


def processor() -> str:
    """The name of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def run_seed(task: Task, spec: str, seed: int, folder: Path, threads: int = 1) -> dict[str, Any]:
    """Learn from one seed, on so many threads, and measure. Returns the result. Raises RunError and ConfigError."""
    limit_threads(threads)
    return Run(task, spec, seed, folder).run()


def limit_threads(threads: int) -> None:
    """Let torch have so many threads, where it is installed."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(threads)
