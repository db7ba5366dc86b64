"""The layout of observations: name, meaning, kind and range of every plane, scalar and column, each once.

All is seen by one player, the observer, own things first: "player 0" of a name is the observer, 1 the next clockwise,
and so on. Names, order and ranges are the same for every configuration and number of players, and stay as they are.
Should one ever have to change, VERSION changes with it, and ROWS_VERSION if it is one of candidates or actions.

The arrays are written by `encode` (planes, globals) and `candidates` (columns), what only one box shows by `seen`;
action ids stand in `actions`.
"""

from collections.abc import Container
from dataclasses import dataclass, replace

from carc_env.boxes.prospect_parts import BOX_OF_PART, MEANINGS, Part
from carc_env.boxes.sheets import GRAPES
from carc_env.boxes.tiles import FIGURES, GOODS, HALVES, SIDES, SPOTS, tile_kinds
from carc_env.rules.state import FIRST_PRINTED, MAX_PLAYERS, MAX_TILES, Phase

# of the layout; 1 had no room for what comes after the systems up to Map-Chips, 2 did not show what fields are worth, 3
# knew one size
VERSION = 4
# of the table, and did not show the supply of ingots and the chips sold
ROWS_VERSION = 3  # of candidates and actions, which is all that the agents of candidates read

# in a plane: what is more is shown as this; not 255, by which Stable-Baselines3 would take planes for a picture
MOST = 254
LARGEST = 32767  # no number of a game is larger: scores are int16
KINDS = ("flag", "category", "count", "share", "signed")


@dataclass(frozen=True)
class Entry:
    """One plane, scalar or column. All that it ever holds lies from `low` to `high`."""

    meaning: str
    # flag: 0 or 1; category: a whole number that names something; count: 0 or more; share: 0 to 1; signed: any number
    kind: str
    high: int
    low: int = 0
    needs: tuple[str, ...] = ()  # things (layouts.things_of): it is always 0 in a game that has none of them
    of_player: int = 0  # the player that it is about, 0 the observer

    def is_in(self, things: Container[str]) -> bool:
        """Whether it can differ from 0 in a game that has these things."""
        return (not self.needs or any(need in things for need in self.needs)) and f"player {self.of_player}" in things


def flag(meaning: str, *needs: str) -> Entry:
    """An entry that is 0 or 1."""
    return Entry(f"1: {meaning}", "flag", 1, needs=needs)


def category(meaning: str, high: int, *needs: str) -> Entry:
    """An entry whose numbers name things; they say nothing about more or less."""
    return Entry(meaning, "category", high, needs=needs)


def count(meaning: str, high: int, *needs: str) -> Entry:
    """An entry that says how many or how much."""
    return Entry(meaning, "count", high, needs=needs)


def share(meaning: str) -> Entry:
    """An entry that is a chance or a part of a whole."""
    return Entry(meaning, "share", 1)


def signed(meaning: str, *needs: str) -> Entry:
    """An entry that may be less than 0."""
    return Entry(meaning, "signed", LARGEST, -LARGEST, needs)


def of_part(part: Part) -> tuple[str, ...]:
    """What an entry about a part of the prospects needs."""
    return (BOX_OF_PART[part],) if part in BOX_OF_PART else ()


# --- planes -----------------------------------------------------------------------------------------------------------
CONTROL = "who leads there in followers: 0 nobody, 1 the observer alone, 2 the observer with others, 3 others"
PAIRS = "1 N-E, 2 N-S, 3 N-W, 4 E-S, 5 E-W, 6 S-W"

