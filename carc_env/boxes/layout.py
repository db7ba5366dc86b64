"""The layout of observations: the name, meaning, kind and range of every plane, global and column.

An observation is the view of one player, the observer. In names, "player 0" is the observer, player 1 is the next
player clockwise, and so on. Names, order and ranges are the same for all configurations and numbers of players. They do
not change between releases without a change of VERSION, and of ROWS_VERSION if it concerns candidates or actions.

`encode` writes the planes and globals, `candidates` writes the columns, and `seen` writes what only one box needs.
`actions` has the action ids.
"""

from collections.abc import Container
from dataclasses import dataclass, replace

from carc_env.boxes.prospect_parts import BOX_OF_PART, MEANINGS, Part
from carc_env.boxes.sheets import GRAPES
from carc_env.boxes.tiles import FIGURES, GOODS, HALVES, SIDES, SPOTS, tile_kinds
from carc_env.rules.state import FIRST_PRINTED, MAX_PLAYERS, MAX_TILES, Phase

# The version of the layout. Version 1 had no space for the systems after Map-Chips. Version 2 did not show the points
# of fields. Version 3 had one table size only, and did not show the supply of ingots and the sold chips.
VERSION = 4
ROWS_VERSION = 3  # the version of candidates and actions alone; agents that use candidates depend on nothing else

# the largest number in a plane; larger ones are cut. It is not 255, because Stable-Baselines3 would take the planes for
# an image.
MOST = 254
LARGEST = 32767  # no number in a game is larger, since scores are int16
KINDS = ("flag", "category", "count", "share", "signed")


@dataclass(frozen=True)
class Entry:
    """One plane, global or column. All its values lie from `low` to `high`."""

    meaning: str
    # flag: 0 or 1; category: a number that stands for something; count: 0 or more; share: 0 to 1; signed: any number
    kind: str
    high: int
    low: int = 0
    needs: tuple[str, ...] = ()  # things (layouts.things_of); without any of them in a game, the entry is always 0
    of_player: int = 0  # the player that the entry describes; 0 is the observer

    def is_in(self, things: Container[str]) -> bool:
        """True if the entry can differ from 0 in a game that has these things."""
        return (not self.needs or any(need in things for need in self.needs)) and f"player {self.of_player}" in things


def flag(meaning: str, *needs: str) -> Entry:
    """An entry that is 0 or 1."""
    return Entry(f"1: {meaning}", "flag", 1, needs=needs)


def category(meaning: str, high: int, *needs: str) -> Entry:
    """An entry whose numbers stand for different things and have no order."""
    return Entry(meaning, "category", high, needs=needs)


def count(meaning: str, high: int, *needs: str) -> Entry:
    """An entry that counts something."""
    return Entry(meaning, "count", high, needs=needs)


def share(meaning: str) -> Entry:
    """An entry that is a chance or a part of a whole."""
    return Entry(meaning, "share", 1)


def signed(meaning: str, *needs: str) -> Entry:
    """An entry that may be negative."""
    return Entry(meaning, "signed", LARGEST, -LARGEST, needs)


def of_part(part: Part) -> tuple[str, ...]:
    """The box that an entry about a part of the prospects needs, if any."""
    return (BOX_OF_PART[part],) if part in BOX_OF_PART else ()


# --- planes -----------------------------------------------------------------------------------------------------------
CONTROL = "who has the majority: 0 nobody, 1 the observer alone, 2 the observer and others, 3 other players only"
PAIRS = "1 N-E, 2 N-S, 3 N-W, 4 E-S, 5 E-W, 6 S-W"

