"""A bot as the tables know it, and a watch over the time that it takes."""

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
from carc_env.games.game import Game, copied

PATIENCE = 10.0  # seconds that a bot may take for an answer
GLANCE = 0.1  # seconds between two looks at who takes too long


@dataclass(frozen=True)
class Hurried:
    """A bot had less time for an answer than its own, because many tables waited."""

    ms: float  # that it had
    own: float  # that it has if nobody waits


class Player:
    """The bot of a seat, which is made when it is first needed.

    It sees only what its player may know: the hidden part of its game is redrawn.
    """

    def __init__(self, spec: str, name: str | None = None):
        self.spec, self.name = spec, name or spec  # `name` is what clients are told
        self.hurried: Hurried | None = None  # whether it had less time for its last answer
        self._bot: Bot | None = None
        self._own = 0.0  # milliseconds that it takes for an answer; 0 if it knows no such budget

    def try_out(self) -> None:
        """Make the bot, and stop it again. Raises BotError if there is none."""
        self._bot = make(self.spec)
        self.close()

    def answer(self, game: Game, seconds: float = math.inf) -> str:
        """The text of its answer; a bot with a budget of time takes so many seconds at most. Raises BotFault, which says
        why there is none.
        """
        try:
            answer = self._made(seconds).choose(unseen(game))
            return game.text(as_action(answer, game.n_actions))
        except IllegalAction as error:
            raise BotFault(f"{self.name} answered what is not legal: {error}") from None
        except BotError as error:
            raise BotFault(self._told(error)) from None
        except Exception as error:  # of a bot of one's own, whatever it is
            raise self._fault(error) from error

    def worths(self, game: Game, seconds: float = math.inf) -> list[ActionValue]:
        """The legal answers with their values, best first, found as by `answer`. Raises BotError for a bot that cannot
        say, BotFault for one that fails.
        """
        try:
            return self._made(seconds).action_values(unseen(game))
        except BotError as error:
            raise type(error)(self._told(error)) from None
        except CarcError:
            raise
        except Exception as error:
            raise self._fault(error) from error

    def _made(self, seconds: float) -> Bot:
        """The bot, which takes so many seconds for an answer at most if it has a budget of time."""
        if self._bot is None:
            self._bot = make(self.spec)
            self._own = self._bot.ms if isinstance(self._bot, SearchingBot) else 0.0
        if self._own:
            ms = min(self._own, 1000 * seconds)
            self.hurried = Hurried(round(ms, 1), self._own) if ms < self._own else None
            self._bot.ms = ms  # type: ignore[attr-defined]
        return self._bot

    def _fault(self, error: Exception) -> BotFault:
        return BotFault(f"{self.name} failed: {type(error).__name__}: {brief(str(error))}")

    def _told(self, error: Exception) -> str:
        """An error with the bot's name, but without its command line."""
        words = str(error)
        for spec in (self.spec, self.spec.removeprefix("cmd:")) if self.name != self.spec else ():
            words = words.replace(spec, self.name)
        return words

    def close(self) -> None:
        """Stop what it has started, such as a program."""
        with suppress(Exception):
            getattr(self._bot, "close", lambda: None)()


def unseen(game: Game) -> Game:
    """A copy with another hidden part: the order of the stack and the faces of chips."""
    copy = Game._around(game.config, copied(game._games))  # a Game also of one at a real table
    copy.reshuffle_hidden(secrets.randbits(63))
    return copy


class Watch:
    """Calls a function when a task exceeds its time, once for each task.

    Threads in Python cannot be stopped. So nobody waits for a late task any longer, and its result is ignored.
    """

    def __init__(self, patience: float = PATIENCE):
        self.patience = patience
        self._lock, self._over = threading.Lock(), threading.Event()
        self._running: dict[object, tuple[float, Callable[[], None]]] = {}  # until when, and whom to call then
        threading.Thread(target=self._look, name="watch", daemon=True).start()

    def begin(self, late: Callable[[], None], seconds: float | None = None) -> object:
        """Start the time limit of a task, by default the watch's own. Returns the key for `end`."""
        key = object()
        with self._lock:
            self._running[key] = time.monotonic() + (self.patience if seconds is None else seconds), late
        return key

    def end(self, key: object) -> bool:
        """The task is done. Returns True if it was in time."""
        with self._lock:
            return self._running.pop(key, None) is not None

    def close(self) -> None:
        """Stop watching."""
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(GLANCE):
            now = time.monotonic()
            with self._lock:
                late = [key for key, (until, _) in self._running.items() if until < now]
                calls = [self._running.pop(key)[1] for key in late]
            for call in calls:
                call()
