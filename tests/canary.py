"""Checks whether the newest versions of our dependencies work: `python -m tests.canary`, or `make canary`.

In a new virtual environment, pip installs the newest versions of numba, NumPy, Gymnasium, Stable-Baselines3 and
PettingZoo that are compatible with each other. The limits in pyproject.toml and constraints.txt are ignored. Only torch
is installed in its pinned version, because any other version takes gigabytes. In this environment, a sample of the
tests runs on this checkout, and nothing is compiled beforehand. The last line names what broke, or says that nothing
broke. Exit status: 0 if nothing broke, 1 if something broke or could not be installed.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement

from carc_env.common import toml

ROOT = Path(__file__).parents[1]
PROJECT = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WATCHED = ("numba", "numpy", "gymnasium", "stable-baselines3", "pettingzoo")
PINNED = ("torch",)
TOOLS = (
    "sb3-contrib",
    "pygame-ce",
    "pytest",
    "hypothesis",
    "packaging",
)  # what the sample needs in addition to the package's own dependencies

# The tests that new versions are most likely to break: compiled rules and the use of numba's undocumented parts, whole
# games, the environments and the environment checkers.
SAMPLE = (
    "tests/test_private.py",
    "tests/test_linking.py",
    "tests/test_jit.py",
    "tests/test_common_games.py::test_common_games_play_as_all_games_do[base]",
    "tests/test_records.py",
    "tests/envs/test_single.py",
    "tests/envs/test_vector.py",
    "tests/envs/test_aec.py",
    "tests/envs/test_sb3.py",
)


def wanted() -> list[str]:
    """Return the requirements that pip should install."""
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in constraints if line.split("==")[0] in PINNED]
    ours = [
        requirement.name
        for requirement in map(Requirement, PROJECT["dependencies"])
        if requirement.marker is None or requirement.marker.evaluate()
    ]
    return [*pins, *dict.fromkeys((*ours, *WATCHED, *TOOLS))]


def installed(python: Path) -> str:
    """Return the installed versions of the packages in WATCHED, as text."""
    program = f"from importlib.metadata import version\nprint(*(f'{{n}} {{version(n)}}' for n in {WATCHED}), sep=', ')"
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def broken(output: str) -> list[str]:
    """Return the names of the tests that failed or could not start, from the summary of pytest. A test with several
    parameters is named once.
    """
    return list(dict.fromkeys(re.findall(r"^(?:FAILED|ERROR) ([^\s\[]+)", output, re.MULTILINE)))


def run_sample(python: Path, cache: Path, sample: Sequence[str]) -> tuple[int, str]:
    """Run the tests. Return the exit status of pytest and its whole output."""
    clean = {
        name: value for name, value in os.environ.items() if not re.match("PYTHON|VIRTUAL_ENV|CARC_ENV|NUMBA", name)
    }
    process = subprocess.Popen(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not stress", *sample],
        cwd=ROOT,
        env=clean | {"CARC_ENV_CACHE_DIR": str(cache), "CARC_ENV_QUIET": "1", "OMP_NUM_THREADS": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    lines = []
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    return process.wait(), "".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Install the packages and run the tests. Return the exit status."""
    parser = argparse.ArgumentParser(
        "python -m tests.canary", description="Try the newest versions of what we stand on."
    )
    parser.add_argument("tests", nargs="*", default=SAMPLE, help="for pytest, in place of the sample")
    parser.add_argument("--pre", action="store_true", help="versions before their release as well")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="carc_env-canary-") as folder:
        place = Path(folder)
        subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
        python = place / "venv" / "bin" / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *["--pre"] * arguments.pre]
        done = subprocess.run([*pip, *wanted()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(f"{done.stdout}canary: the newest versions cannot be installed together", flush=True)
            return 1
        versions = installed(python)
        print(versions, flush=True)
        status, output = run_sample(python, place / "cache", arguments.tests)
    if status == 0:
        print(f"canary: nothing broke with {versions}")
        return 0
    names = broken(output)
    print(f"canary: {', '.join(names) or f'pytest ended with status {status}'} broke with {versions}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
