"""What one player sees, as arrays: planes, globals, action mask and candidates. Names, meanings and ranges stand in layout.py.

All is seen by one player, own things first. The deck order is not looked at. Shapes are the same for every configuration and number
of players.

| array | dtype, shape |
|---|---|
| `planes` | uint8 (N_PLANES, SIZE, SIZE): plane, row (y), column (x) of the torus, see rules/state.py |
| `globals` | float32 (N_GLOBALS,) |
| `action_mask` | int8 (N_ACTIONS,): 1 for a legal answer of the observer, all 0 when another player is asked |
| `candidates`, `candidate_actions` | float32 (K, N_COLUMNS), int32 (K,): see candidates.py; K is MAX_CANDIDATES unless told otherwise |
| `table` | float32 (N_TABLE,): see survey.py |

A `Sight` says which of them there are; where actions are rows of the candidates, `action_mask` is int8 (K,).
"""

import functools
import hashlib
import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy import int64

from carc_env.actions import TABLE
from carc_env.boxes import FIGURES, GOODS, tile_kinds, tile_table
from carc_env.candidates import MAX_CANDIDATES, candidates
from carc_env.jit import jit
from carc_env.layout import COLUMNS, GLOBALS, MOST, N_COLUMNS, N_GLOBALS, N_PLANES, N_TABLE, PLANES, TABLE as STANDING, VERSION, Entry
from carc_env.prospects import default_prices
from carc_env.rules.answers import N_ACTIONS, ROOM
from carc_env.rules.double_tiles import other_square
from carc_env.rules.expansions import abbeys, castles, ferries, german_castles, goldmines, map_chips
from carc_env.rules.features import is_built, lies
from carc_env.rules.scoring import bonus, score_now
from carc_env.rules.state import (
    FIRST_SLOT,
    GAME,
    IN_SUPPLY,
    MAX_PLAYERS,
    MOST_IN_HAND,
    N_CELLS,
    N_COLOURS,
    N_FIGURES,
    N_GERMAN_CASTLES,
    N_GOODS,
    N_SLOTS,
    NONE,
    QUESTION,
    SIZE,
    SLOT_FIGURE,
    Kind,
    Phase,
    Spot,
    Terrain,
    record,
)
from carc_env.rules.turn import legal_answers
from carc_env.sheets import GRAPES
from carc_env.survey import survey

# First index of each group of planes and globals.
_plane, _global = list(PLANES).index, list(GLOBALS).index
TILE, ROTATION, CITY, ROAD = _plane("tile"), _plane("rotation"), _plane("city_N"), _plane("road_N")
OPEN, CONTROLS, FIELD = _plane("open_N"), _plane("control_N"), _plane("field_Nw")
BUILDING, BUILDING_CONTROL, NEIGHBOURS = _plane("building"), _plane("building_control"), _plane("neighbours")
FIGURE_PLAYER, FIGURE_SPOT, FIGURE = _plane("figure_player"), _plane("figure_spot"), _plane("figure_meeple")
EXTRAS, BONUS, GOODS_PLANE, SQUARE = _plane("extras_N"), _plane("bonus_N"), _plane("goods_N"), _plane("square")
LARGE, BORDER, COATS, TOWN, CHIP = _plane("large"), _plane("border_N"), _plane("coats"), _plane("town"), _plane("chip")
INGOTS, RIVALS, PLACED = _plane("ingots"), _plane("rivals"), _plane("placed")
FERRY, CASTLE, CASTLE_SIDE, CHOICE = _plane("ferry"), _plane("castle"), _plane("castle_side"), _plane("choice")
PHASE, ASKED, ACTIVE = _global("phase_place_abbey"), _global("asked_0"), _global("active_0")
SECOND_PART, EXTENDED, SOLD, OFFER = _global("second_part"), _global("extended"), _global("sold"), _global("offer")
PLAYERS, TILES_LEFT, TILES_PLACED = _global("players"), _global("tiles_left"), _global("tiles_placed")
PLAYS, SCORE, INGOTS_HELD = _global("plays_0"), _global("score_0"), _global("ingots_0")  # of the observer; the next player's are
SUPPLY, CHIPS_HELD, GOODS_HELD = (_global(f"{what}_0") for what in (f"supply_{FIGURES[0]}", f"chips_{GRAPES[0]}_1", f"goods_{GOODS[0]}"))
CASTLE_TOKENS, ABBEYS_HELD, CASTLES_HELD = _global("castle_tokens_0"), _global("abbeys_0"), _global("holds_GC1_0")
PER_PLAYER = _global("plays_1") - PLAYS  # further on
FACE_DOWN = _global(f"face_down_{GRAPES[0]}_1")
HAND, LEFT = _global(f"hand_{tile_kinds()[0].id}"), _global(f"left_{tile_kinds()[0].id}")


