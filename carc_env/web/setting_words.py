"""Describes the settings of a game and their values in words, for the form for a new game."""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from carc_env.setup.config import GameConfig


class Words(NamedTuple):
    """The words for a setting: its label, and a description of each of its values."""

    label: str
    values: Mapping[Any, str]


WORDS: Mapping[str, Words] = {
    "edition": Words("Edition of the tiles", {"C2": "second edition, C2", "C1": "first edition, C1"}),
    "small_city_points": Words(
        "Completed city of two tiles",
        {4: "2 points for each tile and pennant", 2: "1 point for each tile and pennant, as in old printings"},
    ),
    "gold_rule": Words(
        "Sharing ingots",
        {
            "hig": "one by one, in turns: Hans im Glück",
            "rgg_rounds": "one for each feature, in several rounds: Rio Grande",
            "rgg_single_pass": "one for each feature, in one round: Rio Grande",
        },
    ),
    "unfinished_inn_cathedral": Words(
        "Unfinished road with an inn, or city with a cathedral",
        {"zero": "no points at the end of the game", "ignore": "points as without the inn or cathedral"},
    ),
    "border_city_coat_points": Words(
        "Coat of arms at the border, beside a city",
        {2: "counts as a pennant of the city", 0: "gives no points"},
    ),
    "border_road_coat_points": Words(
        "Coat of arms at the border, beside a road",
        {0: "gives no points", 2: "gives 2 points when the road is completed"},
    ),
    "border_monastery": Words(
        "Completed building at the border, such as a monastery",
        {"count_tiles": "1 point, and 1 more for each square around it", "nine": "9 points"},
    ),
    "chip_large_city_rule": Words(
        "Chips beside a large city",
        {"any_edge": "no chips lie there", "open_edges_only": "chips may lie at its closed edges"},
    ),
    "wine_sales_per_turn_scope": Words(
        "Selling wine in a double turn",
        {"whole_turn": "at most once", "turn_part": "at most once in each of its two parts"},
    ),
    "crop_add": Words(
        "Adding followers for a crop circle",
        {"may": "each player may add a follower", "must": "each player must add a follower if possible"},
    ),
    "special_monasteries": Words(
        "Monasteries of the base game (tiles A and B)",
        {"replace": "are replaced by the special monasteries", "keep": "stay in the stack"},
    ),
    "ferry_requires_highwayman": Words(
        "Ferry on a new lake",
        {False: "on every lake", True: "only if a follower was just placed on one of its roads"},
    ),
    "abbey_end": Words(
        "Abbeys in hand when the stack is empty",
        {"offer_once": "each player may place theirs once", "end_with_stack": "are lost"},
    ),
}


def offered_settings() -> dict[str, list[Any]]:
    """Return the values of each setting that the form offers. The default comes first."""
    return {
        setting.name: sorted(setting.metadata["allowed"], key=lambda value: value != setting.default)
        for setting in dataclasses.fields(GameConfig)
        if len(setting.metadata.get("allowed", ())) > 1
    }


def setting_words() -> dict[str, dict[str, Any]]:
    """Return the words of each setting as a dict for JSON: the label, a description of each value in the order of
    `offered_settings`, and what the setting is about. This is a box, `sheet` for a setting that needs a map sheet, or
    None for a setting that every game has.
    """
    about = {setting.name: setting.metadata.get("about") for setting in dataclasses.fields(GameConfig)}
    return {
        name: {
            "label": WORDS[name].label,
            "values": [WORDS[name].values[value] for value in values],
            "about": about[name],
        }
        for name, values in offered_settings().items()
    }
