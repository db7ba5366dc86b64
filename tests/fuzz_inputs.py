"""Makes inputs for the fuzzer: configurations, sheets, decks, start tiles, chips, castle tiles in hand, records,
positions, actions, bytes and files.

Each input is made from one random number generator. It is valid (but mostly unusual in some way), valid with some parts
spoilt, or pure noise. To add a kind, write a function `(rng, folder) -> Game or None` and enter it in KINDS.
"""

import copy
import functools
import json
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random

import tomli_w

from carc_env import Game, GameConfig, replay
from carc_env.arena.check_files import check_file
from carc_env.boxes.actions import N_ACTIONS
from carc_env.boxes.sheets import GRAPES, STEPS, read_sheet
from carc_env.boxes.tiles import BOX_NAMES, HOMES, held_tiles, tile_kinds
from carc_env.common.errors import CarcError
from carc_env.notation.records import MAGIC
from carc_env.setup.config import presets

TILES = [kind.id for kind in tile_kinds() if kind.is_land]
HELD = sorted(held_tiles())  # tiles that players hold in hand; no deck contains them
GERMAN_CASTLES = sorted({kind.name for kind in tile_kinds() if kind.box == "german_castles"})
WITHOUT_TILES = ("map_chips", "german_castles")  # boxes that tiles_only cannot contain
# tiles with the same terrain on all edges, which fit beside each other
ALIKE = [kind.id for kind in tile_kinds() if len(set(kind.edges)) == 1 and kind.is_land]
SETTINGS = {
    "edition": ("C1", "C2"),
    "small_city_points": (4, 2),
    "gold_rule": ("hig", "rgg_rounds", "rgg_single_pass"),
    "unfinished_inn_cathedral": ("zero", "ignore"),
    "border_city_coat_points": (2, 0),
    "border_road_coat_points": (0, 2),
    "border_monastery": ("count_tiles", "nine"),
    "chip_large_city_rule": ("any_edge", "open_edges_only"),
    "wine_sales_per_turn_scope": ("whole_turn", "turn_part"),
    "crop_add": ("may", "must"),
    "special_monasteries": ("replace", "keep"),
    "ferry_requires_highwayman": (False, True),
    "abbey_end": ("offer_once", "end_with_stack"),
}
NEEDS = {
    "gold_rule": "goldmines",
    "unfinished_inn_cathedral": "inns_and_cathedrals",
    "border_city_coat_points": "sheet",
    "border_road_coat_points": "sheet",
    "border_monastery": "sheet",
    "chip_large_city_rule": "map_chips",
    "wine_sales_per_turn_scope": "map_chips",
    "crop_add": "crop_circles",
    "special_monasteries": "special_monasteries",
    "ferry_requires_highwayman": "ferries",
    "abbey_end": "abbeys",
}
DEEP = functools.reduce(lambda inner, _: [inner], range(500), [])
ODD = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    127,
    128,
    255,
    256,
    2**15,
    2**31,
    -(2**63),
    2**64,
    10**30,
    10**5000,
    0.5,
    -0.0,
    1e300,
    float("nan"),
    float("inf"),
    "",
    " ",
    "D",
    "base",
    "france",
    "orange",
    "pass",
    "\n",
    "\0",
    "\ud800",
    "é",
    "x" * 3000,
    "٣",
    [],
    {},
    [[]],
    [1],
    [None],
    ["D", 0, 0, 0],
    [0, 0, "orange", 1],
    {"a": 1},
    DEEP,
)


def spoilt(rng: Random, value: object, depth: int = 0) -> object:
    """Return a copy of a tree of lists and dicts in which one place is changed."""
    value = copy.copy(value)
    if isinstance(value, (dict, list)) and value and (depth == 0 or rng.random() < 0.8):
        key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        other = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        change = rng.random()
        if change < 0.1:
            del value[key]
        elif change < 0.2:
            value[key] = value[other]
        elif change < 0.3 and isinstance(value, list):
            value[key:key] = rng.choice(([value[other]], [value[other]] * rng.choice((2, 50, 300)), [rng.choice(ODD)]))
        elif change < 0.3:
            value[rng.choice(("x", "", "seed", "sheet", "pennants", 3, None))] = rng.choice(ODD)
        else:
            value[key] = spoilt(rng, value[key], depth + 1)
        return value
    if type(value) is int and rng.random() < 0.6:
        return value + rng.choice((-1, 1, 1, 2, 5, 30, -30, 100, 10**9))
    if type(value) is str and value and rng.random() < 0.4:
        at = rng.randrange(len(value))
        return (
            value[:at] + rng.choice(("", "9", "@", " ", "o", "C", ".", "\n", "\x7f")) + value[at + rng.randint(0, 1) :]
        )
    return rng.choice(ODD)


