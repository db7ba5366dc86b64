"""German, Dutch & Belgian and Japanese monasteries: a follower stands there as a monk, or lies there as an abbot."""

from .table import neighbour
from .tiles import EDGES


def without_base_monasteries(deck, setting):
    """Return the deck without the tiles A and B, or the whole deck if the setting is `keep`."""
    return {tile: n for tile, n in deck.items() if setting == "keep" or tile not in ("A", "B")}


class SpecialMonasteries:
    """The part of a game that is about lying followers."""

    def lying_answers(self):
        """Return the actions that lay a follower down: on a special monastery just laid, instead of standing."""
        if not self.table.has_building(self.cell, ["special_monastery"]):
            return []
        return [f"{text} lying" for text in self.follower_answers() if text.endswith(" monastery")]

    def is_lying_in(self, feature):
        """True if the follower in a building lies. Such a building is never completed."""
        return any(figure.get("lying") for figure in self.table.figures_in(feature))

    def points_for_lying(self, feature):
        """Return 1 point for the building, and 1 for each occupied square in the four straight lines up to a gap.

        Both squares of a German castle count, and so do printed squares of large cities.
        """
        (cell,) = feature["tiles"]
        points = 1
        for edge in EDGES:
            there = neighbour(cell, edge)
            while self.table.is_filled(there):
                points += 1
                there = neighbour(there, edge)
        return points
