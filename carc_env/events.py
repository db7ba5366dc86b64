"""What an answer caused, as typed values that print as sentences."""

from dataclasses import dataclass

import numpy as np

from carc_env.boxes import FIGURES, GOODS, tile_kinds
from carc_env.notation import COMPOSITIONS, DESTINATIONS
from carc_env.rules.answers import SELL_WINE
from carc_env.rules.geometry import coordinates
from carc_env.rules.state import NONE, EventKind, Source
from carc_env.sheets import GRAPES

SOURCES = tuple(source.name.lower() for source in Source)


@dataclass(frozen=True)
class PointsScored:
    """A player scored points; (x, y) is a tile of what was scored, None for ingots and goods, which lie nowhere."""

    player: int
    source: str  # a key of Game.final_scores()
    points: int
    x: int | None
    y: int | None

    def __str__(self) -> str:
        return f"player {self.player} scored {self.points} points from {self.source}"


@dataclass(frozen=True)
class IngotPut:
    """A player put an ingot on a tile."""

    player: int
    x: int
    y: int

    def __str__(self) -> str:
        return f"player {self.player} put an ingot on {self.x},{self.y}"


@dataclass(frozen=True)
class IngotTaken:
    """A player took an ingot from a tile."""

    player: int
    x: int
    y: int

    def __str__(self) -> str:
        return f"player {self.player} took an ingot from {self.x},{self.y}"


@dataclass(frozen=True)
class FigureReturned:
    """A figure went back to its owner's supply."""

    player: int
    figure: str
    x: int
    y: int

    def __str__(self) -> str:
        return f"player {self.player} got the {self.figure} on {self.x},{self.y} back"


@dataclass(frozen=True)
class TileDiscarded:
    """A tile that fits nowhere left the game."""

    tile: str

    def __str__(self) -> str:
        return f"tile {self.tile} fits nowhere and left the game"


@dataclass(frozen=True)
class IngotsSetAside:
    """At the end of the game ingots were still on tiles; nobody gets them."""

    count: int

    def __str__(self) -> str:
        return f"{self.count} ingots on tiles were set aside"


@dataclass(frozen=True)
class ChipTaken:
    """A player took the chip of a square and turned it up."""

    player: int
    colour: str  # purple, light_blue, orange
    value: int
    x: int
    y: int

    def __str__(self) -> str:
        return f"player {self.player} took a chip {self.colour} {self.value} from {self.x},{self.y}"


@dataclass(frozen=True)
class WineSold:
    """A player sold a wine; its chips left the game."""

    player: int
    colour: str
    composition: str  # "2" or "1+1"
    destination: str  # "abroad" or "town"
    x: int
    y: int

    def __str__(self) -> str:
        where = "abroad" if self.destination == "abroad" else "in town"
        return f"player {self.player} sold {self.colour} wine ({self.composition}) {where} from {self.x},{self.y}"


@dataclass(frozen=True)
class GoodsTaken:
    """A player took tokens of a good for a completed city."""

    player: int
    good: str  # wine, grain, cloth
    count: int
    x: int
    y: int

    def __str__(self) -> str:
        return f"player {self.player} took {self.count} {self.good}"


Event = (PointsScored | IngotPut | IngotTaken | FigureReturned | TileDiscarded | IngotsSetAside | ChipTaken | WineSold
         | GoodsTaken)


def read_events(game: np.record) -> tuple[Event, ...]:
    """The events of the last answer, in the order in which they happened."""
    return tuple(_event(game, game.events[i]) for i in range(game.n_events))


def _event(game: np.record, event: np.record) -> Event:
    player, amount = int(event.player), int(event.amount)
    if event.kind == EventKind.TILE_DISCARDED:
        return TileDiscarded(tile_kinds()[amount].id)
    if event.kind == EventKind.INGOTS_SET_ASIDE:
        return IngotsSetAside(amount)
    x, y = (None, None) if event.cell == NONE else coordinates(game, event.cell)
    if event.kind == EventKind.INGOT_PUT:
        return IngotPut(player, x, y)
    if event.kind == EventKind.INGOT_TAKEN:
        return IngotTaken(player, x, y)
    if event.kind == EventKind.FIGURE_RETURNED:
        return FigureReturned(player, FIGURES[event.source], x, y)
    if event.kind == EventKind.CHIP_TAKEN:
        return ChipTaken(player, GRAPES[amount // 2], amount % 2 + 1, x, y)
    if event.kind == EventKind.WINE_SOLD:
        sale = amount - SELL_WINE
        return WineSold(player, GRAPES[sale // 4], COMPOSITIONS[sale // 2 % 2], DESTINATIONS[sale % 2], x, y)
    if event.kind == EventKind.GOODS_TAKEN:
        return GoodsTaken(player, GOODS[event.source], amount, x, y)
    return PointsScored(player, SOURCES[event.source], amount, x, y)
