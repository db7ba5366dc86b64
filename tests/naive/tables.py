"""Games worth comparing: the presets, tables with random boxes and settings, and decks with which much happens."""

import random
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import carc_env

from .chips import Chips
from .darmstadt import without_two_monasteries
from .maps import read_sheet
from .special_monasteries import without_base_monasteries
from .table import Table
from .tiles import DOUBLE_TILES, FACTS, SYSTEM_TILES, SYSTEMS, TILES, box_of, copies

PRESETS = ["base", "goldmines", "goldmines-c1", "france", "carcassonne", "expansions"]
KINDS = [*PRESETS, "strange", "strange"]  # the kinds of games, which take turns

SYSTEM_KINDS = [*SYSTEMS, *(f"goldmines, {system}" for system in SYSTEMS), "everything", *["strange systems"] * 6]
KINDS += SYSTEM_KINDS

HAND_MADE = Path(__file__).parents[1] / "data" / "sheets"
HARBOURS = str(HAND_MADE / "harbours.toml")
SHEETS = ["france", *sorted(str(path) for path in HAND_MADE.glob("*.toml"))]

# Settings for rules that can be read in several ways, with their values.
READINGS = {
    "small_city_points": (4, 2),
    "gold_rule": ("hig", "rgg_rounds", "rgg_single_pass"),
    "unfinished_inn_cathedral": ("zero", "ignore"),
    "border_city_coat_points": (2, 0),
    "border_road_coat_points": (0, 2),
    "border_monastery": ("count_tiles", "nine"),
    "chip_large_city_rule": ("any_edge", "open_edges_only"),
    "wine_sales_per_turn_scope": ("whole_turn", "turn_part"),
    "crop_add": ("may", "must"),
}

# Settings for rules of the nine systems that can be read in several ways, with their values.
SYSTEM_READINGS = {
    "ferry_requires_highwayman": (False, True),
    "abbey_end": ("offer_once", "end_with_stack"),
    "special_monasteries": ("replace", "keep"),
}

# The box that a setting is about, or "sheet"; without it the setting does not matter.
ABOUT = {
    "ferry_requires_highwayman": "ferries",
    "abbey_end": "abbeys",
    "special_monasteries": "special_monasteries",
    "gold_rule": "goldmines",
    "unfinished_inn_cathedral": "inns_and_cathedrals",
    "border_city_coat_points": "sheet",
    "border_road_coat_points": "sheet",
    "border_monastery": "sheet",
    "chip_large_city_rule": "map_chips",
    "wine_sales_per_turn_scope": "map_chips",
    "crop_add": "crop_circles",
}
CHIP_READINGS = {name: READINGS[name][0] for name, box in ABOUT.items() if box == "map_chips"}

TILES_OF = {box: [tile for tile in TILES if box_of(tile) == box] for box in map(box_of, TILES)}
PLAIN_TILES = [tile for tile in TILES_OF["base"] if len(tile) == 1]
GARDEN_TILES = [tile for tile in TILES if FACTS[tile]["extra"] == "garden"]
GOLD_TILES = TILES_OF["goldmines"]
INN_TILES = [f"IC{number}" for number in (11, 12, 13, 14, 15, 16, 19)]
GOODS_TILES = [tile for tile in TILES_OF["traders_and_builders"] if "good" in str(FACTS[tile]["segments"])]
CROP_TILES = TILES_OF["crop_circles"]
CLOSING_TILES = list("ABBBEEHIKLVVWX")  # tiles that soon complete roads, cities and monasteries
# The tiles of composed decks: those that begin and end features, and those with the symbols of the boxes.
COMPOSING_TILES = [*PLAIN_TILES, *GARDEN_TILES, *GOLD_TILES, *CLOSING_TILES, *INN_TILES, *CROP_TILES]
COMPOSING_TILES += [*GOODS_TILES, "IC1", "IC1", "IC3", "IC7", "IC2", "TB16", "TB20", "TB23"]


# With systems in play: their tiles twice, and many tiles that close roads and small cities.
SYSTEM_COMPOSING_TILES = [*SYSTEM_TILES, *SYSTEM_TILES, *CLOSING_TILES, *"EEEHHIIJKLUVW", *GOLD_TILES, *GARDEN_TILES]
SYSTEM_COMPOSING_TILES += [*INN_TILES, *CROP_TILES, *GOODS_TILES, "IC1", "IC7"]


