"""German cathedrals: roads that lead to one score double, and the cathedral scores for all of them."""


def count_of_road(road):
    """Return the number of a road's tiles. A tile with a German cathedral counts once for each segment of the road."""
    segments = road["at_cathedrals"]
    return len(road["tiles"]) + len(segments) - len({cell for cell, _ in segments})


def leads_to_cathedral(road):
    """True if a road leads to a German cathedral. A second cathedral adds nothing."""
    return bool(road["at_cathedrals"])


def points_for_cathedral(cathedral):
    """Return the sum of the counts of its roads, completed or not. A road that comes back to it is one road."""
    return sum(map(count_of_road, cathedral["roads"]))


class GermanCathedrals:
    """The part of a game that is about German cathedrals."""

    def cathedrals_completed_with(self, roads):
        """Return the German cathedrals whose last roads have been completed in this turn."""
        cells = {cell for road in roads for cell, _ in road["at_cathedrals"]}
        cathedrals = [self.table.feature(cell, "german_cathedral") for cell in cells]
        return [cathedral for cathedral in cathedrals if cathedral["open"] == 0]
