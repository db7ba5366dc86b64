"""What lies on the table, where tiles may go, and which features the tiles form.

    board    {(x, y): {"tile": "U", "rotation": 90, "ingots": 0, "squares": [(x, y)], "segments": [...]}, ...}
             in the order of placing; a German castle lies on two squares, and its ingots on the first of them
    figures  [{"figure": "meeple", "player": 0, "cell": (x, y), "kind": "road", "spot": "E"}, ...]
    ferries  {(x, y): ("S", "W"), ...}                                   the edges that a ferry joins
    castles  [{"cells": [(x, y), (x, y + 1)], "player": 0, "lord": the figure, or None, ...}, ...]

A feature is found by walking from one of its segments over every edge that it crosses. As this takes time, the feature
is remembered until a tile is laid beside it, a ferry is moved or a castle is founded. Each tile of a feature is named
by its first square.
"""

from functools import cache

from .tiles import (
    ACROSS,
    BOX_OF_BUILDING,
    BUILDINGS,
    EDGES,
    SPOTS,
    STEP,
    SYSTEMS,
    castle_on,
    direction_of,
    edge_terrain,
    faces_of,
    fitting_rotations,
    inner_spots,
    is_double,
    segments_of,
    word_for,
)


@cache
def neighbour(cell, edge):
    """Return the cell on the other side of an edge."""
    return cell[0] + STEP[edge][0], cell[1] + STEP[edge][1]


@cache
def around(cell):
    """Return the eight cells around a cell."""
    x, y = cell
    return [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)]


def row_by_row(cells):
    """Return the cells in reading order: row by row, each row from west to east."""
    return sorted(cells, key=lambda cell: (cell[1], cell[0]))


