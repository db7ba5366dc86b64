"""A game between people and bots: its latest versions, the rights of its visitors, and its listeners."""

import dataclasses
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from carc_env.common.arguments import brief
from carc_env.common.errors import CarcError
from carc_env.games.game import Game
from carc_env.web import real_games
from carc_env.web.bot_workers import Workers
from carc_env.web.company import Company
from carc_env.web.seats import EVERYTHING, Closed, Keys, Rights
from carc_env.web.store import Kept, Store
from carc_env.web.thinking import Hurried, Player
from carc_env.web.versions import Moment

REMEMBERED = 8  # versions of a game that differences are made to


class NoSuchGame(CarcError):
    """There is no game with this id."""


class Conflict(CarcError):
    """The request does not fit the current version of the game."""


class Full(CarcError):
    """There is no space for more."""


class Table:
    """One game: its latest versions, its bots, and the listeners for changes."""

    def __init__(self, kept: Kept, game: Game, store: Store, workers: Workers):
        self.kept = kept  # as the store has it
        self._store, self._workers = store, workers
        company = Company.of(kept.seats, kept.company).awake()
        self.moments = deque([Moment(kept.version, game, company, question=kept.version)], REMEMBERED)
        self.lock = threading.Lock()  # held while the game is changed, never while a bot thinks
        self.bots: dict[int, Player] = {}
        self.is_gone = self.is_put_away = False  # deleted, or to be found anew
        self.asked = 0  # the question of which a bot was asked last
        self.alarm: object = None  # that goes off when the time of the person asked is up
        self.used = time.monotonic()  # when it was asked for last
        self._listeners: set[Callable[[], None]] = set()

    @property
    def id(self) -> str:
        """The id of the game."""
        return self.kept.id

    @property
    def title(self) -> str:
        """The title of the game."""
        return self.kept.title

    @property
    def now(self) -> Moment:
        """The current version."""
        return self.moments[-1]

    @property
    def tables_before(self) -> int | None:
        """How many tables have their turn before its bot; 0 while it thinks, None where none is asked."""
        return None if self.now.thinking is None else self._workers.before(self.id)

    def at(self, version: int) -> Moment | None:
        """A version, if it is still in memory."""
        return next((moment for moment in list(self.moments) if moment.version == version), None)

    def after(self, version: int | None) -> list[Moment]:
        """The versions after one, the oldest first; only the current one if that version is no longer in memory."""
        moments = list(self.moments)
        numbers = [moment.version for moment in moments]
        return moments[numbers.index(version) + 1 :] if version in numbers else moments[-1:]

    def present(self, version: int | None = None) -> Moment:
        """The current version, if only messages have been added since a version. None as the version always fits.
        Raises Conflict and NoSuchGame.
        """
        if self.is_gone:
            raise NoSuchGame(f"the game {self.id} was deleted")
        if self.is_put_away:
            raise Conflict(f"the game {self.id} was put away a moment ago; ask for it again")
        known = self.now if version is None else self.at(version)
        if known is None or known.question != self.now.question:
            raise Conflict(
                f"the game is at version {self.now.version}, not {brief(version)}: somebody was quicker; "
                "look at it again"
            )
        return self.now

    def text(self, moment: Moment, since: Moment | None, drawing: bool, **more: Any) -> str:
        """A version as JSON text: a view as clients see it, with further entries."""
        return (
            json.dumps({"id": self.id, "title": self.title, "tables_before": self.tables_before} | more)[:-1]
            + ", "
            + moment.text(since, drawing)[1:]
        )

    # --- changes ------------------------------------------------------------------------------------------------------
    def change(
        self,
        now: Moment,
        game: Game,
        company: Company,
        fault: str | None = None,
        keys: Keys | None = None,
        hurried: Hurried | None = None,
    ) -> Moment:
        """The game has gone on, or somebody else plays: a new question. Call with the lock held."""
        answered = int(game.state["n_moves"]) > int(now.game.state["n_moves"])
        company, version = company.timed(now.person, answered), now.version + 1
        return self._keep(now, Moment(version, game, company, fault, hurried, question=version), keys)

    def note(self, now: Moment, company: Company, keys: Keys | None = None) -> Moment:
        """Something is told, and the question stays. Call with the lock held."""
        moment = Moment(now.version + 1, now.game, company, now.fault, now.hurried, question=now.question)
        return self._keep(now, moment, keys)

    def _keep(self, now: Moment, moment: Moment, keys: Keys | None) -> Moment:
        """Store a new version of a game, and then show it."""
        game, company, old, new = moment.game, moment.company, now.moves(), moment.moves()
        same = next((number for number, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        kept = dataclasses.replace(
            self.kept,
            version=moment.version,
            changed=time.time(),
            beginning=self.kept.beginning if same == len(old) else real_games.kept(game)[0],
            seats=[seat.to_dict() for seat in company.seats],
            tokens=(keys or self.keys).to_dict(),
            asked=game.player,
            scores=game.scores.tolist(),
            company=company.kept(),
            used=self.kept.used or now.thinking is None and len(new) > len(old),
        )
        self._store.change(kept, new, same)
        self.kept = kept
        self.moments.append(moment)
        if game.is_over:
            self.dismiss()
        self.tell()
        return moment

    # --- who may ------------------------------------------------------------------------------------------------------
    @property
    def keys(self) -> Keys:
        """The hashes of its tokens."""
        return Keys.of(self.kept.tokens)

    def rights(self, tokens: Sequence[str], guarded: bool) -> Rights:
        """The rights that tokens give, if tokens are used. Raises Closed if there are none."""
        rights = self.keys.opened(tokens) if guarded else EVERYTHING
        if rights is None:
            raise Closed(
                "this is no token of this game"
                if tokens
                else "a token of this game is needed: Authorization: Bearer TOKEN",
                bool(tokens),
            )
        return rights

    # --- who hears ----------------------------------------------------------------------------------------------------
    def listen(self, listener: Callable[[], None]) -> None:
        """Call a function after every change."""
        self._listeners.add(listener)

    def leave(self, listener: Callable[[], None]) -> None:
        """Stop calling a function."""
        self._listeners.discard(listener)

    def tell(self) -> None:
        """Call all listeners."""
        for listener in list(self._listeners):
            listener()

    @property
    def is_looked_at(self) -> bool:
        """Whether somebody listens."""
        return bool(self._listeners)

    # --- what it costs ------------------------------------------------------------------------------------------------
    def is_idle(self, since: float) -> bool:
        """True if there are no listeners, no bot is thinking, and nobody has asked for the game since a time of the
        monotonic clock.
        """
        runs = self.now.company.clock is not None and not self.now.game.is_over
        return not self._listeners and self.now.thinking is None and not runs and self.used < since

    def dismiss(self, seat: int | None = None) -> None:
        """Stop the bot of a seat, or all bots. The caller holds the lock."""
        for number in [seat] if seat is not None else list(self.bots):
            bot = self.bots.pop(number, None)
            if bot is not None:
                bot.close()
