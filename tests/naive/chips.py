"""Map-Chips: chips taken from the squares of a sheet, and the wine that is sold for them."""

CONTENTS = {"1": {1: 1}, "2": {2: 1}, "1+1": {1: 2}}  # how many chips of each value a wine takes


class Chips:
    """The part of a game that is about chips and wine."""

    COLOURS = ["purple", "light_blue", "orange"]

    def take_chip(self):
        """The active player takes the chip under the new tile and scores it at once. A double tile may cover two."""
        for square in self.table.squares_of(self.cell):
            if square in self.chips_on:
                colour, value = self.chips_on.pop(square)
                self.chips[self.active][colour, value] += 1
                self.news.append(("chip", self.active, colour, value, square))
                self.score(self.active, "chips", value)

    def sell_wine(self):
        """The active player may sell one wine a turn, also with a chip just taken. The chips sold leave the game."""
        answers = [] if self.sold else self.sales()
        text = yield from self.ask(self.active, "SELL_WINE", [*answers, "pass"])
        if text != "pass":
            _, colour, composition, destination = text.split()
            for value, count in CONTENTS[composition].items():
                self.chips[self.active][colour, value] -= count
                self.chips_sold[colour, value] += count
            self.news.append(("sold", self.active, colour, composition, destination, self.cell))
            self.score(self.active, "wine", 9 if destination == "town" else 5)
            self.sold = True

    def sales(self):
        """Return the possible sales: any wine abroad, and in a town only its own grape.

        Both squares of a double tile count.
        """
        sheet = self.table.sheet
        if sheet is None:
            return []
        squares = self.table.squares_of(self.cell)
        grapes = [sheet.towns[square]["grape"] for square in squares if square in sheet.towns]
        wines = self.wines(self.active)
        answers = [f"sell {wine} town" for wine in wines if wine.split()[0] in grapes]
        answers += [f"sell {wine} abroad" for wine in wines if any(map(sheet.leads_abroad, squares))]
        return answers

    def wines(self, player):
        """Return the wines of a player: chips of one colour worth exactly 2, which are one 2 or two 1s."""
        return [
            f"{colour} {composition}"
            for colour in self.COLOURS
            for composition in ("2", "1+1")
            if all(self.chips[player][colour, v] >= count for v, count in CONTENTS[composition].items())
        ]