# The arrays of one game are records, so that passing them on costs nothing.
PICTURE = record(
    ("planes", "u1", (N_PLANES, N_CELLS)),
)
NUMBERS = record(
    ("globals", "f4", (N_GLOBALS,)),
)
MASK = record(
    ("legal", "i1", (N_ACTIONS,)),
)


@jit
def control(game, feature, observer):
    """Who leads in a feature, as the planes say it."""
    own, best = int(game.features[feature].strength[observer]), 0
    for player in range(int64(game.n_players)):
        if player != observer:
            best = max(best, int(game.features[feature].strength[player]))
    if own > best:
        return 1
    if best > own:
        return 3
    return 2 if own > 0 else 0


@jit
def write_planes(game, tiles, observer, picture):
    """Write the planes of one game, picture.planes[N_PLANES, N_CELLS]."""
    picture.planes[:] = 0
    picture.planes[NEIGHBOURS] = game.board["neighbours"]
    picture.planes[SQUARE] = game.board["is_square"]
    if game.systems.maps.on_sheet:
        write_sheet(game, picture)
    node = int64(0)
    while node < game.n_segments:
        cell = int64(game.segments[node].cell)
        write_tile(game, tiles, observer, cell, picture)
        node += tiles.kinds[game.board[cell].tile].n_segments
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            node = int64(game.players[player].figures[slot])
            if node >= 0:
                write_figure(game, tiles, (player - observer) % game.n_players, SLOT_FIGURE[slot], node, picture)
    if game.placed != NONE:
        write_placed(game, int64(game.placed), 1, picture)
    if game.phase == Phase.TAKE_INGOT:
        write_rivals(game, observer, picture)
    if game.boxes.ferries:
        write_ferries(game, tiles, picture)
    if game.boxes.castles:
        write_castles(game, picture)
    if game.boxes.ferries or game.boxes.castles:
        write_choice(game, picture)


@jit
def write_placed(game, cell, value, picture):
    """Write that the tile on a cell is the one placed in this turn (1), or no more (0)."""
    picture.planes[PLACED, cell] = value
    if other_square(game, cell) != NONE:
        picture.planes[PLACED, other_square(game, cell)] = value


@jit
def write_sheet(game, picture):
    """Write what is printed on the sheet, and the chips."""
    for cell in range(N_CELLS):
        square = game.board[cell]
        if square.large:
            picture.planes[LARGE, cell] = 1 + game.systems.maps.connected[square.large]
        picture.planes[TOWN, cell] = square.grape + 1
        picture.planes[CHIP, cell] = map_chips.lies_face_down(square)
        for side in range(4):
            if square.coats[side]:
                picture.planes[COATS, cell] += square.coats[side]
            if square.printed >> 2 * side & 3 == Terrain.ROAD:
                picture.planes[BORDER + side, cell] = 1
            elif square.printed >> 2 * side & 3 == Terrain.CITY:
                picture.planes[BORDER + side, cell] = 2


