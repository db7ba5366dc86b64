"""A version of a game, and the views of this version for clients. Each change of a game makes a new version. Therefore
the content of a version never changes.
"""

import dataclasses
import json
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from carc_env.arena.check_files import position_after
from carc_env.common.arguments import as_count
from carc_env.common.errors import IllegalAction
from carc_env.games.game import Game
from carc_env.notation.notes import told_apart
from carc_env.render.facts import chips_face_down
from carc_env.web.company import Company
from carc_env.web.real_games import RealGame, kept_moves
from carc_env.web.seats import Seat
from carc_env.web.thinking import Hurried
from carc_env.web.view import MOVES_SHOWN, Recent, drawing_difference, drawing_of, facts_view, recent_events

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Moment:
    """A version of a game."""

    version: int
    game: Game  # must not be changed: each change of a game makes a new version
    company: Company
    fault: str | None = None  # why the bot that has to act has failed
    hurried: Hurried | None = None  # set if the bot that acted last had less thinking time than usual
    legal: bool = True  # whether the view contains the legal actions
    # the number of the first version that waits for the same decision; since that version, only `company` has changed
    question: int = 1
    recent: Recent | None = None  # the events of the last moves, or None if they have to be found by a replay
    _lock: Any = field(default_factory=threading.RLock, repr=False)
    _made: dict[str, Any] = field(default_factory=dict, repr=False)  # the parts of the view that have been computed

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the game, with their players."""
        return self.company.seats

    @property
    def person(self) -> int | None:
        """The seat whose turn it is, if a person plays that seat. The value is None if a bot has to act or the game is
        over.
        """
        player = self.game.player
        return player if player is not None and self.seats[player].bot is None else None

    @property
    def thinking(self) -> int | None:
        """The seat of the bot that is thinking. The value is None if a person has to act, a bot has failed, or the game
        is over.
        """
        player = self.game.player
        return player if player is not None and self.seats[player].bot is not None and self.fault is None else None

    def moves(self) -> list[str]:
        """Return the moves as strings. For a game with cardboard tiles, also return the draws that people entered.
        Every call returns the same list.
        """
        return self._once("moves", lambda: kept_moves(self.game))

    def recent_after(self, game: Game) -> Recent:
        """Return the events of the last moves of `game`. `game` differs from the game of this version by at most one
        move, or by an undo. The game is replayed only after an undo.
        """
        old, new = int(self.game.state["n_moves"]), int(game.state["n_moves"])
        if self.recent is None or new < old or isinstance(game, RealGame):
            return recent_events(game)
        if new == old:
            return self.recent
        events = (*self.recent, (new, game.last_events))
        return tuple((number, happened) for number, happened in events if number > new - MOVES_SHOWN)

    def facts(self) -> dict[str, Any]:
        """Return the part of the view that describes the game, without the drawing. The dict contains only what all
        players may see. Every call returns the same dict.
        """
        return self._once(
            "facts",
            lambda: facts_view(
                self.game, [seat.to_dict() for seat in self.seats], legal=self.legal, recent=self.recent
            ),
        )

    def drawing(self) -> dict[str, Any]:
        """Return the drawing. Every call returns the same dict."""
        answers = self.facts()["answers"]
        return self._once("drawing", lambda: drawing_of(self.game, self.game.board(), answers))

    def text(self, since: "Moment | None" = None, drawing: bool = True) -> str:
        """Return the view of the game as JSON. The JSON is computed only once, and responses and streams share this
        JSON.
        """
        return self._once(
            f"since {since and since.version}, {drawing}",
            lambda: json.dumps(self.shown(since, drawing), separators=(",", ":")),
        )

    def _once(self, what: str, make: Callable[[], Made]) -> Made:
        with self._lock:  # an RLock, because `make` may call this method again
            if what not in self._made:
                self._made[what] = make()
            made: Made = self._made[what]
            return made

    def shown(self, since: "Moment | None" = None, drawing: bool = True) -> dict[str, Any]:
        """Return the view of the game. The view includes the version, the seat of the bot that is thinking, and the
        reason why a bot has failed (`fault`). If `since` is given, the drawing contains only the differences from the
        drawing of the version `since`. With `drawing=False`, the view does not contain the drawing.
        """
        about: dict[str, Any] = {"version": self.version, "since": None, "fault": self.fault, "thinking": self.thinking}
        about["hurried"] = self.hurried and dataclasses.asdict(self.hurried)
        view = about | {"company": self.company.shown()} | self.facts()
        if not drawing:
            return view
        if since is None:
            return view | {"drawing": self.drawing()}
        return view | {"since": since.version, "drawing": drawing_difference(since.drawing(), self.drawing())}


@lru_cache(32)
def replayed(now: Moment, n: int) -> Moment:
    """Return the position after the first n moves. If the engine then plays forced moves automatically, return the
    position after these forced moves. The view of the returned position contains no list of legal actions. Raises
    CountError.
    """
    as_count(n, "moves", 0, int(now.game.state["n_moves"]))
    return Moment(n, position_after(now.game, n), now.company, legal=False)


def named(moment: Moment) -> Game:
    """Return a copy of the game. The record of this copy contains the names of the players."""
    game = moment.game.clone()
    game.notes = dataclasses.replace(game.notes, names=told_apart([seat.name for seat in moment.seats]))
    return game


def played(game: Game, text: str) -> Game:
    """Return the game after a move. The given game is unchanged. Raises IllegalAction."""
    after = game.clone()
    after.play(text)
    return after


def before_last_answer(moment: Moment) -> Game:
    """Return the game as it was before the most recent decision that a person made. Raises IllegalAction if no person
    has made a decision.
    """
    if all(seat.bot is not None for seat in moment.seats) and not isinstance(moment.game, RealGame):
        raise IllegalAction("only bots play here: there is no move of a person to undo")
    game = moment.game.clone()
    game.undo()
    while game.player is not None and moment.seats[game.player].bot is not None:
        game.undo()
    return game


def taken_back(game: Game, n_moves: int) -> tuple[Game, bool]:
    """Return the game after its first `n_moves` moves, and whether the later moves have revealed a tile or a chip. If
    the later moves have revealed a tile or a chip, the hidden information of the returned game is reshuffled, so that
    nobody gains an advantage by an undo.
    """
    before = game.clone()
    while int(before.state["n_moves"]) > n_moves:
        before.undo()
    is_seen = has_come_to_light(before, game)
    if is_seen:
        before.reshuffle_hidden(secrets.randbits(63))
    return before, is_seen


def has_come_to_light(before: Game, after: Game) -> bool:
    """True if a tile was drawn or a chip was turned up between two positions of a game."""
    drawn = int(before.state["n_drawn"]) != int(after.state["n_drawn"])
    return drawn or set(chips_face_down(before)) != set(chips_face_down(after))
