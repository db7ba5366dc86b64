"""One game, batches of games, and games whose chance events the caller decides."""

from carc_env.games.game import Game
from carc_env.games.games import Games

__all__ = ["Game", "Games"]
