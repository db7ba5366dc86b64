"""What everything scores: plain functions of a feature (see `table.py`) and of the rules of the game."""

from dataclasses import dataclass

from .baba_yaga import points_for_open_hut, points_for_surrounded_hut
from .darmstadt import points_for_darmstadtium
from .german_castles import points_for_castle_tiles, points_for_open_castle, points_for_surrounded_castle
from .german_cathedrals import count_of_road, leads_to_cathedral, points_for_cathedral
from .table import distinct, is_complete


@dataclass(frozen=True)
class Rules:
    """The settings of a game, under the names of the configuration."""

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
    ferry_requires_highwayman: bool = False
    abbey_end: str = "offer_once"
    special_monasteries: str = "replace"  # decides which tiles are in the deck


SOURCE = {
    "road": "roads",
    "city": "cities",
    "monastery": "monasteries",
    "abbey": "monasteries",
    "special_monastery": "monasteries",
    "garden": "gardens",
    "shrine": "shrines",
    "church": "churches",
    "hut": "huts",
    "castle": "castles",
    "german_castle": "german_castles",
    "german_cathedral": "german_cathedrals",
    "field": "fields",
}


def has_symbol(feature, symbol, rules):
    """True if the feature has this symbol (inn or cathedral) and the box of the symbol is in play."""
    return symbol in feature["symbols"] and "inns_and_cathedrals" in rules.boxes


def coats_of_arms(feature, rules):
    """Return the coats of arms of a city: its pennants, and those at the border if they count (Maps)."""
    return feature["pennants"] + (feature["coats"] if rules.border_city_coat_points else 0)


def points_when_complete(feature, rules):
    """Return the points of a completed feature (Base game, Inns & Cathedrals, Maps). Most buildings are like
    monasteries.
    """
    tiles, kind = len(feature["tiles"]), feature["kind"]
    if kind == "road":
        each = 1 + has_symbol(feature, "inn", rules) + leads_to_cathedral(feature)
        coats = rules.border_road_coat_points * feature["coats"]
        return each * count_of_road(feature) + coats + points_for_castle_tiles(feature)
    if kind == "city":
        each = 3 if has_symbol(feature, "cathedral", rules) else 1 if tiles == 2 and rules.small_city_points == 2 else 2
        more = points_for_castle_tiles(feature) + points_for_darmstadtium(feature, rules)
        return each * (tiles + coats_of_arms(feature, rules)) + more
    if kind == "hut":
        return points_for_surrounded_hut()
    if kind == "german_castle":
        return points_for_surrounded_castle(feature, rules)
    if kind == "german_cathedral":
        return points_for_cathedral(feature)
    return 9 if rules.border_monastery == "nine" else 1 + feature["around"]


def points_as_it_stands(feature, rules):
    """Return the points of an unfinished road, city or building at the end of the game, or for an abbot taken back."""
    in_vain = has_symbol(feature, "inn", rules) or has_symbol(feature, "cathedral", rules)
    if in_vain and rules.unfinished_inn_cathedral == "zero":
        return 0
    if feature["kind"] == "city":
        return len(feature["tiles"]) + coats_of_arms(feature, rules)
    if feature["kind"] == "road":
        return count_of_road(feature)
    if feature["kind"] == "hut":
        return points_for_open_hut(feature)
    if feature["kind"] == "german_castle":
        return points_for_open_castle(feature)
    if feature["kind"] == "german_cathedral":
        return points_for_cathedral(feature)
    return 1 + feature["around"] - feature["open"]


def completed_cities_beside(field, table):
    """Return the completed cities and castles that adjoin a field, each once however often it touches the field."""
    return [city for city in distinct(table.feature(*name) for name in field["beside_cities"]) if is_complete(city)]


def points_for_field(field, table, player):
    """Return the points of a field for a player: three for each completed city that adjoins it, four with an own pig.

    A castle that adjoins the field scores one more than a city.
    """
    pigs = [f for f in table.figures_in(field) if f["figure"] == "pig" and f["player"] == player]
    cities = completed_cities_beside(field, table)
    castles = [city for city in cities if city["kind"] == "castle"]
    return (4 if pigs else 3) * len(cities) + len(castles)


def ingot_rate(ingots):
    """Return what each ingot is worth to a player who has this many ingots (Goldmines, the end)."""
    if ingots >= 10:
        return 4
    if ingots >= 7:
        return 3
    return 2 if ingots >= 4 else 1


def points_for_goods(tokens):
    """Return ten points for each player who has most of a good, if anybody has any (Traders & Builders)."""
    return [10 if most and most == max(tokens) else 0 for most in tokens]
