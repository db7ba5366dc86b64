"""`carc bench`: measures the speed of everything on this machine. Every figure is the median of three runs on one
thread.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from carc_env import envs
from carc_env.bots.random import RandomBot
from carc_env.boxes.tiles import tile_table
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.rules import batch
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.setup.config import presets

RUNS = 3
BATCH = 2000  # random games in a run of the engine
STEPS = 3000  # steps of an environment in a run
FRAMES = 30  # pictures in a run: the last of a game
WARM_UP = 200  # steps before the clock runs
SIDE_BY_SIDE = 64  # games played side by side where candidates are measured, one somewhat further on than the other,
ROUNDS = 150  # for so many answers each
SEARCHED = 16  # positions of the middle of greedy games from which is played on,
TURNS = 10  # for so many tiles by the policy alone;
ROLLED_OUT = 6  # rolled out are so many of the answers to each,
STACKS = 8  # on so many redrawn stacks,
DEPTH = 4  # for so many tiles
CLONES = 2000
SIZES = (64, 512)  # games of a vector environment
VECTOR_STEPS = 200  # steps of it in a run
SHARED = 4096  # games that threads share
THREADS = (1, 2, 4, 8)  # as many as there are cores
BASELINE = Path(__file__).with_name("baseline.json")  # figures that `carc bench --compare` looks at
FALL = 0.15  # share that a figure may lie below the baseline before it is marked
UNITS = {
    "per_s": "a second",
    "games_per_s": "games/s",
    "decisions_per_s": "decisions/s",
    "steps_per_s": "steps/s",
    "bytes": "bytes",
    "us": "µs",
    "ms": "ms",
    "cold": "s",
    "warm": "s",
}
LESS_IS_BETTER = ("bytes", "µs", "ms", "s")
FIRST_CALL = """
import time
began = time.perf_counter()
import carc_env
game = carc_env.Game("base", seed=0)
game.play(int(game.legal_actions()[0]))
print(time.perf_counter() - began)
"""


def groups() -> dict[tuple[str, ...], Callable[[], Sequence[float]]]:
    """The measurements: the names of their figures, and a function for one run of them."""
    found: dict[tuple[str, ...], Callable[[], Sequence[float]]] = {}
    for preset in presets():
        found[f"engine.{preset}.games_per_s", f"engine.{preset}.decisions_per_s"] = partial(engine, preset)
    for name, preset in envs.PRESETS.items():
        found[f"single.{preset}.steps_per_s",] = partial(single, f"carc_env/{name}-v0")
        rows: dict[str, Any] = {"observation": "candidates", "actions": "candidates"}
        found[f"single.{preset}.candidates.steps_per_s",] = partial(single, f"carc_env/{name}-v0", **rows)
        found[f"candidates.{preset}.decisions_per_s",] = partial(candidates, preset)
        found[f"search.greedy_turns.{preset}.per_s", f"search.rollouts.{preset}.per_s"] = partial(search, preset)
        for n in SIZES:
            found[f"vector.{preset}.{n}.decisions_per_s",] = partial(vector, f"carc_env/{name}-v0", n)
            found[f"vector.{preset}.{n}.copied.decisions_per_s",] = partial(vector, f"carc_env/{name}-v0", n, copy=True)
            found[f"vector.{preset}.{n}.masked.decisions_per_s",] = partial(
                vector, f"carc_env/{name}-v0", n, masked=True
            )
        found[f"render.{preset}.ms", f"render.{preset}.whole.ms"] = partial(pictures, preset)
        if importlib.util.find_spec("pettingzoo"):
            found[f"aec.{preset}.steps_per_s",] = partial(aec, preset)
    for n in THREADS:
        if n <= (os.cpu_count() or 1):
            found[f"threads.{n}.decisions_per_s",] = partial(vector, "carc_env/Base-v0", SHARED, threads=n)
    found["clone.bytes", "clone.us"] = clone
    found["first_call_s.cold", "first_call_s.warm"] = first_call
    return found


def names() -> list[str]:
    """The names of all figures."""
    return [name for group in groups() for name in group]


def unit(name: str) -> str:
    """The unit of a figure."""
    return UNITS[name.rsplit(".", 1)[1]]


def measure(prefixes: Sequence[str] = ()) -> Iterator[tuple[str, float]]:
    """Yield the names and medians of the figures whose names begin with one of the prefixes, or of all figures."""
    for group, run in groups().items():
        wanted = [name.startswith(tuple(prefixes)) if prefixes else True for name in group]
        if any(wanted):
            medians = (statistics.median(values) for values in zip(*(run() for _ in range(RUNS))))
            yield from ((name, round(value, 6)) for name, value, want in zip(group, medians, wanted) if want)


def engine(preset: str) -> tuple[float, float]:
    """Games and decisions per second for whole games of uniformly random actions in compiled code, including the
    setup.
    """
    games, rng = Games(preset, BATCH, range(BATCH)), np.random.default_rng(0)
    seeds, chances = rng.integers(2**63, size=BATCH), rng.integers(1, 2**32, (BATCH, 2))
    batch.play_random(games[:1].records, tile_table(), chances)  # compiles
    began = time.perf_counter()
    games.reset(range(BATCH), seeds)
    decisions = batch.play_random(games.records, tile_table(), chances)
    seconds = time.perf_counter() - began
    return BATCH / seconds, decisions / seconds


def single(environment: str, **arguments: Any) -> tuple[float]:
    """Steps per second of one Gymnasium environment with random actions, including observation and mask."""
    import gymnasium

    env = gymnasium.make(environment, opponent="random", seat="random", **arguments)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for steps in range(-WARM_UP, STEPS):
        if steps == 0:
            began = time.perf_counter()
        legal = np.flatnonzero(info["action_mask"])
        *_, terminated, truncated, info = env.step(int(legal[rng.integers(len(legal))]))
        if terminated or truncated:
            _, info = env.reset()
    return (STEPS / (time.perf_counter() - began),)


def vector(environment: str, n: int, threads: int = 1, copy: bool = False, masked: bool = False) -> tuple[float]:
    """Decisions per second of a vector environment with random actions of all players: planes, globals and masks.

    A step that restarts a game does not count as a decision in that game. With `copy`, Gymnasium's default, each step
    returns arrays that may be kept. If `masked` is True, the actions are drawn from the masks, so every entry is read.
    """
    import gymnasium

    from carc_env.envs.stepping import random_legal

    envs = gymnasium.make_vec(environment, n, "vector_entry_point", opponent="self", threads=threads, copy=copy)
    observations, _ = envs.reset(seed=0)
    chances, decisions, actions = np.random.default_rng(0).integers(1, 2**32, (n, 2)), 0, np.empty(n, np.int64)
    for steps in range(-WARM_UP, VECTOR_STEPS):
        if steps == 0:
            began, decisions = time.perf_counter(), 0
        if masked:
            random_legal(observations["action_mask"], chances, actions)
        else:
            actions = envs.random_actions(chances)  # type: ignore[attr-defined]
        observations, _, over, _, _ = envs.step(actions)
        decisions += n - int(np.count_nonzero(over))  # as many games begin in a step as ended in the one before
    seconds = time.perf_counter() - began
    envs.close()
    return (decisions / seconds,)


def aec(preset: str) -> tuple[float]:
    """Steps per second of the PettingZoo environment: `last()` with the observation, and a random legal action."""
    env, rng = envs.aec_env(preset), np.random.default_rng(0)
    env.reset(seed=0)
    for steps in range(-WARM_UP, STEPS):
        if steps == 0:
            began = time.perf_counter()
        observation, _, terminated, _, _ = env.last()
        if terminated:
            env.reset()
            observation = env.last()[0]
        legal = np.flatnonzero(observation["action_mask"])  # type: ignore[index]
        env.step(int(legal[rng.integers(len(legal))]))
    return (STEPS / (time.perf_counter() - began),)


def baseline() -> dict[str, float]:
    """The figures that come with the package. They were measured on another machine than yours."""
    figures: dict[str, float] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return figures


def has_fallen(name: str, value: float, before: float) -> bool:
    """True if a figure is worse than before by more than FALL."""
    ratio = before / value if unit(name) in LESS_IS_BETTER else value / before
    return ratio < 1 - FALL


def candidates(preset: str) -> tuple[float]:
    """Decisions per second of a batch of games with random actions, with the features of every legal action."""
    games, bot = Games(preset, SIDE_BY_SIDE, range(SIDE_BY_SIDE)), RandomBot(0)
    for first in range(0, SIDE_BY_SIDE, 2):
        answer_all(games[first:], bot)
    out = games.observe(observation="candidates")  # compiles
    began = time.perf_counter()
    for _ in range(ROUNDS):
        games.observe(observation="candidates", out=out)
        answer_all(games, bot)
    return (ROUNDS * SIDE_BY_SIDE / (time.perf_counter() - began),)


def search(preset: str) -> tuple[float, float]:
    """Whole turns of `greedy` per second, and rollouts of DEPTH tiles per second, on one thread."""
    from carc_env.observing.prospects import default_prices
    from carc_env.searching.rollouts import LISTED, list_answers, play_turns, roll_out_all, room_for

    games, prices = Games(preset, SEARCHED, range(SEARCHED)), default_prices()
    known = tile_table(), prices, *room_for(games.records.dtype)
    play_turns(games.records, *known, int(games.records[0]["n_deck"]) // 2)
    turns = timed(partial(play_turns, games[np.arange(SEARCHED)].records, *known, TURNS - 1))
    listed, seed, seconds, rollouts = np.zeros(MAX_ANSWERS, LISTED), np.array([0, 0]), 0.0, 0
    for i in range(SEARCHED):
        one = games.records[i : i + 1]
        n = list_answers(one, *known, listed)
        best = np.argsort(-listed["price"][:n])[:ROLLED_OUT]
        values = np.empty((STACKS, n))
        seconds += timed(partial(roll_out_all, one, *known, listed, best, seed, 0, DEPTH, values))
        rollouts += STACKS * len(best)
    return SEARCHED * TURNS / turns, rollouts / seconds


def pictures(preset: str) -> tuple[float, float]:
    """Milliseconds for a frame (`rgb_array`) after each of the last actions of a game, and for drawing such a frame
    from nothing.
    """
    from carc_env.render import FRAME, image_of, laid_out, rgb_array, svg

    def draw_whole(game: Game) -> np.ndarray:
        return np.array(image_of(svg(game, laid_out(FRAME)), *FRAME))

    game, bot = Game(preset, seed=0), RandomBot(0)
    late: deque[Game] = deque(maxlen=FRAMES + 1)
    while not game.is_over:
        game.play(bot.choose(game))
        late.append(game.clone())
    rgb_array(late.popleft())
    seconds = [timed(partial(rgb_array, game)) for game in late]
    whole = [timed(partial(draw_whole, game)) for game in list(late)[:: FRAMES // 3 + 1]]
    return 1e3 * statistics.median(seconds), 1e3 * statistics.median(whole)


def timed(work: Callable[[], object]) -> float:
    """The seconds that a function takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def answer_all(games: Games, bot: RandomBot) -> None:
    """Play one action in each game. Games that are over are restarted."""
    games.step(bot.choose_batch(games))
    over = np.flatnonzero(games.is_over)
    if len(over):
        games.reset(over, over)


def clone() -> tuple[float, float]:
    """The size of a game in bytes, and microseconds for a copy."""
    game = Game("goldmines", seed=0)
    began = time.perf_counter()
    for _ in range(CLONES):
        game.clone()
    return game.state.nbytes, (time.perf_counter() - began) / CLONES * 1e6


def first_call() -> tuple[float, float]:
    """Seconds from the start of a new process to its first action: with nothing compiled, and with everything in the
    cache.
    """
    with tempfile.TemporaryDirectory(prefix="carc_env-bench-") as folder:
        environment = os.environ | {"CARC_ENV_CACHE_DIR": folder, "PYTHONPATH": os.pathsep.join(sys.path)}
        cold, warm = (
            float(
                subprocess.run(
                    [sys.executable, "-c", FIRST_CALL], env=environment, check=True, stdout=subprocess.PIPE, text=True
                ).stdout
            )
            for _ in range(2)
        )
    return cold, warm
