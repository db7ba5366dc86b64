"""The command `carc doctor`, which reports what is installed, what is compiled, and whether everything works."""

import importlib.metadata
import os
import platform
import re
import shutil
import statistics
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import carc_env
from carc_env.boxes.actions import N_ACTIONS, USUAL_SIZE
from carc_env.boxes.sheets import RECONSTRUCTION, read_sheet, sheets
from carc_env.common.progress import Show, ctrl_c_noted, progress
from carc_env.compiling import cache, jit, waiting
from carc_env.rules.state import whole_game

NOTICE = (
    "carc_env is an unofficial fan implementation, not affiliated with or endorsed by the makers of the board "
    "game Carcassonne."
)
CORE = ("numpy", "numba", "llvmlite", "gymnasium")
SIDE_BY_SIDE = 64  # games in the batch whose steps are measured
WORDS = {"compiling": "compiling", "waiting": "waiting for another process that compiles"}
SECONDS = 0.25  # duration of the measurement of calls, which ends earlier if a game is over


def findings(compiling: bool = False) -> dict[str, Any]:
    """Return all results of `carc doctor` as a dict for JSON. If `compiling` is False, nothing is compiled."""
    before, made = jit.cached(), jit.compiled()
    seconds, costs = measure(compiling)
    now = jit.compiled()
    folder, others = (cache.cache_folder(), cache.other_folders()) if jit.is_compiled() else (None, [])
    return {
        "carc_env": carc_env.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "versions": {name: installed(name) for name in CORE},
        "compiler": "off"
        if not jit.is_compiled()
        else "on, bounds checked"
        if cache.checking_mode() == "checked"
        else "on",
        "cache": str(folder) if folder else None,
        "cache_bytes": size([folder] if folder else []),
        "kept_nowhere": cache.kept_nowhere() if jit.is_compiled() else None,
        "other_caches": len(others),
        "other_caches_bytes": size(others),
        "compiled_before": before[0],
        "compiled_before_signatures": before[1],
        "compiled_now": now[0] - made[0],
        "compiled_now_signatures": now[1] - made[1],
        "all_compiled": seconds is not None,
        "loaded": jit.loaded()[0],
        "loaded_signatures": jit.loaded()[1],
        "first_game_s": seconds and round(seconds, 3),
        "call_us": costs,
        "record_bytes": whole_game(USUAL_SIZE).itemsize,
        "actions": N_ACTIONS,
        "presets": list(carc_env.presets()),
        "sheets": [
            {"name": name, "title": read_sheet(name).title, "reconstruction": read_sheet(name).reconstruction}
            for name in sheets()
        ],
        "extras": extras(),
        "notice": NOTICE,
    }


def measure(compiling: bool) -> tuple[float | None, dict[str, float]]:
    """Return two values: the duration of the first games in seconds, and the durations of single calls (`call_costs`).
    The duration of the first games includes compiling or loading the code. If `compiling` is False, the function does
    not compile anything. If some code is not compiled yet, it then returns None and an empty dict.
    """
    try:
        if compiling:
            return compile_all(), call_costs()
        with waiting.only_loading():
            return play_all(), call_costs()
    except waiting.NotCompiled:
        return None, {}


def report(found: dict[str, Any]) -> str:
    """Return the results as text."""
    rows = [
        ("carc_env", found["carc_env"]),
        ("Python", f"{found['python']} on {found['platform']}, {found['cpus']} processors"),
        ("libraries", ", ".join(f"{name} {version}" for name, version in found["versions"].items())),
        ("compiler", found["compiler"]),
        ("compiled code", code_in_words(found)),
        ("cache", cache_in_words(found)),
        *rows_of_other_caches(found),
        *rows_of_costs(found),
        ("a game", f"{found['record_bytes']:,} bytes, {found['actions']:,} action ids"),
        ("presets", ", ".join(found["presets"])),
        (
            "sheets",
            ", ".join(
                sheet["name"] + (f" ({RECONSTRUCTION})" if sheet["reconstruction"] else "") for sheet in found["sheets"]
            ),
        ),
        *((f"extra [{name}]", words(packages)) for name, packages in found["extras"].items()),
    ]
    return "\n".join([*(f"{name:18} {value}" for name, value in rows), "", found["notice"]])


