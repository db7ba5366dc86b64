"""The colours of the drawing, all in one place."""

PLAYERS = (("Red", "#c43c30"), ("Blue", "#2f63ad"), ("Yellow", "#efbd2d"), ("Black", "#35323a"),
           ("Green", "#2c7d4a"), ("Pink", "#d877a8"))

TABLE = "#f5f0e4"
FIGURE_LINE = "#221a12"
CARD = "#fffdf8"
CARD_LINE = "#ddd3bf"
INK = "#3b342b"
FAINT_INK = "#8d8270"
LAST = "#ffffff"  # frame of the tile placed last
GHOST = "#c4b79e"  # where the tile in hand may go

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
CITY_LINE = "#c9a873"
WALL = "#6f5840"
WALL_TOP = "#cdb58d"
ROOF = "#b9573f"
ROOF_SHADE = "#93402f"
ROOF_BROWN = "#a8764a"
ROOF_BROWN_SHADE = "#825833"
PLASTER = "#faf3e3"
SHIELD = "#3f6aa6"
WATER = "#6fa9c9"
WINE = "#8c3b58"
FLOWER = "#d8607a"

GOLD = "#f2c230"
GOLD_LIGHT = "#fbe08a"
GOLD_SHADE = "#b9851b"
