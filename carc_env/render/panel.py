"""Draw the panel beside the board. One card shows the current decision and the tile in hand. Each player has a card
with points and possessions. In a game on a map sheet, another card shows the legend.

For each box, a module in `carc_env.systems` defines which items (such as ingots and goods) players can hold.
"""

from typing import Any, NamedTuple

import numpy as np

from carc_env.boxes.sheets import GRAPES, RECONSTRUCTION, Sheet
from carc_env.common import palette as p
from carc_env.common.lettering import fitting_size, text, text_width
from carc_env.common.markup import element, move, path, use
from carc_env.notation.placed import Placed
from carc_env.render.facts import Table, names_of, outcome_of, sheet_of, to_place
from carc_env.render.pieces import ALL_SIGNS, SCALES, sign_id
from carc_env.render.tile_art import outline, size_of, tile_picture
from carc_env.systems import SYSTEMS, Item, System

PANEL, GAP = 272, 10  # pixels: width of the panel, space between cards
CARD_WIDTH = PANEL - 2 * GAP
QUESTION_HEIGHT, PLAYER_HEIGHT, PLAYER_ROW = 148, 72, 26  # a card has one more row for each line of possessions
LEGEND_HEIGHT = 84  # height of the card with the legend of a map sheet
NAME_WIDTH = 118  # the maximum width of a player's name; the points are drawn beside the name


class Card(NamedTuple):
    """A card of the panel."""

    top: float  # distance from the top of the panel
    height: float
    parts: list[str]  # drawn elements, from the bottom layer to the top layer
    about: dict[str, object] = {}  # the attributes of the card in the drawing


def panel_height(game: Table) -> float:
    """Return the height of the panel. The panel has a card for the decision and a card for each player. In a game on a
    map sheet, the panel also has a card for the legend.
    """
    return (
        QUESTION_HEIGHT + game.players * (player_height(game) + GAP) + (LEGEND_HEIGHT + GAP if game.config.sheet else 0)
    )


def player_height(game: Table) -> float:
    """Return the height of a player's card. Each line of items makes the card one row higher."""
    return PLAYER_HEIGHT + PLAYER_ROW * len(_lines(game))


def _lines(game: Table) -> dict[str, list[System]]:
    """For each line of items on a player's card, return the boxes in play whose items this line shows. The result maps
    the name of the line to a list of `System` objects. The line with the figures is not in the result.
    """
    found: dict[str, list[System]] = {}
    for system in SYSTEMS:
        if system.line and system.box in game.config.boxes:
            found.setdefault(system.line, []).append(system)
    return found


def question(game: Table) -> str:
    """Return a description of the current decision and the player who makes it. If the game is over, return a
    description of its outcome.
    """
    names = names_of(game)
    if game.player is None or game.notes.forfeit is not None:
        return f"Game over: {outcome_of(game, names)}"
    return f"{names[game.player]}: {game.phase.name.replace('_', ' ').lower()}"


def stock(game: Table, player: int, board: list[Placed] | None = None) -> list[tuple[str, int]]:
    """Return each kind of figure in play, with the number of such figures that a player has in supply."""
    on_table = {piece.figure for tile in (game.board() if board is None else board) for piece in tile.figures}
    return [(kind, int(left[player])) for kind, left in game.meeples.items() if kind in on_table or np.any(left)]


def panel(game: Table, board: list[Placed], right: float, high: float) -> str:
    """Return the panel at the right edge of a picture. The panel shows the decision, the tile in hand, the players, and
    the legend of a map sheet.
    """
    shown = (element("g", *card.parts, **card.about, transform=move(0, card.top)) for card in cards(game, board))
    return element("g", *shown, class_="panel", transform=move(*panel_place(game, right, high)))


def cards(game: Table, board: list[Placed]) -> list[Card]:
    """Return the cards of the panel from top to bottom."""
    found, height = [Card(0, QUESTION_HEIGHT, _question_card(game, board))], player_height(game)
    top: float = QUESTION_HEIGHT + GAP
    for player in range(game.players):
        about = {"class_": "player", "data_player": player, "data_score": int(game.scores[player])}
        found.append(Card(top, height, _player_card(game, board, player), about))
        top += height + GAP
    return found + ([Card(top, LEGEND_HEIGHT, [legend(sheet)])] if (sheet := sheet_of(game)) else [])