def rows_of_other_caches(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the report's rows about caches that belong to other versions of the sources. If there are such caches, the
    list has one row. Otherwise, the list is empty.
    """
    if not found["other_caches"]:
        return []
    space = megabytes(found["other_caches_bytes"])
    return [
        (
            "other caches",
            f"{found['other_caches']}, {space}, from other versions of the sources; `carc doctor --clean` removes them",
        )
    ]


def rows_of_costs(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the report's rows about speed: the duration of the first games, and the durations of single calls such as
    `Game.play`. The list is empty if some functions have not been compiled.
    """
    if not found["all_compiled"]:
        return []
    first = (
        f"{found['first_game_s']:.2f} s, including compiling or loading; "
        f"{found['loaded']} functions ({found['loaded_signatures']} signatures) loaded"
    )
    costs = (f"{name} {cost:,.{0 if cost >= 100 else 1}f} µs" for name, cost in found["call_us"].items())
    return [("first game", first), ("a call", ", ".join(costs))]


def code_in_words(found: dict[str, Any]) -> str:
    """Return a phrase that says how many functions were compiled before this run, and how many during this run."""
    if found["compiler"] == "off":
        return "the compiler is switched off"
    before, now = (
        f"{found[name]} functions ({found[f'{name}_signatures']} signatures)"
        for name in ("compiled_before", "compiled_now")
    )
    if not found["all_compiled"]:
        what = f"{before}; the rest is not compiled yet" if found["compiled_before"] else "not compiled yet"
        return (
            f"{what}: `carc doctor --compile` compiles it"
            if found["kept_nowhere"] is None
            else "not kept: every process compiles again"
        )
    return f"{now} compiled now, {before} before" if found["compiled_now"] else f"{before}, all found in the cache"


def cache_in_words(found: dict[str, Any]) -> str:
    """Return a phrase that gives the folder and the size of the cache."""
    place = f"{found['cache']}, {megabytes(found['cache_bytes'])}" if found["cache"] else "none"
    return f"{place}: {found['kept_nowhere']}" if found["kept_nowhere"] else place


def megabytes(count: int) -> str:
    """Convert a size in bytes to a string in megabytes."""
    return f"{count / 1e6:,.1f} MB"


def words(packages: dict[str, str | None]) -> str:
    """Return a phrase that names the missing packages of an extra, or `installed` if none is missing."""
    missing = [name for name, version in packages.items() if version is None]
    return f"missing: {', '.join(missing)}" if missing else "installed"


def extras() -> dict[str, dict[str, str | None]]:
    """Return the packages of each extra with their versions. The version is None for a package that is not installed.

    If carc_env is not installed and is imported from a checkout, the result is empty.
    """
    try:
        wanted = importlib.metadata.requires("carc_env") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    found: dict[str, dict[str, str | None]] = {}
    for requirement in wanted:
        if extra := re.search(r"extra == ['\"]([\w-]+)['\"]", requirement):
            name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
            found.setdefault(extra[1], {})[name] = installed(name)
    return found


def installed(name: str) -> str | None:
    """Return the version of an installed package, or None if it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def size(folders: Iterable[Path]) -> int:
    """Return the total size in bytes of all compiled files in the given folders. Another process may change the folders
    while this function runs.
    """
    count = 0
    for path in (path for folder in folders for path in folder.rglob("*.nb*")):
        with suppress(OSError):
            count += path.stat().st_size
    return count


def clean() -> str:
    """Remove the caches of other versions of the source code, and return a report. A running process that uses a
    removed cache has to compile its code again.
    """
    others = cache.other_folders() if jit.is_compiled() else []
    before = size(others)
    for folder in others:
        shutil.rmtree(folder, ignore_errors=True)
    return f"removed {len(others)} other caches, {megabytes(before - size(others))}"


def compile_all() -> float:
    """Compile the code for all presets, and show the progress on standard error. On a terminal, the progress is shown
    as a bar. Without a terminal, it is shown in about ten lines.

    Returns the duration in seconds.
    """
    import carc_env.bots.greedy  # its functions count as well
    import carc_env.envs.vector  # noqa: F401

    with progress(progress_lines()) as show, ctrl_c_noted() as heed:

        def watch(what: str) -> None:
            heed()
            show(WORDS[what], jit.at_hand(), jit.functions())

        waiting.watch = watch
        try:
            return play_all()
        finally:
            waiting.watch = None
            heed()


def progress_lines() -> Show:
    """Return a function that shows the progress. The function prints a line after each tenth of the work. The first
    time that the command waits for another process, the function prints one more line.
    """
    told = set()

    def show(what: str, done: int, total: int) -> None:
        step = what if what == WORDS["waiting"] else done * 10 // total
        if step not in told:
            told.add(step)
            print(f"carc: {what}, {done} of {total} functions done", file=sys.stderr, flush=True)

    return show


def play_all() -> float:
    """Play a few actions in games of three presets, and return the duration in seconds. The games of these presets are
    of three different kinds, and the code is compiled separately for each kind. The games of every other preset belong
    to one of these kinds. The games call every compiled function at least once, except the functions of the search
    bots.
    """
    began = time.perf_counter()
    for preset in ("goldmines", "expansions", "everything"):
        play_some(preset)
    return time.perf_counter() - began


def play_some(preset: str) -> None:
    """Play a few actions in games of a preset. The calls are selected so that they use every compiled function for
    games of the preset, except the functions of the search bots.
    """
    from carc_env.bots import make
    from carc_env.envs.vector import CarcassonneVectorEnv

    envs = CarcassonneVectorEnv(2, preset, "random", observation="both", table=True)
    envs.reset(seed=0)
    envs.step(envs.random_actions(np.ones((2, 2), np.int64)))
    envs.close()
    game = carc_env.Game(preset, seed=0)
    game.play(int(game.legal_actions()[0]))
    carc_env.replay(game.record())
    games = carc_env.Games(game.config, 2, [0, 1])
    for bot in (make("random", seed=0), make("greedy", seed=0)):
        games.step(bot.choose_batch(games))
    games.legal_mask()
    games.observe(observation="both")
    game.provisional_scores()


def call_costs() -> dict[str, float]:
    """Measure `Game.play`, `Game.legal_actions` and `Games.step` in random games of `goldmines`. Returns the median
    duration of each call in microseconds. The duration of `Games.step` is divided by the number of games.
    """
    from carc_env.bots import make

    games = carc_env.Games("goldmines", SIDE_BY_SIDE, range(SIDE_BY_SIDE))
    game, bot = carc_env.Game("goldmines", seed=0), make("random", seed=0)
    samples: list[list[float]] = []
    until = time.perf_counter() + SECONDS
    while not samples or time.perf_counter() < until and not (game.is_over or games.is_over.any()):
        answer, answers = bot.choose(game), bot.choose_batch(games)
        clock = [time.perf_counter()]
        for call in (game.legal_actions, partial(game.play, answer), partial(games.step, answers)):
            call()
            clock.append(time.perf_counter())
        samples.append([after - before for before, after in pairwise(clock)])
    legal, play, step = (statistics.median(column) * 1e6 for column in zip(*samples))
    return {
        "Game.play": round(play, 2),
        "Game.legal_actions": round(legal, 2),
        "Games.step, a game": round(step / SIDE_BY_SIDE, 2),
    }
