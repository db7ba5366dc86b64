"""Measures the steps per second of carc_env and other game libraries: `python tests/peers.py [--seconds 5] [--json]`.

Every player plays uniformly random legal actions. Each line is the median of three runs in a separate process, on one
core and with one thread. The clock is the processor time of that process, so other programs on the machine have little
effect. For a library that is not installed, the output names the command that installs it.

Do not run `python -m tests.peers`: pgx 2.6 installs a package named `tests`, which Python finds first.
"""

import argparse
import importlib.metadata
import itertools
import json
import multiprocessing
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

RUNS = 3
SIDE_BY_SIDE = 512  # the number of games in environments that play many games at once
BURST = 20  # steps between two readings of the clock; with many games at once, steps of all games
ONE_THREAD = {
    name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
} | {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}

CARC_ENV = ("carc_env", "pip install .")
CARC_ENV_AEC = ("carc_env", 'pip install ".[pettingzoo]"')
PETTINGZOO = ("pettingzoo", "pip install pettingzoo[classic]")
OPEN_SPIEL = ("open_spiel", "pip install open_spiel")
PGX = ("pgx", "pip install pgx jax[cpu]")
CATANATRON = ("catanatron", "pip install catanatron")
# catanatron_gym requires Gymnasium 0.29.1, but it also runs with later versions.
CATANATRON_GYM = ("catanatron_gym", "pip install catanatron && pip install --no-deps catanatron_gym")

TURN, ANSWER = "an answer of one player", "an answer, and the opponent's until the next"
CATAN = "an action of one player"
EACH = f"an answer in one of {SIDE_BY_SIDE} games"


class Peer(NamedTuple):
    """One line of the table."""

    name: str
    package: tuple[str, str]  # the distribution, and the command that installs it
    step: str  # what counts as a step
    # returns two things: a function that plays some steps and returns their number, and the number of observed values
    make: Callable[[], tuple[Callable[[], int], int]]


# --- what is played ---------------------------------------------------------------------------------------------------
def peers() -> list[Peer]:
    """Return the lines of the table."""
    found = [
        Peer("carc_env Game, base", CARC_ENV, TURN, game),
        Peer("carc_env PettingZoo, base", CARC_ENV_AEC, TURN, partial(aec, "carc_env.envs", "aec_env", "base")),
        Peer(
            "carc_env Gymnasium, base",
            CARC_ENV,
            ANSWER,
            partial(single, "carc_env:carc_env/Base-v0", opponent="random"),
        ),
        Peer("carc_env vector, base", CARC_ENV, EACH, partial(vector, "carc_env/Base-v0")),
        Peer("carc_env vector, carcassonne", CARC_ENV, EACH, partial(vector, "carc_env/Carcassonne-v0")),
    ]
    for name in ("tictactoe_v3", "connect_four_v3", "chess_v6"):
        found.append(Peer(f"PettingZoo {name}", PETTINGZOO, TURN, partial(aec, f"pettingzoo.classic.{name}", "env")))
    for name in ("connect_four", "backgammon", "gin_rummy", "chess"):
        for observes in (False, True):
            found.append(Peer(f"OpenSpiel {name}", OPEN_SPIEL, TURN, partial(spiel, name, observes)))
    for name in ("connect_four", "backgammon", "go_9x9", "chess"):
        found.append(Peer(f"pgx {name}", PGX, EACH, partial(pgx, name)))
    found.append(Peer("catanatron Game, 2 players", CATANATRON, CATAN, catan))
    found.append(Peer("catanatron Gymnasium", CATANATRON_GYM, ANSWER, partial(single, "catanatron_gym:catanatron-v1")))
    return found


def game() -> tuple[Callable[[], int], int]:
    """Play our game without an environment."""
    import carc_env

    seeds = itertools.count()

    def play() -> int:
        one, steps = carc_env.Game("base", seed=next(seeds)), 0
        while not one.is_over:
            one.play(int(one_of(one.legal_actions())))
            steps += 1
        return steps

    return play, 0


def aec(module: str, function: str, *arguments: Any) -> tuple[Callable[[], int], int]:
    """Play a PettingZoo environment whose observation has an action mask, with `last()` and `step()`."""
    env = getattr(importlib.import_module(module), function)(*arguments)
    env.reset(seed=0)

    def play() -> int:
        for _ in range(BURST):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            env.step(int(one_of(np.flatnonzero(observation["action_mask"]))))
        return BURST

    return play, size(env.last()[0])


def single(name: str, **arguments: Any) -> tuple[Callable[[], int], int]:
    """Play a Gymnasium environment whose info has an action mask, or a list of valid actions as in Catanatron."""
    import gymnasium

    env = gymnasium.make(name, **arguments)
    first, info = env.reset(seed=0)

    def play() -> int:
        nonlocal info
        for _ in range(BURST):
            legal = np.flatnonzero(info["action_mask"]) if "action_mask" in info else info["valid_actions"]
            *_, terminated, truncated, info = env.step(int(one_of(legal)))
            if terminated or truncated:
                _, info = env.reset()
        return BURST

    return play, size(first)


