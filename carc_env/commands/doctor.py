"""The findings of `carc doctor`: what is installed, what is compiled, and whether everything works."""

import importlib.metadata
import os
import platform
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

import carc_env
from carc_env.bots import make
from carc_env.bots.greedy import GreedyBot
from carc_env.boxes.actions import N_ACTIONS, USUAL_SIZE
from carc_env.boxes.sheets import RECONSTRUCTION, read_sheet, sheets
from carc_env.boxes.tiles import tile_table
from carc_env.common.progress import Show, ctrl_c_noted, progress
from carc_env.compiling import cache, jit, waiting
from carc_env.envs.single import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.envs.wrappers import VectorRescaleObservation, VectorWindowObservation
from carc_env.rules import answers, double_tiles, features, scoring
from carc_env.rules.geometry import neighbour
from carc_env.rules.state import RARE, whole_game
from carc_env.setup.config import ConfigSource
from carc_env.systems import SYSTEMS

NOTICE = (
    "carc_env is an unofficial fan implementation, not affiliated with or endorsed by the makers of the board "
    "game Carcassonne."
)
CORE = ("numpy", "numba", "llvmlite", "gymnasium")
SIDE_BY_SIDE = 64  # the number of games in the batch with which `Games.step` is measured
WORDS = {"compiling": "compiling", "waiting": "waiting for another process that compiles"}
SECONDS = 0.25  # the maximum duration of a measurement, in seconds; the end of a game also ends the measurement


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
    """Return two values: how many seconds the first calls of all functions take together, and the durations of later
    calls (`call_costs`). The duration of the first calls includes compiling or loading the code. If `compiling` is
    False, the function compiles nothing. If some compiled code is then missing, the function returns None and an empty
    dict.
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
    """Return a list with the report's row about caches that belong to other versions of the source code. If there are
    no other caches, the list is empty.
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
    """Return the report's rows about speed: the duration of the first calls of all functions, and the durations of
    later calls such as `Game.play`. The list is empty if some functions have not been compiled.
    """
    if not found["all_compiled"]:
        return []
    first = (
        f"{found['first_game_s']:.2f} s for all functions and all presets, including compiling or loading; "
        f"{counted(found, 'loaded')} loaded"
    )
    costs = (f"{name} {cost:,.{0 if cost >= 100 else 1}f} µs" for name, cost in found["call_us"].items())
    return [("first calls", first), ("a later call", ", ".join(costs))]


def counted(found: dict[str, Any], what: str) -> str:
    """Return a phrase such as `12 functions (20 versions)`. A function that takes the state of a game has one version
    for each kind of game in which it is used. The number of functions is `found[what]`, where `what` is a key such as
    "loaded".
    """
    return f"{found[what]} functions ({found[f'{what}_signatures']} versions)"


def code_in_words(found: dict[str, Any]) -> str:
    """Return a phrase that says how many functions were compiled before this run, and how many during this run."""
    if found["compiler"] == "off":
        return "the compiler is switched off"
    before, now = counted(found, "compiled_before"), counted(found, "compiled_now")
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
    """Return the total size in bytes of all compiled files in the given folders. Files that another process removes in
    the meantime are left out.
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
    as a bar. Without a terminal, it is shown in about ten lines. If all code is found in the cache, no progress is
    shown.

    Returns the duration in seconds.
    """
    done, is_shown = 0, False
    with progress(progress_lines()) as show, ctrl_c_noted() as heed:

        def watch(what: str) -> None:
            nonlocal is_shown
            heed()
            is_shown = True
            show(WORDS[what], done, N_PARTS)

        def begin(part: int) -> None:
            nonlocal done
            done = part

        waiting.watch = watch
        try:
            seconds = play_all(begin)
            if is_shown:
                show(WORDS["compiling"], N_PARTS, N_PARTS)
            return seconds
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
            print(f"carc: {what}, {done} of {total} parts done", file=sys.stderr, flush=True)

    return show


# --- the calls --------------------------------------------------------------------------------------------------------
def play_all(begin: Callable[[int], object] = lambda part: None) -> float:
    """Call the compiled functions in games of three presets, and return the duration in seconds. The games of these
    presets are of three different kinds, and the code is compiled separately for each kind. The games of every other
    preset belong to one of these kinds. The calls are divided into N_PARTS parts. Before each part, `begin` is called
    with the index of the part.
    """
    began = time.perf_counter()
    for part, (preset, play) in enumerate(product(KINDS, PLAYS)):
        begin(part)
        play(preset)
    return time.perf_counter() - began


