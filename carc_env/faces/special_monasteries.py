"""Special monasteries: `meeple monastery` stands there, `meeple monastery lying` lies."""

from carc_env.faces.base import MOST_OF_BUILDING
from carc_env.faces.face import Face, Makings
from carc_env.rules.state import SIZE

REPLACED = ("A", "B")
MOST_LYING = 1 + 2 * (SIZE - 2)  # itself, a row and a column


class SpecialMonasteries(Face):
    """Special monasteries."""

    box = "special_monasteries"

    def stack(self, config, counts) -> None:
        """They replace the monasteries of the base game, unless these are kept."""
        if self.box in config.boxes and config.special_monasteries == "replace":
            for tile in REPLACED:
                counts[tile] = 0

    def most_of_features(self, makings: Makings) -> int:
        """A follower lies in each of them, who gets a row and a column."""
        return (MOST_LYING - MOST_OF_BUILDING) * sum(segment.kind == "special_monastery" for kind in makings.tiles for segment in kind.segments)
