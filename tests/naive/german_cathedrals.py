"""German cathedrals: roads that lead there pay double, and the cathedral pays for them all."""


def count_of_road(road):
    """The tiles of a road; a tile with a German cathedral counts once for each segment of the road on it."""
    segments = road["at_cathedrals"]
    return len(road["tiles"]) + len(segments) - len({cell for cell, _ in segments})


def leads_to_cathedral(road):
    """Does a road lead to a German cathedral? A second one adds nothing."""
    return bool(road["at_cathedrals"])


def points_for_cathedral(cathedral):
    """One for each of the count of its roads, finished or not; a road that comes back is one road."""
    return sum(map(count_of_road, cathedral["roads"]))


class GermanCathedrals:
    """The part of a game that is about German cathedrals."""

    def cathedrals_completed_with(self, roads):
        """A German cathedral is completed in the turn in which the last of its roads is."""
        cells = {cell for road in roads for cell, _ in road["at_cathedrals"]}
        cathedrals = [self.table.feature(cell, "german_cathedral") for cell in cells]
        return [cathedral for cathedral in cathedrals if cathedral["open"] == 0]
