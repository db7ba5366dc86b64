"""carc_env: Carcassonne with its expansions as a reinforcement-learning environment."""

import importlib
from types import ModuleType

from carc_env import bots, envs
from carc_env.arena.match import MatchResult, play_match
from carc_env.bots import Bot
from carc_env.bots import make as make_bot
from carc_env.boxes import actions
from carc_env.boxes.sheets import SheetError
from carc_env.common import moved
from carc_env.common.errors import (
    ArgumentError,
    ArrayError,
    BotError,
    BotFault,
    CarcError,
    ChipError,
    ConfigError,
    CountError,
    DeckError,
    FileError,
    IllegalAction,
    NotationError,
    PictureError,
    PlayerError,
    RecordError,
    SeedError,
)
from carc_env.envs import aec_env
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.games.replay import read_records, replay
from carc_env.notation.events import (
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
from carc_env.notation.placed import Feature, Figure, Placed
from carc_env.observing import encode
from carc_env.rules.state import Phase
from carc_env.setup.config import GameConfig, preset, presets

envs.register()
moved.find_moved_modules()

__version__ = "0.2.0"

__all__ = [
    "ArgumentError",
    "ArrayError",
    "Bot",
    "BotError",
    "BotFault",
    "CarcError",
    "ChipError",
    "ChipTaken",
    "ConfigError",
    "CountError",
    "CutOff",
    "DeckError",
    "Event",
    "Feature",
    "Figure",
    "FigureReturned",
    "FileError",
    "Game",
    "GameConfig",
    "Games",
    "GoodsTaken",
    "IllegalAction",
    "IngotPut",
    "IngotTaken",
    "IngotsSetAside",
    "MatchResult",
    "NotationError",
    "Phase",
    "PictureError",
    "Placed",
    "PlayerError",
    "PointsScored",
    "RecordError",
    "SeedError",
    "SheetError",
    "TileDiscarded",
    "WineSold",
    "actions",
    "aec_env",
    "bots",
    "encode",
    "envs",
    "make_bot",
    "play_match",
    "preset",
    "presets",
    "read_records",
    "replay",
]


def __getattr__(name: str) -> ModuleType:
    """Return the module that was called `carc_env.<name>` before version 0.2."""
    if name in moved.MOVED:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
