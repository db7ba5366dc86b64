"""Defines the state of a game: its sizes, enums and dtypes. Read this file first.

A game is one record of dtype `GAME`. A batch of games is an array of GAME records. A game can be copied with a single
assignment of its record. The rules are functions that read and change the record of a game. `NONE` always stands for a
missing value, for example for no tile or no player.

Cells. The table has size x size cells, numbered row by row: `cell = row * size + column`. The opposite edges of the
table are joined, so the table is a torus. The coordinate x grows to the east, and y grows to the south. On a table
without a map sheet, the tile at (x, y) lies in row `(y + size // 2) % size`, column `(x + size // 2) % size`. By
default the start tile lies at (0, 0). On a map sheet, the north-west corner is (0, 0), and the tile at (x, y) lies in
row y, column x. `game_dtype` makes a separate dtype for each size of the table. Compiled code therefore knows the size
as a constant (`geometry.size_of`).
"""

from enum import IntEnum
from functools import cache
from math import isqrt
from typing import Any

import numpy as np

from carc_env.compiling.jit import is_compiled, know_as_common, record_type

NONE = -1

# --- sizes --------------------------------------------------------------------------------------------------------
MIN_SIZE, MAX_SIZE = 5, 101  # rows and columns of a table; a layout spans at most size - 1 rows and size - 1 columns
MAX_CELLS = MAX_SIZE * MAX_SIZE
MAX_PLAYERS = 6
MAX_TILES = 192  # tiles of one game, start tiles included
MAX_KINDS = 208  # tile kinds of all boxes together, including the squares of large cities
FIRST_PRINTED = 192  # the kinds from this number on are the squares of large cities
MAX_TILE_SEGMENTS = 10  # segments of one tile: roads, cities, fields and buildings
MAX_SEGMENTS = 960  # segments of all tiles of one game
MAX_FRONTIER = 400  # empty cells beside the layout
MAX_MOVES = 1424  # actions in one game
MAX_EVENTS = 192  # events that are recorded for one action
N_GOODS = 3  # wine, grain, cloth
MAX_LARGE = 16  # large cities on a map sheet
MAX_STARTS = 8  # start squares on a map sheet
N_COLOURS = 3  # colours of grapes: purple, light blue, orange
CHIPS_OF_COLOUR = (6, 4)  # for each colour, the number of chips of value 1 and of value 2
N_CHIPS = N_COLOURS * sum(CHIPS_OF_COLOUR)
MAX_COMPLETED = 64  # features that one turn can complete, including castles that score
MAX_CASTLES = 12  # castle tokens in the box
N_GERMAN_CASTLES = 6  # castle tiles in the box, of two squares each
MOST_IN_HAND = 2  # castle tiles that a player can hold
MAX_TOUCHED = 64  # the number of feature changes that are stored (the latest ones); see features.touch
MAX_FERRIES = 8  # ferries in the box


# --- enums --------------------------------------------------------------------------------------------------------
class Terrain(IntEnum):
    """The terrain of a tile's edge."""

    CITY = 1
    ROAD = 2
    FIELD = 3


class Kind(IntEnum):
    """Kinds of features. The buildings are in the same order as in the plane `building` of an observation."""

    ROAD = 0
    CITY = 1
    FIELD = 2
    MONASTERY = 3
    GARDEN = 4
    ABBEY = 5
    SHRINE = 6
    SPECIAL_MONASTERY = 7
    CHURCH = 8  # a Darmstadt church
    HUT = 9  # Baba Yaga's hut
    GERMAN_CASTLE = 10
    GERMAN_CATHEDRAL = 11
    CASTLE = 12  # a small city that a castle token covers


class Figure(IntEnum):
    """Kinds of wooden figures."""

    MEEPLE = 0
    BIG = 1
    ABBOT = 2
    BUILDER = 3
    PIG = 4


