"""Defines the actions of Map-Chips, such as `sell orange 1+1 town` and `sell purple 2 abroad`. If a caller specifies
the chips of a game, this module checks the chips and places them on the map.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.boxes.sheets import GRAPES, SheetError, check_room, check_room_everywhere, colour_of, read_sheet
from carc_env.common.arguments import brief
from carc_env.common.errors import ChipError, ConfigError
from carc_env.rules.answers import sale_answer
from carc_env.rules.expansions.map_chips import TOWN_POINTS
from carc_env.rules.geometry import cell_of, size_of
from carc_env.rules.state import CHIPS_OF_COLOUR, NONE, EventKind, Phase
from carc_env.systems.map_chips.signs import chip_face
from carc_env.systems.system import Form, Happening, Item, Makings, Question, Scene, SetOut, System
from carc_env.systems.where import Button

COMPOSITIONS, DESTINATIONS = ("2", "1+1"), ("abroad", "town")
MOST_ALIKE = 2**7 - 1  # the largest number of chips of one colour and value that PLAYER.chips can store
Chip = tuple[int, int, str, int]  # x, y, colour, value
SQUARE = re.compile(r"(\d{1,3}),(\d{1,3})")


@dataclass(frozen=True)
class ChipTaken(Happening):
    """A player took the chip on a square and turned it face up."""

    player: int
    colour: str  # purple, light_blue, orange
    value: int
    x: int
    y: int

    def said(self, who: str) -> str:
        return f"{who} took a chip {self.colour} {self.value} from {self.x},{self.y}"


@dataclass(frozen=True)
class WineSold(Happening):
    """A player sold a wine. The chips of which the wine was made were removed from the game."""

    player: int
    colour: str
    composition: str  # "2" or "1+1"
    destination: str  # "abroad" or "town"
    x: int
    y: int

    def said(self, who: str) -> str:
        where = "abroad" if self.destination == "abroad" else "in town"
        return f"{who} sold {self.colour} wine ({self.composition}) {where} from {self.x},{self.y}"


def names_of(sale: int) -> tuple[str, str, str]:
    """Return the names of a sale's colour, composition and destination. `sale` is the index of the action among all
    actions that sell wine, beginning with 0.
    """
    colour, composition, destination = sale // 4, sale // 2 % 2, sale % 2
    return GRAPES[colour], COMPOSITIONS[composition], DESTINATIONS[destination]


def in_words(chips: np.ndarray) -> str:
    """Describe chips in words, such as "orange 1+1+2" or "none". `chips` is an integer array of shape (3, 2) with the
    number of chips of each colour and value.
    """
    found = [
        f"{colour_of(colour)} {'+'.join('1' * ones + '2' * twos)}"
        for colour, (ones, twos) in zip(GRAPES, chips.tolist())
        if ones or twos
    ]
    return ", ".join(found) or "none"


def read_squares(text: str) -> list[tuple[int, int]]:
    """Parse a string that lists the squares with chips. Raises ChipError.

    >>> read_squares("3,2 10,0")
    [(3, 2), (10, 0)]
    """
    found = []
    for word in text.split():
        match = SQUARE.fullmatch(word)
        if match is None:
            raise ChipError(f"chips: {brief(word)} should be a square, such as 3,2")
        found.append((int(match[1]), int(match[2])))
    return found


def with_any_faces(squares: Sequence[Sequence[int]]) -> list[Chip]:
    """Assign the chips of the box to the given squares in an arbitrary order, and return the chips with their squares.
    Raises ChipError if the number of squares is wrong.
    """
    faces = [(colour, value) for colour in GRAPES for value in (1, 2) for _ in range(CHIPS_OF_COLOUR[value - 1])]
    if len(squares) != len(faces):
        raise ChipError(
            f"chips: {len(squares)} squares are named, but there are {len(faces)} chips; name one square for each chip"
        )
    return [(x, y, *face) for (x, y), face in zip(squares, faces)]


class SellWine(Question):
    """The decision whether to sell a wine, which wine to sell, and where to sell it."""

    asked = "may sell wine"
    why = (
        "The tile covers a town or touches a coat of arms at the border. You may sell one wine there. A wine consists "
        "of chips of one colour that are worth 2 together. At the end of the game, chips are worth nothing."
    )
    passing = "sell nothing"

    def __init__(self) -> None:
        self.forms = (
            Form(rf"sell ({'|'.join(GRAPES)}) (1\+1|2) (abroad|town)", self._read, "no wine can be sold now"),
        )

    def example(self, scene: Scene) -> str:
        return "a sale such as 'sell orange 1+1 town', or 'pass'"

    def write(self, scene: Scene, action: int) -> str:
        return f"sell {' '.join(names_of(action - scene.ids.sell_wine))}"

    def place(self, scene: Scene, action: int) -> Button:
        colour, composition, destination = names_of(action - scene.ids.sell_wine)
        return Button(composition, destination, colour)

    def in_words(self, scene: Scene, action: int) -> str:
        colour, composition, destination = names_of(action - scene.ids.sell_wine)
        chips = "one chip of value 2" if composition == "2" else "two chips of value 1"
        where = "abroad" if destination == "abroad" else "in the town"
        return f"sell {colour_of(colour)} wine, {chips}, {where}"

    def _read(self, scene: Scene, colour: str, composition: str, destination: str) -> int:
        return sale_answer(
            scene.size, GRAPES.index(colour), COMPOSITIONS.index(composition), DESTINATIONS.index(destination)
        )

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        return f"player {scene.player} can answer {legal()}"


class MapChips(System):
    """Map-Chips France."""

    box = "map_chips"
    set_out = SetOut("chips", "On which squares do chips lie?", "3,2 4,5", read_squares, with_any_faces)
    line = "chips"
    questions = {Phase.SELL_WINE: SellWine()}
    answers = {
        "sell_wine": "sell a wine. The colour of the wine is purple, light blue or orange. The composition of the "
        "wine is one chip of value 2 or two chips of value 1. The destination of the wine is abroad or a town"
    }

    events = {
        EventKind.CHIP_TAKEN: lambda told: ChipTaken(
            told.player, GRAPES[told.amount // 2], told.amount % 2 + 1, told.x, told.y
        ),
        EventKind.WINE_SOLD: lambda told: WineSold(told.player, *names_of(told.amount), told.x, told.y),
    }

    def check(self, config: Any) -> None:
        """Check that the game has a map sheet. If the start tiles will be drawn at random, also check that all chips
        fit on the map sheet.
        """
        if self.box in config.tiles_only:
            raise ConfigError("box 'map_chips' has no tiles, so it cannot be in tiles_only")
        if self.box not in config.boxes:
            return
        if config.sheet is None:
            raise ConfigError("the chips of the box 'map_chips' need a map sheet, such as sheet = 'france'")
        if config.starts is None:  # if start tiles are given, `check_starts_leave_room` checks this
            try:
                check_room_everywhere(read_sheet(config.sheet), config.chip_large_city_rule == "open_edges_only")
            except SheetError as error:
                raise ConfigError(str(error)) from None

    def variants(self, config: Any) -> Mapping[str, int]:
        return {
            "chips_shun_open_edges_only": config.chip_large_city_rule == "open_edges_only",
            "one_sale_a_part": config.wine_sales_per_turn_scope == "turn_part",
        }

    def supply(self, game: Any) -> str:
        """Describe the colours and values of the chips that have been sold."""
        return f"chips sold: {in_words(game.chips_sold)}"

    def hand(self, game: Any, player: int) -> str:
        """Describe a player's chips by colour and value, and the player's points for wine."""
        return f"  chips {in_words(game.chips[player])}  wine sold for {int(game.final_scores()['wine'][player])}"

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        """Return a player's chips by colour and value, and the player's points for wine."""
        chips = [
            Item(
                f"chip {colour} {value}",
                "chip-in-hand",
                count,
                {"colour": colour, "value": value},
                art=chip_face(colour, value),
            )
            for colour, of_colour in zip(GRAPES, game.chips[player].tolist())
            for value, count in enumerate(of_colour, 1)
            if count
        ]
        sold = int(game.final_scores()["wine"][player])
        points = Item("glass", "wine-sold", sold, {"points": sold}, half=5, at_end=True, name="points for wine")
        return chips + [points] * (sold > 0)

    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions about selling wine: one for each tile."""
        return len(makings.deck)

    def most_besides(self, makings: Makings, once: int) -> int:
        """Return an upper limit for the points that one player scores with chips and wines. The limit assumes that
        every tile lets the player take a chip worth 2 points and sell a wine in a town.
        """
        return (2 + TOWN_POINTS) * len(makings.all_tiles)


