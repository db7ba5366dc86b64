"""What the tests of drawings share: functions that search a drawing, a small game, and a table without a game."""

import dataclasses
import re
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np

import carc_env
from carc_env import GameConfig, Phase
from carc_env.notation.notes import NO_NOTES, Notes
from carc_env.notation.placed import Figure, Placed
from carc_env.systems.where import Button, Laid, OnTile, Place

SVG = "{http://www.w3.org/2000/svg}"


def parse(drawing: str) -> ElementTree.Element:
    """Return the root element of a drawing. A drawing that is not valid XML raises an error."""
    return ElementTree.fromstring(drawing)


def marked(root: ElementTree.Element, **attributes: object) -> list[ElementTree.Element]:
    """Return the elements that have these attributes. `data_x=1` stands for `data-x="1"`."""
    wanted = {name.replace("_", "-").rstrip("-"): str(value) for name, value in attributes.items()}
    return [e for e in root.iter() if all(e.get(name) == value for name, value in wanted.items())]


def texts(root: ElementTree.Element) -> list[str]:
    """Return all lines of text in a drawing."""
    return [e.get("data-text") for e in root.iter() if e.get("data-text")]


def small_game(*more: str) -> carc_env.Game:
    """Return a game with a meeple of Red on a road, a monk of Blue on a gold tile, and ingots on this tile and on the
    start tile. The actions `more` are played afterwards.
    """
    game = carc_env.Game("goldmines", deck=["V", "GM2", "K", "B"])
    for answer in ("V@1,0/0", "meeple road S", "GM2@0,-1/180", "ingot 0,0", "meeple monastery", *more):
        game.play(answer)
    return game


ALL_DRAWN = GameConfig(
    boxes=(
        "base",
        "goldmines",
        "ferries",
        "castles",
        "abbeys",
        "shrines",
        "special_monasteries",
        "darmstadt",
        "baba_yaga",
        "german_castles",
        "german_cathedrals",
    )
)


@dataclasses.dataclass
class Scenery:
    """A table that belongs to no game. It has everything that the drawing reads from a game."""

    placed: list[Placed]
    config: GameConfig = ALL_DRAWN
    notes: Notes = NO_NOTES
    answers: tuple[str, ...] = ("pass",)
    players: int = 2
    player: int | None = 0
    is_over: bool = False
    phase: Phase = Phase.PLACE_FIGURE
    tile: str | None = None
    tiles_left: int = 20
    supply: int = 9
    scores: np.ndarray = dataclasses.field(default_factory=lambda: np.array([12, 7]))
    ingots: np.ndarray = dataclasses.field(default_factory=lambda: np.array([1, 2]))
    meeples: dict = dataclasses.field(default_factory=lambda: {"meeple": np.array([3, 5])})
    ferries: list = dataclasses.field(default_factory=list)
    castles: list = dataclasses.field(default_factory=list)
    castle_tokens: np.ndarray = dataclasses.field(default_factory=lambda: np.array([2, 3]))
    abbeys: np.ndarray = dataclasses.field(default_factory=lambda: np.array([1, 0]))
    german_castles: tuple = (("GC1", "GC6"), ())
    goods: np.ndarray | None = None
    chips: np.ndarray | None = None
    final_scores: Callable | None = None

    def board(self) -> list[Placed]:
        return self.placed

    def places(self) -> list[Place]:
        return list(map(self._place, self.answers))

    def _place(self, answer: str) -> Place:
        """Return the place of an action: the tile that its text places, or the last cell that its text names. If the
        text names no cell, return a button.
        """
        *_, (x, y, degrees) = [("", "", "0"), *re.findall(r"(-?\d+),(-?\d+)(?:/(\d+))?", answer)]
        tile, laid, _ = answer.partition("@")
        if not x:
            return Button()
        return Laid((int(x), int(y)), tile, int(degrees or 0)) if laid else OnTile((int(x), int(y)))


def scenery(**others: object) -> Scenery:
    """Return a table with everything that can lie on a table: ferries, castles with and without a lord, double tiles,
    and every building.
    """

    def tile(name, x, y, rotation=0, *figures, ingots=0):
        return Placed(name, x, y, rotation, ingots, tuple(Figure(*figure) for figure in figures))

    placed = [
        tile("D", 0, 0),
        tile("FE2", 1, 0, 0, ("meeple", 1, "road", "S")),
        tile("FE1", 2, 0, 0, ingots=1),
        tile("E", 0, -1, 180, ("meeple", 0, "castle", "S")),
        tile("E", 1, -1, 90),
        tile("E", 2, -1, 270),
        tile("abbey", 0, 1, 0, ("meeple", 0, "monastery", "monastery")),
        tile("MO1", 1, 1, 0, ("meeple", 1, "monastery", "lying")),
        tile("MO5", 2, 1, 0, ("abbot", 0, "monastery", "monastery")),
        tile("SH2", 0, 2, 0, ("meeple", 1, "shrine", "shrine")),
        tile("DA2", 1, 2, 0, ("meeple", 0, "monastery", "monastery")),
        tile("RU1", 2, 2, 0, ("meeple", 1, "hut", "hut")),
        tile("GC4", 3, -1, 0, ("meeple", 1, "castle", "castle"), ("meeple", 0, "city", "2N"), ingots=2),
        tile("GC1", 3, 0, 90, ("big", 0, "castle", "castle"), ("meeple", 1, "field", "Ne")),
        tile("GK1", 4, 1, 0, ("meeple", 0, "cathedral", "cathedral")),
        tile("DA1", 4, 0, 0, ("meeple", 0, "city", "N")),
    ]
    table = {
        "placed": placed,
        "ferries": [(1, 0, "S-W"), (2, 0, "E-W")],
        "castles": [(0, -1, "S", 0, True), (1, -1, "E", 1, False)],
    }
    return Scenery(**table | others)
