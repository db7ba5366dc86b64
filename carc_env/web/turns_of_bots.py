"""The bots at the tables: they answer when it is their turn, go on for persons whose time is up, and say what answers
are worth.
"""

import dataclasses
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, NamedTuple

from carc_env.bots import ActionValue, Bot
from carc_env.bots.winning import chance_in
from carc_env.common.errors import CarcError, IllegalAction
from carc_env.games.game import Game
from carc_env.web.bot_workers import Workers, usual_number
from carc_env.web.choices import shown_specs
from carc_env.web.seats import EVERYTHING, Rights, Seat, seat_for
from carc_env.web.table import Full, Table
from carc_env.web.thinking import PATIENCE, Hurried, Player, Watch
from carc_env.web.versions import Moment, played

STAND_IN = "greedy"  # plays on for a person whose time is up
MOST_WAITING = 8  # hints of a table for which nobody has had time yet


class Answer(NamedTuple):
    """What a bot has answered."""

    game: Game  # after it
    hurried: Hurried | None


class Hints(NamedTuple):
    """What a bot says of the legal answers."""

    version: int
    worths: list[ActionValue]  # by the answers' numbers among the legal ones, best first
    chances: list[float | None]  # to win, that each of these values means
    hurried: Hurried | None

    @classmethod
    def of(cls, game: Game, version: int, worths: Sequence[ActionValue], hurried: Hurried | None = None) -> "Hints":
        """The hints that the values of a game's legal actions give."""
        numbers = {int(action): number for number, action in enumerate(game.legal_actions())}
        by_number = [worth._replace(action=numbers[worth.action]) for worth in worths]
        return cls(version, by_number, [chance_in(game, worth.value) for worth in worths], hurried)

    def to_dict(self, bot: str) -> dict[str, Any]:
        """The hints of a bot as a dict for JSON."""
        return {
            "bot": bot,
            "version": self.version,
            "values": [(worth.action, worth.value) for worth in self.worths],
            "errors": [worth.error for worth in self.worths],
            "chances": self.chances,
            "hurried": self.hurried and dataclasses.asdict(self.hurried),
        }


class Judge(Bot):
    """A bot that says what the answers of others are worth, by what they may have known, whenever it is its table's turn
    to think. It takes its own time, however many wait: what it finds should not depend on them.
    """

    def __init__(self, player: Player, workers: Workers, table: str, late: str):
        self.name, self._player, self._workers, self._table, self._late = player.name, player, workers, table, late

    def action_values(self, game: Game) -> list[ActionValue]:
        """The legal actions with their values, best first. Raises BotError for a bot that cannot value actions, and
        BotFault for one that fails or is late.
        """
        return self._workers.ask(self._table, lambda seconds: self._player.worths(game), self._late).result()

    def choose(self, game: Game) -> int:
        """The best action."""
        return self.analyse(game)[0][0]

    def close(self) -> None:
        """Stop what it has started."""
        self._player.close()


