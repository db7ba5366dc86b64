"""What the drawing needs to know: of a tile, taken from the boxes, and of a game, which it only asks and never changes."""

import functools
from typing import Protocol

import numpy as np

from carc_env import boxes
from carc_env.boxes import BUILDINGS, HALVES, SIDES, Segment
from carc_env.config import GameConfig
from carc_env.rules.geometry import coordinates
from carc_env.rules.state import NONE, Phase
from carc_env.sheets import Sheet, Square, read_sheet
from carc_env.table import Placed

__all__ = ["BUILDINGS", "CENTRE_PIECES", "HALVES", "SIDES", "Segment", "Table", "chips_face_down", "has_centre_piece",
           "segment_at", "sheet_of", "tile_segments", "tile_symbols", "turned"]

# Symbols of the boxes that stand for something built, at which roads may end.
CENTRE_PIECES = ("lake", "bazaar", "shrine", "special monastery", "church", "Baba Yaga's hut")


class Table(Protocol):
    """What the drawing asks of a game: `carc_env.Game` stands above the drawing, so that it can draw itself."""

    config: GameConfig
    players: int
    player: int | None
    is_over: bool
    phase: Phase
    tile: str | None
    tiles_left: int
    deck: list[str]
    state: np.record
    scores: np.ndarray
    ingots: np.ndarray
    chips: np.ndarray
    goods: np.ndarray
    meeples: dict[str, np.ndarray]

    def board(self) -> list[Placed]:
        """The tiles on the table."""

    def final_scores(self) -> dict[str, np.ndarray]:
        """Points by source."""

    def legal_actions(self) -> np.ndarray:
        """The legal answers."""

    def text(self, action: int) -> str:
        """The text of one of them."""


@functools.cache
def tile_segments(tile: str) -> tuple[Segment, ...]:
    """The segments of a tile kind, in the order of its box."""
    return _kind(tile).segments


@functools.cache
def tile_symbols(tile: str) -> tuple[str, ...]:
    """What is printed on a tile as a whole, such as "gold" or "lake"."""
    return _kind(tile).symbols


def has_centre_piece(tile: str) -> bool:
    """Whether a building or a lake is printed on a tile, at which roads may end."""
    built = [s.kind for s in tile_segments(tile)] + list(tile_symbols(tile))
    return any(name in ("monastery", *CENTRE_PIECES) for name in built)


def turned(spot: str, rotation: int) -> str:
    """The name in board orientation of a tile's spot when the tile lies turned by `rotation` degrees."""
    return boxes.turned(spot, rotation // 90)


def segment_at(tile: str, rotation: int, kind: str, spot: str) -> int:
    """Number of the segment of this kind at a spot (board orientation) of a tile that lies turned; a castle covers a city."""
    segments = tile_segments(tile)
    numbers = [i for i, s in enumerate(segments) if s.kind == kind or kind == "castle"]
    if kind in BUILDINGS:
        return numbers[0]
    return next(i for i in numbers if any(turned(s, rotation) == spot for s in segments[i].spots))


def sheet_of(game: Table) -> Sheet | None:
    """The sheet a game is played on; None on a free table."""
    return None if game.config.sheet is None else read_sheet(game.config.sheet)


def chips_face_down(game: Table) -> list[Square]:
    """The squares where chips lie. What is on their faces stays unknown."""
    board = game.state["board"]
    lying = np.flatnonzero((board["chip"] != NONE) & (board["tile"] == NONE))
    return sorted(coordinates(game.state, int(cell)) for cell in lying)


def _kind(tile: str) -> boxes.TileKind:
    return boxes.tile_kinds()[boxes.tile_numbers()[tile]]