def maybe_spoilt(rng: Random, value: object, share: float = 0.3) -> object:
    """Return the value, spoilt in one to three places with the probability `share`."""
    if rng.random() < share:
        for _ in range(rng.randint(1, 3)):
            value = spoilt(rng, value)
    return value


def noise(rng: Random, depth: int = 0) -> object:
    """Return a tree of odd values. Some of its keys are those of records, configurations and sheets."""
    if depth > 3 or rng.random() < 0.5:
        return rng.choice(ODD)
    values = [noise(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    keys = [
        "carc_env",
        "config",
        "seed",
        "deck",
        "chips",
        "german_castles",
        "starts",
        "moves",
        "players",
        "boxes",
        "sheet",
        "rows",
        "town",
        "tile",
    ]
    return values if rng.random() < 0.5 else {rng.choice(keys): value for value in values}


# --- the parts of games -----------------------------------------------------------------------------------------------
def odd_deck(rng: Random) -> list:
    """Return a deck of any length, with tiles of all kinds, of a few kinds or of one kind."""
    sorts = rng.sample(TILES, rng.choice((1, 1, 2, 5, len(TILES)))) + rng.choices(HELD, k=rng.random() < 0.02)
    n = rng.choice((rng.randint(0, 12), rng.randint(1, 80), rng.randint(100, 195)))
    return [rng.choice(sorts) for _ in range(n)]


def odd_starts(rng: Random) -> list:
    """Return start tiles: one tile anywhere, a connected group of equal tiles, or many equal tiles that lie apart."""
    way = rng.random()
    if way < 0.4:
        return [[rng.choice(TILES), rng.randint(-3, 12), rng.randint(-3, 12), rng.choice((0, 90, 180, 270))]]
    tile, x0, y0 = rng.choice(ALIKE), rng.choice((0, 0, -100, 77, rng.randint(-120, 120))), rng.randint(-20, 20)
    if way < 0.7:
        cells, size = {(0, 0)}, rng.choice((2, 5, 40, 190))
        while len(cells) < size:
            x, y = rng.choice(sorted(cells)) if size < 10 else rng.choice(tuple(cells))
            dx, dy = rng.choice(tuple(STEPS.values()))
            cells.add((min(24, max(-4, x + dx)), min(20, max(-4, y + dy))))
    else:
        step = rng.choice((2, 3, 5))
        cells = [(x, y) for x in range(24) for y in range(24) if (x + (2 if step == 5 else 1) * y) % step == 0]
        cells = rng.sample(cells, min(len(cells), rng.choice((2, 20, 60, 115, 190))))
    return [[tile, x0 + x, y0 + y, 0] for x, y in cells]


def odd_chips(rng: Random) -> list:
    """Return chips on random squares, in most cases only a few."""
    places = rng.sample([(x, y) for x in range(1, 12) for y in range(2, 12)], rng.choice((0, 1, 1, 2, 3, 10, 60)))
    return [[x, y, rng.choice(GRAPES), rng.randint(1, 2)] for x, y in places] * rng.choice((1,) * 20 + (4,))


def odd_hands(rng: Random, players: int = 2) -> list:
    """Return castle tiles in hand, in most cases for `players` players. The tiles may be too few or too many."""
    tiles = rng.sample(GERMAN_CASTLES, len(GERMAN_CASTLES)) + rng.choices(HELD + TILES, k=rng.random() < 0.1)
    return [
        [tiles.pop() for _ in range(min(len(tiles), rng.choice((0, 1, 1, 2, 2, 2, 3 if rng.random() < 0.1 else 1))))]
        for _ in range(rng.choice((0, 1, 3, 6)) if rng.random() < 0.1 else players)
    ]


def odd_sheet(rng: Random, most: int = 24) -> dict:
    """Return a random sheet of connected squares, with large cities, towns and borders."""
    most = rng.choice((most, 9, 9, 6))
    width, height = rng.choice(((most, most), (rng.randint(1, most), rng.randint(1, most))))
    cells, wanted = {(0, 0)}, max(2, int(width * height * rng.choice((0.3, 0.7, 1.0))))
    edge = [(0, 0)]
    while edge and len(cells) < wanted:
        x, y = edge.pop(rng.randrange(len(edge)))
        for dx, dy in STEPS.values():
            if 0 <= x + dx < width and 0 <= y + dy < height and (x + dx, y + dy) not in cells:
                cells.add((x + dx, y + dy))
                edge.append((x + dx, y + dy))
    large = [odd_large_city(rng, f"L{n}", cells) for n in range(rng.choice((0, 0, 1, 2, 5, 17)))]
    printed = {tuple(square["square"]) for city in large for square in city["squares"]}
    free = sorted(cells - printed) or [(0, 0)]
    starts, others = rng.choice((2, 2, 3, 8)), rng.choice((0, 3))
    towns = [
        {"name": f"T{n}", "square": list(rng.choice(free)), "grape": rng.choice(GRAPES), "start": n < starts}
        for n in range(starts + others)
    ]
    at_border = [(x, y, side) for x, y in free for side, (dx, dy) in STEPS.items() if (x + dx, y + dy) not in cells]
    borders = [
        {
            "square": [x, y],
            "edge": side,
            "kind": rng.choice(("road", "road", "city")),
            "coats": rng.choice((0, 1, 1, 9)),
        }
        for x, y, side in rng.sample(at_border, min(len(at_border), rng.choice((0, 1, 5, 100))))
    ]
    rows = [
        "".join("C" if (x, y) in printed else "o" if (x, y) in cells else "." for x in range(width))
        for y in range(height)
    ]
    return {
        "name": "odd",
        "title": "Odd",
        "rows": rows,
        "town": towns,
        "large_city": [city for city in large if city["squares"]],
        "border": borders,
    }


def odd_large_city(rng: Random, name: str, cells: set) -> dict:
    """Return a large city on the cells in a random rectangle. Towards other squares it is closed or open."""
    x, y = rng.choice(sorted(cells))
    wide, high = rng.choice(((1, 1), (1, 1), (2, 1), (3, 3), (24, 1), (15, 15)))
    squares = {(x + dx, y + dy) for dx in range(wide) for dy in range(high)} & cells
    pennants, towards_others = rng.choice((0, 1, 9)), rng.choice("CCF")
    entries = [
        {
            "square": [x, y],
            "pennants": pennants,
            "edges": "".join("C" if (x + dx, y + dy) in squares else towards_others for dx, dy in STEPS.values()),
        }
        for x, y in sorted(squares)
    ]
    return {"name": name, "squares": entries}


@functools.cache
def good_sheets() -> list[str]:
    """Return valid sheets: the one of France and those of the tests."""
    return ["france", *map(str, sorted((Path(__file__).parent / "data" / "sheets").glob("*.toml")))]


def a_sheet(rng: Random, folder: Path) -> str:
    """Return the name or the path of a sheet: a valid one, or one of a hundred odd ones. The file of an odd sheet is
    written when it is first needed.
    """
    if rng.random() < 0.5:
        return rng.choice(good_sheets())
    number = rng.randrange(100)
    path = folder / f"odd-{number}.toml"
    if not path.exists():
        path.write_text(tomli_w.dumps(odd_sheet(Random(number))), encoding="utf-8")
    return str(path)


def written(rng: Random, folder: Path, data: dict) -> str:
    """Write the data to a new TOML file and return its path."""
    path = folder / f"{rng.getrandbits(64):x}.toml"
    try:
        path.write_text(tomli_w.dumps(data), encoding="utf-8")
    except (
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
    ):  # TOML cannot represent the data: None, a key that is no string, a number too long
        path.write_text(repr(list(data))[:1000].encode("utf-8", "replace").decode())
    return str(path)


def odd_config(rng: Random, folder: Path) -> dict:
    """Return the fields of a configuration, which is valid in most cases."""
    share = rng.choice((0.1, 0.4, 0.4, 0.9))
    boxes = [box for box in BOX_NAMES if box == "base" or rng.random() < share]
    found: dict = {"players": rng.choice((2, 2, 3, 4, 5, 6 if "inns_and_cathedrals" in boxes else 5))}
    if "map_chips" in boxes or rng.random() < 0.3:
        found["sheet"] = a_sheet(rng, folder)
    if rng.random() < 0.4:
        found["meeples"] = rng.randint(1, 9)
    if rng.random() < 0.3:
        found["starts"] = odd_starts(rng)
    if rng.random() < 0.3:
        found["tiles_only"] = [
            box for box in BOX_NAMES if box not in boxes and box not in WITHOUT_TILES and rng.random() < 0.4
        ]
    if "crop_circles" in boxes and rng.random() < 0.3:
        found["crop_circle_tiles"] = [f"CR{rng.randint(1, 12)}" for _ in range(rng.choice((1, 6, 100, 130)))]
    for name, values in SETTINGS.items():
        if rng.random() < 0.2 and (NEEDS.get(name) in (None, *boxes) or NEEDS[name] in found):
            found[name] = rng.choice(values)
    return found | {"boxes": boxes}


@functools.lru_cache(maxsize=1)
def good_records() -> list[dict]:
    """Return valid records of games at various stages, from all presets. Each move takes time to check, so they are
    short.
    """
    rng, found = Random(0), []
    for number in range(24):
        game = Game(sorted(presets())[number % len(presets())], seed=number)
        for _ in range(rng.choice((0, 2, 6, 12, 25))):
            game.play(int(rng.choice(game.legal_actions())))
        found.append(json.loads(json.dumps(game.record())))
    return found


# --- the kinds --------------------------------------------------------------------------------------------------------
def from_config(rng: Random, folder: Path) -> Game:
    """Return a game with an odd configuration."""
    data = maybe_spoilt(rng, odd_config(rng, folder)) if rng.random() < 0.95 else noise(rng)
    config = GameConfig.from_dict(data) if isinstance(data, dict) else data
    return Game(config, seed=rng.getrandbits(64))


def from_deck(rng: Random, folder: Path) -> Game:
    """Return a game with a given deck, and perhaps with given start tiles."""
    config = GameConfig.from_dict(odd_config(rng, folder)) if rng.random() < 0.7 else rng.choice(presets())
    return Game(
        config,
        rng.choice((None, rng.getrandbits(32))) if rng.random() < 0.9 else rng.choice(ODD),
        deck=maybe_spoilt(rng, odd_deck(rng), 0.1),
    )


def from_starts(rng: Random, folder: Path) -> Game:
    """Return a game with odd start tiles, on a free table or on a sheet."""
    data = odd_config(rng, folder) | {"starts": maybe_spoilt(rng, odd_starts(rng), 0.2)}
    return Game(GameConfig.from_dict(data), seed=1, deck=None if rng.random() < 0.5 else odd_deck(rng))


def from_chips(rng: Random, folder: Path) -> Game:
    """Return a game with given chips."""
    data = {"boxes": ["base", "map_chips"], "sheet": rng.choice(("france", a_sheet(rng, folder)))}
    way = rng.random()
    if way < 0.5:
        data["starts"] = [["B", *read_sheet(data["sheet"]).starts[-1], 0]]
    elif way < 0.7:
        data["starts"] = odd_starts(rng)[:2]
    return Game(
        GameConfig.from_dict(data),
        seed=rng.getrandbits(8),
        deck=odd_deck(rng) if rng.random() < 0.8 else None,
        chips=maybe_spoilt(rng, odd_chips(rng)),
    )


def from_hands(rng: Random, folder: Path) -> Game:
    """Return a game with given castle tiles in hand."""
    data = odd_config(rng, folder) if rng.random() < 0.5 else {"boxes": ["base", "abbeys"]}
    data["boxes"] = [
        *data["boxes"],
        *(["german_castles"] if "german_castles" not in data["boxes"] and rng.random() < 0.95 else []),
    ]
    config = GameConfig.from_dict(data)
    return Game(
        config,
        seed=rng.getrandbits(8),
        deck=odd_deck(rng) if rng.random() < 0.5 else None,
        german_castles=maybe_spoilt(rng, odd_hands(rng, config.players), 0.2),
    )


def from_sheet(rng: Random, folder: Path) -> Game:
    """Return a game on an odd sheet."""
    data = {"boxes": [box for box in BOX_NAMES if box != "map_chips" and (box == "base" or rng.random() < 0.4)]}
    data["sheet"] = written(rng, folder, maybe_spoilt(rng, odd_sheet(rng)))
    if rng.random() < 0.2:
        data["boxes"].append("map_chips")
    return Game(
        GameConfig.from_dict(data), seed=rng.getrandbits(64), deck=odd_deck(rng) if rng.random() < 0.5 else None
    )


def odd_record(rng: Random, folder: Path) -> object:
    """Return a game record, which is spoilt in most cases."""
    if rng.random() < 0.05:
        return noise(rng)
    record = dict(rng.choice(good_records()))
    if rng.random() < 0.4:
        record |= rng.choice(
            (
                {"config": odd_config(rng, folder)},
                {"deck": odd_deck(rng)},
                {"starts": odd_starts(rng)},
                {"chips": odd_chips(rng)},
                {"german_castles": odd_hands(rng)},
                {"moves": []},
            )
        )
    return maybe_spoilt(rng, record, 0.7)


def from_record(rng: Random, folder: Path) -> Game:
    """Return a game replayed from an odd record."""
    return replay(odd_record(rng, folder))


def from_bytes(rng: Random, folder: Path) -> Game:
    """Return a game read from the bytes of an odd record, perhaps altered before or after its checksum is computed."""
    try:
        text = json.dumps(odd_record(rng, folder)).encode()
    except (TypeError, ValueError):  # JSON cannot represent an odd value
        text = b"{}"
    way = rng.random()
    payload = zlib.compress(altered(rng, text) if way < 0.5 else text, 1)
    payload = altered(rng, payload) if way < 0.2 else payload
    data = MAGIC + sha256(payload).digest() + payload
    return Game.from_bytes(altered(rng, data) if way > 0.8 else data)


def from_position(rng: Random, folder: Path) -> Game:
    """Return a game read from the text of a position. The data may be spoilt, or the text altered."""
    position = maybe_spoilt(rng, dict(rng.choice(good_positions())), 0.5)
    try:
        text = json.dumps(position)
    except (TypeError, ValueError):  # JSON cannot represent an odd value
        text = rng.choice(("", "{}", "[]", "x"))
    if rng.random() < 0.2:
        text = altered(rng, text.encode()).decode("utf-8", "replace")
    return Game.from_position(
        text if rng.random() < 0.95 else rng.choice(ODD), rng.choice((1, 1, 1, None, rng.choice(ODD)))
    )


def from_answers(rng: Random, folder: Path) -> Game:
    """Play texts and ids that may be no legal actions, and return the game. Refused actions must change nothing."""
    game = replay(rng.choice(good_records()))
    record = rng.choice(good_records())
    for _ in range(rng.randint(1, 4)):
        before = game._games.tobytes()
        answer = rng.choice(
            (
                rng.choice(record["moves"] or [""]),
                spoilt(rng, rng.choice(record["moves"] or ["x"])),
                rng.choice(ODD),
                rng.randint(-9, N_ACTIONS + 9),
                spoilt(rng, int(rng.choice(game.legal_actions() if not game.is_over else [0]))),
            )
        )
        try:
            game.play(answer)
        except CarcError:
            assert game._games.tobytes() == before, "an answer that was refused has changed the game"
            if rng.random() < 0.5:
                raise
    return game


@functools.lru_cache(maxsize=1)
def good_positions() -> list[dict]:
    """Return the positions of the valid records."""
    return [json.loads(replay(record).position()) for record in good_records()]


def altered(rng: Random, data: bytes) -> bytes:
    """Return the bytes with some of them changed, removed or inserted."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        at = rng.randint(0, len(data))
        data[at : at + rng.choice((0, 1, 1, 100))] = rng.choice(
            (b"", b"[" * 30, b"9" * 30, b'"', rng.randbytes(2), b"\n", b"0x")
        )
    return bytes(data)


def from_file(rng: Random, folder: Path) -> None:
    """Check a file as `carc check` does: a configuration, sheet, box, record or empty file, mostly altered as text."""
    box = rng.choice(BOX_NAMES)
    make = rng.choice(
        (
            lambda: json.dumps(good_records()[rng.randrange(24)]),
            lambda: tomli_w.dumps(odd_sheet(rng, 9)),
            lambda: tomli_w.dumps(odd_config(rng, folder)),
            lambda: box_text(box),
            lambda: "",
        )
    )
    path = folder / f"{rng.getrandbits(64):x}.toml"
    data = make().encode()
    path.write_bytes(altered(rng, data) if rng.random() < 0.8 else data)
    check_file(path)


@functools.cache
def box_text(name: str) -> str:
    """Return the text of a box's `tiles.toml`."""
    return (HOMES / name / "tiles.toml").read_text(encoding="utf-8")


KINDS: dict[str, Callable[[Random, Path], Game | None]] = {
    "config": from_config,
    "deck": from_deck,
    "starts": from_starts,
    "chips": from_chips,
    "hands": from_hands,
    "sheet": from_sheet,
    "record": from_record,
    "bytes": from_bytes,
    "file": from_file,
    "position": from_position,
    "answers": from_answers,
}
