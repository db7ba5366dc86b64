"""The measurements of `carc bench`: the speed of the engine, the environments and the search on this machine. Every
result is the median of three runs. A measurement uses several threads only if the names of its results contain
`threads`.
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
BATCH = 2000  # the number of random games in each run of `engine`
STEPS = 3000  # the number of steps of one environment in each run
FRAMES = 30  # the number of pictures in each run: one picture after each of the last actions of a game
WARM_UP = 200  # the number of steps before the measurement
SIDE_BY_SIDE = 64  # the number of games in the batch of `candidates`; the games are at different stages
ROUNDS = 150  # the number of measured decisions in each game of this batch
SEARCHED = 16  # the number of positions for `search`, each from the middle of a game that `greedy` plays
TURNS = 10  # the number of tiles that `greedy` places after each position
ROLLED_OUT = 6  # the number of actions that rollouts compare in each position
STACKS = 8  # the number of reshuffled stacks for each position
DEPTH = 4  # the number of tiles placed in each rollout
CLONES = 2000
SIZES = (64, 512)  # numbers of games in a vector environment
VECTOR_STEPS = 200  # the number of steps of a vector environment in each run
SHARED = 4096  # the number of games that all threads share
THREADS = (1, 2, 4, 8)  # numbers of threads; numbers above the number of cores are left out
# the results with which `carc bench --compare` compares new results
BASELINE = Path(__file__).with_name("baseline.json")
FALL = 0.15  # results that are worse than the baseline by more than this fraction are marked
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
    """Return all measurements as a dict. Each key is a tuple with the names of a measurement's results. Each value is a
    function that runs the measurement once and returns its results.
    """
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
    """Return the names of all results."""
    return [name for group in groups() for name in group]


def unit(name: str) -> str:
    """Return the unit of the result with this name."""
    return UNITS[name.rsplit(".", 1)[1]]


def measure(prefixes: Sequence[str] = ()) -> Iterator[tuple[str, float]]:
    """Run the measurements, and yield the name and the median of each result. Only results whose names begin with one
    of the prefixes are yielded. Without prefixes, all results are yielded.
    """
    for group, run in groups().items():
        wanted = [name.startswith(tuple(prefixes)) if prefixes else True for name in group]
        if any(wanted):
            medians = (statistics.median(values) for values in zip(*(run() for _ in range(RUNS))))
            yield from ((name, round(value, 6)) for name, value, want in zip(group, medians, wanted) if want)


def engine(preset: str) -> tuple[float, float]:
    """Measure the speed of the engine in games per second and in decisions per second. Whole games are played with
    random actions in compiled code. The time includes setting up the games.
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
    """Measure the steps per second of one Gymnasium environment with random actions. The time includes computing the
    observations and action masks.
    """
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
    """Measure the decisions per second of a vector environment in which all players choose random actions. The time
    includes computing planes, global features and action masks.

    A step that restarts a game does not count as a decision in that game. If `copy` is True (Gymnasium's default), each
    step returns new arrays. If `masked` is True, the actions are drawn from the action masks, so every entry of
    the masks is read.
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
        decisions += n - int(np.count_nonzero(over))  # a game that ended restarts in the next step, without a decision
    seconds = time.perf_counter() - began
    envs.close()
    return (decisions / seconds,)


def aec(preset: str) -> tuple[float]:
    """Measure the steps per second of the PettingZoo environment. A step calls `last()` to get the observation, and
    then plays a random legal action.
    """
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
    """Return the baseline that comes with the package. The baseline was measured on the developers' machine."""
    figures: dict[str, float] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return figures


def has_fallen(name: str, value: float, before: float) -> bool:
    """Return True if the result `value` is worse than the earlier result `before` by more than the fraction FALL."""
    ratio = before / value if unit(name) in LESS_IS_BETTER else value / before
    return ratio < 1 - FALL


def candidates(preset: str) -> tuple[float]:
    """Measure the decisions per second in a batch of games. The actions are random. The time includes computing the
    observation `candidates` at every decision.
    """
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
    """Measure two speeds: the number of whole turns that `greedy` plays per second, and the number of rollouts per
    second. Each rollout continues the game for DEPTH tiles. Turns and rollouts are measured on one thread.
    """
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
    """Measure how many milliseconds it takes to draw a frame (`rgb_array`) late in a game. Returns two durations. For
    the first duration, parts of earlier frames are reused. For the second duration, the whole frame is drawn.
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
    """Call a function, and return the seconds that the call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def answer_all(games: Games, bot: RandomBot) -> None:
    """Play the bot's action in each game, and restart the games that are over."""
    games.step(bot.choose_batch(games))
    over = np.flatnonzero(games.is_over)
    if len(over):
        games.reset(over, over)


def clone() -> tuple[float, float]:
    """Measure how many bytes of memory a game uses, and how many microseconds it takes to copy a game."""
    game = Game("goldmines", seed=0)
    began = time.perf_counter()
    for _ in range(CLONES):
        game.clone()
    return game.state.nbytes, (time.perf_counter() - began) / CLONES * 1e6


def first_call() -> tuple[float, float]:
    """Measure how many seconds a new process takes from the import of carc_env to the first action of a game. In the
    first measurement, the cache of compiled code is empty. In the second measurement, the cache contains the compiled
    code.
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
