"""The database in which the web server stores every game. A move is stored before any client sees it.

The database is one SQLite file in WAL mode, `games.sqlite`. Only one process can use the database at a time. If the
process is killed, no committed move is lost. After a power cut, the last moves can be missing, but nothing else is
lost.
"""

import json
import os
import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import filelock

from carc_env.common.errors import CarcError

FILE = "games.sqlite"
APPLICATION = 0x63617263  # the application id in the file's header: "carc"
FORMAT = 4  # the number of the database format, which the tables below define
MAGIC = b"SQLite format 3\0"
HASH = re.compile("[0-9a-f]{64}")  # matches the hash of a token in the column `tokens`
TABLES = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    started REAL NOT NULL,      -- seconds since 1970
    changed REAL NOT NULL,
    version INTEGER NOT NULL,   -- grows with every change
    title TEXT NOT NULL,
    beginning TEXT NOT NULL,    -- the game record without moves and scores, as JSON: config, seed, deck, chips, starts, hands
    seats TEXT NOT NULL,        -- [{"name", "bot"}], one a player, as JSON
    tokens TEXT NOT NULL,       -- SHA-256 of the tokens, {"seats", "watcher", "beginner"}, as JSON
    asked INTEGER,              -- the player who has to act, or NULL
    scores TEXT NOT NULL,       -- as JSON
    company TEXT NOT NULL DEFAULT '{}', -- what else is known of who plays (carc_env.web.company), as JSON
    used INTEGER NOT NULL DEFAULT 1,    -- whether a person has answered
    is_over INTEGER NOT NULL DEFAULT 0  -- whether the game is over
) WITHOUT ROWID;
CREATE TABLE answers (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,    -- from 0 up
    text TEXT NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
CREATE INDEX by_change ON games (changed);
"""
FROM_1 = """
BEGIN;
ALTER TABLE games ADD COLUMN company TEXT NOT NULL DEFAULT '{}';
UPDATE games SET tokens = '{"seats": ' || tokens || ', "watcher": null, "beginner": null}';
PRAGMA user_version = 2;
COMMIT;
"""  # converts a database of format 1 to format 2
FROM_2 = """
BEGIN;
ALTER TABLE games ADD COLUMN used INTEGER NOT NULL DEFAULT 1;
UPDATE games SET used = EXISTS (SELECT 1 FROM answers WHERE game = id);
PRAGMA user_version = 3;
COMMIT;
"""  # converts a database of format 2 to format 3
FROM_3 = """
BEGIN;
ALTER TABLE games ADD COLUMN is_over INTEGER NOT NULL DEFAULT 0;
UPDATE games SET is_over = asked IS NULL;
PRAGMA user_version = 4;
COMMIT;
"""  # converts a database of format 3 to format 4


class StoreError(CarcError):
    """Raised if the database cannot be used or written. The message contains the path of the file and the reason."""


@dataclass(frozen=True)
class Kept:
    """A stored game without its moves."""

    id: str
    started: float  # seconds since 1970
    changed: float
    version: int
    title: str
    beginning: dict[str, Any]  # a game record without moves and scores
    seats: list[dict[str, Any]]
    tokens: dict[str, Any]  # hashes of the tokens, as a dict from carc_env.web.seats.Keys.to_dict
    asked: int | None  # the player who has to act; None if the game is over or waits for a drawn tile or chip
    scores: list[int]
    company: dict[str, Any]  # a dict from carc_env.web.company.Company.kept
    used: bool  # whether a person has moved; a full server first deletes games in which no person has moved
    is_over: bool

    def row(self) -> tuple[Any, ...]:
        """Return the game as a row of the table `games`."""
        texts = (json.dumps(value) for value in (self.beginning, self.seats, self.tokens))
        return (
            self.id,
            self.started,
            self.changed,
            self.version,
            self.title,
            *texts,
            self.asked,
            json.dumps(self.scores),
            json.dumps(self.company),
            self.used,
            self.is_over,
        )

    @classmethod
    def of(cls, row: Sequence[Any]) -> "Kept":
        """Return the game that is stored in a row of the table `games`."""
        id, started, changed, version, title, *texts, asked, scores, company, used, is_over = row[:COLUMNS]
        beginning, seats, tokens = map(json.loads, texts)
        more = json.loads(scores), json.loads(company)
        return cls(
            id, started, changed, version, title, beginning, seats, tokens, asked, *more, bool(used), bool(is_over)
        )


COLUMNS = len(fields(Kept))


@dataclass(frozen=True)
class Entry:
    """An entry in the list of games: what the list shows about one stored game."""

    id: str
    title: str
    seats: list[dict[str, Any]]
    started: float  # seconds since 1970
    changed: float
    scores: list[int]
    tokens: dict[str, Any]
    asked: int | None  # the player who has to act; None if the game is over or waits for a drawn tile or chip
    is_over: bool
    n_moves: int

    @classmethod
    def of(cls, row: Sequence[Any]) -> "Entry":
        """Return the entry for a row from the result of the query `LISTED`."""
        id, title, seats, started, changed, scores, tokens, asked, is_over, n_moves = row
        seats, scores, tokens = map(json.loads, (seats, scores, tokens))
        return cls(id, title, seats, started, changed, scores, tokens, asked, bool(is_over), n_moves)


LISTED = (
    "SELECT id, title, seats, started, changed, scores, tokens, asked, is_over, "
    "(SELECT COUNT(*) FROM answers WHERE game = id) FROM games"
)  # without the column `beginning`, which may contain a large map sheet


class Store:
    """A database of games, stored in a single file.

    Args:
        folder: the folder of the database. The folder is created if it does not exist.

    Raises:
        StoreError: if another process uses the folder, or if the file cannot be used. A file cannot be used if it is
            damaged, has a newer format, or is not a database of carc_env. Such a file stays unchanged.
    """

    def __init__(self, folder: Path | str):
        self.path = Path(folder) / FILE
        self._mine = _alone(self.path)
        try:
            if not self.path.exists():
                _make(self.path)
            _check(self.path)
            self._connection = _connect(self.path)
        except BaseException:
            self._mine.release()
            raise
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the database file and unlock its folder."""
        with self._lock:
            self._connection.close()
        self._mine.release()

    # --- writing ------------------------------------------------------------------------------------------------------
    def add(self, kept: Kept, moves: Sequence[str]) -> None:
        """Store a new game and its moves."""
        with self._change() as connection:
            connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * COLUMNS)})", kept.row())
            _add_answers(connection, kept.id, 0, moves)

    def change(self, kept: Kept, moves: Sequence[str], same: int) -> None:
        """Store the next version of a game. The first `same` moves of the game are already stored."""
        with self._change() as connection:
            changed = connection.execute(
                "UPDATE games SET started = ?, changed = ?, version = ?, title = ?, beginning = ?, seats = ?, "
                "tokens = ?, asked = ?, scores = ?, company = ?, used = ?, is_over = ? WHERE id = ? AND version = ?",
                (*kept.row()[1:], kept.id, kept.version - 1),
            )
            if changed.rowcount != 1:
                raise StoreError(f"in {self.path}, the game {kept.id} does not have version {kept.version - 1}")
            connection.execute("DELETE FROM answers WHERE game = ? AND number >= ?", (kept.id, same))
            _add_answers(connection, kept.id, same, moves[same:])

    def delete(self, id: str) -> None:
        """Delete a game if the database contains it."""
        with self._change() as connection:
            connection.execute("DELETE FROM games WHERE id = ?", (id,))

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction. If one change in the `with` block fails, none of the block's changes is stored. Raises
        StoreError.
        """
        with self._lock:
            try:
                with self._connection:
                    self._connection.execute("BEGIN IMMEDIATE")
                    yield self._connection
            except sqlite3.Error as error:
                raise StoreError(f"{self.path} cannot be written: {error}") from None

    # --- reading ------------------------------------------------------------------------------------------------------
    def find(self, id: str) -> tuple[Kept, list[str]] | None:
        """Return a game and its moves, or None if there is no game with this id."""
        with self._lock:  # the database must not change between the two queries
            rows = self._read("SELECT * FROM games WHERE id = ?", id)
            texts = self._read("SELECT text FROM answers WHERE game = ? ORDER BY number", id)
        return (Kept.of(rows[0]), [text for (text,) in texts]) if rows else None

    def listed(self, hashes: AbstractSet[str] | None = None) -> list[Entry]:
        """Return the entries of the list of games. The most recently changed game comes first. If `hashes` is given,
        the list contains only games that have a token with one of these hashes.
        """
        if hashes is None:
            rows = self._read(LISTED)
        else:
            tokens = self._read("SELECT id, tokens FROM games") if hashes else []
            ids = [id for id, text in tokens if not hashes.isdisjoint(HASH.findall(text))]
            rows = [row for id in ids for row in self._read(f"{LISTED} WHERE id = ?", id)]
        return sorted(map(Entry.of, rows), key=lambda entry: entry.changed, reverse=True)

    def count(self) -> int:
        """Return the number of games."""
        return int(self._read("SELECT COUNT(*) FROM games")[0][0])

    def unused(self) -> list[str]:
        """Return the ids of the games in which no person has moved. The game that has been unchanged for longest comes
        first.
        """
        return [id for (id,) in self._read("SELECT id FROM games WHERE NOT used ORDER BY changed")]

    def finished(self, before: float) -> list[str]:
        """Return the ids of the finished games that have not changed since the time `before`. The game that has been
        unchanged for longest comes first. `before` is a time in seconds since 1970.
        """
        return [
            id for (id,) in self._read("SELECT id FROM games WHERE is_over AND changed < ? ORDER BY changed", before)
        ]

    def _read(self, words: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(words, values).fetchall()
            except sqlite3.Error as error:
                raise StoreError(f"{self.path} cannot be read: {error}") from None


def _add_answers(connection: sqlite3.Connection, id: str, first: int, texts: Sequence[str]) -> None:
    connection.executemany(
        "INSERT INTO answers VALUES (?, ?, ?)", [(id, number, text) for number, text in enumerate(texts, first)]
    )


# --- opening ----------------------------------------------------------------------------------------------------------
def _alone(path: Path) -> filelock.BaseFileLock:
    """Lock the folder of a database for this process. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return filelock.FileLock(path.with_suffix(".lock"), thread_local=False).acquire(0).lock
    except filelock.Timeout:
        raise StoreError(
            f"another `carc serve` uses the folder {path.parent}; choose another folder with --data"
        ) from None
    except OSError as error:
        raise StoreError(f"{path.parent} cannot be used: {error.strerror or error}") from None


