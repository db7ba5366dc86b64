"""Text for answers and answers for texts: `D@1,0/90`, `ingot 0,1`, `take 0,1`, `meeple city N`, `recall`, `pass`.

Cells are (x, y), x east and y south of the start tile; a rotation is clockwise in degrees. Reading accepts any spot of
the segment meant and any rotation that gives the same tile; writing uses the first spot and the smallest rotation.
"""

import re

import numpy as np

from carc_env.boxes import FIGURES, KINDS, SPOTS, tile_kinds, tile_table
from carc_env.errors import NotationError
from carc_env.rules import answers
from carc_env.rules.expansions.crop_circles import spot_of
from carc_env.rules.geometry import cell_of, coordinates
from carc_env.sheets import GRAPES
from carc_env.rules.state import N_CELLS, N_SPOTS, NONE, Phase

CELL = r"(-?[0-9]{1,3}),(-?[0-9]{1,3})"
PLACE = re.compile(rf"(\S+)@{CELL}/(0|90|180|270)")
CHOOSE = re.compile(rf"(ingot|take) {CELL}")
CROP = re.compile(rf"(add|remove) (meeple|big) (road|city|field) {CELL} (\S+)")
CROPS = {Phase.CROP_ADD: "add", Phase.CROP_REMOVE: "remove"}
SELL = re.compile(rf"sell ({'|'.join(GRAPES)}) (1\+1|2) (abroad|town)")
COMPOSITIONS, DESTINATIONS = ("2", "1+1"), ("abroad", "town")
CIRCLES = {"circle add": answers.CIRCLE_ADD, "circle remove": answers.CIRCLE_REMOVE}
CHOOSES = {"ingot": Phase.PLACE_INGOT, "take": Phase.TAKE_INGOT}


def text_of(game: np.record, action: int) -> str:
    """The text of a legal answer in this game."""
    spot = NONE
    if game["phase"] in CROPS and action != answers.PASS:
        spot = spot_of(game, tile_table()[0], int(game["player"]), (action - answers.CHOOSE_CELL) % N_CELLS)
    return _text(game, action, game["phase"], game["tile"], game["placed"], spot)


def moves_of(game: np.record) -> list[str]:
    """The texts of all answers of the game so far."""
    texts, placed = [], NONE
    for move in game["moves"][:game["n_moves"]]:
        action, phase = int(move["answer"]), int(move["phase"])
        if phase == Phase.PLACE_TILE:
            placed = action % N_CELLS
        texts.append(_text(game, action, phase, game["board"][placed]["tile"], placed, int(move["spot"])))
    return texts


def _text(game: np.record, action: int, phase: int, tile: int, placed: int, spot: int) -> str:
    """The text of an answer to the question `phase`, when `tile` was in hand or `placed` is where it lies.

    `spot` is where the figures of a crop circle stand.
    """
    if action in (answers.PASS, answers.RECALL):
        return "pass" if action == answers.PASS else "recall"
    if phase == Phase.SELL_WINE:
        colour, rest = divmod(action - answers.SELL_WINE, 4)
        return f"sell {GRAPES[colour]} {COMPOSITIONS[rest // 2]} {DESTINATIONS[rest % 2]}"
    if phase == Phase.CROP_CHOICE:
        return "circle add" if action == answers.CIRCLE_ADD else "circle remove"
    if phase == Phase.PLACE_FIGURE:
        figure, spot = divmod(action - answers.PLACE_FIGURE, N_SPOTS)
        kind = _kind_at(game, placed, spot)
        return f"{FIGURES[figure]} {kind}" + ("" if kind == SPOTS[spot] else f" {SPOTS[spot]}")
    if phase == Phase.PLACE_TILE:
        x, y = coordinates(game, action % N_CELLS)
        return f"{tile_kinds()[tile].id}@{x},{y}/{90 * (action // N_CELLS)}"
    x, y = coordinates(game, (action - answers.CHOOSE_CELL) % N_CELLS)
    if phase in CROPS:
        figure, cell = divmod(action - answers.CHOOSE_CELL, N_CELLS)
        return f"{CROPS[phase]} {FIGURES[figure]} {_kind_at(game, cell, spot)} {x},{y} {SPOTS[spot]}"
    return f"{'ingot' if phase == Phase.PLACE_INGOT else 'take'} {x},{y}"


