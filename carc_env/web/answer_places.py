"""Where each legal answer is given with the mouse: a place for a tile, a point on the board, or a button.

An answer is a dict that JSON knows: `text` and `words`; `how`: "tile" is laid on a cell, "spot" a point on a tile,
"cell" a whole tile, "button" what lies nowhere; `tile`, `x`, `y`, `rotation` and `figure` where there are such; and
`point`, [x, y] in units of 100 a cell, None for what is a button only. Points on tiles are at least LEAST units apart.
"""

import re
from typing import Any

import numpy as np

from carc_env.games.game import Game
from carc_env.notation.placed import Figure, Placed
from carc_env.notation.texts import text_of
from carc_env.render.facts import BUILDINGS, cells_of, segment_at, spots_turned, tile_segments
from carc_env.render.places import places
from carc_env.render.svg import on_edge, on_tile, place_of_figure
from carc_env.render.tile_art import size_of
from carc_env.render.tile_shape import Point
from carc_env.rules.state import Phase
from carc_env.web.words import PLACED, answer_in_words

Answer = dict[str, Any]
CELL = re.compile(r"(-?\d+),(-?\d+)")
LYING = (11.0, 5.0)  # from where a monk would lie to where that is chosen, apart from one who stands
# points on a lake
FERRIES = {"N-E": (68, 32), "E-S": (68, 68), "S-W": (32, 68), "N-W": (32, 32), "N-S": (50, 36), "E-W": (50, 56)}
LEAST, STEPS = 20.0, 12  # from a point on a tile to the next; in how many steps they are moved apart
ACROSS, APART = 4, 27.0  # choices that lie nowhere stand in rows over the tile just placed


class Board:
    """The tiles on the table by the cells that they cover."""

    def __init__(self, board: list[Placed]):
        self.tiles, self.last = board, board[-1]
        self.on = {cell: tile for tile in board for cell in cells_of(tile.tile, tile.x, tile.y, tile.rotation)}

    def point(self, x: int, y: int, kind: str, spot: str | None) -> Point:
        """Where the feature of a kind at a spot of the tile on a cell is: there a figure stands, or would stand."""
        tile = self.on[x, y]
        return on_tile(tile, places(tile.tile).figure[self.segment(x, y, kind, spot)])

    def segment(self, x: int, y: int, kind: str, spot: str | None) -> int:
        """The number of that feature's segment on its tile; a building is known by its kind."""
        tile = self.on[x, y]
        named = "2" * ((x, y) != (tile.x, tile.y)) + spot if spot else None
        for number, segment in enumerate(tile_segments(tile.tile)):
            spots = spots_turned(tile.tile, tile.rotation, segment)
            if named in spots or spot is None and kind in BUILDINGS.get(segment.kind, ()):
                return number
        raise KeyError(f"{tile} has no {kind} at {spot}")


def answers_of(game: Game, board: list[Placed]) -> list[Answer]:
    """All legal answers, in the order of `legal_actions`."""
    phase, table = game.phase, Board(board)
    texts = [text_of(game.state, int(action)) for action in game.legal_actions()]
    found = [_answer(text, phase, table, game.player) for text in texts]
    _spread([answer for answer in found if answer["how"] == "button" and answer["text"] != "pass"], table.last)
    _part([answer for answer in found if answer["how"] == "spot"])
    return found


def _answer(text: str, phase: Phase, table: Board, player: int) -> Answer:
    place = _place(text, table, player)
    empty = dict.fromkeys(("tile", "x", "y", "rotation", "figure", "point"))
    return {"text": text, "words": answer_in_words(text, phase), "how": "button"} | empty | place


def _place(text: str, table: Board, player: int) -> Answer:
    """What an answer has besides its words."""
    if "@" in text:
        return _laid(text)
    first, *rest = text.split()
    if first in ("ingot", "take"):
        x, y = map(int, rest[0].split(","))
        return {"how": "cell", "x": x, "y": y, "point": _middle(table.on[x, y])}
    if first in ("pass", "sell", "circle"):
        return {}
    return {"how": "spot"} | SPOTS.get(first, _figure)(first, rest, table, player)


