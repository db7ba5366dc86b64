"""Defines how games on a map sheet (Carcassonne Maps) differ from other games: the notation of start tiles, the rule
settings, and an upper limit for the points. The field `sheet` of the configuration selects the map sheet. If `sheet` is
not set, the game is played on a table without a printed map. Map sheets are not part of any expansion.
"""

import re
from collections.abc import Mapping
from typing import Any

from carc_env.common.arguments import brief
from carc_env.common.errors import ConfigError
from carc_env.systems.system import Makings, SetOut, System

START = re.compile(r"([\w-]+)@(-?\d{1,3}),(-?\d{1,3})/(0|90|180|270)")


def read_starts(text: str) -> list[tuple[str, int, int, int]]:
    """Parse a string that lists start tiles, such as `D@5,4/0 E@9,9/90`. Raises ConfigError.

    >>> read_starts("D@5,4/0 E@-9,9/90")
    [('D', 5, 4, 0), ('E', -9, 9, 90)]
    """
    found = []
    for word in text.split():
        match = START.fullmatch(word)
        if match is None:
            raise ConfigError(f"starts: {brief(word)} should be a tile with its square and rotation, such as D@5,4/90")
        found.append((match[1], int(match[2]), int(match[3]), int(match[4])))
    return found


class Maps(System):
    """Carcassonne Maps: the settings and limits of games on a map sheet."""

    box = "maps"
    set_out = SetOut(
        "starts",
        "Which start tiles lie on which squares, and by how many degrees are they turned clockwise?",
        "D@5,4/0 E@9,9/90",
        read_starts,
    )

    def is_in_play(self, config: Any) -> bool:
        """True if the game is played on a map sheet."""
        return config.sheet is not None

    def is_set_out(self, config: Any) -> bool:
        """Return True if the configuration specifies no start tiles. The start tiles are then drawn at random."""
        return config.starts is None

    def variants(self, config: Any) -> Mapping[str, int]:
        return {
            "border_city_coat_points": config.border_city_coat_points,
            "border_road_coat_points": config.border_road_coat_points,
            "border_monastery_nine": config.border_monastery == "nine",
        }

    def most_of_features(self, makings: Makings) -> int:
        """Return an upper limit for the points that a map sheet adds. A map sheet adds points for the squares and
        pennants of large cities, and points for coats of arms at the border.
        """
        return sum(3 * (1 + square.pennants) for square in makings.sheet.large) + sum(
            3 * border.coats for border in makings.sheet.borders
        )