def vector(name: str) -> tuple[Callable[[], int], int]:
    """Play our vector environment. In a step that only begins a new game, this game is not counted."""
    import gymnasium

    envs = gymnasium.make_vec(name, SIDE_BY_SIDE, "vector_entry_point", opponent="self", copy=False)
    first, _ = envs.reset(seed=0)
    chances = np.random.default_rng(0).integers(1, 2**32, (SIDE_BY_SIDE, 2))
    over = np.zeros(SIDE_BY_SIDE, bool)

    def play() -> int:
        nonlocal over
        steps = 0
        for _ in range(BURST):
            steps += SIDE_BY_SIDE - np.count_nonzero(over)
            _, _, over, _, _ = envs.step(envs.random_actions(chances))
        return steps

    return play, size(first) // SIDE_BY_SIDE


def spiel(name: str, observes: bool) -> tuple[Callable[[], int], int]:
    """Play a game of OpenSpiel. The draws of dice and cards between the steps are not counted."""
    import pyspiel
    from open_spiel.python.observation import (
        make_observation,  # fills one array; state.observation_tensor() would make a list
    )

    of = pyspiel.load_game(name)
    observation = make_observation(of) if observes else None

    def play() -> int:
        state, steps = of.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes())
                state.apply_action(random.choices(outcomes, chances)[0])
                continue
            if observes:
                observation.set_from(state, state.current_player())
            state.apply_action(one_of(state.legal_actions()))
            steps += 1
        return steps

    return play, observation.tensor.size if observes else 0


def pgx(name: str) -> tuple[Callable[[], int], int]:
    """Play many games of pgx at once, with one call of a compiled function for each step. Games that end begin anew."""
    import jax
    from jax import numpy as jnp
    from pgx import make
    from pgx.experimental import auto_reset

    env = make(name)
    step_all = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def step(state: Any, key: Any) -> tuple[Any, Any]:
        key, for_answers, for_games = jax.random.split(key, 3)
        upto = jnp.cumsum(state.legal_action_mask, 1)
        which = (jax.random.uniform(for_answers, (SIDE_BY_SIDE,)) * upto[:, -1]).astype(int)
        actions = jnp.argmax(upto > which[:, None], 1)
        return step_all(state, actions, jax.random.split(for_games, SIDE_BY_SIDE)), key

    state, key = (
        jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), SIDE_BY_SIDE)),
        jax.random.PRNGKey(1),
    )

    def play() -> int:
        nonlocal state, key
        for _ in range(BURST):
            state, key = step(state, key)
        jax.block_until_ready(state)
        return BURST * SIDE_BY_SIDE

    return play, state.observation.size // SIDE_BY_SIDE


def catan() -> tuple[Callable[[], int], int]:
    """Play whole games of Catanatron between two of its random players."""
    from catanatron.game import Game
    from catanatron.models.player import Color, RandomPlayer

    def play() -> int:
        one = Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)])
        one.play()
        return len(one.state.actions)

    return play, 0


def one_of(answers: Sequence[Any]) -> Any:
    """Return one of the actions. All actions are equally likely."""
    return answers[int(random.random() * len(answers))]


def size(observation: Any) -> int:
    """Return how many numbers an observation contains, without its action mask."""
    if isinstance(observation, dict):
        return sum(np.size(array) for name, array in observation.items() if name != "action_mask")
    return np.size(observation)


# --- measuring --------------------------------------------------------------------------------------------------------
def run(number: int, seconds: float) -> tuple[float, int]:
    """Return the steps per second of a peer (the median of all runs) and the number of values in an observation."""
    play, observed = peers()[number].make()
    play()  # compiles the code
    rates = []
    for _ in range(RUNS):
        began, steps = time.process_time(), 0
        while time.process_time() - began < seconds:
            steps += play()
        rates.append(steps / (time.process_time() - began))
    return statistics.median(rates), observed


def measure(seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the lines of the table. If a peer cannot be measured, its speed is None, and `why` is the reason."""
    os.environ.update(ONE_THREAD)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for number, peer in enumerate(peers()):
        distribution, install = peer.package
        line = {
            "name": peer.name,
            "version": None,
            "step": peer.step,
            "observed": None,
            "steps_per_s": None,
            "why": None,
        }
        try:
            line["version"] = importlib.metadata.version(distribution)
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
                rate, line["observed"] = process.submit(run, number, seconds).result()
            line["steps_per_s"] = round(rate)
        except ImportError as error:  # includes PackageNotFoundError
            line["why"] = f"{install} ({error})"
        except Exception as error:  # a bug in one library should not hide the results of the others
            line["why"] = f"{type(error).__name__}: {error}"
        yield line


def main() -> None:
    """Measure all peers, and print a table in Markdown or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5, help="of each of the three runs")
    parser.add_argument("--json", action="store_true", help="a list of objects in place of the table")
    arguments = parser.parse_args()
    if arguments.json:
        print(json.dumps(list(measure(arguments.seconds)), indent=2))
        return
    print("| what | version | a step | values observed | steps/s |\n|---|---|---|---:|---:|", flush=True)
    for line in measure(arguments.seconds):
        speed = f"{line['steps_per_s']:,}" if line["why"] is None else f"not measured: {line['why']}"
        observed = f"{line['observed']:,}" if line["observed"] else "" if line["observed"] is None else "none"
        print(f"| {line['name']} | {line['version'] or ''} | {line['step']} | {observed} | {speed} |", flush=True)


if __name__ == "__main__":
    main()
