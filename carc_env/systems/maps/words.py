"""Carcassonne Maps: what a sheet changes about scoring. It is no box: a game is played on a sheet, or on a free
table.
"""

from collections.abc import Mapping
from typing import Any

from carc_env.systems.system import Makings, System


class Maps(System):
    """The border of a sheet."""

    box = "maps"

    def is_in_play(self, config: Any) -> bool:
        """On a sheet."""
        return config.sheet is not None

    def variants(self, config: Any) -> Mapping[str, int]:
        return {
            "border_city_coat_points": config.border_city_coat_points,
            "border_road_coat_points": config.border_road_coat_points,
            "border_monastery_nine": config.border_monastery == "nine",
        }

    def most_of_features(self, makings: Makings) -> int:
        """The squares of the large cities with their pennants, and all coats of arms at the border."""
        return sum(3 * (1 + square.pennants) for square in makings.sheet.large) + sum(
            3 * border.coats for border in makings.sheet.borders
        )
