"""Defines the action for abbeys: `abbey@2,3` places an abbey on a square whose four neighbours are occupied."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from carc_env.boxes.tiles import TileKind, tile_kinds
from carc_env.rules.answers import tile_answer, tile_of
from carc_env.rules.expansions.abbeys import is_hole
from carc_env.rules.state import NONE, Phase
from carc_env.systems.abbeys.signs import SIGNS
from carc_env.systems.system import CELL, Form, Item, Makings, Question, Scene, System
from carc_env.systems.where import Laid


class PlaceAbbey(Question):
    """The decision whether and where to place an abbey."""

    asked = "may place an abbey"
    why = (
        "Instead of drawing a tile, you may place an abbey on an empty square between four occupied squares. Every "
        "road, city and field that touches the abbey ends there. A follower on the abbey scores like a follower on a "
        "monastery."
    )
    passing = "keep the abbey"
    forms = (
        Form(
            rf"abbey@{CELL}(?:/0|/90|/180|/270)?",
            lambda scene, x, y: tile_answer(scene.size, 0, scene.cell(x, y)),
            "no abbey is to be placed now",
        ),
    )

    def example(self, scene: Scene) -> str:
        return "'abbey@x,y', or 'pass'"

    def write(self, scene: Scene, action: int) -> str:
        return f"abbey@{scene.where(tile_of(scene.size, action)[1])}"

    def place(self, scene: Scene, action: int) -> Laid:
        return Laid(scene.at(tile_of(scene.size, action)[1]), "abbey")

    def held(self, game: Any) -> list[str]:
        return ["abbey"]

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        rotation, cell = tile_of(scene.size, action)
        if action >= scene.ids.choose_cell or rotation:
            return "an abbey should be placed, without rotation, or 'pass'"
        square, where = scene.game["board"][cell], scene.where(cell)
        if square["tile"] != NONE:
            return f"{where} is taken"
        if not square["is_square"]:
            return f"{where} is not a square of the sheet"
        if not is_hole(scene.game, cell):
            return f"the squares on all four sides of {where} should be occupied"
        return f"player {scene.player} can answer {legal()}"


class Abbeys(System):
    """Abbeys."""

    box = "abbeys"
    signs = SIGNS
    line = "pieces"
    questions = {Phase.PLACE_ABBEY: PlaceAbbey()}
    answers = {"place_tile": "Abbeys: place an abbey on a cell, with rotation 0"}

    def variants(self, config: Any) -> Mapping[str, int]:
        return {"abbey_end_with_stack": config.abbey_end == "end_with_stack"}

    def set_up(self, game: np.record, config: Any) -> None:
        """Give every player an abbey, and record that the placement of abbeys at the end of the game has not begun."""
        game["systems"]["abbeys"]["held"][: config.players] = self.box in config.boxes
        game["systems"]["abbeys"]["to_ask"] = NONE

    def held(self, config: Any) -> tuple[TileKind, ...]:
        return tuple(kind for kind in tile_kinds() if kind.id == "abbey") * config.players

    def hand(self, game: Any, player: int) -> str:
        return f"  {int(game.abbeys[player])} abbey"

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        return [Item("tile abbey", "tile-in-hand", int(game.abbeys[player]), {"tile": "abbey"}, tile="abbey")]

    def call_compiled(self, game: Any, tiles: np.record, cell: int) -> None:
        is_hole(game.state, cell)

    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions about abbeys. In each turn (or part of a double turn), a
        player decides whether to place an abbey. At the end of the game, each player decides once more. After placing
        an abbey, a player decides whether to place a figure on it.
        """
        return makings.most_parts + 2 * makings.config.players
