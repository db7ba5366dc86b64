"""The tiles as they are printed, and as they look when they are turned.

The facts about them come from `tests/data/tiles_facts.json`, which describes them unturned.
"""

import json
from functools import cache
from pathlib import Path

FACTS = {
    fact["id"]: fact
    for fact in json.loads((Path(__file__).parents[1] / "data" / "tiles_facts.json").read_text())["tiles"]
}

# The abbey shows nothing at its edges: it fits everywhere, and closes what touches it.
FACTS["abbey"] = {"id": "abbey", "edges": "----", "counts": {}, "segments": [], "extra": "abbey"}

EDGES = ["N", "E", "S", "W"]
HALF_EDGES = ["Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn"]  # once round the tile, clockwise

# Buildings: features of one tile, for one figure. The spot of a building is its kind.
BUILDINGS = ["monastery", "garden", "abbey", "shrine", "special_monastery", "church", "hut"]
BUILDINGS += ["german_castle", "german_cathedral"]
SPOTS = [*EDGES, *HALF_EDGES, "mid", "mid2", *BUILDINGS]

STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}

# The spot of the neighbour tile that touches a spot: the west half of a north edge touches the west half of
# the south edge of the tile beyond.
ACROSS = {
    "N": "S",
    "E": "W",
    "S": "N",
    "W": "E",
    "Nw": "Sw",
    "Ne": "Se",
    "Se": "Ne",
    "Sw": "Nw",
    "En": "Wn",
    "Es": "Ws",
    "Ws": "Es",
    "Wn": "En",
}

# What the facts call the building on a tile: its kind here. Base monasteries and gardens are segments already.
BUILDING_OF = {
    "abbey": "abbey",
    "shrine": "shrine",
    "special monastery": "special_monastery",
    "church": "church",
    "Baba Yaga's hut": "hut",
    "German cathedral": "german_cathedral",
}

# The box that a building needs. Without this box, the building is only a picture.
BOX_OF_BUILDING = {
    "abbey": "abbeys",
    "shrine": "shrines",
    "special_monastery": "special_monasteries",
    "church": "darmstadt",
    "hut": "baba_yaga",
    "german_castle": "german_castles",
    "german_cathedral": "german_cathedrals",
}

# The words for buildings in the texts of actions, if they differ from the kind.
WORDS = {
    "abbey": "monastery",
    "special_monastery": "monastery",
    "church": "monastery",
    "german_castle": "castle",
    "german_cathedral": "cathedral",
}


def word_for(kind):
    """Return the word for a kind of feature in the texts of actions."""
    return WORDS.get(kind, kind)


def turned(spot, rotation):
    """Return what a spot becomes when its tile is turned clockwise."""
    quarters = rotation // 90
    if spot in EDGES:
        return EDGES[(EDGES.index(spot) + quarters) % 4]
    if spot in HALF_EDGES:
        return HALF_EDGES[(HALF_EDGES.index(spot) + 2 * quarters) % 8]
    return spot


@cache
def segments_of(tile, rotation):
    """Return the segments of a turned tile."""
    facts = list(FACTS[tile]["segments"])
    facts += [{"kind": BUILDING_OF[FACTS[tile]["extra"]]}] if FACTS[tile]["extra"] in BUILDING_OF else []
    return [as_segment(tile, rotation, fact) for fact in facts]


def as_segment(tile, rotation, fact):
    """Return a segment of a turned tile. The segment is named by the first of its spots.

    On a square of a double tile, the spots at the inner edge come last, because they name no segment that has other
    spots.
    """
    inner = inner_spots(tile, rotation)
    spots = [turned(spot, rotation) for spot in fact.get("spots", [fact["kind"]])]
    cities = [turned(edge, rotation) for edge in fact.get("adjoins_city_with_edge", [])]
    return {
        "kind": fact["kind"],
        "spots": tuple(sorted(spots, key=lambda spot: (spot in inner, SPOTS.index(spot)))),
        "pennants": fact.get("pennants", 0),
        "beside_cities": tuple(cities),  # one edge of each city segment this field adjoins
        "symbol": symbol_of(tile, fact),
        "good": fact.get("good"),
        "semicircle": fact.get("semicircle", True),  # True if a city segment on one edge is a semicircle
    }


def symbol_of(tile, fact):
    """Return the symbol on a segment, or None. The Darmstadtium is in the city of DA1; the facts leave it out."""
    if tile == "DA1" and fact["kind"] == "city":
        return "darmstadtium"
    return "inn" if "inn" in fact else "cathedral" if "cathedral" in fact else None


@cache
def segment_of(tile, rotation, spot):
    """Return the segment of a turned tile that has this spot, or None on an abbey, which has nothing at its edges."""
    return next((segment for segment in segments_of(tile, rotation) if spot in segment["spots"]), None)