def _laid(text: str) -> Answer:
    """`D@1,0/90`, `abbey@2,3`."""
    match = PLACED.fullmatch(text)
    tile, where, degrees = match.groups() if match else (*text.split("@"), "0")
    x, y = map(int, where.split(","))
    return {
        "how": "tile",
        "tile": tile,
        "x": x,
        "y": y,
        "rotation": int(degrees),
        "point": _middle(Placed(tile, x, y, int(degrees), 0, ())),
    }


def _middle(tile: Placed) -> list[float]:
    width, height = size_of(tile.tile, tile.rotation)
    return [100 * tile.x + width / 2, 100 * tile.y + height / 2]


def _at(x: int, y: int, point: Point, **more: Any) -> Answer:
    return {"x": x, "y": y, "point": [round(float(value), 1) for value in point], **more}


# --- the answers that are points on tiles, by their first word --------------------------------------------------------
def _figure(figure: str, rest: list[str], table: Board, player: int) -> Answer:
    """`meeple city N`, `meeple monastery lying`."""
    tile, (kind, spot) = table.last, (*rest, rest[0])[:2]
    segment = segment_at(tile.tile, tile.rotation, spot)
    x, y = place_of_figure(tile, Figure(figure, player, kind, spot), segment)
    dx, dy = LYING if spot == "lying" else (0, 0)
    return _at(tile.x, tile.y, (x + dx, y + dy), figure=figure)


def _recall(_: str, rest: list[str], table: Board, player: int) -> Answer:
    """The own abbot, where he stands."""
    tile, piece = next(
        (tile, piece)
        for tile in table.tiles
        for piece in tile.figures
        if (piece.figure, piece.player) == ("abbot", player)
    )
    return _at(
        tile.x, tile.y, place_of_figure(tile, piece, segment_at(tile.tile, tile.rotation, piece.spot)), figure="abbot"
    )


def _ferry(_: str, rest: list[str], table: Board, player: int) -> Answer:
    """`ferry S-W`, `ferry 2,3 E-S`: a point of the lake between the two edges."""
    *where, pair = rest
    tile = table.on[tuple(map(int, where[0].split(",")))] if where else table.last
    x, y = FERRIES[pair]
    return _at(tile.x, tile.y, (100 * tile.x + x, 100 * tile.y + y))


def _castle(_: str, rest: list[str], table: Board, player: int) -> Answer:
    """`castle 2,3 E`: between its two squares; `castle 2,3 E scores road 4,5 N`: there."""
    *_, kind, where, spot = ("", *rest) if CELL.fullmatch(rest[-2]) else (*rest, None)
    x, y = map(int, where.split(","))
    return _at(x, y, on_edge(x, y, spot) if kind in ("", "castle") and spot else table.point(x, y, kind, spot))


def _follower(_: str, rest: list[str], table: Board, player: int) -> Answer:
    """`add meeple city 0,1 N`: the own follower next to whom one is added, or who is taken back."""
    figure, kind, where, spot = rest
    x, y = map(int, where.split(","))
    return _at(x, y, table.point(x, y, kind, spot), figure=figure)


SPOTS = {"recall": _recall, "ferry": _ferry, "castle": _castle, "add": _follower, "remove": _follower}


def _spread(choices: list[Answer], tile: Placed) -> None:
    """Give choices that lie nowhere points over the tile just placed, in rows."""
    rows = [choices[i : i + ACROSS] for i in range(0, len(choices), ACROSS)]
    x, y = _middle(tile)
    for down, row in enumerate(rows):
        for across, answer in enumerate(row):
            answer["point"] = [x + APART * (across - (len(row) - 1) / 2), y + APART * (down - (len(rows) - 1) / 2)]


def _part(spots: list[Answer]) -> None:
    """Move points on tiles apart that lie too close to be told apart by a finger."""
    before = [tuple(answer["point"]) for answer in spots]
    numbers = {point: number for number, point in enumerate(dict.fromkeys(before))}
    points = np.array(list(numbers), float).reshape(-1, 2)
    for _ in range(STEPS):
        ways = points[:, None] - points[None]
        away = np.hypot(*ways.transpose(2, 0, 1)) + np.eye(len(points)) * LEAST
        points += (ways / away[..., None] * np.maximum(0, (LEAST + 0.5 - away) / 2)[..., None]).sum(1)
    for answer, point in zip(spots, before):
        answer["point"] = np.round(points[numbers[point]], 1).tolist()
