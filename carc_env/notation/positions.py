"""Reads and writes positions. A position is one line of text with everything that a player is allowed to know about a
game. A game can be continued from a position.

A position is a game record (one line of JSON) without the hidden information. A position has these keys:

| key | meaning |
|---|---|
| `carc_env` | the version number of the record format |
| `config` | the name of a preset, or the fields of the configuration that differ from their defaults |
| `deck` | all tiles drawn so far. If the player has a tile in hand, this tile is the last in the list |
| `left` | the number of copies of each tile in the stack. The key is omitted if the stack contains all tiles of the boxes in play, except the start tiles and the tiles drawn so far |
| `starts` | the start tiles, each as `[tile, x, y, rotation]` |
| `chips` | the chips, each as `[x, y, colour, value]` if it was turned up, or as `[x, y]` if it lies face down |
| `german_castles` | the castle tiles that each player received. The key is omitted if the box `german_castles` is not in play |
| `faces` | the faces of the face-down chips, each as `[colour, value, number]`. The key is omitted if the game uses all chips of the box `map_chips` |
| `moves` | all actions so far |
| `scores` | the points on the scoring track |
"""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from carc_env.boxes.sheets import GRAPES
from carc_env.boxes.tiles import tile_kinds
from carc_env.common.arguments import Kinds, brief, check_fields
from carc_env.common.errors import RecordError
from carc_env.notation.records import check_format
from carc_env.rules.geometry import cell_of, size_of
from carc_env.rules.state import CHIPS_OF_COLOUR, MAX_CELLS, MAX_TILES, NONE
from carc_env.setup.config import GameConfig, as_config, preset, presets
from carc_env.setup.template import full_deck

KEYS: dict[str, Kinds] = {
    "carc_env": int,
    "config": (dict, str),
    "deck": list,
    "left": dict,
    "starts": list,
    "chips": list,
    "faces": list,
    "german_castles": list,
    "moves": list,
    "scores": list,
}
OPTIONAL = ("left", "faces", "german_castles", "scores")


# --- writing ----------------------------------------------------------------------------------------------------------
def known(game: Any) -> dict[str, Any]:
    """Return everything that the players are allowed to know about a Game, as a JSON-serialisable dict."""
    record, state = game.record(), game.state
    drawn = record["deck"][: int(state["n_drawn"])]
    left = Counter(record["deck"][len(drawn) :])
    down = [chip for chip in record["chips"] if _lies_face_down(state, chip)]
    seen = [chip for chip in record["chips"] if chip not in down]
    faces = Counter((colour, value) for _, _, colour, value in down)
    found = {"carc_env": record["carc_env"], "config": short(game.config), "deck": drawn}
    if left != expected_left(game.config, record["starts"], drawn):
        found["left"] = dict(sorted(left.items()))
    found |= {"starts": record["starts"], "chips": seen + [chip[:2] for chip in down]}
    if faces != expected_faces(game.config, seen):
        found["faces"] = [[*face, amount] for face, amount in sorted(faces.items())]
    if "german_castles" in record:
        found["german_castles"] = record["german_castles"]
    return found | {"moves": record["moves"], "scores": record["scores"]}


def _lies_face_down(state: Any, chip: list[Any]) -> bool:
    return bool(state["board"][cell_of(chip[0], chip[1], True, size_of(state))]["tile"] == NONE)


def short(config: GameConfig) -> str | dict[str, Any]:
    """Return a short form of a configuration. If the configuration equals a preset, return the name of the preset. If
    the configuration equals no preset, return the fields that differ from their defaults.
    """
    for name in presets():
        if preset(name) == config:
            return name
    usual = GameConfig().to_dict()
    for field in ("meeples", "starts", "table_size"):  # the defaults of these fields depend on other fields
        unsaid: dict[str, Any] = {field: None}
        usual[field] = dataclasses.replace(config, **unsaid).to_dict()[field]
    return {field: value for field, value in config.to_dict().items() if value != usual[field]}


def expected_left(config: GameConfig, starts: Iterable[Any] | None, drawn: Iterable[str]) -> Counter[str]:
    """Return how many copies of each tile are left in the stack. The function assumes that the game uses all tiles of
    its boxes. The start tiles and the tiles drawn so far are not in the stack.
    """
    starts = tuple(tuple(start) for start in starts or ())
    return Counter(full_deck(dataclasses.replace(config, starts=starts))) - Counter(drawn)


