"""Does the wheel work without the checkout? `python -m tests.wheel [PYTHON ...]`, or `make wheel-check`.

The wheel is built from a copy of what belongs in it. With the oldest of the given Pythons it is tried with the oldest
dependencies that pyproject.toml allows, with each of them with the newest, in a virtual environment and an empty folder
of its own, with nothing compiled beforehand. Exit status: 0 if all is well, 1 if not; what went wrong is shown as it
was said.
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
        "illegal actions  0",
    ),
    Trial(("carc", "replay", "games.jsonl", "--picture", "end.png", "--game", "1"), "game 1 of 2"),
    Trial(("carc", "check", "games.jsonl"), "games.jsonl: "),
    Trial(
        ("carc", "evaluate", "random", "--against", "random", "--preset", "base", "--pairs", "1"), "illegal actions  0"
    ),
    Trial(("carc", "serve", "--help"), "usage: carc serve"),
    Trial(("carc", "serve"), 'pip install ".[web]"', 1),
    Trial(("carc", "train", "--help"), "quick"),
    Trial(("carc", "train", "--config", "quick"), 'pip install ".[train]"', 1),
    Trial(("carc", "train", "--config", "slow"), "no configuration 'slow'", 2),
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
            if arguments.only in (None, what[1]) and not tried(wheel, pythons[what[0]], *what, Path(name))
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


def tried(wheel: Path, python: str, version: tuple[int, ...], age: str, folder: Path) -> bool:
    """Whether the wheel works in a new environment with the oldest or the newest dependencies. Tells how it went."""
    began, place = time.monotonic(), folder / f"{'.'.join(map(str, version))}-{age}"
    subprocess.run([python, "-m", "venv", str(place / "venv")], check=True)
    told = install(wheel, place, age)
    if not told:
        told = next((wrong for trial in TRIALS if (wrong := attempt(trial, place))), "")
    print(
        f"Python {'.'.join(map(str, version))}, {age} dependencies: {'FAILED' if told else 'good'}, {time.monotonic() - began:.0f} s; "
        f"{versions(place)}{told and chr(10)}{told}",
        flush=True,
    )
    shutil.rmtree(place)
    return not told


def install(wheel: Path, place: Path, age: str) -> str:
    """Install the wheel. Returns what went wrong."""
    constraints = place / "constraints.txt"
    constraints.write_text("\n".join(floors() if age == "oldest" else ()))
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
