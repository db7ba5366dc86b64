"""Darmstadt churches: monasteries with a bonus for those who stand around, and a city with the Darmstadtium."""

from .table import FOLLOWERS


def without_two_monasteries(deck, boxes_with_tiles):
    """Two of the tiles B leave the stack if the base game has no company but the churches."""
    if set(boxes_with_tiles) != {"base", "darmstadt"}:
        return deck
    return {tile: n - 2 if tile == "B" else n for tile, n in deck.items()}


def points_for_darmstadtium(city, rules):
    """A completed city with the Darmstadtium pays 3 more."""
    return 3 if "darmstadtium" in city["symbols"] and "darmstadt" in rules.boxes else 0


class Darmstadt:
    """The part of a game that is about the churches' bonus."""

    def score_church_bonus(self, completed):
        """Those with most followers on a completed church's tile and its eight neighbours get 3 points each.

        Every role counts, also followers about to go home; a large one is one follower. The church itself may be
        empty. With no follower around nobody gets anything.
        """
        for church in completed:
            if church["kind"] == "church":
                heads = self.followers_around(church)
                for player in range(self.rules.players):
                    if heads[player] and heads[player] == max(heads):
                        self.score(player, "church", 3)

    def followers_around(self, church):
        """How many followers of each player stand on the nine tiles; a double tile counts with both its squares."""
        (cell,) = church["tiles"]
        tiles = self.table.tiles_at([cell, *self.table.ring(cell)])
        heads = [0] * self.rules.players
        for figure in self.table.figures:
            if figure["figure"] in FOLLOWERS and self.table.tile_at(figure["cell"]) in tiles:
                heads[figure["player"]] += 1
        return heads