class Bots:
    """The bots that may be asked for. Its methods may be called from any thread.

    Args:
        specs: their specs.
        guarded: whether clients are others than the operator, who are not told how programs are begun.
        patience: seconds that a bot may take for an answer.
        ready: bots wait for it before they begin to think, so that no bot is blamed for the time that compiling takes;
        None: at once.
        workers: how many bots think at a time; None: by the number of cores.
    """

    def __init__(
        self,
        specs: Sequence[str],
        guarded: bool = False,
        patience: float = PATIENCE,
        ready: threading.Event | None = None,
        workers: int | None = None,
    ):
        # of each bot as clients know it
        self._specs = shown_specs(specs) if guarded else {spec: spec for spec in specs}
        self._watch = Watch(patience)
        self.workers = Workers(workers or usual_number(), self._watch, ready)

    @property
    def names(self) -> tuple[str, ...]:
        """The bots that clients may ask for; the command lines of programs are shown on this machine only."""
        return tuple(self._specs)

    def close(self) -> None:
        """No bot answers any more."""
        self.workers.close()
        self._watch.close()

    def _player(self, bot: str) -> Player:
        """A bot under the name that clients know."""
        return Player(self._specs.get(bot, bot), bot)

    def go(self, table: Table) -> None:
        """Let the bots of a table answer, if it is the turn of one that was not asked yet, or the clock run for a
        person.
        """
        self._let_answer(table)
        now = table.now
        self._watch.end(table.alarm)
        clock, seat = now.company.clock, now.person
        if clock is not None and seat is not None:
            left = clock.left_of(seat, time.time())
            table.alarm = self._watch.begin(lambda: self._stand_in(table, now), left)

    def _stand_in(self, table: Table, now: Moment) -> None:
        """Let a bot play on for the person whose time is up."""
        with complaints(), table.lock:
            present, number = table.now, now.person
            if number is None or present.question != now.question or table.is_put_away:
                return
            seat = Seat(now.seats[number].name, STAND_IN)
            told = f"The time of {seat.name} is up: {STAND_IN} goes on."
            company = dataclasses.replace(present.company.seated(number, seat), wish=None).telling(told)
            table.change(present, present.game, company)
        self.go(table)

    def _let_answer(self, table: Table) -> None:
        """Let the bot that is asked stand in the queue, if it was not asked yet."""
        with table.lock:
            now = table.now
            if now.thinking is None or table.asked >= now.question or table.is_put_away:
                return
            table.asked, seat = now.question, now.seats[now.thinking]
        late = f"{seat.bot} has not answered within {self._watch.patience:g} s"
        answer = self.workers.ask(table.id, lambda seconds: self._answer(table, now, seconds), late)
        answer.add_done_callback(lambda answer: self._heard(table, now, answer))

    def _answer(self, table: Table, now: Moment, seconds: float) -> Answer | None:
        """What the bot that is asked answers. None: somebody else has changed the game before it was its turn."""
        seat = now.thinking
        with table.lock:
            if seat is None or table.now.question != now.question or table.is_put_away:
                return None
            bot = table.bots.setdefault(seat, self._player(str(now.seats[seat].bot)))
        text = bot.answer(now.game, seconds)
        return Answer(played(now.game, text), bot.hurried)

    def _heard(self, table: Table, now: Moment, answer: Future[Answer | None]) -> None:
        """The game goes on after a bot's answer, or its fault is told."""
        if answer.cancelled():
            return
        with complaints():
            try:
                found = answer.result()
            except CarcError as error:
                return self._blame(table, now, str(error))
            if found is not None:
                self._go_on(table, now, found.game, hurried=found.hurried)
            self.go(table)

    def _blame(self, table: Table, now: Moment, fault: str) -> None:
        """Report that a bot failed. It is not called again until somebody has undone a move or replaced the bot."""
        self._go_on(table, now, now.game, fault)
        with table.lock:
            table.dismiss(now.thinking)

    def _go_on(
        self, table: Table, now: Moment, game: Game, fault: str | None = None, hurried: Hurried | None = None
    ) -> None:
        """The next version, unless somebody else has changed the game."""
        with table.lock:
            present = table.now
            if present.question == now.question and not table.is_put_away:
                table.change(present, game, present.company, fault, hurried=hurried)

    # --- what answers are worth -----------------------------------------------------------------------------------
    def hints(self, table: Table, spec: str, rights: Rights = EVERYTHING) -> "Future[Hints]":
        """What a bot says of the legal answers of the present version, as soon as it is its turn. Raises SeatError,
        IllegalAction when the game is over, Closed, Full; the future raises BotError, BotFault.
        """
        now = table.now
        if now.game.is_over:
            raise IllegalAction("the game is over, so there is no action to choose")
        if now.game.player is None:
            raise IllegalAction("nobody is asked: first say what was drawn")
        rights.check(now.game.player)
        if self.workers.waiting(table.id) >= MOST_WAITING:
            raise Full(f"{MOST_WAITING} bots are to think at this table already: wait for one of them")
        bot = self._player(self._known(spec))
        found = self.workers.ask(table.id, lambda seconds: hinted(now, bot, seconds), self._late())
        found.add_done_callback(lambda _: bot.close())
        return found

    def judge(self, table: str, spec: str) -> Judge:
        """A bot that says what answers in a game are worth, when it is the turn of a table, by its id; whoever asks for
        it closes it. Raises SeatError if there is none of that spec.
        """
        return Judge(self._player(self._known(spec)), self.workers, table, self._late())

    def _known(self, spec: str) -> str:
        """The spec of a bot as clients know it. Raises SeatError if there is none."""
        return str(seat_for(0, None, spec, self.names).bot)

    def _late(self) -> str:
        return f"no answer within {self._watch.patience:g} s"


def hinted(now: Moment, bot: Player, seconds: float) -> Hints:
    """What a bot says of the legal answers at a moment, in so many seconds at most."""
    worths = bot.worths(now.game, seconds)
    return Hints.of(now.game, now.version, worths, bot.hurried)


@contextmanager
def complaints() -> Iterator[None]:
    """Report errors on standard error if no client is waiting for them."""
    try:
        yield
    except CarcError as error:
        print(f"carc: {error}", file=sys.stderr, flush=True)
