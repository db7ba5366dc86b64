"""The tables: games being played by people and bots, each change kept in the store before anybody sees it."""

import json
import re
import secrets
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from carc_env.bots import Worth
from carc_env.bots.winning import chance_in
from carc_env.common.arguments import brief
from carc_env.common.errors import CarcError, IllegalAction, RecordError
from carc_env.games.game import Game, replay
from carc_env.notation.positions import read_position
from carc_env.web import real_games
from carc_env.web.choices import safe_config, title_of
from carc_env.web.seats import Seat, hashed, new_tokens, seat_for, seats_for, seats_opened
from carc_env.web.store import Kept, Store
from carc_env.web.thinking import PATIENCE, Judge, Player, Watch
from carc_env.web.versions import Moment, before_last_answer, played

MOST_GAMES = 1000  # that are kept
MOST_DAYS = 90  # that a finished game is kept
REMEMBERED = 8  # versions of a game that differences are made to
ROUND = 60.0  # seconds between two looks for what is old
IDLE = 600.0  # seconds after which a game that nobody looks at is put away until it is asked for
ID = re.compile(r"[A-Za-z0-9_-]{16}")


class NoSuchGame(CarcError):
    """There is no game of that id."""


class Conflict(CarcError):
    """The game has gone on, or is not so far yet: what was asked for does not fit its present version."""


class Closed(CarcError):
    """A seat's token is needed, or another one than was given."""

    def __init__(self, message: str, given: bool):
        super().__init__(message)
        self.given = given  # whether there was a token at all


class Full(CarcError):
    """There is no room for more."""


Opened = set[int] | None  # seats that a request may answer for; None: where no tokens are asked for


class Table:
    """One game: its last versions, its bots, and who wants to hear of changes."""

    def __init__(self, kept: Kept, game: Game):
        seats = tuple(Seat(**seat) for seat in kept.seats)
        self.id, self.title, self.started, self._hashes = kept.id, kept.title, kept.started, kept.tokens
        self.moments = deque([Moment(kept.version, game, seats)], REMEMBERED)
        self.lock = threading.Lock()  # held while the game is changed, never while a bot thinks
        self.bots: dict[int, Player] = {}
        self.is_gone = self.is_put_away = False  # deleted, or to be found anew
        self.asked = 0  # the version whose bot was asked last
        self.used = time.monotonic()  # when it was asked for last
        self._listeners: set[Callable[[], None]] = set()

    @property
    def now(self) -> Moment:
        """The present version."""
        return self.moments[-1]

    def at(self, version: int) -> Moment | None:
        """A version, if it is still remembered."""
        return next((moment for moment in list(self.moments) if moment.version == version), None)

    def after(self, version: int | None) -> list[Moment]:
        """The versions after one, the oldest first; of one that is not remembered the present one alone."""
        moments = list(self.moments)
        numbers = [moment.version for moment in moments]
        return moments[numbers.index(version) + 1 :] if version in numbers else moments[-1:]

    def present(self, version: int) -> Moment:
        """The present version, if it is this. Raises Conflict, NoSuchGame."""
        if self.is_gone:
            raise NoSuchGame(f"the game {self.id} was deleted")
        if self.is_put_away:
            raise Conflict(f"the game {self.id} was put away a moment ago; ask for it again")
        if version != self.now.version:
            raise Conflict(
                f"the game is at version {self.now.version}, not {brief(version)}: somebody was quicker; "
                "look at it again"
            )
        return self.now

    def text(self, moment: Moment, since: Moment | None, drawing: bool, **more: Any) -> str:
        """A version of it as JSON: a view as clients are told it, with what more there is to tell."""
        return json.dumps({"id": self.id, "title": self.title} | more)[:-1] + ", " + moment.text(since, drawing)[1:]

    # --- who may ------------------------------------------------------------------------------------------------------
    def opened(self, token: str | None) -> set[int]:
        """The seats that a token opens. Raises Closed if there are none."""
        seats = seats_opened(token, self._hashes)
        if not seats:
            raise Closed(
                "this is no token of this game"
                if token
                else "a token of this game is needed: Authorization: Bearer TOKEN",
                bool(token),
            )
        return seats

    # --- who hears ----------------------------------------------------------------------------------------------------
    def listen(self, listener: Callable[[], None]) -> None:
        """Call it after every change."""
        self._listeners.add(listener)

    def leave(self, listener: Callable[[], None]) -> None:
        """Call it no more."""
        self._listeners.discard(listener)

    def tell(self) -> None:
        """Call all who listen."""
        for listener in list(self._listeners):
            listener()

    # --- what it costs ------------------------------------------------------------------------------------------------
    def is_idle(self, since: float) -> bool:
        """Whether nobody listens, no bot thinks, and nobody has asked for it since a time of the monotonic clock."""
        return not self._listeners and self.now.thinking is None and self.used < since

    def dismiss(self, seat: int | None = None) -> None:
        """Close the bot of a seat, or all. Call with the lock held."""
        for number in [seat] if seat is not None else list(self.bots):
            bot = self.bots.pop(number, None)
            if bot is not None:
                bot.close()


