"""The bot `cmd:<program with arguments>`: a program that speaks the bot protocol (docs/protocol.md), in a process of
its own.
"""

import json
import math
import os
import queue
import re
import shlex
import subprocess
import threading
import time
import weakref
from contextlib import suppress
from typing import Any, BinaryIO

from carc_env.bots.bot import Bot
from carc_env.common.arguments import brief
from carc_env.common.errors import BotError, BotFault, IllegalAction
from carc_env.games.game import Game

PATIENCE = 10.0  # seconds that a program may take for an answer, and for its start
LONGEST_LINE = 1 << 16  # bytes of a line that it may say
MOST_LINES = 10_000  # before its answer


class CommandBot(Bot):
    """Asks a program. One that hangs, ends, floods or answers nonsense is stopped, and begun anew for the next
    question.

    Args:
        command: the program and its arguments, as a shell would part them; nothing else of a shell.
        patience: seconds that it may take for an answer; for its start it has PATIENCE.
        limit: what follows `go`: nothing, "movetime 500", "playouts 1000".

    Raises:
        BotError: there is no such program.
        BotFault: from `choose`: it has given no answer; the message says why.
    """

    def __init__(self, command: str, patience: float = PATIENCE, limit: str = ""):
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise BotError(f"cmd:{command}: {error}") from None
        if not self._words:
            raise BotError("cmd: names no program; write 'cmd:PROGRAM ARGUMENTS'")
        self.name, self._patience, self._go = f"cmd:{command}", patience, f"go {limit}".strip()
        self._program: Program | None = None
        try:
            self._started()
        except BotFault as fault:
            self.close()
            raise BotError(str(fault)) from None

    def choose(self, game: Game) -> int:
        """The program's answer. Raises BotFault if it gives none, ValueError when the game is over."""
        return self._asked(game)[0]

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """The answers whose values the program tells before its answer, best first; of equal ones its answer first.

        Raises BotError if it tells none, BotFault if it gives no answer, ValueError when the game is over.
        """
        best, told = self._asked(game)
        found = {action: value for action, value in (value_of(line, game) for line in told) if action is not None}
        if not found:
            raise BotError(
                f"{self} cannot say what answers are worth: it tells no lines such as 'info value 2.5 answer pass'"
            )
        return sorted(found.items(), key=lambda answer: (-answer[1], answer[0] != best, answer[0]))

    def _asked(self, game: Game) -> tuple[int, list[str]]:
        """The program's answer, and what it told in lines of `info` before."""
        if game.is_over:
            raise ValueError("the game is over: there is nothing to choose")
        try:
            program = self._started()
            program.say(
                "position "
                + json.dumps(
                    json.loads(game.position()) | {"legal": list(map(game.text, map(int, game.legal_actions())))}
                )
            )
            program.say(self._go)
            return self._heard(program, game)
        except BotFault:
            self.close()
            raise

    def _heard(self, program: "Program", game: Game) -> tuple[int, list[str]]:
        told: list[str] = []
        text = program.wait_for("best", self._patience, told)
        try:
            action = game.action(text)
            game.clone().play(action)
        except IllegalAction as error:
            raise BotFault(f"{self.name} answered {brief(text)}: {error}") from None
        return action, told

    def _started(self) -> "Program":
        """The program, which is begun if it does not run. Raises BotFault."""
        if self._program is None:
            self._program = Program(self._words, self.name)
            self._program.say("carc")
            self._program.wait_for("ready", PATIENCE)
        return self._program

    def close(self) -> None:
        """Stop the program."""
        if self._program is not None:
            self._program.stop()
            self._program = None

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: a copy begins a program of its own."""
        return self.__dict__ | {"_program": None}


def value_of(line: str, game: Game) -> tuple[int | None, float]:
    """The answer of a line `info ... value POINTS answer ANSWER` and its value; None for a line that says something
    else.
    """
    found = re.fullmatch(r"(?:.* )?value (\S+) answer (.+)", line)
    try:
        value = float(found[1]) if found else math.nan
        return (game.action(found[2]), value) if found and math.isfinite(value) else (None, value)
    except ValueError:  # no number, or no legal answer
        return None, math.nan


class Program:
    """A running program that is told and asked in lines. It is stopped when nobody knows it any more."""

    def __init__(self, words: list[str], name: str):
        self._name = name
        try:
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except OSError as error:
            raise BotFault(f"{name}: cannot be begun: {error.strerror or error}") from None
        self._told: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lines: queue.Queue[bytes | None] = queue.Queue(MOST_LINES)
        self._ended = threading.Event()
        threading.Thread(target=listen, args=(self._process.stdout, self._lines, self._ended), daemon=True).start()
        threading.Thread(target=tell, args=(self._process.stdin, self._told), daemon=True).start()
        self._end = weakref.finalize(self, end, self._process, self._told, self._ended)

    def say(self, line: str) -> None:
        """Tell it a line, without waiting until it has heard it."""
        self._told.put(line.encode() + b"\n")

    def wait_for(self, word: str, patience: float, told: list[str] | None = None) -> str:
        """What follows a word that it should say, within so many seconds; what follows `info` is added to `told`.
        Raises BotFault.
        """
        until = time.monotonic() + patience
        for _ in range(MOST_LINES):
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise BotFault(f"{self._name} has not said {word!r} within {patience:g} s") from None
            if line is None:
                raise BotFault(f"{self._name} {self._fate()}; it should have said {word!r}")
            if len(line) > LONGEST_LINE:
                raise BotFault(f"{self._name} said a line of more than {LONGEST_LINE} bytes")
            first, _, rest = line.decode(errors="replace").strip().partition(" ")
            if first == word:
                return rest
            if first == "info" and told is not None:
                told.append(rest)
            if first == "error":
                raise BotFault(f"{self._name} said: error {brief(rest)}")
        raise BotFault(f"{self._name} said {MOST_LINES} lines, but not {word!r}")

    def _fate(self) -> str:
        try:
            return f"has ended (exit status {self._process.wait(1)})"
        except subprocess.TimeoutExpired:
            return "listens and speaks no more"

    def stop(self) -> None:
        """End it."""
        self._end()


def listen(stream: BinaryIO, lines: "queue.Queue[bytes | None]", ended: threading.Event) -> None:
    """Put the lines of a stream into a queue, then None. A program that says more than anybody reads waits.

    Who reads a stream closes it: once it is closed, its number may be that of another program's.
    """
    rest = b""
    with stream:
        while not ended.is_set() and (data := read_some(stream)):
            *whole, rest = (rest + data).split(b"\n")
            for line in [*whole, rest] if len(rest) > LONGEST_LINE else whole:
                put(lines, line, ended)
            rest = b"" if len(rest) > LONGEST_LINE else rest
    put(lines, None, ended)


def put(lines: "queue.Queue[bytes | None]", line: bytes | None, ended: threading.Event) -> None:
    """Put a line into a queue as soon as there is room, unless the program has ended."""
    while not ended.is_set():
        try:
            return lines.put(line, timeout=0.1)
        except queue.Full:
            pass


def tell(stream: BinaryIO, told: "queue.SimpleQueue[bytes]") -> None:
    """Write what is put into a queue, until that is nothing or nobody reads it any more."""
    with suppress(OSError, ValueError), stream:
        while line := told.get():
            while line:
                line = line[stream.write(line) :]


def read_some(stream: BinaryIO) -> bytes:
    """What a stream has to say next, b"" at its end."""
    try:
        return os.read(stream.fileno(), LONGEST_LINE)
    except (OSError, ValueError):
        return b""


def end(process: subprocess.Popen[bytes], told: "queue.SimpleQueue[bytes]", ended: threading.Event) -> None:
    """Stop a process at once; those who read from it and write to it then close what leads to it."""
    ended.set()
    told.put(b"")
    process.kill()
    process.wait()
