"""Defines the layout of observations: the name, meaning, kind and range of every plane, global feature and column. The
columns belong to the matrix `candidates`, which has one row for each legal action.

An observation shows a game from the view of one player, who is called the observer. In the names of planes, global
features and columns, player 0 is the observer, player 1 is the next player clockwise, and so on. The names, their order
and the ranges of values are the same for all configurations, with any number of players. If a release changes the
names, the order or the ranges, the release also changes the constant VERSION. If a release changes the candidates or
the actions, it also changes the constant ROWS_VERSION.

The module `encode` writes the planes and global features. The module `candidates` writes the candidates. A box can have
its own module `seen`, which writes the planes, global features and columns that only games with this box need. The
module `actions` defines the action ids.
"""

from collections.abc import Container
from dataclasses import dataclass, replace

from carc_env.boxes.prospect_parts import BOX_OF_PART, MEANINGS, Part
from carc_env.boxes.sheets import GRAPES
from carc_env.boxes.tiles import FIGURES, GOODS, HALVES, SIDES, SPOTS, tile_kinds
from carc_env.rules.state import FIRST_PRINTED, MAX_PLAYERS, MAX_TILES, Phase

# The version of the layout. Version 1 had no entries for the boxes added after Map-Chips. Version 2 had no entries for
# the points of fields. Version 3 had only one table size, and no entries for the supply of ingots and the sold chips.
VERSION = 4
ROWS_VERSION = 3  # the version of candidates and actions; agents that use candidates depend only on this version

# The largest value in a plane; larger values are clipped to it. With a maximum of 255, Stable-Baselines3 would take the
# planes for an image.
MOST = 254
LARGEST = 32767  # no value in a game is larger, because scores are int16
KINDS = ("flag", "category", "count", "share", "signed")


@dataclass(frozen=True)
class Entry:
    """The description of one plane, global feature or column. The values lie between `low` and `high`."""

    meaning: str
    # flag: 0 or 1; category: the id of a category; count: 0 or more; share: 0 to 1; signed: can be negative
    kind: str
    high: int
    low: int = 0
    # names of boxes, figures, tiles and so on (see spaces.things_of); the entry is always 0 in games that use none of
    # them. If the tuple is empty, the entry is used with every combination of boxes
    needs: tuple[str, ...] = ()
    of_player: int = 0  # the player that the entry describes; 0 is the observer

    def is_in(self, things: Container[str]) -> bool:
        """True if the entry can differ from 0 in a game. `things` is the result of `spaces.things_of`: the names of the
        boxes, figures, tiles and so on that the game uses.
        """
        return (not self.needs or any(need in things for need in self.needs)) and f"player {self.of_player}" in things


def flag(meaning: str, *needs: str) -> Entry:
    """Describe a plane, global feature or column whose values are 0 or 1."""
    return Entry(f"1 if {meaning}", "flag", 1, needs=needs)


def category(meaning: str, high: int, *needs: str) -> Entry:
    """Describe a plane, global feature or column that holds category ids, from 0 to `high`. The ids only identify the
    categories, so the order of the ids has no meaning.
    """
    return Entry(meaning, "category", high, needs=needs)


def count(meaning: str, high: int, *needs: str) -> Entry:
    """Describe a plane, global feature or column whose values are counts, from 0 to `high`."""
    return Entry(meaning, "count", high, needs=needs)


def share(meaning: str) -> Entry:
    """Describe a plane, global feature or column whose values are probabilities or fractions, from 0 to 1."""
    return Entry(meaning, "share", 1)


def signed(meaning: str, *needs: str) -> Entry:
    """Describe a plane, global feature or column whose values can be negative."""
    return Entry(meaning, "signed", LARGEST, -LARGEST, needs)


def of_part(part: Part) -> tuple[str, ...]:
    """Return a tuple with the name of the box to which the heuristic estimate `part` belongs. In games without this
    box, the estimate is always 0. If `part` belongs to no box, the tuple is empty.
    """
    return (BOX_OF_PART[part],) if part in BOX_OF_PART else ()