PLANES = {
    "tile": category("number of the tile kind plus 1; 0: empty", FIRST_PRINTED + 16),
    "rotation": category("its quarter turns clockwise", 3),
    **{f"city_{side}": count(f"tiles and pennants of the city on the {side} edge; 0: no city", MOST) for side in SIDES},
    **{f"road_{side}": count(f"tiles of the road on the {side} edge; 0: no road", MAX_TILES) for side in SIDES},
    **{
        f"open_{side}": count(f"open ends of the road or city on the {side} edge; 0: completed", MOST) for side in SIDES
    },
    **{f"control_{side}": category(f"road or city on the {side} edge: {CONTROL}", 3) for side in SIDES},
    **{f"field_{half}": category(f"field on half-edge {half}: {CONTROL}", 3) for half in HALVES},
    "building_control": category(f"building: {CONTROL}", 3),
    "building": category(
        "1 a monastery, 2 a garden, 3 an abbey, 4 a shrine, 5 a special monastery, 6 a Darmstadt church, 7 a hut, "
        "8 a German castle, 9 a German cathedral",
        9,
    ),
    "neighbours": count(
        "occupied squares among the eight around, also of empty cells; of a German castle among the ten", 10
    ),
    "figure_player": category(
        "whose figures stand here: 1 the observer's, 2 those of the next player, ...; 0 none", MAX_PLAYERS
    ),
    "figure_spot": category("the spot where they stand plus 1", len(SPOTS)),
    **{
        f"figure_{figure}": count(
            f"how many of them are of the kind {figure}", 9 if figure == "meeple" else 1, f"figure {figure}"
        )
        for figure in FIGURES
    },
    "ingots": count("ingots on the tile", 16, "goldmines"),
    **{
        f"extras_{side}": category(
            f"the road on the {side} edge has an inn, or the city a cathedral: 1; "
            "the road leads to a German cathedral: 2; both: 3",
            3,
            "inns_and_cathedrals",
            "german_cathedrals",
        )
        for side in SIDES
    },
    **{
        f"bonus_{side}": count(
            f"points more for the road or city on the {side} edge when it is completed: "
            "3 for each German castle tile, 3 for the Darmstadtium",
            MOST,
            "german_castles",
            "darmstadt",
        )
        for side in SIDES
    },
    **{
        f"goods_{side}": count(f"goods in the unfinished city on the {side} edge", MAX_TILES, "traders_and_builders")
        for side in SIDES
    },
    "square": flag("a square of the sheet, or any cell of a free table"),
    "large": category("square of a large city: 1 not connected yet, 2 connected", 2, "large cities"),
    **{
        f"border_{side}": category(f"printed at the border on the {side} edge: 1 a road, 2 a city", 2, "borders")
        for side in SIDES
    },
    "coats": count("coats of arms at the border", 36, "coats"),
    "town": category("grape of a town plus 1: purple, light blue, orange", 3, "towns"),
    "chip": flag("a chip lies here, face down", "map_chips"),
    "rivals": count(
        "while ingots are taken: other players who may still take one from here", MAX_PLAYERS - 1, "goldmines"
    ),
    "placed": flag("the tile placed in this turn"),
    "ferry": category(f"the edges of a lake that its ferry joins: {PAIRS}", 6, "ferries"),
    "castle": category(
        "half of a castle: 1 without a lord, 2 with one, 3 with one and founded in this part of the turn", 3, "castles"
    ),
    "castle_side": category("the edge that leads to its other half plus 1: N, E, S, W", 4, "castles"),
    "choice": category(
        "what the answers are about: while ferries are moved the number of the ferry here plus 1, "
        "while a castle scores 1 on both its tiles, while ingots are taken feature by feature 1 on the tiles of the "
        "one that is served",
        8,
        "phase move_ferry",
        "phase castle_score",
        "ingots feature by feature",
    ),
    **{
        f"worth_{half}": count(f"points of the field on half-edge {half} as it stands, whoever has it", MOST)
        for half in HALVES
    },
}

# --- globals ----------------------------------------------------------------------------------------------------------
LAND_KINDS = tuple(kind.id for kind in tile_kinds())
LAND_KINDS += tuple(f"kind{number}" for number in range(len(LAND_KINDS), FIRST_PRINTED))  # free
GERMAN_CASTLES = tuple(f"GC{number}" for number in range(1, 7))

