"""The tiles as they are printed, and as they look when turned.

Facts about them come from `tests/data/tiles_facts.json`, which shows them unturned.
"""

import json
from functools import cache
from pathlib import Path

FACTS = {
    fact["id"]: fact
    for fact in json.loads((Path(__file__).parents[1] / "data" / "tiles_facts.json").read_text())["tiles"]
}

EDGES = ["N", "E", "S", "W"]
HALF_EDGES = ["Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn"]  # once round the tile, clockwise
SPOTS = [*EDGES, "Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn", "mid", "mid2", "monastery", "garden"]

STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}

# The spot of the neighbour tile that touches a spot: the west half of a north edge touches the west half of
# the south edge of the tile beyond.
ACROSS = {
    "N": "S", "E": "W", "S": "N", "W": "E",
    "Nw": "Sw", "Ne": "Se", "Se": "Ne", "Sw": "Nw",
    "En": "Wn", "Es": "Ws", "Ws": "Es", "Wn": "En",
}

BUILDINGS = ["monastery", "garden"]


def turned(spot, rotation):
    """The spot that a spot becomes when its tile is turned clockwise."""
    quarters = rotation // 90
    if spot in EDGES:
        return EDGES[(EDGES.index(spot) + quarters) % 4]
    if spot in HALF_EDGES:
        return HALF_EDGES[(HALF_EDGES.index(spot) + 2 * quarters) % 8]
    return spot


@cache
def segments_of(tile, rotation):
    """The segments of a turned tile; a segment is named by the first of its spots."""
    segments = []
    for fact in FACTS[tile]["segments"]:
        spots = [turned(spot, rotation) for spot in fact.get("spots", [fact["kind"]])]
        cities = [turned(edge, rotation) for edge in fact.get("adjoins_city_with_edge", [])]
        segments.append(
            {
                "kind": fact["kind"],
                "spots": tuple(sorted(spots, key=SPOTS.index)),
                "pennants": fact.get("pennants", 0),
                "beside_cities": tuple(cities),  # one edge of each city segment this field adjoins
                "symbol": "inn" if "inn" in fact else "cathedral" if "cathedral" in fact else None,
                "good": fact.get("good"),
            }
        )
    return segments


@cache
def segment_of(tile, rotation, spot):
    """The segment of a turned tile that has this spot."""
    return next(segment for segment in segments_of(tile, rotation) if spot in segment["spots"])


@cache
def edge_terrain(tile, rotation, edge):
    """C, R or F: what a turned tile shows on an edge."""
    return FACTS[tile]["edges"][(EDGES.index(edge) - rotation // 90) % 4]


@cache
def looks(tile, rotation):
    """All there is to see on a turned tile: two rotations that look alike are one answer."""
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
    """The rotations that show what is wanted on each edge (None: anything); those that look alike once."""
    rotations = []
    for rotation in (0, 90, 180, 270):
        shown = [edge_terrain(tile, rotation, edge) for edge in EDGES]
        matches = all(want in (None, have) for want, have in zip(wanted, shown, strict=True))
        if matches and all(looks(tile, other) != looks(tile, rotation) for other in rotations):
            rotations.append(rotation)
    return rotations


def has_gold_symbol(tile):
    return "gold" in FACTS[tile]["extra"]


def crop_circle_on(tile):
    """The kind of feature whose followers the crop circle of a tile speaks of, or None."""
    return FACTS[tile].get("crop_circle")


# --------------------------------------------------------------------------------------- the boxes

BOX_OF_LETTERS = {"IC": "inns_and_cathedrals", "TB": "traders_and_builders", "GM": "goldmines", "CR": "crop_circles"}


def box_of(tile):
    """The box a tile comes from."""
    return BOX_OF_LETTERS.get(tile[:2], "base")


def copies(tile, edition):
    """How many of a tile are in its box (for crop circles C1 is set I, C2 set II)."""
    counts = FACTS[tile]["counts"]
    names = {"C1": ("C1", "set I", "n"), "C2": ("C2", "set II", "n")}[edition]
    return next(counts[name] for name in names if name in counts)


# Facts are there of more boxes than are played: these are the tiles of those that are.
TILES = [tile for tile in FACTS if tile[:2] in BOX_OF_LETTERS or len(tile) == 1 or tile.endswith("-g")]
