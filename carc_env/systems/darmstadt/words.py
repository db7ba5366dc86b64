"""Changes the tile stack of games with Darmstadt churches, and computes an upper limit for the bonus points of the
Darmstadtium. In the notation of actions, a church is called a monastery, as in `meeple monastery`.
"""

from typing import Any

from carc_env.boxes.tiles import library, symbols
from carc_env.systems.darmstadt.signs import SIGNS
from carc_env.systems.system import Makings, System


class Darmstadt(System):
    """Darmstadt churches."""

    box = "darmstadt"
    signs = SIGNS

    def stack(self, config: Any, counts: dict[str, int]) -> None:
        """Remove two tiles with monasteries from the stack if all tiles of the game belong to the base game or to this
        box.
        """
        with_tiles = {name for name in config.all_boxes if library()[name].kinds}
        if self.box in config.boxes and with_tiles == {"base", self.box}:
            counts["B"] -= min(2, counts["B"])

    def most_of_features(self, makings: Makings) -> int:
        """Return an upper limit for the bonus points that the Darmstadtium adds to the city in which it is printed."""
        return sum(symbols()[symbol].get("bonus", 0) for kind in makings.tiles for symbol in kind.symbols)
