"""German castles: double tiles in the players' hands, each with a castle on both its squares."""

from .table import around, neighbour
from .tiles import EDGES, direction_of, edge_terrain, faces_of, is_double, rotations_of_double


def points_for_castle_tiles(feature):
    """A completed road or city pays 3 more for each different castle tile it lies on, no matter whose castle."""
    return 3 * len(feature["castle_tiles"])


def points_for_surrounded_castle(castle, rules):
    """With all squares around occupied 12: 2 for the tile and one for each of ten squares; on a sheet of those there
    are.
    """
    return 12 if rules.border_monastery == "nine" else 2 + castle["around"]


def points_for_open_castle(castle):
    """At the end of the game 2, and 1 for each occupied square around."""
    return 2 + castle["around"] - castle["open"]


class GermanCastles:
    """The part of a game that is about laying German castles."""

    def place_german_castle(self, may_pass):
        """Instead of drawing, the active player may lay an own castle tile; true if one is laid.

        Where no tile can be drawn it must be laid.
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
        """Every way in which the player can lay a castle tile, as {text: (tile, first cell, rotation)}."""
        placements = {}
        for tile in self.german_castles[player]:
            for rotation in rotations_of_double(tile):
                for cell in self.first_cells(rotation):
                    if self.castle_fits(tile, cell, rotation):
                        placements[f"{tile}@{cell[0]},{cell[1]}/{rotation}"] = (tile, cell, rotation)
        return placements

    def first_cells(self, rotation):
        """Where the first square may lie, so that one of both can touch the layout."""
        opposite = {"E": "W", "S": "N"}[direction_of(rotation)]
        return self.table.empty | {neighbour(cell, opposite) for cell in self.table.empty}

    def castle_fits(self, tile, cell, rotation):
        """Both squares are free, all six outer edges match, and no castle tile is touched, not even by a corner."""
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
        """May a tile lie here, and does none yet?"""
        return self.table.is_square(cell) and cell not in self.table.board

    def is_castle_tile(self, cell):
        """Does a German castle lie on this cell?"""
        return len(self.table.squares_of(cell)) == 2


def name_of_tile(face):
    """The id of the tile of which this is a square."""
    return face[:-1] if is_double(face[:-1]) else face
