"""What a game is: every size, every enum and every dtype, and nothing else. Read this file first.

A game is one record of dtype `GAME`; a batch of games is an array of them; a copy is one assignment. Rules are
functions over such a record. "Nothing here" is `NONE` everywhere.

Cells. The table is a torus of size x size cells, numbered row by row: `cell = row * size + column`. The tile at (x, y),
x east and y south of the start tile, lies at row `(y + size // 2) % size`, column `(x + size // 2) % size`; on a sheet,
whose north-west corner is (0, 0), at row y, column x. The size belongs to the dtype: `game_dtype` makes one for each
size, and compiled code knows it as a constant (`geometry.size_of`).
"""

from enum import IntEnum
from functools import cache
from math import isqrt
from typing import Any

import numpy as np

from carc_env.compiling.jit import is_compiled, know_as_common, record_type

NONE = -1

# --- sizes --------------------------------------------------------------------------------------------------------
MIN_SIZE, MAX_SIZE = 5, 101  # rows and columns of a table; a layout may span size - 1 cells
MAX_CELLS = MAX_SIZE * MAX_SIZE
MAX_PLAYERS = 6
MAX_TILES = 192  # tiles of one game, start tiles included
MAX_KINDS = 208  # tile kinds of all boxes together, and the squares of large cities
FIRST_PRINTED = 192  # the kinds from here on are the squares of large cities
MAX_TILE_SEGMENTS = 10  # segments of one tile: roads, cities, fields, a building
MAX_SEGMENTS = 960  # segments of all tiles of one game
MAX_FRONTIER = 400  # empty cells beside the layout
MAX_MOVES = 1424  # answers of one game
MAX_EVENTS = 192  # things caused by one answer that are told
N_GOODS = 3  # wine, grain, cloth
MAX_LARGE = 16  # large cities of a sheet
MAX_STARTS = 8  # start squares of a sheet
N_COLOURS = 3  # of grapes: purple, light blue, orange
CHIPS_OF_COLOUR = (6, 4)  # chips of value 1 and of value 2
N_CHIPS = N_COLOURS * sum(CHIPS_OF_COLOUR)
MAX_COMPLETED = 64  # features that one turn can complete, castles that score included
MAX_CASTLES = 12  # tokens of the box
N_GERMAN_CASTLES = 6  # castle tiles of the box, of two squares each
MOST_IN_HAND = 2  # castle tiles that a player can get
MAX_TOUCHED = 64  # changes of features that are remembered, see features.touch
MAX_FERRIES = 8  # of the box


# --- enums --------------------------------------------------------------------------------------------------------
class Terrain(IntEnum):
    """What an edge of a tile shows."""

    CITY = 1
    ROAD = 2
    FIELD = 3


class Kind(IntEnum):
    """Kinds of features; buildings in the order in which plane `building` numbers them."""

    ROAD = 0
    CITY = 1
    FIELD = 2
    MONASTERY = 3
    GARDEN = 4
    ABBEY = 5
    SHRINE = 6
    SPECIAL_MONASTERY = 7
    CHURCH = 8  # of Darmstadt
    HUT = 9  # Baba Yaga's
    GERMAN_CASTLE = 10
    GERMAN_CATHEDRAL = 11
    CASTLE = 12  # a small city that has become one


class Figure(IntEnum):
    """Kinds of wooden figures."""

    MEEPLE = 0
    BIG = 1
    ABBOT = 2
    BUILDER = 3
    PIG = 4


class Spot(IntEnum):
    """Places of a tile where a figure can stand, in board orientation, in the order in which spots are written."""

    N = 0
    E = 1
    S = 2
    W = 3
    NW = 4  # half-edges, clockwise: the western half of the north edge, and so on
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
    LYING = 20  # on a special monastery, lying
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
FIRST_HALF = int(Spot.NW)  # spots of half-edges are FIRST_HALF + 0..7
# spots of the second square of a German castle are FIRST_OF_SECOND + those of one square
FIRST_OF_SECOND = int(Spot.SECOND_N)


