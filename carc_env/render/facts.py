"""Contains functions that return facts about a tile or a game to the drawing modules. The functions do not change the
game.
"""

import functools
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from carc_env.boxes import tiles
from carc_env.boxes.sheets import Sheet, Square, read_sheet
from carc_env.boxes.tiles import (
    BUILDINGS,
    HALVES,
    SIDES,
    Parts,
    Segment,
    TileKind,
    joined_parts,
    library,
    marks_of,
    number_on_whole,
    outer_spots,
    symbols,
    tile_kinds,
    tile_numbers,
)
from carc_env.common.palette import PLAYERS
from carc_env.notation.notes import Notes
from carc_env.notation.placed import Figure, Placed
from carc_env.render.pieces import ALL_SIGNS
from carc_env.rules.geometry import coordinates
from carc_env.rules.state import NONE, Phase
from carc_env.setup.config import GameConfig
from carc_env.systems import QUESTIONS, SYSTEMS, System
from carc_env.systems.where import Place

__all__ = [
    "BUILDINGS",
    "HALVES",
    "SIDES",
    "Segment",
    "Table",
    "cells_of",
    "chips_face_down",
    "drawn_tiles",
    "edges_of",
    "has_centre_piece",
    "in_castle",
    "is_double",
    "lying_on",
    "names_of",
    "outcome_of",
    "segment_at",
    "sheet_of",
    "spots_turned",
    "squares",
    "squares_covered",
    "tile_segments",
    "tile_symbols",
    "to_place",
    "turned",
]


class Table(Protocol):
    """The attributes and methods of a game that the drawing functions use. `carc_env.Game` imports the drawing modules,
    so these modules use this interface instead of importing `carc_env.Game`.
    """

    @property
    def config(self) -> GameConfig:
        """The game configuration."""

    @property
    def notes(self) -> Notes:
        """The names of the players, and the player who forfeited the game."""

    @property
    def players(self) -> int:
        """The number of players."""

    @property
    def player(self) -> int | None:
        """The player who has to act."""

    @property
    def is_over(self) -> bool:
        """True if the game is over."""

    @property
    def phase(self) -> Phase:
        """The kind of the current decision."""

    @property
    def tile(self) -> str | None:
        """The tile in hand."""

    @property
    def tiles_left(self) -> int:
        """The number of tiles in the stack."""

    @property
    def deck(self) -> list[str]:
        """All tiles that the players draw during the game, from the first to the last."""

    @property
    def state(self) -> np.record:
        """The whole state of the game as a NumPy record, including hidden information."""

    @property
    def scores(self) -> np.ndarray:
        """Points on the scoring track, by player."""

    @property
    def ingots(self) -> np.ndarray:
        """Ingots in hand, by player."""

    @property
    def supply(self) -> int:
        """Ingots in the supply."""

    @property
    def chips_sold(self) -> np.ndarray:
        """Chips that have been sold, by colour and value."""

    @property
    def chips(self) -> np.ndarray:
        """Chips in hand, by player, colour and value."""

    @property
    def goods(self) -> np.ndarray:
        """Goods tokens, by player and kind of goods."""

    @property
    def meeples(self) -> dict[str, np.ndarray]:
        """Figures in supply, by kind of figure and player."""

    def board(self) -> list[Placed]:
        """Return the tiles on the table."""

    def final_scores(self) -> dict[str, np.ndarray]:
        """Return each player's final points by source, such as roads or fields."""

    def places(self) -> list[Place]:
        """Return one place for each legal action: the spot, cell or button with which the action can be chosen."""


# --- tiles ------------------------------------------------------------------------------------------------------------
@functools.cache
def drawn_tiles() -> tuple[str, ...]:
    """Return all tiles in the order of their boxes. The two squares of a German castle count as one tile."""
    return tuple(dict.fromkeys(kind.name for box in library().values() for kind in box.kinds))


def is_double(tile: str) -> bool:
    """Return True if a tile covers two squares."""
    return tile not in tile_numbers()


@functools.cache
def squares(tile: str) -> tuple[tuple[tuple[int, Segment], ...], ...]:
    """Return the segments of each square of a tile. The square that is in the west at rotation 0 comes first. Each
    segment comes with its index in `tile_segments(tile)`.
    """
    if not is_double(tile):
        return (tuple(enumerate(_kind(tile).segments)),)
    return tuple(
        tuple((number_on_whole(_parts(tile), (east, segment)), segment) for segment in _kind(square).segments)
        for east, square in enumerate(_halves(tile))
    )


@functools.cache
def tile_segments(tile: str) -> tuple[Segment, ...]:
    """Return the segments of a tile, in the order in which the box's file lists the segments. The names of spots on the
    second square of a double tile begin with 2.
    """
    return _kind(tile).segments if not is_double(tile) else tuple(map(_joined, _parts(tile)))


@functools.cache
def tile_symbols(tile: str) -> tuple[str, ...]:
    """Return the symbols that belong to a whole tile, such as "gold" or "lake". Buildings are not included."""
    return tuple(
        symbol for square in _halves(tile) for symbol in _kind(square).symbols if "building" not in symbols()[symbol]
    )


def edges_of(tile: str) -> str:
    """Return the terrain of the edges of a tile at rotation 0, clockwise from the north. A double tile has six edges,
    and any other tile has four.
    """
    west, *east = (_kind(square).edges for square in _halves(tile))
    return west if not east else west[0] + east[0][:3] + west[2:]


