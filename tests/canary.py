"""Does the project work with the newest libraries? `python -m tests.canary`, or `make canary`.

In an environment of its own it installs the newest numba, NumPy, Gymnasium, Stable-Baselines3 and PettingZoo that go
together, whatever our ceilings and pins say, and runs a sample of the tests. The last line says what broke, and with
which versions. Exit status: 0 if nothing did, 1 if something did or if nothing could be installed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from packaging.requirements import Requirement

from carc_env.common import toml

ROOT = Path(__file__).parents[1]
PROJECT = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WATCHED = ("numba", "numpy", "gymnasium", "stable-baselines3", "pettingzoo")
# their newest versions are not asked for: other builds of torch take gigabytes, and what tests need is not watched
PINNED = ("torch",)
TOOLS = ("pytest", "hypothesis", "setuptools", "packaging")
SAMPLE = (
    "tests/scenarios",
    "tests/test_records.py",
    "tests/test_events.py",
    "tests/test_jit.py",
    "tests/test_linking.py",
    "tests/test_private.py",
    "tests/envs/test_identity.py",
    "tests/envs/test_single.py",
    "tests/envs/test_vector.py",
    "tests/envs/test_aec.py",
    "tests/envs/test_sb3.py",
    "tests/bots/test_greedy.py",
)


def wanted() -> list[str]:
    """What is installed: what the package, training and PettingZoo need, without floors and ceilings, and the tools."""
    extras = PROJECT["optional-dependencies"]
    asked = map(Requirement, [*PROJECT["dependencies"], *extras["train"], *extras["pettingzoo"]])
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    names = [one.name for one in asked if one.marker is None or one.marker.evaluate()]
    return [f"{name}=={pins[name]}" if name in PINNED else name for name in (*names, *TOOLS)]


def main() -> int:
    """The command."""
    argparse.ArgumentParser(prog="python -m tests.canary", description=(__doc__ or "").split("\n")[0]).parse_args()
    with tempfile.TemporaryDirectory(prefix="canary-") as folder:
        home = Path(folder) / "env"
        venv.create(home, with_pip=True)
        python = str(home / ("Scripts" if sys.platform == "win32" else "bin") / "python")
        print("canary: installing the newest", ", ".join(WATCHED), flush=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted()]
        if subprocess.run(pip).returncode:
            print("canary: the newest libraries cannot be installed together")
            return 1
        versions = ", ".join(f"{name} {version_of(python, name)}" for name in WATCHED)
        print(f"canary: trying {versions}", flush=True)
        broken = [test for test in SAMPLE if (ROOT / test).exists() and not passes(python, test, folder)]
    print(f"canary: {'broke: ' + ', '.join(broken) if broken else 'nothing broke'}, with {versions}")
    return 1 if broken else 0


def version_of(python: str, name: str) -> str:
    """The version of a library in that environment."""
    program = f"import importlib.metadata as m; print(m.version({name!r}))"
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def passes(python: str, test: str, folder: str) -> bool:
    """Whether a file or folder of tests passes there; what it says is shown if not."""
    environment = os.environ | {"CARC_ENV_CACHE_DIR": f"{folder}/cache", "CARC_ENV_QUIET": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    print(f"canary: {test}: {run.stdout.strip().splitlines()[-1] if run.stdout.strip() else 'no output'}", flush=True)
    if run.returncode:
        print(run.stdout[-4000:], run.stderr[-2000:], sep="\n", flush=True)
    return run.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
