"""Defines the `System` of shrines, and the message for a square on which the rules forbid a shrine or monastery. In the
notation of actions, `meeple shrine` places a meeple on a shrine.
"""

from typing import Any

import numpy as np

from carc_env.boxes.tiles import tile_table
from carc_env.rules.expansions.shrines import is_tile_allowed
from carc_env.systems.shrines.signs import SIGNS
from carc_env.systems.system import Scene, System


def why_not_beside(scene: Scene, cell: int) -> str:
    """Return a message if the buildings around a cell forbid the tile in hand on this cell. If the tile is allowed,
    return an empty string.
    """
    if is_tile_allowed(scene.game, tile_table()[0]["kinds"][scene.tile], cell):
        return ""
    return f"on {scene.where(cell)} a shrine would be beside two monasteries, or a monastery beside two shrines"


class Shrines(System):
    """Shrines."""

    box = "shrines"
    signs = SIGNS

    def call_compiled(self, game: Any, tiles: np.record, cell: int) -> None:
        is_tile_allowed(game.state, tiles["kinds"][0], cell)
