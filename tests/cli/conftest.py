"""Fixtures with which the tests run the command `carc`."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import carc_env
from carc_env.bots import make
from carc_env.commands.cli import main
from carc_env.common import progress


@dataclass
class Outcome:
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the parsed standard output, which must contain JSON and nothing else."""
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """Return the only line of standard error."""
        assert self.err.endswith("\n") and self.err.count("\n") == 1, self.err
        return self.err.rstrip()


@pytest.fixture
def carc(capsys, monkeypatch):
    """Return a function that runs `carc` in this process. No progress is printed, however long the command compiles."""
    monkeypatch.setattr(progress, "EVERY", 1e9)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: object) -> Outcome:
        try:
            status = main([str(word) for word in words])
        except SystemExit as leaving:
            status = leaving.code
        return Outcome(status, *capsys.readouterr())

    return run


@pytest.fixture
def carc_process():
    """Return a function that starts `carc` in a process of its own."""

    def start(*words: object, **options: Any) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "carc_env", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            **options,
        )

    return start


@pytest.fixture(scope="session")
def records() -> list[dict]:
    """Return the records of two finished games and of one unfinished game."""

    def play(config: str, seed: int, answers: int) -> dict:
        game, bot = carc_env.Game(config, seed=seed), make("random", seed=0)
        while not game.is_over and answers:
            game.play(bot.choose(game))
            answers -= 1
        return game.record()

    return [play("goldmines", 1, 1000), play("base", 2, 1000), play("goldmines-c1", 3, 25)]


@pytest.fixture
def record_file(tmp_path, records) -> Path:
    """Return the path of a file with the records of the fixture `records`."""
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path
