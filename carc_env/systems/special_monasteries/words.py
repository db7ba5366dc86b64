"""Defines the actions for special monasteries: `meeple monastery` places a standing follower, and
`meeple monastery lying` places a lying follower.
"""

from collections.abc import Collection, Sequence
from typing import Any

from carc_env.systems.base.words import MOST_OF_BUILDING
from carc_env.systems.special_monasteries.signs import SIGNS
from carc_env.systems.system import Makings, System

REPLACED = ("A", "B")


class SpecialMonasteries(System):
    """Special monasteries."""

    box = "special_monasteries"
    signs = SIGNS

    def stack(self, config: Any, counts: dict[str, int]) -> None:
        """Remove the tiles A and B from the stack if the configuration replaces them with special monasteries."""
        if self.box in config.boxes and config.special_monasteries == "replace":
            for tile in REPLACED:
                counts[tile] = 0

    def more_key(self, game: Any, board: Sequence[Any], printed: Collection[str]) -> list[str]:
        """If a follower lies on a monastery, add the symbol of a lying follower to the legend of the text board."""
        lies = any(piece.spot == "lying" for tile in board for piece in tile.figures)
        return [*super().more_key(game, board, printed), *["_m lies in it"] * lies]

    def most_of_features(self, makings: Makings) -> int:
        """Return an upper limit for the points that special monasteries add. A follower that lies on a special
        monastery scores at most 1 point for each cell in the row and column of the monastery.
        """
        most_lying = 1 + 2 * (makings.config.table_size - 2)
        return (most_lying - MOST_OF_BUILDING) * sum(
            segment.kind == "special_monastery" for kind in makings.tiles for segment in kind.segments
        )