PLANES = {
    "tile": category("number of the tile kind plus 1; 0 for an empty cell", FIRST_PRINTED + 16),
    "rotation": category("quarter turns of the tile, clockwise", 3),
    **{
        f"city_{side}": count(f"number of tiles and pennants of the city on the {side} edge; 0 for no city", MOST)
        for side in SIDES
    },
    **{
        f"road_{side}": count(f"number of tiles of the road on the {side} edge; 0 for no road", MAX_TILES)
        for side in SIDES
    },
    **{
        f"open_{side}": count(f"open ends of the road or city on the {side} edge; 0 if completed", MOST)
        for side in SIDES
    },
    **{f"control_{side}": category(f"road or city on the {side} edge: {CONTROL}", 3) for side in SIDES},
    **{f"field_{half}": category(f"field on half-edge {half}: {CONTROL}", 3) for half in HALVES},
    "building_control": category(f"building on the tile: {CONTROL}", 3),
    "building": category(
        "1 a monastery, 2 a garden, 3 an abbey, 4 a shrine, 5 a special monastery, 6 a Darmstadt church, 7 a hut, "
        "8 a German castle, 9 a German cathedral",
        9,
    ),
    "neighbours": count(
        "number of occupied squares among the eight around (ten for a German castle), also for empty cells", 10
    ),
    "figure_player": category(
        "the player whose figures stand here: 1 the observer, 2 the next player, ...; 0 for none", MAX_PLAYERS
    ),
    "figure_spot": category("number of the spot where these figures stand, plus 1", len(SPOTS)),
    **{
        f"figure_{figure}": count(
            f"number of these figures that are {figure} figures", 9 if figure == "meeple" else 1, f"figure {figure}"
        )
        for figure in FIGURES
    },
    "ingots": count("number of ingots on the tile", 16, "goldmines"),
    **{
        f"extras_{side}": category(
            f"road or city on the {side} edge: 1 a road with an inn or a city with a cathedral, "
            "2 a road to a German cathedral, 3 a road with both",
            3,
            "inns_and_cathedrals",
            "german_cathedrals",
        )
        for side in SIDES
    },
    **{
        f"bonus_{side}": count(
            f"additional points for the road or city on the {side} edge when it is completed: "
            "3 for each German castle tile and 3 for the Darmstadtium",
            MOST,
            "german_castles",
            "darmstadt",
        )
        for side in SIDES
    },
    **{
        f"goods_{side}": count(
            f"number of goods symbols in the unfinished city on the {side} edge", MAX_TILES, "traders_and_builders"
        )
        for side in SIDES
    },
    "square": flag("the cell is a square of the sheet; on a free table every cell is one"),
    "large": category(
        "square of a large city: 1 not connected yet, 2 connected; 0 for no large city", 2, "large cities"
    ),
    **{
        f"border_{side}": category(
            f"printed at the border on the {side} edge: 1 a road, 2 a city, 0 nothing", 2, "borders"
        )
        for side in SIDES
    },
    "coats": count("number of coats of arms at the border of this square", 36, "coats"),
    "town": category("colour of the town's grape: 1 purple, 2 light blue, 3 orange; 0 for no town", 3, "towns"),
    "chip": flag("a chip lies here face down", "map_chips"),
    "rivals": count(
        "number of other players who may still take an ingot from here; 0 outside the ingot draft",
        MAX_PLAYERS - 1,
        "goldmines",
    ),
    "placed": flag("the tile here was placed in this turn"),
    "ferry": category(f"edges of a lake that its ferry joins: {PAIRS}; 0 for no ferry", 6, "ferries"),
    "castle": category(
        "half of a castle: 1 without a lord, 2 with a lord, 3 with a lord and founded in this turn part", 3, "castles"
    ),
    "castle_side": category("edge of this half towards the other half of the castle: 1 N, 2 E, 3 S, 4 W", 4, "castles"),
    "choice": category(
        "marks what the actions refer to: when moving a ferry, the number of the ferry here plus 1; "
        "when a castle scores, 1 on both of its tiles; when ingots are taken feature by feature, 1 on the tiles "
        "of the feature that is now served",
        8,
        "phase move_ferry",
        "phase castle_score",
        "ingots feature by feature",
    ),
    **{
        f"worth_{half}": count(f"points of the field on half-edge {half} as it stands, no matter who owns it", MOST)
        for half in HALVES
    },
}

# --- globals ----------------------------------------------------------------------------------------------------------
LAND_KINDS = tuple(kind.id for kind in tile_kinds())
LAND_KINDS += tuple(f"kind{number}" for number in range(len(LAND_KINDS), FIRST_PRINTED))  # numbers for further kinds
GERMAN_CASTLES = tuple(f"GC{number}" for number in range(1, 7))

