"""The bots at the tables: they answer when it is their turn, go on for persons whose time is up, and say what answers
are worth.
"""

import dataclasses
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from carc_env.bots import Worth
from carc_env.bots.winning import chance_in
from carc_env.common.errors import CarcError, IllegalAction
from carc_env.games.game import Game
from carc_env.web.choices import shown_specs
from carc_env.web.seats import EVERYTHING, Rights, Seat, seat_for
from carc_env.web.table import Table
from carc_env.web.thinking import PATIENCE, Judge, Player, Watch
from carc_env.web.versions import Moment, played

STAND_IN = "greedy"  # plays on for a person whose time is up


class Bots:
    """The bots that may be asked for. Its methods may be called from any thread.

    Args:
        specs: their specs.
        guarded: whether clients are others than the operator, who are not told how programs are begun.
        patience: seconds that a bot may take for an answer.
        ready: bots wait for it before they begin to think, so that no bot is blamed for the time that compiling takes;
        None: at once.
    """

    def __init__(
        self,
        specs: Sequence[str],
        guarded: bool = False,
        patience: float = PATIENCE,
        ready: threading.Event | None = None,
    ):
        self._specs = (
            shown_specs(specs) if guarded else {spec: spec for spec in specs}
        )  # of each bot as clients know it
        self._watch, self._ready = Watch(patience), ready

    @property
    def names(self) -> tuple[str, ...]:
        """The bots that clients may ask for; the command lines of programs are shown on this machine only."""
        return tuple(self._specs)

    def close(self) -> None:
        """No bot answers any more."""
        self._watch.close()

    def _player(self, bot: str) -> Player:
        """A bot as clients know it."""
        return Player(self._specs.get(bot, bot), bot)

    def go(self, table: Table) -> None:
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
            table.change(present, present.game, company)
        self.go(table)

    def _think(self, table: Table, now: Moment | None) -> None:
        """Answer for bots until a person is asked, or somebody else has changed the game."""
        if self._ready is not None:
            self._ready.wait()
        with complaints():
            while now is not None and now.thinking is not None:
                now = self._bot_answer(table, now)
            self.go(table)

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
            return table.change(present, game, present.company, fault)

    # --- what answers are worth -----------------------------------------------------------------------------------
    def hints(
        self, table: Table, spec: str, rights: Rights = EVERYTHING
    ) -> tuple[int, list[Worth], list[float | None]]:
        """The version, what a bot says of its legal answers, by their numbers among them, best first, and the chance to
        win that each of these values means.

        Raises BotError, BotFault, IllegalAction when the game is over, Closed.
        """
        now = table.now
        if now.game.is_over:
            raise IllegalAction("the game is over: there is nothing to answer")
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
        bot = seat_for(0, None, spec, self.names).bot
        assert bot is not None  # as `spec` was given
        return Judge(self._player(bot), self._watch.patience)


@contextmanager
def complaints() -> Iterator[None]:
    """What goes wrong where no client waits for it is told on standard error."""
    try:
        yield
    except CarcError as error:
        print(f"carc: {error}", file=sys.stderr, flush=True)