@dataclass(frozen=True)
class GameToPlay:
    """A game before it is played: its configuration, and where its deck and chips come from."""

    table: carc_env.GameConfig
    deck: str = "printed"  # "printed", "strange" (see `strange_deck`) or "composed" (see `players.ComposedGame`)
    dictated_chips: bool = False


def game_to_play(kind, rng):
    """Return a game of this kind. Presets are played as they are."""
    if kind in PRESETS or kind == "everything":
        return GameToPlay(carc_env.preset(kind))
    if kind in SYSTEM_KINDS:
        settings = system_settings(kind, rng)
        deck = rng.choice(("printed", "composed", "composed"))
        return GameToPlay(table_with(settings), deck)
    table = strange_table(rng)
    chips = "map_chips" in table.boxes and not (table.sheet == "france" and rng.random() < 0.5)
    return GameToPlay(table, rng.choice(("printed", "strange", "composed", "composed")), chips)


def start(game, seed, rng, compose):
    """Start a game on the engine. If the deck is composed, `compose(table, chips, castles)` returns it."""
    table, chips, deck, castles = game.table, None, None, {}
    without_chips = replace(table, boxes=tuple(box for box in table.boxes if box != "map_chips"), **CHIP_READINGS)
    drawn = carc_env.Game(without_chips, seed).record()
    if game.deck != "printed" or game.dictated_chips:
        table = replace(table, starts=drawn["starts"])
    if game.dictated_chips:
        chips = strange_chips(rng, table)
        deck = drawn["deck"]
    if game.deck == "strange":
        deck = strange_deck(rng)
    if game.deck == "composed":
        if chips is None and "map_chips" in table.boxes:
            chips = carc_env.Game(table, seed).record()["chips"]
        if "german_castles" in table.boxes:
            castles = {"german_castles": dealt_castles(rng, table.players)}
        deck = compose(table, chips or (), **castles)
    return carc_env.Game(table, seed, deck, chips and [tuple(chip) for chip in chips], **castles)


# ------------------------------------------------------------------------------------- tables


def strange_table(rng):
    """Return a table with random boxes and settings."""
    sheet = rng.choice([None, None, *SHEETS, HARBOURS])
    optional = ["goldmines", "goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot", "crop_circles"]
    boxes = {"base"} | {box for box in optional if rng.random() < 0.55}
    if sheet == HARBOURS:
        boxes |= {"map_chips", "traders_and_builders"}  # so that much wine is sold, and turns are double
    elif sheet and rng.random() < 0.75:
        boxes.add("map_chips")
    tiles_only = {box for box in TILES_OF if box not in boxes and rng.random() < 0.4}
    most = 6 if "inns_and_cathedrals" in boxes else 5
    settings = {
        "players": rng.choice((2, 2, 3, rng.randint(2, most), most)),
        "boxes": tuple(sorted(boxes)),
        "tiles_only": tuple(sorted(tiles_only)),
        "edition": rng.choice(("C1", "C2", "C2")),
        "sheet": sheet,
        "meeples": rng.choice((None, None, None, 2, 4)),
    }
    there = {None, *boxes, sheet and "sheet"}
    settings |= {name: rng.choice(values) for name, values in READINGS.items() if ABOUT.get(name) in there}
    if rng.random() < (0.4 if sheet else 0.2):
        settings["starts"] = strange_starts(rng, sheet)
    elif "map_chips" in boxes and sheet != "france":
        settings["starts"] = drawn_starts(settings)
    return table_with(settings)


def system_settings(kind, rng):
    """Return the settings of a table with one of the nine systems, with one and The Goldmines, or with any of them."""
    if kind == "strange systems":
        return strange_system_settings(rng)
    system = kind.removeprefix("goldmines, ")
    boxes = {"base", system} | ({"goldmines"} if system != kind else set())
    readings = {name: rng.choice(values) for name, values in SYSTEM_READINGS.items() if ABOUT[name] in boxes}
    return {"players": rng.choice((2, 2, 3, 4)), "boxes": tuple(sorted(boxes)), **readings}


