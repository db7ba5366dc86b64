"""Positions that belong to no stored game. The page shows them in the same way as the positions of a stored game. A bot
can evaluate such a position, and a new game can begin from it.
"""

from functools import lru_cache

from carc_env.common.palette import PLAYERS
from carc_env.games.game import Game
from carc_env.notation.positions import read_position
from carc_env.web.choices import safe_config
from carc_env.web.company import new_company
from carc_env.web.seats import Seat
from carc_env.web.versions import Moment

REMEMBERED = 64  # the maximum number of positions whose views are cached


@lru_cache(REMEMBERED)
def moment_at(position: str) -> Moment:
    """Return a game that begins at the given position. The players are named after their colours. Raises RecordError,
    ConfigError.
    """
    safe_config(read_position(position)["config"])
    game = Game.from_position(position, seed=0)  # the seed does not matter, because no hidden information is shown
    return Moment(0, game, new_company(tuple(Seat(name) for name, _ in PLAYERS[: game.players])))