def play_some(config: ConfigSource) -> None:
    """Call, at least once, every compiled function that Python calls in games of a configuration. Functions that are
    used only for search bots, training data or GPUs are left out.
    """
    for play in PLAYS:
        play(config)


def play_game(config: ConfigSource) -> None:
    """Call the compiled functions that the class `Game` uses."""
    game = carc_env.Game(config, seed=0)
    for _ in range(3):
        game.play(int(game.legal_actions()[0]))
    game.provisional_scores()
    game.observe(observation="both")
    game.undo()
    carc_env.Game.from_position(game.position(), seed=0)
    carc_env.Game("france", seed=0)  # also begin a game on a map sheet


def play_games(config: ConfigSource) -> None:
    """Call the compiled functions that the class `Games` uses."""
    games = carc_env.Games(config, 2, [0, 1])
    games.are_legal(games.legal_mask().argmax(1))
    games.step_if_legal(games.legal_mask().argmax(1))
    games.step(games.legal_mask().argmax(1))
    games.reshuffle_hidden([0, 1])


def play_bots(config: ConfigSource) -> None:
    """Call the compiled functions that the bots use. The search bots are left out."""
    games = carc_env.Games(config, 2, [0, 1])
    for spec in ("random", "greedy", "ppo", "level:1"):
        make(spec, seed=0).choose_batch(games)
    GreedyBot().expect_points(games)


def play_envs(config: ConfigSource) -> None:
    """Call the compiled functions that the environments and their wrappers use."""
    CarcassonneEnv(config, "random").reset(seed=0)
    envs, chances = CarcassonneVectorEnv(2, config, "random", observation="both", table=True), np.ones((2, 2), np.int64)
    windows = VectorWindowObservation(envs)
    for dtype in ("float32", "float16"):
        VectorRescaleObservation(windows, dtype).reset(seed=0)
    windows.step(windows.random_actions(chances))
    envs.step(envs.random_actions(chances))
    envs.close()


def describe(config: ConfigSource) -> None:
    """Call the small compiled functions that Python uses to describe features, and to read and write the texts of
    actions.
    """
    game = carc_env.Game(config, seed=0)
    state, tiles, size = game.state, tile_table()[0], game.config.table_size
    cell = int(state["segments"]["cell"][0])
    for n_arguments, functions in ON_ACTIONS.items():
        for function in functions:
            function(size, *[0] * n_arguments)
    features.is_built(0)
    features.is_complete(state, 0)
    scoring.owners(state, 0)
    scoring.points(state, tiles, 0, True)
    double_tiles.own_spot(0)
    double_tiles.own_spot(tiles["kinds"]["spot"][0, 0, 0])
    for system in SYSTEMS:
        system.call_compiled(game, tiles, cell)
    if not set(RARE).isdisjoint(game.config.boxes):
        describe_rare(state, tiles, cell)


def describe_rare(state: np.record, tiles: np.record, cell: int) -> None:
    """Call the compiled functions for tiles of two squares. Only games with rarely used boxes need these functions."""
    scoring.first_of(state, tiles, 0)
    double_tiles.own_square(state, tiles, 0)
    double_tiles.other_square(state, cell)
    neighbour(state, cell, double_tiles.side_of_second(0))


KINDS = ("goldmines", "expansions", "everything")  # one preset for each kind of game
PLAYS = (play_game, play_games, play_bots, play_envs, describe)
N_PARTS = len(KINDS) * len(PLAYS)

# functions that encode or decode actions; the key is the number of arguments, not counting the table size
ON_ACTIONS = {
    1: (
        answers.cell_answer,
        answers.cell_of_choice,
        answers.figure_of_choice,
        answers.tile_of,
        answers.figure_of,
        answers.ferry_of,
        answers.castle_of,
    ),
    2: (
        answers.cell_answer,
        answers.cell_laid,
        answers.tile_answer,
        answers.figure_answer,
        answers.ferry_answer,
        answers.castle_answer,
    ),
    3: (answers.sale_answer,),
}


def call_costs() -> dict[str, float]:
    """Measure `Game.play`, `Game.legal_actions` and `Games.step` in random games of `goldmines`. Returns the median
    duration of each call in microseconds. The duration of `Games.step` is divided by the number of games.
    """
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