class Phase(IntEnum):
    """The question now being asked: a step of the turn, numbered in the order in which they come."""

    PLACE_ABBEY = 0  # where does the own abbey go, if anywhere?
    PLACE_GERMAN_CASTLE = 1  # where does an own German castle go, if anywhere?
    PLACE_TILE = 2  # where does the tile in hand go?
    SELL_WINE = 3  # which wine is sold where, if any?
    PLACE_INGOT = 4  # on which neighbouring tile does the second ingot of a gold tile go?
    PLACE_FIGURE = 5  # which figure is placed where, if any?
    PLACE_FERRY = 6  # which two roads of the lake just placed does its ferry join?
    MOVE_FERRY = 7  # which ferry is moved, if any?
    FOUND_CASTLE = 8  # which small city just completed becomes a castle, if any?
    CASTLE_SCORE = 10  # which of the features just completed does a castle score?
    TAKE_INGOT = 12  # from which tile is an ingot taken?
    CROP_CHOICE = 13  # does everybody add a follower, or take one back?
    CROP_ADD = 14  # next to which own follower is one added?
    CROP_REMOVE = 15  # which own follower is taken back?
    GAME_OVER = 17


class Step(IntEnum):
    """The steps of a turn at which nobody is asked anything, in the same order."""

    SCORE = 9  # what the tile completed is scored
    CLEAR_UP = 11  # goods are taken, and the figures of what was scored go home
    NEXT_PART = 16  # the next player's turn begins, or the second part of a builder's double turn


TURN = sorted((*Phase, *Step))[:-1]  # all steps
# its number
QUESTION = np.array([tuple(Phase).index(step) if step in tuple(Phase) else NONE for step in range(Phase.GAME_OVER + 1)])


class Source(IntEnum):
    """Where points come from."""

    ROADS = 0
    CITIES = 1
    MONASTERIES = 2  # abbeys and special ones too
    GARDENS = 3
    SHRINES = 4
    CHURCHES = 5  # with the bonus for those around
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
    """What an answer can cause."""

    POINTS = 0  # player, source, amount = points, cell or NONE
    INGOT_PUT = 1  # player, cell
    INGOT_TAKEN = 2  # player, cell
    FIGURE_RETURNED = 3  # player, source = figure, cell
    TILE_DISCARDED = 4  # amount = tile kind
    INGOTS_SET_ASIDE = 5  # amount = ingots
    CHIP_TAKEN = 6  # player, amount = chip (CELL.chip), cell
    WINE_SOLD = 7  # player, amount = number of the sale among the answers that are one, cell
    GOODS_TAKEN = 8  # player, source = good, amount = tokens, cell
    CUT_OFF = 9  # a placement that the rules allow is refused for the first time


class GoldRule(IntEnum):
    """How ingots are shared out; see expansions/goldmines.py."""

    HIG = 0
    RGG_ROUNDS = 1
    RGG_SINGLE_PASS = 2