@jit
def write_tile(game, tiles, observer, cell, picture):
    """Write one tile and what its segments belong to, on a cell that shows nothing yet."""
    square = game.board[cell]
    tile = tiles.kinds[square.tile]
    write_square(game, cell, picture)
    if other_square(game, cell) != NONE:
        write_square(game, other_square(game, cell), picture)
    for number in range(tile.n_segments):
        node = int64(square.first_segment) + number
        if is_built(tile.kind[number]):
            picture.planes[BUILDING, cell] = 1 + tile.kind[number] - Kind.MONASTERY
            if tile.kind[number] == Kind.GERMAN_CASTLE:
                picture.planes[BUILDING, other_square(game, cell)] = picture.planes[BUILDING, cell]
        else:
            write_numbers(game, tiles, node, picture)
        value = control(game, int64(game.segments[node].feature), observer)
        if value:
            write_control(game, tiles, node, value, picture)


@jit
def write_square(game, cell, picture):
    """Write what lies on a square."""
    square = game.board[cell]
    picture.planes[TILE, cell] = square.tile + 1
    picture.planes[ROTATION, cell] = square.rotation
    picture.planes[INGOTS, cell] = square.ingots


@jit
def write_numbers(game, tiles, node, picture):
    """Write how large the road or city of a segment is, and how open, at the edges of this segment."""
    cell = int64(game.segments[node].cell)
    write_numbers_on(game, tiles, node, cell, picture)
    if other_square(game, cell) != NONE:
        write_numbers_on(game, tiles, node, other_square(game, cell), picture)


@jit
def write_numbers_on(game, tiles, node, cell, picture):
    """The same on one square of its tile."""
    square, what = game.board[cell], game.features[game.segments[node].feature]
    number, group = node - square.first_segment, ROAD if what.kind == Kind.ROAD else CITY
    for side in range(4):
        if tiles.kinds[square.tile].side_segment[square.rotation, side] == number:
            picture.planes[group + side, cell] = min(MOST, int(what.tiles) + int(what.pennants))
            if what.extras or what.cathedral_ends or game.boxes.ferries:  # without ferries they never become fewer
                picture.planes[EXTRAS + side, cell] = (what.extras > 0) + 2 * (what.cathedral_ends > 0)
            if game.boxes.german_castles or game.boxes.darmstadt:
                picture.planes[BONUS + side, cell] = min(MOST, bonus(game, int64(game.segments[node].feature)))
            if game.boxes.traders_and_builders:
                picture.planes[GOODS_PLANE + side, cell] = int(what.goods[0]) + int(what.goods[1]) + int(what.goods[2])
            picture.planes[OPEN + side, cell] = min(MOST, int(what.open))


@jit
def write_control(game, tiles, node, value, picture):
    """Write who leads in the feature of a segment, at the edges or half-edges of this segment."""
    cell = int64(game.segments[node].cell)
    write_control_on(game, tiles, node, value, cell, picture)
    if other_square(game, cell) != NONE:
        write_control_on(game, tiles, node, value, other_square(game, cell), picture)


@jit
def write_control_on(game, tiles, node, value, cell, picture):
    """The same on one square of its tile."""
    square = game.board[cell]
    tile, number = tiles.kinds[square.tile], node - square.first_segment
    if tile.kind[number] == Kind.FIELD:
        for half in range(8):
            if tile.half_segment[square.rotation, half] == number:
                picture.planes[FIELD + half, cell] = value
    elif is_built(tile.kind[number]):
        picture.planes[BUILDING_CONTROL, cell] = value
    else:
        for side in range(4):
            if tile.side_segment[square.rotation, side] == number:
                picture.planes[CONTROLS + side, cell] = value


@jit
def write_figure(game, tiles, player, figure, node, picture):
    """Write one figure of a player, counted from the observer."""
    cell = int64(game.segments[node].cell)
    square = game.board[cell]
    picture.planes[FIGURE_PLAYER, cell] = player + 1
    picture.planes[FIGURE_SPOT, cell] = tiles.kinds[square.tile].spot[square.rotation, node - square.first_segment] + 1
    if lies(game, int64(game.segments[node].feature)):
        picture.planes[FIGURE_SPOT, cell] = int64(Spot.LYING) + 1
    picture.planes[FIGURE + figure, cell] += 1


