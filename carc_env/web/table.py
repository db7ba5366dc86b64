"""A game between people and bots: its latest versions, the rights of its clients, and its listeners."""

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
from carc_env.web.view import recent_events

REMEMBERED = 8  # how many versions of a game remain in memory; clients can receive differences from these versions


class NoSuchGame(CarcError):
    """There is no game with this id."""


class Conflict(CarcError):
    """The request does not fit the current version of the game."""


class Full(CarcError):
    """A limit of the server has been reached."""


class Table:
    """One game: its latest versions, its bots, and the listeners for changes."""

    def __init__(self, kept: Kept, game: Game, store: Store, workers: Workers):
        self.kept = kept  # the game as it is stored
        self._store, self._workers = store, workers
        company = Company.of(kept.seats, kept.company).awake()
        self.moments = deque(
            [Moment(kept.version, game, company, question=kept.version, recent=recent_events(game))], REMEMBERED
        )
        self.lock = threading.Lock()  # locked while the game is changed, but not while a bot thinks
        self.bots: dict[int, Player] = {}
        # `is_gone`: the game was deleted; `is_put_away`: the game was removed from memory
        self.is_gone = self.is_put_away = False
        self.asked = 0  # identifies the last decision for which a bot was called (see `Moment.question`)
        self.alarm: object = None  # identifies the time limit of the person who has to act (see `Watch.begin`)
        self.used = time.monotonic()  # when the game was last used
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
        """The latest version of the game: the game after the most recent change."""
        return self.moments[-1]

    @property
    def tables_before(self) -> int | None:
        """The number of games that are ahead of this game in the queue for bot threads. Games whose bots are already
        thinking count, too. The number is 0 while the bot of this game is thinking. The value is None if no bot has to
        act in this game.
        """
        return None if self.now.thinking is None else self._workers.before(self.id)

    def at(self, version: int) -> Moment | None:
        """Return the version with the given number if it is still in memory, otherwise None."""
        return next((moment for moment in list(self.moments) if moment.version == version), None)

    def after(self, version: int | None) -> list[Moment]:
        """Return the versions after a given version, the oldest first. If the given version is no longer in memory,
        return only the latest version.
        """
        moments = list(self.moments)
        numbers = [moment.version for moment in moments]
        return moments[numbers.index(version) + 1 :] if version in numbers else moments[-1:]

    def present(self, version: int | None = None) -> Moment:
        """Return the latest version of the game. Raises Conflict if `version` is not a version of the current decision.
        If `version` is None, the decision is not checked. Also raises Conflict if the game was removed from memory.
        Raises NoSuchGame if the game was deleted.
        """
        if self.is_gone:
            raise NoSuchGame(f"the game {self.id} was deleted")
        if self.is_put_away:
            raise Conflict(f"the game {self.id} was removed from memory a moment ago; send the request again")
        if version is not None and not self.now.question <= version <= self.now.version:
            raise Conflict(
                f"the game is at version {self.now.version}, not {brief(version)}: the request has the version of "
                "another position; request the game again"
            )
        return self.now

    def text(self, moment: Moment, since: Moment | None, drawing: bool, **more: Any) -> str:
        """Return the view of a version as JSON for clients. Each keyword argument in `more` becomes an additional field
        of the view.
        """
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
        """Add a version with a new decision, after the game or its players have changed. The caller must hold the
        lock.
        """
        answered = int(game.state["n_moves"]) > int(now.game.state["n_moves"])
        company, version = company.timed(now.person, answered), now.version + 1
        moment = Moment(version, game, company, fault, hurried, question=version, recent=now.recent_after(game))
        return self._keep(now, moment, keys)

    def note(self, now: Moment, company: Company, keys: Keys | None = None) -> Moment:
        """Add a version that differs from the latest version only in its number and in the field `company`, for example
        after a new chat message. The current decision does not change. The caller must hold the lock.
        """
        moment = Moment(
            now.version + 1, now.game, company, now.fault, now.hurried, question=now.question, recent=now.recent
        )
        return self._keep(now, moment, keys)

    def _keep(self, now: Moment, moment: Moment, keys: Keys | None) -> Moment:
        """Store a new version of a game, and then notify the listeners."""
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
            is_over=game.is_over,
        )
        self._store.change(kept, new, same)
        self.kept = kept
        self.moments.append(moment)
        if game.is_over:
            self.dismiss()
        self.tell()
        return moment

    # --- tokens -------------------------------------------------------------------------------------------------------
    @property
    def keys(self) -> Keys:
        """The hashes of the game's access tokens."""
        return Keys.of(self.kept.tokens)

    def rights(self, tokens: Sequence[str], guarded: bool) -> Rights:
        """Return the rights that tokens give. If the server uses no tokens, return all rights. Raises Closed if the
        tokens give no rights.
        """
        rights = self.keys.opened(tokens) if guarded else EVERYTHING
        if rights is None:
            raise Closed(
                "this token is not valid for this game"
                if tokens
                else "a token for this game is needed: send it in the header Authorization: Bearer TOKEN",
                bool(tokens),
            )
        return rights

    # --- listeners ----------------------------------------------------------------------------------------------------
    def listen(self, listener: Callable[[], None]) -> None:
        """Register a function that is called after every change of the game. The function is also called when the game
        is removed from memory, and when the server stops.
        """
        self._listeners.add(listener)

    def leave(self, listener: Callable[[], None]) -> None:
        """Remove a function that `listen` has registered."""
        self._listeners.discard(listener)

    def tell(self) -> None:
        """Call all listeners."""
        for listener in list(self._listeners):
            listener()

    @property
    def is_looked_at(self) -> bool:
        """True if the game has listeners."""
        return bool(self._listeners)

    # --- resources ----------------------------------------------------------------------------------------------------
    def is_idle(self, since: float) -> bool:
        """True if the game is not in use. A game is in use if it has listeners, a thinking bot or a running clock. A
        game is also in use if somebody has used it after the time `since`. `since` is a time of the monotonic clock.
        """
        runs = self.now.company.clock is not None and not self.now.game.is_over
        return not self._listeners and self.now.thinking is None and not runs and self.used < since

    def dismiss(self, seat: int | None = None) -> None:
        """Stop the bot that plays at `seat`. If `seat` is None, stop all bots of the game. The caller must hold the
        lock.
        """
        for number in [seat] if seat is not None else list(self.bots):
            bot = self.bots.pop(number, None)
            if bot is not None:
                bot.close()
