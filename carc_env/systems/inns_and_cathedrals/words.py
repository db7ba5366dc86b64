"""Passes the setting `unfinished_inn_cathedral` of Inns & Cathedrals to the compiled rules. The tiles and the big
meeple of Inns & Cathedrals add no decisions.
"""

from collections.abc import Mapping
from typing import Any

from carc_env.systems.inns_and_cathedrals.signs import SIGNS, WOODEN
from carc_env.systems.system import System


class InnsAndCathedrals(System):
    """Inns & Cathedrals."""

    box = "inns_and_cathedrals"
    signs = SIGNS
    figures = WOODEN
    most_players = 6

    def variants(self, config: Any) -> Mapping[str, int]:
        return {"ignore_unfinished_inns": config.unfinished_inn_cathedral == "ignore"}
