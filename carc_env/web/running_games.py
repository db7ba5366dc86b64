"""The tables: games being played by people and bots, each change kept in the store before anybody sees it."""

import dataclasses
import re
import secrets
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from carc_env.bots import Worth
from carc_env.bots.winning import chance_in
from carc_env.common.arguments import brief
from carc_env.common.errors import CarcError, IllegalAction, RecordError
from carc_env.games.game import Game, replay
from carc_env.notation.positions import read_position
from carc_env.web import real_games
from carc_env.web.choices import safe_config, shown_specs, title_of
from carc_env.web.company import Company, Wish, message, new_company, turned
from carc_env.web.seats import (
    EVERYTHING,
    Closed,
    Keys,
    Rights,
    Seat,
    Tokens,
    new_token,
    new_tokens,
    seat_for,
    seats_for,
)
from carc_env.web.store import Kept, Store
from carc_env.web.table import Conflict, Full, NoSuchGame, Table
from carc_env.web.thinking import PATIENCE, Judge, Player, Watch
from carc_env.web.versions import Moment, before_last_answer, played, taken_back

MOST_GAMES = 1000  # that are kept
MOST_DAYS = 90  # that a finished game is kept
ROUND = 60.0  # seconds between two looks for what is old
IDLE = 600.0  # seconds after which a game that nobody looks at is put away until it is asked for
ID = re.compile(r"[A-Za-z0-9_-]{16}")
STAND_IN = "greedy"  # plays on for a person whose time is up


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
        self.guarded = guarded
        self._specs = shown_specs(bots) if guarded else {spec: spec for spec in bots}  # of each bot as clients know it
        self._store, self._watch, self._ready = store, Watch(patience), ready
        self._most_games, self._most_days = most_games, most_days
        self._tables: dict[str, Table] = {}
        self._lock, self._over = threading.Lock(), threading.Event()

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots that clients may ask for; the command lines of programs are shown on this machine only."""
        return tuple(self._specs)

    def _player(self, bot: str) -> Player:
        """A bot as clients know it."""
        return Player(self._specs.get(bot, bot), bot)

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
        minutes: float | None = None,
        bonus: float = 0.0,
        lying: Mapping[str, str] | None = None,
    ) -> tuple[Table, Tokens | None]:
        """Begin a game, with a clock if there are minutes for each person, to which an answer adds bonus seconds;
        `lying` says how the table lies of one that is played with cardboard. Returns its table and, where they are asked
        for, its tokens. Raises CarcErrors, Full.
        """
        found = safe_config(config, len(seats) if seats else None)
        game = Game(found, seed) if lying is None else real_games.begun(found, lying)
        taken = seats_for(seats, game.players, self.bots)
        return self._begin(game, new_company(taken, None if minutes is None else 60 * minutes, bonus))

    def load(
        self, record: Mapping[str, Any] | None, position: str | None, seats: Sequence[Mapping[str, Any]] | None
    ) -> tuple[Table, Tokens | None]:
        """Go on with a game record or a position, one of which is None; its sheet may stand in it. As `create`."""
        found = record if record is not None else read_position(position)
        if isinstance(found, Mapping) and "config" in found:
            safe_config(found["config"])
        if record is not None:
            game = replay(record)
        else:
            assert position is not None  # it could be read
            game = Game.from_position(position)
        return self._begin(game, new_company(seats_for(seats, game.players, self.bots)))

    def _begin(self, game: Game, company: Company) -> tuple[Table, Tokens | None]:
        tokens = new_tokens(game.players) if self.guarded else None
        return self._add(game, company, tokens.keys() if tokens else Keys()), tokens

    def _add(self, game: Game, company: Company, keys: Keys) -> Table:
        """A table for a new game. Raises Full."""
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
        )
        with self._lock:
            self._make_room()
            self._store.add(kept, moves)
            table = self._tables[kept.id] = Table(kept, game)
        self._go(table)
        return table

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
            self._go(table)
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

    def delete(self, table: Table, rights: Rights = EVERYTHING) -> None:
        """Forget a game: for who began it, or for all who play it. Who listens to it hears of the end. Raises
        Closed.
        """
        if not rights.is_beginner and not (rights.seats and table.now.company.persons <= rights.seats):
            raise Closed("who began this game may delete it, or all who play it together", True)
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
    def answer(self, table: Table, version: int, text: str, rights: Rights = EVERYTHING) -> Moment:
        """Answer for the person who is asked; a wish to take back is gone with it. Raises Conflict, IllegalAction,
        Closed; the game is then as it was.
        """
        with table.lock:
            now = table.present(version)
            if now.thinking is not None:
                raise IllegalAction(f"{now.seats[now.thinking].name} is asked, and is a bot")
            rights.check(now.game.player)
            company = dataclasses.replace(now.company, wish=None)
            moment = self._change(table, now, played(now.game, text), company)
        self._go(table)
        return moment

    def undo(self, table: Table, version: int, rights: Rights = EVERYTHING) -> Moment:
        """Take back to the last question that a person was asked, of the own answers; other persons are asked first.
        Raises Conflict, IllegalAction, Closed; the game is then as it was.
        """
        with table.lock:
            now = table.present(version)
            before = before_last_answer(now)
            rights.check(before.player)
            if isinstance(now.game, real_games.RealGame):  # who enters what happened corrects it alone
                moment = self._change(table, now, before, now.company)
            else:
                moment = self._wish(table, now, before, rights)
        self._go(table)
        return moment

    def _wish(self, table: Table, now: Moment, before: Game, rights: Rights) -> Moment:
        """Wish to take back to an earlier question. Call with the table's lock held."""
        assert before.player is not None  # a person was asked there
        n_moves, agreed = int(before.state["n_moves"]), now.company.persons & rights.seats
        if now.company.wish and now.company.wish.moves == n_moves:
            return now  # the others are asked already
        return self._wished(table, now, Wish(now.version + 1, before.player, n_moves, tuple(sorted(agreed))))

    def reply(self, table: Table, number: int, agree: bool, rights: Rights = EVERYTHING) -> Moment:
        """Agree to a wish to take back, or refuse it, or withdraw the own one. Raises Conflict, Closed."""
        with table.lock:
            now, mine = table.present(), table.now.company.persons & rights.seats
            wish = now.company.wish
            if wish is None or wish.number != number:
                raise Conflict("nobody wishes to take that back any more; look at the game again")
            if not mine:
                raise Closed("only who plays is asked", True)
            if agree:
                wish = dataclasses.replace(wish, agreed=tuple(sorted(mine.union(wish.agreed))))
                moment = self._wished(table, now, wish)
            else:
                words = "does not take back after all" if wish.seat in mine else "would rather not: it stays as it is"
                company = dataclasses.replace(now.company, wish=None)
                moment = self._tell(table, now, company.telling(f"{company.names(mine)} {words}."))
        self._go(table)
        return moment

    def _wished(self, table: Table, now: Moment, wish: Wish) -> Moment:
        """Take back what is wished if all persons agree, else ask the others. Call with the table's lock held."""
        company, name = now.company, now.seats[wish.seat].name
        others = company.persons.difference(wish.agreed)
        if others:
            if company.wish is None or company.wish.number != wish.number:
                company = company.telling(f"{name} asks {company.names(others)} to let an answer be taken back.")
            return self._tell(table, now, dataclasses.replace(company, wish=wish))
        game, is_drawn_anew = taken_back(now.game, wish.moves)
        anew = " What had come to light since is drawn anew." if is_drawn_anew else ""
        company = dataclasses.replace(company, wish=None).telling(f"{name} takes an answer back.{anew}")
        return self._change(table, now, game, company)

    def take_seat(
        self,
        table: Table,
        version: int | None,
        number: int,
        name: str | None,
        bot: str | None,
        rights: Rights = EVERYTHING,
    ) -> tuple[Moment, str | None]:
        """Hand a seat to a bot or to a person. Its own token opens a person's, and that of the beginner; any that plays
        a bot's. Returns also the seat's new token where who asked has none of it. Raises SeatError, Conflict, Closed.
        """
        with table.lock:
            now = table.present(version)
            old = seat_at(now, number)
            if not rights.is_beginner:
                rights.check(number if old.bot is None else min(rights.seats, default=number))
            seat = seat_for(number, name, bot, self.bots)
            company = dataclasses.replace(now.company.seated(number, seat), wish=None).telling(handed_over(old, seat))
            needs = self.guarded and bot is None and (old.bot is not None or number not in rights.seats)
            token = new_token() if needs else None
            keys = table.keys.changed(number, token) if token else None
            moment = self._change(table, now, now.game, company.claimed(number) if token else company, keys=keys)
            table.dismiss(number)
        self._go(table)
        return moment, token

    def claim(self, table: Table, number: int, name: str | None, rights: Rights) -> tuple[Moment, str]:
        """Sit down by the token of a link: from now on another one, which is returned, opens the seat. Raises SeatError,
        Conflict, Closed.
        """
        with table.lock:
            now = table.present()
            seat = seat_at(now, number)
            if not self.guarded:
                raise Conflict("seats have no tokens here: whoever is at this machine plays them all")
            rights.check(number)
            if seat.bot is not None:
                raise Conflict(f"{seat.name} plays there, a bot")
            token, seat = new_token(), seat_for(number, name or seat.name, None, self.bots)
            company = now.company.seated(number, seat).claimed(number).telling(f"{seat.name} has sat down.")
            moment = self._tell(table, now, company, table.keys.changed(number, token))
        return moment, token

    def say(self, table: Table, seat: int, text: str, rights: Rights = EVERYTHING) -> Moment:
        """Tell all at the table something. Raises MessageError, Closed."""
        with table.lock:
            now = table.present()
            seat_at(now, seat)
            rights.check(seat)
            return self._tell(table, now, now.company.telling(message(text), seat))

    def rematch(self, table: Table, rights: Rights = EVERYTHING) -> Table:
        """Play once more, the seats turned by one; tokens go with who has them. Returns the table of the new game, or
        of that which somebody began before. Raises Conflict, Closed, Full.
        """
        now = table.present()
        if not rights.seats:
            raise Closed("this token only looks on", True)
        if not now.game.is_over:
            raise Conflict("the game is not over yet: a rematch comes after it")
        if isinstance(now.game, real_games.RealGame):
            raise Conflict("begin the next game at a real table in the form, which asks how the table lies")
        if now.company.rematch is None:
            after = self._add(Game(now.game.config), turned(now.company), table.keys.turned())
            with table.lock:
                now = table.present()
                if now.company.rematch is None:
                    self._tell(table, now, dataclasses.replace(now.company, rematch=after.id))
                    return after
            self.delete(after)  # somebody was quicker
        assert now.company.rematch is not None
        return self.find(now.company.rematch)

    def _change(
        self,
        table: Table,
        now: Moment,
        game: Game,
        company: Company,
        fault: str | None = None,
        keys: Keys | None = None,
    ) -> Moment:
        """The game has gone on, or somebody else plays: a new question. Call with the table's lock held."""
        answered = int(game.state["n_moves"]) > int(now.game.state["n_moves"])
        company, version = company.timed(now.person, answered), now.version + 1
        return self._keep(table, now, Moment(version, game, company, fault, question=version), keys)

    def _tell(self, table: Table, now: Moment, company: Company, keys: Keys | None = None) -> Moment:
        """Something is told, and the question stays. Call with the table's lock held."""
        moment = Moment(now.version + 1, now.game, company, now.fault, question=now.question)
        return self._keep(table, now, moment, keys)

    def _keep(self, table: Table, now: Moment, moment: Moment, keys: Keys | None) -> Moment:
        """Keep a new version of a game, and then show it."""
        game, company, old, new = moment.game, moment.company, now.moves(), moment.moves()
        same = next((number for number, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        kept = dataclasses.replace(
            table.kept,
            version=moment.version,
            changed=time.time(),
            beginning=table.kept.beginning if same == len(old) else real_games.kept(game)[0],
            seats=[seat.to_dict() for seat in company.seats],
            tokens=(keys or table.keys).to_dict(),
            asked=game.player,
            scores=game.scores.tolist(),
            company=company.kept(),
        )
        self._store.change(kept, new, same)
        table.kept = kept
        table.moments.append(moment)
        if game.is_over:
            table.dismiss()
        table.tell()
        return moment

    # --- looking ------------------------------------------------------------------------------------------------------
    def hints(
        self, table: Table, spec: str, rights: Rights = EVERYTHING
    ) -> tuple[int, list[Worth], list[float | None]]:
        """The version, what a bot says of its legal answers, by their numbers among them, best first, and the chance to
        win that each of these values means.

        Raises BotError, BotFault, IllegalAction when the game is over, Closed.
        """
        now = table.now
        if now.game.is_over:
            raise IllegalAction("the game is over, so there is no action to choose")
        if now.game.player is None:
            raise IllegalAction("nobody is asked: first say what was drawn")
        rights.check(now.game.player)
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
        return Judge(self._player(bot), self._watch.patience)

    # --- bots and the clock -------------------------------------------------------------------------------------------
    def _go(self, table: Table) -> None:
        """Let the bots of a table answer, if it is the turn of one that was not asked yet, or the clock run for a
        person.
        """
        now = table.now
        if now.thinking is not None and table.asked < now.question:
            threading.Thread(target=self._think, args=(table, now), name=f"bots of {table.id}", daemon=True).start()
        self._watch.end(table.alarm)
        clock, seat = now.company.clock, now.person
        if clock is not None and seat is not None:
            left = clock.left_of(seat, time.time())
            table.alarm = self._watch.begin(lambda: self._stand_in(table, now), left)

    def _stand_in(self, table: Table, now: Moment) -> None:
        """A bot goes on for the person whose time is up."""
        with complaints(), table.lock:
            present, number = table.now, now.person
            if number is None or present.question != now.question or table.is_put_away:
                return
            seat = Seat(now.seats[number].name, STAND_IN)
            told = f"The time of {seat.name} is up: {STAND_IN} goes on."
            company = dataclasses.replace(present.company.seated(number, seat), wish=None).telling(told)
            self._change(table, present, present.game, company)
        self._go(table)

    def _think(self, table: Table, now: Moment | None) -> None:
        """Answer for bots until a person is asked, or somebody else has changed the game."""
        if self._ready is not None:
            self._ready.wait()
        with complaints():
            while now is not None and now.thinking is not None:
                now = self._bot_answer(table, now)
            self._go(table)

    def _bot_answer(self, table: Table, now: Moment) -> Moment | None:
        """Let the bot that is asked answer. Returns the next version; None if it is asked already, or answers too
        late.
        """
        with table.lock:
            seat, asked = now.thinking, table.now.question == now.question
            spec = None if seat is None else now.seats[seat].bot
            if seat is None or spec is None or not asked or table.asked >= now.question or table.is_put_away:
                return None
            table.asked = now.question
            bot = table.bots.setdefault(seat, self._player(spec))
        late = f"{bot.name} has not answered within {self._watch.patience:g} s"
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
            present = table.now
            if present.question != now.question or table.is_put_away:
                return None
            return self._change(table, present, game, present.company, fault)

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


def seat_at(moment: Moment, number: int) -> Seat:
    """A seat by its number. Raises NoSuchGame."""
    if not 0 <= number < len(moment.seats):
        raise NoSuchGame(f"there is no seat {number}; there are 0 to {len(moment.seats) - 1}")
    return moment.seats[number]


def handed_over(old: Seat, new: Seat) -> str:
    """What is told when somebody else goes on with a seat."""
    if old.bot is None and new.bot is None:
        return f"{old.name} is called {new.name} from now on."
    return f"{new.name} goes on for {old.name}."