# fmt: off
# What is known of each kind of feature, by Kind.
SOURCE_OF_KIND = np.array([
    Source.ROADS, Source.CITIES, Source.FIELDS, Source.MONASTERIES, Source.GARDENS, Source.MONASTERIES, Source.SHRINES,
    Source.MONASTERIES, Source.CHURCHES, Source.HUTS, Source.GERMAN_CASTLES, Source.GERMAN_CATHEDRALS, Source.CASTLES,
])
# [figure, kind]: 1 where a figure of that kind may be placed: the abbot on monastic buildings alone, gardens are for the
# abbot alone. The kinds: road, city, field, monastery, garden, abbey, shrine, special, church, hut, German castle,
# cathedral, castle.
STANDS = np.array([
    [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0],  # meeple
    [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0],  # big
    [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0],  # abbot
    [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # builder
    [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # pig
])
# Buildings pay for themselves, for each occupied square around, for each empty one at the end of the game; when all are
# occupied some pay a fixed number of points instead (NONE: as it is counted). Rows of 0: no building.
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

# Every player's figures have fixed slots: nine meeples, then one slot for each other kind.
FIRST_SLOT = np.array([0, 9, 10, 11, 12, 13])  # slots of figure f: FIRST_SLOT[f] up to FIRST_SLOT[f + 1]
SLOT_FIGURE = np.array([0] * 9 + [1, 2, 3, 4])  # the figure of a slot
FOLLOWER_SLOTS = int(FIRST_SLOT[Figure.BUILDER])  # slots before it hold followers
N_SLOTS = 13
IN_SUPPLY = -1  # a slot whose figure is in the supply
ABSENT = -2  # a slot without a figure: its box is not in play
STRENGTH = np.array([1, 2, 1, 0, 0])  # what a figure counts in a majority
N_FIGURES = len(Figure)


# --- dtypes -------------------------------------------------------------------------------------------------------
def alignment(dtype: np.dtype) -> int:
    """The alignment that a dtype needs; NumPy takes 1 for a nested record, which a GPU does not forgive."""
    if dtype.subdtype:
        return alignment(dtype.subdtype[0])
    return max(alignment(dtype[name]) for name in dtype.names) if dtype.names else dtype.alignment


def record(*fields: tuple[Any, ...]) -> np.dtype:
    """A dtype whose fields can be read as attributes, compiled or not, each field aligned."""
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
    """A dtype like that of `record`, with given offsets of its fields."""
    layout: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
    return np.dtype((record_type(names), np.dtype(layout, align=True)))


def without(names: tuple[str, ...], dtype: np.dtype) -> np.dtype:
    """A dtype of the same size in which some fields have no name."""
    kept = {name: field for name, field in (dtype.fields or {}).items() if name not in names}
    return laid_out(
        list(kept), [field[0] for field in kept.values()], [field[1] for field in kept.values()], dtype.itemsize
    )


def with_field(name: str, part: np.dtype, dtype: np.dtype) -> np.dtype:
    """A dtype in which one field has another dtype of the same size."""
    fields: dict[str, Any] = dict(dtype.fields or {})
    dtypes = [part if other == name else field[0] for other, field in fields.items()]
    return laid_out(list(fields), dtypes, [field[1] for field in fields.values()], dtype.itemsize)


# A tile kind, as boxes/tiles.py reads it from systems/<box>/tiles.toml. Segments of a tile are numbered; rotation is in
# quarter turns. The two squares of a German castle are a kind each; both have the segments of the whole tile, with the
# edges and half-edges of their own square.
TILE = record(
    ("edges", "u1", (4,)),  # by rotation: the terrain of N, E, S, W in two bits each, N lowest
    ("all_edges", "u4"),  # the same four in one number, rotation 0 in the lowest byte
    ("rotations", "i1"),  # how many rotations give different tiles: 1, 2 or 4
    ("n_segments", "i1"),
    ("gold", "i1"),  # 1: a gold symbol (Goldmines)
    ("lake", "i1"),  # 1: a lake, at which its roads end (Ferries)
    ("german_cathedral", "i1"),  # 1: a German cathedral, to which its roads lead
    ("crop_circle", "i1"),  # the Kind of feature that a crop circle is about, or NONE
    ("bonus", "i1"),  # points more for its city when it is completed: the Darmstadtium
    ("kind", "i1", (MAX_TILE_SEGMENTS,)),  # Kind of each segment
    ("open", "i1", (MAX_TILE_SEGMENTS,)),  # edges of a road or city segment, half-edges of a field segment
    ("pennants", "i1", (MAX_TILE_SEGMENTS,)),
    ("inns", "i1", (MAX_TILE_SEGMENTS,)),
    ("cathedrals", "i1", (MAX_TILE_SEGMENTS,)),
    ("flat", "i1", (MAX_TILE_SEGMENTS,)),  # 1: a city segment that is no semicircle, though it touches one edge only
    ("good", "i1", (MAX_TILE_SEGMENTS,)),  # 0 wine, 1 grain, 2 cloth, or NONE
    ("adjoins", "i2", (MAX_TILE_SEGMENTS,)),  # field segment: bit set of the city segments that it adjoins
    ("side_segment", "i1", (4, 4)),  # by rotation and side: the road or city segment there, or NONE
    # by side: the other sides of the road or city there, both bits of each, by rotation as in all_edges
    ("linked", "u4", (4,)),
    ("half_segment", "i1", (4, 8)),  # by rotation and half-edge: the field segment there, or NONE
    ("spot", "i1", (4, MAX_TILE_SEGMENTS)),  # by rotation: the spot that a segment is named by
    ("by_spot", "i1", (4, MAX_TILE_SEGMENTS)),  # by rotation: segments in the order of their spots
    ("spot_segment", "i1", (4, N_SPOTS)),  # by rotation: the segment at a spot, or NONE
)

# All tile kinds of all boxes. The rules get a record of TILES, never a global.
TILES = record(
    ("kinds", TILE, (MAX_KINDS,)),
    ("abbey", "i2"),  # the kind of the abbey
    # the kind of square `a` of the first castle tile; its `b`, then `a` of the second, ... follow
    ("german_castle", "i2"),
)

CELL = record(
    ("tile", "i2"),  # tile kind, NONE: empty
    ("first_segment", "i2"),  # segments of this tile are first_segment, first_segment + 1, ...
    ("rotation", "i1"),  # quarter turns clockwise
    # occupied squares among the eight around; of a German castle, on both its squares, among the ten
    ("neighbours", "i1"),
    ("ingots", "i1"),  # ingots lying on the tile
    ("need", "u1"),  # empty cell: the terrain that its four neighbours demand, packed as TILE.edges
    ("need_mask", "u1"),  # the bits of `need` that count
    ("in_frontier", "i1"),  # 1: in GAME.frontier
    ("is_square", "i1"),  # 1: a tile may lie here or a large city is printed here; everywhere on a free table
    ("around", "i1"),  # squares among the eight around: 8 on a free table; of a German castle among the ten
    ("printed", "u1"),  # roads and cities printed at the border, packed as `need`
    ("large", "i1"),  # the large city printed here, numbered from 1; 0 none
    ("grape", "i1"),  # the colour of the town printed here, or NONE
    ("coats", "i1", (4,)),  # coats of arms of the road or city printed at the border on each side
    # shrines among the eight squares around, and 16 for each of the monasteries, see shrines.count_challengers
    ("challengers", "u1"),
    ("chip", "i1"),  # the chip laid here: 2 * colour + value - 1, or NONE; it lies face down exactly where no tile lies
)

SEGMENT = record(
    ("feature", "i2"),  # the feature it is part of; a feature is named after one of its segments
    ("next", "i2"),  # the next segment of the same feature; the last points to the first
    ("cell", "i2"),  # of a German castle its first square
)

FEATURE = record(
    ("n_segments", "i2"),
    ("tiles", "i2"),  # different tiles, that of a German cathedral once for each segment; kept for roads and cities
    ("open", "i2"),  # open ends: edges or half-edges without a neighbour; 1 for a building, which has none
    ("mark", "i2"),  # the last count (GAME.counts) that met it, see features.begin_count
    ("pennants", "i2"),
    ("kind", "i1"),
    ("extras", "u1"),  # inns of a road, cathedrals of a city
    ("coats", "u1"),  # coats of arms at the border; kept for roads, in a city they are pennants
    ("lies", "i1"),  # 1: the follower in a special monastery lies there
    ("bonus", "i2"),  # points more when it is completed
    ("cathedral_ends", "u1"),  # segments of a road that start at a German cathedral
    ("goods", "u1", (N_GOODS,)),  # in a city that is not completed yet
    ("strength", "i1", (MAX_PLAYERS,)),  # strength of each player's followers in it
)

PLAYER = record(
    ("score", "i2"),
    ("points", "i2", (N_SOURCES,)),  # the score, by Source
    ("figures", "i2", (N_SLOTS,)),  # by slot: the segment where the figure stands, IN_SUPPLY or ABSENT
    ("ingots", "i1"),
    ("chips", "i1", (N_COLOURS, 2)),  # in hand: purple, light blue, orange; of value 1 and 2
    ("goods", "u1", (N_GOODS,)),  # wine, grain, cloth
)

EVENT = record(
    ("amount", "i2"),
    ("cell", "i2"),
    ("kind", "i1"),  # EventKind
    ("player", "i1"),
    ("source", "i1"),  # Source, or Figure
)

MOVE = record(
    ("answer", "i4"),  # action id
    ("phase", "i1"),  # Phase: the question
    ("player", "i1"),  # who was asked
    # which of several things on the table the answer was about, where its id does not say it (Question.spot)
    ("spot", "i1"),
)

VARIANTS = record(
    ("small_city_points", "i1"),  # 4, or 2: a two-tile city pays 1 per tile and pennant
    ("gold_rule", "i1"),  # GoldRule
    ("ignore_unfinished_inns", "i1"),  # 1: an inn or cathedral does not count in an unfinished feature
    ("border_city_coat_points", "i1"),  # 2: a coat of arms at the border counts as a pennant, 0: not at all
    ("border_road_coat_points", "i1"),  # 2 or 0: points of a coat of arms on a completed road
    ("border_monastery_nine", "i1"),  # 1: a completed building at the border pays 9
    ("chips_shun_open_edges_only", "i1"),  # 1: chips may lie beside closed edges of a large city
    ("one_sale_a_part", "i1"),  # 1: each part of a double turn has its own sale
    ("crop_must_add", "i1"),  # 1: crop circles oblige to add a follower if one is in supply
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
    ("on_sheet", "i1"),  # 1: played on a printed map
    ("connected", "i1", (MAX_LARGE + 1,)),  # 1: the large city of this number is in play
    ("start_tile", "i2"),  # the kind of the first start tile, the others are drawn; NONE: start tiles lie already
    ("n_starts", "i1"),  # start squares of the sheet
    ("starts", "i2", (MAX_STARTS,)),  # their cells
    ("chips_to_lay", "i1"),  # 1: the chips are laid out at reset
)

MAP_CHIPS = record(
    ("sold", "i1")  # 1: wine was sold in this turn
)

TRADERS_AND_BUILDERS = record(
    ("second_part", "i1"),  # 1: the second part of a double turn is played
    ("extended", "i1"),  # 1: the tile just placed extends the feature with the own builder
)

GOLDMINES = record(
    ("supply", "i1"),  # ingots not yet placed
    ("on_tiles", "i1"),  # ingots lying on tiles
    ("visitor", "i1"),  # draft: the player now visiting, NONE: no draft
    ("visits", "i1"),  # draft: visits begun
    ("serving", "i1"),  # draft, RGG rules: index of the completed feature now served
)

CROP_CIRCLES = record(
    ("adds", "i1")  # 1: by the active player's choice everybody adds a follower; 0: takes one back
)

FERRY = record(  # a ferry on its lake
    ("ends", "i2", (2,)),  # the two segments of the lake that it joins, by their edges
    ("left", "i2", (2,)),  # those that it joined before it was moved in this part of the turn; NONE: it was not
)

FERRIES = record(
    ("n_lying", "i1"),  # ferries on the table; the others are in the supply
    ("movable", "u1"),  # bit set of those that can still be moved in this part of the turn
    ("lying", FERRY, (MAX_FERRIES,)),  # in the order in which they were placed
)

CASTLE = record(
    ("node", "i2"),  # its city segment on its first cell, row by row
    ("scored", "i2"),  # a segment of the feature that its lord has scored, NONE: he waits
    ("side", "i1"),  # the edge of this segment, to its other cell: 1 E, 2 S
    ("player", "i1"),
    ("founded", "i1"),  # 1: in this part of the turn
)

CASTLES = record(
    ("tokens", "i1", (MAX_PLAYERS,)),  # in hand
    ("n_built", "i1"),
    ("scoring", "i1"),  # the castle that scores now, NONE: none does
    ("first", "i1"),  # features that castles score in this round: GAME.completed from here
    ("end", "i1"),  # up to here
    ("built", CASTLE, (MAX_CASTLES,)),  # in the order of their founding
)

ABBEYS = record(
    ("held", "i1", (MAX_PLAYERS,)),  # 1: the abbey is in hand
    ("to_ask", "i1"),  # the offer at the end: how many players are still to be asked; NONE: there was none yet
)

GERMAN_CASTLES = record(
    ("hands", "i1", (MAX_PLAYERS, MOST_IN_HAND)),  # castle tiles that each player got, numbered from 0; NONE: no more
    # where each of them lies: its first (western or northern) square and its second, or NONE
    ("squares", "i2", (N_GERMAN_CASTLES, 2)),
    ("to_deal", "i1"),  # 1: the hands are dealt at reset
)

SYSTEMS = record(  # what only one box knows of a game
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

COMPLETED = record(  # features completed in this turn, in the order of their scoring
    ("feature", "i2"),
    ("worth", "i2"),  # its points, whoever owns it; known where castles may score it
    ("owners", "i1"),  # bit set of players; 0: nobody's
)

GAME_FIELDS = (  # what is small and often read comes first: it lies side by side in memory
    # what is played
    ("n_players", "i1"),
    ("boxes", BOXES_IN_PLAY),
    ("kinds", "i4"),  # bit set of the Kinds of features that mean something in this game: a building only with its box
    ("variants", VARIANTS),
    ("following", "i1", (Phase.GAME_OVER,)),  # after each step of the turn the next one that this game has
    # the turn
    ("phase", "i1"),  # Phase; while an answer is carried out also a Step
    ("player", "i1"),  # the player asked, NONE at the end
    ("active", "i1"),  # the player whose turn it is
    ("tile", "i2"),  # tile in hand, NONE after it was placed
    ("placed", "i2"),  # cell of the tile placed in this turn, of a German castle its first; NONE before
    ("ends_closed", "i1"),  # whether a road or city has lost its last open end since that tile was laid
    # bit set of its area's squares that it may have left with no empty square around (number k of geometry.NINE)
    ("surrounded", "i2"),
    # how much there is of what follows below, and where the tiles lie
    ("n_deck", "i2"),
    ("n_drawn", "i2"),
    ("n_tiles", "i2"),  # tiles on the table
    ("n_segments", "i2"),
    ("n_frontier", "i2"),
    ("n_completed", "i2"),
    ("n_moves", "i2"),
    ("n_events", "i2"),
    ("counts", "i2"),  # counts made so far, see FEATURE.mark
    ("n_touched", "i4"),  # changes of features so far
    ("x_range", "i2", (2,)),  # smallest and largest x of the tiles
    ("y_range", "i2", (2,)),
    # 1: a placement that the rules allow was refused, as the layout would have become too wide or high for the table
    ("is_cut_off", "i1"),
    # the players and the expansions
    ("players", PLAYER, (MAX_PLAYERS,)),
    ("systems", SYSTEMS),
    ("completed", COMPLETED, (MAX_COMPLETED,)),
    # the table
    ("frontier", "i2", (MAX_FRONTIER,)),  # empty cells beside a tile, ascending
    ("board", CELL),  # size * size of them
    ("segments", SEGMENT, (MAX_SEGMENTS,)),
    ("features", FEATURE, (MAX_SEGMENTS,)),  # entry f belongs to feature f; entries of merged features are dead
    ("touched", "i2", (MAX_TOUCHED,)),  # a segment of each of the features changed last, number k at k % MAX_TOUCHED
    # the deck: shuffled once at reset, hidden from the players
    ("deck", "i2", (MAX_TILES,)),  # tile kinds, first drawn first
    # the record of the game
    ("moves", MOVE, (MAX_MOVES,)),  # all answers, also those the engine gave because there was only one
    ("events", EVENT, (MAX_EVENTS,)),  # what the last answer caused
)
# nearly all of a game's memory
LARGE_FIELDS = ("completed", "frontier", "board", "segments", "features", "touched", "deck", "moves", "events")
SMALL_FIELDS = tuple(name for name, *_ in GAME_FIELDS if name not in LARGE_FIELDS)

# Most games have none of these boxes. Their records know nothing of them and are compiled without them: sooner, and to
# shorter code.
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
    """The dtype GAME of a game on a table of this size, with the records of all boxes."""
    return record(*((name, CELL, (size * size,)) if name == "board" else (name, *kind) for name, *kind in GAME_FIELDS))


@cache
def common_game(size: int) -> np.dtype:
    """The dtype of the same bytes, for games with none of the boxes in RARE."""
    dtype = with_field("systems", without(RARE, SYSTEMS), whole_game(size))
    know_as_common(dtype)
    return dtype


def game_dtype(boxes: tuple[str, ...], size: int) -> np.dtype:
    """The dtype of the record of a game with these boxes in play, on a table of this size."""
    return common_game(size) if is_compiled() and set(RARE).isdisjoint(boxes) else whole_game(size)


def size_of_dtype(dtype: np.dtype) -> int:
    """The size of the table of a game's dtype."""
    return isqrt(dtype["board"].shape[0])
