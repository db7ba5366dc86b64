"""Defines the actions of German castles. In the action `GC1@2,3/90`, for example, `2,3` is the northern or western
square of the castle tile GC1. This module also checks the castle tiles that a caller assigns to the players before a
game.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carc_env.boxes.tiles import TileKind, tile_kinds, tile_numbers, tile_table
from carc_env.common.arguments import brief
from carc_env.common.errors import ConfigError, DeckError, NotationError
from carc_env.rules.double_tiles import EAST, side_of_second
from carc_env.rules.expansions.german_castles import (
    castle_answer,
    castle_of,
    in_hand,
    kinds_of,
    matches,
    touches_castle,
)
from carc_env.rules.geometry import cell_of, coordinates, neighbour
from carc_env.rules.state import MOST_IN_HAND, N_GERMAN_CASTLES, NONE, Phase
from carc_env.systems.base.words import too_wide
from carc_env.systems.german_castles.signs import SIGNS
from carc_env.systems.system import CELL, Form, Item, Makings, Question, Scene, SetOut, System
from carc_env.systems.where import Laid

TILES = tuple(f"GC{number}" for number in range(1, N_GERMAN_CASTLES + 1))
Hands = tuple[tuple[str, ...], ...]  # the castle tiles of each player


def read_hands(text: str) -> list[tuple[str, ...]]:
    """Parse a string that lists the castle tiles of each player. `as_hands` checks the result.

    >>> read_hands("GC1,GC6 -")
    [('GC1', 'GC6'), ()]
    """
    return [tuple(tile for tile in hand.split(",") if tile not in ("", "-")) for hand in text.split()]


class PlaceGermanCastle(Question):
    """The decision whether and where to place a castle tile."""

    asked = "may place a castle tile"
    why = (
        "Instead of drawing a tile, you may place a castle tile. A follower in the castle scores 12 points when all "
        "squares around the castle are occupied. A road or city on a castle tile gives 3 more points when it is "
        "completed."
    )
    passing = "draw a tile instead"

    def __init__(self) -> None:
        self.forms = (
            Form(rf"({'|'.join(TILES)})@{CELL}/(0|90|180|270)", self._read, "no castle tile is to be placed now"),
        )

    def example(self, scene: Scene) -> str:
        example = f"a castle tile such as '{TILES[held_by(scene.game, scene.player)[0]]}@1,0/90'"
        return example if nothing_to_draw(scene) else f"{example}, or 'pass' to draw"

    def write(self, scene: Scene, action: int) -> str:
        (x, y), tile, rotation = self.place(scene, action)
        return f"{tile}@{x},{y}/{rotation}"

    def place(self, scene: Scene, action: int) -> Laid:
        number, rotation, cell = castle_of(scene.size, action)
        if scene.game["board"][cell]["tile"] == NONE:
            tile, where = TILES[in_hand(scene.game, scene.player, number)], place_of(scene, rotation, cell)
        else:  # the castle tile is already on the table
            tile, where = tile_kinds()[scene.game["board"][cell]["tile"]].name, coordinates(scene.game, cell)
        return Laid(where, tile, 90 * rotation)

    def held(self, game: Any) -> list[str]:
        return list(game.german_castles[game.player])

    def _read(self, scene: Scene, tile: str, x: str, y: str, degrees: str) -> int:
        held = held_by(scene.game, scene.player)
        if TILES.index(tile) not in held:
            raise NotationError(
                f"player {scene.player} does not hold {tile}; "
                f"the castle tiles in hand are {' and '.join(TILES[castle] for castle in held)}"
            )
        rotation = int(degrees) // 90 % rotations_of(TILES.index(tile))
        cell = cell_of(int(x), int(y), bool(scene.game["systems"]["maps"]["on_sheet"]), scene.size)
        if place_of(scene, rotation, cell) != (int(x), int(y)):
            raise NotationError(f"{tile}@{int(x)},{int(y)}/{degrees} does not lie beside the tiles on the table")
        return castle_answer(scene.size, held.index(TILES.index(tile)), rotation, cell)

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        game = scene.game
        if action >= scene.ids.place_figure:
            return "a castle tile is to be placed" + (
                ", as no tile is left to draw" if nothing_to_draw(scene) else ", or 'pass' to draw"
            )
        number, rotation, cell = castle_of(scene.size, action)
        castle = in_hand(game, scene.player, number)
        if castle == NONE:
            return f"player {scene.player} holds no such castle tile"
        if rotation >= rotations_of(castle):
            return f"rotation {90 * rotation} looks the same as a smaller rotation"
        squares = cell, int(neighbour(scene.game, cell, side_of_second(rotation)))
        name = f"{TILES[castle]}@{','.join(map(str, place_of(scene, rotation, cell)))}/{90 * rotation}"
        if any(not game["board"][square]["is_square"] or game["board"][square]["tile"] != NONE for square in squares):
            return f"{name} needs two empty squares"
        if not game["board"]["in_frontier"][list(squares)].any():
            return f"{name} does not lie beside a tile"
        if not all(
            matches(game, tile_table()[0], kind, rotation, square)
            for kind, square in zip(kinds_of(tile_table()[0], castle, rotation), squares)
        ):
            return f"{name} does not match its neighbours"
        if any(touches_castle(game, square) for square in squares):
            return f"{name} would touch another castle tile"
        return too_wide(scene)


def nothing_to_draw(scene: Scene) -> bool:
    """True if the stack is used up. The player must then place a castle tile."""
    return bool(scene.game["n_drawn"] == scene.game["n_deck"])


def held_by(game: np.record, player: int) -> list[int]:
    """Return the indices (in TILES) of the castle tiles that a player holds."""
    return [castle for castle in (in_hand(game, player, number) for number in range(MOST_IN_HAND)) if castle != NONE]


def rotations_of(castle: int) -> int:
    """Return how many rotations of a castle tile look different from each other."""
    return int(tile_table()[0]["kinds"][tile_numbers()[f"{TILES[castle]}a"]]["rotations"])


def place_of(scene: Scene, rotation: int, cell: int) -> tuple[int, int]:
    """Return the coordinates (x, y) of the first square that a castle tile would cover. If only the second square lies
    beside a tile on the table, (x, y) is computed from the coordinates of the second square.
    """
    second = int(neighbour(scene.game, cell, side_of_second(rotation)))
    if scene.game["board"][second]["in_frontier"] and not scene.game["board"][cell]["in_frontier"]:
        x, y = coordinates(scene.game, second)
        return (x - 1, y) if side_of_second(rotation) == EAST else (x, y - 1)
    return coordinates(scene.game, cell)


class GermanCastles(System):
    """German castles."""

    box = "german_castles"
    set_out = SetOut(
        "german_castles", "Which castle tiles does each player hold (- for none)?", "GC1,GC6 GC2,GC3", read_hands
    )
    sources = {"german_castles": "German castles"}
    signs = SIGNS
    choices = 4
    line = "pieces"
    questions = {Phase.PLACE_GERMAN_CASTLE: PlaceGermanCastle()}
    answers = {
        "place_tile": "German castles: place the first of the castle tiles in hand on a cell",
        "choose_cell": "German castles: place the second of the castle tiles in hand on a cell. The choice (0 to 3) is "
        "the rotation of the castle tile in clockwise quarter turns",
    }

    def check(self, config: Any) -> None:
        """Check that `tiles_only` does not contain this box, because players hold all tiles of the box."""
        if self.box in config.tiles_only:
            raise ConfigError("box 'german_castles' has no tiles for the stack, so it cannot be in tiles_only")

    def set_up(self, game: np.record, config: Any) -> None:
        """Prepare the state of the game: no castle tile is on the table or in a hand. If the box is in play, record
        that the castle tiles still have to be dealt.
        """
        castles = game["systems"]["german_castles"]
        castles["hands"], castles["squares"] = NONE, NONE
        castles["to_deal"] = self.box in config.boxes

    def held(self, config: Any) -> tuple[TileKind, ...]:
        """Return all castle tiles, because players can receive any of them."""
        return tuple(kind for kind in tile_kinds() if kind.name in TILES)

    def hand(self, game: Any, player: int) -> str:
        return f"  castle tiles {' '.join(game.german_castles[player]) or 'none'}"

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        held = game.german_castles[player]
        return [Item(f"tile {tile}", "tile-in-hand", about={"tile": tile}, tile=tile) for tile in held]

    def call_compiled(self, game: Any, tiles: np.record, cell: int) -> None:
        castle_of(game.config.table_size, 0)
        castle_answer(game.config.table_size, 0, 0, 0)
        _ = game.german_castles  # calls `in_hand`
        if self.is_in_play(game.config):
            touches_castle(game.state, cell)
            matches(game.state, tiles, kinds_of(tiles, 0, 0)[0], 0, cell)

    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions about castle tiles. In each turn (or part of a double
        turn), a player decides whether to place a castle tile instead of drawing a tile. Each castle tile adds two
        decisions: where to place it when no tile is left to draw, and whether to place a figure on it.
        """
        return makings.most_parts + 2 * N_GERMAN_CASTLES

    def most_of_features(self, makings: Makings) -> int:
        """Return an upper limit for the additional points: three for each road and city segment of a castle tile."""
        return 3 * sum(
            segment.kind in ("road", "city") for kind in makings.held if kind.inner != NONE for segment in kind.segments
        )


