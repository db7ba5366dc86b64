"""Defines where people click to choose a legal action: on a cell, on a point of the board, or on a button.

An action is a dict that can be written as JSON, with these keys:

- `text`: the text of the action, such as `meeple city N`;
- `words`: a description of the action for people;
- `passes`: True for the action `pass`;
- `how`: the thing that a person clicks. "tile" is an empty cell where a tile can be placed, "cell" is a cell with a
  tile, "spot" is a point on a tile, and "button" is a button. The page shows buttons in the panel. Every button except
  the button for `pass` is also shown on the tile just placed;
- `tile`, `x`, `y`, `rotation` and `figure`: the tile, cell, rotation and figure of the action. Values that the action
  does not have are None;
- `cells`: the cells that a placed tile would cover, or the cell of the tile to click;
- `point`: the coordinates [x, y] of the point to click; a cell is 100 units wide. `point` is None for the action
  `pass`;
- `stands`: True if the action concerns a figure that is already on the board;
- `brings`: for a button, the points that the player scores at once by clicking it;
- `way`: the road that a ferry would make, as an SVG path;
- `sign`: the id of the piece that the page shows at the point;
- `scale`: the size of the piece;
- `lies`: True if the piece lies on its side;
- `label`, `below` and `colour`: the text of a button, a second line of text, and the button's colour.

Every action except `pass` has a point to click. Several actions can have the same point, for example different figures
on one spot. Distinct points of actions with `how` = "spot" must be at least LEAST units apart. If two of these points
are closer together, this module moves both points.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from carc_env.games.game import Game
from carc_env.notation.placed import Figure, Placed
from carc_env.notation.texts import Shown, shown
from carc_env.render.facts import BUILDINGS, cells_of, segment_at, spots_turned, tile_segments
from carc_env.render.places import places
from carc_env.render.svg import lies, on_tile, place_of_figure
from carc_env.render.tile_art import size_of
from carc_env.render.tile_shape import Point
from carc_env.rules.answers import ids_of
from carc_env.systems.where import EDGE_MIDDLES, Button, Laid, OnFeature, OnPoint, OnTile, Standing
from carc_env.web.words import choice_in_words

Answer = dict[str, Any]
SHOWN = 0.72  # the scale at which the page shows figures that can be placed
LYING = (11.0, 5.0)  # the offset from the point for a standing monk to the point for a lying monk
# the least distance between two click points on tiles; the number of iterations that move close points apart
LEAST, STEPS = 20.0, 12
# buttons on the tile just placed: the greatest number in a row, and the distance between two buttons
ACROSS, APART = 4, 27.0


class Board:
    """The tiles on the table, indexed by the cells that they cover."""

    def __init__(self, board: list[Placed]):
        self.tiles, self.last = board, board[-1]
        self.on = {cell: tile for tile in board for cell in cells_of(tile.tile, tile.x, tile.y, tile.rotation)}

    def point(self, x: int, y: int, kind: str, spot: str | None) -> Point:
        """Return the point where a figure stands or would stand on a feature. The arguments identify the feature by its
        kind, a cell of the board, and a spot of the tile on this cell.
        """
        tile = self.on[x, y]
        return on_tile(tile, places(tile.tile).figure[self.segment(x, y, kind, spot)])

    def segment(self, x: int, y: int, kind: str, spot: str | None) -> int:
        """Return the index of a feature's segment on the tile at a cell. A building has no spot, so its `kind` is
        enough to identify it.
        """
        tile = self.on[x, y]
        named = "2" * ((x, y) != (tile.x, tile.y)) + spot if spot else None
        for number, segment in enumerate(tile_segments(tile.tile)):
            spots = spots_turned(tile.tile, tile.rotation, segment)
            if named in spots or spot is None and kind in BUILDINGS.get(segment.kind, ()):
                return number
        raise KeyError(f"{tile} has no {kind} at {spot}")


def answers_of(game: Game, board: list[Placed]) -> list[Answer]:
    """Return all legal actions as dicts, in the order of `legal_actions`."""
    player = game.player
    if player is None:
        return []
    table, actions = Board(board), [int(action) for action in game.legal_actions()]
    passing = ids_of(game.config.table_size).passing
    found = [_answer(shown(game.state, action), action == passing, table, player) for action in actions]
    for answer, action in zip(found, actions):
        if answer["how"] == "button" and not answer["passes"]:
            answer["brings"] = _gain(game, action, player)
    _spread([answer for answer in found if answer["how"] == "button" and not answer["passes"]], table.last)
    _part([answer for answer in found if answer["how"] == "spot"])
    return found


def _answer(answer: Shown, passes: bool, table: Board, player: int) -> Answer:
    place = answer.place
    empty = dict.fromkeys(("tile", "x", "y", "rotation", "figure", "point", "sign", "way", "brings"))
    said = {
        "text": answer.text,
        "words": choice_in_words(answer),
        "passes": passes,
        "cells": [],
        "lies": False,
        "stands": False,
    }
    return said | empty | PLACES[type(place)](place, table, player)


def _gain(game: Game, action: int, player: int) -> int | None:
    """Return how many points the player scores at once with an action. Returns None if the action ends the game."""
    after = game.clone()
    after.play(action)
    return None if after.is_over else int(after.scores[player] - game.scores[player])


def _middle(tile: Placed) -> list[float]:
    width, height = size_of(tile.tile, tile.rotation)
    return [100 * tile.x + width / 2, 100 * tile.y + height / 2]


def _at(x: int, y: int, point: Point, **more: Any) -> Answer:
    return {"x": x, "y": y, "point": [round(float(value), 1) for value in point], **more}


# --- what the dict of an action contains besides its words, by the kind of its place ----------------------------------
def _laid(place: Laid, table: Board, player: int) -> Answer:
    (x, y), tile, rotation = place
    middle = _middle(Placed(tile, x, y, rotation, 0, ()))
    cells = [list(cell) for cell in cells_of(tile, x, y, rotation)]
    return {"how": "tile", "tile": tile, "x": x, "y": y, "rotation": rotation, "point": middle, "cells": cells}


def _on_tile(place: OnTile, table: Board, player: int) -> Answer:
    x, y = place.cell
    return {"how": "cell", "x": x, "y": y, "point": _middle(table.on[x, y]), "cells": [[x, y]]}


def _on_feature(place: OnFeature, table: Board, player: int) -> Answer:
    """Describe an action that concerns a feature. If the action places a figure, the point to click is where the figure
    would stand. If the action places no figure, the player clicks a point on the feature.
    """
    x, y = place.cell or (table.last.x, table.last.y)
    if not place.figure:
        return _spot(x, y, table.point(x, y, place.kind, place.spot), place.sign, place.scale)
    tile = table.on[x, y]
    figure = Figure(place.figure, player, place.kind, place.spot or place.kind)
    px, py = place_of_figure(tile, figure, table.segment(x, y, place.kind, place.spot))
    dx, dy = LYING if place.spot == "lying" else (0, 0)
    return _spot(x, y, (px + dx, py + dy), place.figure, SHOWN, figure=place.figure, lies=lies(figure))


def _on_point(place: OnPoint, table: Board, player: int) -> Answer:
    x, y = place.cell or (table.last.x, table.last.y)
    point = 100 * x + place.point[0], 100 * y + place.point[1]
    return _spot(x, y, point, place.sign, place.scale, way=_way(x, y, *place.joins) if place.joins else None)


def _way(x: int, y: int, one: str, other: str) -> str:
    """Return a path through a cell from one edge to another, as SVG."""
    ends = [f"{100 * x + EDGE_MIDDLES[edge][0]} {100 * y + EDGE_MIDDLES[edge][1]}" for edge in (one, other)]
    return f"M{ends[0]}Q{100 * x + 50} {100 * y + 50} {ends[1]}"


def _standing(place: Standing, table: Board, player: int) -> Answer:
    """Describe an action that concerns one of the player's figures on the board. The point to click is where the figure
    stands.
    """
    own = (place.figure, player)
    tile, piece = next((t, piece) for t in table.tiles for piece in t.figures if (piece.figure, piece.player) == own)
    point = place_of_figure(tile, piece, segment_at(tile.tile, tile.rotation, piece.spot))
    return _spot(tile.x, tile.y, point, place.figure, SHOWN, figure=place.figure, stands=True)


def _spot(x: int, y: int, point: Point, sign: str, scale: float, **more: Any) -> Answer:
    """Describe an action that is chosen by clicking a point on a tile. The page shows the drawing with the id `sign`,
    such as a figure, at this point. If `sign` is empty, the page shows nothing at this point.
    """
    return {"how": "spot", "sign": sign or None, "scale": scale} | _at(x, y, point, **more)


def _button(place: Button, table: Board, player: int) -> Answer:
    return {"how": "button", "label": place.label, "below": place.below, "colour": place.colour}


PLACES: dict[type, Callable[[Any, Board, int], Answer]] = {
    Laid: _laid,
    OnTile: _on_tile,
    OnFeature: _on_feature,
    OnPoint: _on_point,
    Standing: _standing,
    Button: _button,
}


# --- points that can be told apart ------------------------------------------------------------------------------------
def _spread(choices: list[Answer], tile: Placed) -> None:
    """Arrange the action buttons in rows, and put the rows on top of the tile just placed."""
    rows = [choices[i : i + ACROSS] for i in range(0, len(choices), ACROSS)]
    x, y = _middle(tile)
    for down, row in enumerate(rows):
        for across, answer in enumerate(row):
            answer["point"] = [x + APART * (across - (len(row) - 1) / 2), y + APART * (down - (len(rows) - 1) / 2)]


def _part(spots: list[Answer]) -> None:
    """If some points to click are too close together for a finger, move these points apart."""
    before = [tuple(answer["point"]) for answer in spots]
    numbers = {point: number for number, point in enumerate(dict.fromkeys(before))}
    points = np.array(list(numbers), float).reshape(-1, 2)
    for _ in range(STEPS):
        ways = points[:, None] - points[None]
        away = np.hypot(*ways.transpose(2, 0, 1)) + np.eye(len(points)) * LEAST
        points += (ways / away[..., None] * np.maximum(0, (LEAST + 0.5 - away) / 2)[..., None]).sum(1)
    for answer, point in zip(spots, before):
        answer["point"] = np.round(points[numbers[point]], 1).tolist()