OF_A_PLAYER = {
    "plays": flag("this seat is taken"),
    "score": count("score so far", LARGEST),
    "ingots": count("number of ingots held", 16, "goldmines"),
    **{
        f"supply_{figure}": count(
            f"number of {figure} figures in supply", 9 if figure == "meeple" else 1, f"figure {figure}"
        )
        for figure in FIGURES
    },
    **{
        f"chips_{grape}_{value}": count(f"number of {grape} chips of value {value} held", 127, "map_chips")
        for grape in GRAPES
        for value in (1, 2)
    },
    **{f"goods_{good}": count(f"number of {good} tokens", MAX_TILES, "traders_and_builders") for good in GOODS},
    "castle_tokens": count("number of castle tokens in supply", 3, "castles"),
    "abbeys": count("number of abbeys held", 1, "abbeys"),
    **{
        f"holds_{tile}": flag(f"castle tile {tile} is held and not yet placed", "german_castles")
        for tile in GERMAN_CASTLES
    },
}
GLOBALS = {
    **{
        f"phase_{phase.name.lower()}": flag(
            f"the current question is {phase.name.lower()}", f"phase {phase.name.lower()}"
        )
        for phase in Phase
    },
    **{f"asked_{player}": flag(f"player {player} has to act", f"player {player}") for player in range(MAX_PLAYERS)},
    **{
        f"active_{player}": flag(f"it is the turn of player {player}", f"player {player}")
        for player in range(MAX_PLAYERS)
    },
    "second_part": flag("this is the second part of a double turn", "traders_and_builders"),
    "extended": flag("the builder gives a second turn part after this one", "traders_and_builders"),
    "sold": flag("wine has been sold in this turn", "map_chips"),
    "offer": flag("no land tile is left to place, and the last abbeys are offered", "abbeys"),
    "players": count("number of players", MAX_PLAYERS),
    "tiles_left": count("number of tiles not drawn yet", MAX_TILES),
    "tiles_placed": count("number of tiles on the table", MAX_TILES + 2 * MAX_PLAYERS),
    **{
        f"{name}_{player}": replace(entry, meaning=f"{entry.meaning} (player {player})", of_player=player)
        for player in range(MAX_PLAYERS)
        for name, entry in OF_A_PLAYER.items()
    },
    **{
        f"face_down_{grape}_{value}": count(
            f"number of {grape} chips of value {value} that still lie face down", 127, "map_chips"
        )
        for grape in GRAPES
        for value in (1, 2)
    },
    "ingot_supply": count("number of ingots in the supply", 16, "goldmines"),
    **{
        f"sold_{grape}_{value}": count(f"number of {grape} chips of value {value} sold so far", 127, "map_chips")
        for grape in GRAPES
        for value in (1, 2)
    },
    **{f"hand_{tile}": flag(f"the tile in hand is {tile}", f"tile {tile}") for tile in LAND_KINDS},
    **{
        f"left_{tile}": count(f"number of tiles {tile} not drawn yet", MAX_TILES, f"tile {tile}") for tile in LAND_KINDS
    },
}

