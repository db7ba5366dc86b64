"""What is printed on the tiles, and the features that follow from it. The tiles are read from the collected facts
(`tests/data/tiles_facts.json`), not from the box files of carc_env. Only sheets are read by carc_env.
"""

import json
from collections import Counter, namedtuple
from pathlib import Path

from carc_env.boxes.sheets import read_sheet

FACTS = {
    fact["id"]: fact
    for fact in json.loads((Path(__file__).parents[1] / "data" / "tiles_facts.json").read_text())["tiles"]
}
PREFIXES = {
    "goldmines": "GM",
    "inns_and_cathedrals": "IC",
    "traders_and_builders": "TB",
    "crop_circles": "CR",
    "abbeys": "AM",
    "castles": "BB",
    "ferries": "FE",
    "shrines": "SH",
    "special_monasteries": "MO",
    "darmstadt": "DA",
    "baba_yaga": "RU",
    "german_cathedrals": "GK",
    "german_castles": "GC",
}
# what the facts call a building: its kind
BUILDINGS = {"shrine": "shrine", "special monastery": "monastery", "church": "monastery", "Baba Yaga's hut": "hut"}
EDGES = ["N", "E", "S", "W"]
HALF_EDGES = ["Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn"]
SPOTS = [*EDGES, *HALF_EDGES, "mid", "mid2", "monastery", "garden", "shrine", "hut"]
ACROSS = {
    "N": (0, -1, "S"),
    "E": (1, 0, "W"),
    "S": (0, 1, "N"),
    "W": (-1, 0, "E"),
    "Nw": (0, -1, "Sw"),
    "Ne": (0, -1, "Se"),
    "En": (1, 0, "Wn"),
    "Es": (1, 0, "Ws"),
    "Se": (0, 1, "Ne"),
    "Sw": (0, 1, "Nw"),
    "Ws": (-1, 0, "Es"),
    "Wn": (-1, 0, "En"),
}
AROUND = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
STRENGTH = {"meeple": 1, "big": 2, "abbot": 1, "builder": 0, "pig": 0}

Segment = namedtuple("Segment", "kind spots fact")  # spots of the turned tile; its entry in the facts
Rebuilt = namedtuple("Rebuilt", "kind segments tiles open pennants strength is_complete")


def turn_spot(spot, quarters):
    """Return what a spot becomes when its tile is turned clockwise by this many quarter turns."""
    if spot in EDGES:
        return EDGES[(EDGES.index(spot) + quarters) % 4]
    if spot in HALF_EDGES:
        return HALF_EDGES[(HALF_EDGES.index(spot) + 2 * quarters) % 8]
    return spot


def box_of(tile):
    """Return the name of the box that a tile belongs to."""
    return next((box for box, prefix in PREFIXES.items() if tile.startswith(prefix)), "base")


def printed_tiles(config):
    """Return how many of each tile are in the boxes in play, start tiles included. Tiles that players hold do not
    count.
    """
    found = Counter()
    for tile, fact in FACTS.items():
        if box_of(tile) in config.boxes + config.tiles_only and box_of(tile) != "german_castles":
            counts = list(fact["counts"].values())
            found[tile] = counts[0] if config.edition == "C1" or len(counts) == 1 else counts[1]
    if config.crop_circle_tiles is not None:
        found = Counter({tile: n for tile, n in found.items() if box_of(tile) != "crop_circles"})
        found.update(config.crop_circle_tiles)
    if "special_monasteries" in config.boxes and config.special_monasteries == "replace":
        found["A"] = found["B"] = 0
    return +found


def first_spot(spots):
    """Return the spot that names a segment, which is the first one in the order of SPOTS."""
    return min(spots, key=SPOTS.index)


def segments_of(tile, rotation):
    """Return the segments of a turned tile."""
    buildings = [
        {"kind": kind} for printed, kind in BUILDINGS.items() if printed == FACTS[tile]["extra"].split(", ")[0]
    ]
    return [
        Segment(fact["kind"], [turn_spot(spot, rotation // 90) for spot in fact.get("spots", [fact["kind"]])], fact)
        for fact in FACTS[tile]["segments"] + buildings
    ]


def standing_on(place, figure):
    """Return (x, y, spot) of the segment under a figure. On a German castle, x and y are the square of that segment."""
    if not figure.spot.startswith("2"):
        return place.x, place.y, "monastery" if figure.spot == "lying" else figure.spot
    return place.x + (place.rotation % 180 == 0), place.y + (place.rotation % 180 != 0), figure.spot[1:]


def segments_on_table(game):
    """Return {(x, y, spot): Segment} for every segment on the table, including those of large cities."""
    found = {
        (place.x, place.y, first_spot(segment.spots)): segment
        for place in game.board()
        for segment in segments_of(place.tile, place.rotation)
    }
    for large in read_sheet(game.config.sheet).large if game.config.sheet else ():
        spots = [edge for edge, letter in zip(EDGES, large.edges, strict=True) if letter == "C"]
        found[(*large.square, first_spot(spots))] = Segment("city", spots, {"pennants": large.pennants})
    return found


def features_from_scratch(game):
    """Return all features of the table, rebuilt from the tiles, the sheet and the figures that lie on the table."""
    sheet = read_sheet(game.config.sheet) if game.config.sheet else None
    segments = segments_on_table(game)
    covered = {key[:2] for key in segments}
    at = {(x, y, spot): (x, y, name) for (x, y, name), segment in segments.items() for spot in segment.spots}
    coats = {(*border.square, border.edge): border.coats for border in sheet.borders} if sheet else {}
    strength = Counter(
        (*standing_on(place, figure), figure.player, STRENGTH[figure.figure])
        for place in game.board()
        for figure in place.figures
    )
    lying = {(place.x, place.y) for place in game.board() for figure in place.figures if figure.spot == "lying"}

    def is_free(x, y):
        return (x, y) not in covered and (sheet is None or (x, y) in sheet.squares)

    found, seen = [], set()
    for start, segment in segments.items():
        if start in seen:
            continue
        members, todo, empty, pennants = set(), [start], 0, 0
        while todo:
            key = todo.pop()
            if key in members:
                continue
            members.add(key)
            x, y, _ = key
            pennants += segments[key].fact.get("pennants", 0)
            for spot in segments[key].spots:
                if spot in ACROSS:
                    dx, dy, opposite = ACROSS[spot]
                    empty += is_free(x + dx, y + dy)
                    todo += [at[other] for other in [(x + dx, y + dy, opposite)] if other in at]
                    if segment.kind == "city" and game.config.border_city_coat_points:
                        pennants += coats.get((x, y, spot), 0)
                elif spot in ("monastery", "garden", "shrine", "hut"):
                    empty += sum(is_free(x + dx, y + dy) for dx, dy in AROUND)
        seen |= members
        strengths = [
            sum(
                weight * n
                for (x, y, spot, owner, weight), n in strength.items()
                if owner == player and (x, y, spot) in members
            )
            for player in range(game.players)
        ]
        stays = segment.kind == "field" or segment.kind == "monastery" and start[:2] in lying
        found.append(
            Rebuilt(
                segment.kind,
                tuple(sorted(members)),
                len({key[:2] for key in members}),
                empty,
                pennants,
                tuple(strengths),
                empty == 0 and not stays,
            )
        )
    return found
