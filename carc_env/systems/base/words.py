"""Defines the decisions about placing a tile and placing a figure, and the events that can occur in every game."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.boxes.tiles import FIGURES, SIDES, SPOTS, WORDS, tile_kinds, tile_table
from carc_env.common.errors import NotationError
from carc_env.rules.answers import PASS, figure_answer, figure_of, tile_answer, tile_of
from carc_env.rules.geometry import coordinates
from carc_env.rules.state import NONE, EventKind, Phase, Source, Spot
from carc_env.systems.base.signs import SIGNS, WOODEN
from carc_env.systems.shrines.words import why_not_beside
from carc_env.systems.system import CELL, FIGURE, Form, Happening, Makings, Question, Scene, System
from carc_env.systems.where import Laid, OnFeature, figure_in_words, spot_in_words

SOURCES = tuple(source.name.lower() for source in Source)
# upper limits: the points that one tile adds to a road, and the points of a building with a standing follower
MOST_OF_ROAD, MOST_OF_BUILDING = 3, 12


@dataclass(frozen=True)
class PointsScored(Happening):
    """A player scored points. `x` and `y` are the coordinates of a tile of the scored feature. For points from ingots
    and goods tokens at the end of the game, `x` and `y` are None.
    """

    player: int
    source: str  # a key of Game.final_scores()
    points: int
    x: int | None
    y: int | None

    def said(self, who: str) -> str:
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        return f"{who} scored {points} from {self.source.replace('_', ' ')}"


def in_words(figure: str) -> str:
    """Return the name of a figure as it appears in a sentence."""
    return "big meeple" if figure == "big" else figure


@dataclass(frozen=True)
class FigureReturned(Happening):
    """A figure went back to its owner's supply."""

    player: int
    figure: str
    x: int
    y: int

    def said(self, who: str) -> str:
        return f"{who} got the {in_words(self.figure)} on {self.x},{self.y} back"


@dataclass(frozen=True)
class TileDiscarded(Happening):
    """A tile that fits nowhere was removed from the game."""

    tile: str

    def said(self, who: str) -> str:
        return f"tile {self.tile} fits nowhere and was removed from the game"


@dataclass(frozen=True)
class CutOff(Happening):
    """The rules allowed a placement, but the placement was refused because the table is too small. In each game, a
    `CutOff` event occurs at most once. See `Game.is_cut_off`.
    """

    def said(self, who: str) -> str:
        return (
            "the layout cannot grow further in one direction: a legal placement is refused, as the table is too small"
        )


class PlaceTile(Question):
    """The decision about where to place the tile in hand."""

    asked = "places {tile}"
    why = (
        "In each turn, you place a tile. Each edge must match the tile beside it: road to road, city to city and so on."
    )

    def __init__(self) -> None:
        self.forms = (Form(rf"(\S+)@{CELL}/(0|90|180|270)", self._read, "no tile is to be placed now"),)

    def example(self, scene: Scene) -> str:
        return f"a placement such as '{scene.in_hand}@1,0/90'"

    def write(self, scene: Scene, action: int) -> str:
        rotation, cell = tile_of(scene.size, action)
        return f"{scene.in_hand}@{scene.where(cell)}/{90 * rotation}"

    def place(self, scene: Scene, action: int) -> Laid:
        rotation, cell = tile_of(scene.size, action)
        return Laid(scene.at(cell), scene.in_hand, 90 * rotation)

    def _read(self, scene: Scene, tile: str, x: str, y: str, degrees: str) -> int:
        if tile != scene.in_hand:
            raise NotationError(f"tile {tile!r} is not in hand; the tile in hand is {scene.in_hand!r}")
        turn = int(degrees) // 90 % int(tile_table()[0]["kinds"][scene.tile]["rotations"])
        return tile_answer(scene.size, turn, scene.cell(x, y))

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        if action >= scene.ids.choose_cell:
            return "a tile is to be placed"
        game, (rotation, cell) = scene.game, tile_of(scene.size, action)
        square, (x, y) = game["board"][cell], coordinates(game, cell)
        if square["large"]:
            return f"{x},{y} is a square of a large city, where no tile can be placed"
        if square["tile"] != NONE:
            return f"{x},{y} is taken by tile {tile_kinds()[square['tile']].id}"
        if not square["is_square"]:
            return f"{x},{y} is not a square of the sheet"
        if cell not in game["frontier"][: game["n_frontier"]]:
            return f"{x},{y} is not beside a tile"
        tile = tile_table()[0]["kinds"][scene.tile]
        if rotation >= tile["rotations"]:
            return f"rotation {90 * rotation} looks the same as a smaller rotation"
        wrong = int((tile["edges"][rotation] ^ square["need"]) & square["need_mask"])
        sides = [SIDES[side] for side in range(4) if wrong >> 2 * side & 3]
        if sides:
            return f"it does not match its neighbour on side {' '.join(sides)} of {x},{y}"
        return why_not_beside(scene, cell) or too_wide(scene)


def too_wide(scene: Scene) -> str:
    """Return the error message for a placement that the rules allow but that does not fit on the table."""
    return f"the layout may not span more than {scene.size - 1} cells on this table (table_size = {scene.size})"


