"""carc_env: Carcassonne with its expansions as a reinforcement-learning environment."""

from carc_env import bots, envs
from carc_env.config import ConfigError, GameConfig, preset, presets
from carc_env.errors import IllegalAction, NotationError, RecordError
from carc_env.events import (
    Event,
    FigureReturned,
    IngotPut,
    IngotsSetAside,
    IngotTaken,
    PointsScored,
    TileDiscarded,
)
from carc_env.game import Feature, Figure, Game, Placed, read_records, replay
from carc_env.games import Games
from carc_env.rules.state import Phase
from carc_env.setup import DeckError, SeedError

envs.register()

__version__ = "0.1.0"

__all__ = [
    "ConfigError", "DeckError", "Event", "Feature", "Figure", "FigureReturned", "Game", "GameConfig", "Games",
    "IllegalAction", "IngotPut", "IngotTaken", "IngotsSetAside", "NotationError", "Phase", "Placed", "PointsScored",
    "RecordError", "SeedError", "TileDiscarded", "bots", "envs", "preset", "presets", "read_records", "replay",
]
