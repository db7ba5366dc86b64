"""Games that a person plays are kept in a file of the user's data folder, anew after every answer, so that nothing is
lost.
"""

import json
import os
import shlex
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import platformdirs

from carc_env.arena.check_files import read_text, record_lines, replay_line
from carc_env.common.errors import FileError
from carc_env.games.game import Game
from carc_env.games.real_table import RealTable, is_real_table
from carc_env.notation.record_files import Recorder


class Recorded(Protocol):
    """What can be kept."""

    def record(self) -> dict[str, Any]:
        """All of it, as JSON knows it."""


class Keeper:
    """Keeps a game in a file of its own, which begins to exist with the first `keep`.

    Where no file can be written, `failed` says why in a line, and the game goes on.
    """

    def __init__(self, name: str):
        self.folder = Path(platformdirs.user_data_dir("carc_env", appauthor=False)) / "games"
        self.path: Path | None = None
        self.failed = ""
        self._name = f"{name}-{time.strftime('%Y-%m-%d-%H%M%S')}"

    def keep(self, game: Recorded) -> None:
        """Write the game as it is now; the file holds the old or the new one whole, whenever the process ends."""
        try:
            self.path = self.path or self._begun()
            fresh = self.path.with_suffix(".new")
            fresh.write_text(json.dumps(game.record()) + "\n", encoding="utf-8")
            os.replace(fresh, self.path)
        except OSError as error:
            self.failed = f"the game cannot be kept in {self.folder}: {error.strerror or error}"

    def throw_away(self) -> None:
        """Remove the file."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink()
            self.path = None

    def _begun(self) -> Path:
        """A new file of a name that no other game has."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in range(1000):
            path = self.folder / f"{self._name}{f'-{number}' if number else ''}.jsonl"
            with suppress(FileExistsError):
                path.open("x").close()
                return path
        raise OSError("too many games begun in this second")


def save(game: Recorded, path: str) -> None:
    """Add the game to a file of game records. Raises RecordError."""
    with Recorder(os.path.expanduser(path)) as record:
        record(game.record())


def load(path: str) -> Game:
    """The last game of a file of game records, which must not be over. Raises FileError."""
    place, line = last_line(path)
    if is_real_table(parsed(place, line)):
        raise FileError(f"{place}: this is a game at a real table: add --real-table")
    game = replay_line(place, line)
    if game.is_over:
        raise FileError(f"{path}: the game is over; `carc replay {shlex.quote(path)}` shows it")
    return game


def last_line(path: str) -> tuple[str, str]:
    """The last game of a file, as its place for messages and its text. Raises FileError."""
    return record_lines(path, read_text(path))[-1]


def parsed(place: str, line: str) -> Any:
    """What a line holds. Raises FileError where it is not JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:  # also a number of too many digits, brackets too deep
        raise FileError(f"{place}: not JSON: {error}") from None


def load_real(path: str) -> RealTable:
    """The last game of a file, which is one at a real table. Raises FileError and RecordError."""
    place, line = last_line(path)
    found = parsed(place, line)
    if not is_real_table(found):
        raise FileError(f"{place}: no game at a real table that goes on; leave --real-table out for other games")
    return RealTable.from_record(found)


def to_go_on(path: Path | str, against: Sequence[str], seat: int) -> str:
    """The command that goes on with a game."""
    return f"carc play --load {shlex.quote(str(path))} --against {shlex.join(against)} --seat {seat}"
