"""Gold (Goldmines): ingots are put on tiles, and shared out when features are completed."""

from .table import row_by_row
from .tiles import BUILDINGS, has_gold_symbol


class Gold:
    """The part of a game that is about ingots."""

    def put_gold(self):
        """Put one ingot on the gold tile, and one on any of the eight tiles around it (Goldmines, placing gold).

        No gold lies on the printed squares of a large city. With no tile around, the second ingot stays in the supply.
        """
        if not has_gold_symbol(self.tile_laid):
            return
        self.put_ingot(self.cell)
        beside = self.table.tiles_at([cell for cell in self.table.ring(self.cell) if cell in self.table.board])
        if beside and self.ingots_left:
            text = yield from self.ask(self.active, "PLACE_INGOT", [f"ingot {x},{y}" for x, y in row_by_row(beside)])
            self.put_ingot(cell_in(text))

    def put_ingot(self, cell):
        """Move an ingot from the supply to a tile, if any is left."""
        if self.ingots_left:
            self.ingots_left -= 1
            self.table.board[cell]["ingots"] += 1
            self.news.append(("put", self.active, cell))

    def area(self, feature):
        """Return the tiles where a feature's gold lies: its own tiles, and for a building also the tiles around it.

        For a German cathedral, these are its tile and the tiles of its roads, not those around it.
        """
        if feature["kind"] == "german_cathedral":
            return feature["tiles"].union(*(road["tiles"] for road in feature["roads"]))
        if feature["kind"] in BUILDINGS:
            (tile,) = feature["tiles"]
            return self.table.tiles_at([tile, *self.table.ring(tile)])
        return feature["tiles"]

    def claims(self, scored):
        """Return who may take gold from where: for each feature scored in this turn, its owners and its area."""
        return [(self.owners(feature), self.area(feature)) for feature in scored if self.owners(feature)]

    def award_gold(self, claims):
        """Share the gold of the areas among those with claims (Goldmines, awarding gold).

        `still_to_take` pairs the players who may still take an ingot, in this visit or a later one, with the areas from
        which they may take it. If players take one ingot for each feature, `served` is the area of the feature whose
        ingot is taken now.
        """
        self.still_to_take = [(player, area) for its_owners, area in claims for player in its_owners]
        self.served = ()
        if self.rules.gold_rule == "hig":
            yield from self.draft_gold(claims)
        elif self.rules.gold_rule == "rgg_rounds":
            yield from self.take_gold_in_rounds(claims)
        else:
            yield from self.take_gold_in_one_pass(claims)

    def with_gold(self, area):
        """Return the tiles of an area that still have gold, row by row."""
        board = self.table.board
        return row_by_row([cell for cell in area if cell in board and board[cell]["ingots"]])

    def right(self, player, claims):
        """Return the tiles from which a player may take an ingot: those with gold in areas of own scored features."""
        return self.with_gold({cell for its_owners, area in claims if player in its_owners for cell in area})

    def claimants(self, claims):
        """Return the players who may still take gold."""
        return [player for player in self.in_order() if self.right(player, claims)]

    def draft_gold(self, claims):
        """Each player takes one ingot in turn, beginning with the active player, until nobody may take any."""
        while self.claimants(claims):
            for player in self.in_order():
                if self.take_rest_if_alone(claims):
                    return
                if self.right(player, claims):
                    yield from self.choose_ingot(player, self.right(player, claims))

    def take_gold_in_rounds(self, claims):
        """On each visit, a player takes one ingot for each own feature with gold left, in rounds (RGG wording)."""
        while self.claimants(claims):
            for player in self.in_order():
                for its_owners, area in claims:
                    if self.take_rest_if_alone(claims):
                        return
                    if player in its_owners and self.with_gold(area):
                        self.served = area
                        yield from self.choose_ingot(player, self.with_gold(area))

    def take_gold_in_one_pass(self, claims):
        """Each player has one visit and takes one ingot for each own feature; the rest stays (RGG wording, strict)."""
        services = [(player, area) for player in self.in_order() for its_owners, area in claims if player in its_owners]
        for number, (player, area) in enumerate(services):
            if self.with_gold(area):
                self.still_to_take, self.served = services[number:], area
                yield from self.choose_ingot(player, self.with_gold(area))

    def take_rest_if_alone(self, claims):
        """If only one player may still take gold, take all of it, row by row. Returns True if none is left to take."""
        claimants = self.claimants(claims)
        if len(claimants) > 1:
            return False
        for player in claimants:
            for cell in self.right(player, claims):
                while self.table.board[cell]["ingots"]:
                    self.moves.append(f"take {cell[0]},{cell[1]}")
                    self.take_ingot(player, cell)
        return True

    def choose_ingot(self, player, cells):
        """The player takes an ingot from one of these tiles, and may not decline."""
        text = yield from self.ask(player, "TAKE_INGOT", [f"take {x},{y}" for x, y in cells])
        self.take_ingot(player, cell_in(text))

    def take_ingot(self, player, cell):
        """Move an ingot from a tile to a player."""
        self.table.board[cell]["ingots"] -= 1
        self.ingots[player] += 1
        self.news.append(("taken", player, cell))

    def set_ingots_aside(self):
        """Set aside the ingots still on tiles before the final scoring; afterwards no tile has any."""
        for cell in self.with_gold(self.table.board):
            self.ingots_set_aside += self.table.board[cell]["ingots"]
            self.table.board[cell]["ingots"] = 0
        if self.ingots_set_aside:
            self.news.append(("set aside", self.ingots_set_aside))


def cell_in(text):
    """Return the cell named in a text such as `ingot 3,-1` or `take 3,-1`."""
    x, y = text.split()[1].split(",")
    return int(x), int(y)
