"""Defines the types of the events that an action causes. The string form of each event is a sentence. The code of each
box in `systems` defines the events of the box.
"""

import numpy as np

from carc_env.rules.geometry import coordinates
from carc_env.rules.state import NONE
from carc_env.systems import EVENTS, Told
from carc_env.systems.base.words import SOURCES, CutOff, FigureReturned, PointsScored, TileDiscarded
from carc_env.systems.goldmines.words import IngotPut, IngotsSetAside, IngotTaken
from carc_env.systems.map_chips.words import ChipTaken, WineSold
from carc_env.systems.traders_and_builders.words import GoodsTaken

Event = (
    PointsScored
    | IngotPut
    | IngotTaken
    | FigureReturned
    | TileDiscarded
    | IngotsSetAside
    | ChipTaken
    | WineSold
    | GoodsTaken
    | CutOff
)
__all__ = [
    "SOURCES",
    "ChipTaken",
    "CutOff",
    "Event",
    "FigureReturned",
    "GoodsTaken",
    "IngotPut",
    "IngotTaken",
    "IngotsSetAside",
    "PointsScored",
    "TileDiscarded",
    "WineSold",
    "read_events",
]


def read_events(game: np.record) -> tuple[Event, ...]:
    """Return the events of the last action, in the order in which they happened."""
    return tuple(_event(game, game.events[i]) for i in range(game.n_events))


def _event(game: np.record, event: np.record) -> Event:
    x, y = (None, None) if event.cell == NONE else coordinates(game, event.cell)
    found: Event = EVENTS[int(event.kind)](Told(int(event.player), int(event.source), int(event.amount), x, y))
    return found
