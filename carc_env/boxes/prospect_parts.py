"""Defines the numbers that describe what a player has now, and what the player can expect later. Examples are the
points from fields and the expected number of returning followers. Each of these numbers has the same index, name and
meaning in all games.
"""

from enum import IntEnum


class Part(IntEnum):
    """The indices of the numbers that describe what a player has now or can expect later (see MEANINGS)."""

    NOW = 0
    ROADS = 1
    CITIES = 2
    CITY_GAIN = 3
    BUILDINGS = 4
    BUILDING_GAIN = 5
    FIELDS = 6
    FIELD_GAIN = 7
    INGOTS_NOW = 8
    INGOT_GAIN = 9
    RETURNING = 10
    SUPPLY = 11
    FARMERS = 12
    ROAD_GAIN = 13
    WINES = 14
    ODD_CHIPS = 15
    GOODS = 16
    EXTRA_TURN = 17
    BUILDER = 18
    CASTLES = 19
    CASTLE_TOKENS = 20
    ABBEYS = 21
    GERMAN_CASTLES = 22
    CHURCHES = 23


MEANINGS = {  # {player} stands for a player, such as "the observer"
    Part.NOW: "points that {player} scores immediately, for example for completed features",
    Part.ROADS: "points that {player} would get for unfinished roads if the game ended now",
    Part.CITIES: "points that {player} would get for unfinished cities if the game ended now",
    Part.CITY_GAIN: "points that {player} is expected to gain when unfinished cities are completed",
    Part.BUILDINGS: "points that {player} would get for unfinished buildings (such as monasteries) if the game "
    "ended now",
    Part.BUILDING_GAIN: "points that {player} is expected to gain for unfinished buildings as more tiles are placed",
    Part.FIELDS: "points that {player} would get for fields if the game ended now",
    Part.FIELD_GAIN: "field points that {player} is expected to gain when unfinished cities are completed",
    Part.INGOTS_NOW: "number of ingots that {player} will take from completed features",
    Part.INGOT_GAIN: "expected number of ingots that {player} will take from unfinished features",
    Part.RETURNING: "expected number of followers that {player} will get back from unfinished features",
    Part.SUPPLY: "number of followers in {player}'s supply, including followers that return from completed features",
    Part.FARMERS: "number of {player}'s followers that are farmers or lie on special monasteries",
    Part.ROAD_GAIN: "points that {player} is expected to gain when unfinished roads are completed",
    Part.WINES: "number of wines that {player} can make from the chips in hand",
    Part.ODD_CHIPS: "number of chips left over when {player} combines chips into as many wines as possible",
    Part.GOODS: "number of {player}'s goods tokens",
    Part.EXTRA_TURN: "number of double turns that {player}'s builder has earned (at most one)",
    Part.BUILDER: "chance that the road or city with {player}'s builder will never be completed",
    Part.CASTLES: "points that {player} is expected to score with the lords of castles",
    Part.CASTLE_TOKENS: "number of castle tokens in {player}'s supply",
    Part.ABBEYS: "number of abbeys in {player}'s hand",
    Part.GERMAN_CASTLES: "number of castle tiles in {player}'s hand",
    Part.CHURCHES: "bonus points that {player} is expected to get for Darmstadt churches",
}
PARTS_OF_BOX = {  # for each box: the parts that are always 0 in games without this box
    "goldmines": (Part.INGOTS_NOW, Part.INGOT_GAIN),
    "map_chips": (Part.WINES, Part.ODD_CHIPS),
    "traders_and_builders": (Part.GOODS, Part.EXTRA_TURN, Part.BUILDER),
    "castles": (Part.CASTLES, Part.CASTLE_TOKENS),
    "abbeys": (Part.ABBEYS,),
    "german_castles": (Part.GERMAN_CASTLES,),
    "darmstadt": (Part.CHURCHES,),
}
BOX_OF_PART = {part: box for box, parts in PARTS_OF_BOX.items() for part in parts}
N_PARTS = len(Part)
N_COMMON = int(Part.CASTLES)  # most games use only the first N_COMMON members of `Part`, see `prospects.count_parts`
