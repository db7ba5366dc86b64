"""Defines the actions for crop circles. The active player chooses `circle add` or `circle remove`. Every player then
chooses an action such as `add meeple city 0,1 N` or `remove big road 2,3 E`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from carc_env.boxes.tiles import FIGURES, SPOTS, library, symbols, tile_table
from carc_env.common.arguments import brief
from carc_env.common.errors import ConfigError, NotationError
from carc_env.rules.answers import cell_answer, cell_of_choice, figure_of_choice
from carc_env.rules.expansions.crop_circles import spot_of
from carc_env.rules.state import NONE, Phase
from carc_env.systems.crop_circles.signs import SIGNS
from carc_env.systems.system import CELL, Form, Makings, Question, Scene, System
from carc_env.systems.where import Button, OnFeature, figure_in_words, spot_in_words


class CropChoice(Question):
    """The decision about what a crop circle does: every player adds a follower, or every player takes a follower
    back.
    """

    asked = "decides what the crop circle does"
    why = (
        "The tile shows a crop circle for one kind of follower. The player who placed the tile chooses what happens: "
        "every player may add a follower beside one of their followers of this kind, or every player takes back one "
        "follower of this kind."
    )
    forms = (
        Form("circle add", lambda scene: scene.ids.circle_add, "no crop circle is to be decided now"),
        Form("circle remove", lambda scene: scene.ids.circle_remove, "no crop circle is to be decided now"),
    )

    def example(self, scene: Scene) -> str:
        return "'circle add' or 'circle remove'"

    def write(self, scene: Scene, action: int) -> str:
        return "circle add" if action == scene.ids.circle_add else "circle remove"

    def place(self, scene: Scene, action: int) -> Button:
        return Button("+1" if action == scene.ids.circle_add else "−1")

    def in_words(self, scene: Scene, action: int) -> str:
        adds = action == scene.ids.circle_add
        return "everybody may add a follower" if adds else "everybody takes a follower back"

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        return f"player {scene.player} answers the crop circle: {legal()}"


class CropAction(Question):
    """A player's decision for a crop circle: where to add a follower, or which follower to take back."""

    passing = "add nobody"

    def __init__(self, verb: str, asked: str, why: str, example: str):
        self.verb, self.asked, self.why, self._example = verb, asked, why, example
        self.forms = (
            Form(
                rf"{verb} (meeple|big) (road|city|field) {CELL} (\S+)",
                self._read,
                f"there is no follower to {verb} now",
            ),
        )

    def example(self, scene: Scene) -> str:
        return self._example

    def spot(self, scene: Scene, action: int) -> int:
        return spot_of(scene.game, tile_table()[0], scene.player, cell_of_choice(scene.size, action))

    def write(self, scene: Scene, action: int) -> str:
        place, where = self.place(scene, action), scene.where(cell_of_choice(scene.size, action))
        return f"{self.verb} {place.figure} {place.kind} {where} {place.spot}"

    def place(self, scene: Scene, action: int) -> OnFeature:
        figure, cell = FIGURES[figure_of_choice(scene.size, action)], cell_of_choice(scene.size, action)
        return OnFeature(scene.kind_at(cell, scene.spot), SPOTS[scene.spot], scene.at(cell), figure)

    def in_words(self, scene: Scene, action: int) -> str:
        place, where = self.place(scene, action), scene.where(cell_of_choice(scene.size, action))
        return f"{self.verb} a {figure_in_words(place.figure)}, {place.kind} on {where} ({spot_in_words(place.spot)})"

    def _read(self, scene: Scene, figure: str, kind: str, x: str, y: str, spot: str) -> int:
        action = cell_answer(scene.size, scene.cell(x, y), FIGURES.index(figure))
        cell, stands = cell_of_choice(scene.size, action), self.spot(scene, action)
        if (
            stands == NONE
            or spot not in SPOTS
            or scene.kind_at(cell, stands) != kind
            or scene.segment_at(cell, SPOTS.index(spot)) != scene.segment_at(cell, stands)
        ):
            raise NotationError(
                f"the crop circle affects no follower of player {scene.player} on {kind} {int(x)},{int(y)} {spot}"
            )
        return action

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        return f"player {scene.player} answers the crop circle: {legal()}"


class CropCircles(System):
    """Crop circles."""

    box = "crop_circles"
    signs = SIGNS
    choices = 2
    questions = {
        Phase.CROP_CHOICE: CropChoice(),
        Phase.CROP_ADD: CropAction(
            "add",
            "adds a follower",
            "The crop circle lets every player add a follower beside one of their followers of the kind shown. If "
            "several players claim the same feature, a majority of followers decides who scores it.",
            "a follower to add such as 'add meeple city 0,1 N', or 'pass'",
        ),
        Phase.CROP_REMOVE: CropAction(
            "remove",
            "takes a follower back",
            "Because of the crop circle, every player takes back one follower of the kind shown. Nobody scores points.",
            "a follower to take back such as 'remove meeple city 0,1 N'",
        ),
    }
    answers = {
        "choose_cell": "Crop circles: add a figure to a tile, or take one back from it. Choice 0 is a meeple, and "
        "choice 1 is a big meeple",
        "circle_add": "for a crop circle, decide that every player may add a follower",
        "circle_remove": "for a crop circle, decide that every player takes a follower back",
    }

    def check(self, config: Any) -> None:
        """Check that the tiles in `crop_circle_tiles` belong to the box."""
        for tile in config.crop_circle_tiles or ():
            if not isinstance(tile, str) or not re.fullmatch("CR([1-9]|1[0-2])", tile):
                raise ConfigError(f"crop_circle_tiles: {brief(tile)} should be one of CR1 to CR12")
        if config.crop_circle_tiles == ():
            raise ConfigError("crop_circle_tiles: at least one tile is needed")

    def stack(self, config: Any, counts: dict[str, int]) -> None:
        """If `crop_circle_tiles` is set, put the listed tiles in the stack instead of the six tiles of the edition."""
        if config.crop_circle_tiles is not None:
            for kind in library()[self.box].kinds:
                counts[kind.id] = config.crop_circle_tiles.count(kind.id)

    def variants(self, config: Any) -> Mapping[str, int]:
        return {"crop_must_add": config.crop_add == "must"}

    def call_compiled(self, game: Any, tiles: np.record, cell: int) -> None:
        spot_of(game.state, tiles, 0, cell)

    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions. For each crop circle, there is one decision about its
        effect and one decision for each player.
        """
        circles = sum("crop_circle" in symbols()[symbol] for kind in makings.deck for symbol in kind.symbols)
        return (1 + makings.config.players) * circles
