"""Reads and writes the results of a ladder. The file has one JSON line for each finished chunk of games. A chunk
consists of several pairs of games between the same two bots.

The first line holds the settings that all games share. If a killed process left an unfinished line, the line is
removed.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import filelock
import numpy as np

from carc_env.arena import sequential
from carc_env.arena.match import Tally
from carc_env.common.arguments import check_fields, is_of
from carc_env.common.errors import ConfigError, FileError

NAME = "ladder.jsonl"
VERSION = 1  # the version of the file format
FIELDS = {  # the keys of a line that describes a chunk
    "a": str,
    "b": str,
    "first": int,  # the index of the chunk's first pair
    "wins": list,  # bot A's share of the wins in each pair, from 0 to 1
    "margins": list,
    # the points of bot A and of bot B; `points` and the following entries are sums over the games of the chunk
    "points": list,
    "seconds": list,
    "moves": list,
    "illegal": int,
}
SIDES = ("points", "seconds", "moves")

Two = tuple[str, str]  # the specs of two bots that play against each other, in alphabetical order


@dataclass(frozen=True)
class Settings:
    """The settings that all games of a ladder share."""

    preset: str
    config: str  # as TOML
    seed: int


@dataclass
class Meeting:
    """The results of all pairs of games that two bots have played against each other. The keys of the dicts are the
    indices of the pairs. In each array, index 0 belongs to bot A and index 1 belongs to bot B.
    """

    wins: dict[int, float] = field(default_factory=dict)
    margins: dict[int, float] = field(default_factory=dict)
    points: np.ndarray = field(default_factory=lambda: np.zeros(2))
    seconds: np.ndarray = field(default_factory=lambda: np.zeros(2))
    moves: np.ndarray = field(default_factory=lambda: np.zeros(2, np.int64))
    illegal: int = 0

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add the results of a chunk of pairs. The dict `piece` holds the content of one line of the file."""
        self.wins |= dict(enumerate(piece["wins"], piece["first"]))
        self.margins |= dict(enumerate(piece["margins"], piece["first"]))
        self.points += piece["points"]
        self.seconds += piece["seconds"]
        self.moves += piece["moves"]
        self.illegal += piece["illegal"]

    def in_order(self) -> tuple[list[float], list[float]]:
        """Return two lists: bot A's mean results and bot A's mean margins. Both lists have one number for each pair of
        games, and are sorted by the index of the pair.
        """
        return [self.wins[number] for number in sorted(self.wins)], [self.margins[n] for n in sorted(self.margins)]

    def better(self, error: float) -> str | None:
        """Return the better bot according to a sequential test: "a", "b", or None if the test is undecided."""
        wins, margins = self.in_order()
        return sequential.better_bot(margins, wins, self.illegal, error)


class Journal:
    """Reads and writes the file with the results of a ladder. Use the object in a `with` block. Until the end of the
    `with` block, no other process can write to the file.

    Raises:
        ConfigError: if the file was written with other settings.
        FileError: if the file is not a ladder file, cannot be written, or is in use by another process.
    """

    def __init__(self, folder: Path, settings: Settings):
        self.path, self.meetings = folder / NAME, dict[Two, Meeting]()
        self._lock = filelock.FileLock(self.path.with_suffix(".lock"))
        with _told(self.path):
            folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(0)
        try:
            with _told(self.path):
                self._open(settings)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, settings: Settings) -> None:
        """Read the file. If the file is empty, write its first line."""
        text = self.path.read_bytes() if self.path.exists() else b""
        lines = text[: text.rfind(b"\n") + 1].splitlines()
        if lines:
            _check_head(self.path, lines[0], settings)
        for number, line in enumerate(lines[1:], 2):
            self._take(_piece(line, f"{self.path}, line {number}"))
        self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115 - stays open until the end of the block
        self._file.truncate(text.rfind(b"\n") + 1)
        if not lines:
            self._write({"ladder": VERSION, **vars(settings)})

    def meeting(self, two: Two) -> Meeting:
        """Return the results of two bots against each other."""
        return self.meetings.setdefault(two, Meeting())

    def add(self, two: Two, first: int, tally: Tally) -> None:
        """Write the results of a chunk of pairs to the file. `first` is the index of the chunk's first pair."""
        piece: dict[str, Any] = {"a": two[0], "b": two[1], "first": first, "wins": tally.wins, "margins": tally.margins}
        piece |= {"points": tally.points.tolist(), "seconds": tally.seconds.tolist(), "moves": tally.moves.tolist()}
        piece |= {"illegal": tally.illegal}
        self._write(piece)
        self._take(piece)

    def _take(self, piece: Mapping[str, Any]) -> None:
        self.meeting((piece["a"], piece["b"])).add(piece)

    def _write(self, line: Mapping[str, Any]) -> None:
        rest = json.dumps(line).encode() + b"\n"
        with _told(self.path):
            while rest:  # on a full disk or after a signal, `write` sometimes writes only part of `rest`
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._lock.release()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Return a context manager that turns an error of the operating system into a FileError."""
    try:
        yield
    except filelock.Timeout:
        raise FileError(f"{path}: another process is playing this ladder") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _check_head(path: Path, line: bytes, settings: Settings) -> None:
    """Check that the first line of a file contains the given settings. Raises ConfigError if the settings differ.
    Raises FileError if the line is invalid or has another version of the format.
    """
    head = _json(line, f"{path}, line 1")
    fields = {"ladder": int, "preset": str, "config": str, "seed": int}
    check_fields(head, fields, {}, f"{path}, line 1", FileError)
    if head["ladder"] != VERSION:
        raise FileError(
            f"{path}: the file has version {head['ladder']} of the format, but this carc_env reads version {VERSION}"
        )
    if (head["config"], head["seed"]) != (settings.config, settings.seed):
        raise ConfigError(
            f"{path} holds games of {head['preset']} with seed {head['seed']}, not of {settings.preset} with seed "
            f"{settings.seed}{_what_differs(head, settings)}; choose another folder (--out) or use the earlier settings"
        )


def _what_differs(head: Mapping[str, Any], settings: Settings) -> str:
    is_same_name = (head["preset"], head["seed"]) == (settings.preset, settings.seed)
    return ", whose configuration has changed since then" if is_same_name else ""


def _piece(line: bytes, what: str) -> Mapping[str, Any]:
    """Read the results of a chunk (a few pairs of games) from a line. Raises FileError."""
    piece: dict[str, Any] = _json(line, what)
    check_fields(piece, FIELDS, {}, what, FileError)
    lists = [value for value in piece.values() if isinstance(value, list)]
    if not all(is_of(number, (int, float)) for one in lists for number in one):
        raise FileError(f"{what}: the lists in this line should contain only numbers")
    if len(piece["wins"]) != len(piece["margins"]) or {len(piece[side]) for side in SIDES} != {2}:
        raise FileError(
            f"{what}: 'wins' and 'margins' should have the same length; 'points', 'seconds' and 'moves' "
            "should have two entries each"
        )
    return piece


def _json(line: bytes, what: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise FileError(f"{what}: the line is not JSON: {error}") from None
