"""German, Dutch & Belgian and Japanese monasteries: a follower stands there as monk, or lies there as abbot."""

from .table import neighbour
from .tiles import EDGES


def without_base_monasteries(deck, setting):
    """The tiles A and B leave the stack before the game, unless the setting says `keep`."""
    return {tile: n for tile, n in deck.items() if setting == "keep" or tile not in ("A", "B")}


class SpecialMonasteries:
    """The part of a game that is about lying followers."""

    def lying_answers(self):
        """Whoever may stand on the special monastery just laid may also lie there."""
        if not self.table.has_building(self.cell, ["special_monastery"]):
            return []
        return [f"{text} lying" for text in self.follower_answers() if text.endswith(" monastery")]

    def is_lying_in(self, feature):
        """Does the follower in a building lie? Then it is never completed."""
        return any(figure.get("lying") for figure in self.table.figures_in(feature))

    def points_for_lying(self, feature):
        """One for the building, and one for each occupied square in the four straight lines, up to the first gap.

        Both squares of a German castle count, and printed squares of large cities.
        """
        (cell,) = feature["tiles"]
        points = 1
        for edge in EDGES:
            there = neighbour(cell, edge)
            while self.table.is_filled(there):
                points += 1
                there = neighbour(there, edge)
        return points