def has_centre_piece(tile: str) -> bool:
    """Return True if the tile has a lake, or a building at which roads can end."""
    built = [s.kind for s in tile_segments(tile)] + list(tile_symbols(tile))
    return any(ALL_SIGNS[name].in_middle for name in built if name in ALL_SIGNS)


def turned(spot: str, rotation: int) -> str:
    """Return the name of a spot after its tile is rotated by `rotation` degrees."""
    return tiles.turned(spot, rotation // 90)


def spots_turned(tile: str, rotation: int, segment: Segment) -> tuple[str, ...]:
    """Return the names of a segment's spots after the tile is rotated by `rotation` degrees."""
    if not is_double(tile) or segment.kind in BUILDINGS:
        return tuple(turned(spot, rotation) for spot in segment.spots)
    is_swapped = rotation in (180, 270)  # if True, the square that is in the west at rotation 0 comes second
    return tuple(
        "2" * (spot.startswith("2") != is_swapped) + turned(spot.removeprefix("2"), rotation) for spot in segment.spots
    )


def segment_at(tile: str, rotation: int, spot: str) -> int:
    """Return the index of the segment at a spot of a rotated tile. `spot` is the name of the spot after the rotation:
    `N` is at the northern edge of the rotated tile.
    """
    return next(
        number for number, segment in enumerate(tile_segments(tile)) if spot in spots_turned(tile, rotation, segment)
    )


def cells_of(tile: str, x: int, y: int, rotation: int) -> list[tuple[int, int]]:
    """Return the cells that a tile covers. The first of these cells is (x, y)."""
    if not is_double(tile):
        return [(x, y)]
    return [(x, y), (x + 1, y) if rotation in (0, 180) else (x, y + 1)]


def squares_covered(board: list[Placed]) -> list[tuple[int, int]]:
    """Return all cells with tiles."""
    return [cell for tile in board for cell in cells_of(tile.tile, tile.x, tile.y, tile.rotation)]


def in_castle(piece: Figure) -> bool:
    """Return True if a figure is the lord of a castle that was founded in a small city. For the lord of a German
    castle, return False.
    """
    return piece.feature == "castle" and piece.spot in SIDES


# --- games ------------------------------------------------------------------------------------------------------------
def to_place(game: Table) -> list[str]:
    """Return the tiles that can be placed now. The list is empty if the current decision is not the placement of a
    tile.
    """
    held = QUESTIONS[game.phase].held(game) if game.phase in QUESTIONS and game.player is not None else None
    return ([game.tile] if game.tile else []) if held is None else held


def lying_on(game: Table, board: Sequence[Placed]) -> list[tuple[System, tuple[Any, ...]]]:
    """Return the pieces on the tiles, such as ferries. Each piece comes with the `System` object of its box. Figures
    are not included. The pieces are listed from the bottom layer to the top layer.
    """
    systems = (system for system in SYSTEMS if system.layer and system.box in game.config.boxes)
    return [(system, thing) for system in systems for thing in system.lying(game, board)]


def names_of(game: Table) -> tuple[str, ...]:
    """Return the names of the players from the notes of the game. If the notes contain no names, return the players'
    colours.
    """
    return game.notes.names or tuple(name for name, _ in PLAYERS[: game.players])


def outcome_of(game: Table, names: Sequence[str]) -> str:
    """Return the outcome of the game as a phrase that names the winners or the player who forfeited."""
    if game.notes.forfeit is not None:
        return f"{names[game.notes.forfeit]} forfeits the game"
    best = [name for name, score in zip(names, game.scores) if score == max(game.scores)]
    return f"{best[0]} wins" if len(best) == 1 else f"{', '.join(best[:-1])} and {best[-1]} draw"


def sheet_of(game: Table) -> Sheet | None:
    """Return the map sheet of a game, or None if the game has no map sheet."""
    return None if game.config.sheet is None else read_sheet(game.config.sheet)


def chips_face_down(game: Table) -> list[Square]:
    """Return the squares that have face-down chips. The result does not contain the faces of the chips."""
    board = game.state["board"]
    lying = np.flatnonzero((board["chip"] != NONE) & (board["tile"] == NONE))
    return sorted(coordinates(game.state, int(cell)) for cell in lying)


# --- double tiles -----------------------------------------------------------------------------------------------------
def _kind(tile: str) -> TileKind:
    return tile_kinds()[tile_numbers()[tile]]


def _halves(tile: str) -> tuple[str, ...]:
    """Return the ids of the squares of a tile. For a double tile, the western square comes first."""
    return (tile + "a", tile + "b") if is_double(tile) else (tile,)


@functools.cache
def _parts(tile: str) -> tuple[Parts, ...]:
    """Return the segments of a double tile. Each segment is a tuple of its parts on the two squares (see
    `joined_parts`). Segments that lie only on the western square come first, in the order in which this square lists
    them. All other segments follow, in the order in which the eastern square lists them. The positions of trees and
    grass depend on the order of the segments.
    """

    def last(parts: Parts) -> tuple[int, int]:
        east, segment = parts[-1]
        return east, _kind(_halves(tile)[east]).segments.index(segment)

    return tuple(sorted(joined_parts(tile), key=last))


def _joined(parts: Parts) -> Segment:
    """Return a segment of a double tile. Spots that are not on an outer edge of the tile are left out."""
    kind, second = parts[0][1].kind, outer_spots(parts, 1)
    spots = outer_spots(parts, 0) + tuple("2" * (kind not in BUILDINGS) + spot for spot in second)
    return Segment(kind, spots, marks_of(parts))
