"""Shrines: `meeple shrine`, and squares where a tile may not be placed because of them."""

from carc_env.boxes.tiles import tile_table
from carc_env.rules.expansions.shrines import is_tile_allowed
from carc_env.systems.shrines.signs import SIGNS
from carc_env.systems.system import Scene, System


def why_not_beside(scene: Scene, cell: int) -> str:
    """The reason why the buildings around a cell do not allow the tile in hand there, or an empty text."""
    if is_tile_allowed(scene.game, tile_table()[0]["kinds"][scene.tile], cell):
        return ""
    return f"on {scene.where(cell)} a shrine would be beside two monasteries, or a monastery beside two shrines"


class Shrines(System):
    """Shrines."""

    box = "shrines"
    signs = SIGNS
