"""Lets the bots act in the games of a server. The bots choose actions for their own seats and for people whose time is
up. The bots also compute action values for hints and analyses.
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
from carc_env.web.seats import EVERYTHING, Rights, Seat, check_bot
from carc_env.web.store import StoreError
from carc_env.web.table import Full, Table
from carc_env.web.thinking import PATIENCE, Hurried, Player, Watch
from carc_env.web.versions import Moment, played

STAND_IN = "greedy"  # the bot that replaces a person whose time is up
MOST_WAITING = 8  # the maximum number of hints for one game in the queue
PAUSE = 10.0  # seconds after which a bot acts again if its action could not be stored


class Answer(NamedTuple):
    """The game after a bot's action."""

    game: Game  # after the action
    hurried: Hurried | None


class Hints(NamedTuple):
    """The values that a bot gives to the legal actions."""

    version: int
    worths: list[ActionValue]  # best first; each `action` is an index into the legal actions
    chances: list[float | None]  # the chance to win that follows from each of these values
    hurried: Hurried | None

    @classmethod
    def of(cls, game: Game, version: int, worths: Sequence[ActionValue], hurried: Hurried | None = None) -> "Hints":
        """Return the hints for a game. `worths` contains a bot's values of the legal actions."""
        numbers = {int(action): number for number, action in enumerate(game.legal_actions())}
        by_number = [worth._replace(action=numbers[worth.action]) for worth in worths]
        return cls(version, by_number, [chance_in(game, worth.value) for worth in worths], hurried)

    def to_dict(self, bot: str) -> dict[str, Any]:
        """Return the hints of a bot as a dict that can be written as JSON."""
        return {
            "bot": bot,
            "version": self.version,
            "values": [(worth.action, worth.value) for worth in self.worths],
            "errors": [worth.error for worth in self.worths],
            "chances": self.chances,
            "hurried": self.hurried and dataclasses.asdict(self.hurried),
        }


class Judge(Bot):
    """A bot that computes action values. The bot has no information that is hidden from the player who has to act. The
    bot thinks as soon as a thread is free for its game (see `bot_workers`). Its thinking time is not reduced when many
    games wait. Therefore the bot's values do not depend on the number of waiting games.
    """

    def __init__(self, player: Player, workers: Workers, table: str, late: str):
        self.name, self._player, self._workers, self._table, self._late = player.name, player, workers, table, late

    def action_values(self, game: Game) -> list[ActionValue]:
        """Return the legal actions with their values, best first. Raises BotError if the bot cannot compute action
        values. Raises BotFault if the bot fails or takes too long.
        """
        return self._worths(game)

    def action_values_with(self, game: Game, action: int) -> list[ActionValue]:
        """Return the legal actions with their values, best first. If the bot can compute a value for `action`, the
        result includes this value.
        """
        return self._worths(game, action)

    def _worths(self, game: Game, also: int | None = None) -> list[ActionValue]:
        return self._workers.ask(self._table, lambda _: self._player.worths(game, also=also), self._late).result()

    def choose(self, game: Game) -> int:
        """Return the best action."""
        return self.analyse(game)[0][0]

    def close(self) -> None:
        """Close the bot."""
        self._player.close()