# --- given chips ------------------------------------------------------------------------------------------------------
def as_chips(chips: Sequence[Chip]) -> tuple[Chip, ...]:
    """Check the chips that a caller specifies, and return them as a tuple of tuples. Raises ChipError."""
    if isinstance(chips, str) or not isinstance(chips, Sequence):
        raise ChipError(f"chips should be a list of (x, y, colour, value), not {brief(chips)}")
    for place, chip in enumerate(chips):
        if not (
            isinstance(chip, (tuple, list))
            and tuple(map(type, chip)) == (int, int, str, int)
            and chip[2] in GRAPES
            and chip[3] in (1, 2)
        ):
            raise ChipError(
                f"chips[{place}] should be (x, y, colour, value), with one of the colours "
                f"{', '.join(GRAPES)} and the value 1 or 2, not {brief(chip)}"
            )
    return tuple((x, y, colour, value) for x, y, colour, value in chips)


def check_off_starts(chips: Sequence[Chip], config: Any) -> None:
    """For a game that draws its start tiles at random, check that no chip lies on a start square. Raises ChipError."""
    squares = read_sheet(config.sheet).starts if config.sheet is not None else ()
    for place, chip in enumerate(chips):
        if chip[:2] in squares:
            raise ChipError(
                f"chips[{place}] = {chip!r}: {chip[0]},{chip[1]} is a start square, so a start tile could be "
                "placed there; also specify the start tiles, or place the chip on another square"
            )