class PlaceFigure(Question):
    """The decision whether to place a figure, which figure to place, and where to place it."""

    asked = "may place a figure on {tile}"
    why = (
        "A figure on the tile just placed claims a road, city, field or building that nobody occupies yet. The figure "
        "returns to you when this feature is scored. On a field, it stays until the end of the game."
    )
    passing = "no figure"

    def __init__(self) -> None:
        self.forms = (Form(rf"{FIGURE}(| .*)", self._read, "no figure is to be placed now"),)

    def example(self, scene: Scene) -> str:
        return f"a figure such as 'meeple {scene.segments()[0]}', or 'pass'"

    def write(self, scene: Scene, action: int) -> str:
        place = self.place(scene, action)
        return f"{place.figure} {place}"

    def place(self, scene: Scene, action: int) -> OnFeature:
        figure, spot = figure_of(scene.size, action)
        return OnFeature(scene.kind_at(scene.placed, spot), SPOTS[spot], figure=FIGURES[figure])

    def in_words(self, scene: Scene, action: int) -> str:
        place = self.place(scene, action)
        if place.spot == place.kind:
            where = ""
        else:
            where = ", lying until the end" if place.spot == "lying" else f" ({spot_in_words(place.spot)})"
        within = "in" if place.kind in ("city", "monastery", "castle") else "on"
        return f"{figure_in_words(place.figure)} {within} the {place.kind}{where}"

    def _read(self, scene: Scene, figure: str, rest: str) -> int:
        words = [figure, *rest.split()]
        _, kind, spot = (words + words[-1:])[:3] if len(words) == 2 else (words + ["", ""])[:3]
        if len(words) > 3 or spot not in SPOTS:
            raise NotationError(
                f"{' '.join(words)!r}: write the figure, the feature and the spot, such as "
                f"'meeple {scene.segments()[0]}'; the spots of the tile are "
                f"{' '.join(scene.spots())}{scene.about_tile()}"
            )
        tile, rotation = scene.facts(scene.placed)
        number = scene.segment_at(scene.placed, SPOTS.index(spot))
        if number == NONE or WORDS[tile["kind"][number]] != kind:
            raise NotationError(
                f"the tile just placed ({scene.just_placed}) has no {kind}{'' if spot == kind else f' at {spot}'}; "
                f"it has {', '.join(scene.segments())}"
            )
        named = Spot.LYING if spot == SPOTS[Spot.LYING] else tile["spot"][rotation, number]
        return figure_answer(scene.size, FIGURES.index(figure), int(named))

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        if not scene.ids.place_figure <= action < scene.ids.sell_wine:
            return "a figure is to be placed, or 'pass'"
        figure, spot = figure_of(scene.size, action)
        if not scene.supply(figure):
            return f"player {scene.player} has no {in_words(FIGURES[figure])} in supply"
        tile, rotation = scene.facts(scene.placed)
        number = scene.segment_at(scene.placed, spot)
        if number == NONE:
            return "there is nothing at that spot"
        game, kind = scene.game, WORDS[tile["kind"][number]]
        feature = game["features"][game["segments"][game["board"][scene.placed]["first_segment"] + number]["feature"]]
        if np.any(feature["strength"]):
            return f"the {kind} is occupied"
        if spot not in (tile["spot"][rotation, number], Spot.LYING):
            return f"that {kind} is named by spot {SPOTS[tile['spot'][rotation, number]]}"
        return f"the {FIGURES[figure]} may not stand on a {kind}"


class Base(System):
    """The base game."""

    box = "base"
    signs = SIGNS
    figures = WOODEN
    questions = {Phase.PLACE_TILE: PlaceTile(), Phase.PLACE_FIGURE: PlaceFigure()}
    answers = {
        "place_tile": "place the tile in hand on a cell, with a rotation in clockwise quarter turns",
        "place_figure": "place a figure on a spot of the tile just placed",
        "pass": "do nothing in the current decision: place no figure, sell no wine, and so on",
    }
    words = {"pass": PASS}

    events = {
        EventKind.POINTS: lambda told: PointsScored(told.player, SOURCES[told.source], told.amount, told.x, told.y),
        EventKind.FIGURE_RETURNED: lambda told: FigureReturned(told.player, FIGURES[told.source], told.x, told.y),
        EventKind.TILE_DISCARDED: lambda told: TileDiscarded(tile_kinds()[told.amount].id),
        EventKind.CUT_OFF: lambda told: CutOff(),
    }

    def is_in_play(self, config: Any) -> bool:
        """Return True, because every game uses the rules of the base game."""
        return True

    def variants(self, config: Any) -> Mapping[str, int]:
        return {"small_city_points": config.small_city_points}

    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions. Each tile needs two decisions: where to place the tile,
        and whether to place a figure.
        """
        return 2 * len(makings.deck)

    def most_completed(self, makings: Makings) -> int:
        """Return an upper limit for the number of features that one turn can complete. A double tile can have a road or
        a city at each of its six edges. There can also be a building on the tile and on each of the ten squares around
        it.
        """
        return 6 + 11

    def most_of_features(self, makings: Makings) -> int:
        """Return an upper limit for the points that all roads, cities, buildings and fields of the game can give
        together. The limit assumes that each road has an inn, that each city has a cathedral, and that each field has a
        pig and adjoins castles.
        """
        worth = {"road": MOST_OF_ROAD, "city": 3, "field": 0}
        return sum(
            worth.get(segment.kind, MOST_OF_BUILDING) + 3 * segment.pennants + 5 * len(segment.adjoins)
            for kind in makings.all_tiles
            for segment in kind.segments
        )