class Table:
    """Tiles and figures on a free table, which has no border, or on a sheet.

    A building of one of the nine systems exists only if its box is among `boxes`.
    """

    def __init__(self, starts=(), sheet=None, boxes=SYSTEMS):
        self.sheet = sheet
        self.boxes = boxes
        self.board = {}
        self.figures = []
        self.ferries = {}
        self.castles = []
        self.empty = set()  # the empty cells on which tiles may be laid
        self.wanted = {}  # what a tile there must show on each edge, remembered until a tile is laid beside it
        self.found = {}  # the features found so far, by each of their segments
        for tile, x, y, rotation in starts:
            self.lay(tile, (x, y), rotation)

    # -------------------------------------------------------------------------- laying tiles

    def lay(self, tile, cell, rotation):
        """Lay a tile, a double tile with its first square on this cell, and forget what was known of cells around."""
        faces = faces_of(tile, rotation)
        squares = [cell, neighbour(cell, direction_of(rotation))][: len(faces)]
        for square, face in zip(squares, faces, strict=True):
            self.board[square] = {
                "tile": face,
                "rotation": rotation,
                "ingots": 0,
                "squares": squares,
                "segments": [s for s in segments_of(face, rotation) if self.is_in_play(s)],
            }
        if is_double(tile):
            self.board[cell]["segments"].append(castle_on(tile))
        for square in squares:
            for other in around(square):
                self.wanted.pop(other, None)
                self.forget(other)
            self.empty |= {other for other in self.beside(square) if self.is_square(other)}
        self.empty -= set(self.board)

    def is_in_play(self, segment):
        """True if the segment exists in this game. Symbols of boxes that are not in play are no buildings."""
        return BOX_OF_BUILDING.get(segment["kind"]) in (None, *self.boxes)

    def forget(self, cell):
        """Forget the features that have a part on this tile, so that they are looked at again."""
        for square in self.squares_of(cell):
            for segment in self.segments_on(square):
                feature = self.found.get((square, segment["spots"][0]))
                for name in feature["segments"] if feature else ():
                    del self.found[name]

    def beside(self, cell):
        """Return the cells beside a tile. If a large city is beside the tile, return also the cells beside that city.

        The tile connects the large city as a whole, even through a closed edge (Maps, placing a tile).
        """
        cells = [neighbour(cell, edge) for edge in EDGES]
        for other in cells[:]:
            if self.is_large(other):
                for square in self.sheet.squares_of(self.sheet.large[other]["city"]):
                    cells += [neighbour(square, edge) for edge in EDGES]
        return cells

    def is_square(self, cell):
        """True if a tile may lie here at all. On a sheet, tiles lie only on its squares."""
        return self.sheet is None or cell in self.sheet.squares

    def is_large(self, cell):
        """True if this is a printed square of a large city."""
        return self.sheet is not None and cell in self.sheet.large

    def is_on_map(self, cell):
        """True if this cell exists: nothing is beyond the border of a sheet."""
        return self.sheet is None or self.sheet.exists(cell)

    def squares_of(self, cell):
        """Return the one or two squares that the tile on a cell covers."""
        return self.board[cell]["squares"] if cell in self.board else [cell]

    def tile_at(self, cell):
        """Return the first square of the tile on a cell, which names the tile. A double tile is one tile."""
        return self.squares_of(cell)[0]

    def tiles_at(self, cells):
        """Return the different tiles on these cells."""
        return {self.tile_at(cell) for cell in cells}

    def ring(self, cell):
        """Return the cells around the whole tile on a cell: eight, or ten around a double tile."""
        squares = self.squares_of(cell)
        return list(dict.fromkeys(other for square in squares for other in around(square) if other not in squares))

    def is_filled(self, cell):
        """True if there is a tile, or a printed square of a large city."""
        return cell in self.board or self.is_large(cell)

    def wanted_on(self, cell, edge):
        """Return C, R or F, which this edge of a tile on this cell must show, or None if anything fits."""
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
        """Return the rotations with which every edge of the tile matches what touches it there."""
        if cell not in self.wanted:
            self.wanted[cell] = tuple(self.wanted_on(cell, edge) for edge in EDGES)
        return fitting_rotations(tile, self.wanted[cell])

    def legal_placements(self, tile):
        """Return all legal placements of the tile, as {text: (cell, rotation)} (Base game, placing a tile)."""
        placements = {}
        for cell in self.empty:
            for rotation in self.rotations_that_fit(tile, cell):
                placements[f"{tile}@{cell[0]},{cell[1]}/{rotation}"] = (cell, rotation)
        return placements

    # ------------------------------------------------------------------------------ features

    def segments_on(self, cell):
        """Return the segments of the tile that lies on a cell, or of the large city printed there."""
        if cell in self.board:
            return self.board[cell]["segments"]
        return [self.sheet.large[cell]["segment"]] if self.is_large(cell) else []

    def segment_with(self, cell, spot):
        """Return the segment on a cell that has this spot; None at the closed wall of a large city, or on an abbey."""
        for segment in self.segments_on(cell):
            if spot in segment["spots"]:
                return segment
        return None

    def feature(self, cell, spot):
        """Return the whole feature of a segment."""
        segment = self.segment_with(cell, spot)
        name = (cell, segment["spots"][0])
        if segment["kind"] == "german_cathedral":
            return self.look_at_cathedral(cell, segment)
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
            "tiles": set(),  # named by their first squares; also printed squares of a large city
            "open": 0,  # ends with nothing beyond; for a building, the empty squares around it
            "pennants": 0,
            "coats": 0,  # coats of arms printed at the border where it ends
            "symbols": set(),  # inn, cathedral, Darmstadtium
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
            feature["tiles"].add(self.tile_at(here))
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
            to_visit += [(here, other) for other in self.over_the_lake(here, segment)]
        if feature["kind"] in BUILDINGS:
            on_map = [other for other in self.ring(cell) if self.is_on_map(other)]
            feature["around"] = len(on_map)
            feature["open"] = sum(not self.is_filled(other) for other in on_map)
        self.look_for_castles(feature)
        feature["name"] = min(feature["segments"])
        return feature

    def look_for_castles(self, feature):
        """Add to a feature what it has to do with German castles and German cathedrals. A small city with a castle
        becomes a castle.

            castle_tiles   its tiles that are German castles
            at_cathedrals  its segments on tiles with a German cathedral, if it is a road
        """
        feature["castle_tiles"] = {tile for tile in feature["tiles"] if len(self.squares_of(tile)) == 2}
        roads = feature["segments"] if feature["kind"] == "road" else ()
        feature["at_cathedrals"] = {name for name in roads if self.has_building(name[0], ["german_cathedral"])}
        if feature["kind"] == "city" and feature["tiles"] in [set(castle["cells"]) for castle in self.castles]:
            feature["kind"] = "castle"

    def over_the_lake(self, cell, segment):
        """Return the other road segment to which a ferry joins this one, if any (Ferries)."""
        joined = self.ferries.get(cell, ())
        if segment["kind"] != "road" or segment["spots"][0] not in joined:
            return []
        return [self.segment_with(cell, edge) for edge in joined if edge not in segment["spots"]]

    def look_at_cathedral(self, cell, segment):
        """Return the feature of a German cathedral. It is open as long as one of the roads that lead to it is open."""
        cathedral = self.walk(cell, segment)
        roads = [other for other in self.segments_on(cell) if other["kind"] == "road"]
        cathedral["roads"] = distinct(self.feature(cell, road["spots"][0]) for road in roads)
        cathedral["open"] = sum(not is_complete(road) for road in cathedral["roads"])
        return cathedral

    def has_building(self, cell, kinds):
        """True if the tile on a cell has a building of one of these kinds."""
        return any(segment["kind"] in kinds for segment in self.segments_on(self.tile_at(cell)))

    def features(self):
        """Return all features on the table, including the large cities of the sheet."""
        features = []
        seen = set()
        for cell in [*self.board, *(self.sheet.large if self.sheet else ())]:
            for segment in self.segments_on(cell):
                if (cell, segment["spots"][0]) not in seen:
                    features.append(self.feature(cell, segment["spots"][0]))
                    seen |= features[-1]["segments"]
        return features

    def features_on(self, cell):
        """Return the different features of the tile on a cell."""
        return distinct(
            self.feature(square, segment["spots"][0])
            for square in self.squares_of(cell)
            for segment in self.segments_on(square)
        )

    def has_large_city(self, feature):
        """True if a printed large city is part of the feature."""
        return any(self.is_large(cell) for cell in feature["tiles"])

    # ------------------------------------------------------------- the segments of a whole tile

    def segments_of_tile(self, cell):
        """Return (square, segment) for each segment of the tile on a cell.

        Pieces joined over the inner edge of a double tile are one segment, listed under the piece that names it.
        """
        listed = []
        for square in self.squares_of(cell):
            for segment in self.segments_on(square):
                if self.names_itself(square, segment):
                    listed.append((square, segment))
        return listed

    def names_itself(self, square, segment):
        """True for a whole segment, and for the piece that names a segment."""
        return self.pieces_of(square, segment)[0] == (square, segment)

    def pieces_of(self, square, segment):
        """Return the pieces of a segment that are joined over the inner edge of its tile. The piece that names the
        segment comes first.

        The first spot gives the name. Spots of the first square come before those of the second; spots at the inner
        edge give no name.
        """
        squares, pieces, to_visit = self.squares_of(square), [], [(square, segment)]
        while to_visit:
            here, piece = to_visit.pop()
            if (here, piece) in pieces:
                continue
            pieces.append((here, piece))
            for end in self.inner_ends(here, piece):
                there = neighbour(here, end[0])
                to_visit.append((there, self.segment_with(there, ACROSS[end])))

        def place_in_order(where):
            here, piece = where
            is_inner = piece["spots"][0] in self.inner_ends(here, piece)
            return is_inner, squares.index(here), SPOTS.index(piece["spots"][0])

        return sorted(pieces, key=place_in_order)

    def inner_ends(self, cell, segment):
        """Return the spots of a segment at the inner edge of its double tile."""
        if cell not in self.board:
            return []
        inner = inner_spots(self.board[cell]["tile"], self.board[cell]["rotation"])
        return [spot for spot in segment["spots"] if spot in inner]

    def outer_spots(self, cell, segment):
        """Return the spots of a segment that are not at the inner edge of its double tile."""
        inner = self.inner_ends(cell, segment)
        return [spot for spot in segment["spots"] if spot not in inner]

    def name_of(self, cell, segment):
        """Return the name of a segment, such as `road E`, or `road 2E` on the second square of a double tile. A
        building has no spot in its name.
        """
        if segment["kind"] in BUILDINGS:
            return word_for(segment["kind"])
        return f"{segment['kind']} {'' if cell == self.tile_at(cell) else '2'}{segment['spots'][0]}"

    # ------------------------------------------------------------------------------- figures

    def figures_in(self, feature):
        """Return all figures in a feature."""
        return [f for f in self.figures if (f["cell"], f["spot"]) in feature["segments"]]

    def strengths(self, feature, players):
        """Return the strength of each player's followers in a feature."""
        strengths = [0] * players
        for figure in self.figures_in(feature):
            strengths[figure["player"]] += STRENGTH[figure["figure"]]
        return strengths

    def owners(self, feature, players):
        """Return the players with the most strength in a feature, if anybody has any (Base game, majority)."""
        strengths = self.strengths(feature, players)
        most = max(strengths)
        return [player for player in range(players) if most > 0 and strengths[player] == most]


# A large meeple counts as two; builder and pig are no followers and count nothing.
STRENGTH = {"meeple": 1, "abbot": 1, "big": 2, "builder": 0, "pig": 0}
FOLLOWERS = ["meeple", "big", "abbot"]


def distinct(features):
    """Return each of these features once."""
    return list({feature["name"]: feature for feature in features}.values())


def is_complete(feature):
    """True for roads and cities without an open end and for buildings with all squares around filled; never for fields.

    A German cathedral is complete when all its roads are. A castle is no longer a city, but its walls are closed.
    """
    return feature["kind"] != "field" and feature["open"] == 0
