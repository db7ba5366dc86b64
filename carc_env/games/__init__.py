"""Contains single games, batches of games, and games in which the caller decides the outcome of every chance event."""

from carc_env.games.game import Game
from carc_env.games.games import Games

__all__ = ["Game", "Games"]
