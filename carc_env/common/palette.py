"""Defines the colours of all pictures."""

from typing import Any

PLAYERS = (
    ("Red", "#c43c30"),
    ("Blue", "#2f63ad"),
    ("Yellow", "#efbd2d"),
    ("Black", "#35323a"),
    ("Green", "#2c7d4a"),
    ("Pink", "#d877a8"),
)

TABLE = "#f5f0e4"
FIGURE_LINE = "#221a12"
CARD = "#fffdf8"
CARD_LINE = "#ddd3bf"
INK = "#3b342b"
FAINT_INK = "#8d8270"
LAST = "#ffffff"  # frame of the tile placed last
GHOST = "#c4b79e"  # marks the cells where the tile in hand can be placed

FIELD = "#a9c878"
FIELD_LIGHT = "#b0ce80"
GRASS = "#7fa352"
TREE = "#5f8f4a"
TREE_LIGHT = "#7cab5c"
TILE_LINE = "#4d4a2c"
SHADE = "#3a2c12"

ROAD = "#f6eed9"
ROAD_LINE = "#ab9a73"

CITY = "#dfc195"
WALL = "#6f5840"
WALL_TOP = "#cdb58d"
ROOF = "#b9573f"
ROOF_SHADE = "#93402f"
ROOF_BROWN = "#a8764a"
ROOF_BROWN_SHADE = "#825833"
PLASTER = "#faf3e3"
SHIELD = "#3f6aa6"
WATER = "#6fa9c9"
CORN = "#ead98a"
CORN_LINE = "#8a7430"
WINE = "#8c3b58"
FLOWER = "#d8607a"

PAVING = "#d6cdb8"
COURT = "#b9cf93"
STONE, STONE_SHADE = "#c3bfb6", "#6b6a6c"
SLATE, SLATE_SHADE = "#5d6f86", "#3f4d61"
COPPER, COPPER_SHADE = "#63b592", "#3d7f64"
PURPLE, PURPLE_SHADE = "#8a5ea6", "#5f3d77"
TIMBER, TIMBER_SHADE = "#7c5733", "#503618"
PLANKS = "#d8b27c"
GLASS, GLASS_LIGHT, GLASS_LINE = "#7fc3cf", "#d2eef0", "#2f6873"
SHORE = "#e6d9a8"
WATER_LIGHT, WATER_LINE = "#9cc6db", "#4a83a6"

GOLD = "#f2c230"
GOLD_LIGHT = "#fbe08a"
GOLD_SHADE = "#b9851b"

# Sheets and chips
OUTSIDE = "#b9cfd6"  # the sea and neighbouring countries
OUTSIDE_INK = "#3c5560"
SHALLOWS = "#cddfe2"
COAST = "#8a7a57"
LAND = "#f1e7c8"
LAND_LINE = "#cbbb8c"
START = "#c2412d"
START_GROUND = "#f7dcc6"
LARGE_CITY = "#d9b27c"
COAT, COAT_LIGHT = "#b23a35", "#f3cf5a"
CHIP, CHIP_LIGHT, CHIP_SHADE = "#7b4a55", "#f0dcc0", "#4b2a33"
GRAPES = {"purple": "#7a3f97", "light_blue": "#4fa3d6", "orange": "#e8862a"}
GRAPE_LINES = {"purple": "#4d2363", "light_blue": "#24658f", "orange": "#9c5210"}

OUTLINE: dict[str, Any] = {"stroke": WALL, "width": 1, "stroke_linejoin": "round"}  # for buildings