def panel_place(game: Table, right: float, high: float) -> tuple[float, float, float]:
    """Return the left edge, the top edge and the scale of the panel, rounded as in the drawing."""
    height = panel_height(game)
    scale = min(1.0, (high - 2 * GAP) / height)
    return round(right - PANEL, 1), round(max(GAP, (high - scale * height) / 2), 1), float(f"{scale:.4g}")


def legend(sheet: Sheet) -> str:
    """Return a card with the legend of a map sheet."""
    parts, x = [_card(LEGEND_HEIGHT)], 26.0
    for colour in GRAPES:
        name = colour.replace("_", " ")
        parts += [use(f"grape-{colour}", transform=move(x, 23, 0.6)), text(name, x + 11, 27, 7.5, p.INK)]
        x += 32 + text_width(name, 7.5)
    start = element("rect", x=-7, y=-7, width=14, height=14, rx=2, fill=p.START_GROUND, stroke=p.START, stroke_width=2)
    signs = (
        (use("chip", transform="scale(.4)"), "hidden chip"),
        (element("g", start), "start"),
        (use("coat", transform="scale(.85)"), "coat of arms"),
    )
    x = 26.0
    for sign, name in signs:
        parts += [element("g", sign, transform=move(x, 48)), text(name, x + 13, 52, 7.5, p.INK)]
        x += 34 + text_width(name, 7.5)
    note = RECONSTRUCTION if sheet.reconstruction else sheet.title
    note = note[0].upper() + note[1:]
    parts.append(text(note, 16, 75, fitting_size(note, 7, PANEL - 2 * GAP - 32), p.FAINT_INK))
    return element("g", *parts, class_="legend")


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def sheet_card(sheet: Sheet) -> str:
    """Return a card with the name and the size of a map sheet."""
    room = PANEL - 2 * GAP - 32
    cities = {part.number for part in sheet.large}
    counts = (
        f"{len(sheet.squares)} squares, {len(sheet.towns)} towns, {_count(len(cities), 'large city', 'large cities')}"
    )
    borders = f"{_count(len(sheet.borders), 'connection', 'connections')} at the border"
    return (
        _card(86)
        + text(sheet.title, 16, 30, fitting_size(sheet.title, 11, room))
        + text(counts, 16, 52, fitting_size(counts, 8, room), p.FAINT_INK)
        + text(borders, 16, 70, 8, p.FAINT_INK)
    )


def _card(height: float, line: str = p.CARD_LINE, width: float = 1) -> str:
    return element("rect", width=CARD_WIDTH, height=height, rx=8, fill=p.CARD, stroke=line, stroke_width=width)


def _question_card(game: Table, board: list[Placed]) -> list[str]:
    asked = question(game)
    card = [_card(QUESTION_HEIGHT), text(asked, 16, 28, fitting_size(asked, 11.5, CARD_WIDTH - 32))]
    if game.is_over:
        return card + _final_table(game)
    tiles = tiles_shown(game, board)
    pictures = [
        _picture_of(
            tile, rotation, 90 / len(tiles), "hand" if to_place(game) else "placed", 17, 42 + 94 * i / len(tiles)
        )
        for i, (tile, rotation) in enumerate(tiles)
    ]
    return [
        *card,
        *pictures,
        text(str(game.tiles_left), 132, 82, 18),
        text("tiles left", 132, 100, 8, p.FAINT_INK),
        text(" ".join(tile for tile, _ in tiles), 132, 131, 8, p.FAINT_INK),
    ]


def tiles_shown(game: Table, board: list[Placed]) -> list[tuple[str, int]]:
    """Return the tiles that can be placed now, each with its rotation. If no tile can be placed now, return the tile
    placed last.
    """
    return [(tile, 0) for tile in to_place(game)] or [(board[-1].tile, board[-1].rotation)]


def _picture_of(tile: str, rotation: int, high: float, name: str, left: float, top: float) -> str:
    """Return a picture of a tile. `high` is the height of the picture. A double tile is drawn smaller if there would be
    too little space for the text beside the picture.
    """
    width, height = size_of(tile, rotation)
    scale = min(high / height, 104 / width)
    return element(
        "g",
        tile_picture(tile, rotation),
        class_=name,
        data_tile=tile,
        transform=move(left, top + (high - scale * height) / 2, scale),
    )


