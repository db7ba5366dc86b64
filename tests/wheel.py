"""Build the packages of a release, and try the wheel: `python -m tests.wheel [PYTHON ...]`, or `make wheel-check`.

The source distribution (sdist) is built from a copy of the files that belong in it, and the wheel is built from the
sdist. Each trial starts with a new virtual environment, empty folders and an empty cache. With the oldest of the given
Pythons, the wheel is tried with the oldest dependencies that pyproject.toml allows. With each Python, it is tried with
the newest dependencies. `--extras` also tries each extra, in a virtual environment of its own. The exit status is 0 if
all trials succeed, and 1 otherwise. The output of a command that fails is printed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from carc_env.common import toml
from tests import notebooks

ROOT = Path(__file__).parents[1]
PROJECT = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What is copied for the build. The test is no part of the packages: MANIFEST.in must keep it out.
PARTS = (
    "pyproject.toml",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "carc_env",
    "training",
    "configs",
    "checkpoints",
    "tests/test_wheel.py",
)
PYTHONS = tuple(f"python3.{minor}" for minor in range(10, 15))
# torch is a large download. pip has probably cached the pinned version, because `make` installs it.
TORCH = next(line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch=="))
BUILD_SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
USABLE = """
import ensurepip, sys, venv
assert (3, 10) <= sys.version_info[:2] < (3, 15)
print("%d.%d" % sys.version_info[:2])
"""

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
    """A command that is tried in a new environment."""

    words: tuple[str, ...]
    says: str  # a text that the output must contain
    status: int = 0  # the exit status that the command must have
    program: str = ""  # if not empty: the content of the file that `words` ends with, which runs in a folder of its own


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
PAGES = (
    Trial(("python", "quickstart.py"), "hasty wins ", program=notebooks.program("quickstart")),
    Trial(("python", "tutorial.py"), "Mine wins ", program=notebooks.program("tutorial", short=True)),
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
VIDEO = """
import pathlib
import carc_env, gymnasium
from gymnasium.wrappers import RecordVideo
env = RecordVideo(gymnasium.make("carc_env/Base-v0", opponent="random", render_mode="rgb_array"), "videos")
_, info = env.reset(seed=1)
for _ in range(4):
    _, _, _, _, info = env.step(env.action_space.sample(info["action_mask"]))
env.close()
video = pathlib.Path("videos", "rl-video-episode-0.mp4")
assert video.stat().st_size > 1000
print("a video was saved")
"""
PAGE = """
import re, subprocess, sys, urllib.request
server = subprocess.Popen([sys.executable, "-m", "carc_env", "serve", "--port", "0", "--no-browser", "--data", "games"],
    stdout=subprocess.PIPE, text=True)
