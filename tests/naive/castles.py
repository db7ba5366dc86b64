"""Castles (Bridges, Castles & Bazaars): a small city becomes a castle; its lord later scores a feature nearby."""

from .points import points_when_complete
from .table import FOLLOWERS, row_by_row
from .tiles import BUILDINGS, SPOTS


def tokens_of_each(players):
    """Return the castle tokens of each player: three with up to four players, otherwise two."""
    return 3 if players <= 4 else 2


class Castles:
    """The part of a game that is about castles with a lord."""

    # ------------------------------------------------------------------------------ founding

    def found_castles(self):
        """Before anything is scored, owners of small cities just completed may cover them with castles.

        The active player is asked first, then the others clockwise. Each player is asked again after founding a castle,
        until that player passes.
        """
        for player in self.in_order() if self.plays("castles") else ():
            text = None
            while text != "pass":
                sites = self.castle_sites(player)
                text = yield from self.ask(player, "FOUND_CASTLE", [*sites, "pass"])
                if text != "pass":
                    self.found_castle(player, sites[text])

    def castle_sites(self, player):
        """Return the small cities just completed whose only follower is the player's; without a token, none."""
        sites = {}
        for city in self.completed_features() if self.castle_tokens[player] else ():
            followers = [f for f in self.table.figures_in(city) if f["figure"] in FOLLOWERS]
            if self.is_small_city(city) and [f["player"] for f in followers] == [player]:
                sites[castle_name(city["tiles"])] = city
        return sites

    def is_small_city(self, feature):
        """True for a city of two semicircles: two segments, each on one edge of its tile, without printed squares."""
        if feature["kind"] != "city" or len(feature["segments"]) != 2:
            return False
        caps = [self.table.segment_with(*name) for name in feature["segments"]]
        return all(cap["semicircle"] and len(cap["spots"]) == 1 for cap in caps) and len(feature["tiles"]) == 2

    def found_castle(self, player, city):
        """Cover a city with a token: it is no longer a city. Its follower becomes the lord, and a builder goes home."""
        (lord,) = [f for f in self.table.figures_in(city) if f["figure"] in FOLLOWERS]
        for figure in self.table.figures_in(city):
            if figure is not lord:
                self.send_home(figure)
        self.castle_tokens[player] -= 1
        lord["kind"] = "castle"
        cells = row_by_row(city["tiles"])
        self.table.castles.append({"cells": cells, "player": player, "lord": lord, "founded": self.parts_played})
        self.table.found.clear()  # so that the city is looked at again

    # ------------------------------------------------------------------------------- scoring

    def vicinity(self, castle):
        """Return the six tiles of a castle: its own two, and the two along each of its long sides."""
        (x, y), (x2, _) = castle["cells"]
        if x == x2:
            cells = [(x + dx, y + dy) for dy in (0, 1) for dx in (-1, 0, 1)]
        else:
            cells = [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (0, 1)]
        return self.table.tiles_at(cells)

    def score_castles(self, completed):
        """Score castles with what was completed in their vicinity, then castles beside castles that scored, and so on.

        Returns the castles that scored, in their order. A feature is in the vicinity if one of its tiles lies there; of
        a building, only its own tile counts.
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
        """Return the castles with a lord that were founded before this part of the turn and have not scored yet.

        They are in the order of their players, the active player first, and then of their first cells.
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
        """Return the name of a feature in the choice of a castle: its kind, its first cell, and its first spot there.
        The name of a building has no spot.
        """
        if feature["kind"] in BUILDINGS:
            (tile,) = feature["tiles"]
            return f"{self.table.name_of(tile, self.building_on(tile))} {tile[0]},{tile[1]}"
        (x, y), spot = min(feature["segments"], key=first_cell_then_spot)
        return f"{feature['kind']} {x},{y} {spot}"

    def claims_of_castles(self, scored):
        """Return the claims of lords to the gold in the vicinity of their castles."""
        return [([castle["player"]], self.vicinity(castle)) for castle in scored]

    def send_lords_home(self, scored):
        """Return the lords of castles that have scored to the supply. Their tokens stay, but score no more."""
        for castle in scored:
            self.send_home(castle["lord"])
            castle["lord"] = None


def castle_name(cells):
    """Return a name such as `castle 2,3 E`: the first cell of a castle, row by row, and the edge to its other cell."""
    (x, y), (x2, _) = row_by_row(cells)
    return f"castle {x},{y} {'S' if x == x2 else 'E'}"


def first_cell_then_spot(name):
    """Return the sort key of a segment: its cell, row by row, and then its spot."""
    (x, y), spot = name
    return y, x, SPOTS.index(spot)