# --- columns of candidates --------------------------------------------------------------------------------------------
COLUMNS = {
    **{
        f"own_{part.name.lower()}": signed(f"change for the acting player: {MEANINGS[part]}", *of_part(part))
        for part in Part
    },
    **{
        f"others_{part.name.lower()}": signed("like the row above, averaged over the other players", *of_part(part))
        for part in Part
    },
    "own_supply_after": count("number of the acting player's followers in supply after the turn", 11),
    "others_supply_after": count("like the row above, averaged over the other players", 11),
    "tiles_left": share("share of the deck that has not been drawn yet"),
    "margin": signed("score of the acting player minus the best score of another player"),
    "asked_abbey": flag("the question is where to place the abbey", "abbeys"),
    "asked_german_castle": flag("the question is where to place a German castle", "german_castles"),
    "asked_tile": flag("the question is where to place the tile"),
    "asked_sale": flag("the question is which wine to sell", "map_chips"),
    "asked_ingot": flag("the question is where to put the second ingot", "goldmines"),
    "asked_figure": flag("the question is which figure to place"),
    "asked_ferry": flag("the question is which roads the ferry of a new lake joins", "ferries"),
    "asked_move": flag("the question is which ferry to move", "ferries"),
    "asked_castle": flag("the question is whether to found a castle", "phase found_castle"),
    "asked_score": flag("the question is which feature a castle scores", "phase castle_score"),
    "asked_take": flag("the question is which ingot to take", "goldmines"),
    "asked_circle": flag("the question is whether a crop circle adds or removes followers", "phase crop_choice"),
    "asked_add": flag("the question is where to add a follower for a crop circle", "phase crop_add"),
    "asked_remove": flag("the question is which follower to take back for a crop circle", "phase crop_remove"),
    "claims_road": flag("the figure placed in this turn stands on a road"),
    "claims_city": flag("the figure placed in this turn stands in a city"),
    "claims_field": flag("the figure placed in this turn stands on a field"),
    "claims_building": flag("the figure placed in this turn stands on a building"),
    "lies": flag("the figure placed in this turn lies on a special monastery until the end", "special_monasteries"),
    "recalls": flag("the action takes the abbot back", "abbot"),
    "claim_worth": count("points, as it stands, of the feature with that figure", LARGEST),
    "claim_chance": share("chance that this feature will be completed; 0 for a field"),
    "claim_open": count("number of open ends of this feature", LARGEST),
    "neighbours": count("number of occupied squares around the tile placed or chosen", 10),
    "ingots_around": count("number of ingots on that tile and the tiles around it", 16),
    "gold": flag("the action puts an ingot on a tile", "goldmines"),
    "rivals": count("number of other players who may also take the ingot", MAX_PLAYERS - 1, "goldmines"),
    "own_ingots": count("number of ingots held by the acting player", 16, "goldmines"),
    "others_ingots": count("like the row above, averaged over the other players", 16, "goldmines"),
    "own_margin": signed("change of the acting player's points if the game were scored now, without ingots and goods"),
    "others_margin": signed("like the row above, averaged over the other players"),
    "joins": count("number of features with figures that the tile joins to another feature with figures", LARGEST),
    "gains": count("number of other players' features that the acting player comes to own or share", LARGEST),
    "losses": count("number of the acting player's features that other players come to own or share", LARGEST),
    "farms": count("number of fields with figures that the tile touches", LARGEST),
    "chip": flag("a chip lies on the square of the action", "map_chips"),
    "sale": count(
        "points of the best sale that the tile permits; if a chip lies there, the expected points", 9, "map_chips"
    ),
    "ferry": flag("the action puts or moves a ferry", "ferries"),
    "founds": flag("the action founds a castle", "phase found_castle"),
    "lord_points": count("points that lords score at once after the action", LARGEST, "phase castle_score"),
    # the values of the bot `greedy` are the last columns, because observations show them only on request
    "price": Entry(
        "value of the action by the bot `greedy` minus that of its best action; at most 0", "signed", 0, -LARGEST
    ),
    "rank": share("share of the other actions with a better price"),
}

# --- standing: the input of a value function in addition to the candidates --------------------------------------------
STANDING = {
    "margin": signed("score of the acting player minus the best other score, as if the game were scored now"),
    "tiles_left": share("share of the deck that has not been drawn yet"),
    "own_ingots": count("number of ingots held by the acting player", 16, "goldmines"),
    "others_ingots": count("like the row above, averaged over the other players", 16, "goldmines"),
    **{f"own_{part.name.lower()}": signed(MEANINGS[part], *of_part(part)) for part in Part},
    **{
        f"others_{part.name.lower()}": signed("like the row above, averaged over the other players", *of_part(part))
        for part in Part
    },
}
N_PLANES, N_GLOBALS, N_COLUMNS, N_STANDING = len(PLANES), len(GLOBALS), len(COLUMNS), len(STANDING)
N_SHOWN = N_COLUMNS - len(("price", "rank"))  # the number of columns that are shown without the price


# --- numbers of entries -----------------------------------------------------------------------------------------------
def plane(name: str) -> int:
    """The number of a plane."""
    return list(PLANES).index(name)


def scalar(name: str) -> int:
    """The number of a global."""
    return list(GLOBALS).index(name)


def column(name: str) -> int:
    """The number of a column of candidates."""
    return list(COLUMNS).index(name)


def standing(name: str) -> int:
    """The number of an entry of the standing."""
    return list(STANDING).index(name)


PER_PLAYER = scalar("plays_1") - scalar("plays_0")  # the distance between the same global of two consecutive players
