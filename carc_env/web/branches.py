"""Begins new games that continue from an earlier position of another game."""

import secrets
from typing import Any

from carc_env.games.game import Game
from carc_env.web.table import Conflict
from carc_env.web.versions import Moment, replayed


def branch(now: Moment, n: int, same: bool) -> dict[str, Any]:
    """Return the record of a new game that continues from the position after the first n moves. If `same` is True, the
    new game keeps the order of the stack. If `same` is False, the hidden information is reshuffled.

    Raises:
        CountError: if n is negative or greater than the number of moves.
        Conflict: if the game is over after n moves. While the old game is in progress, Conflict is also raised if a
            person plays in the old game, or if `same` is True.
    """
    if not now.game.is_over and any(seat.bot is None for seat in now.seats):
        raise Conflict(
            "people play this game: a new game can begin from one of its positions only when this game is over"
        )
    if same and not now.game.is_over:
        raise Conflict("the order of the stack stays hidden until the game is over")
    game: Game = replayed(now, n).game.clone()
    if game.is_over:
        raise Conflict("the game is over after these moves: choose an earlier move")
    if not same:
        game.reshuffle_hidden(secrets.randbits(63))
    unsaid = ("names", "forfeit", *(() if same else ("seed",)))
    return {key: value for key, value in game.record().items() if key not in unsaid}
