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

import platformdirs

from carc_env.arena.check_files import read_text, record_lines, replay_line
from carc_env.common.errors import FileError
from carc_env.games.game import Game
from carc_env.notation.record_files import Recorder


class Keeper:
    """Keeps a game in a file of its own, which begins to exist with the first `keep`.

    Where no file can be written, `failed` says why in a line, and the game goes on.
    """

    def __init__(self, name: str):
        self.folder = Path(platformdirs.user_data_dir("carc_env", appauthor=False)) / "games"
        self.path: Path | None = None
        self.failed = ""
        self._name = f"{name}-{time.strftime('%Y-%m-%d-%H%M%S')}"

    def keep(self, game: Game) -> None:
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


def save(game: Game, path: str) -> None:
    """Add the game to a file of game records. Raises RecordError."""
    with Recorder(os.path.expanduser(path)) as record:
        record(game.record())


def load(path: str) -> Game:
    """The last game of a file of game records, which must not be over. Raises FileError."""
    game = replay_line(*record_lines(path, read_text(path))[-1])
    if game.is_over:
        raise FileError(f"{path}: the game is over; `carc replay {shlex.quote(path)}` shows it")
    return game


def to_go_on(path: Path | str, against: Sequence[str], seat: int) -> str:
    """The command that goes on with a game."""
    return f"carc play --load {shlex.quote(str(path))} --against {shlex.join(against)} --seat {seat}"
