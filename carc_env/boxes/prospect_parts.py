"""The parts of a player's prospects: their numbers, names and meanings, the same in all games."""

from enum import IntEnum


class Part(IntEnum):
    """A part of a player's prospects; see MEANINGS."""

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


MEANINGS = {
    Part.NOW: "points of completed features",
    Part.ROADS: "points of unfinished roads as they stand",
    Part.CITIES: "points of unfinished cities as they stand",
    Part.CITY_GAIN: "further points of unfinished cities if they are completed, times the chance of completion",
    Part.BUILDINGS: "points of unfinished buildings (such as monasteries) as they stand",
    Part.BUILDING_GAIN: "expected number of squares around unfinished buildings that will still be occupied",
    Part.FIELDS: "points of fields as they stand: 3 for each completed city",
    Part.FIELD_GAIN: "points of fields for unfinished cities: 3 for each city, times the chance of its completion",
    Part.INGOTS_NOW: "ingots on completed features, divided among their owners",
    Part.INGOT_GAIN: "ingots on unfinished features, divided among their owners, times the chance of completion",
    Part.RETURNING: "figures on unfinished features, times the chance of completion",
    Part.SUPPLY: "followers in supply, including those that return from completed features",
    Part.FARMERS: "followers that never return: on fields, or lying on a special monastery",
    Part.ROAD_GAIN: "further points of unfinished roads if they are completed, times the chance of completion",
    Part.WINES: "wines in hand",
    Part.ODD_CHIPS: "chips in hand that make no wine yet",
    Part.GOODS: "goods tokens",
    Part.EXTRA_TURN: "1 if the builder gives a second turn part",
    Part.BUILDER: "chance that the builder's road or city stays open; 0 without a builder on the table",
    Part.CASTLES: "expected points of lords",
    Part.CASTLE_TOKENS: "castle tokens in supply",
    Part.ABBEYS: "abbeys in hand",
    Part.GERMAN_CASTLES: "castle tiles in hand",
    Part.CHURCHES: "bonus of churches by the followers around them now, times the chance of completion",
}
PARTS_OF_BOX = {  # the parts that are always 0 in games without a box
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
N_COMMON = int(Part.CASTLES)  # most games have only the parts before this one, see `count_parts`