# --- planes -----------------------------------------------------------------------------------------------------------
CONTROL = "0 nobody, 1 the observer alone, 2 the observer and others, 3 only other players"
PAIRS = "1 N-E, 2 N-S, 3 N-W, 4 E-S, 5 E-W, 6 S-W"

PLANES = {
    "tile": category("1 plus the index of the kind of tile on this cell; 0 for an empty cell", FIRST_PRINTED + 16),
    "rotation": category("rotation of the tile in clockwise quarter turns", 3),
    **{
        f"city_{side}": count(
            f"number of tiles plus number of pennants in the city on the {side} edge; 0 if there is no city", MOST
        )
        for side in SIDES
    },
    **{
        f"road_{side}": count(f"number of tiles in the road on the {side} edge; 0 if there is no road", MAX_TILES)
        for side in SIDES
    },
    **{
        f"open_{side}": count(
            f"number of open ends of the road or city on the {side} edge; 0 for a completed road or city", MOST
        )
        for side in SIDES
    },
    **{
        f"control_{side}": category(f"who has the majority in the road or city on the {side} edge: {CONTROL}", 3)
        for side in SIDES
    },
    **{
        f"field_{half}": category(f"who has the majority in the field on half-edge {half}: {CONTROL}", 3)
        for half in HALVES
    },
    "building_control": category(f"who has the majority in the building on the tile: {CONTROL}", 3),
    "building": category(
        "kind of building on the tile: 0 none, 1 a monastery, 2 a garden, 3 an abbey, 4 a shrine, "
        "5 a special monastery, 6 a Darmstadt church, 7 a hut, 8 a German castle, 9 a German cathedral",
        9,
    ),
    "neighbours": count(
        "number of occupied squares around this cell, even if the cell is empty (at most 8, or 10 for a German castle)",
        10,
    ),
    "figure_player": category(
        "player who owns the figures on this cell: 0 none, 1 the observer, 2 the next player clockwise, and so on. "
        "The figures on a German castle tile, which covers two squares, are shown on its first square",
        MAX_PLAYERS,
    ),
    "figure_spot": category(
        "1 plus the index of the spot where the figures on this cell stand; 0 if there is no figure", len(SPOTS)
    ),
    **{
        f"figure_{figure}": count(
            f"number of `{figure}` figures on this cell", 9 if figure == "meeple" else 1, f"figure {figure}"
        )
        for figure in FIGURES
    },
    "ingots": count(
        "number of ingots on the tile. The ingots on a German castle tile, which covers two squares, are shown on its "
        "first square",
        16,
        "goldmines",
    ),
    **{
        f"extras_{side}": category(
            f"special road or city on the {side} edge: 0 none, 1 a road with an inn or a city with a cathedral, "
            "2 a road that leads to a German cathedral, 3 a road that leads to a German cathedral and has an inn",
            3,
            "inns_and_cathedrals",
            "german_cathedrals",
        )
        for side in SIDES
    },
    **{
        f"bonus_{side}": count(
            f"additional points for completing the road or city on the {side} edge: "
            "3 for each German castle tile that the road or city touches, and 3 for a city with the Darmstadtium",
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
    "square": flag("the cell is a square of the map sheet; always 1 in a game without a map sheet"),
    "large": category(
        "large city on this square: 0 none, 1 a large city that no tile touches, 2 a large city that a tile touches",
        2,
        "large cities",
    ),
    **{
        f"border_{side}": category(
            f"what is printed at the border of the map sheet beside the {side} edge: 0 nothing, 1 a road, 2 a city",
            2,
            "borders",
        )
        for side in SIDES
    },
    "coats": count("number of coats of arms printed at the border of the map sheet beside this square", 36, "coats"),
    "town": category(
        "colour of the grapes of the town on this square: 1 purple, 2 light blue, 3 orange; 0 if there is no town",
        3,
        "towns",
    ),
    "chip": flag("a chip lies face down on this square", "map_chips"),
    "rivals": count(
        "number of other players who may take an ingot from this tile; 0 while nobody is taking ingots",
        MAX_PLAYERS - 1,
        "goldmines",
    ),
    "placed": flag("the tile on this cell was placed in this part of the turn"),
    "ferry": category(
        f"pair of edges that the ferry on this lake joins: {PAIRS}; 0 if there is no ferry", 6, "ferries"
    ),
    "castle": category(
        "castle to which the tile on this cell belongs: 0 none, 1 a castle without a lord, 2 a castle with a lord, "
        "3 a new castle with a lord (founded in the current part of the turn)",
        3,
        "castles",
    ),
    "castle_side": category(
        "direction from this tile to the other tile of its castle: 1 N, 2 E, 3 S, 4 W; 0 if there is no castle",
        4,
        "castles",
    ),
    "choice": category(
        "cells that the current decision concerns. In the phase `move_ferry`, a lake with a movable ferry has the "
        "value 1 plus the index of this ferry. In the phase `castle_score`, both tiles of the castle have the value 1. "
        "In the phase `take_ingot`, if players take one ingot for each completed feature (Rio Grande's rule), all "
        "tiles in the area of the current feature have the value 1. All other cells have the value 0",
        8,
        "phase move_ferry",
        "phase castle_score",
        "ingots feature by feature",
    ),
    **{
        f"worth_{half}": count(
            f"points that the field on half-edge {half} would give to an owner without a pig if the game ended now",
            MOST,
        )
        for half in HALVES
    },
}

# --- globals ----------------------------------------------------------------------------------------------------------
LAND_KINDS = tuple(kind.id for kind in tile_kinds())
LAND_KINDS += tuple(f"kind{number}" for number in range(len(LAND_KINDS), FIRST_PRINTED))  # for future tiles
GERMAN_CASTLES = tuple(f"GC{number}" for number in range(1, 7))

OF_A_PLAYER = {  # in these texts, {player} stands for a name such as "player 0"
    "plays": flag("{player} takes part in the game"),
    "score": count("score of {player}", LARGEST),
    "ingots": count("number of ingots in {player}'s hand", 16, "goldmines"),
    **{
        f"supply_{figure}": count(
            f"number of `{figure}` figures in {{player}}'s supply", 9 if figure == "meeple" else 1, f"figure {figure}"
        )
        for figure in FIGURES
    },
    **{
        f"chips_{grape}_{value}": count(
            f"number of `{grape}` chips with value {value} in {{player}}'s hand", 127, "map_chips"
        )
        for grape in GRAPES
        for value in (1, 2)
    },
    **{
        f"goods_{good}": count(f"number of {good} tokens in {{player}}'s hand", MAX_TILES, "traders_and_builders")
        for good in GOODS
    },
    "castle_tokens": count("number of castle tokens in {player}'s supply", 3, "castles"),
    "abbeys": count("number of abbeys in {player}'s hand", 1, "abbeys"),
    **{
        f"holds_{tile}": flag(f"castle tile {tile} is in {{player}}'s hand", "german_castles")
        for tile in GERMAN_CASTLES
    },
}
GLOBALS = {
    **{
        f"phase_{phase.name.lower()}": flag(
            f"the game is in the phase `{phase.name.lower()}`", f"phase {phase.name.lower()}"
        )
        for phase in Phase
    },
    **{f"asked_{player}": flag(f"player {player} has to act", f"player {player}") for player in range(MAX_PLAYERS)},
    **{f"active_{player}": flag(f"it is player {player}'s turn", f"player {player}") for player in range(MAX_PLAYERS)},
    "second_part": flag("this is the second part of a double turn", "traders_and_builders"),
    "extended": flag(
        "this turn will have a second part, which the active player's builder has earned", "traders_and_builders"
    ),
    "sold": flag("wine has been sold in this turn", "map_chips"),
    "offer": flag("no land tile can be placed any more, and the players may place their last abbeys", "abbeys"),
    "players": count("number of players", MAX_PLAYERS),
    "tiles_left": count("number of tiles that have not been drawn yet", MAX_TILES),
    "tiles_placed": count("number of tiles on the table", MAX_TILES + 2 * MAX_PLAYERS),
    **{
        f"{name}_{player}": replace(entry, meaning=entry.meaning.format(player=f"player {player}"), of_player=player)
        for player in range(MAX_PLAYERS)
        for name, entry in OF_A_PLAYER.items()
    },
    **{
        f"face_down_{grape}_{value}": count(
            f"number of `{grape}` chips with value {value} that lie face down", 127, "map_chips"
        )
        for grape in GRAPES
        for value in (1, 2)
    },
    "ingot_supply": count("number of ingots in the supply", 16, "goldmines"),
    **{
        f"sold_{grape}_{value}": count(
            f"number of `{grape}` chips with value {value} that have been sold", 127, "map_chips"
        )
        for grape in GRAPES
        for value in (1, 2)
    },
    **{f"hand_{tile}": flag(f"the tile in hand is of the kind `{tile}`", f"tile {tile}") for tile in LAND_KINDS},
    **{
        f"left_{tile}": count(
            f"number of tiles of the kind `{tile}` that have not been drawn yet", MAX_TILES, f"tile {tile}"
        )
        for tile in LAND_KINDS
    },
}

# --- columns of candidates --------------------------------------------------------------------------------------------
COLUMNS = {
    **{
        f"own_{part.name.lower()}": signed(
            f"change in the {MEANINGS[part]}".format(player="the acting player"), *of_part(part)
        )
        for part in Part
    },
    **{
        f"others_{part.name.lower()}": signed(
            f"change in the {MEANINGS[part]}, averaged over all opponents".format(player="an opponent"), *of_part(part)
        )
        for part in Part
    },
    "own_supply_after": count("number of followers in the acting player's supply after the turn", 11),
    "others_supply_after": count(
        "number of followers in an opponent's supply after the turn, averaged over all opponents", 11
    ),
    "tiles_left": share(
        "number of tiles that have not been drawn yet, divided by the number of tiles in the stack at the start"
    ),
    "margin": signed(
        "the acting player's score minus the best score of the other players, both on the scoring track before the action"
    ),
    "asked_abbey": flag("the decision is where to place the abbey", "abbeys"),
    "asked_german_castle": flag("the decision is where to place a German castle", "german_castles"),
    "asked_tile": flag("the decision is where to place the tile"),
    "asked_sale": flag("the decision is which wine to sell", "map_chips"),
    "asked_ingot": flag("the decision is where to put the second ingot", "goldmines"),
    "asked_figure": flag("the decision is which figure to place"),
    "asked_ferry": flag("the decision is which two roads the ferry on the new lake joins", "ferries"),
    "asked_move": flag("the decision is which ferry to move", "ferries"),
    "asked_castle": flag("the decision is whether to found a castle", "phase found_castle"),
    "asked_score": flag("the decision is which completed feature the lord of a castle scores", "phase castle_score"),
    "asked_take": flag("the decision is which ingot to take", "goldmines"),
    "asked_circle": flag("the decision is whether a crop circle adds or removes followers", "phase crop_choice"),
    "asked_add": flag("the decision is where to add a follower for a crop circle", "phase crop_add"),
    "asked_remove": flag("the decision is which follower to take back for a crop circle", "phase crop_remove"),
    "claims_road": flag("the figure placed in this turn stands on a road"),
    "claims_city": flag("the figure placed in this turn stands in a city"),
    "claims_field": flag("the figure placed in this turn stands on a field"),
    "claims_building": flag("the figure placed in this turn stands on a building"),
    "lies": flag("the figure placed in this turn lies on a special monastery", "special_monasteries"),
    "recalls": flag("the action takes the abbot back", "abbot"),
    "claim_worth": count(
        "points that the feature under the newly placed figure would give if the game ended now", LARGEST
    ),
    "claim_chance": share(
        "chance that the feature under the newly placed figure will be completed; 0 for a field, and for a follower "
        "that lies on a special monastery"
    ),
    "claim_open": count(
        "number of open ends of the feature under the newly placed figure; for a building, number of empty squares "
        "around the building",
        LARGEST,
    ),
    "neighbours": count(
        "number of occupied squares around the tile just placed; for an action that puts or takes an ingot, around the "
        "tile of this ingot",
        10,
    ),
    "ingots_around": count(
        "number of ingots on the tile just placed and around it; for an action that puts or takes an ingot, on the tile "
        "of this ingot and around it",
        16,
    ),
    "gold": flag("the action puts an ingot on a tile", "goldmines"),
    "rivals": count(
        "number of other players who also have a right to the ingot that the action takes", MAX_PLAYERS - 1, "goldmines"
    ),
    "own_ingots": count("number of ingots held by the acting player", 16, "goldmines"),
    "others_ingots": count("average number of ingots held by the other players", 16, "goldmines"),
    "own_margin": signed(
        "change in the points that the acting player would have if the game ended now; the points for ingots and goods "
        "are not counted"
    ),
    "others_margin": signed(
        "change in the points that an opponent would have if the game ended now, averaged over all opponents; the "
        "points for ingots and goods are not counted"
    ),
    "joins": count(
        "how often the tile joins occupied features: joining two features counts as 1, joining three counts as 2",
        LARGEST,
    ),
    "gains": count(
        "number of occupied features that the acting player owns after the action but did not own before it", LARGEST
    ),
    "losses": count(
        "number of features that the acting player loses or must share with an additional owner because of the action",
        LARGEST,
    ),
    "farms": count("number of occupied fields that the tile touches", LARGEST),
    "chip": flag("a chip lies on the square where the action places a tile", "map_chips"),
    "sale": count(
        "points for the best sale of wine after the tile is placed; the expected points if a face-down chip lies on "
        "the square of the tile",
        9,
        "map_chips",
    ),
    "ferry": flag("the action places or moves a ferry", "ferries"),
    "founds": flag("the action founds a castle", "phase found_castle"),
    "lord_points": count(
        "points that the lords of castles score immediately after the action", LARGEST, "phase castle_score"
    ),
    # the columns with heuristic values of the bot `greedy` come last, because observations contain them only on request
    "price": Entry(
        "heuristic value of the action minus the highest heuristic value of all legal actions, both as estimated by the "
        "bot `greedy`",
        "signed",
        0,
        -LARGEST,
    ),
    "rank": share(
        "number of legal actions with a higher heuristic value than this action, divided by the number of all other "
        "legal actions"
    ),
}

# --- standing: an input of a value function in addition to the candidates --------------------------------------------
STANDING = {
    "margin": signed(
        "margin if the game ended now: the observer's score minus the best score of the other players, both after the "
        "final scoring"
    ),
    "tiles_left": share(
        "number of tiles that have not been drawn yet, divided by the number of tiles in the stack at the start"
    ),
    "own_ingots": count("number of ingots held by the observer", 16, "goldmines"),
    "others_ingots": count("average number of ingots held by the other players", 16, "goldmines"),
    **{
        f"own_{part.name.lower()}": signed(MEANINGS[part].format(player="the observer"), *of_part(part))
        for part in Part
    },
    **{
        f"others_{part.name.lower()}": signed(
            f"{MEANINGS[part]}, averaged over all opponents".format(player="an opponent"), *of_part(part)
        )
        for part in Part
    },
}
N_PLANES, N_GLOBALS, N_COLUMNS, N_STANDING = len(PLANES), len(GLOBALS), len(COLUMNS), len(STANDING)
N_SHOWN = N_COLUMNS - len(("price", "rank"))  # the number of columns without `price` and `rank`


# --- indices of entries -----------------------------------------------------------------------------------------------
def plane(name: str) -> int:
    """Return the index of the plane with this name."""
    return list(PLANES).index(name)


def scalar(name: str) -> int:
    """Return the index of the global feature with this name."""
    return list(GLOBALS).index(name)


def column(name: str) -> int:
    """Return the index of the candidate column with this name."""
    return list(COLUMNS).index(name)


def standing(name: str) -> int:
    """Return the index of the entry with this name in the array `table` of an observation. The constant STANDING
    describes the array `table`.
    """
    return list(STANDING).index(name)


# the index of a global feature of player k + 1, minus the index of the same global feature of player k
PER_PLAYER = scalar("plays_1") - scalar("plays_0")
