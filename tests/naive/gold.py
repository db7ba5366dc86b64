"""Gold (Goldmines): ingots put on tiles, and shared out when features are completed."""

from .table import row_by_row
from .tiles import BUILDINGS, has_gold_symbol


class Gold:
    """The part of a game that is about ingots."""

    def put_gold(self):
        """One ingot on the gold tile, one on any of the eight tiles around it (Goldmines, placing gold).

        On the printed squares of a large city lies no gold: with no tile around, the second stays in the supply.
        """
        if not has_gold_symbol(self.tile_laid):
            return
        self.put_ingot(self.cell)
        beside = self.table.tiles_at([cell for cell in self.table.ring(self.cell) if cell in self.table.board])
        if beside and self.ingots_left:
            text = yield from self.ask(self.active, "PLACE_INGOT", [f"ingot {x},{y}" for x, y in row_by_row(beside)])
            self.put_ingot(cell_in(text))

    def put_ingot(self, cell):
        """An ingot goes from the supply onto a tile."""
        if self.ingots_left:
            self.ingots_left -= 1
            self.table.board[cell]["ingots"] += 1
            self.news.append(("put", self.active, cell))

    def area(self, feature):
        """Where a feature's gold lies: on its tiles, for a building also on the tiles around.

        For a German cathedral it is the tiles of its roads that count, not those around.
        """
        if feature["kind"] == "german_cathedral":
            return feature["tiles"].union(*(road["tiles"] for road in feature["roads"]))
        if feature["kind"] in BUILDINGS:
            (tile,) = feature["tiles"]
            return self.table.tiles_at([tile, *self.table.ring(tile)])
        return feature["tiles"]

    def claims(self, scored):
        """Who may take gold from where: the owners of what was scored in this turn, from its areas."""
        return [(self.owners(feature), self.area(feature)) for feature in scored if self.owners(feature)]

    def award_gold(self, claims):
        """The gold of the areas goes to those with claims (Goldmines, awarding gold).

        `still_to_take` pairs the players who may still take an ingot, in this visit or a later one, with the areas
        from which they may; `served` is the area of the feature for which an ingot is taken now, if it is one for each.
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
        """The tiles of an area that still have gold, row by row."""
        board = self.table.board
        return row_by_row([cell for cell in area if cell in board and board[cell]["ingots"]])

    def right(self, player, claims):
        """The tiles a player may take an ingot from: those with gold in the area of an own scored feature."""
        return self.with_gold({cell for its_owners, area in claims if player in its_owners for cell in area})

    def claimants(self, claims):
        """Who still has a right to gold."""
        return [player for player in self.in_order() if self.right(player, claims)]

    def draft_gold(self, claims):
        """One ingot each in turn, beginning with the active player, until none has a right to any."""
        while self.claimants(claims):
            for player in self.in_order():
                if self.take_rest_if_alone(claims):
                    return
                if self.right(player, claims):
                    yield from self.choose_ingot(player, self.right(player, claims))

    def take_gold_in_rounds(self, claims):
        """On each visit one ingot for each own feature with gold left, round after round (RGG wording)."""
        while self.claimants(claims):
            for player in self.in_order():
                for its_owners, area in claims:
                    if self.take_rest_if_alone(claims):
                        return
                    if player in its_owners and self.with_gold(area):
                        self.served = area
                        yield from self.choose_ingot(player, self.with_gold(area))

    def take_gold_in_one_pass(self, claims):
        """One visit for each player, one ingot for each own feature; the rest stays (RGG wording, strict)."""
        services = [(player, area) for player in self.in_order() for its_owners, area in claims if player in its_owners]
        for number, (player, area) in enumerate(services):
            if self.with_gold(area):
                self.still_to_take, self.served = services[number:], area
                yield from self.choose_ingot(player, self.with_gold(area))

    def take_rest_if_alone(self, claims):
        """The only player with a right left takes all, row by row; true when nothing is left to do."""
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
        """A player takes an ingot from one of these tiles; there is no declining."""
        text = yield from self.ask(player, "TAKE_INGOT", [f"take {x},{y}" for x, y in cells])
        self.take_ingot(player, cell_in(text))

    def take_ingot(self, player, cell):
        """An ingot goes from a tile to a player."""
        self.table.board[cell]["ingots"] -= 1
        self.ingots[player] += 1
        self.news.append(("taken", player, cell))

    def set_ingots_aside(self):
        """Before the final scoring the ingots still on tiles are set aside, and then lie on no tile."""
        for cell in self.with_gold(self.table.board):
            self.ingots_set_aside += self.table.board[cell]["ingots"]
            self.table.board[cell]["ingots"] = 0
        if self.ingots_set_aside:
            self.news.append(("set aside", self.ingots_set_aside))


def cell_in(text):
    """The cell named in `ingot 3,-1` or `take 3,-1`."""
    x, y = text.split()[1].split(",")
    return int(x), int(y)
