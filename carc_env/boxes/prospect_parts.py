"""What a player's prospects are made of: numbers, names and meanings of the parts, the same in all games."""

from enum import IntEnum


class Part(IntEnum):
    """What a player's prospects are made of; see MEANINGS."""

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
    Part.NOW: "points for features that are completed",
    Part.ROADS: "points of unfinished roads as they stand",
    Part.CITIES: "points of unfinished cities as they stand",
    Part.CITY_GAIN: "further points if they are closed, times the chance of that",
    Part.BUILDINGS: "points of unfinished monasteries and gardens as they stand",
    Part.BUILDING_GAIN: "squares around them that will probably be filled",
    Part.FIELDS: "points of fields as they stand: 3 for each completed city",
    Part.FIELD_GAIN: "3 for each unfinished city there, times the chance that it will be closed",
    Part.INGOTS_NOW: "ingots on completed features, shared by their owners",
    Part.INGOT_GAIN: "ingots on unfinished features, times the chance of closing, shared",
    Part.RETURNING: "figures on unfinished features, times the chance of closing",
    Part.SUPPLY: "followers in supply, those of completed features among them",
    Part.FARMERS: "followers that never return: on fields, or lying on a special monastery",
    Part.ROAD_GAIN: "further points of unfinished roads if they are completed, times the chance of that",
    Part.WINES: "wines that could be sold",
    Part.ODD_CHIPS: "chips that are no wine yet",
    Part.GOODS: "tokens of goods",
    Part.EXTRA_TURN: "1: the builder brings a second part of the turn",
    Part.BUILDER: "chance that the builder's road or city stays open, 0 without a builder on the table",
    Part.CASTLES: "points that lords will probably score",
    Part.CASTLE_TOKENS: "castle tokens in hand",
    Part.ABBEYS: "abbeys in hand",
    Part.GERMAN_CASTLES: "castle tiles in hand",
    Part.CHURCHES: "bonus of churches as followers stand, times the chance that they will be completed",
}
PARTS_OF_BOX = {  # parts that are 0 in games without a box
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
N_COMMON = int(Part.CASTLES)  # those before it are all that most games have, see `count_parts`
