"""The wheel: small, complete, nothing in it that does not belong, and it runs. `make wheel-check` tries it in
environments of its own.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests import wheel as wheels

ROOT = Path(__file__).parent.parent
MOST = 3_000_000  # bytes
LARGEST = 250_000  # bytes of a single file, unpacked
HOMES = {
    "carc_env": "carc_env",
    "training": "carc_env/training",
    "configs": "carc_env/configs",
    "checkpoints": "carc_env/checkpoints",
}
NOT_PACKED = {".md", ".pyc"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout, built with the setuptools that is here."""
    return wheels.build(tmp_path_factory.mktemp("wheel"), isolated=False)


@pytest.fixture(scope="module")
def names(wheel):
    """The files in it, with their sizes."""
    return {entry.filename: entry.file_size for entry in zipfile.ZipFile(wheel).infolist()}


def test_it_is_small(wheel, names):
    assert wheel.stat().st_size < MOST
    assert max(names.values()) < LARGEST, max(names, key=names.get)


def test_it_has_all_files_of_the_package_and_no_others(names):
    wanted = {
        f"{place}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, place in HOMES.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in NOT_PACKED and "__pycache__" not in path.parts
    }
    packed = {name for name in names if ".dist-info/" not in name}
    assert packed == wanted, f"missing {sorted(wanted - packed)}, not wanted {sorted(packed - wanted)}"
    assert {
        "carc_env/py.typed",
        "carc_env/configs/quick.toml",
        "carc_env/training/ppo.py",
        "carc_env/web/static/index.html",
    } <= packed


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--version",), 0, "carc_env "),
        (("train", "--help"), 0, "usage: carc train [-h] --config FILE"),
        (
            ("train", "--config", "slow"),
            2,
            "the package contains base, carcassonne, everything, expansions, france, quick, smoke",
        ),
        (("evaluate", "ppo", "--against", "nobody"), 2, "unknown bot 'nobody'"),
        (("benchmark", "--list"), 0, "algorithms: maskable-ppo, "),
    ],
)
def test_it_runs_without_the_checkout(wheel, tmp_path, words, status, said):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    (tmp_path / "empty").mkdir()
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
    program = f"import carc_env, sys; assert carc_env.__file__.startswith({str(tmp_path)!r}); from carc_env.commands.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=tmp_path / "empty", env=environment, capture_output=True, text=True
    )
    assert done.returncode == status and said in done.stdout + done.stderr, done.stderr
    assert "Traceback" not in done.stderr


# --- the trial in fresh environments ---------------------------------------------------------------------------------
def test_the_oldest_dependencies_are_those_that_are_asked_for():
    floors = dict(text.split("==") for text in wheels.floors())
    assert floors["numpy"] == "2.0" and floors["filelock"] == "3.29.5" and floors["tomli"] == "2.0"
    assert floors.keys() == {
        requirement.name for requirement in map(wheels.Requirement, wheels.PROJECT["dependencies"])
    }


def test_pythons_that_cannot_be_used_are_left_out():
    here = sys.version_info[:2]
    assert wheels.usable(["no-such-python", "true", sys.executable, sys.executable]) == {here: sys.executable}
    assert wheels.main(["no-such-python"]) == 1


def test_a_trial_that_goes_wrong_says_so(tmp_path):
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "bin").symlink_to(Path(sys.executable).parent)
    good = wheels.Trial(("python", "-c", "print('yes')"), "yes")
    assert wheels.attempt(good, tmp_path) == ""
    for words, said, status in (
        ("print('no')", "yes", 0),
        ("print('yes'); exit(3)", "yes", 0),
        ("print('Traceback yes')", "yes", 0),
    ):
        assert f"$ python -c {words}" in wheels.attempt(wheels.Trial(("python", "-c", words), said, status), tmp_path)
