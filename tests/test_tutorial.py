"""The files and commands of docs/tutorial.md run in a new folder. The agent learns from a few actions instead of half a
million, and each match has one pair of games.
"""

import itertools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jupytext", reason="the extra `docs` is not installed")

from tests.notebooks import SHORT, parts

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
CELLS = parts("tutorial")
FILES = {name: code for magic, name, code in CELLS if magic == "writefile"}
LOOKING = [code for magic, _, code in CELLS if magic is None]
COMMANDS = [
    shlex.split(line, comments=True)
    for code in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    for line in code.splitlines()
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the files of the page."""
    folder = tmp_path_factory.mktemp("tutorial")
    for name, code in FILES.items():
        (folder / name).write_text(code, encoding="utf-8")
    return folder


def python(program: str, folder: Path) -> str:
    """Run a program in a folder. Returns what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_candidates_are_shown(folder):
    assert python(LOOKING[0], folder).count("own_supply_after") == 3


@pytest.mark.long
def test_the_files_learn_and_the_matches_are_played(folder):
    learned = []
    for words in COMMANDS:
        if words[0] == "python" and words[1] in FILES:
            python(SHORT.get(words[1], f"import {words[1].removesuffix('.py')}"), folder)
            learned.append(np.load(folder / "weights.npy"))
        elif words[:2] == ["carc", "match"]:
            assert f"{words[2].partition(':')[2] or words[2]} wins" in python(
                f"from carc_env.commands.cli import main; main({[*words[1:], '--pairs', '1']})", folder
            )
        elif words[0] == "carc":
            python(f"from carc_env.commands.cli import parser; parser().parse_args({words[1:]})", folder)
    assert len(learned) == len(FILES) - 1 and all(np.isfinite(weights).all() and weights.any() for weights in learned)
    assert all((one != other).any() for one, other in itertools.pairwise(learned)), "nothing was learned"


def test_the_notebook_runs_the_commands_that_need_no_terminal():
    run = [shlex.split(line, comments=True) for magic, _, code in CELLS if magic == "sh" for line in code.splitlines()]
    assert [words for words in COMMANDS if words in run] == run and len(run) == 6
    assert {words[1] for words in run} == {*FILES, "match"} - {"my_agent.py"}


def test_the_commands_name_the_files_of_the_page():
    assert [words[1] for words in COMMANDS if words[0] == "python" and words[1] != "-m"] == [
        name for name in FILES if name != "my_agent.py"
    ]
