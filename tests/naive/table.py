"""What lies on the table, where tiles may go, and what they make together.

    board    {(x, y): {"tile": "U", "rotation": 90, "ingots": 0}}        in the order of placing
    figures  [{"figure": "meeple", "player": 0, "cell": (x, y), "kind": "road", "spot": "E"}, ...]

A feature is found by walking from one of its segments over every edge it crosses. As that takes time, it is
remembered until a tile is laid beside it.
"""

from functools import cache

from .tiles import ACROSS, BUILDINGS, EDGES, STEP, edge_terrain, fitting_rotations, segment_of, segments_of


@cache
def neighbour(cell, edge):
    """The cell on the other side of an edge."""
    return cell[0] + STEP[edge][0], cell[1] + STEP[edge][1]


@cache
def around(cell):
    """The eight cells around a cell."""
    x, y = cell
    return [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)]


def row_by_row(cells):
    """Cells in reading order: row by row, each row from west to east."""
    return sorted(cells, key=lambda cell: (cell[1], cell[0]))


class Table:
    """Tiles and figures on a free table, or on a sheet; a free table has room for `size` - 1 tiles each way."""

    def __init__(self, starts=(), sheet=None, size=10**6):
        self.sheet = sheet
        self.size = size
        self.board = {}
        self.figures = []
        self.empty = set()  # the empty cells where tiles may be laid on
        self.wanted = {}  # what is wanted there on each edge, remembered until a tile is laid beside
        self.found = {}  # the features found so far, by each of their segments
        for tile, x, y, rotation in starts:
            self.lay(tile, (x, y), rotation)

    # -------------------------------------------------------------------------- laying tiles

    def lay(self, tile, cell, rotation):
        """A tile is laid: what lies around it is no longer what it was."""
        self.board[cell] = {"tile": tile, "rotation": rotation, "ingots": 0}
        for other in around(cell):
            self.wanted.pop(other, None)
            for segment in self.segments_on(other):
                feature = self.found.get((other, segment["spots"][0]))
                for name in feature["segments"] if feature else ():
                    del self.found[name]
        self.empty |= {other for other in self.beside(cell) if self.is_square(other)}
        self.empty -= set(self.board)

    def beside(self, cell):
        """The cells beside a tile; with a large city beside it, also those beside that city.

        The tile connects the large city, as a whole and also through a closed edge (Maps, placing a tile).
        """
        cells = [neighbour(cell, edge) for edge in EDGES]
        for other in cells[:]:
            if self.is_large(other):
                for square in self.sheet.squares_of(self.sheet.large[other]["city"]):
                    cells += [neighbour(square, edge) for edge in EDGES]
        return cells

    def is_square(self, cell):
        """May a tile lie here at all? On a sheet only on its squares."""
        return self.sheet is None or cell in self.sheet.squares

    def is_large(self, cell):
        """Is this a printed square of a large city?"""
        return self.sheet is not None and cell in self.sheet.large

    def is_on_map(self, cell):
        """Is this on the map? Beyond the border of a sheet there is nothing."""
        return self.sheet is None or self.sheet.exists(cell)

    def is_filled(self, cell):
        """Is there a tile, or a printed square of a large city?"""
        return cell in self.board or self.is_large(cell)

    def wanted_on(self, cell, edge):
        """C, R or F: what must be on this edge of a tile on this cell; None if anything fits."""
        there = neighbour(cell, edge)
        if there in self.board:
            place = self.board[there]
            return edge_terrain(place["tile"], place["rotation"], ACROSS[edge])
        if self.sheet is None:
            return None
        if there in self.sheet.large:
            return self.sheet.large[there]["edges"][EDGES.index(ACROSS[edge])]
        return self.sheet.wanted_at_border(cell, edge)

    def rotations_that_fit(self, tile, cell):
        """The rotations with which every edge of the tile matches what touches it there."""
        if cell not in self.wanted:
            self.wanted[cell] = tuple(self.wanted_on(cell, edge) for edge in EDGES)
        return fitting_rotations(tile, self.wanted[cell])

    def legal_placements(self, tile):
        """Every way to lay the tile, as {text: (cell, rotation)} (Base game, placing a tile)."""
        placements = {}
        room = self.room()
        for cell in self.empty:
            if all(low <= coordinate <= high for coordinate, (low, high) in zip(cell, room, strict=True)):
                for rotation in self.rotations_that_fit(tile, cell):
                    placements[f"{tile}@{cell[0]},{cell[1]}/{rotation}"] = (cell, rotation)
        return placements

    def room(self):
        """How far the layout may reach each way without spanning more than size - 1 cells.

        This is not a rule, but the end of a free table. A sheet ends by itself.
        """
        spans = [(min(coordinates), max(coordinates)) for coordinates in zip(*self.board, strict=True)]
        return [(high - self.size + 2, low + self.size - 2) for low, high in spans]

    # ------------------------------------------------------------------------------ features

    def segments_on(self, cell):
        """The segments of the tile that lies on a cell, or of the large city printed there."""
        if cell in self.board:
            return segments_of(self.board[cell]["tile"], self.board[cell]["rotation"])
        return [self.sheet.large[cell]["segment"]] if self.is_large(cell) else []

    def segment_with(self, cell, spot):
        """The segment on a cell that has this spot; None behind the closed wall of a large city."""
        if cell in self.board:
            return segment_of(self.board[cell]["tile"], self.board[cell]["rotation"], spot)
        segment = self.sheet.large[cell]["segment"]
        return segment if spot in segment["spots"] else None

    def feature(self, cell, spot):
        """The whole feature of a segment."""
        segment = self.segment_with(cell, spot)
        name = (cell, segment["spots"][0])
        if name not in self.found:
            feature = self.walk(cell, segment)
            for reached in feature["segments"]:
                self.found[reached] = feature
        return self.found[name]

    def walk(self, cell, segment):
        """Find a feature by walking over every edge it crosses."""
        feature = {
            "kind": segment["kind"],
            "segments": set(),  # (cell, first spot)
            "tiles": set(),  # cells, also printed squares of a large city
            "open": 0,  # ends with nothing beyond; for a building, empty squares around it
            "pennants": 0,
            "coats": 0,  # coats of arms printed at the border where it ends
            "symbols": set(),  # inn, cathedral
            "goods": [],
            "beside_cities": set(),  # the city segments a field adjoins
        }
        to_visit = [(cell, segment)]
        while to_visit:
            here, segment = to_visit.pop()
            name = (here, segment["spots"][0])
            if name in feature["segments"]:
                continue
            feature["segments"].add(name)
            feature["tiles"].add(here)
            feature["pennants"] += segment["pennants"]
            feature["symbols"] |= {segment["symbol"]} - {None}
            feature["goods"] += [segment["good"]] if segment["good"] else []
            for edge in segment["beside_cities"]:
                feature["beside_cities"].add((here, self.segment_with(here, edge)["spots"][0]))
            for end in segment["spots"]:
                if end not in ACROSS:
                    continue  # a building, or a bit of field in the middle of its tile
                there = neighbour(here, end[0])
                if self.is_filled(there):
                    beyond = self.segment_with(there, ACROSS[end])
                    to_visit += [(there, beyond)] if beyond else []
                elif self.is_on_map(there):
                    feature["open"] += 1
                elif end in EDGES:
                    feature["coats"] += self.sheet.coats_at_border(here, end)
        if feature["kind"] in BUILDINGS:
            on_map = [other for other in around(cell) if self.is_on_map(other)]
            feature["around"] = len(on_map)
            feature["open"] = sum(not self.is_filled(other) for other in on_map)
        return feature

    def features(self):
        """Every feature on the table, with the large cities of the sheet."""
        features = []
        seen = set()
        for cell in [*self.board, *(self.sheet.large if self.sheet else ())]:
            for segment in self.segments_on(cell):
                if (cell, segment["spots"][0]) not in seen:
                    features.append(self.feature(cell, segment["spots"][0]))
                    seen |= features[-1]["segments"]
        return features

    def features_on(self, cell):
        """The different features of the tile on a cell."""
        features = []
        for segment in self.segments_on(cell):
            feature = self.feature(cell, segment["spots"][0])
            if not any(feature is other for other in features):
                features.append(feature)
        return features

    def has_large_city(self, feature):
        """Is a printed large city part of it?"""
        return any(self.is_large(cell) for cell in feature["tiles"])

    # ------------------------------------------------------------------------------- figures

    def figures_in(self, feature):
        """All figures in a feature."""
        return [f for f in self.figures if (f["cell"], f["spot"]) in feature["segments"]]

    def strengths(self, feature, players):
        """How much the followers of each player weigh in a feature."""
        strengths = [0] * players
        for figure in self.figures_in(feature):
            strengths[figure["player"]] += STRENGTH[figure["figure"]]
        return strengths

    def owners(self, feature, players):
        """Everybody with the most strength there, if there is anybody (Base game, majority)."""
        strengths = self.strengths(feature, players)
        most = max(strengths)
        return [player for player in range(players) if most > 0 and strengths[player] == most]


# A large meeple counts as two; builder and pig are no followers and count nothing.
STRENGTH = {"meeple": 1, "abbot": 1, "big": 2, "builder": 0, "pig": 0}
FOLLOWERS = ["meeple", "big", "abbot"]


def is_complete(feature):
    """Roads and cities without an open end, buildings with all squares around filled; fields never."""
    return feature["kind"] != "field" and feature["open"] == 0
