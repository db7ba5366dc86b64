"""Traders & Builders: goods of completed cities, the second part of a turn for a builder, and the pig."""

from .table import FOLLOWERS, is_complete


class TradersAndBuilders:
    """The part of a game that is about goods, builders and pigs."""

    GOODS = ["wine", "grain", "cloth"]

    def take_goods(self, completed):
        """The active player, who completes a city, takes a token for each good in it, no matter who owns the city."""
        if not self.plays("traders_and_builders"):
            return
        for feature in completed:
            if feature["kind"] == "city":
                for good in feature["goods"]:
                    self.goods[self.active][good] += 1
                    self.news.append(("good", self.active, good))

    def has_own_follower(self, feature, player):
        """True if the player has a follower in the feature. Builders and pigs are not followers."""
        return any(f["player"] == player and f["figure"] in FOLLOWERS for f in self.table.figures_in(feature))

    def builder_answers(self):
        """Return the actions that place the builder with an own follower on an unfinished road or city of the tile."""
        return self.companion_answers("builder", ("road", "city"))

    def pig_answers(self):
        """Return the actions that place the pig: with an own farmer, in a field of the new tile."""
        return self.companion_answers("pig", ("field",))

    def companion_answers(self, figure, kinds):
        """Return the actions that place a figure that must be with an own follower."""
        if not self.supply[figure][self.active]:
            return []
        answers = []
        for square, segment in self.table.segments_of_tile(self.cell):
            feature = self.table.feature(square, segment["spots"][0])
            is_open = segment["kind"] in kinds and not is_complete(feature)
            if is_open and self.has_own_follower(feature, self.active):
                answers.append(f"{figure} {self.table.name_of(square, segment)}")
        return answers

    def extends_own_builder(self):
        """True if the tile just laid extends the feature of the active player's builder."""
        builder = self.own_figure("builder")
        return builder is not None and any(
            (builder["cell"], builder["spot"]) in feature["segments"] for feature in self.table.features_on(self.cell)
        )

    def send_lonely_home(self):
        """Return each builder or pig without an own follower to its player's supply."""
        for figure in self.table.figures[:]:
            if figure["figure"] not in FOLLOWERS:
                feature = self.table.feature(figure["cell"], figure["spot"])
                if not self.has_own_follower(feature, figure["player"]):
                    self.send_home(figure)
