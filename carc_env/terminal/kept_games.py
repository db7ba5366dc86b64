"""Save and load games. A game that a person plays is saved in the user's data folder after every move, so that nothing
is lost.
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
from carc_env.common.arguments import brief
from carc_env.common.errors import FileError
from carc_env.games.game import Game
from carc_env.games.real_table import RealTable, is_real_table
from carc_env.notation.record_files import Recorder


class Recorded(Protocol):
    """A game that can be saved in a file."""

    def record(self) -> dict[str, Any]:
        """Return the whole game as a dict for JSON."""


class Seated:
    """A game with cardboard tiles, together with the people and bots in its seats. While the game is not over, the
    saved file contains the game and the seats.
    """

    def __init__(self, real: RealTable, seats: Sequence[str]):
        self.real, self.seats = real, list(seats)

    def record(self) -> dict[str, Any]:
        """Return the whole game as a dict for JSON."""
        record = self.real.record()
        return record | {"seats": self.seats} if is_real_table(record) else record


class Keeper:
    """Saves a game in a file of its own. The first call of `keep` creates the file.

    If the file cannot be written, the game continues. After a failed write, the attribute `failed` contains the reason
    in one line.
    """

    def __init__(self, name: str):
        self.folder = Path(platformdirs.user_data_dir("carc_env", appauthor=False)) / "games"
        self.path: Path | None = None
        self.failed = ""
        self._name = f"{name}-{time.strftime('%Y-%m-%d-%H%M%S')}"

    def keep(self, game: Recorded) -> None:
        """Save the current state of the game. The file always contains either the old or the new state, even if the
        process is killed.
        """
        try:
            self.path = self.path or self._begun()
            fresh = self.path.with_suffix(".new")
            fresh.write_text(json.dumps(game.record()) + "\n", encoding="utf-8")
            os.replace(fresh, self.path)
        except OSError as error:
            self.failed = f"the game cannot be saved in {self.folder}: {error.strerror or error}"

    def throw_away(self) -> None:
        """Remove the file."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink()
            self.path = None

    def _begun(self) -> Path:
        """Create a new file with an unused name."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in range(1000):
            path = self.folder / f"{self._name}{f'-{number}' if number else ''}.jsonl"
            with suppress(FileExistsError):
                path.open("x").close()
                return path
        raise OSError("too many games were started in this second")


def save(game: Recorded, path: str) -> None:
    """Append the game to a file of game records. Raises RecordError if the file cannot be written."""
    with Recorder(os.path.expanduser(path)) as record:
        record(game.record())


def load(path: str) -> Game:
    """Return the last game in a file of game records. Raises FileError if the file is invalid, or if the last game in
    the file is over or has cardboard tiles.
    """
    place, line = last_line(path)
    if is_real_table(parsed(place, line)):
        raise FileError(f"{place}: this is a game with cardboard tiles; add --real-table")
    game = replay_line(place, line)
    if game.is_over:
        raise FileError(f"{path}: the game is over; `carc replay {shlex.quote(path)}` shows it")
    return game


def last_line(path: str) -> tuple[str, str]:
    """Return `(place, line)`, where `line` is the last line in a file of game records. For error messages, `place`
    contains the path and the line number. Raises FileError if the file is invalid.
    """
    return record_lines(path, read_text(path))[-1]


def parsed(place: str, line: str) -> Any:
    """Parse a line as JSON. Raises FileError if the line is not JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:  # also raised for numbers with too many digits and for deep nesting
        raise FileError(f"{place} is not JSON: {error}") from None


def load_real(path: str) -> tuple[RealTable, list[str] | None]:
    """Return the last game in a file of games with cardboard tiles (`--real-table`), and who plays in each seat. If the
    file names no seats, None is returned instead of the seats. Raises FileError if the last game is over, or if it is
    not a game with cardboard tiles. Raises RecordError if the record of the game is invalid.
    """
    place, line = last_line(path)
    found = parsed(place, line)
    if not is_real_table(found):
        raise FileError(
            f"{place}: --real-table continues only unfinished games with cardboard tiles; leave it out for other games"
        )
    seats = found.get("seats")
    if seats is not None and not (isinstance(seats, list) and all(isinstance(seat, str) for seat in seats)):
        raise FileError(f"{place}: seats = {brief(seats)}: should be a list of strings")
    return RealTable.from_record(found), seats


def to_go_on(path: Path | str, against: Sequence[str], seat: int) -> str:
    """Return the command that continues a game."""
    return f"carc play --load {shlex.quote(str(path))} --against {shlex.join(against)} --seat {seat}"
