"""German castles: double tiles that players hold in hand, each with a castle that covers both its squares."""

from .table import around, neighbour
from .tiles import EDGES, direction_of, edge_terrain, faces_of, is_double, rotations_of_double


def points_for_castle_tiles(feature):
    """A completed road or city scores 3 points more for each castle tile that it lies on, whoever laid the castle."""
    return 3 * len(feature["castle_tiles"])


def points_for_surrounded_castle(castle, rules):
    """A castle with all squares around it occupied scores 12: 2 for its tile, and 1 for each of ten squares. On a
    sheet, only squares that exist count.
    """
    return 12 if rules.border_monastery == "nine" else 2 + castle["around"]


def points_for_open_castle(castle):
    """At the end of the game, a castle scores 2 points, and 1 for each occupied square around it."""
    return 2 + castle["around"] - castle["open"]


class GermanCastles:
    """The part of a game that is about laying German castles."""

    def place_german_castle(self, may_pass):
        """The active player may lay an own castle tile instead of drawing. Returns True if one is laid.

        It must be laid if no tile can be drawn (`may_pass` is False).
        """
        placements = self.castle_placements(self.active)
        if not placements:
            return False
        answers = [*placements, "pass"] if may_pass else list(placements)
        text = yield from self.ask(self.active, "PLACE_GERMAN_CASTLE", answers)
        if text == "pass":
            return False
        tile, self.cell, rotation = placements[text]
        self.german_castles[self.active].remove(tile)
        self.table.lay(tile, self.cell, rotation)
        return True

    def castle_placements(self, player):
        """Return all legal placements of the player's castle tiles, as {text: (tile, first cell, rotation)}."""
        placements = {}
        for tile in self.german_castles[player]:
            for rotation in rotations_of_double(tile):
                for cell in self.first_cells(rotation):
                    if self.castle_fits(tile, cell, rotation):
                        placements[f"{tile}@{cell[0]},{cell[1]}/{rotation}"] = (tile, cell, rotation)
        return placements

    def first_cells(self, rotation):
        """Return the cells where the first square may lie so that one of the two squares can touch the layout."""
        opposite = {"E": "W", "S": "N"}[direction_of(rotation)]
        return self.table.empty | {neighbour(cell, opposite) for cell in self.table.empty}

    def castle_fits(self, tile, cell, rotation):
        """True if both squares are free, the six outer edges match, and no castle tile is adjacent or at a corner."""
        squares = [cell, neighbour(cell, direction_of(rotation))]
        for square, face in zip(squares, faces_of(tile, rotation), strict=True):
            if not self.is_free(square) or any(self.is_castle_tile(other) for other in around(square)):
                return False
            for edge in EDGES:
                wanted = self.table.wanted_on(square, edge)
                if neighbour(square, edge) not in squares and wanted not in (None, edge_terrain(face, rotation, edge)):
                    return False
        return True

    def is_free(self, cell):
        """True if a tile may lie on this cell and none does yet."""
        return self.table.is_square(cell) and cell not in self.table.board

    def is_castle_tile(self, cell):
        """True if a German castle lies on this cell."""
        return len(self.table.squares_of(cell)) == 2


def name_of_tile(face):
    """Return the id of the tile to which this square belongs."""
    return face[:-1] if is_double(face[:-1]) else face