def _final_table(game: Table) -> list[str]:
    """Return a table of each player's points by source, such as roads or ingots. The source with the largest total of
    points comes first. If there are more than six sources, the lines of the table are closer together.
    """
    points = {source: of for source, of in game.final_scores().items() if np.any(of)}
    largest = sorted(points, key=lambda source: (-int(points[source].sum()), source))
    step = min(14.0, 84 / max(1, len(largest)))
    size = min(7.5, 0.66 * step)
    columns = [PANEL - 40 - 30 * (game.players - 1 - i) for i in range(game.players)]
    parts = [use("meeple", fill=colour, transform=move(x - 5, 46, 0.55)) for x, (_, colour) in zip(columns, p.PLAYERS)]
    for row, source in enumerate(largest):
        y = 52 + step * (row + 1)
        parts.append(text(source, 16, y, size, p.FAINT_INK))
        parts += [text(str(int(value)), x, y, size, p.INK, "end", 1.4) for x, value in zip(columns, points[source])]
    return parts


def _player_card(game: Table, board: list[Placed], player: int) -> list[str]:
    colour, name = p.PLAYERS[player][1], names_of(game)[player]
    frame = (colour, 2.4) if game.player == player else ()
    pieces: list[tuple[str, str, dict[str, Any]]] = [
        (use(kind, fill=colour, transform=move(0, 0, 0.6 * SCALES[kind])), str(left), {})
        for kind, left in stock(game, player, board)
    ]
    beside = [
        item
        for system in SYSTEMS
        if not system.line and system.box in game.config.boxes
        for item in system.on_card(game, player)
    ]
    pieces += [(drawn(item, colour)[0], str(item.count), _about(item)) for item in beside]
    step = min(36, 180 / max(1, len(pieces)))
    parts = [
        _card(player_height(game), *frame),
        use("meeple", fill=colour, transform=move(30, 36, 1.5)),
        text(name, 60, 29, fitting_size(name, 10.5, NAME_WIDTH)),
    ]
    parts += [
        element("g", sign, text(count, 11, 4, 8, p.FAINT_INK), transform=move(63 + step * i, 53), **about)
        for i, (sign, count, about) in enumerate(pieces)
    ]
    y = 47 if len(pieces) < 4 else 36  # if the row of figures is long, the points are drawn further up
    parts.append(text(str(int(game.scores[player])), PANEL - 37, y, 21, p.INK, "end"))
    for row, (line, systems) in enumerate(_lines(game).items()):
        things = [item for system in systems for item in system.on_card(game, player)]
        parts.append(
            element("g", *_line_of_card(line, things, colour), transform=move(0, PLAYER_HEIGHT + 8 + PLAYER_ROW * row))
        )
    return parts


def _line_of_card(line: str, things: list[Item], colour: str) -> list[str]:
    """Return the drawing of one line of items on a player's card. Each item is aligned with the left or the right edge
    of the card.
    """
    parts, left, gap = [], 21.0, 17 if len(things) < 5 else 13
    for item in things:
        sign, half = drawn(item, colour)
        count = "" if item.count is None else str(item.count)
        x = PANEL - 37 - text_width(count, 8) - half - 6 if item.at_end else left + half
        parts.append(
            element(
                "g",
                sign,
                *[text(count, half + 4, 4, 8, p.FAINT_INK)] * bool(count),
                transform=move(x, 0),
                **_about(item),
            )
        )
        left += 0 if item.at_end else 2 * half + (gap if count else 6)
    return parts if left > 21 else [text(f"no {line}", 22, 4, 7.5, p.FAINT_INK), *parts]


def _about(item: Item) -> dict[str, object]:
    """Return the data attributes of an item that a player holds."""
    return {
        "class_": item.kind,
        **{f"data_{name}": value for name, value in item.about.items()},
        "data_count": item.count,
    }


def drawn(item: Item, colour: str) -> tuple[str, float]:
    """Return the drawing of an item that a player holds, and half the width of the drawing. The middle of the drawing
    is at (0, 0).
    """
    if item.tile:
        width, height = size_of(item.tile, 0)
        line = path(f"M0 0{outline(item.tile, 0)}", stroke=p.TILE_LINE, width=4)
        return element(
            "g", use(f"tile-{item.tile}-0"), line, transform=move(-0.11 * width, -0.11 * height, 0.22)
        ), 0.11 * width
    if item.art:
        return item.art, item.half
    if item.sign in ALL_SIGNS:
        return use(sign_id(item.sign)), item.half
    return use(item.sign, fill=colour, transform=move(0, 0, item.scale)), item.half


def tiles_held(game: Table) -> set[tuple[str, int]]:
    """Return the tiles in the hands of the players, each with its rotation."""
    things = (
        item
        for systems in _lines(game).values()
        for system in systems
        for player in range(game.players)
        for item in system.on_card(game, player)
    )
    return {(item.tile, 0) for item in things if item.tile}