@jit
def write_rivals(game, observer, picture):
    """Write how many other players may take an ingot from each cell."""
    picture.planes[RIVALS] = 0
    for cell in range(N_CELLS):
        if game.board[cell].ingots > 0:
            for player in range(int64(game.n_players)):
                if player != observer and goldmines.has_right(game, player, cell):
                    picture.planes[RIVALS, cell] += 1


@jit
def write_ferries(game, tiles, picture):
    """Write which edges of its lake each ferry joins."""
    for ferry in range(int64(game.systems.ferries.n_lying)):
        picture.planes[FERRY, ferries.cell_of_ferry(game, ferry)] = 1 + ferries.pair_of(game, tiles, ferry)


@jit
def write_castles(game, picture):
    """Write the halves of the castles; where a tile has several, one with a lord is shown, and of them the youngest."""
    for lords in (False, True):
        for k in range(game.systems.castles.n_built):
            castle = game.systems.castles.built[k]
            if castles.has_lord(game, castle) == lords:
                half, other = game.segments[castle.node].cell, game.segments[game.segments[castle.node].next].cell
                picture.planes[CASTLE, half] = picture.planes[CASTLE, other] = 1 + lords + castle.founded
                picture.planes[CASTLE_SIDE, half] = castle.side + 1
                picture.planes[CASTLE_SIDE, other] = (castle.side + 2) % 4 + 1


@jit
def write_choice(game, picture):
    """Write what the answers are about: the number of each ferry that can be moved, or the castle that scores."""
    picture.planes[CHOICE] = 0
    if game.phase == Phase.MOVE_FERRY:
        for ferry in range(int64(game.systems.ferries.n_lying)):
            if ferries.is_movable(game, ferry):
                picture.planes[CHOICE, ferries.cell_of_ferry(game, ferry)] = 1 + ferries.number_of(game, ferry)
    elif game.phase == Phase.CASTLE_SCORE:
        node = game.systems.castles.built[game.systems.castles.scoring].node
        picture.planes[CHOICE, game.segments[node].cell] = picture.planes[CHOICE, game.segments[game.segments[node].next].cell] = 1


@jit
def write_globals(game, observer, numbers):
    """Write the globals of one game, numbers.globals[N_GLOBALS]."""
    numbers.globals[PLAYS:FACE_DOWN] = 0.0
    write_situation(game, observer, numbers)
    write_face_down(game, numbers)
    write_stack(game, numbers)


@jit
def write_situation(game, observer, numbers):
    """Write the question, the turn and the players; what stands there of those who do not play is 0 already."""
    numbers.globals[:PLAYS] = 0.0
    numbers.globals[PHASE + QUESTION[game.phase]] = 1.0
    if game.player != NONE:
        numbers.globals[ASKED + int64((game.player - observer) % game.n_players)] = 1.0
        numbers.globals[ACTIVE + int64((game.active - observer) % game.n_players)] = 1.0
    numbers.globals[SECOND_PART] = game.systems.traders_and_builders.second_part
    numbers.globals[EXTENDED] = game.systems.traders_and_builders.extended
    numbers.globals[SOLD] = game.systems.map_chips.sold
    numbers.globals[OFFER] = abbeys.is_offered(game)
    numbers.globals[PLAYERS] = game.n_players
    numbers.globals[TILES_LEFT] = game.n_deck - game.n_drawn
    numbers.globals[TILES_PLACED] = game.n_tiles
    for player in range(int64(game.n_players)):
        write_player(game, player, PER_PLAYER * int64((player - observer) % game.n_players), numbers)


@jit
def write_player(game, player, at, numbers):
    """Write what is known of one player; `at` is how far behind the observer's his place is."""
    what = game.players[player]
    numbers.globals[PLAYS + at] = 1.0
    numbers.globals[SCORE + at] = what.score
    numbers.globals[INGOTS_HELD + at] = what.ingots
    for figure in range(N_FIGURES):
        supply = 0
        for slot in range(FIRST_SLOT[figure], FIRST_SLOT[figure + 1]):
            supply += what.figures[slot] == IN_SUPPLY
        numbers.globals[SUPPLY + at + figure] = supply
    if game.boxes.map_chips:
        for colour in range(N_COLOURS):
            for value in range(2):
                numbers.globals[CHIPS_HELD + at + 2 * colour + value] = what.chips[colour, value]
    if game.boxes.traders_and_builders:
        for good in range(N_GOODS):
            numbers.globals[GOODS_HELD + at + good] = what.goods[good]
    numbers.globals[CASTLE_TOKENS + at] = game.systems.castles.tokens[player]
    numbers.globals[ABBEYS_HELD + at] = game.systems.abbeys.held[player]
    if game.boxes.german_castles:
        write_castles_held(game, player, at, numbers)


