"""Lets tests play in a terminal: within this process, through pipes, or in a pty of 80 x 24 whose output pyte reads."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pyte
import pytest

import carc_env
from carc_env.commands.cli import main

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0  # the longest wait in seconds, for what should take less than two


@dataclass
class Played:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Standard output line by line."""
        return self.out.splitlines()

    @property
    def said(self) -> str:
        """Standard output as one line of words."""
        return " ".join(self.out.split())

    @property
    def command(self) -> list[str]:
        """The words of the command that continues the game, without `carc`."""
        return next(line for line in self.lines if line.startswith("carc play --load")).split()[1:]


@pytest.fixture
def kept(tmp_path, monkeypatch) -> Path:
    """Return the folder in which games are saved."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "carc_env" / "games"


@pytest.fixture
def carc(kept, capsys, monkeypatch):
    """Return a function that runs `carc` within this process, with some lines as input."""

    def run(*words: object, typed: str = "") -> Played:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        monkeypatch.setenv("COLUMNS", "80")
        try:
            status = main([str(word) for word in words])
        except SystemExit as leaving:
            status = leaving.code
        return Played(status, *capsys.readouterr())

    return run


@pytest.fixture
def file_of(tmp_path):
    """Return a function that writes the record of a game with a dictated deck. `--load` continues this game."""

    def write(config: object, deck: list[str], **dictated: object) -> Path:
        path = tmp_path / "begun.jsonl"
        path.write_text(json.dumps(carc_env.Game(config, deck=deck, **dictated).record()) + "\n")
        return path

    return write


def asked(pattern: str) -> str:
    """Return a pattern for a screen that is drawn down to its last row, which is the prompt."""
    return rf"(?s){pattern}.*\n>$"


class Terminal:
    """A process in a pty, and what its screen shows."""

    def __init__(self, words: list[object], rows: int = 24, columns: int = 80, **environment: str):
        known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        environment = known | {"TERM": "xterm-256color", "CARC_ENV_QUIET": "1"} | environment
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "carc_env", *map(str, words)],
            dimensions=(rows, columns),
            env=environment,
            cwd=str(ROOT),
            timeout=PATIENCE,
        )
        self.screen = pyte.Screen(columns, rows)
        self.stream, self.raw = pyte.ByteStream(self.screen), b""

    @property
    def text(self) -> str:
        """The text on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, pattern: str) -> str:
        """Wait until the screen matches a pattern and nothing more is written. Return the text on the screen."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text):
            assert time.monotonic() < end, f"{pattern!r} does not come:\n{self.text}"
            try:
                self.hear(0.2)
            except pexpect.EOF:
                assert re.search(pattern, self.text), f"it ended without {pattern!r}:\n{self.text}"
                return self.text
        with suppress(pexpect.EOF):
            while self.hear(0.1):
                pass
        return self.text

    def hear(self, patience: float) -> bool:
        """Read what is written within `patience` seconds. Return True if something was written. Raises pexpect.EOF at
        the end of the output.
        """
        try:
            data = self.process.read_nonblocking(1 << 16, patience)
        except pexpect.TIMEOUT:
            return False
        self.raw += data
        self.stream.feed(data)
        return True

    def type(self, line: str, pattern: str) -> str:
        """Type a line, and wait until the screen matches a pattern."""
        self.process.send(line + "\r")
        return self.until(pattern)

    def press(self, keys: str, pattern: str) -> str:
        """Press keys without Enter, and wait until the screen matches a pattern."""
        self.process.send(keys)
        return self.until(pattern)

    def vanish(self) -> int:
        """Close the terminal, so that the system signals the process. Return the exit status of the process."""
        self.process.ptyproc.fileobj.close()
        return self.gone()

    def ended(self) -> int:
        """Wait until the process ends, and return its exit status."""
        end = time.monotonic() + PATIENCE
        with suppress(pexpect.EOF):
            while True:
                assert time.monotonic() < end, f"it does not end:\n{self.text}"
                self.hear(1.0)
        return self.gone()

    def stop(self) -> None:
        """Kill the process if it is still running."""
        if self.process.isalive():
            self.process.kill(signal.SIGKILL)
        self.gone()

    def gone(self) -> int:
        """Wait until the process no longer exists. Some time can pass after its last output. Return its exit status."""
        end = time.monotonic() + PATIENCE
        while self.process.isalive() and time.monotonic() < end:
            time.sleep(0.02)
        self.process.close(force=True)
        return self.process.exitstatus


@pytest.fixture
def terminal(kept):
    """Return a function that starts `carc` in a terminal of its own."""
    begun: list[Terminal] = []

    def start(*words: object, **options: object) -> Terminal:
        begun.append(Terminal(list(words), **options))
        return begun[-1]

    yield start
    for one in begun:
        one.stop()


@pytest.fixture
def piped(kept):
    """Return a function that starts `carc` as a process with pipes."""

    def start(*words: object) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "carc_env", *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    return start
