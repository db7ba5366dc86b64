"""Scoring: completed features after each tile, everything else at the end of the game."""

from .points import (
    SOURCE,
    ingot_rate,
    points_as_it_stands,
    points_for_field,
    points_for_goods,
    points_when_complete,
)
from .table import is_complete
from .tiles import BUILDINGS, SPOTS


class Scoring:
    """The part of a game that is about points."""

    def score(self, player, kind, points):
        """Write points down for a player, for a kind of feature or another source."""
        source = SOURCE.get(kind, kind)
        self.points[source][player] += points
        self.news.append(("points", player, source, points))

    def owners(self, feature):
        """Who owns a feature: everybody with the most strength there."""
        return self.table.owners(feature, self.rules.players)

    def features_with_figures(self):
        """The different features that have figures on them."""
        features = []
        for figure in self.table.figures:
            feature = self.table.feature(figure["cell"], figure["spot"])
            if not any(feature is other for other in features):
                features.append(feature)
        return features

    def score_completed_features(self):
        """Every feature the new tile completed that has owners: all of them get its points.

        Nothing else can be complete and hold a figure: what was complete before was scored and emptied then.
        """
        scored = [feature for feature in self.features_with_figures() if is_complete(feature)]
        for feature in scored:
            for player in self.owners(feature):
                self.score(player, feature["kind"], points_when_complete(feature, self.rules))
        return sorted(scored, key=self.listing_order)

    def listing_order(self, feature):
        """Roads, then cities, by their first spot on the new tile; then buildings, which have no spot, row by row."""
        if feature["kind"] in BUILDINGS:
            ((x, y),) = feature["tiles"]
            return 2, y, x
        spots = [SPOTS.index(spot) for cell, spot in feature["segments"] if cell == self.cell]
        return ["road", "city"].index(feature["kind"]), min(spots)

    def return_figures(self, scored):
        """All figures of a scored feature go home, also of those who got nothing."""
        for feature in scored:
            for figure in self.table.figures_in(feature):
                self.send_home(figure)

    def score_at_the_end(self):
        """Unfinished features, fields, ingots and goods score; ingots still on tiles are nobody's.

        Chips in hand give nothing any more, wine or not (Map-Chips).
        """
        self.news.append(("set aside", sum(place["ingots"] for place in self.table.board.values())))
        for feature in self.features_with_figures():
            for player in self.owners(feature):
                if feature["kind"] == "field":
                    self.score(player, "field", points_for_field(feature, self.table, player))
                else:
                    self.score(player, feature["kind"], points_as_it_stands(feature, self.rules))
        for player, ingots in enumerate(self.ingots):
            self.score(player, "ingots", ingots * ingot_rate(ingots))
        for good in self.GOODS:
            for player, points in enumerate(points_for_goods([goods[good] for goods in self.goods])):
                self.score(player, "goods", points)
