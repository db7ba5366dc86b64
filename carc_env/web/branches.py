"""Another answer: a new game that begins at a moment of one that was played."""

import secrets
from typing import Any

from carc_env.games.game import Game
from carc_env.web.table import Conflict
from carc_env.web.versions import Moment, replayed


def branch(now: Moment, n: int, same: bool) -> dict[str, Any]:
    """The record of a game that goes on as this one stood after its first n moves. Its stack is in the order of this
    one if it should be the same, else all that is hidden is drawn anew.

    Raises CountError, or Conflict while the game is not over: where persons play, and for the same order, which nobody
    knows yet.
    """
    if not now.game.is_over and any(seat.bot is None for seat in now.seats):
        raise Conflict("the game is not over: while persons play, nobody plays it on elsewhere")
    if same and not now.game.is_over:
        raise Conflict("the game is not over: the order of its stack is told after its end")
    game: Game = replayed(now, n).game.clone()
    if game.is_over:
        raise Conflict("the game is over at this moment: go back to an answer before it")
    if not same:
        game.reshuffle_hidden(secrets.randbits(63))
    unsaid = ("names", "forfeit", *(() if same else ("seed",)))
    return {key: value for key, value in game.record().items() if key not in unsaid}