OF_A_PLAYER = {
    "plays": flag("there is a seat"),
    "score": count("points on the track", LARGEST),
    "ingots": count("ingots in hand", 16, "goldmines"),
    **{
        f"supply_{figure}": count(f"figures {figure} in the supply", 9 if figure == "meeple" else 1, f"figure {figure}")
        for figure in FIGURES
    },
    **{
        f"chips_{grape}_{value}": count(f"chips {grape} of value {value} in hand", 127, "map_chips")
        for grape in GRAPES
        for value in (1, 2)
    },
    **{f"goods_{good}": count(f"tokens {good}", MAX_TILES, "traders_and_builders") for good in GOODS},
    "castle_tokens": count("castle tokens in hand", 3, "castles"),
    "abbeys": count("abbeys in hand", 1, "abbeys"),
    **{f"holds_{tile}": flag(f"castle tile {tile} in hand", "german_castles") for tile in GERMAN_CASTLES},
}
GLOBALS = {
    **{
        f"phase_{phase.name.lower()}": flag(
            f"the question asked is {phase.name.lower()}", f"phase {phase.name.lower()}"
        )
        for phase in Phase
    },
    **{f"asked_{player}": flag(f"player {player} is asked", f"player {player}") for player in range(MAX_PLAYERS)},
    **{
        f"active_{player}": flag(f"it is the turn of player {player}", f"player {player}")
        for player in range(MAX_PLAYERS)
    },
    "second_part": flag("the second part of a double turn is played", "traders_and_builders"),
    "extended": flag("the builder's double turn goes on after this part", "traders_and_builders"),
    "sold": flag("wine was sold in this turn", "map_chips"),
    "offer": flag("no land tile is left, and the last abbeys are offered", "abbeys"),
    "players": count("how many play", MAX_PLAYERS),
    "tiles_left": count("tiles not drawn yet", MAX_TILES),
    "tiles_placed": count("tiles on the table", MAX_TILES + 2 * MAX_PLAYERS),
    **{
        f"{name}_{player}": replace(entry, meaning=f"{entry.meaning}, of player {player}", of_player=player)
        for player in range(MAX_PLAYERS)
        for name, entry in OF_A_PLAYER.items()
    },
    **{
        f"face_down_{grape}_{value}": count(f"chips {grape} of value {value} still face down", 127, "map_chips")
        for grape in GRAPES
        for value in (1, 2)
    },
    "ingot_supply": count("ingots in the supply", 16, "goldmines"),
    **{
        f"sold_{grape}_{value}": count(f"chips {grape} of value {value} sold", 127, "map_chips")
        for grape in GRAPES
        for value in (1, 2)
    },
    **{f"hand_{tile}": flag(f"tile {tile} is in hand", f"tile {tile}") for tile in LAND_KINDS},
    **{f"left_{tile}": count(f"tiles {tile} not drawn yet", MAX_TILES, f"tile {tile}") for tile in LAND_KINDS},
}

