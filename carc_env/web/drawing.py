"""The drawing of a game. A drawing consists of parts. After a move, it is enough to send the parts that have
changed.

A drawing is a dict that can be written as JSON. `box` is the visible part of the board as [x, y, width, height], with
100 units per cell. `definitions` maps ids to SVG that `<use>` elements refer to. `layers` are listed from the bottom to
the top. Each layer has a `name` and a list of `items`, which are SVG elements. `mark` is a number that identifies the
drawing. If a drawing contains only the differences from an older drawing, `from` is the `mark` of the older drawing. In
a complete drawing, `from` is None. The elements are the same as in the pictures of carc_env.render.svg.
"""

import zlib
from functools import lru_cache
from itertools import chain
from typing import Any

from carc_env.boxes.sheets import Sheet
from carc_env.common.markup import element, number, title_element
from carc_env.games.game import Game
from carc_env.notation.placed import Placed
from carc_env.render import sheet_art
from carc_env.render.facts import cells_of, chips_face_down, drawn_tiles, lying_on, sheet_of, squares_covered
from carc_env.render.panel import tiles_held, tiles_shown
from carc_env.render.pieces import SIGNS, sign_id
from carc_env.render.places import places
from carc_env.render.svg import borders, drawings, each_figure, each_gold, marks, tile_lying, tower_points
from carc_env.render.tile_art import size_of, tile_art, tile_picture, towers_at
from carc_env.render.tile_shape import Point
from carc_env.systems import SYSTEMS
from carc_env.systems.map_chips.signs import chips

Drawing = dict[str, Any]


def drawing_of(game: Game, board: list[Placed], answers: list[dict[str, Any]]) -> Drawing:
    """Return the complete drawing of a game. `board` contains the tiles on the table. `answers` contains the legal
    actions (see carc_env.web.answer_places).
    """
    sheet = sheet_of(game)
    layers: list[dict[str, Any]] = [
        {"name": name, "items": items} for name, items in _layers(game, board, sheet).items()
    ]
    mark = zlib.crc32("\n".join(item for layer in layers for item in (layer["name"], *layer["items"])).encode())
    return {
        "from": None,
        "mark": mark,
        "box": shown_box(board, answers, sheet),
        "definitions": drawings(_tiles(game, board, answers), sheet),
        "layers": layers,
    }


def _layers(game: Game, board: list[Placed], sheet: Sheet | None) -> dict[str, list[str]]:
    """Return the layers of the board from the bottom to the top, in the order of carc_env.render.svg."""
    covered = frozenset(squares_covered(board))
    return {
        "sheet": [element("g", part) for part in sheet_art.sheet_parts(sheet, covered)] if sheet else [],
        "chips": [chips([square]) for square in chips_face_down(game)],
        "tiles": [_tile(tile._replace(ingots=0, figures=())) for tile in board],
        "towers": [_tower(point) for point in sorted(tower_points(board))],
        "towns": [sheet_art.covered_towns([town]) for town in sheet.towns if town.square in covered] if sheet else [],
        **_lying(game, board),
        "last": [marks(game, board, [])],
        "figures": each_figure(board),
        "ingots": each_gold(board),
    }


def _lying(game: Game, board: list[Placed]) -> dict[str, list[str]]:
    """Return the layers that lie below the figures. The layer of a box that is not in play is empty."""
    layers: dict[str, list[str]] = {system.layer: [] for system in SYSTEMS if system.layer}
    for system, thing in lying_on(game, board):
        layers[system.layer].append(system.draw(*thing))
    return layers


@lru_cache(4096)
def _tile(tile: Placed) -> str:
    """Return the picture of a tile with an outline."""
    return element("g", tile_lying(tile), borders([tile]))


@lru_cache(4096)
def _tower(point: Point) -> str:
    return towers_at({point})


def _tiles(game: Game, board: list[Placed], answers: list[dict[str, Any]]) -> set[tuple[str, int]]:
    """Return the tiles in the drawing with their rotations: tiles on the table, tiles in hand, and tiles that may be
    placed.
    """
    laid = {(answer["tile"], answer["rotation"]) for answer in answers if answer["how"] == "tile"}
    return {(tile.tile, tile.rotation) for tile in board} | set(tiles_shown(game, board)) | tiles_held(game) | laid


def shown_box(board: list[Placed], answers: list[dict[str, Any]], sheet: Sheet | None) -> list[float]:
    """Return the visible part of the board. On a map sheet, the visible part is the whole sheet. Without a map sheet,
    the visible part contains all placed tiles, all cells where a tile may be placed, and a narrow blank margin around
    them.
    """
    if sheet:
        room = sheet_art.room_around(sheet)
        return [
            -room.west,
            -room.north,
            100 * sheet.columns + room.west + room.east,
            100 * sheet.rows + room.north + room.south,
        ]
    laid = (
        cells_of(answer["tile"], answer["x"], answer["y"], answer["rotation"])
        for answer in answers
        if answer["how"] == "tile"
    )
    columns, rows = zip(*squares_covered(board), *chain.from_iterable(laid))
    left, top = 100 * min(columns) - 20, 100 * min(rows) - 20
    return [left, top, 100 * max(columns) + 120 - left, 100 * max(rows) + 120 - top]


# --- differences ------------------------------------------------------------------------------------------------------
def drawing_difference(old: Drawing, new: Drawing) -> Drawing:
    """Return a drawing that contains only the differences from an older drawing. The result contains the new
    definitions, and the items of each changed layer.

    In the items of a layer, a pair [first, last] stands for items that are already in the same layer of the older
    drawing. The indices of these items run from `first` to `last`. Each entry that is not a pair is a new item.
    """
    layers = [
        {"name": after["name"], "items": _changes(before["items"], after["items"])}
        for before, after in zip(old["layers"], new["layers"], strict=True)
        if before["items"] != after["items"]
    ]
    return {
        "from": old["mark"],
        "mark": new["mark"],
        "box": new["box"],
        "layers": layers,
        "definitions": {name: art for name, art in new["definitions"].items() if name not in old["definitions"]},
    }


def _changes(old: list[str], new: list[str]) -> list[str | list[int]]:
    """Return the list `new` in a shorter form. A sequence of items that also occurs in `old` becomes a pair
    `[first, last]`: the indices of its first and last item in `old`. Each item of `old` is used at most once.
    """
    places: dict[str, list[int]] = {}
    for index in reversed(range(len(old))):
        places.setdefault(old[index], []).append(index)
    changes: list[str | list[int]] = []
    for item in new:
        if not places.get(item):
            changes.append(item)
            continue
        index, last = places[item].pop(), changes[-1] if changes else None
        if isinstance(last, list) and last[1] == index - 1:
            last[1] = index
        else:
            changes.append([index, index])
    return changes


def tile_svg(tile: str) -> str:
    """Return a single tile as an SVG document. Raises KeyError for an unknown tile."""
    if tile not in drawn_tiles():
        raise KeyError(tile)
    width, height = size_of(tile, 0)
    used = {sign_id(sign): SIGNS[sign]() for sign in dict.fromkeys(sign for sign, _ in places(tile).signs)} | {
        f"tile-{tile}-0": tile_art(tile, 0)
    }
    return element(
        "svg",
        title_element(tile),
        element("defs", *(element("g", art, id=name) for name, art in used.items())),
        tile_picture(tile, 0),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
    )
