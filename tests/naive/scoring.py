"""Scoring: completed features after each tile, and everything else at the end of the game."""

from .points import SOURCE, ingot_rate, points_as_it_stands, points_for_field, points_for_goods, points_when_complete
from .table import distinct, is_complete, neighbour
from .tiles import ACROSS, BUILDINGS, EDGES, SPOTS


class Scoring:
    """The part of a game that is about points."""

    def score(self, player, kind, points):
        """Add points to a player's score under a source, which may be given as a kind of feature."""
        source = SOURCE.get(kind, kind)
        self.points[source][player] += points
        self.news.append(("points", player, source, points))

    def owners(self, feature):
        """Return the owners of a feature: the players with the most strength in it."""
        return self.table.owners(feature, self.rules.players)

    def features_with_figures(self):
        """Return the different features that have figures on them."""
        return distinct(self.table.feature(figure["cell"], figure["spot"]) for figure in self.table.figures)

    def completed_features(self):
        """Return what is completed with the tile just laid, with or without owners, in the order of `listing_order`.

        These are features of the tile, features that it closes, buildings that it is the last to surround, roads at
        moved ferries, and German cathedrals whose last road is among these.
        """
        features = [*self.table.features_on(self.cell), *self.features_touched(), *self.buildings_around()]
        features += self.roads_at_moved_ferries()
        completed = [feature for feature in distinct(features) if self.is_completed(feature)]
        completed += self.cathedrals_completed_with([f for f in completed if f["kind"] == "road"])
        return sorted(distinct(completed), key=self.listing_order)

    def features_touched(self):
        """Return the features at the edges of the tile just laid. An abbey joins none of them, but closes all."""
        touched = []
        for square in self.table.squares_of(self.cell):
            for edge in EDGES:
                there = neighbour(square, edge)
                if self.table.is_filled(there) and self.table.segment_with(there, ACROSS[edge]):
                    touched.append(self.table.feature(there, ACROSS[edge]))
        return touched

    def buildings_around(self):
        """Return the buildings on the tiles around the tile just laid."""
        around = self.table.tiles_at(self.table.ring(self.cell))
        features = [feature for tile in around for feature in self.table.features_on(tile)]
        return [feature for feature in features if feature["kind"] in BUILDINGS]

    def is_completed(self, feature):
        """True if the feature counts as completed. Castles never do, nor do buildings with a lying follower.

        Gardens count only with the abbot in play, and a German cathedral is completed only by its roads.
        """
        if feature["kind"] in ("castle", "german_cathedral") or self.is_lying_in(feature):
            return False
        return is_complete(feature) and (feature["kind"] != "garden" or self.plays("abbot"))

    def score_completed_features(self, completed):
        """Each owner of a completed feature gets all its points."""
        for feature in completed:
            for player in self.owners(feature):
                self.score(player, feature["kind"], points_when_complete(feature, self.rules))

    def listing_order(self, feature):
        """Return the sort key of a completed feature. Roads come first, then cities, by their first spots on the new
        tile; then buildings, row by row.

        Roads and cities without a spot on the new tile come after the others of their kind, in the order of their first
        cells. Spots on the first square of a double tile come before those on the second.
        """
        if feature["kind"] in BUILDINGS:
            ((x, y),) = feature["tiles"]
            return 2, y, x
        squares = self.table.squares_of(self.cell)
        spots = [(squares.index(c), SPOTS.index(spot)) for c, spot in feature["segments"] if c in squares]
        kind = ["road", "city"].index(feature["kind"])
        if spots:
            return kind, 0, min(spots)
        return kind, 1, min((y, x, SPOTS.index(spot)) for (x, y), spot in feature["segments"])

    def building_on(self, cell):
        """Return the building on a tile, as a segment."""
        tile = self.table.tile_at(cell)
        return next(segment for segment in self.table.segments_on(tile) if segment["kind"] in BUILDINGS)

    def return_figures(self, scored):
        """Return all figures of scored features to their players, including those of players who got no points."""
        for feature in scored:
            for figure in self.table.figures_in(feature):
                self.send_home(figure)

    def points_now(self, feature):
        """Return the points of an unfinished feature, counted as at the end of the game."""
        if self.is_lying_in(feature):
            return self.points_for_lying(feature)
        return points_as_it_stands(feature, self.rules)

    def score_at_the_end(self):
        """Set aside the ingots still on tiles, then score unfinished features, fields, ingots in hand and goods.

        Chips in hand score nothing more, even if they make a wine (Map-Chips). Lords in castles score nothing either.
        """
        self.set_ingots_aside()
        for feature in self.features_with_figures():
            for player in self.owners(feature):
                if feature["kind"] == "field":
                    self.score(player, "field", points_for_field(feature, self.table, player))
                elif feature["kind"] != "castle":
                    self.score(player, feature["kind"], self.points_now(feature))
        for player, ingots in enumerate(self.ingots):
            self.score(player, "ingots", ingots * ingot_rate(ingots))
        for good in self.GOODS:
            for player, points in enumerate(points_for_goods([goods[good] for goods in self.goods])):
                self.score(player, "goods", points)
