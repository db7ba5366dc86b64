"""Castles (Bridges, Castles & Bazaars): a small city becomes one, and its lord waits for what is completed beside."""

from .points import points_when_complete
from .table import FOLLOWERS, row_by_row
from .tiles import BUILDINGS, SPOTS


def tokens_of_each(players):
    """Three castle tokens for each of up to four players, otherwise two."""
    return 3 if players <= 4 else 2


class Castles:
    """The part of a game that is about castles with a lord."""

    # ------------------------------------------------------------------------------ founding

    def found_castles(self):
        """Before anything is scored, owners of small cities just completed may cover them with a castle.

        The active player is asked first, then clockwise; after each castle again, until passing.
        """
        for player in self.in_order() if self.plays("castles") else ():
            text = None
            while text != "pass":
                sites = self.castle_sites(player)
                text = yield from self.ask(player, "FOUND_CASTLE", [*sites, "pass"])
                if text != "pass":
                    self.found_castle(player, sites[text])

    def castle_sites(self, player):
        """The small cities just completed that hold exactly one follower, the player's; none without a token."""
        sites = {}
        for city in self.completed_features() if self.castle_tokens[player] else ():
            followers = [f for f in self.table.figures_in(city) if f["figure"] in FOLLOWERS]
            if self.is_small_city(city) and [f["player"] for f in followers] == [player]:
                sites[castle_name(city["tiles"])] = city
        return sites

    def is_small_city(self, feature):
        """Two semicircles make a small city: city segments on one edge of their tiles; never a printed square."""
        if feature["kind"] != "city" or len(feature["segments"]) != 2:
            return False
        caps = [self.table.segment_with(*name) for name in feature["segments"]]
        return all(cap["semicircle"] and len(cap["spots"]) == 1 for cap in caps) and len(feature["tiles"]) == 2

    def found_castle(self, player, city):
        """A token covers the city, which is no city any more; its follower becomes lord, a builder goes home."""
        (lord,) = [f for f in self.table.figures_in(city) if f["figure"] in FOLLOWERS]
        for figure in self.table.figures_in(city):
            if figure is not lord:
                self.send_home(figure)
        self.castle_tokens[player] -= 1
        lord["kind"] = "castle"
        cells = row_by_row(city["tiles"])
        self.table.castles.append({"cells": cells, "player": player, "lord": lord, "founded": self.parts_played})
        self.table.found.clear()  # the city is looked at anew

    # ------------------------------------------------------------------------------- scoring

    def vicinity(self, castle):
        """The six tiles of a castle: its own two, and the two on either side at right angles to its long axis."""
        (x, y), (x2, _) = castle["cells"]
        if x == x2:
            cells = [(x + dx, y + dy) for dy in (0, 1) for dx in (-1, 0, 1)]
        else:
            cells = [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (0, 1)]
        return self.table.tiles_at(cells)

    def score_castles(self, completed):
        """Castles score with what was completed in their vicinity, then castles beside those, and so on.

        Returns the castles that scored, in their order. A feature has a part in the vicinity if one of its tiles
        lies there; a building counts by its own tile only.
        """
        worth = {self.name_for_castle(f): (points_when_complete(f, self.rules), f["tiles"]) for f in completed}
        scored = []
        while worth:
            round_of_castles = {}
            for castle in self.castles_that_may_score(scored):
                answers = {}
                for name, (points, tiles) in worth.items():
                    if tiles & self.vicinity(castle):
                        answers[f"{castle_name(castle['cells'])} scores {name}"] = points
                if answers:
                    text = yield from self.ask(castle["player"], "CASTLE_SCORE", list(answers))
                    self.score(castle["player"], "castle", answers[text])
                    scored.append(castle)
                    round_of_castles[castle_name(castle["cells"])] = (answers[text], set(castle["cells"]))
            worth = round_of_castles
        return scored

    def castles_that_may_score(self, scored):
        """Castles with a lord that were not founded in this part of the turn and have not scored yet.

        In the order of the players, the active one first, then by their first cells.
        """
        waiting = [
            castle
            for castle in self.table.castles
            if castle["lord"] and castle["founded"] != self.parts_played and castle not in scored
        ]
        order = self.in_order()

        def place_in_order(castle):
            (x, y), (x2, _) = castle["cells"]
            return order.index(castle["player"]), y, x, x2 == x  # E before S

        return sorted(waiting, key=place_in_order)

    def name_for_castle(self, feature):
        """A feature in the words of a castle's choice: kind, first cell, and the first spot there; no spot of a
        building.
        """
        if feature["kind"] in BUILDINGS:
            (tile,) = feature["tiles"]
            return f"{self.table.name_of(tile, self.building_on(tile))} {tile[0]},{tile[1]}"
        (x, y), spot = min(feature["segments"], key=first_cell_then_spot)
        return f"{feature['kind']} {x},{y} {spot}"

    def claims_of_castles(self, scored):
        """A castle's lord has a claim to the gold in its vicinity."""
        return [([castle["player"]], self.vicinity(castle)) for castle in scored]

    def send_lords_home(self, scored):
        """The lord of a castle that has scored goes home; the token stays, and the castle is done for good."""
        for castle in scored:
            self.send_home(castle["lord"])
            castle["lord"] = None


def castle_name(cells):
    """`castle 2,3 E`: the cell of a castle that comes first, row by row, and the edge to its other cell."""
    (x, y), (x2, _) = row_by_row(cells)
    return f"castle {x},{y} {'S' if x == x2 else 'E'}"


def first_cell_then_spot(name):
    """Segments in the order of their cells, row by row, and of their spots on the tile."""
    (x, y), spot = name
    return y, x, SPOTS.index(spot)
