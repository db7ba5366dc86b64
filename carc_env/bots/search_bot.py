"""The base class of bots that search. The budget of a decision is a number of playouts or a time in milliseconds.

If the budget is a number of playouts, the action depends only on the seed and the position. If the budget is a time,
the action also depends on the number of playouts that the machine completes in that time.
"""

import math
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

import numpy as np

from carc_env.bots.bot import ActionValue, Bot
from carc_env.bots.options import Option, read_options
from carc_env.common.arguments import seed_words
from carc_env.common.errors import BotError
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.rules.state import NONE
from carc_env.searching.halving import Found

_loaded: set[tuple[str, np.dtype]] = set()  # the pairs (kind of bot, dtype of games) whose code this process has run

BUDGETS = {"playouts": Option(int, 1), "ms": Option(float, 1, 1e7)}


class Search(Protocol):
    """A search for the best action in the position of one game."""

    def search(self, games: np.ndarray, seed: np.ndarray, playouts: int, ms: float, also: int = NONE) -> Found:
        """Search the position of games[0]. The budget is either `playouts` or `ms`, and the other argument is 0. `also`
        is NONE, or a legal action that should be tried even if its heuristic value is low.
        """


class SearchingBot(Bot):
    """Plays the best action that its search finds. Several threads may use the same bot. Only one thread can search at
    a time, because all threads share the bot's working memory. The budget does not include the time for loading or
    compiling the code.

    Args:
        search: the object that searches a position.
        seed: integer from 0 to 2**64 - 1. If the seed is None, the operating system supplies a random seed.
        playouts: the budget of each decision, in playouts; 0 if `ms` sets the budget.
        ms: the budget of each decision, in milliseconds; 0 if `playouts` sets the budget.

    Raises BotError if both `playouts` and `ms` are given.
    """

    kind: ClassVar[str]  # the bot's name in a spec
    options: ClassVar[dict[str, Option]]  # the options that a spec may contain

    def __init__(self, search: Search, seed: int | None, playouts: int, ms: float):
        if playouts and ms:
            raise BotError(f"{self.kind}: give either playouts or ms, not both")
        self.playouts, self.ms, self._search, self._lock = playouts, ms, search, threading.RLock()
        self.name = f"{self.kind}:playouts={playouts}" if playouts else f"{self.kind}:ms={ms:g}"
        self.reseed(secrets.randbits(64) if seed is None else seed)

    @classmethod
    def named(cls, spec: str, seed: int | None) -> Any:
        """Return the bot for a spec such as `rollout:ms=50`. Raises BotError for an unknown option."""
        bot = cls(seed=seed, **read_options(spec, cls.options))
        bot.name = spec if ":" in spec else bot.name
        return bot

    def reseed(self, seed: int) -> None:
        """Set the seed for all further random choices. The seed is an integer from 0 to 2**64 - 1."""
        self._seed: np.ndarray = seed_words([seed])[0]

    @contextmanager
    def budget(self, playouts: int = 0, ms: float = 0.0) -> Iterator[None]:
        """Change the budget of the bot inside a `with` block. Inside the block, the given budget replaces the bot's own
        budget. Give exactly one of `playouts` and `ms`. If other threads use the bot, they wait until the `with` block
        ends.

        >>> import carc_env
        >>> bot, game = carc_env.make_bot("rollout:ms=500", seed=1), carc_env.Game("base", seed=1)
        >>> with bot.budget(playouts=8):
        ...     print(game.text(bot.choose(game)))
        meeple monastery

        Raises BotError unless exactly one of `playouts` and `ms` is given.
        """
        if bool(playouts) == bool(ms) or playouts < 0 or ms < 0:
            raise BotError(f"{self.kind}: give exactly one of playouts and ms, and a number greater than 0")
        with self._lock:
            before = self.playouts, self.ms
            self.playouts, self.ms = playouts, ms
            try:
                yield
            finally:
                self.playouts, self.ms = before

    def choose(self, game: Game) -> int:
        """Return the best action that the search finds. Raises ValueError if the game is over."""
        return int(self.search(game).answers[0])

    def search(self, game: Game, also: int = NONE) -> Found:
        """Search the current position and return the result. `also` is NONE, or a legal action that is tried even if
        its heuristic value is low. Raises ValueError if the game is over.
        """
        if game.is_over:
            raise ValueError("the game is over, so there is no action to choose")
        records = Games.view_of(game).records
        with self._lock:
            if self.ms and (self.kind, records.dtype) not in _loaded:
                self._search.search(records, self._seed, 1, 0.0)
                _loaded.add((self.kind, records.dtype))
            return self._search.search(records, self._seed, self.playouts, self.ms, also)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle and copies. A copy has a lock of its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def action_values(self, game: Game) -> list[ActionValue]:
        """Return the actions that were tried, best first, each with its expected final margin in points. A standard
        error of 0 or infinity counts as unknown and becomes None.
        """
        return self._values_of(self.search(game))

    def action_values_with(self, game: Game, action: int) -> list[ActionValue]:
        """Like `action_values`, but the bot `rollout` also tries `action`, even if its heuristic value is low. For the
        bot `mcts`, `action` has no effect.
        """
        return self._values_of(self.search(game, action))

    @staticmethod
    def _values_of(found: Found) -> list[ActionValue]:
        rows = zip(found.answers.tolist(), found.values.tolist(), found.errors.tolist())
        return [
            ActionValue(answer, round(value, 3), round(error, 3) if 0 < error < math.inf else None)
            for answer, value, error in rows
        ]