# --- columns of candidates --------------------------------------------------------------------------------------------
COLUMNS = {
    **{f"own_{part.name.lower()}": signed(f"change of: {MEANINGS[part]}", *of_part(part)) for part in Part},
    **{f"others_{part.name.lower()}": signed("the same, mean of the other players", *of_part(part)) for part in Part},
    "own_supply_after": count("followers in supply after the turn", 11),
    "others_supply_after": count("the same, mean of the other players", 11),
    "tiles_left": share("share of the deck that is not drawn yet"),
    "margin": signed("points on the track, own less best other"),
    "asked_abbey": flag("the question is where the own abbey goes", "abbeys"),
    "asked_german_castle": flag("where an own German castle goes", "german_castles"),
    "asked_tile": flag("where the tile goes"),
    "asked_sale": flag("which wine is sold", "map_chips"),
    "asked_ingot": flag("where the second ingot goes", "goldmines"),
    "asked_figure": flag("which figure is placed"),
    "asked_ferry": flag("where the ferry of a new lake goes", "ferries"),
    "asked_move": flag("which ferry is moved", "ferries"),
    "asked_castle": flag("whether a castle is founded", "phase found_castle"),
    "asked_score": flag("which feature a castle scores", "phase castle_score"),
    "asked_take": flag("which ingot is taken", "goldmines"),
    "asked_circle": flag("what a crop circle does", "phase crop_choice"),
    "asked_add": flag("where a crop circle adds a follower", "phase crop_add"),
    "asked_remove": flag("which follower a crop circle takes back", "phase crop_remove"),
    "claims_road": flag("the figure of this turn stands on a road"),
    "claims_city": flag("in a city"),
    "claims_field": flag("on a field"),
    "claims_building": flag("on a building"),
    "lies": flag("it lies there until the end", "special_monasteries"),
    "recalls": flag("the abbot is taken back", "abbot"),
    "claim_worth": count("points of the claimed feature as it stands", LARGEST),
    "claim_chance": share("chance that it will be completed, 0 for a field"),
    "claim_open": count("its open ends", LARGEST),
    "neighbours": count("occupied squares around the tile placed or chosen", 10),
    "ingots_around": count("ingots on that tile and the eight around", 16),
    "gold": flag("the answer puts an ingot", "goldmines"),
    "rivals": count("other players who may also take the ingot", MAX_PLAYERS - 1, "goldmines"),
    "own_ingots": count("ingots in hand", 16, "goldmines"),
    "others_ingots": count("the same, mean of the other players", 16, "goldmines"),
    "own_margin": signed("change of the own points if the game were scored now, ingots and goods aside"),
    "others_margin": signed("the same, mean of the other players"),
    "joins": count("features with figures that the tile joins to another one with figures", LARGEST),
    "gains": count("features of others that become the own ones, alone or with them", LARGEST),
    "losses": count("own features that become others', alone or with the own player", LARGEST),
    "farms": count("fields with figures that the tile touches", LARGEST),
    "chip": flag("a chip lies on the square", "map_chips"),
    "sale": count(
        "points of the best sale that the tile allows; if a chip lies there, what is to be expected", 9, "map_chips"
    ),
    "ferry": flag("the answer puts or moves a ferry", "ferries"),
    "founds": flag("the answer founds a castle", "phase found_castle"),
    "lord_points": count("points that the answer brings to lords at once", LARGEST, "phase castle_score"),
    # what the bot `greedy` thinks of the answer stands last, as observations show it only where it is asked for
    "price": Entry(
        "what `greedy` thinks of the answer, less what it thinks of the best one; at most 0", "signed", 0, -LARGEST
    ),
    "rank": share("share of the other answers with a better price"),
}

# --- the table: what a value function over candidates gets besides them -----------------------------------------------
STANDING = {
    "margin": signed("own score less the best other's, as if the game were scored now"),
    "tiles_left": share("share of the deck that is not drawn yet"),
    "own_ingots": count("ingots in hand", 16, "goldmines"),
    "others_ingots": count("the same, mean of the other players", 16, "goldmines"),
    **{f"own_{part.name.lower()}": signed(MEANINGS[part], *of_part(part)) for part in Part},
    **{f"others_{part.name.lower()}": signed("the same, mean of the other players", *of_part(part)) for part in Part},
}
N_PLANES, N_GLOBALS, N_COLUMNS, N_STANDING = len(PLANES), len(GLOBALS), len(COLUMNS), len(STANDING)
N_SHOWN = N_COLUMNS - len(("price", "rank"))  # columns that are shown unless the price is asked for


# --- places -----------------------------------------------------------------------------------------------------------
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
    """The number of an entry of the table."""
    return list(STANDING).index(name)


PER_PLAYER = scalar("plays_1") - scalar("plays_0")  # how far a player's globals lie behind those of the one before