@jit
def write_castles_held(game, player, at, numbers):
    """Write which castle tiles a player holds."""
    for castle in range(N_GERMAN_CASTLES):
        numbers.globals[CASTLES_HELD + at + castle] = 0.0
    for k in range(MOST_IN_HAND):
        castle = german_castles.in_hand(game, player, k)
        if castle != NONE:
            numbers.globals[CASTLES_HELD + at + castle] = 1.0


@jit
def write_face_down(game, numbers):
    """Write how many chips lie face down, by what they show."""
    numbers.globals[FACE_DOWN:HAND] = 0.0
    if game.boxes.map_chips:
        for cell in range(N_CELLS):
            if map_chips.lies_face_down(game.board[cell]):
                numbers.globals[FACE_DOWN + int64(game.board[cell].chip)] += 1.0


@jit
def write_stack(game, numbers):
    """Write the tile in hand and the tiles not drawn yet."""
    numbers.globals[HAND:] = 0.0
    if game.tile != NONE:
        numbers.globals[HAND + game.tile] = 1.0
    for i in range(game.n_drawn, game.n_deck):
        numbers.globals[LEFT + game.deck[i]] += 1.0


@jit
def write_mask(game, tiles, observer, room, mask):
    """Write 1 for every legal answer of the observer, mask.legal[N_ACTIONS]."""
    mask.legal[:] = 0
    if game.player == observer:
        for k in range(legal_answers(game, tiles, room)):
            mask.legal[room.answers[k]] = 1


@jit
def observe(games, tiles, observers, pictures, numbers, masks):
    """Write what one player sees of each game: pictures[n], or none of them, numbers[n] and masks[n]."""
    rooms = np.empty(1, ROOM)
    for i in range(len(games)):
        if len(pictures):
            write_planes(games[i], tiles[0], int64(observers[i]), pictures[i])
        write_globals(games[i], int64(observers[i]), numbers[i])
        write_mask(games[i], tiles[0], observers[i], rooms[0], masks[i])


@jit
def provisional_scores(games, tiles, out):
    """Write the score of every player, out[n, MAX_PLAYERS], as if each game were scored now."""
    trial = np.zeros(1, GAME)
    for i in range(len(games)):
        trial[0] = games[i]
        score_now(trial[0], tiles[0])
        for player in range(MAX_PLAYERS):
            out[i, player] = trial[0].players[player].score


class Sight(NamedTuple):
    """Which arrays an observation has."""

    observation: str = "planes"  # "planes", "candidates" or "both"
    rows: int = MAX_CANDIDATES  # K, how many candidates are listed at most: those with the best prices
    by_row: bool = False  # actions are rows of the candidates, and so is the mask
    table: bool = False  # how the game stands, in few numbers (carc_env.survey)


def look(records: np.ndarray, observers: np.ndarray, observation: str | Sight = "planes",
         out: dict[str, np.ndarray] | None = None) -> dict[str, np.ndarray]:
    """What one player sees of each game: the arrays of `spaces`, each with a first axis of length n.

    Args:
        records: array [n] of GAME records.
        observers: the player who looks at each game, int[n].
        observation: "planes", "candidates" or "both", or a Sight. Candidates are those of the player asked, whoever looks on;
            there are none for another observer.
        out: arrays to write to, as an earlier call or `empty` returned them.
    """
    n = len(records)
    if out is None:
        out = empty(n, observation, np.empty)
    observers, every = np.asarray(observers, np.int64), np.arange(n)
    pictures, numbers, masks = as_records(out)
    by_row = not len(masks)
    observe(records, tile_table(), observers, pictures, numbers, np.zeros(n, MASK) if by_row else masks)
    if "candidates" in out:
        candidates(records, every, tile_table(), default_prices(), out["candidates"], out["candidate_actions"])
        others = records["player"] != observers
        if others.any():
            out["candidates"][others] = 0
            out["candidate_actions"][others] = NONE
    if by_row:
        out["action_mask"][:] = out["candidate_actions"] != NONE
    if "table" in out:
        survey(records, every, tile_table(), default_prices(), observers, out["table"])
    return out