def check_chips(chips: Sequence[Chip]) -> None:
    """Check that PLAYER.chips can store the number of chips of each colour and value, even if one player takes all
    chips. Raises ChipError.
    """
    faces = [tuple(chip[2:]) for chip in chips]
    for face in set(faces):
        if faces.count(face) > MOST_ALIKE:
            raise ChipError(
                f"chips: {faces.count(face)} chips have the colour {face[0]} and the value {face[1]}; "
                f"at most {MOST_ALIKE} are allowed"
            )


def check_starts_leave_room(config: Any) -> None:
    """If start tiles are given, check that the squares without start tiles have room for all chips. Raises
    ConfigError.
    """
    if config.starts is not None:  # without given start tiles, `MapChips.check` has made this check
        used = [(x, y) for _, x, y, _ in config.starts]
        try:
            check_room(read_sheet(config.sheet), used, config.chip_large_city_rule == "open_edges_only")
        except SheetError as error:
            raise ConfigError(str(error)) from None


def lay_chips(game: np.record, config: Any, chips: Sequence[Chip]) -> None:
    """Place the specified chips face down on their squares. Raises ChipError."""
    check_chips(chips)
    if chips and MapChips.box not in config.boxes:
        raise ChipError("chips are given, but the box 'map_chips' is not in play")
    for place, (x, y, colour, value) in enumerate(chips):
        inside = 0 <= x < size_of(game) and 0 <= y < size_of(game)
        square = game["board"][cell_of(x, y, True, size_of(game))]
        if not inside or not square["is_square"] or square["tile"] != NONE:
            raise ChipError(f"chips[{place}] = {brief(chips[place])} is not on an empty square for tiles")
        if square["chip"] != NONE:
            raise ChipError(f"chips[{place}] = {brief(chips[place])} is on a square that already has a chip")
        square["chip"] = 2 * GRAPES.index(colour) + value - 1
