"""Contains single games, batches of games, and open games. In an open game, the caller decides every chance event."""

from carc_env.games.game import Game
from carc_env.games.games import Games

__all__ = ["Game", "Games"]