class Spot(IntEnum):
    """The places on a tile where a figure can stand. All directions are directions on the board, after the tile has
    been rotated. Lists of spots always follow the order of this enum.
    """

    N = 0
    E = 1
    S = 2
    W = 3
    NW = 4  # half-edges: NW is the western half of the north edge, and so on
    NE = 5
    EN = 6
    ES = 7
    SE = 8
    SW = 9
    WS = 10
    WN = 11
    MID = 12  # a field that touches no edge
    MID2 = 13
    MONASTERY = 14
    GARDEN = 15
    SHRINE = 16
    HUT = 17
    CASTLE = 18  # a German castle
    CATHEDRAL = 19  # a German cathedral
    LYING = 20  # a follower that lies on a special monastery
    SECOND_N = 21  # edges and half-edges of the second square of a German castle
    SECOND_E = 22
    SECOND_S = 23
    SECOND_W = 24
    SECOND_NW = 25
    SECOND_NE = 26
    SECOND_EN = 27
    SECOND_ES = 28
    SECOND_SE = 29
    SECOND_SW = 30
    SECOND_WS = 31
    SECOND_WN = 32


N_SPOTS = len(Spot)
FIRST_HALF = int(Spot.NW)  # the spots of half-edges are FIRST_HALF + 0..7
# the spots of the second square of a German castle are FIRST_OF_SECOND + the spot on a single square
FIRST_OF_SECOND = int(Spot.SECOND_N)


class Phase(IntEnum):
    """The kinds of decisions. Each decision is a step of the turn. The values increase in the order in which the
    decisions occur in a turn.
    """

    PLACE_ABBEY = 0  # where does the player place an abbey, if anywhere?
    PLACE_GERMAN_CASTLE = 1  # where does the player place a German castle, if anywhere?
    PLACE_TILE = 2  # where does the player place the tile in hand?
    SELL_WINE = 3  # which wine does the player sell, if any, and where?
    PLACE_INGOT = 4  # on which tile around the new gold tile is its second ingot placed?
    PLACE_FIGURE = 5  # which figure does the player place, if any, and where?
    PLACE_FERRY = 6  # which two roads of the newly placed lake does its ferry join?
    MOVE_FERRY = 7  # which ferry does the player move, if any, and where to?
    FOUND_CASTLE = 8  # which newly completed small city does the player turn into a castle, if any?
    CASTLE_SCORE = 10  # which of the newly completed features does the castle score?
    TAKE_INGOT = 12  # from which tile does the player take an ingot?
    CROP_CHOICE = 13  # does every player add a follower, or take one back?
    CROP_ADD = 14  # next to which of their followers does the player add another one?
    CROP_REMOVE = 15  # which of their followers does the player take back?
    GAME_OVER = 17


class Step(IntEnum):
    """The parts of a turn that need no decision of a player. The members of `Step` and `Phase` are numbered together,
    in the order in which they occur in a turn.
    """

    SCORE = 9  # the features that the tile completed are scored
    CLEAR_UP = 11  # the active player takes goods, and the figures on scored features return to the supply
    NEXT_PART = 16  # the next player's turn or the second part of a builder's double turn begins


TURN = sorted((*Phase, *Step))[:-1]  # all steps
# for each step of a turn: the index of its decision in `Phase`, or NONE if no player decides in this step
QUESTION = np.array([tuple(Phase).index(step) if step in tuple(Phase) else NONE for step in range(Phase.GAME_OVER + 1)])


class Source(IntEnum):
    """The sources of a player's points."""

    ROADS = 0
    CITIES = 1
    MONASTERIES = 2  # including abbeys and special monasteries
    GARDENS = 3
    SHRINES = 4
    CHURCHES = 5  # including the bonus for the followers around a church
    HUTS = 6
    CASTLES = 7
    GERMAN_CASTLES = 8
    GERMAN_CATHEDRALS = 9
    FIELDS = 10
    INGOTS = 11
    CHIPS = 12
    WINE = 13
    GOODS = 14


N_SOURCES = len(Source)