class Tables:
    """All tables of a store. Its methods may be called from any thread.

    Args:
        store: closed with the tables.
        bots: the specs of the bots that may be asked for.
        guarded: whether tokens are asked for, one a seat.
        patience: seconds that a bot may take for an answer.
        ready: bots wait for it before they begin to think, so that no bot is blamed for the time that compiling takes;
        None: at once. most_games, most_days: how many games are kept, and for how many days those that are finished.
    """

    def __init__(
        self,
        store: Store,
        bots: Sequence[str],
        guarded: bool = False,
        patience: float = PATIENCE,
        ready: threading.Event | None = None,
        most_games: int = MOST_GAMES,
        most_days: float = MOST_DAYS,
    ):
        self.bots, self.guarded = tuple(bots), guarded
        self._store, self._watch, self._ready = store, Watch(patience), ready
        self._most_games, self._most_days = most_games, most_days
        self._tables: dict[str, Table] = {}
        self._lock, self._over = threading.Lock(), threading.Event()

    def begin(self) -> None:
        """Let the bots go on whose turn it is, and delete what is too old, now and every hour; in a thread of its
        own.
        """
        threading.Thread(target=self._keep_house, name="house", daemon=True).start()

    def finish(self) -> None:
        """Streams end, and who listens hears of it."""
        self._over.set()
        for table in list(self._tables.values()):
            table.tell()

    def close(self) -> None:
        """No bot answers any more; the store is closed."""
        self.finish()
        self._watch.close()
        with self._lock:
            for table in self._tables.values():
                self._put_away(table)
        self._store.close()

    @property
    def is_over(self) -> bool:
        """Whether they have finished."""
        return self._over.is_set()

    # --- games --------------------------------------------------------------------------------------------------------
    def create(
        self,
        config: object,
        seats: Sequence[Mapping[str, Any]] | None,
        seed: int | None = None,
        lying: Mapping[str, str] | None = None,
    ) -> tuple[Table, list[str] | None]:
        """Begin a game; `lying` says how the table lies of one that is played with cardboard. Returns its table and,
        where they are asked for, a token for each seat. Raises CarcErrors, Full.
        """
        found = safe_config(config, len(seats) if seats else None)
        return self._add(Game(found, seed) if lying is None else real_games.begun(found, lying), seats)

    def load(
        self, record: Mapping[str, Any] | None, position: str | None, seats: Sequence[Mapping[str, Any]] | None
    ) -> tuple[Table, list[str] | None]:
        """Go on with a game record or a position, one of which is None; its sheet may stand in it. As `create`."""
        found = record if record is not None else read_position(position)
        if isinstance(found, Mapping) and "config" in found:
            safe_config(found["config"])
        if record is not None:
            return self._add(replay(record), seats)
        assert position is not None  # it could be read
        return self._add(Game.from_position(position), seats)

    def _add(self, game: Game, seats: Sequence[Mapping[str, Any]] | None) -> tuple[Table, list[str] | None]:
        taken = seats_for(seats, game.players, self.bots)
        tokens = new_tokens(game.players) if self.guarded else None
        beginning, moves = real_games.kept(game)
        now = time.time()
        kept = Kept(
            secrets.token_urlsafe(12),
            now,
            now,
            1,
            title_of(game.config),
            beginning,
            [seat.to_dict() for seat in taken],
            list(map(hashed, tokens or ())),
            game.player,
            game.scores.tolist(),
        )
        with self._lock:
            self._make_room()
            self._store.add(kept, moves)
            table = self._tables[kept.id] = Table(kept, game)
        self._let_think(table)
        return table, tokens

    def _make_room(self) -> None:
        """The finished game that changed least recently gives way. Raises Full where none is finished."""
        if self._store.count() >= self._most_games:
            finished = self._store.finished(time.time())
            if not finished:
                raise Full(f"{self._most_games} games are kept, and none of them is finished: delete one first")
            self._forget(finished[0])

    def find(self, id: str) -> Table:
        """The table of a game, which is played up to where it was if nobody has asked for it yet. Raises NoSuchGame,
        Conflict.
        """
        if not ID.fullmatch(id):
            raise NoSuchGame(f"there is no game {brief(id)}")
        table = self.at_hand(id)
        if table is None:
            fresh = self._load(id)
            with self._lock:
                table = self._tables.setdefault(id, fresh)
            self._let_think(table)
        return table

    def at_hand(self, id: str) -> Table | None:
        """The table of a game that is being played; None if it would have to be found first."""
        table = self._tables.get(id)
        if table is not None:
            table.used = time.monotonic()
        return table

    def _load(self, id: str) -> Table:
        found = self._store.find(id)
        if found is None:
            raise NoSuchGame(f"there is no game {id}")
        kept, moves = found
        try:
            return Table(kept, real_games.found(kept.beginning, moves, kept.scores))
        except RecordError as error:
            raise Conflict(f"the game {id} cannot be played any more: {error}") from None

    def listed(self) -> list[tuple[Kept, int]]:
        """All games and the number of their answers, the one changed last first."""
        return self._store.all()

    def delete(self, table: Table) -> None:
        """Forget a game. Who listens to it hears of the end."""
        with self._lock:
            self._forget(table.id)

    def _forget(self, id: str) -> None:
        """Delete a game. Call with the lock held."""
        table = self._tables.pop(id, None)
        if table is not None:
            table.is_gone = True
            self._put_away(table)
        self._store.delete(id)

    def _put_away(self, table: Table) -> None:
        """Play no more at a table; who still has it must find it anew."""
        with table.lock:  # who changes it has finished
            table.is_put_away = True
            table.dismiss()
        table.tell()

    # --- changes ------------------------------------------------------------------------------------------------------
    def answer(self, table: Table, version: int, text: str, opened: Opened = None) -> Moment:
        """Answer for the person who is asked. Raises Conflict, IllegalAction, Closed; the game is then as it was."""
        with table.lock:
            now = table.present(version)
            if now.thinking is not None:
                raise IllegalAction(f"{now.seats[now.thinking].name} is asked, and is a bot")
            _check_may(now.game.player, opened)
            moment = self._change(table, now, played(now.game, text))
        self._let_think(table)
        return moment

    def undo(self, table: Table, version: int, opened: Opened = None) -> Moment:
        """Take back to the last question that a person was asked. Raises Conflict, IllegalAction, Closed; the game is
        then as it was.
        """
        with table.lock:
            now = table.present(version)
            game = before_last_answer(now)
            _check_may(game.player, opened)
            moment = self._change(table, now, game)
        self._let_think(table)
        return moment

    def take_seat(
        self, table: Table, version: int | None, number: int, name: str | None, bot: str | None, opened: Opened = None
    ) -> Moment:
        """Hand a seat to a bot or to a person; its own token opens it, any of the game that of a bot. Raises SeatError,
        Conflict, Closed.
        """
        with table.lock:
            now = table.present(table.now.version if version is None else version)
            if not 0 <= number < len(now.seats):
                raise NoSuchGame(f"there is no seat {number}; there are 0 to {len(now.seats) - 1}")
            if now.seats[number].bot is None:
                _check_may(number, opened)
            seat = seat_for(number, name, bot, self.bots)
            moment = self._change(table, now, now.game, (*now.seats[:number], seat, *now.seats[number + 1 :]))
            table.dismiss(number)
        self._let_think(table)
        return moment

    def _change(
        self, table: Table, now: Moment, game: Game, seats: tuple[Seat, ...] | None = None, fault: str | None = None
    ) -> Moment:
        """Keep a new version of a game, and then show it. Call with the table's lock held."""
        moment = Moment(now.version + 1, game, seats or now.seats, fault)
        old, new = now.moves(), moment.moves()
        same = next((number for number, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        self._store.change(
            table.id,
            moment.version,
            new,
            same,
            [seat.to_dict() for seat in moment.seats],
            game.player,
            game.scores.tolist(),
        )
        table.moments.append(moment)
        if game.is_over:
            table.dismiss()
        table.tell()
        return moment

    # --- looking ------------------------------------------------------------------------------------------------------
    def hints(self, table: Table, spec: str, opened: Opened = None) -> tuple[int, list[Worth], list[float | None]]:
        """The version, what a bot says of its legal answers, by their numbers among them, best first, and the chance to
        win that each of these values means.

        Raises BotError, BotFault, IllegalAction when the game is over, Closed.
        """
        now = table.now
        if now.game.is_over:
            raise IllegalAction("the game is over: there is nothing to answer")
        if now.game.player is None:
            raise IllegalAction("nobody is asked: first say what was drawn")
        _check_may(now.game.player, opened)
        judge = self.judge(spec)
        try:
            worths = judge.judge(now.game)
        finally:
            judge.close()
        numbers = {int(action): number for number, action in enumerate(now.game.legal_actions())}
        chances = [chance_in(now.game, worth.value) for worth in worths]
        return now.version, [worth._replace(answer=numbers[worth.answer]) for worth in worths], chances

    def judge(self, spec: str) -> Judge:
        """One of the bots, to say what answers are worth; whoever asks for it closes it. Raises SeatError if there is
        none of that spec.
        """
        bot = seat_for(0, None, spec, self.bots).bot
        assert bot is not None  # as `spec` was given
        return Judge(bot, self._watch.patience)

    # --- bots ---------------------------------------------------------------------------------------------------------
    def _let_think(self, table: Table) -> None:
        """Let the bots of a table answer, if it is the turn of one that was not asked yet."""
        now = table.now
        if now.thinking is not None and table.asked < now.version:
            threading.Thread(target=self._think, args=(table, now), name=f"bots of {table.id}", daemon=True).start()

    def _think(self, table: Table, now: Moment | None) -> None:
        """Answer for bots until a person is asked, or somebody else has changed the game."""
        if self._ready is not None:
            self._ready.wait()
        with complaints():
            while now is not None and now.thinking is not None:
                now = self._bot_answer(table, now)

    def _bot_answer(self, table: Table, now: Moment) -> Moment | None:
        """Let the bot that is asked answer. Returns the next version; None if it is asked already, or answers too
        late.
        """
        with table.lock:
            seat = now.thinking
            spec = None if seat is None else now.seats[seat].bot
            if seat is None or spec is None or now is not table.now or table.asked >= now.version or table.is_put_away:
                return None
            table.asked = now.version
            bot = table.bots.setdefault(seat, Player(spec))
        late = f"{bot.spec} has not answered within {self._watch.patience:g} s"
        key = self._watch.begin(lambda: self._blame(table, now, late))
        try:
            game = played(now.game, bot.answer(now.game))
        except CarcError as error:
            if self._watch.end(key):
                self._blame(table, now, str(error))
            return None
        return self._go_on(table, now, game) if self._watch.end(key) else None

    def _blame(self, table: Table, now: Moment, fault: str) -> None:
        """Tell that a bot has failed; it is not asked again before somebody has undone an answer or handed its seat
        over.
        """
        with complaints():
            self._go_on(table, now, now.game, fault)
        with table.lock:
            table.dismiss(now.thinking)

    def _go_on(self, table: Table, now: Moment, game: Game, fault: str | None = None) -> Moment | None:
        """The next version, unless somebody else has changed the game."""
        with table.lock:
            if now is not table.now or table.is_put_away:
                return None
            return self._change(table, now, game, fault=fault)

    # --- the house ----------------------------------------------------------------------------------------------------
    def _keep_house(self) -> None:
        """Let bots go on, and again and again delete and put away what is old."""
        for kept, _ in self._store.all():
            if kept.asked is not None and kept.seats[kept.asked]["bot"] is not None and not self.is_over:
                with complaints():
                    self.find(kept.id)
        while not self.is_over:
            with complaints():
                self.clean()
            self._over.wait(ROUND)

    def clean(self, now: float | None = None) -> None:
        """Delete finished games that are too old, seen at a time in seconds since 1970, and put away what nobody
        uses.
        """
        with self._lock:
            for id in self._store.finished((time.time() if now is None else now) - 86400 * self._most_days):
                self._forget(id)
            for id, table in list(self._tables.items()):
                if table.is_idle(time.monotonic() - IDLE):
                    del self._tables[id]
                    self._put_away(table)


@contextmanager
def complaints() -> Iterator[None]:
    """What goes wrong where no client waits for it is told on standard error."""
    try:
        yield
    except CarcError as error:
        print(f"carc: {error}", file=sys.stderr, flush=True)


def _check_may(player: int | None, opened: Opened) -> None:
    """A request may answer for a player. Raises Closed."""
    if opened is not None and player is not None and player not in opened:
        raise Closed("this token is of another seat", True)
