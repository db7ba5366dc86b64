"""Bots that play in the seats of games, and a timer that limits their thinking time."""

import math
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from carc_env.bots import ActionValue, Bot, make
from carc_env.bots.search_bot import SearchingBot
from carc_env.common.arguments import as_action, brief
from carc_env.common.errors import BotError, BotFault, CarcError, IllegalAction
from carc_env.compiling.waiting import seconds_lost
from carc_env.games.game import Game, copied

PATIENCE = 10.0  # seconds that a bot may take for an action
GLANCE = 0.1  # seconds between two checks for late tasks


@dataclass(frozen=True)
class Hurried:
    """A bot's reduced thinking time while many games wait in the queue."""

    ms: float  # milliseconds that the bot had
    own: float  # milliseconds that the bot has if no other game waits


class Player:
    """A bot that plays in a seat. The bot is created when it is first needed.

    The bot gets a copy of the game with reshuffled hidden information. Therefore the bot sees only what the player in
    its seat may know.
    """

    def __init__(self, spec: str, name: str | None = None, seed: int | None = None):
        self.spec, self.name = spec, name or spec  # clients see only `name`
        self._seed = seed
        self.hurried: Hurried | None = None  # set if the bot had less time than usual for its last action
        self._bot: Bot | None = None
        self._own = 0.0  # the bot's time budget in milliseconds; 0 if the bot has none

    def try_out(self) -> None:
        """Check that the bot exists: create it, and close it at once. Raises BotError if there is no such bot."""
        self._bot = make(self.spec)
        self.close()

    def answer(self, game: Game, seconds: float = math.inf) -> str:
        """Return the text of the action that the bot chooses, such as `meeple city N`. `seconds` limits the thinking
        time of a bot with a time budget. Raises BotFault if the bot fails or chooses an illegal action.
        """
        try:
            answer = self._made(seconds).choose(unseen(game))
            return game.text(as_action(answer, game.n_actions))
        except IllegalAction as error:
            raise BotFault(f"{self.name} chose an illegal action: {error}") from None
        except BotError as error:
            raise BotFault(self._told(error)) from None
        except Exception as error:  # a user's bot can raise any exception
            raise self._fault(error) from error

    def worths(self, game: Game, seconds: float = math.inf, also: int | None = None) -> list[ActionValue]:
        """Return the actions that the bot has evaluated, with their values, best first. `seconds` limits the thinking
        time of a bot with a time budget. The bot also evaluates the action `also`, if the bot supports this. Raises
        BotError if the bot cannot compute action values. Raises BotFault if the bot fails.
        """
        try:
            bot = self._made(seconds)
            return bot.action_values(unseen(game)) if also is None else bot.action_values_with(unseen(game), also)
        except BotError as error:
            raise type(error)(self._told(error)) from None
        except CarcError:
            raise
        except Exception as error:
            raise self._fault(error) from error

    def _made(self, seconds: float) -> Bot:
        """Return the bot. If the bot has a time budget, `seconds` limits its thinking time for each action."""
        if self._bot is None:
            self._bot = make(self.spec, self._seed)
            self._own = self._bot.ms if isinstance(self._bot, SearchingBot) else 0.0
        if self._own:
            ms = min(self._own, 1000 * seconds)
            self.hurried = Hurried(round(ms, 1), self._own) if ms < self._own else None
            self._bot.ms = ms  # type: ignore[attr-defined]
        return self._bot

    def _fault(self, error: Exception) -> BotFault:
        return BotFault(f"{self.name} failed: {type(error).__name__}: {brief(str(error))}")

    def _told(self, error: Exception) -> str:
        """Return the message of an error. The name of the bot replaces its command line in the message."""
        words = str(error)
        for spec in (self.spec, self.spec.removeprefix("cmd:")) if self.name != self.spec else ():
            words = words.replace(spec, self.name)
        return words

    def close(self) -> None:
        """Close the bot. If the bot has started a program, stop the program."""
        with suppress(Exception):
            getattr(self._bot, "close", lambda: None)()


def unseen(game: Game) -> Game:
    """Copy a game, reshuffle the copy's hidden information, and return the copy. The hidden information consists of the
    order of the stack and the faces of chips.
    """
    copy = Game._around(game.config, copied(game._games))  # a plain `Game`, even for a game with cardboard tiles
    copy.reshuffle_hidden(secrets.randbits(63))
    return copy


class Watch:
    """A timer that limits the time of tasks. If a task exceeds its limit, the timer calls the function `late` of this
    task once. By default, the limit does not include time in which this process compiles or loads code. If `all_counts`
    is True for a task, the limit includes the time for compiling and loading code.

    Threads in Python cannot be stopped. Therefore a task that exceeds its time limit continues, but its result is
    ignored.
    """

    def __init__(self, patience: float = PATIENCE):
        self.patience = patience
        self._lock, self._over = threading.Lock(), threading.Event()
        # for each task: the end of its time limit; the seconds lost to compilation before the task began (None if all
        # time counts); and the function to call
        self._running: dict[object, tuple[float, float | None, Callable[[], None]]] = {}
        threading.Thread(target=self._look, name="watch", daemon=True).start()

    def begin(self, late: Callable[[], None], seconds: float | None = None, all_counts: bool = False) -> object:
        """Start the time limit of a task. The time limit is `seconds`, or the attribute `patience` if `seconds` is
        None. If the task exceeds the limit, the timer calls the function `late`. If `all_counts` is True, the limit
        includes time in which this process compiles or loads code. Returns an object that identifies the task. When the
        task ends, pass this object to `end`.
        """
        key = object()
        with self._lock:
            until = time.monotonic() + (self.patience if seconds is None else seconds)
            self._running[key] = until, None if all_counts else seconds_lost(), late
        return key

    def end(self, key: object) -> bool:
        """Cancel the time limit of a task. Returns True if the task has not exceeded its limit."""
        with self._lock:
            return self._running.pop(key, None) is not None

    def close(self) -> None:
        """Stop watching."""
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(GLANCE):
            now, lost = time.monotonic(), seconds_lost()
            with self._lock:
                late = [
                    key
                    for key, (until, before, _) in self._running.items()
                    if until + (0.0 if before is None else lost - before) < now
                ]
                calls = [self._running.pop(key)[2] for key in late]
            for call in calls:
                call()
