"""The types that carc_env gives: mypy is content with the package, and with a program that uses it, under its strictest
rules.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def mypy(*words: object) -> str:
    """What mypy says, by default of the files that pyproject.toml lists."""
    done = subprocess.run([sys.executable, "-m", "mypy", *map(str, words)], cwd=ROOT, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_mypy_finds_nothing():
    assert mypy().startswith("Success: no issues found in ")


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (
            "assert_type(game.player, int | None)",
            "assert_type(game.player, int)",
            'Expression is of type "int | None", not "int"',
        ),
        (
            "game.play(3.5)  # type: ignore[arg-type]",
            "game.play(3.5)",
            'incompatible type "float"; expected "int | str"',
        ),
        ("many.step([0, 1])", "many.step([0, 1])  # type: ignore", 'Unused "type: ignore" comment'),
    ],
)
def test_it_would_find_something(tmp_path, right, wrong, said):
    """With other words in its place the program is refused, so types do arrive there."""
    program = (ROOT / "tests" / "typed_program.py").read_text()
    assert program.count(right) == 1
    (tmp_path / "typed_program.py").write_text(program.replace(right, wrong))
    told = mypy(tmp_path / "typed_program.py")
    assert said in told and "Found 1 error in 1 file" in told
