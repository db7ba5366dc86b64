"""Lets bots evaluate positions. An evaluation contains the expected margin in points. For two players, an evaluation
also contains the chance to win.

Only a few positions are evaluated at the same time, so that spectators do not delay the games of other people.
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

MOST_AT_ONCE = 2  # the maximum number of positions that are evaluated at the same time, across all games
REMEMBERED = 4000  # the maximum number of cached evaluations
LOOKING_ON = "looking on"  # the id under which all evaluations share one place in the queue for bots
Evaluation = dict[str, Any]  # a dict for JSON; in `margins` and `chances`, a player's entry is None if it is unknown


class Evaluations:
    """Evaluates positions. The evaluations of positions in stored games are cached."""

    def __init__(self, tables: Tables):
        self._tables, self._room = tables, threading.BoundedSemaphore(MOST_AT_ONCE)
        self._known: OrderedDict[tuple[str, str, int, tuple[str, ...]], Evaluation] = OrderedDict()
        self._lock = threading.Lock()

    def of_moment(self, table: Table, n: int, spec: str) -> Evaluation:
        """Return a bot's evaluation of a game after its first n moves. Can raise CountError, Full, SeatError, BotError
        or BotFault. Raises IllegalAction if, in a game with cardboard tiles, a drawn tile or chip has to be entered
        first.
        """
        now = table.now
        is_waiting = isinstance(now.game, RealGame) and now.game.player is None and not now.game.is_over
        if is_waiting and n == int(now.game.state["n_moves"]):
            raise IllegalAction("no player can act yet: first enter the drawn tile or chip")
        # for a game with cardboard tiles, `moves` also contains draws, so `[:n]` would not give the first n moves
        past = now.moves() if isinstance(now.game, RealGame) else now.moves()[:n]
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
        """Return a bot's evaluation of the current position. If the game is over, return the result of the game as an
        evaluation. Can raise Full, SeatError, IllegalAction, BotError or BotFault.
        """
        if game.is_over:
            return final(game)
        best = max(self.worths(game, spec), key=lambda worth: worth.value)
        return expected(game, float(best.value), best.error)

    def worths(self, game: Game, spec: str) -> list[ActionValue]:
        """Return a bot's value of each legal action. Raises IllegalAction if no player has to act. Can also raise
        Full, SeatError, BotError or BotFault.
        """
        if game.player is None:
            raise IllegalAction("no player has to act here, so there is nothing to evaluate")
        if not self._room.acquire(blocking=False):
            raise Full(f"{MOST_AT_ONCE} positions are being evaluated: try again in a moment")
        try:
            judge = self._tables.bots.judge(LOOKING_ON, spec)
            try:
                worths = judge.action_values(game)
            finally:
                judge.close()
        finally:
            self._room.release()
        if not worths or not all(math.isfinite(worth.value) for worth in worths):
            raise BotError(f"{judge.name} does not give action values in points")
        return worths


def expected(game: Game, margin: float, error: float | None) -> Evaluation:
    """Return the evaluation of a position. `margin` is the expected margin of the player to act. With two players, the
    margin of the other player is `-margin`.
    """
    player, chance = game.player, chance_in(game, margin)
    if game.players == 2:
        margins: list[float | None] = [margin if seat == player else -margin for seat in range(2)]
        chances = [None if chance is None else chance if seat == player else 1 - chance for seat in range(2)]
    else:
        margins, chances = [margin if seat == player else None for seat in range(game.players)], [None] * game.players
    return {"player": player, "margins": margins, "chances": chances, "error": error, "over": False}


def final(game: Game) -> Evaluation:
    """Return a finished game's result as an evaluation. If n players share first place, each of them gets the winning
    chance `1 / n`.
    """
    scores = game.scores.tolist()
    margins = [score - max(scores[:seat] + scores[seat + 1 :]) for seat, score in enumerate(scores)]
    first = [score == max(scores) for score in scores]
    chances = [is_first / sum(first) for is_first in first]
    return {"player": None, "margins": margins, "chances": chances, "error": None, "over": True}