def expected_faces(config: GameConfig, seen: Iterable[Any]) -> Counter[tuple[str, int]]:
    """Return the number of chips that nobody has seen yet, for each colour and value. The function assumes that the
    game uses all chips of the box `map_chips`. If the box `map_chips` is not in play, the result is empty.
    """
    in_play = "map_chips" in config.boxes
    box = Counter({(colour, value): in_play * CHIPS_OF_COLOUR[value - 1] for colour in GRAPES for value in (1, 2)})
    return box - Counter((colour, value) for _, _, colour, value in seen)


# --- reading ----------------------------------------------------------------------------------------------------------
def read_position(text: object) -> dict[str, Any]:
    """Read a position from a line of text and check its keys. The key `legal`, which the bot protocol adds, is ignored.
    Raises RecordError.
    """
    if not isinstance(text, str):
        raise RecordError(f"a position should be a line of text, not {brief(text)}")
    try:
        position: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"a position should be JSON: {error}") from None
    if isinstance(position, dict):
        position.pop("legal", None)
        if "seed" in position:
            raise RecordError("the text is a game record, not a position; `carc_env.replay` reads game records")
    check_format(position)
    check_fields(
        position,
        {key: kind for key, kind in KEYS.items() if key not in OPTIONAL},
        {key: KEYS[key] for key in OPTIONAL},
        "the position",
        RecordError,
    )
    return position


def with_any_order(position: Mapping[str, Any]) -> dict[str, Any]:
    """Return a game record for a position. A position does not contain the order of the tiles in the stack, and it does
    not say which face each face-down chip has. The game record contains an arbitrary order of the tiles and arbitrary
    faces of the chips. Raises RecordError.
    """
    try:
        config = as_config(position["config"])
        starts = dataclasses.replace(config, starts=position["starts"]).starts
    except ValueError as error:
        raise RecordError(f"position: {error}") from None
    if "german_castles" in config.boxes and "german_castles" not in position:
        raise RecordError("the position lacks the key 'german_castles'")
    _check_tiles(position["deck"])
    left = expected_left(config, starts, position["deck"]) if "left" not in position else _left(position["left"])
    record = {key: value for key, value in position.items() if key not in ("left", "faces")}
    return record | {"deck": [*position["deck"], *left.elements()], "chips": _turned_up(position, config)}


def check_drawn(position: Mapping[str, Any], drawn: int) -> None:
    """Check that the key `deck` of a position lists the tiles that the players have drawn, and no other tiles. Raises
    RecordError.
    """
    named = len(position["deck"])
    if named != drawn:
        raise RecordError(
            f"position: deck lists {named} tile{'s' * (named != 1)}, but the players have drawn {drawn} after these "
            "moves. The deck should list all tiles drawn so far, including the tile in hand, and no others"
        )


def _check_tiles(tiles: Iterable[Any]) -> None:
    known_tiles = {kind.id for kind in tile_kinds()}
    for tile in tiles:
        if not isinstance(tile, str) or tile not in known_tiles:
            raise RecordError(f"position: unknown tile {brief(tile)}")


def _left(left: Mapping[str, Any]) -> Counter[str]:
    _check_tiles(left)
    for tile, amount in left.items():
        if type(amount) is not int or not 0 < amount <= MAX_TILES:
            raise RecordError(
                f"position: left: the number of copies of {tile} should be from 1 to {MAX_TILES}, not {brief(amount)}"
            )
    return Counter(left)


def _turned_up(position: Mapping[str, Any], config: GameConfig) -> list[list[Any]]:
    """Return all chips, with arbitrary but possible faces for the face-down chips."""
    for chip in position["chips"]:
        types = [type(value) for value in chip] if isinstance(chip, list) else None
        if types not in ([int, int], [int, int, str, int]):
            raise RecordError(f"position: chip {brief(chip)} should be [x, y] or [x, y, colour, value]")
    seen = [chip for chip in position["chips"] if len(chip) == 4]
    down = [chip for chip in position["chips"] if len(chip) == 2]
    faces = expected_faces(config, seen) if "faces" not in position else _faces(position["faces"])
    if faces.total() != len(down):
        raise RecordError(f"position: {len(down)} chips lie face down, but {faces.total()} faces are given")
    return seen + [[*place, *face] for place, face in zip(down, faces.elements())]


def _faces(faces: list[Any]) -> Counter[tuple[str, int]]:
    found: Counter[tuple[str, int]] = Counter()
    for entry in faces:
        types = [type(value) for value in entry] if isinstance(entry, list) else None
        if types != [str, int, int] or not 0 < entry[2] <= MAX_CELLS:
            raise RecordError(f"position: faces: {brief(entry)} should be [colour, value, number]")
        found[entry[0], entry[1]] += entry[2]
    return found
