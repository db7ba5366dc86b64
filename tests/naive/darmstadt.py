"""Darmstadt churches: monasteries with a bonus for the followers around them, and a city with the Darmstadtium."""

from .table import FOLLOWERS


def without_two_monasteries(deck, boxes_with_tiles):
    """Return the deck. Two of the tiles B are left out if only the base game and the churches have tiles in play."""
    if set(boxes_with_tiles) != {"base", "darmstadt"}:
        return deck
    return {tile: n - 2 if tile == "B" else n for tile, n in deck.items()}


def points_for_darmstadtium(city, rules):
    """A completed city with the Darmstadtium scores 3 points more."""
    return 3 if "darmstadtium" in city["symbols"] and "darmstadt" in rules.boxes else 0


class Darmstadt:
    """The part of a game that is about the churches' bonus."""

    def score_church_bonus(self, completed):
        """The players with the most followers on a completed church's tile and its eight neighbours get 3 points each.

        Followers in every role count, also those about to go home; a large meeple counts as one. The church itself may
        be empty. Without any follower there, nobody gets the bonus.
        """
        for church in completed:
            if church["kind"] == "church":
                heads = self.followers_around(church)
                for player in range(self.rules.players):
                    if heads[player] and heads[player] == max(heads):
                        self.score(player, "church", 3)

    def followers_around(self, church):
        """Return how many followers each player has on the nine tiles. A double tile counts with both its squares."""
        (cell,) = church["tiles"]
        tiles = self.table.tiles_at([cell, *self.table.ring(cell)])
        heads = [0] * self.rules.players
        for figure in self.table.figures:
            if figure["figure"] in FOLLOWERS and self.table.tile_at(figure["cell"]) in tiles:
                heads[figure["player"]] += 1
        return heads