def empty(n: int, observation: str | Sight = "planes", make: Callable[..., np.ndarray] = np.zeros) -> dict[str, np.ndarray]:
    """Arrays for n observations, in which nothing stands yet, made by `make`; np.empty will do where all of them are written next."""
    out = {name: make((n, *shape), dtype) for name, (shape, dtype, _, _) in spaces(observation).items()}
    if "candidates" in out:
        out["candidates"][:] = 0
        out["candidate_actions"][:] = NONE
    return out


def as_records(observation: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arrays of n observations as PICTURE[n], NUMBERS[n] and MASK[n]: the same memory. Empty: no planes, or actions are rows."""
    found = {"planes": PICTURE, "globals": NUMBERS, "action_mask": MASK}
    there = {name for name in found if name in observation and (name != "action_mask" or observation[name].shape[1] == N_ACTIONS)}
    return tuple(observation[name].reshape(len(observation[name]), -1).view(dtype)[:, 0] if name in there
                 else np.empty(0, dtype) for name, dtype in found.items())


def spaces(observation: str | Sight = "planes") -> dict[str, tuple[tuple[int, ...], type, np.ndarray | int, np.ndarray | int]]:
    """Shape, dtype and bounds (numbers, or arrays that broadcast) of each array of an observation."""
    sight = observation if isinstance(observation, Sight) else Sight(observation)
    if not isinstance(sight.observation, str) or sight.observation not in ("planes", "candidates", "both"):
        raise ValueError(f"observation = {sight.observation!r}: should be 'planes', 'candidates' or 'both'")
    return _spaces(sight)


@functools.cache
def _spaces(sight: Sight) -> dict[str, tuple]:
    n_actions = sight.rows if sight.by_row else N_ACTIONS
    found = {"globals": ((N_GLOBALS,), np.float32, *bounds(GLOBALS)), "action_mask": ((n_actions,), np.int8, 0, 1)}
    if sight.observation != "candidates":
        low, high = bounds(PLANES, 1, 1)
        found["planes"] = ((N_PLANES, SIZE, SIZE), np.uint8, low, high)
    if sight.observation != "planes":
        found["candidates"] = ((sight.rows, N_COLUMNS), np.float32, *bounds(COLUMNS))
        found["candidate_actions"] = ((sight.rows,), np.int32, NONE, N_ACTIONS - 1)
    if sight.table:
        found["table"] = ((N_TABLE,), np.float32, *bounds(STANDING))
    return found


def bounds(entries: dict[str, Entry], *axes: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest number that each entry holds, int64[n] with some more axes of length 1."""
    ends = np.array([(entry.low, entry.high) for entry in entries.values()], np.int64)
    ends.flags.writeable = False
    return ends[:, 0].reshape(-1, *axes), ends[:, 1].reshape(-1, *axes)


def outline(entries: dict[str, Entry]) -> list[tuple]:
    """What a network that was trained on some entries relies on."""
    return [(name, entry.kind, entry.low, entry.high) for name, entry in entries.items()]


def layout_hash(observation: str = "both") -> str:
    """Changes when the meaning of an action id, plane, global or candidate column does; checkpoints carry it.

    With observation = "candidates" it is about these and the actions only: all that the agents of candidates read.
    """
    blocks = [(block.name, block.start, block.shape) for block in TABLE]
    names = [VERSION, outline(COLUMNS), MAX_CANDIDATES, SIZE, blocks]
    if observation != "candidates":
        names += [outline(PLANES), outline(GLOBALS)]
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16]
