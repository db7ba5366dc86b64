"""What a bot expects of a game at one of its moments: the margin in points and, between two players, the chance to win.

Few positions are judged at a time, so that a table never waits for those who only look on.
"""

import math
import threading
from collections import OrderedDict
from typing import Any

from carc_env.bots import ActionValue
from carc_env.bots.winning import chance_in
from carc_env.common.errors import BotError, IllegalAction
from carc_env.games.game import Game
from carc_env.web.real_games import RealGame
from carc_env.web.running_games import Tables
from carc_env.web.table import Full, Table
from carc_env.web.versions import replayed

MOST_AT_ONCE = 2  # positions that are judged at a time, of all games
REMEMBERED = 4000  # evaluations
LOOKING_ON = "looking on"  # all who look on have one turn among the tables when bots think
Evaluation = dict[str, Any]  # as JSON knows it: `margins` and `chances` by player, None where nothing is known


class Evaluations:
    """Judges positions, and remembers what was said of the moments of games."""

    def __init__(self, tables: Tables):
        self._tables, self._room = tables, threading.BoundedSemaphore(MOST_AT_ONCE)
        self._known: OrderedDict[tuple[str, str, int, tuple[str, ...]], Evaluation] = OrderedDict()
        self._lock = threading.Lock()

    def of_moment(self, table: Table, n: int, spec: str) -> Evaluation:
        """What a bot expects of a game after its first n moves. Raises CountError, Full, SeatError, BotError, BotFault,
        and IllegalAction where something is to be drawn at a real table.
        """
        now = table.now
        if isinstance(now.game, RealGame) and now.game.player is None and n == int(now.game.state["n_moves"]):
            raise IllegalAction("nobody is asked: first say what was drawn")
        past = now.moves() if isinstance(now.game, RealGame) else now.moves()[:n]  # entries tell draws as well
        key = table.id, spec, n, tuple(past)
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = self.of_position(replayed(now, n).game, spec)
            with self._lock:
                self._known[key] = known
                while len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
        return known

    def of_position(self, game: Game, spec: str) -> Evaluation:
        """What a bot expects of a game as it stands; what is known, at its end. Raises as `of_moment`."""
        if game.is_over:
            return final(game)
        best = max(self.worths(game, spec), key=lambda worth: worth.value)
        return expected(game, float(best.value), best.error)

    def worths(self, game: Game, spec: str) -> list[ActionValue]:
        """What a bot says of the legal answers. Raises Full, SeatError, IllegalAction where nobody is asked, BotError,
        BotFault.
        """
        if game.player is None:
            raise IllegalAction("nobody is asked here: there is nothing to judge")
        if not self._room.acquire(blocking=False):
            raise Full(f"{MOST_AT_ONCE} positions are being judged: ask again in a moment")
        try:
            judge = self._tables.bots.judge(LOOKING_ON, spec)
            try:
                worths = judge.action_values(game)
            finally:
                judge.close()
        finally:
            self._room.release()
        if not worths or not all(math.isfinite(worth.value) for worth in worths):
            raise BotError(f"{judge.name} does not say what the answers are worth in points")
        return worths


def expected(game: Game, margin: float, error: float | None) -> Evaluation:
    """The evaluation of a position in which the player asked expects a margin; of two players the other one expects the
    opposite.
    """
    player, chance = game.player, chance_in(game, margin)
    if game.players == 2:
        margins: list[float | None] = [margin if seat == player else -margin for seat in range(2)]
        chances = [None if chance is None else chance if seat == player else 1 - chance for seat in range(2)]
    else:
        margins, chances = [margin if seat == player else None for seat in range(game.players)], [None] * game.players
    return {"player": player, "margins": margins, "chances": chances, "error": error, "over": False}


def final(game: Game) -> Evaluation:
    """How a game has ended; a first place that is shared counts for each in equal parts."""
    scores = game.scores.tolist()
    margins = [score - max(scores[:seat] + scores[seat + 1 :]) for seat, score in enumerate(scores)]
    first = [score == max(scores) for score in scores]
    chances = [is_first / sum(first) for is_first in first]
    return {"player": None, "margins": margins, "chances": chances, "error": None, "over": True}
