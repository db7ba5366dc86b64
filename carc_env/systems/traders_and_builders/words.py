"""Defines the event that a player takes goods tokens (Traders & Builders). The builder and the pig need no code here,
because players place them like other figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.boxes.tiles import GOODS
from carc_env.rules.expansions.traders_and_builders import GOODS_POINTS, has_pig, pig_points
from carc_env.rules.state import EventKind, Phase
from carc_env.systems.system import Happening, Item, Makings, System
from carc_env.systems.traders_and_builders.signs import SIGNS, WOODEN


@dataclass(frozen=True)
class GoodsTaken(Happening):
    """A player took goods tokens for a completed city."""

    player: int
    good: str  # wine, grain, cloth
    count: int
    x: int
    y: int

    def said(self, who: str) -> str:
        return f"{who} took {self.count} {self.good}"


class TradersAndBuilders(System):
    """Traders & Builders."""

    box = "traders_and_builders"
    signs = SIGNS
    figures = WOODEN
    line = "goods"

    events = {
        EventKind.GOODS_TAKEN: lambda told: GoodsTaken(told.player, GOODS[told.source], told.amount, told.x, told.y)
    }

    def hand(self, game: Any, player: int) -> str:
        return "  goods " + ", ".join(f"{count} {good}" for good, count in zip(GOODS, game.goods[player].tolist()))

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        return [Item(good, "goods", count, {"good": good}) for good, count in zip(GOODS, game.goods[player].tolist())]

    def occasion(self, game: Any) -> tuple[str, str]:
        if game.phase != Phase.PLACE_TILE or not game.state["systems"]["traders_and_builders"]["second_part"]:
            return "", ""
        return (
            "in the second part of the turn",
            "You extended the road or city with your builder, so you place a second tile in this turn.",
        )

    def call_compiled(self, game: Any, tiles: np.record, cell: int) -> None:
        has_pig(game.state, 0, 0)
        pig_points(game.state, tiles, 0)

    def most_besides(self, makings: Makings, once: int) -> int:
        """Return an upper limit for the points of one player. The limit assumes that this player has the most tokens of
        every kind of goods.
        """
        return GOODS_POINTS * len(GOODS)
