"""The bot `cmd:<program with arguments>`, which runs a program that speaks the bot protocol (docs/protocol.md)."""

import json
import math
import os
import queue
import re
import shlex
import signal
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

PATIENCE = 10.0  # the time limit for an action, and for the start of the program, in seconds
LONGEST_LINE = 1 << 16  # the maximum number of bytes in a line that a program writes
COMPILING = 300.0  # the time limit in seconds for an action if the program reports that it compiles code
MOST_LINES = 10_000  # the maximum number of lines that a program may write before its action


class CommandBot(Bot):
    """A bot whose actions come from a program. The program is stopped if it hangs, writes too much, or writes an
    invalid line. A stopped program is started again for the next decision. If the program exits on its own between two
    decisions, the next decision raises BotFault. The following decision starts the program again.

    Args:
        command: the program and its arguments, split into words as in a POSIX shell. Pipes, variables and other
            features of a shell do not work.
        patience: the time limit for an action, in seconds. The time limit for the start of the program is PATIENCE
            seconds.
        limit: the arguments of the protocol's command `go`, such as "", "movetime 500" or "playouts 1000".

    Raises:
        BotError: if the program does not exist or does not start.
        BotFault: raised by `choose` if the program returns no legal action. The message gives the reason.
    """

    def __init__(self, command: str, patience: float = PATIENCE, limit: str = ""):
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise BotError(f"cmd:{command}: {error}") from None
        if not self._words:
            raise BotError("'cmd:' should name a program: write 'cmd:PROGRAM ARGUMENTS'")
        self.name, self._patience, self._go = f"cmd:{command}", patience, f"go {limit}".strip()
        self._program: Program | None = None
        try:
            self._started()
        except BotFault as fault:
            raise BotError(str(fault)) from None

    def choose(self, game: Game) -> int:
        """Return the program's action. Raises BotFault if the program returns no legal action. Raises ValueError if the
        game is over.
        """
        return self._asked(game)[0]

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """Return the actions and values that the program reports before its choice, best first. Among actions of equal
        value, the program's choice comes first.

        Raises BotError if the program reports no values. Raises BotFault if the program returns no legal action. Raises
        ValueError if the game is over.
        """
        best, told = self._asked(game)
        found = {action: value for action, value in (value_of(line, game) for line in told) if action is not None}
        if not found:
            raise BotError(
                f"{self} cannot compute values of actions: the program writes no lines such as "
                "'info value 2.5 answer pass'"
            )
        return sorted(found.items(), key=lambda answer: (-answer[1], answer[0] != best, answer[0]))

    def _asked(self, game: Game) -> tuple[int, list[str]]:
        """Return the program's action, and the `info` lines that the program wrote before this action."""
        if game.is_over:
            raise ValueError("the game is over, so there is no action to choose")
        position = json.loads(game.position()) | {"legal": game.texts()}
        program = self._started()
        try:
            program.forget()
            program.say("position " + json.dumps(position, separators=(",", ":")))
            program.say(self._go)
            return self._heard(program, game)
        except BaseException:  # such as BotFault or KeyboardInterrupt (Ctrl-C)
            self.close()  # a program that keeps running could still send its action for this position
            raise

    def _heard(self, program: "Program", game: Game) -> tuple[int, list[str]]:
        told: list[str] = []
        text = program.wait_for("best", self._patience, told)
        try:
            action = game.action(text)
            game.clone().play(action)
        except IllegalAction as error:
            raise BotFault(f"{self.name} returned the action {brief(text)}: {error}") from None
        return action, told

    def _started(self) -> "Program":
        """Return the program, and start it if it is not running. Raises BotFault if the program does not start."""
        if self._program is None:
            self._program = Program(self._words, self.name)
            try:
                self._program.say("carc")
                self._program.wait_for("ready", PATIENCE)
            except BaseException:
                self.close()
                raise
        return self._program

    def close(self) -> None:
        """Stop the program."""
        if self._program is not None:
            self._program.stop()
            self._program = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, without the running program. A copy of the bot starts a program of its own."""
        return self.__dict__ | {"_program": None}


def value_of(line: str, game: Game) -> tuple[int | None, float]:
    """Parse a line of the form `info ... value POINTS answer ACTION`. Return the action and the value. The returned
    action is None if the line has a different form, if the value is not finite, or if the action is illegal.
    """
    found = re.fullmatch(r"(?:.* )?value (\S+) answer (.+)", line)
    try:
        value = float(found[1]) if found else math.nan
        return (game.action(found[2]), value) if found and math.isfinite(value) else (None, value)
    except ValueError:  # raised for a value that is not a number, and for an illegal action
        return None, math.nan


class Program:
    """A running program that reads and writes lines of the bot protocol. The program is stopped when this object is
    garbage-collected.
    """

    def __init__(self, words: list[str], name: str):
        self._name = name
        self._told: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lines: queue.Queue[bytes | None] = queue.Queue(MOST_LINES)
        self._ended = threading.Event()
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # a new process group, so that `kill` also kills the program's child processes
            )
        except OSError as error:
            raise BotFault(f"{name} cannot be started: {error.strerror or error}") from None
        self._end = weakref.finalize(self, end, self._process, self._told, self._ended)
        threading.Thread(target=listen, args=(self._process.stdout, self._lines, self._ended), daemon=True).start()
        threading.Thread(target=tell, args=(self._process.stdin, self._told), daemon=True).start()

    def say(self, line: str) -> None:
        """Send a line to the program, without waiting until the program has read it."""
        self._told.put(line.encode() + b"\n")

    def forget(self) -> None:
        """Discard the lines that the program has written since its last action. Raises BotFault if one of these lines
        is an action, or if the program has ended.
        """
        for _ in range(MOST_LINES):
            try:
                line = self._lines.get_nowait()
            except queue.Empty:
                return
            if line is None:
                raise BotFault(f"{self._name} {self._fate()}, but it should wait for the next line 'position'")
            if line.split()[:1] == [b"best"]:
                raise BotFault(f"{self._name} wrote {brief(line.decode(errors='replace'))} without being asked")
        raise BotFault(f"{self._name} wrote {MOST_LINES} lines without being asked")

    def wait_for(self, word: str, patience: float, told: list[str] | None = None) -> str:
        """Wait at most `patience` seconds for a line that begins with `word`, and return the rest of this line. If the
        program writes `info` lines before this line, they are added to `told`. A line `info compiling` restarts the
        time limit. In total, the method waits at most max(COMPILING, patience) seconds.

        Raises BotFault if the time limit is exceeded, if the program ends, or if the program writes an error.
        """
        began = time.monotonic()
        until, latest = began + patience, began + max(patience, COMPILING)
        for _ in range(MOST_LINES):
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise BotFault(f"{self._name} has not written {word!r} within {patience:g} s") from None
            if line is None:
                raise BotFault(f"{self._name} {self._fate()} before it wrote a line that begins with {word!r}")
            if len(line) > LONGEST_LINE:
                raise BotFault(f"{self._name} wrote a line of more than {LONGEST_LINE} bytes")
            first, _, rest = line.decode(errors="replace").strip().partition(" ")
            if first == word:
                return rest
            if first == "info" and rest == "compiling":
                until = min(time.monotonic() + patience, latest)
            elif first == "info" and told is not None:
                told.append(rest)
            if first == "error":
                raise BotFault(f"{self._name} wrote: error {brief(rest)}")
        raise BotFault(f"{self._name} wrote {MOST_LINES} lines, but none of them begins with {word!r}")

    def _fate(self) -> str:
        try:
            return f"has ended (exit status {self._process.wait(1)})"
        except subprocess.TimeoutExpired:
            return "has closed its output"

    def stop(self) -> None:
        """Stop the program."""
        self._end()


def listen(stream: BinaryIO, lines: "queue.Queue[bytes | None]", ended: threading.Event) -> None:
    """Put each line of a stream into a queue. At the end of the stream, put None into the queue. If the queue is full,
    no more lines are read, and the program has to wait.

    Only the thread that reads a stream may close it. If another thread closed the stream during a read, the operating
    system could give the stream's file descriptor to the stream of another program.
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
    """Put a line into a queue as soon as the queue has space, unless the program has ended."""
    while not ended.is_set():
        try:
            return lines.put(line, timeout=0.1)
        except queue.Full:
            pass


def tell(stream: BinaryIO, told: "queue.SimpleQueue[bytes]") -> None:
    """Write the items of a queue to the standard input of a program. The function returns when it takes an empty item
    from the queue, or when the program has closed its standard input.
    """
    with suppress(OSError, ValueError), stream:
        while line := told.get():
            while line:
                line = line[stream.write(line) :]


def read_some(stream: BinaryIO) -> bytes:
    """Return the next bytes of a stream, or b"" at its end."""
    try:
        return os.read(stream.fileno(), LONGEST_LINE)
    except (OSError, ValueError):
        return b""


def end(process: subprocess.Popen[bytes], told: "queue.SimpleQueue[bytes]", ended: threading.Event) -> None:
    """Kill a process and its child processes. The threads that read and write the streams of the process then close
    these streams.
    """
    ended.set()
    told.put(b"")
    kill(process)
    process.wait()


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and the processes that it has started."""
    if os.name == "posix":
        with suppress(OSError):  # raised if all processes of the group have ended
            os.killpg(process.pid, signal.SIGKILL)
    else:
        with suppress(OSError):
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    process.kill()
