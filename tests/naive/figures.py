"""Figures: a player places one on the new tile, or takes back the own abbot (Base game; large meeple; The Abbot)."""

# Where the abbot may stand: monastic buildings and gardens; not in huts, German castles and German cathedrals.
FOR_ABBOTS = ["monastery", "garden", "abbey", "shrine", "special_monastery", "church"]


class Figures:
    """The part of a game that is about placing figures and taking them back."""

    def place_figure(self):
        """The active player may place one figure on the tile just laid, or take back the own abbot."""
        answers = [*self.follower_answers(), *self.lying_answers(), *self.builder_answers(), *self.pig_answers()]
        answers += [*self.recall_answers(), "pass"]
        text = yield from self.ask(self.active, "PLACE_FIGURE", answers)
        if text == "recall":
            self.take_abbot_back()
        elif text != "pass":
            figure, place = text.removesuffix(" lying").split(maxsplit=1)
            for square, segment in self.table.segments_of_tile(self.cell):
                if self.table.name_of(square, segment) == place:
                    self.put_figure(figure, self.active, segment["kind"], square, segment["spots"][0])
            if text.endswith(" lying"):
                self.table.figures[-1]["lying"] = True

    def follower_answers(self):
        """Return the actions that place a follower: on a segment of the new tile whose whole feature holds no figure.

        The abbot stands only on monastic buildings and gardens, and other figures never stand on gardens (The Abbot).
        The large meeple may stand wherever a normal one may (Inns & Cathedrals).
        """
        answers = []
        for square, segment in self.table.segments_of_tile(self.cell):
            kind = segment["kind"]
            if self.table.figures_in(self.table.feature(square, segment["spots"][0])):
                continue
            place = self.table.name_of(square, segment)
            figures = ["abbot"] * (kind in FOR_ABBOTS) + ["meeple", "big"] * (kind != "garden")
            answers += [f"{figure} {place}" for figure in figures if self.supply[figure][self.active]]
        return answers

    def put_figure(self, figure, player, kind, cell, spot):
        """Move a figure from its player's supply to a segment."""
        self.supply[figure][player] -= 1
        self.table.figures.append({"figure": figure, "player": player, "cell": cell, "kind": kind, "spot": spot})

    def send_home(self, figure):
        """Move a figure back to its player's supply."""
        self.table.figures.remove(figure)
        self.supply[figure["figure"]][figure["player"]] += 1
        self.news.append(("returned", figure["player"], figure["figure"], self.table.tile_at(figure["cell"])))

    # ------------------------------------------------------------------------------ the abbot

    def own_figure(self, name):
        """Return the active player's abbot, builder or pig on the table, or None."""
        for figure in self.table.figures:
            if figure["figure"] == name and figure["player"] == self.active:
                return figure
        return None

    def recall_answers(self):
        """Return the action that takes back the own abbot, from a building that is not complete (The Abbot). A lying
        abbot may come back from any.
        """
        abbot = self.own_figure("abbot")
        if abbot is None or self.is_completed(self.table.feature(abbot["cell"], abbot["spot"])):
            return []
        return ["recall"]

    def take_abbot_back(self):
        """The abbot scores what his building is worth now, counted as at the end of the game."""
        abbot = self.own_figure("abbot")
        building = self.table.feature(abbot["cell"], abbot["spot"])
        self.score(self.active, building["kind"], self.points_now(building))
        self.send_home(abbot)
