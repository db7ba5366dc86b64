"""Defines the actions of The Goldmines. The action `ingot 0,1` puts the second ingot on the tile at 0,1. The action
`take 0,1` takes an ingot from the tile at 0,1.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.boxes.tiles import library
from carc_env.rules.answers import cell_answer, cell_of_choice
from carc_env.rules.expansions.goldmines import is_in_area, value
from carc_env.rules.state import NONE, EventKind, GoldRule, Phase
from carc_env.systems.goldmines.signs import PIECES, SIGNS
from carc_env.systems.system import CELL, Form, Happening, Item, Makings, Question, Scene, System
from carc_env.systems.where import OnTile


@dataclass(frozen=True)
class IngotPut(Happening):
    """A player put an ingot on a tile."""

    player: int
    x: int
    y: int

    def said(self, who: str) -> str:
        return f"{who} put an ingot on {self.x},{self.y}"


@dataclass(frozen=True)
class IngotTaken(Happening):
    """A player took an ingot from a tile."""

    player: int
    x: int
    y: int

    def said(self, who: str) -> str:
        return f"{who} took an ingot from {self.x},{self.y}"


@dataclass(frozen=True)
class IngotsSetAside(Happening):
    """The ingots that were still on tiles at the end of the game were set aside, and no player received them."""

    count: int

    def said(self, who: str) -> str:
        return f"{self.count} ingots on tiles were set aside"


class ChooseTile(Question):
    """A decision about an ingot. The player chooses the tile on which to place the second ingot of a gold tile, or the
    tile from which to take an ingot.
    """

    def __init__(self, verb: str, asked: str, why: str, in_words: str, why_not: str):
        self.verb, self.asked, self.why, self._in_words, self._why_not = verb, asked, why, in_words, why_not
        self.forms = (
            Form(
                f"{verb} {CELL}",
                lambda scene, x, y: cell_answer(scene.size, scene.cell(x, y)),
                f"'{verb}' is not possible now",
            ),
        )

    def example(self, scene: Scene) -> str:
        return f"'{self.verb} x,y'"

    def write(self, scene: Scene, action: int) -> str:
        return f"{self.verb} {scene.where(cell_of_choice(scene.size, action))}"

    def place(self, scene: Scene, action: int) -> OnTile:
        return OnTile(scene.at(cell_of_choice(scene.size, action)))

    def in_words(self, scene: Scene, action: int) -> str:
        return f"{self._in_words} {scene.where(cell_of_choice(scene.size, action))}"

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        return self._why_not.format(player=scene.player, legal=legal() if "{legal}" in self._why_not else "")


class Goldmines(System):
    """The Goldmines."""

    box = "goldmines"
    signs = SIGNS
    pieces = PIECES
    choices = 1
    questions = {
        Phase.PLACE_INGOT: ChooseTile(
            "ingot",
            "places the second ingot of {tile}",
            "A gold tile brings two ingots. The first lies on the gold tile, and you place the second on a tile "
            "around it. When a road, city or building is completed, its owners take the ingots on its tiles.",
            "put an ingot on",
            "the second ingot goes on one of the eight tiles around the gold tile, as 'ingot x,y'",
        ),
        Phase.TAKE_INGOT: ChooseTile(
            "take",
            "takes an ingot",
            "Roads, cities or buildings were completed, and ingots lie on their tiles. The owners take turns and take "
            "one ingot each time. At the end of the game, an ingot is worth 1 to 4 points: the more ingots you have, "
            "the more each of them is worth.",
            "take an ingot from",
            "player {player} can take an ingot only from one of their completed features: {legal}",
        ),
    }
    answers = {"choose_cell": "Ingots: put the second ingot on a tile, or take an ingot from a tile"}

    events = {
        EventKind.INGOT_PUT: lambda told: IngotPut(told.player, told.x, told.y),
        EventKind.INGOT_TAKEN: lambda told: IngotTaken(told.player, told.x, told.y),
        EventKind.INGOTS_SET_ASIDE: lambda told: IngotsSetAside(told.amount),
    }

    def variants(self, config: Any) -> Mapping[str, int]:
        return {"gold_rule": GoldRule[config.gold_rule.upper()]}

    def set_up(self, game: np.record, config: Any) -> None:
        """Put the ingots in the supply, and record that no player is taking ingots."""
        game["systems"]["goldmines"]["supply"] = library()[self.box].ingots if self.box in config.boxes else 0
        game["systems"]["goldmines"]["visitor"] = NONE

    def hand(self, game: Any, player: int) -> str:
        n = int(game.ingots[player])
        return f"  {n} ingot{'' if n == 1 else 's'}"

    def supply(self, game: Any) -> str:
        return f"{game.supply} ingot{'s' * (game.supply != 1)} in the supply"

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        return [Item("ingot", "ingots-in-hand", int(game.ingots[player]), half=8, scale=0.85, name="ingots")]

    def call_compiled(self, game: Any, tiles: np.record, cell: int) -> None:
        value(0)
        is_in_area(game.state, 0, cell)

    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions about ingots. For each gold tile, there is one decision:
        where to place the second ingot. For each ingot, there is one decision: from which tile to take it.
        """
        ingots = library()[self.box].ingots
        return ingots + min(ingots, sum("gold" in kind.symbols for kind in makings.deck))

    def most_besides(self, makings: Makings, once: int) -> int:
        """Return an upper limit for the points of one player: 4 points for every ingot of the box."""
        return 4 * library()[self.box].ingots
