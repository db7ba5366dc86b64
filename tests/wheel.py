"""Does the wheel work without the checkout? `python -m tests.wheel [PYTHON ...]`, or `make wheel-check`.

The wheel is built from a copy of what belongs in it. With the oldest of the given Pythons it is tried with the oldest
dependencies that pyproject.toml allows, with each of them with the newest, in a virtual environment and an empty folder
of its own, with nothing compiled beforehand. `--extras` also tries one extra after the other. Exit status: 0 if all is
well, 1 if not; what went wrong is shown as it was said.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from carc_env.common import toml

ROOT = Path(__file__).parents[1]
PROJECT = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# what a wheel is made from
PARTS = ("pyproject.toml", "README.md", "LICENSE", "carc_env", "training", "configs", "checkpoints")
PYTHONS = tuple(f"python3.{minor}" for minor in range(10, 15))
# other versions of torch pull in gigabytes
TORCH = next(line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch=="))
USABLE = "import ensurepip, sys, venv; assert (3, 10) <= sys.version_info[:2] < (3, 15); print('%d.%d' % sys.version_info[:2])"

PROGRAM = """
import sys
import carc_env, gymnasium
assert carc_env.__file__.startswith(sys.prefix), carc_env.__file__
game, bot = carc_env.Game("goldmines", seed=7), carc_env.make_bot("greedy", seed=0)
while not game.is_over:
    game.play(bot.choose(game))
assert (carc_env.replay(game.record()).scores == game.scores).all() and game.scores.sum() > 50, game.scores
env = gymnasium.make("carc_env/Goldmines-v0", opponent="greedy", render_mode="rgb_array")
observation, info = env.reset(seed=7)
assert observation in env.observation_space and env.render().shape[2] == 3
over = False
while not over:
    observation, reward, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
many = gymnasium.make_vec("carc_env/Base-v0", num_envs=3, vectorization_mode="vector_entry_point", opponent="self")
assert many.reset(seed=1)[0]["action_mask"].shape[0] == 3
print("played", *game.scores)
"""


@dataclass(frozen=True)
class Trial:
    """A command in the new environment: its words, its exit status, and what its output has."""

    words: tuple[str, ...]
    says: str
    status: int = 0


TRIALS = (
    Trial(("python", "-c", PROGRAM), "played "),
    Trial(("carc", "--version"), f"carc_env {PROJECT['version']}"),
    Trial(("python", "-m", "carc_env", "--version"), f"carc_env {PROJECT['version']}"),
    Trial(("carc", "doctor"), PROJECT["version"]),
    Trial(
        ("carc", "match", "ppo", "greedy", "--preset", "base", "--pairs", "1", "--record", "games.jsonl"),
        "forfeits         none",
    ),
    Trial(("carc", "replay", "games.jsonl", "--picture", "end.png", "--game", "1"), "game 1 of 2"),
    Trial(("carc", "check", "games.jsonl"), "games.jsonl: "),
    Trial(
        ("carc", "evaluate", "random", "--against", "random", "--preset", "base", "--pairs", "1"),
        "forfeits         none",
    ),
    Trial(("carc", "serve", "--help"), "usage: carc serve"),
    Trial(("carc", "serve"), 'pip install ".[web]"', 1),
    Trial(("carc", "train", "--help"), "quick"),
    Trial(("carc", "train", "--config", "quick"), 'pip install ".[train]"', 1),
    Trial(("carc", "train", "--config", "slow"), "no configuration 'slow'", 2),
)


AEC = "import carc_env; env = carc_env.aec_env('base'); env.reset(seed=1); print('agents', *env.agents)"
OPENSPIEL = """
import carc_env.envs.openspiel, pyspiel
print("initial state", len(pyspiel.load_game("python_carcassonne(preset=base)").new_initial_state().chance_outcomes()))
"""
WINDOW = """
import os
os.environ["SDL_VIDEODRIVER"] = "dummy"
import carc_env, gymnasium
env = gymnasium.make("carc_env/Base-v0", opponent="random", render_mode="human")
env.reset(seed=1)
env.render()
env.close()
print("a window was shown")
"""
PAGE = """
import re, subprocess, sys, urllib.request
server = subprocess.Popen([sys.executable, "-m", "carc_env", "serve", "--port", "0", "--no-browser", "--data", "games"],
    stdout=subprocess.PIPE, text=True)
address = re.search(r"http://\\S+", server.stdout.readline())[0]
print("page of", len(urllib.request.urlopen(address).read()), "bytes")
server.kill()
"""
# Tried in this order in one environment. The libraries of the extra `cuda` take gigabytes and need a GPU; `docs` and
# `dev` are for a checkout.
EXTRAS = (
    ("pettingzoo", Trial(("python", "-c", AEC), "agents player_0 player_1")),
    ("web", Trial(("python", "-c", PAGE), "page of ")),
    ("data", Trial(("carc", "dataset", "greedy", "--preset", "base", "--games", "2", "--out", "data"), "2 games")),
    ("openspiel", Trial(("python", "-c", OPENSPIEL), "initial state")),
    ("human", Trial(("python", "-c", WINDOW), "a window was shown")),
    (
        "cluster",
        Trial(("carc", "match", "random", "random", "--preset", "base", "--pairs", "8", "--workers", "2"), "8 pairs"),
    ),
    ("train", Trial(("carc", "train", "--config", "smoke", "--run", "smoke"), "against")),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Build and try. Returns the exit status."""
    parser = argparse.ArgumentParser(
        "python -m tests.wheel", description="Build the wheel and try it in fresh virtual environments."
    )
    parser.add_argument(
        "pythons", metavar="PYTHON", nargs="*", default=PYTHONS, help="programs that make them; one a version is taken"
    )
    parser.add_argument("--only", choices=("oldest", "newest"), help="only these dependencies")
    parser.add_argument(
        "--extras", action="store_true", help="also install one extra after the other, beside the newest dependencies"
    )
    arguments = parser.parse_args(argv)
    pythons = usable(arguments.pythons)
    if not pythons:
        return complain(
            "none of these is a Python from 3.10 to 3.14 with the modules venv and ensurepip: "
            + " ".join(arguments.pythons)
        )
    with tempfile.TemporaryDirectory() as name:
        wheel = build(Path(name))
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", flush=True)
        plan = [(min(pythons), "oldest"), *((version, "newest") for version in sorted(pythons))]
        failed = [
            what
            for what in plan
            if arguments.only in (None, what[1])
            and not tried(wheel, pythons[what[0]], *what, Path(name), arguments.extras and what[1] == "newest")
        ]
    return complain(f"{len(failed)} environments failed") if failed else 0