def _make(path: Path) -> None:
    """Create an empty database atomically. Raises StoreError."""
    new = path.with_suffix(".new")
    try:
        new.unlink(missing_ok=True)
        with closing(sqlite3.connect(new)) as connection:
            connection.executescript(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {TABLES}")
        os.replace(new, path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path} cannot be created: {getattr(error, 'strerror', None) or error}") from None


def _check(path: Path) -> None:
    """Check that a file is an undamaged database of carc_env with a known format. The check does not change the file.
    Raises StoreError.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(100)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(head) < 100 or not head.startswith(MAGIC) or int.from_bytes(head[68:72], "big") != APPLICATION:
        raise StoreError(f"{path} is not a database of carc_env; move it away, or choose another folder with --data")
    version = int.from_bytes(head[60:64], "big")
    if not 1 <= version <= FORMAT:
        raise StoreError(f"{path} has format {version}; this version of carc_env reads only formats 1 to {FORMAT}")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        found = str(error)
    if found != "ok":
        raise StoreError(f"{path} is damaged: {found}")


def _connect(path: Path) -> sqlite3.Connection:
    """Return the connection that all threads share. If the database has an older format, convert it to the current
    format. Raises StoreError.
    """
    try:
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}")
        for version, script in ((1, FROM_1), (2, FROM_2), (3, FROM_3)):
            if connection.execute("PRAGMA user_version").fetchone()[0] == version:
                connection.executescript(script)
        return connection
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}") from None