def action_of(game: np.record, text: str) -> int:
    """The answer that a text means in this game, legal or not. Raises NotationError if it means none."""
    words = text.split() if isinstance(text, str) else []
    if words in (["pass"], ["recall"]):
        return answers.PASS if words == ["pass"] else answers.RECALL
    if match := PLACE.fullmatch(" ".join(words)):
        return _place(game, *match.groups())
    if match := CHOOSE.fullmatch(" ".join(words)):
        return _choose(game, *match.groups())
    if " ".join(words) in CIRCLES:
        if game["phase"] != Phase.CROP_CHOICE:
            raise NotationError(f"no crop circle is to be decided now; write {_example(game)}")
        return CIRCLES[" ".join(words)]
    if match := CROP.fullmatch(" ".join(words)):
        return _crop(game, *match.groups())
    if match := SELL.fullmatch(" ".join(words)):
        if game["phase"] != Phase.SELL_WINE:
            raise NotationError(f"no wine can be sold now; write {_example(game)}")
        colour, composition, destination = match.groups()
        return answers.SELL_WINE + 4 * GRAPES.index(colour) + 2 * COMPOSITIONS.index(composition) + \
            DESTINATIONS.index(destination)
    if words and words[0] in FIGURES:
        return _figure(game, words)
    raise NotationError(f"{text!r} is no answer; write {_example(game)}")


def about_tile(game: np.record) -> str:
    """What ends a message about a tile to be placed, or about a figure on the tile just placed; else nothing."""
    if game["phase"] == Phase.PLACE_TILE:
        return f"; tile {tile_kinds()[game['tile']].id} is in hand"
    return f"; tile {_tile_placed(game)} was just placed" if game["phase"] == Phase.PLACE_FIGURE else ""


def _tile_placed(game: np.record) -> str:
    """The id of the tile just placed."""
    return tile_kinds()[game["board"][game["placed"]]["tile"]].id


def _example(game: np.record) -> str:
    """What an answer to the present question looks like."""
    segment = _segments(game)[0] if game["phase"] == Phase.PLACE_FIGURE else ""
    return {
        Phase.PLACE_TILE: f"a placement such as '{tile_kinds()[game['tile']].id}@1,0/90'",
        Phase.SELL_WINE: "a sale such as 'sell orange 1+1 town', or 'pass'",
        Phase.PLACE_INGOT: "'ingot x,y'",
        Phase.PLACE_FIGURE: f"a figure such as 'meeple {segment}', or 'pass'",
        Phase.TAKE_INGOT: "'take x,y'",
        Phase.CROP_CHOICE: "'circle add' or 'circle remove'",
        Phase.CROP_ADD: "a follower to add such as 'add meeple city 0,1 N', or 'pass'",
        Phase.CROP_REMOVE: "a follower to take back such as 'remove meeple city 0,1 N'",
        Phase.GAME_OVER: "nothing, the game is over",
    }[Phase(game["phase"])] + about_tile(game)


def _place(game: np.record, tile: str, x: str, y: str, degrees: str) -> int:
    if game["phase"] != Phase.PLACE_TILE:
        raise NotationError(f"no tile is to be placed now; write {_example(game)}")
    in_hand = tile_kinds()[game["tile"]].id
    if tile != in_hand:
        raise NotationError(f"tile {tile!r} is not in hand, {in_hand!r} is")
    turn = int(degrees) // 90 % int(tile_table()[0]["kinds"][game["tile"]]["rotations"])
    return turn * N_CELLS + _cell(game, int(x), int(y))


