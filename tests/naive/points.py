"""What everything pays. Plain functions of a feature (see `table.py`) and the rules of the game."""

from dataclasses import dataclass

from .table import is_complete


@dataclass(frozen=True)
class Rules:
    """What is played, under the names of a game's configuration."""

    players: int = 2
    boxes: tuple = ("base",)
    meeples: int = 7
    starts: tuple = (("D", 0, 0, 0),)
    sheet: str = None
    small_city_points: int = 4
    gold_rule: str = "hig"
    unfinished_inn_cathedral: str = "zero"
    border_city_coat_points: int = 2
    border_road_coat_points: int = 0
    border_monastery: str = "count_tiles"
    wine_sales_per_turn_scope: str = "whole_turn"
    crop_add: str = "may"


SOURCE = {
    "road": "roads",
    "city": "cities",
    "monastery": "monasteries",
    "garden": "gardens",
    "field": "fields",
}


def has_symbol(feature, symbol, rules):
    """Is there an inn, or a cathedral? They mean something only if their box is in play."""
    return symbol in feature["symbols"] and "inns_and_cathedrals" in rules.boxes


def coats_of_arms(feature, rules):
    """The coats of arms of a city: its pennants, and those at the border unless they do not count (Maps)."""
    return feature["pennants"] + (feature["coats"] if rules.border_city_coat_points else 0)


def points_when_complete(feature, rules):
    """What a completed feature pays (Base game, Inns & Cathedrals, Maps; gardens as monasteries)."""
    tiles = len(feature["tiles"])
    if feature["kind"] == "road":
        each = 2 if has_symbol(feature, "inn", rules) else 1
        return each * tiles + rules.border_road_coat_points * feature["coats"]
    if feature["kind"] == "city":
        if has_symbol(feature, "cathedral", rules):
            each = 3
        else:
            each = 1 if tiles == 2 and rules.small_city_points == 2 else 2
        return each * (tiles + coats_of_arms(feature, rules))
    return 9 if rules.border_monastery == "nine" else 1 + feature["around"]


def points_as_it_stands(feature, rules):
    """What an unfinished road, city or building pays at the end of the game, or to an abbot taken back."""
    in_vain = has_symbol(feature, "inn", rules) or has_symbol(feature, "cathedral", rules)
    if in_vain and rules.unfinished_inn_cathedral == "zero":
        return 0
    if feature["kind"] == "city":
        return len(feature["tiles"]) + coats_of_arms(feature, rules)
    if feature["kind"] == "road":
        return len(feature["tiles"])
    return 1 + feature["around"] - feature["open"]


def completed_cities_beside(field, table):
    """The completed cities that adjoin a field, each once however often it touches the field."""
    cities = []
    for segment in field["beside_cities"]:
        city = table.feature(*segment)
        if is_complete(city) and not any(city is other for other in cities):
            cities.append(city)
    return cities


def points_for_field(field, table, player):
    """Three points for each completed city that adjoins the field; four to a player with a pig there."""
    pigs = [f for f in table.figures_in(field) if f["figure"] == "pig" and f["player"] == player]
    return (4 if pigs else 3) * len(completed_cities_beside(field, table))


def ingot_rate(ingots):
    """What each ingot of a player is worth who has so many of them (Goldmines, the end)."""
    if ingots >= 10:
        return 4
    if ingots >= 7:
        return 3
    return 2 if ingots >= 4 else 1


def points_for_goods(tokens):
    """Ten points to all who have most of a good, if anybody has any (Traders & Builders)."""
    return [10 if most and most == max(tokens) else 0 for most in tokens]
