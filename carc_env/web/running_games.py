"""The games of a server. This module begins, stores, loads and deletes the games."""

import re
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from carc_env.common.arguments import brief
from carc_env.common.errors import RecordError
from carc_env.games.game import Game, replay
from carc_env.notation.positions import read_position
from carc_env.web import real_games
from carc_env.web.choices import safe_config, title_of
from carc_env.web.company import Company, new_company
from carc_env.web.seats import EVERYTHING, Closed, Keys, Rights, Tokens, new_tokens, seats_for
from carc_env.web.store import Entry, Kept, Store
from carc_env.web.table import Conflict, Full, NoSuchGame, Table
from carc_env.web.thinking import PATIENCE
from carc_env.web.turns_of_bots import Bots, complaints

MOST_GAMES = 1000  # games that may be stored
MOST_DAYS = 90  # days for which a finished game is stored after its last change
ROUND = 60.0  # seconds between two searches for old games
IDLE = 600.0  # seconds after which a game that nobody uses is removed from memory
ID = re.compile(r"[A-Za-z0-9_-]{16}")


class Tables:
    """The games in a database. The methods may be called from any thread.

    Args:
        store: the database that contains the games. The method `close` also closes this database.
        bots: the specs of the bots that clients may choose.
        guarded: True if the server uses tokens, one for each seat.
        patience: how many seconds a bot may take for an action.
        ready: an event that is set when compilation has ended. Bots wait for this event, so the time for compilation
            does not count as thinking time. If `ready` is None, bots think without waiting.
        workers: the maximum number of bots that think at the same time. The default is one less than the number of
            cores.
        most_games: the maximum number of games that are stored.
        most_days: how many days a finished game is stored after its last change.
    """

    def __init__(
        self,
        store: Store,
        bots: Sequence[str],
        guarded: bool = False,
        patience: float = PATIENCE,
        ready: threading.Event | None = None,
        workers: int | None = None,
        most_games: int = MOST_GAMES,
        most_days: float = MOST_DAYS,
    ):
        self.guarded, self.bots = guarded, Bots(bots, guarded, patience, ready, workers)
        self._store = store
        self._most_games, self._most_days = most_games, most_days
        self._tables: dict[str, Table] = {}
        self._lock, self._over = threading.Lock(), threading.Event()

    def begin(self) -> None:
        """Start a background thread. First, the thread lets bots act in all games in which a bot has to act. Then it
        deletes old games once a minute.
        """
        threading.Thread(target=self._keep_house, name="house", daemon=True).start()

    def finish(self) -> None:
        """End all streams, and tell the listeners that the server is stopping."""
        self._over.set()
        for table in list(self._tables.values()):
            table.tell()

    def close(self) -> None:
        """Stop all bots and close the database."""
        self.finish()
        self.bots.close()
        with self._lock:
            for table in self._tables.values():
                self._put_away(table)
        self._store.close()

    @property
    def is_over(self) -> bool:
        """True after `finish` has been called."""
        return self._over.is_set()

    # --- games --------------------------------------------------------------------------------------------------------
    def create(
        self,
        config: object,
        seats: Sequence[Mapping[str, Any]] | None,
        seed: int | None = None,
        minutes: float | None = None,
        bonus: float = 0.0,
        lying: Mapping[str, str] | None = None,
    ) -> tuple[Table, Tokens | None]:
        """Begin a game. If `minutes` is not None, each person has this many minutes for the whole game, and each move
        adds `bonus` seconds.

        For a game with cardboard tiles, `lying` describes what lies on the table before the game. For games without
        cardboard tiles, `lying` is None. Returns the game and its access tokens. If the server uses no tokens, returns
        None instead of the tokens. Raises CarcError, for example Full if the server can store no more games.
        """
        found = safe_config(config, len(seats) if seats else None)
        game = Game(found, seed) if lying is None else real_games.begun(found, lying)
        taken = seats_for(seats, game.players, self.bots.names)
        return self._begin(game, new_company(taken, None if minutes is None else 60 * minutes, bonus))

    def load(
        self,
        record: Mapping[str, Any] | None,
        position: str | None,
        seats: Sequence[Mapping[str, Any]] | None,
        origin: str | None = None,
    ) -> tuple[Table, Tokens | None]:
        """Begin a game that continues a record or a position. Exactly one of `record` and `position` must be given. The
        record or position can contain a map sheet. If the record comes from a stored game, `origin` is the id of this
        old game. The server never deletes this old game to make room for the new one. Returns the same values and
        raises the same exceptions as `create`.
        """
        found = record if record is not None else read_position(position)
        if isinstance(found, Mapping) and "config" in found:
            safe_config(found["config"])
        if record is not None:
            game = replay(record)
        else:
            assert position is not None  # `read_position` raises an error if `position` is None
            game = Game.from_position(position)
        return self._begin(game, new_company(seats_for(seats, game.players, self.bots.names)), origin)

    def _begin(self, game: Game, company: Company, origin: str | None = None) -> tuple[Table, Tokens | None]:
        tokens = new_tokens(game.players) if self.guarded else None
        return self.add(game, company, tokens.keys() if tokens else Keys(), origin), tokens

    def add(self, game: Game, company: Company, keys: Keys, origin: str | None = None) -> Table:
        """Store a new game, and return it as a `Table`. If the new game continues an old game or is its rematch,
        `origin` is the id of the old game. The server never deletes the old game to make room for the new one. Raises
        Full.
        """
        beginning, moves = real_games.kept(game)
        now = time.time()
        kept = Kept(
            secrets.token_urlsafe(12),
            now,
            now,
            1,
            title_of(game.config),
            beginning,
            [seat.to_dict() for seat in company.seats],
            keys.to_dict(),
            game.player,
            game.scores.tolist(),
            company.kept(),
            used=False,
            is_over=game.is_over,
        )
        with self._lock:
            self._make_room(origin)
            self._store.add(kept, moves)
            table = self._tables[kept.id] = Table(kept, game, self._store, self.bots.workers)
        self.bots.go(table)
        return table

    def _make_room(self, origin: str | None) -> None:
        """If the database contains the maximum number of games, delete one of them. Games in which no person has moved
        are deleted before finished games. Within each of these two groups, the game that has been unchanged for longest
        is deleted first. A game that somebody watches is never deleted, and neither is the game with the id `origin`.
        Raises Full if no game can be deleted. The caller must hold the lock.
        """
        if self._store.count() < self._most_games:
            return
        for id in (*self._store.unused(), *self._store.finished(time.time())):
            if id != origin and (id not in self._tables or not self._tables[id].is_looked_at):
                return self._forget(id)
        raise Full(f"{self._most_games} games are stored, and all of them are in use: delete a game first")

    def find(self, id: str) -> Table:
        """Return a game as a `Table`. If the game is not in memory, load it from the database and replay its moves.
        Raises NoSuchGame if there is no game with this id. Raises Conflict if the moves of the stored game cannot be
        replayed.
        """
        if not ID.fullmatch(id):
            raise NoSuchGame(f"there is no game {brief(id)}")
        table = self.at_hand(id)
        if table is None:
            fresh = self._load(id)
            with self._lock:
                table = self._tables.setdefault(id, fresh)
            self.bots.go(table)
        return table

    def at_hand(self, id: str) -> Table | None:
        """Return a game as a `Table` if it is in memory, otherwise None."""
        table = self._tables.get(id)
        if table is not None:
            table.used = time.monotonic()
        return table

    def _load(self, id: str) -> Table:
        found = self._store.find(id)
        if found is None:
            raise NoSuchGame(f"there is no game {brief(id)}")
        kept, moves = found
        try:
            return Table(kept, real_games.found(kept.beginning, moves, kept.scores), self._store, self.bots.workers)
        except RecordError as error:
            raise Conflict(f"the game {id} can no longer be played: {error}") from None

    def listed(self, hashes: AbstractSet[str] | None = None) -> list[Entry]:
        """Return the entries of the list of games. The most recently changed game comes first. If `hashes` is given,
        the list contains only games that have a token with one of these hashes.
        """
        return self._store.listed(hashes)

    def delete(self, table: Table, rights: Rights = EVERYTHING) -> None:
        """Delete a game and notify its listeners. The client must have the rights of the person who began the game, or
        the rights of all persons who play in it. Otherwise, the method raises Closed.
        """
        if not rights.is_beginner and not (rights.seats and table.now.company.persons <= rights.seats):
            raise Closed("only the person who began this game, or all people in it together, may delete it", True)
        with self._lock:
            self._forget(table.id)

    def _forget(self, id: str) -> None:
        """Delete a game. The caller must hold the lock."""
        table = self._tables.pop(id, None)
        if table is not None:
            table.is_gone = True
            self._put_away(table)
        self._store.delete(id)

    def _put_away(self, table: Table) -> None:
        """Remove a game from memory. Code that still holds a reference to the game has to call `find` again."""
        with table.lock:  # waits until no change of the game is in progress
            table.is_put_away = True
            table.dismiss()
        table.tell()

    # --- housekeeping -------------------------------------------------------------------------------------------------
    def _keep_house(self) -> None:
        """Let bots act in all games in which a bot has to act. After that, delete old games and remove unused games
        from memory at regular intervals.
        """
        for entry in self._store.listed():
            if entry.asked is not None and entry.seats[entry.asked]["bot"] is not None and not self.is_over:
                with complaints():
                    self.find(entry.id)
        while not self.is_over:
            with complaints():
                self.clean()
            self._over.wait(ROUND)

    def clean(self, now: float | None = None) -> None:
        """Delete finished games that are too old, and remove unused games from memory. `now` is a time in seconds since
        1970, or None for the current time.
        """
        with self._lock:
            for id in self._store.finished((time.time() if now is None else now) - 86400 * self._most_days):
                self._forget(id)
            for id, table in list(self._tables.items()):
                if table.is_idle(time.monotonic() - IDLE):
                    del self._tables[id]
                    self._put_away(table)