def strange_system_settings(rng):
    """Return the settings of a table with random systems and other boxes, now and then on a sheet, also with chips."""
    boxes = {system for system in SYSTEMS if rng.random() < rng.choice((0.3, 0.6, 1))}
    optional = ["goldmines", "goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot", "crop_circles"]
    boxes |= {"base"} | {box for box in optional if rng.random() < 0.6}
    sheet = rng.choice([None, None, None, "france"])
    boxes |= {"map_chips"} if sheet and rng.random() < 0.6 else set()
    there = {None, *boxes, sheet and "sheet"}
    readings = READINGS | SYSTEM_READINGS
    return {
        "players": rng.choice((2, 2, 3, 5)),
        "boxes": tuple(sorted(boxes)),
        "tiles_only": tuple(sorted(box for box in SYSTEMS[:-1] if box not in boxes and rng.random() < 0.2)),
        "edition": rng.choice(("C1", "C2", "C2")),
        "sheet": sheet,
        "meeples": rng.choice((None, None, None, 2, 4)),
        **{name: rng.choice(values) for name, values in readings.items() if ABOUT.get(name) in there},
    }


def everything():
    """Return the settings of the preset `everything`: all boxes except the chips, which need a sheet."""
    optional = ["abbot", "crop_circles", "goldmines", "inns_and_cathedrals", "traders_and_builders"]
    return {"players": 2, "boxes": tuple(sorted(["base", *optional, *SYSTEMS]))}


def dealt_castles(rng, players):
    """Return castle tiles dealt at random: two for each of two or three players, otherwise one for each player."""
    tiles = rng.sample(DOUBLE_TILES, len(DOUBLE_TILES))
    each = 2 if players <= 3 else 1
    return [tuple(tiles[each * player : each * (player + 1)]) for player in range(players)]


def table_with(settings):
    """Return a table with these settings; the other settings have their defaults."""
    return replace(carc_env.preset("base"), **{"starts": None, "meeples": None, **settings})


def drawn_starts(settings):
    """Return start tiles as the engine draws them without chips, because small sheets have no room for all chips."""
    without_chips = {name: value for name, value in settings.items() if name not in CHIP_READINGS}
    boxes = tuple(box for box in settings["boxes"] if box != "map_chips")
    seed = random.Random(str(without_chips | {"sheet": None})).getrandbits(32)
    starts = carc_env.Game(table_with(without_chips | {"boxes": boxes}), seed).record()["starts"]
    return tuple(map(tuple, starts))


def strange_starts(rng, sheet):
    """Return one to three start tiles in random places, turned so that they match what touches them."""
    table = Table(sheet=sheet and read_sheet(sheet))
    squares = sorted(table.sheet.squares) if sheet else [(x, y) for x in range(-2, 3) for y in range(-2, 3)]
    starts = []
    for square in rng.sample(squares, rng.randint(1, 3)):
        tile = rng.choice(TILES)
        rotations = table.rotations_that_fit(tile, square)
        if rotations:
            starts.append((tile, *square, rng.choice(rotations)))
            table.lay(tile, square, starts[-1][3])
    return tuple(starts) or strange_starts(rng, sheet)


# --------------------------------------------------------------------------- decks and chips


def printed_deck(table):
    """Return all tiles in the boxes, as the facts list them, without those that a system sets aside."""
    boxes = table.boxes + table.tiles_only
    tiles = [tile for tile in [*TILES, *SYSTEM_TILES] if box_of(tile) in boxes]
    deck = +Counter({tile: copies(tile, table.edition) for tile in tiles})
    if "darmstadt" in table.boxes:
        with_tiles = {*map(box_of, tiles), *({"german_castles"} & set(table.boxes))}
        deck = Counter(without_two_monasteries(deck, with_tiles))
    if "special_monasteries" in table.boxes:
        deck = Counter(without_base_monasteries(deck, table.special_monasteries))
    if table.crop_circle_tiles is not None:
        deck = Counter({tile: n for tile, n in deck.items() if box_of(tile) != "crop_circles"})
        deck += Counter(table.crop_circle_tiles)
    return deck


