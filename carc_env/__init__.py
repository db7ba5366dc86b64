"""carc_env: Carcassonne with its expansions as a reinforcement-learning environment."""

from carc_env import bots, envs
from carc_env.bots import Bot
from carc_env.bots import make as make_bot
from carc_env.config import ConfigError, GameConfig, preset, presets
from carc_env.envs import aec_env
from carc_env.errors import (
    ArgumentError,
    ArrayError,
    BotError,
    BotFault,
    CountError,
    FileError,
    IllegalAction,
    NotationError,
    PictureError,
    PlayerError,
    RecordError,
    SeedError,
)
from carc_env.events import (
    ChipTaken,
    CutOff,
    Event,
    FigureReturned,
    GoodsTaken,
    IngotPut,
    IngotsSetAside,
    IngotTaken,
    PointsScored,
    TileDiscarded,
    WineSold,
)
from carc_env.game import Feature, Figure, Game, Placed, read_records, replay
from carc_env.games import Games
from carc_env.match import MatchResult, play_match
from carc_env.rules.state import Phase
from carc_env.errors import ChipError, DeckError
from carc_env.sheets import SheetError

envs.register()

__version__ = "0.1.0"

__all__ = [
    "ArgumentError", "ArrayError", "Bot", "BotError", "BotFault", "ChipError", "ChipTaken", "ConfigError", "CountError", "CutOff",
    "DeckError", "Event", "Feature", "Figure", "FigureReturned", "FileError", "Game", "GameConfig", "Games",
    "GoodsTaken", "IllegalAction", "IngotPut", "IngotTaken", "IngotsSetAside", "MatchResult", "NotationError", "Phase",
    "PictureError", "Placed", "PlayerError", "PointsScored", "RecordError", "SeedError", "SheetError", "TileDiscarded",
    "WineSold", "aec_env", "bots", "envs", "make_bot", "play_match", "preset", "presets", "read_records", "replay",
]