def _choose(game: np.record, verb: str, x: str, y: str) -> int:
    if game["phase"] != CHOOSES[verb]:
        raise NotationError(f"there is nothing to {verb} now; write {_example(game)}")
    return answers.CHOOSE_CELL + _cell(game, int(x), int(y))


def _cell(game: np.record, x: int, y: int) -> int:
    """The cell of (x, y), which must be on or beside the layout: further away the torus would repeat itself."""
    cell = cell_of(x, y, bool(game["systems"]["maps"]["on_sheet"]))
    if coordinates(game, cell) != (x, y):
        raise NotationError(f"{x},{y} is not beside the tiles on the table{about_tile(game)}")
    return cell


def _crop(game: np.record, verb: str, figure: str, kind: str, x: str, y: str, spot: str) -> int:
    if CROPS.get(game["phase"]) != verb:
        raise NotationError(f"there is no follower to {verb} now; write {_example(game)}")
    cell = _cell(game, int(x), int(y))
    square = game["board"][cell]
    where = spot_of(game, tile_table()[0], int(game["player"]), cell)
    tile = tile_table()[0]["kinds"][square["tile"]]
    if where == NONE or spot not in SPOTS or _kind_at(game, cell, where) != kind or \
            tile["spot_segment"][square["rotation"], SPOTS.index(spot)] != \
            tile["spot_segment"][square["rotation"], where]:
        raise NotationError(f"player {game['player']} has no follower in the right role on {kind} {x},{y} {spot}")
    return answers.CHOOSE_CELL + FIGURES.index(figure) * N_CELLS + cell


def _figure(game: np.record, words: list[str]) -> int:
    if game["phase"] != Phase.PLACE_FIGURE:
        raise NotationError(f"no figure is to be placed now; write {_example(game)}")
    figure, kind, spot = (words + words[-1:])[:3] if len(words) == 2 else (words + ["", ""])[:3]
    if len(words) > 3 or spot not in SPOTS:
        raise NotationError(f"{' '.join(words)!r}: write figure, feature and spot, such as 'meeple {_segments(game)[0]}'; "
                            f"spots of the tile are {' '.join(_spots(game))}{about_tile(game)}")
    square = game["board"][game["placed"]]
    tile = tile_table()[0]["kinds"][square["tile"]]
    number = tile["spot_segment"][square["rotation"], SPOTS.index(spot)]
    if number == NONE or KINDS[tile["kind"][number]] != kind:
        raise NotationError(f"tile {_tile_placed(game)}, just placed, has no {kind} at {spot}; it has {', '.join(_segments(game))}")
    return answers.PLACE_FIGURE + FIGURES.index(figure) * N_SPOTS + int(tile["spot"][square["rotation"], number])


def _spots(game: np.record) -> list[str]:
    """The spots of the tile just placed."""
    square = game["board"][game["placed"]]
    return [SPOTS[spot] for spot in np.flatnonzero(tile_table()[0]["kinds"][square["tile"]]["spot_segment"][square["rotation"]] != NONE)]


def _segments(game: np.record) -> list[str]:
    """The segments of the tile just placed, as answers name them."""
    square = game["board"][game["placed"]]
    tile = tile_table()[0]["kinds"][square["tile"]]
    spots = sorted(tile["spot"][square["rotation"], :tile["n_segments"]])
    named = ((_kind_at(game, game["placed"], spot), SPOTS[spot]) for spot in spots)
    return [kind if kind == spot else f"{kind} {spot}" for kind, spot in named]


def _kind_at(game: np.record, cell: int, spot: int) -> str:
    """The kind of feature at a spot of a tile on the table."""
    square = game["board"][cell]
    tile = tile_table()[0]["kinds"][square["tile"]]
    return KINDS[tile["kind"][tile["spot_segment"][square["rotation"], spot]]]
