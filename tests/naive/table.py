"""The tiles, where they may go, and what they make together: all of it by looking at the whole table.

    board    {(x, y): {"tile": "U", "rotation": 90, "ingots": 0}}        in the order of placing
    figures  [{"figure": "meeple", "player": 0, "cell": (x, y), "kind": "road", "spot": "E"}, ...]

Facts about the tiles come from `tests/data/tiles_facts.json`, which shows them unturned.
"""

import json
from functools import cache
from pathlib import Path

FACTS = {
    fact["id"]: fact
    for fact in json.loads((Path(__file__).parents[1] / "data" / "tiles_facts.json").read_text())["tiles"]
}

# --------------------------------------------------------------------------------------- the tiles

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
            }
        )
    return segments


@cache
def edge_terrain(tile, rotation, edge):
    """C, R or F: what a turned tile shows on an edge."""
    return FACTS[tile]["edges"][(EDGES.index(edge) - rotation // 90) % 4]


@cache
def looks(tile, rotation):
    """All there is to see on a turned tile: two rotations that look alike are one answer."""
    segments = segments_of(tile, rotation)

    def city_with(edge):
        return next(s["spots"] for s in segments if s["kind"] == "city" and edge in s["spots"])

    return frozenset(
        (s["kind"], s["spots"], s["pennants"], frozenset(city_with(edge) for edge in s["beside_cities"]))
        for s in segments
    )


def has_gold_symbol(tile):
    return "gold" in FACTS[tile]["extra"]


# ---------------------------------------------------------------------------- where a tile may go


def neighbour(cell, edge):
    """The cell on the other side of an edge."""
    return cell[0] + STEP[edge][0], cell[1] + STEP[edge][1]


def around(cell):
    """The eight cells around a cell."""
    x, y = cell
    return [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)]


def row_by_row(cells):
    """Cells in reading order: row by row, each row from west to east."""
    return sorted(cells, key=lambda cell: (cell[1], cell[0]))


def fits(board, tile, rotation, cell):
    """A tile must touch the layout, and every edge that touches must match (Base game, placing a tile)."""
    touching = False
    for edge in EDGES:
        beyond = board.get(neighbour(cell, edge))
        if beyond:
            touching = True
            wanted = edge_terrain(beyond["tile"], beyond["rotation"], ACROSS[edge])
            if edge_terrain(tile, rotation, edge) != wanted:
                return False
    return touching


def stays_on_table(board, cell, size):
    """With this cell the layout spans at most size - 1 cells each way: not a rule, but the table's end."""
    for axis in (0, 1):
        used = [c[axis] for c in board] + [cell[axis]]
        if max(used) - min(used) + 1 > size - 1:
            return False
    return True


def legal_placements(board, tile, size):
    """Every way to lay the tile, as {text: (cell, rotation)}; rotations that look alike are written once."""
    empty = {neighbour(cell, edge) for cell in board for edge in EDGES} - set(board)
    placements = {}
    for cell in empty:
        seen = set()
        for rotation in (0, 90, 180, 270):
            if looks(tile, rotation) in seen or not fits(board, tile, rotation, cell):
                continue
            seen.add(looks(tile, rotation))
            if stays_on_table(board, cell, size):
                placements[f"{tile}@{cell[0]},{cell[1]}/{rotation}"] = (cell, rotation)
    return placements


# --------------------------------------------------------------------------------------- features


def segments_on(board, cell):
    """The segments of the tile that lies on a cell."""
    return segments_of(board[cell]["tile"], board[cell]["rotation"])


def segment_with(board, cell, spot):
    """The segment that has this spot."""
    return next(segment for segment in segments_on(board, cell) if spot in segment["spots"])


def feature_with(board, figures, cell, spot):
    """The whole feature of a segment and who stands on it, found by walking over every edge it crosses."""
    kind = segment_with(board, cell, spot)["kind"]
    feature = {"kind": kind, "segments": set(), "tiles": set(), "open": 0, "pennants": 0}
    feature["beside_cities"] = set()  # the city segments a field adjoins
    to_visit = [(cell, segment_with(board, cell, spot))]
    while to_visit:
        here, segment = to_visit.pop()
        name = (here, segment["spots"][0])
        if name in feature["segments"]:
            continue
        feature["segments"].add(name)
        feature["tiles"].add(here)
        feature["pennants"] += segment["pennants"]
        for edge in segment["beside_cities"]:
            feature["beside_cities"].add((here, segment_with(board, here, edge)["spots"][0]))
        for end in segment["spots"]:
            if end not in ACROSS:
                continue  # a building, or a bit of field in the middle of its tile
            there = neighbour(here, end[0])
            if there in board:
                to_visit.append((there, segment_with(board, there, ACROSS[end])))
            else:
                feature["open"] += 1
    if kind in BUILDINGS:
        feature["open"] = sum(other not in board for other in around(cell))
    feature["figures"] = [f for f in figures if (f["cell"], f["spot"]) in feature["segments"]]
    return feature


def all_features(board, figures):
    """Every feature on the table."""
    features, seen = [], set()
    for cell in board:
        for segment in segments_on(board, cell):
            if (cell, segment["spots"][0]) not in seen:
                features.append(feature_with(board, figures, cell, segment["spots"][0]))
                seen |= features[-1]["segments"]
    return features


def is_complete(feature):
    """Roads and cities without an open end, buildings with all eight cells around filled; fields never."""
    return feature["kind"] != "field" and feature["open"] == 0


def strength(feature, player):
    """How much the figures of a player weigh in a feature: each follower is one."""
    return sum(figure["player"] == player for figure in feature["figures"])


def owners(feature, players):
    """Everybody with the most followers there, if there is anybody (Base game, majority)."""
    most = max(strength(feature, player) for player in range(players))
    return [player for player in range(players) if most > 0 and strength(feature, player) == most]