class Bots:
    """The bots that clients may choose. The methods may be called from any thread.

    Args:
        specs: the specs of the bots.
        guarded: True if people other than the operator can use the server. If `guarded` is True, clients do not see the
            command lines of external programs.
        patience: how many seconds a bot may take for an action.
        ready: an event that bots wait for before they think. The event is set after compilation, so the time for
            compilation does not count as thinking time. If `ready` is None, bots think without waiting.
        workers: how many bots think at the same time (default: one less than the number of CPU cores).
    """

    def __init__(
        self,
        specs: Sequence[str],
        guarded: bool = False,
        patience: float = PATIENCE,
        ready: threading.Event | None = None,
        workers: int | None = None,
    ):
        # maps the names that clients see to the specs of the bots
        self._specs = shown_specs(specs) if guarded else {spec: spec for spec in specs}
        self._watch = Watch(patience)
        self.workers = Workers(workers or usual_number(), self._watch, ready)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bots that clients may choose. The name of an external program contains its command line only
        if `guarded` is False.
        """
        return tuple(self._specs)

    def close(self) -> None:
        """Stop all bots."""
        self.workers.close()
        self._watch.close()

    def _player(self, bot: str, seed: int | None = None) -> Player:
        """Return a new bot. `bot` is the name that clients see."""
        return Player(self._specs.get(bot, bot), bot, seed)

    def go(self, table: Table) -> None:
        """Let the next player act after the game has changed. If a bot has to act, put the game into the queue unless
        the game is already in the queue. If a person has to act, start the person's clock.
        """
        self._let_answer(table)
        with table.lock:  # otherwise, another thread could start the clock of a later decision in the meantime
            now = table.now
            self._watch.end(table.alarm)
            clock, seat = now.company.clock, now.person
            if clock is not None and seat is not None:
                left = clock.left_of(seat, time.time())
                table.alarm = self._watch.begin(lambda: self._stand_in(table, now), left, all_counts=True)

    def _stand_in(self, table: Table, now: Moment) -> None:
        """Let a bot replace the person whose time is up."""
        with complaints(), self._again_if_not_stored(table):
            with table.lock:
                present, number = table.now, now.person
                if number is None or present.question != now.question or table.is_put_away:
                    return
                seat = Seat(now.seats[number].name, STAND_IN)
                told = f"The time of {seat.name} is up: {STAND_IN} takes over."
                company = dataclasses.replace(present.company.seated(number, seat), wish=None).telling(told)
                table.change(present, present.game, company)
            self.go(table)

    @contextmanager
    def _again_if_not_stored(self, table: Table) -> Iterator[None]:
        """A context manager. If a change in the `with` block cannot be stored, call `go` after PAUSE seconds to
        continue the game.
        """
        try:
            yield
        except StoreError:
            with table.lock:
                table.asked = 0
            self._watch.begin(lambda: self.go(table), PAUSE, all_counts=True)
            raise

    def _let_answer(self, table: Table) -> None:
        """If a bot has to act and the game is not in the queue yet, put the game into the queue."""
        with table.lock:
            now = table.now
            if now.thinking is None or table.asked >= now.question or table.is_put_away:
                return
            table.asked, seat = now.question, now.seats[now.thinking]
        late = f"{seat.bot} has not answered within {self._watch.patience:g} s"
        answer = self.workers.ask(table.id, lambda seconds: self._answer(table, now, seconds), late)
        answer.add_done_callback(lambda answer: self._heard(table, now, answer))

    def _answer(self, table: Table, now: Moment, seconds: float) -> Answer | None:
        """Let the bot that has to act choose an action. Returns the game after this action, or None if somebody has
        changed the game in the meantime.
        """
        seat = now.thinking
        with table.lock:
            if seat is None or table.now.question != now.question or table.is_put_away:
                return None
            bot = table.bots.setdefault(seat, self._player(str(now.seats[seat].bot)))
        text = bot.answer(now.game, seconds)
        return Answer(played(now.game, text), bot.hurried)

    def _heard(self, table: Table, now: Moment, answer: Future[Answer | None]) -> None:
        """Continue the game after a bot has acted, or report that the bot has failed."""
        if answer.cancelled():
            return
        with complaints(), self._again_if_not_stored(table):
            try:
                found = answer.result()
            except CarcError as error:
                return self._blame(table, now, str(error))
            if found is not None:
                self._go_on(table, now, found.game, hurried=found.hurried)
            self.go(table)

    def _blame(self, table: Table, now: Moment, fault: str) -> None:
        """Report that a bot failed. The server does not call the bot again until somebody undoes a move or replaces the
        bot.
        """
        self._go_on(table, now, now.game, fault)
        with table.lock:
            table.dismiss(now.thinking)

    def _go_on(
        self, table: Table, now: Moment, game: Game, fault: str | None = None, hurried: Hurried | None = None
    ) -> None:
        """Store `game` as the next version, unless somebody has changed the game while the bot was thinking."""
        with table.lock:
            present = table.now
            if present.question == now.question and not table.is_put_away:
                table.change(present, game, present.company, fault, hurried=hurried)

    # --- the values of actions ----------------------------------------------------------------------------------------
    def hints(self, table: Table, spec: str, rights: Rights = EVERYTHING) -> "Future[Hints]":
        """Return a `Future` for a bot's values of all legal actions in the current position. `Future.result` raises
        BotError if the bot cannot compute action values. `Future.result` raises BotFault if the bot fails.

        Raises:
            IllegalAction: if no player has to act.
            SeatError: if no bot has the given spec.
            Closed: if the client is not allowed to act for the player who has to act.
            Full: if too many hints are waiting in this game.
        """
        now = table.now
        if now.game.is_over:
            raise IllegalAction("the game is over, so there is no action to choose")
        if now.game.player is None:
            raise IllegalAction("no player can act yet: first enter the drawn tile or chip")
        rights.check(now.game.player)
        if self.workers.waiting(table.id) >= MOST_WAITING:
            raise Full(f"{MOST_WAITING} hints are already waiting in this game: request another one later")
        bot = self._player(self._known(spec))
        found = self.workers.ask(table.id, lambda seconds: hinted(now, bot, seconds), self._late())
        found.add_done_callback(lambda _: bot.close())
        return found

    def judge(self, table: str, spec: str) -> Judge:
        """Return a bot that computes action values. The bot computes values for the game with the id `table`, and
        starts as soon as a thread is free for this game. The caller has to close the bot. Raises SeatError if no bot
        has the given spec.
        """
        # with the fixed seed, repeated analyses of a game give the same values
        player = self._player(self._known(spec), seed=0)
        return Judge(player, self.workers, table, self._late())

    def _known(self, spec: str) -> str:
        """Return the name of a bot. Raises SeatError if clients are not allowed to choose a bot with this name."""
        check_bot(spec, self.names)
        return spec

    def _late(self) -> str:
        return f"the bot has not answered within {self._watch.patience:g} s"


def hinted(now: Moment, bot: Player, seconds: float) -> Hints:
    """Let a bot compute the value of each legal action in the position `now`, and return these values. `seconds` limits
    the thinking time of a bot with a time budget.
    """
    worths = bot.worths(now.game, seconds)
    return Hints.of(now.game, now.version, worths, bot.hurried)


@contextmanager
def complaints() -> Iterator[None]:
    """A context manager that writes the errors of a `with` block to standard error. Use this context manager for code
    that runs in the background. No client waits for a response of such code, so no response can contain the error.
    """
    try:
        yield
    except CarcError as error:
        print(f"carc: {error}", file=sys.stderr, flush=True)
