"""Abbeys (Abbey & Mayor): each player holds one. It is laid into a hole in the landscape, is a monastery, and closes
all features around it.
"""

from .table import neighbour
from .tiles import EDGES


class Abbeys:
    """The part of a game that is about abbeys."""

    def place_abbey(self):
        """Instead of drawing, the active player may lay the own abbey into a hole. Returns True if it is laid."""
        if not self.abbeys[self.active]:
            return False
        squares = {f"abbey@{x},{y}": (x, y) for x, y in self.squares_for_abbey()}
        text = yield from self.ask(self.active, "PLACE_ABBEY", [*squares, "pass"])
        if text == "pass":
            return False
        self.abbeys[self.active] -= 1
        self.cell = squares[text]
        self.table.lay("abbey", self.cell, 0)
        return True

    def squares_for_abbey(self):
        """Return the empty squares whose four neighbours are all occupied; on a sheet, only neighbours that exist
        count. The edges need not match.

        As for every placement, a tile or a connected large city must be beside the square, and shrines keep their
        distance.
        """
        return [
            cell
            for cell in self.table.empty
            if all(self.table.is_filled(other) or not self.table.is_on_map(other) for other in beside(cell))
            and self.keeps_shrines_apart("abbey", cell)
        ]

    def offer_abbeys(self):
        """When no land tile is left, each player who has an abbey and a hole for it is asked once.

        The offer begins to the left of the player who had the last turn, and ends with that player. After an abbey, the
        steps of a turn follow before the next player is asked. A setting of the rules leaves out this offer.
        """
        if self.rules.abbey_end != "offer_once":
            return
        for player in [*self.in_order()[1:], self.active]:
            self.active = player
            self.sold = False
            if (yield from self.place_abbey()):
                yield from self.part_of_turn()


def beside(cell):
    """Return the four cells beside a cell."""
    return [neighbour(cell, edge) for edge in EDGES]