@cache
def edge_terrain(tile, rotation, edge):
    """Return C, R or F, which a turned tile shows on an edge."""
    return FACTS[tile]["edges"][(EDGES.index(edge) - rotation // 90) % 4]


@cache
def looks(tile, rotation):
    """Return all that is visible on a turned tile. Two rotations that look alike are one action."""
    return frozenset(
        (
            s["kind"],
            s["spots"],
            s["pennants"],
            s["symbol"],
            s["good"],
            frozenset(segment_of(tile, rotation, edge)["spots"] for edge in s["beside_cities"]),
        )
        for s in segments_of(tile, rotation)
    )


@cache
def fitting_rotations(tile, wanted):
    """Return the rotations that show what is wanted on each edge (None: anything); of those that look alike, one."""
    rotations = []
    for rotation in (0, 90, 180, 270):
        shown = [edge_terrain(tile, rotation, edge) for edge in EDGES]
        matches = all(want in (None, have) for want, have in zip(wanted, shown, strict=True))
        if matches and all(looks(tile, other) != looks(tile, rotation) for other in rotations):
            rotations.append(rotation)
    return rotations


# --------------------------------------------------------------------------------- double tiles

DOUBLE_TILES = sorted({tile[:-1] for tile in FACTS if tile.startswith("GC")})  # the facts have squares a and b


def is_double(tile):
    """True if the tile covers two squares."""
    return tile in DOUBLE_TILES


@cache
def faces_of(tile, rotation):
    """Return what a turned tile shows on each of its squares: itself, or the two squares of a double tile in order.

    Square a lies west of square b, and so north of it after a quarter turn, then east, then south. The first square is
    the western or northern one.
    """
    if not is_double(tile):
        return [tile]
    return [f"{tile}a", f"{tile}b"] if rotation in (0, 90) else [f"{tile}b", f"{tile}a"]


@cache
def castle_on(tile):
    """Return the building of a double tile, which covers both its squares."""
    return as_segment(f"{tile}a", 0, {"kind": "german_castle"})


def direction_of(rotation):
    """Return the edge of the first square of a double tile behind which the second square lies."""
    return "E" if rotation in (0, 180) else "S"


@cache
def inner_spots(face, rotation):
    """Return the spots of a turned square of a double tile that touch the other square. Other tiles have none."""
    edges = FACTS[face]["edges"]
    if edges.count("-") != 1:
        return frozenset()
    inner = turned(EDGES[edges.index("-")], rotation)
    return frozenset(spot for spot in [*EDGES, *HALF_EDGES] if spot[0] == inner)


@cache
def rotations_of_double(tile):
    """Return the rotations of a double tile. Of rotations that look the same, only the smallest is returned."""
    rotations = []
    for rotation in (0, 90, 180, 270):
        alike = [r for r in rotations if looks_of_double(tile, r) == looks_of_double(tile, rotation)]
        rotations += [] if alike else [rotation]
    return rotations


def looks_of_double(tile, rotation):
    """Return all that is visible on a turned double tile, and the direction from its first square to the second."""
    return direction_of(rotation), [looks(face, rotation) for face in faces_of(tile, rotation)]


def is_lake(tile):
    """True if the tile has a lake for a ferry."""
    return FACTS[tile]["extra"] == "lake"


def has_gold_symbol(tile):
    return "gold" in FACTS[tile]["extra"]


def crop_circle_on(tile):
    """Return the kind of feature that the crop circle of a tile names, or None."""
    return FACTS[tile].get("crop_circle")


# --------------------------------------------------------------------------------------- the boxes

BOX_OF_LETTERS = {"IC": "inns_and_cathedrals", "TB": "traders_and_builders", "GM": "goldmines", "CR": "crop_circles"}

# The boxes of the nine systems; abbeys and German castles are in the players' hands, and not among these tiles.
SYSTEM_OF_LETTERS = {
    "FE": "ferries",
    "BB": "castles",
    "AM": "abbeys",
    "SH": "shrines",
    "MO": "special_monasteries",
    "DA": "darmstadt",
    "RU": "baba_yaga",
    "GK": "german_cathedrals",
}
SYSTEMS = [*SYSTEM_OF_LETTERS.values(), "german_castles"]


def box_of(tile):
    """Return the box that a tile comes from."""
    return {**BOX_OF_LETTERS, **SYSTEM_OF_LETTERS}.get(tile[:2], "base")


def copies(tile, edition):
    """Return how many of a tile are in its box. For crop circles, C1 means set I and C2 set II; for shrines, the sets
    of five and six tiles.
    """
    counts = FACTS[tile]["counts"]
    names = {"C1": ("C1", "set I", "5-tile set", "n"), "C2": ("C2", "set II", "6-tile set", "n")}[edition]
    return next(counts[name] for name in names if name in counts)


# The facts describe more boxes than are played. These are the tiles of the boxes that are played.
TILES = [tile for tile in FACTS if tile[:2] in BOX_OF_LETTERS or len(tile) == 1 or tile.endswith("-g")]
SYSTEM_TILES = [tile for tile in FACTS if tile[:2] in SYSTEM_OF_LETTERS]
