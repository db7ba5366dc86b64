"""Shrines (Heretics & Shrines): they score as monasteries do, and challenge a monastery beside them."""

from .table import around, is_complete
from .tiles import segments_of

# Monasteries of every kind, occupied or not; gardens, huts, German castles and German cathedrals take no part.
MONASTERIES = ["monastery", "abbey", "special_monastery", "church"]


def rivals_of(kind):
    """Return the kinds of building that a building of this kind challenges."""
    return MONASTERIES if kind == "shrine" else ["shrine"] if kind in MONASTERIES else []


class Shrines:
    """The part of a game that is about shrines."""

    def legal_placements(self, tile):
        """Return all legal placements of the tile, as {text: (cell, rotation)}."""
        placements = self.table.legal_placements(tile)
        if not self.plays("shrines"):
            return placements
        return {text: where for text, where in placements.items() if self.keeps_shrines_apart(tile, where[0])}

    def keeps_shrines_apart(self, tile, cell):
        """True if the tile may lie here: no shrine may be beside two monasteries, and no monastery beside two shrines.

        So the new building may have at most one rival among its eight neighbours, and that rival must have no other.
        """
        for kind in [s["kind"] for s in segments_of(tile, 0) if self.table.is_in_play(s)]:
            rivals = self.rivals_beside(cell, kind)
            if len(rivals) > 1 or any(self.rivals_beside(rival, self.building_on(rival)["kind"]) for rival in rivals):
                return False
        return True

    def rivals_beside(self, cell, kind):
        """Return which of the eight cells around have a rival of a building of this kind."""
        rivals = rivals_of(kind)
        return [other for other in around(cell) if rivals and self.table.has_building(other, rivals)]

    def lost_challenges(self, completed):
        """Return the occupied, unfinished buildings that lose a challenge to a building beside them just completed.

        An unoccupied building neither challenges nor is challenged, and a building with a lying follower takes no part.
        """
        lost = []
        for winner in completed:
            if not rivals_of(winner["kind"]) or not self.owners(winner):
                continue
            (cell,) = winner["tiles"]
            for rival in self.rivals_beside(cell, winner["kind"]):
                building = self.table.feature(rival, self.building_on(rival)["spots"][0])
                if self.owners(building) and not is_complete(building) and not self.is_lying_in(building):
                    lost.append(building)
        return lost
