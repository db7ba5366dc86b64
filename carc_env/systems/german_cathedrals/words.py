"""Computes two upper limits: the number of German cathedrals that are completed in one turn, and the number of points
that German cathedrals add in a game.
"""

from carc_env.systems.german_cathedrals.signs import SIGNS
from carc_env.systems.system import Makings, System


def count_cathedrals(makings: Makings) -> int:
    """The number of German cathedrals on the tiles of a game."""
    return sum("German cathedral" in kind.symbols for kind in makings.tiles)


class GermanCathedrals(System):
    """German cathedrals."""

    box = "german_cathedrals"
    sources = {"german_cathedrals": "German cathedrals"}
    signs = SIGNS

    def most_completed(self, makings: Makings) -> int:
        """Return an upper limit for the number of German cathedrals that are completed in one turn. The limit is the
        number of all German cathedrals in the game.
        """
        return count_cathedrals(makings)

    def most_of_features(self, makings: Makings) -> int:
        """Return an upper limit for the points that all German cathedrals score. The limit assumes that each of them
        scores one point for each road segment in the game.
        """
        return count_cathedrals(makings) * sum(
            segment.kind == "road" for kind in makings.all_tiles for segment in kind.segments
        )