address = re.search(r"http://\\S+", server.stdout.readline())[0]
print("page of", len(urllib.request.urlopen(address).read()), "bytes")
server.kill()
"""
# Three extras are not tried: `cuda` needs a GPU, `docs` and `dev` are for a checkout.
EXTRAS = {
    "pettingzoo": Trial(("python", "-c", AEC), "agents player_0 player_1"),
    "web": Trial(("python", "-c", PAGE), "page of "),
    "data": Trial(("carc", "dataset", "greedy", "--preset", "base", "--games", "2", "--out", "data"), "2 games"),
    "openspiel": Trial(("python", "-c", OPENSPIEL), "initial state"),
    "human": Trial(("python", "-c", WINDOW), "a window was shown"),
    "video": Trial(("python", "-c", VIDEO), "a video was saved"),
    "cluster": Trial(
        ("carc", "match", "random", "random", "--preset", "base", "--pairs", "8", "--workers", "2"), "8 pairs"
    ),
    "train": Trial(("carc", "train", "--config", "smoke", "--run", "smoke"), "against"),
}


@dataclass(frozen=True)
class Environment:
    """A virtual environment: how it is made, and what is tried in it."""

    python: str  # the program that makes it
    version: tuple[int, ...]  # the version of Python
    age: str  # of the dependencies: "oldest" or "newest"
    trials: tuple[Trial, ...]
    extra: str = ""

    def __str__(self) -> str:
        extra = f", extra {self.extra}" if self.extra else ""
        return f"Python {'.'.join(map(str, self.version))}, {self.age} dependencies{extra}"


def main(argv: Sequence[str] | None = None) -> int:
    """Build the sdist and the wheel, and try the wheel. Returns the exit status."""
    arguments = parser().parse_args(argv)
    pythons = usable(arguments.pythons)
    if not pythons:
        return complain(f"none of these Pythons can be used: {' '.join(arguments.pythons)}")
    with_extras = chosen(arguments.extras, arguments.only, pythons)
    if arguments.extras and not with_extras:
        return complain(f"none of these Pythons can be used: {' '.join(arguments.extras)}")
    with tempfile.TemporaryDirectory() as name:
        built = build(Path(name))
        for path in built:
            print(f"{path.name}: {path.stat().st_size:,} bytes", flush=True)
        wanted = plan(pythons, with_extras, arguments.only)
        failed = [environment for environment in wanted if not tried(built[1], environment, Path(name))]
    return complain("failed: " + "; ".join(map(str, failed))) if failed else 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        "python -m tests.wheel",
        description="Build the sdist and the wheel, and try the wheel in new virtual environments.",
    )
    made.add_argument(
        "pythons",
        metavar="PYTHON",
        nargs="*",
        default=PYTHONS,
        help="a Python from 3.10 to 3.14 with the modules venv and ensurepip; only the first of each version is used",
    )
    made.add_argument(
        "--extras",
        metavar="PYTHON",
        nargs="*",
        help="also try each extra in an environment of its own, with these Pythons (default: only the newest PYTHON)",
    )
    made.add_argument(
        "--only",
        choices=("oldest", "newest", "extras"),
        help="try only the oldest dependencies, only the newest dependencies without extras, or only the extras",
    )
    return made


def complain(what: str) -> int:
    """Print a line on standard error. Returns 1, the exit status of a failure."""
    print(f"tests.wheel: {what}", file=sys.stderr)
    return 1


def usable(programs: Sequence[str]) -> dict[tuple[int, ...], str]:
    """Return the programs that can make a virtual environment: for each version of Python, the first program."""
    found: dict[tuple[int, ...], str] = {}
    for program in programs:
        if shutil.which(program):
            told = subprocess.run([program, "-c", USABLE], capture_output=True, text=True)
            if version := re.fullmatch(r"(3)\.(\d+)\n", told.stdout):
                found.setdefault((int(version[1]), int(version[2])), program)
    return found


def chosen(
    extras: Sequence[str] | None, only: str | None, pythons: Mapping[tuple[int, ...], str]
) -> dict[tuple[int, ...], str]:
    """Return the Pythons with which the extras are tried. `extras` and `only` are the arguments of the command."""
    if extras:
        return usable(extras)
    return {} if extras is None and only != "extras" else {max(pythons): pythons[max(pythons)]}


def plan(
    pythons: Mapping[tuple[int, ...], str], with_extras: Mapping[tuple[int, ...], str], only: str | None = None
) -> list[Environment]:
    """Return the environments in which the wheel is tried."""
    oldest = [Environment(pythons[min(pythons)], min(pythons), "oldest", TRIALS)]
    newest = [Environment(pythons[version], version, "newest", TRIALS + PAGES) for version in sorted(pythons)]
    extras = [
        Environment(with_extras[version], version, "newest", (trial,), extra)
        for version in sorted(with_extras)
        for extra, trial in EXTRAS.items()
    ]
    kinds = {"oldest": oldest, "newest": newest, "extras": extras}
    return kinds[only] if only else oldest + newest + extras


def build(folder: Path, isolated: bool = True) -> tuple[Path, Path]:
    """Build the sdist from a copy of PARTS, without files of earlier builds, and the wheel from the sdist.

    If `isolated` is true, pip downloads the setuptools that builds the wheel. Otherwise the installed one builds it.
    """
    source = folder / "source"
    for part in PARTS:
        (source / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, source / part)
    python = (sys.executable, "-c", BUILD_SDIST, str(folder))
    subprocess.run(python, cwd=source, stdout=subprocess.DEVNULL, check=True)
    sdist = next(folder.glob("*.tar.gz"))
    here = () if isolated else ("--no-build-isolation",)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *here, "--wheel-dir", str(folder), str(sdist))
    subprocess.run(pip, check=True)
    return sdist, next(folder.glob("*.whl"))


def floors() -> Iterator[str]:
    """Yield the dependencies without extras, each at the oldest version that is allowed."""
    for text in PROJECT["dependencies"]:
        requirement = Requirement(text)
        floor = next(spec.version for spec in requirement.specifier if spec.operator == ">=")
        yield f"{requirement.name}=={floor}"


def tried(wheel: Path, environment: Environment, folder: Path) -> bool:
    """Make an environment, install the wheel, and run the trials until one fails. Returns True if all succeed."""
    began, place = time.monotonic(), Path(tempfile.mkdtemp(dir=folder))
    subprocess.run([environment.python, "-m", "venv", str(place / "venv")], check=True)
    told = install(wheel, environment, place)
    if not told:
        told = next((wrong for trial in environment.trials if (wrong := attempt(trial, place))), "")
    seconds, installed = time.monotonic() - began, ", ".join(versions(environment, place))
    print(f"{environment}: {'FAILED' if told else 'good'}, {seconds:.0f} s; {installed}", flush=True)
    if told:
        print(told, flush=True)
    shutil.rmtree(place)
    return not told


def install(wheel: Path, environment: Environment, place: Path) -> str:
    """Install the wheel with the environment's extra. Returns what went wrong, or an empty text."""
    constraints = place / "constraints.txt"
    constraints.write_text("\n".join(floors() if environment.age == "oldest" else (TORCH,)))
    what = f"{wheel}[{environment.extra}]" if environment.extra else str(wheel)
    done = subprocess.run(
        [place / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet", "-c", constraints, what],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout + f"pip: exit status {done.returncode}" if done.returncode else ""


def attempt(trial: Trial, place: Path) -> str:
    """Run the command of a trial. Returns what went wrong, or an empty text."""
    work = place / (Path(trial.words[-1]).stem if trial.program else "work")
    work.mkdir(exist_ok=True)
    if trial.program:
        (work / trial.words[-1]).write_text(trial.program, encoding="utf-8")
    done = subprocess.run(
        [place / "venv" / "bin" / trial.words[0], *trial.words[1:]],
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=variables(place),
    )
    if done.returncode == trial.status and trial.says in done.stdout and "Traceback" not in done.stdout:
        return ""
    expected = f"{trial.status} expected, with {trial.says!r}"
    return f"$ {' '.join(trial.words)}\n{done.stdout}exit status {done.returncode}, {expected}"


def variables(place: Path) -> dict[str, str]:
    """Return the variables of a command's environment, as after `. venv/bin/activate`, with an empty cache."""
    kept = {
        name: value for name, value in os.environ.items() if not re.match("PYTHON|VIRTUAL_ENV|CARC_ENV|NUMBA", name)
    }
    path = f"{place / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return kept | {"PATH": path, "CARC_ENV_CACHE_DIR": str(place / "cache"), "CARC_ENV_QUIET": "1"}


def versions(environment: Environment, place: Path) -> Iterator[str]:
    """Yield the name and the version of each installed library that the package or the environment's extra names."""
    extra = PROJECT["optional-dependencies"].get(environment.extra, [])
    names = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"] + extra}
    done = subprocess.run(
        [place / "venv" / "bin" / "python", "-m", "pip", "list", "--format", "freeze"], capture_output=True, text=True
    )
    for line in done.stdout.splitlines():
        name, _, version = line.partition("==")
        if canonicalize_name(name) in names:
            yield f"{name} {version}"


if __name__ == "__main__":
    sys.exit(main())