# --- given castle tiles -----------------------------------------------------------------------------------------------
def as_hands(hands: object, config: Any) -> Hands:
    """Check the castle tiles given to each player, and return them as a tuple of tuples. Raises DeckError."""
    if (
        isinstance(hands, str)
        or not isinstance(hands, Sequence)
        or any(isinstance(hand, str) or not isinstance(hand, Sequence) for hand in hands)
    ):
        raise DeckError(
            f"german_castles: {brief(hands)} should be a list with one tuple of castle tiles for each player, "
            "such as [('GC1', 'GC6'), ('GC2',)]"
        )
    tiles = [tile for hand in hands for tile in hand]
    if tiles and GermanCastles.box not in config.boxes:
        raise DeckError("german_castles are given, but the box 'german_castles' is not in play")
    for tile in tiles:
        if tile not in TILES:
            raise DeckError(f"german_castles: {brief(tile)} should be one of {', '.join(TILES)}")
        if tiles.count(tile) > 1:
            raise DeckError(f"german_castles: {tile} is given twice")
    if len(hands) != config.players and (tiles or hands):
        raise DeckError(f"german_castles: {len(hands)} hands are given for {config.players} players")
    for player, hand in enumerate(hands):
        if len(hand) > MOST_IN_HAND:
            raise DeckError(
                f"german_castles: player {player} has {len(hand)} castle tiles; "
                f"a player can hold at most {MOST_IN_HAND}"
            )
    return tuple(map(tuple, hands))


def give(game: np.record, hands: Hands) -> None:
    """Put the given castle tiles into the players' hands before a game begins."""
    castles = game["systems"]["german_castles"]
    castles["to_deal"] = 0
    for player, hand in enumerate(hands):
        castles["hands"][player, : len(hand)] = [TILES.index(tile) for tile in hand]


def hands_at_start(game: np.record, players: int) -> Hands:
    """Return the castle tiles that each player received at the start of the game."""
    hands = game["systems"]["german_castles"]["hands"][:players]
    return tuple(tuple(TILES[castle] for castle in hand if castle != NONE) for hand in hands)


def hands_now(game: np.record, players: int) -> Hands:
    """The castle tiles that each player holds now."""
    return tuple(tuple(TILES[castle] for castle in held_by(game, player)) for player in range(players))