def strange_deck(rng):
    """Return a deck as no box has it: few kinds of tile, many of each, with much gold and many symbols."""
    kinds = rng.sample(PLAIN_TILES, rng.randint(2, len(PLAIN_TILES)))
    length = rng.choice((15, 30, 40, 50))
    deck = rng.choices(rng.choice((kinds, CLOSING_TILES)), k=length)
    deck += rng.choices(GOLD_TILES, k=rng.randint(4, 10))
    deck += rng.choices(GARDEN_TILES, k=length // 6)
    deck += rng.choices(rng.choice((INN_TILES, CROP_TILES)), k=length // 6)
    deck += rng.choices(["IC1", "R", "E", "N"], k=length // 6)
    deck = [tile for tile in deck if tile not in GOODS_TILES]
    deck += rng.sample(GOODS_TILES, length // 5)  # each once, so that there are enough tokens of each good
    rng.shuffle(deck)
    return deck


def strange_chips(rng, table):
    """Return chips in places that the rules do not allow: on many squares beside each other, also in towns."""
    sheet = read_sheet(table.sheet)
    squares = sorted(sheet.squares - {(x, y) for _, x, y, _ in table.starts})
    colours = rng.choice((Chips.COLOURS, ["orange"], ["purple", "orange"]))
    many = rng.sample(squares, rng.choice((len(squares), len(squares) // 2, min(5, len(squares)), 0)))
    return [(x, y, rng.choice(colours), rng.choice((1, 1, 2))) for x, y in many]


# ----------------------------------------------------------------- checks of what is drawn


def faults_of_setup(table, record):
    """Yield how the deck, start tiles and chips drawn by the engine break the rules."""
    starts = Counter(start[0] for start in record["starts"])
    if Counter(record["deck"]) != printed_deck(table) - starts:
        yield "the deck has other tiles than the boxes"
    if "german_castles" in table.boxes:
        yield from faults_of_castles(table, record)
    if table.sheet and table.starts is None:
        yield from faults_of_starts(read_sheet(table.sheet), record["starts"], printed_deck(table))
    if "map_chips" in table.boxes:
        yield from faults_of_chips(table, record)
    elif record["chips"]:
        yield "chips without their box"


def faults_of_castles(table, record):
    """Yield a fault unless each player has two castle tiles (one with more than three players), all different."""
    hands = record["german_castles"]
    dealt = [tile for hand in hands for tile in hand]
    each = 2 if table.players <= 3 else 1
    if [len(hand) for hand in hands] != [each] * table.players or len(set(dealt) & set(DOUBLE_TILES)) != len(dealt):
        yield f"castle tiles in hand are {hands}"


def faults_of_starts(sheet, starts, tiles):
    """Yield the faults of start tiles: two start squares, one with the tile D, both must fit (Maps, start)."""
    squares = [(x, y) for _, x, y, _ in starts]
    if len(starts) != 2 or len(set(squares)) != 2 or starts[0][0] != "D":
        yield f"start tiles {starts}"
    if any(not sheet.towns.get(square, {"start": False})["start"] for square in squares):
        yield f"start tiles {starts} beside the start squares"
    if Counter(start[0] for start in starts) - tiles:
        yield f"start tiles {starts} are in no box"
    on_sheet = Table(sheet=sheet)
    for tile, x, y, rotation in starts:
        wanted = [on_sheet.wanted_on((x, y), edge) for edge in "NESW"]
        alone = Table([(tile, x, y, rotation)])
        shown = [alone.wanted_on((x + dx, y + dy), edge) for dx, dy, edge in AROUND_IT]
        if any(want not in (None, have) for want, have in zip(wanted, shown, strict=True)):
            yield f"start tile {tile} at {x},{y} does not match"
        on_sheet.lay(tile, (x, y), rotation)


AROUND_IT = [(0, -1, "S"), (1, 0, "W"), (0, 1, "N"), (-1, 0, "E")]  # beyond each edge: the cell, its edge


def faults_of_chips(table, record):
    """Yield the faults of chips: there must be thirty, ten of each colour, spread as the rules of Map-Chips say."""
    chips = [(colour, value) for _, _, colour, value in record["chips"]]
    if Counter(chips) != Counter({(c, value): {1: 6, 2: 4}[value] for c in Chips.COLOURS for value in (1, 2)}):
        yield f"chips are {Counter(chips)}"
    sheet = read_sheet(table.sheet)
    squares = {(x, y) for x, y, _, _ in record["chips"]}
    if len(squares) != len(chips) or not squares <= sheet.squares - set(sheet.towns):
        yield "chips on towns, on each other or off the map"
    starts = {(x, y) for _, x, y, _ in record["starts"]}
    for x, y in squares:
        for dx, dy, edge in AROUND_IT:
            other = (x + dx, y + dy)
            if other in squares | starts:
                yield f"the chip at {x},{y} lies beside a chip or a start tile"
            if other in sheet.large:
                is_open = sheet.large[other]["edges"]["NESW".index(edge)] == "C"
                if is_open or table.chip_large_city_rule == "any_edge":
                    yield f"the chip at {x},{y} lies beside a large city"