def complain(what: str) -> int:
    """One line on standard error; returns the exit status of what failed."""
    print(f"tests.wheel: {what}", file=sys.stderr)
    return 1


def usable(programs: Sequence[str]) -> dict[tuple[int, ...], str]:
    """The first program of each version of Python that can make a virtual environment."""
    found: dict[tuple[int, ...], str] = {}
    for program in programs:
        if shutil.which(program):
            told = subprocess.run([program, "-c", USABLE], capture_output=True, text=True)
            if version := re.fullmatch(r"(3)\.(\d+)\n", told.stdout):
                found.setdefault((int(version[1]), int(version[2])), program)
    return found


def build(folder: Path, isolated: bool = True) -> Path:
    """The wheel, built in a folder from a copy, so that nothing that an earlier build left gets into it.

    Not `isolated`, it is built with the setuptools that is here instead of one that pip fetches.
    """
    source = folder / "source"
    source.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, source / part)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            *["--no-build-isolation"] * (not isolated),
            "--wheel-dir",
            str(folder),
            str(source),
        ],
        check=True,
    )
    return next(folder.glob("*.whl"))


def floors() -> Iterator[str]:
    """The dependencies without extras, each at the oldest version that is allowed."""
    for text in PROJECT["dependencies"]:
        requirement = Requirement(text)
        floor = next(spec.version for spec in requirement.specifier if spec.operator == ">=")
        yield f"{requirement.name}=={floor}"


def tried(wheel: Path, python: str, version: tuple[int, ...], age: str, folder: Path, extras: bool) -> bool:
    """Whether the wheel works in a new environment with the oldest or the newest dependencies, and with each of EXTRAS
    if this is wished for. Tells how it went.
    """
    began, place = time.monotonic(), folder / f"{'.'.join(map(str, version))}-{age}"
    subprocess.run([python, "-m", "venv", str(place / "venv")], check=True)
    told = install(str(wheel), place, age)
    if not told:
        told = next((wrong for trial in TRIALS if (wrong := attempt(trial, place))), "")
    if not told and extras:
        told = "\n".join(wrong for extra, trial in EXTRAS if (wrong := with_extra(wheel, extra, trial, place, age)))
    print(
        f"Python {'.'.join(map(str, version))}, {age} dependencies: {'FAILED' if told else 'good'}, {time.monotonic() - began:.0f} s; "
        f"{versions(place)}{told and chr(10)}{told}",
        flush=True,
    )
    shutil.rmtree(place)
    return not told


def with_extra(wheel: Path, extra: str, trial: Trial, place: Path, age: str) -> str:
    """Install an extra and carry out its command. Returns what went wrong."""
    told = install(f"{wheel}[{extra}]", place, age)
    return f"extra {extra}: {told}" if told else attempt(trial, place)


def install(wheel: str, place: Path, age: str) -> str:
    """Install the wheel, whose path may be followed by an extra in brackets. Returns what went wrong."""
    constraints = place / "constraints.txt"
    constraints.write_text("\n".join(floors() if age == "oldest" else (TORCH,)))
    done = subprocess.run(
        [place / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet", "-c", constraints, wheel],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout if done.returncode else ""


def attempt(trial: Trial, place: Path) -> str:
    """Carry out a command in an empty folder. Returns what went wrong."""
    work = place / "work"
    work.mkdir(exist_ok=True)
    clean = {
        name: value for name, value in os.environ.items() if not re.match("PYTHON|VIRTUAL_ENV|CARC_ENV|NUMBA", name)
    }
    done = subprocess.run(
        [place / "venv" / "bin" / trial.words[0], *trial.words[1:]],
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=clean | {"CARC_ENV_CACHE_DIR": str(place / "cache"), "CARC_ENV_QUIET": "1"},
    )
    if done.returncode == trial.status and trial.says in done.stdout and "Traceback" not in done.stdout:
        return ""
    return f"$ {' '.join(trial.words)}\n{done.stdout}exit status {done.returncode}, {trial.status} expected, with {trial.says!r}"


def versions(place: Path) -> str:
    """What was installed."""
    done = subprocess.run(
        [place / "venv" / "bin" / "python", "-m", "pip", "list", "--format", "freeze"], capture_output=True, text=True
    )
    names = {Requirement(text).name for text in PROJECT["dependencies"]}
    return ", ".join(
        line.replace("==", " ")
        for line in done.stdout.splitlines()
        if line.split("==")[0].lower().replace("_", "-") in names
    )


if __name__ == "__main__":
    sys.exit(main())