class EventKind(IntEnum):
    """The kinds of events that an action can cause. The comments list the fields of EVENT that each kind uses."""

    POINTS = 0  # player, source, amount (the points), cell (can be NONE)
    INGOT_PUT = 1  # player, cell
    INGOT_TAKEN = 2  # player, cell
    FIGURE_RETURNED = 3  # player, source (the figure), cell
    TILE_DISCARDED = 4  # amount (the tile kind)
    INGOTS_SET_ASIDE = 5  # amount (the number of ingots)
    CHIP_TAKEN = 6  # player, amount (the chip, as in CELL.chip), cell
    WINE_SOLD = 7  # player, amount (the index of the action among the actions that sell wine), cell
    GOODS_TAKEN = 8  # player, source (the good), amount (the number of tokens), cell
    CUT_OFF = 9  # the table is too small for a placement that the rules allow; recorded only once in a game


class GoldRule(IntEnum):
    """The variants of the rule for awarding ingots to players; see expansions/goldmines.py."""

    HIG = 0
    RGG_ROUNDS = 1
    RGG_SINGLE_PASS = 2


# fmt: off
# For each Kind of feature: the Source of the points for such a feature.
SOURCE_OF_KIND = np.array([
    Source.ROADS, Source.CITIES, Source.FIELDS, Source.MONASTERIES, Source.GARDENS, Source.MONASTERIES, Source.SHRINES,
    Source.MONASTERIES, Source.CHURCHES, Source.HUTS, Source.GERMAN_CASTLES, Source.GERMAN_CATHEDRALS, Source.CASTLES,
])
# [figure, kind]: 1 if the figure may be placed on features of this kind. The abbot may be placed only on monastic
# buildings and gardens, and gardens take only the abbot. The kinds are, from left to right: road, city, field,
# monastery, garden, abbey, shrine, special monastery, church, hut, German castle, cathedral, castle.
STANDS = np.array([
    [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0],  # meeple
    [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0],  # big
    [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0],  # abbot
    [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # builder
    [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # pig
])
# The points of buildings: for the building itself, for each occupied square around it, and for each empty square around
# it. COMPLETE is a fixed number of points for a completed building, or NONE if a completed building is scored like an
# unfinished one. The row is all zeros for a kind that is not a building.
ITSELF, OCCUPIED, EMPTY, COMPLETE = range(4)
BUILDINGS = np.array([
    [0, 0, 0, 0],  # road
    [0, 0, 0, 0],  # city
    [0, 0, 0, 0],  # field
    [1, 1, 0, NONE],  # monastery
    [1, 1, 0, NONE],  # garden
    [1, 1, 0, NONE],  # abbey
    [1, 1, 0, NONE],  # shrine
    [1, 1, 0, NONE],  # special monastery
    [1, 1, 0, NONE],  # church
    [1, 0, 1, NONE],  # hut
    [2, 1, 0, NONE],  # German castle
    [0, 0, 0, 0],  # German cathedral
    [0, 0, 0, 0],  # castle
])
# fmt: on

# Each figure of a player has a fixed slot: nine slots for meeples come first, then one slot for each other kind.
FIRST_SLOT = np.array([0, 9, 10, 11, 12, 13])  # the slots of figure f are FIRST_SLOT[f] to FIRST_SLOT[f + 1] - 1
SLOT_FIGURE = np.array([0] * 9 + [1, 2, 3, 4])  # for each slot: the kind of its figure
FOLLOWER_SLOTS = int(FIRST_SLOT[Figure.BUILDER])  # the slots before this one hold followers
N_SLOTS = 13
IN_SUPPLY = -1  # a slot whose figure is in the supply
ABSENT = -2  # a slot without a figure, because the figure is not in the game
STRENGTH = np.array([1, 2, 1, 0, 0])  # for each kind of figure: how much it counts for a majority
N_FIGURES = len(Figure)


# --- dtypes -------------------------------------------------------------------------------------------------------
def alignment(dtype: np.dtype) -> int:
    """The alignment that a dtype needs, in bytes. NumPy aligns nested records to 1 byte, which fails on a GPU."""
    if dtype.subdtype:
        return alignment(dtype.subdtype[0])
    return max(alignment(dtype[name]) for name in dtype.names) if dtype.names else dtype.alignment


def record(*fields: tuple[Any, ...]) -> np.dtype:
    """Make a dtype whose fields can be read as attributes, in compiled and in uncompiled code. Each field of the record
    is aligned in memory.
    """
    names, formats, offsets, end, widest = [], [], [], 0, 1
    for name, *kind in fields:
        dtype = np.dtype(tuple(kind) if len(kind) > 1 else kind[0])
        step = alignment(dtype)
        start = -(-end // step) * step
        names.append(name)
        formats.append(dtype)
        offsets.append(start)
        end, widest = start + dtype.itemsize, max(widest, step)
    return laid_out(names, formats, offsets, -(-end // widest) * widest)


def laid_out(names: list[str], formats: list[np.dtype], offsets: list[int], size: int) -> np.dtype:
    """Make a dtype whose fields can be read as attributes, with the given offsets of the fields and the given size in
    bytes.
    """
    layout: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
    return np.dtype((record_type(names), np.dtype(layout, align=True)))


def without(names: tuple[str, ...], dtype: np.dtype) -> np.dtype:
    """Return a dtype without the named fields. The remaining fields keep their offsets, and the dtype keeps its size in
    bytes.
    """
    kept = {name: field for name, field in (dtype.fields or {}).items() if name not in names}
    return laid_out(
        list(kept), [field[0] for field in kept.values()], [field[1] for field in kept.values()], dtype.itemsize
    )


def with_field(name: str, part: np.dtype, dtype: np.dtype) -> np.dtype:
    """Return a dtype in which the field `name` has the dtype `part`. All fields keep their offsets, and the outer dtype
    keeps its size in bytes.
    """
    fields: dict[str, Any] = dict(dtype.fields or {})
    dtypes = [part if other == name else field[0] for other, field in fields.items()]
    return laid_out(list(fields), dtypes, [field[1] for field in fields.values()], dtype.itemsize)


# A tile kind, as boxes/tiles.py reads it from systems/<box>/tiles.toml. The segments of a tile are numbered. Rotations
# are in quarter turns. Each of the two squares of a German castle is a kind of its own. Each of these kinds has all
# segments of the double tile, but only the edges and half-edges of its own square.
TILE = record(
    # for each rotation: the terrains of the edges N, E, S, W, in two bits each; N in the lowest two bits
    ("edges", "u1", (4,)),
    ("all_edges", "u4"),  # the four bytes of `edges` in one number, rotation 0 in the lowest byte
    ("rotations", "i1"),  # the number of rotations that can be distinguished: 1, 2 or 4
    ("n_segments", "i1"),
    ("gold", "i1"),  # 1: the tile has a gold symbol (Goldmines)
    ("lake", "i1"),  # 1: the tile has a lake, where all roads of the tile end (Ferries)
    ("german_cathedral", "i1"),  # 1: the tile has a German cathedral, to which all roads of the tile lead
    ("crop_circle", "i1"),  # the Kind of feature that the crop circle on the tile affects, or NONE
    ("bonus", "i1"),  # additional points for completing the city on the tile (the Darmstadtium)
    ("kind", "i1", (MAX_TILE_SEGMENTS,)),  # the Kind of each segment
    # for each segment: the number of edges that a road or city touches, or of half-edges that a field touches
    ("open", "i1", (MAX_TILE_SEGMENTS,)),
    ("pennants", "i1", (MAX_TILE_SEGMENTS,)),
    ("inns", "i1", (MAX_TILE_SEGMENTS,)),
    ("cathedrals", "i1", (MAX_TILE_SEGMENTS,)),
    ("flat", "i1", (MAX_TILE_SEGMENTS,)),  # 1: a city segment that touches only one edge but is no semicircle
    ("good", "i1", (MAX_TILE_SEGMENTS,)),  # 0 wine, 1 grain, 2 cloth, or NONE
    ("adjoins", "i2", (MAX_TILE_SEGMENTS,)),  # for a field segment: bit set of the city segments that it adjoins
    ("side_segment", "i1", (4, 4)),  # for each rotation and side: the road or city segment at that edge, or NONE
    # for each side: four bytes, one for each rotation, as in `all_edges`. Each byte is a mask of the other sides that
    # the road or city at this side touches, with two bits for each side
    ("linked", "u4", (4,)),
    ("half_segment", "i1", (4, 8)),  # for each rotation and half-edge: the field segment at that half-edge, or NONE
    # for each rotation and segment: the spot that identifies the segment (the first of its spots in the order of Spot)
    ("spot", "i1", (4, MAX_TILE_SEGMENTS)),
    ("by_spot", "i1", (4, MAX_TILE_SEGMENTS)),  # for each rotation: the segments in the order of `spot`
    ("spot_segment", "i1", (4, N_SPOTS)),  # for each rotation and spot: the segment at this spot, or NONE
)

# All tile kinds of all boxes. The rules receive a record of dtype TILES as an argument, not as a global variable.
TILES = record(
    ("kinds", TILE, (MAX_KINDS,)),
    ("abbey", "i2"),  # the index of the abbey in `kinds`
    # the index in `kinds` of square `a` of the first castle tile. The next indices belong to square `b` of this castle
    # tile, to square `a` of the second castle tile, and so on
    ("german_castle", "i2"),
)

CELL = record(
    ("tile", "i2"),  # tile kind, or NONE for an empty cell
    ("first_segment", "i2"),  # the segments of this tile are first_segment, first_segment + 1, ...
    ("rotation", "i1"),  # quarter turns clockwise
    # the number of occupied squares among the eight squares around this one. If a German castle covers this square, the
    # ten squares around the castle are counted instead
    ("neighbours", "i1"),
    ("ingots", "i1"),  # ingots lying on the tile
    # for an empty cell: the terrain that its neighbours require on each of its four sides, packed like TILE.edges
    ("need", "u1"),
    ("need_mask", "u1"),  # for each side: two bits, both 1 if `need` contains a terrain for this side
    ("in_frontier", "i1"),  # 1: the cell is in GAME.frontier
    # 1: a tile can lie here, or a large city is printed here; without a map sheet, every cell has the value 1
    ("is_square", "i1"),
    # the largest possible value of `neighbours`: 8, or 10 for a German castle; smaller at the border of a map sheet
    ("around", "i1"),
    ("printed", "u1"),  # roads and cities printed at the border, packed like `need`
    ("large", "i1"),  # the number of the large city printed here, from 1; 0 if there is no large city
    ("grape", "i1"),  # the grape colour of the town printed here, or NONE
    # for each side: the number of coats of arms of the border connection on this side
    ("coats", "i1", (4,)),
    # the number of shrines on the eight squares around this one, plus 16 for each monastery on these squares; see
    # shrines.count_challengers
    ("challengers", "u1"),
    # the chip on this square: 2 * colour + value - 1, or NONE; the chip lies face down until a tile is placed here
    ("chip", "i1"),
)

SEGMENT = record(
    ("feature", "i2"),  # the index of the segment's feature, which is also the index of one of the feature's segments
    ("next", "i2"),  # the next segment of the same feature; the last segment points to the first
    ("cell", "i2"),  # the cell of the segment's tile; for a German castle, the cell of the tile's first square
)

FEATURE = record(
    ("n_segments", "i2"),
    # the number of tiles, updated only for roads and cities. A tile with several segments of the feature counts once.
    # An exception is a tile with a German cathedral, which counts once for each road segment
    ("tiles", "i2"),
    # the number of open ends: edges or half-edges to which another segment can still be joined; always 1 for a building
    ("open", "i2"),
    ("mark", "i2"),  # the value of GAME.counts when the feature was last counted, see features.begin_count
    ("pennants", "i2"),
    ("kind", "i1"),
    ("extras", "u1"),  # the number of inns of a road, or of cathedrals of a city
    # the number of coats of arms at the border ends of a road; those of a city are counted as pennants
    ("coats", "u1"),
    ("lies", "i1"),  # 1: the follower on a special monastery lies on its side
    ("bonus", "i2"),  # additional points on completion
    ("cathedral_ends", "u1"),  # the number of the road's segments that start at a German cathedral
    ("goods", "u1", (N_GOODS,)),  # for each kind of goods: the number of symbols in a city that is not completed yet
    ("strength", "i1", (MAX_PLAYERS,)),  # for each player: the total strength of the player's followers in the feature
)

PLAYER = record(
    ("score", "i2"),
    ("points", "i2", (N_SOURCES,)),  # for each Source: the points from this source; the sum is `score`
    ("figures", "i2", (N_SLOTS,)),  # for each slot: the segment where the figure stands, or IN_SUPPLY or ABSENT
    ("ingots", "i1"),
    # the number of chips in hand, for each colour (purple, light blue, orange) and each value (1, 2)
    ("chips", "i1", (N_COLOURS, 2)),
    ("goods", "u1", (N_GOODS,)),  # wine, grain, cloth
)

EVENT = record(
    ("amount", "i2"),
    ("cell", "i2"),
    ("kind", "i1"),  # EventKind
    ("player", "i1"),
    ("source", "i1"),  # Source, Figure, or the index of a kind of goods (see EventKind)
)

MOVE = record(
    ("answer", "i4"),  # action id
    ("phase", "i1"),  # Phase: the decision that was made
    ("player", "i1"),  # the player who made the decision
    # identifies the object on the table to which the action refers, if the action id alone does not identify it (see
    # Question.spot)
    ("spot", "i1"),
)

VARIANTS = record(
    ("small_city_points", "i1"),  # points of a completed city of two tiles without pennants: 4, or 2 in old printings
    ("gold_rule", "i1"),  # GoldRule
    ("ignore_unfinished_inns", "i1"),  # 1: in an unfinished feature, inns and cathedrals do not count
    ("border_city_coat_points", "i1"),  # 2: a coat of arms at the border counts as a pennant; 0: it does not count
    ("border_road_coat_points", "i1"),  # for a completed road: the points of each coat of arms at the border, 2 or 0
    ("border_monastery_nine", "i1"),  # 1: a completed building at the border is worth as much as a building elsewhere
    ("chips_shun_open_edges_only", "i1"),  # 1: chips may lie beside the closed edges of a large city
    ("one_sale_a_part", "i1"),  # 1: a player may sell wine once in each part of a double turn
    # 1: with option A of a crop circle, players must add a follower if they have one in the supply
    ("crop_must_add", "i1"),
    # 1: a lake gets a ferry only if the active player has just placed a follower on one of its roads
    ("ferry_requires_highwayman", "i1"),
    ("abbey_end_with_stack", "i1"),  # 1: abbeys that are left when the stack is used up are lost
)

BOXES_IN_PLAY = record(  # 1: the symbols, figures and rules of the box are in play
    ("goldmines", "i1"),
    ("abbot", "i1"),
    ("inns_and_cathedrals", "i1"),
    ("traders_and_builders", "i1"),
    ("map_chips", "i1"),
    ("ferries", "i1"),
    ("castles", "i1"),
    ("abbeys", "i1"),
    ("shrines", "i1"),
    ("special_monasteries", "i1"),
    ("darmstadt", "i1"),
    ("baba_yaga", "i1"),
    ("german_castles", "i1"),
    ("german_cathedrals", "i1"),
)

MAPS = record(
    ("on_sheet", "i1"),  # 1: the game is played on a map sheet
    ("connected", "i1", (MAX_LARGE + 1,)),  # 1: the large city with this number is connected to the layout
    # the kind of the start tile if the setup still has to choose start squares at random, otherwise NONE
    ("start_tile", "i2"),
    ("n_starts", "i1"),  # the number of start squares of the map sheet
    ("starts", "i2", (MAX_STARTS,)),  # the cells of the start squares
    ("chips_to_lay", "i1"),  # 1: the setup still has to lay out the chips
)

MAP_CHIPS = record(
    ("sold", "i1")  # 1: the player has sold wine in this turn
)

TRADERS_AND_BUILDERS = record(
    ("second_part", "i1"),  # 1: this is the second part of a double turn
    ("extended", "i1"),  # 1: the tile just placed extends the feature on which the player's builder stands
)

GOLDMINES = record(
    ("supply", "i1"),  # ingots in the supply
    ("on_tiles", "i1"),  # ingots lying on tiles
    ("visitor", "i1"),  # the player whose turn it is in the draft, or NONE if there is no draft
    ("visits", "i1"),  # how many turns of the draft have begun so far; the turns of skipped players also count
    # in a draft by Rio Grande's rules: the index in GAME.completed of the feature for which `visitor` takes an ingot
    ("serving", "i1"),
)

CROP_CIRCLES = record(
    # 1: the active player has chosen option A, so every player may add a follower; 0: the active player has chosen
    # option B, so every player must take a follower back
    ("adds", "i1")
)

FERRY = record(  # a ferry on its lake
    ("ends", "i2", (2,)),  # the two road segments of the lake that the ferry joins, in the order of their edges
    # the two segments that the ferry joined before it was moved; reset to NONE when a step MOVE_FERRY begins
    ("left", "i2", (2,)),
)

FERRIES = record(
    ("n_lying", "i1"),  # the number of ferries on the table; the others are in the supply
    ("movable", "u1"),  # bit set of the ferries that can still be moved in this part of the turn
    ("lying", FERRY, (MAX_FERRIES,)),  # the ferries on the table, in the order in which they were placed
)

CASTLE = record(
    ("node", "i2"),  # the segment of the small city on the castle's first (western or northern) tile
    ("scored", "i2"),  # a segment of the feature that the castle has scored; NONE until the castle scores
    ("side", "i1"),  # the direction from the castle's first tile to its second tile: 1 east, 2 south
    ("player", "i1"),
    ("founded", "i1"),  # 1: founded in this part of the turn
)

CASTLES = record(
    ("tokens", "i1", (MAX_PLAYERS,)),  # for each player: the number of castle tokens in the player's supply
    ("n_built", "i1"),
    ("scoring", "i1"),  # the index of the castle for which a player chooses a feature to score, or NONE
    # in this round of castle scoring, the castles can score the features `first` to `end - 1` in GAME.completed
    ("first", "i1"),
    ("end", "i1"),
    ("built", CASTLE, (MAX_CASTLES,)),  # all castles, in the order in which they were founded
)

ABBEYS = record(
    ("held", "i1", (MAX_PLAYERS,)),  # for each player: the number of abbeys in hand, 1 or 0
    # NONE until the players may place their last abbeys; then the number of players who have not been asked yet
    ("to_ask", "i1"),
)

GERMAN_CASTLES = record(
    # for each player: the indices of the castle tiles that were dealt to this player; unused entries are NONE
    ("hands", "i1", (MAX_PLAYERS, MOST_IN_HAND)),
    # for each castle tile: its first (western or northern) and its second square, or NONE if it is not on the table
    ("squares", "i2", (N_GERMAN_CASTLES, 2)),
    ("to_deal", "i1"),  # 1: the setup still has to deal the castle tiles
)

SYSTEMS = record(  # for each box that needs additional state: the record of this state
    ("goldmines", GOLDMINES),
    ("traders_and_builders", TRADERS_AND_BUILDERS),
    ("maps", MAPS),
    ("map_chips", MAP_CHIPS),
    ("crop_circles", CROP_CIRCLES),
    ("ferries", FERRIES),
    ("castles", CASTLES),
    ("abbeys", ABBEYS),
    ("german_castles", GERMAN_CASTLES),
)

COMPLETED = record(  # features completed in this turn, in the order in which they are scored
    ("feature", "i2"),
    ("worth", "i2"),  # the points of the feature, no matter who owns it; set only if the box `castles` is in play
    ("owners", "i1"),  # bit set of the players who own the feature; 0 if nobody owns it
)

GAME_FIELDS = (  # small fields that are often read come first, so that they lie side by side in memory
    # what is played
    ("n_players", "i1"),
    ("boxes", BOXES_IN_PLAY),
    # bit set of the Kinds of features in this game; a kind of building is included only if its box is in play
    ("kinds", "i4"),
    ("variants", VARIANTS),
    ("following", "i1", (Phase.GAME_OVER,)),  # for each step of the turn: the next step that this game has
    # the turn
    ("phase", "i1"),  # a Phase; while an action is carried out, it can also be a Step
    ("player", "i1"),  # the player who has to act; NONE at the end of the game
    ("active", "i1"),  # the player whose turn it is
    ("tile", "i2"),  # the tile in hand; NONE after the tile was placed
    # the cell of the tile placed in this part of the turn (the first square of a German castle); NONE before that
    ("placed", "i2"),
    ("ends_closed", "i1"),  # 1: a road or city has lost its last open end since the last tile was placed
    # bit set: bit k is 1 if square k must be checked, because the squares around it are possibly all occupied now. The
    # numbers k stand for the tile just placed and the squares around it (see double_tiles.area_square)
    ("surrounded", "i2"),
    # the lengths of the lists below, and the extent of the layout
    ("n_deck", "i2"),
    ("n_drawn", "i2"),
    ("n_tiles", "i2"),  # tiles on the table
    ("n_segments", "i2"),
    ("n_frontier", "i2"),
    ("n_completed", "i2"),
    ("n_moves", "i2"),
    ("n_events", "i2"),
    ("counts", "i2"),  # the index of the current pass over features, see features.begin_count
    ("n_touched", "i4"),  # the number of changes of features so far
    ("x_range", "i2", (2,)),  # the smallest and largest x of the tiles; on a map sheet, of its squares
    ("y_range", "i2", (2,)),
    # 1: the table was too small for a placement that the rules allow
    ("is_cut_off", "i1"),
    # the players and the expansions
    ("players", PLAYER, (MAX_PLAYERS,)),
    ("systems", SYSTEMS),
    ("completed", COMPLETED, (MAX_COMPLETED,)),
    # the table
    ("frontier", "i2", (MAX_FRONTIER,)),  # empty cells beside the layout, ascending
    ("board", CELL),  # `whole_game` replaces CELL by an array of size * size cells
    ("segments", SEGMENT, (MAX_SEGMENTS,)),
    ("features", FEATURE, (MAX_SEGMENTS,)),  # entry f describes feature f; the entries of merged features are not used
    # for each of the last changes of features: a segment of the changed feature; change k is at index k % MAX_TOUCHED
    ("touched", "i2", (MAX_TOUCHED,)),
    # the deck: shuffled once at reset and hidden from the players
    ("deck", "i2", (MAX_TILES,)),  # tile kinds in the order of drawing
    # the record of the game
    # all actions except forced passes. Actions that the engine played because no other action was legal are included
    ("moves", MOVE, (MAX_MOVES,)),
    ("events", EVENT, (MAX_EVENTS,)),  # the events that the last action caused
)
# these fields take up nearly all of a game's memory
LARGE_FIELDS = ("completed", "frontier", "board", "segments", "features", "touched", "deck", "moves", "events")
SMALL_FIELDS = tuple(name for name, *_ in GAME_FIELDS if name not in LARGE_FIELDS)

# Most games have none of these boxes. If a game has none of them, its record leaves out their state. The rules then
# compile faster, and the compiled code is shorter.
RARE = (
    "ferries",
    "castles",
    "abbeys",
    "shrines",
    "special_monasteries",
    "darmstadt",
    "baba_yaga",
    "german_castles",
    "german_cathedrals",
)


@cache
def whole_game(size: int) -> np.dtype:
    """The dtype GAME for a table of this size, with the records of all boxes."""
    return record(*((name, CELL, (size * size,)) if name == "board" else (name, *kind) for name, *kind in GAME_FIELDS))


@cache
def common_game(size: int) -> np.dtype:
    """The dtype for games without any of the boxes in `RARE`. This dtype has the same size in bytes as the dtype that
    `whole_game` returns.
    """
    dtype = with_field("systems", without(RARE, SYSTEMS), whole_game(size))
    know_as_common(dtype)
    return dtype


def game_dtype(boxes: tuple[str, ...], size: int) -> np.dtype:
    """The dtype of a game with these boxes in play, on a table of this size."""
    return common_game(size) if is_compiled() and set(RARE).isdisjoint(boxes) else whole_game(size)


def size_of_dtype(dtype: np.dtype) -> int:
    """The size of the table (its number of rows and columns), read from the dtype of a game."""
    return isqrt(dtype["board"].shape[0])
