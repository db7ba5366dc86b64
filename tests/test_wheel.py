"""The source distribution (sdist) and the wheel are small, contain exactly the files of the package, and the wheel
runs. `make wheel-check` tries the wheel in new virtual environments.
"""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("jupytext", reason="the extra `docs` is not installed")

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
GENERATED = ("PKG-INFO", "setup.cfg", "carc_env.egg-info/")  # setuptools adds these to an sdist


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the sdist of this checkout and the wheel, built with the installed setuptools."""
    return wheels.build(tmp_path_factory.mktemp("wheel"), isolated=False)


@pytest.fixture(scope="module")
def wheel(built):
    """Return the wheel."""
    return built[1]


@pytest.fixture(scope="module")
def names(wheel):
    """Return the names of the files in the wheel, with their sizes."""
    return {entry.filename: entry.file_size for entry in zipfile.ZipFile(wheel).infolist()}


def files_of_the_package():
    """Yield the folder in the checkout of each file that belongs in the wheel, and the file's path in that folder."""
    for folder in HOMES:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix not in NOT_PACKED and "__pycache__" not in path.parts:
                yield folder, path.relative_to(ROOT / folder).as_posix()


def check_equal(packed, wanted):
    """Check that an archive contains the wanted files and no others."""
    assert packed == wanted, f"missing {sorted(wanted - packed)}, not wanted {sorted(packed - wanted)}"


def test_they_are_small(built, names):
    assert max(path.stat().st_size for path in built) < MOST
    assert max(names.values()) < LARGEST, max(names, key=names.get)


def test_the_sdist_has_all_files_of_the_package_and_no_others(built):
    with tarfile.open(built[0]) as archive:
        inside = {entry.name.partition("/")[2] for entry in archive.getmembers() if entry.isfile()}
    packed = {name for name in inside if not name.startswith(GENERATED)}
    beside = {part for part in wheels.PARTS if (ROOT / part).is_file()} - {"tests/test_wheel.py"}
    check_equal(packed, beside | {f"{folder}/{path}" for folder, path in files_of_the_package()})


def test_the_wheel_has_all_files_of_the_package_and_no_others(names):
    packed = {name for name in names if ".dist-info/" not in name}
    check_equal(packed, {f"{HOMES[folder]}/{path}" for folder, path in files_of_the_package()})
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
def test_the_oldest_dependencies_are_those_in_pyproject_toml():
    floors = dict(text.split("==") for text in wheels.floors())
    assert floors["numpy"] == "2.0" and floors["filelock"] == "3.29.5" and floors["tomli"] == "2.0"
    assert floors.keys() == {
        requirement.name for requirement in map(wheels.Requirement, wheels.PROJECT["dependencies"])
    }


def test_pythons_that_cannot_be_used_are_left_out():
    here = sys.version_info[:2]
    assert wheels.usable(["no-such-python", "true", sys.executable, sys.executable]) == {here: sys.executable}
    assert wheels.main(["no-such-python"]) == 1
    assert wheels.main([sys.executable, "--extras", "no-such-python"]) == 1


def test_extras_are_tried_with_the_newest_python_or_with_those_that_are_named():
    pythons = {(3, 9): "old", (3, 10): "new"}
    assert wheels.chosen(None, None, pythons) == {}
    assert wheels.chosen([], None, pythons) == wheels.chosen(None, "extras", pythons) == {(3, 10): "new"}
    assert wheels.chosen([sys.executable], None, pythons) == {sys.version_info[:2]: sys.executable}


def test_each_extra_has_an_environment_of_its_own():
    pythons = {(3, 12): "python3.12", (3, 9): "python3.9"}
    planned = wheels.plan(pythons, {(3, 12): "python3.12"})
    assert [(one.version, one.age) for one in planned if not one.extra] == [
        ((3, 9), "oldest"),
        ((3, 9), "newest"),
        ((3, 12), "newest"),
    ]
    extras = [one for one in planned if one.extra]
    assert {one.version for one in extras} == {(3, 12)} and len(extras) == len(wheels.EXTRAS)
    assert str(extras[0]) == "Python 3.12, newest dependencies, extra pettingzoo"
    assert wheels.plan(pythons, {(3, 12): "python3.12"}, "extras") == extras
    assert wheels.EXTRAS.keys() == wheels.PROJECT["optional-dependencies"].keys() - {"cuda", "docs", "dev"}


def test_a_trial_that_goes_wrong_says_so(tmp_path):
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "bin").symlink_to(Path(sys.executable).parent)
    good = wheels.Trial(("python", "-c", "print('yes')"), "yes")
    assert wheels.attempt(good, tmp_path) == ""
    file = wheels.Trial(("python", "mine.py"), "yes", program="import mine; print('yes')")
    assert wheels.attempt(file, tmp_path) == "" and (tmp_path / "mine" / "mine.py").is_file()
    for words, said, status in (
        ("print('no')", "yes", 0),
        ("print('yes'); exit(3)", "yes", 0),
        ("print('Traceback yes')", "yes", 0),
    ):
        assert f"$ python -c {words}" in wheels.attempt(wheels.Trial(("python", "-c", words), said, status), tmp_path)
