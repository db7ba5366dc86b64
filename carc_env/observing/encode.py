"""Writes the observation of one player to arrays: planes, global features, action mask and candidates.
`boxes/layout.py` defines the names, meanings and ranges of all entries.

Every observation is from the perspective of one player, the observer. The observer's entries come before those of the
other players. The order of the deck has no effect on an observation. A Layout (spaces.py) defines which planes, global
features and actions an observation has.

| array | dtype, shape |
|---|---|
| `planes` | uint8 (planes, rows, columns): the last two axes are the row (y) and the column (x) on the table or on the map sheet |
| `globals` | float32 (globals,) |
| `action_mask` | int8 (actions,): 1 for each legal action of the observer; all 0 if another player has to act |
| `candidates` | float32 (K, N_SHOWN), or (K, N_COLUMNS) with `ObservationSpec.price`: see candidates.py |
| `candidate_actions` | int32 (K,): the action of each candidate |
| `table` | float32 (entries,): see standing.py |

The table wraps around at its edges (see rules/state.py), but a map sheet does not. An `ObservationSpec` defines which
arrays an observation has. K, the maximum number of candidates, is MAX_CANDIDATES by default. If actions are indices of
candidates, the shape of `action_mask` is (K,).
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from ctypes import addressof, c_ubyte
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from carc_env.boxes.actions import USUAL_SIZE
from carc_env.boxes.layout import (
    COLUMNS,
    GLOBALS,  # noqa: F401 - users find the names of planes and globals here
    MOST,
    N_COLUMNS,
    N_GLOBALS,
    N_PLANES,  # noqa: F401
    N_SHOWN,
    N_STANDING,
    PER_PLAYER,
    PLANES,  # noqa: F401
    ROWS_VERSION,
    VERSION,
    Entry,
    plane,
    scalar,
)
from carc_env.boxes.tiles import FIGURES, tile_kinds, tile_table
from carc_env.boxes.writing import (
    MASK,
    NUMBERS,
    PICTURE,
    Numbers,
    Picture,
    forget,
    put,
    shown,
    tell,
    tell_more,
    wipe,
    wipe_all,
)
from carc_env.common.arguments import brief
from carc_env.common.errors import ArgumentError, ArrayError
from carc_env.common.renamed import old_names
from carc_env.compiling.jit import jit
from carc_env.observing.candidates import MAX_CANDIDATES, candidates
from carc_env.observing.prospects import observed_prices
from carc_env.observing.spaces import Layout, layout_of
from carc_env.observing.standing import survey
from carc_env.rules.answers import ROOM
from carc_env.rules.double_tiles import other_square
from carc_env.rules.features import is_built, is_complete, lies, next_adjoining
from carc_env.rules.geometry import n_cells
from carc_env.rules.scoring import bonus, field_points, score_now
from carc_env.rules.state import (
    FIRST_SLOT,
    IN_SUPPLY,
    MAX_PLAYERS,
    N_FIGURES,
    N_SLOTS,
    NONE,
    QUESTION,
    SLOT_FIGURE,
    Kind,
    Phase,
    Spot,
    size_of_dtype,
)
from carc_env.rules.turn import legal_answers
from carc_env.systems.abbeys import seen as abbeys
from carc_env.systems.castles import seen as castles
from carc_env.systems.ferries import seen as ferries
from carc_env.systems.german_castles import seen as german_castles
from carc_env.systems.goldmines import seen as goldmines
from carc_env.systems.map_chips import seen as map_chips
from carc_env.systems.maps import seen as maps
from carc_env.systems.traders_and_builders import seen as traders_and_builders

# the first index of each group of planes and global features
TILE, ROTATION, CITY, ROAD = plane("tile"), plane("rotation"), plane("city_N"), plane("road_N")
OPEN, CONTROLS, FIELD = plane("open_N"), plane("control_N"), plane("field_Nw")
BUILDING, BUILDING_CONTROL, NEIGHBOURS = plane("building"), plane("building_control"), plane("neighbours")
FIGURE_PLAYER, FIGURE_SPOT, FIGURE = plane("figure_player"), plane("figure_spot"), plane("figure_meeple")
EXTRAS, BONUS, SQUARE, WORTH = plane("extras_N"), plane("bonus_N"), plane("square"), plane("worth_Nw")
PLACED, CHOICE = plane("placed"), plane("choice")
PHASE, ASKED, ACTIVE = scalar("phase_place_abbey"), scalar("asked_0"), scalar("active_0")
PLAYERS, TILES_LEFT, TILES_PLACED = scalar("players"), scalar("tiles_left"), scalar("tiles_placed")
# the first index of each group of the observer's global features; the next player's group is PER_PLAYER later
PLAYS, SCORE, SUPPLY = scalar("plays_0"), scalar("score_0"), scalar(f"supply_{FIGURES[0]}_0")
HAND, LEFT = scalar(f"hand_{tile_kinds()[0].id}"), scalar(f"left_{tile_kinds()[0].id}")


@jit
def control(game, feature, observer):
    """Return a number that tells who has the majority in a feature: 0 (nobody), 1 (only the observer), 2 (the observer
    and other players) or 3 (only other players).
    """
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
def write_planes(game, tiles, observer, room, picture):
    """Write the planes of one game. `room` is working memory for lists."""
    wipe_all(picture)
    for cell in range(n_cells(game)):
        if game.board[cell].is_square:
            put(picture, NEIGHBOURS, cell, game.board[cell].neighbours)
            put(picture, SQUARE, cell, 1)
    maps.write_planes(game, picture)
    node = int64(0)
    while node < game.n_segments:
        cell = int64(game.segments[node].cell)
        write_tile(game, tiles, observer, cell, picture)
        node += tiles.kinds[game.board[cell].tile].n_segments
    for field in range(int64(game.n_segments)):
        if game.segments[field].feature == field and game.features[field].kind == Kind.FIELD:
            write_worth(game, tiles, field, room, picture)
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            node = int64(game.players[player].figures[slot])
            if node >= 0:
                write_figure(game, tiles, (player - observer) % game.n_players, SLOT_FIGURE[slot], node, picture)
    if game.placed != NONE:
        write_placed(game, int64(game.placed), 1, picture)
    if game.phase == Phase.TAKE_INGOT:
        goldmines.write_rivals(game, observer, picture)
    ferries.write_planes(game, tiles, picture)
    castles.write_planes(game, picture)
    write_choice(game, picture)


@jit
def write_placed(game, cell, value, picture):
    """Set the plane `placed` to `value` on all squares of a tile. `value` is 1 if the tile was placed in this turn,
    otherwise 0.
    """
    put(picture, PLACED, cell, value)
    if other_square(game, cell) != NONE:
        put(picture, PLACED, other_square(game, cell), value)


@jit
def write_tile(game, tiles, observer, cell, picture):
    """Write a tile and the features of its segments to the planes. Before the call, the planes that the function writes
    must be 0 on the tile's cell.
    """
    square = game.board[cell]
    tile = tiles.kinds[square.tile]
    write_square(game, cell, picture)
    if other_square(game, cell) != NONE:
        write_square(game, other_square(game, cell), picture)
    for number in range(tile.n_segments):
        node = int64(square.first_segment) + number
        if is_built(tile.kind[number]):
            put(picture, BUILDING, cell, 1 + tile.kind[number] - Kind.MONASTERY)
            if tile.kind[number] == Kind.GERMAN_CASTLE:
                put(picture, BUILDING, other_square(game, cell), 1 + tile.kind[number] - Kind.MONASTERY)
        else:
            write_numbers(game, tiles, node, picture)
        value = control(game, int64(game.segments[node].feature), observer)
        if value:
            write_control(game, tiles, node, value, picture)


@jit
def write_square(game, cell, picture):
    """Write a square's tile to the planes, with the tile's rotation and ingots."""
    square = game.board[cell]
    put(picture, TILE, cell, square.tile + 1)
    put(picture, ROTATION, cell, square.rotation)
    goldmines.write_square(game, cell, picture)


@jit
def write_numbers(game, tiles, node, picture):
    """Write the properties of a road or city to planes, for example its size and the number of its open ends. Only the
    edges that the segment `node` touches are written.
    """
    cell = int64(game.segments[node].cell)
    write_numbers_on(game, tiles, node, cell, picture)
    if other_square(game, cell) != NONE:
        write_numbers_on(game, tiles, node, other_square(game, cell), picture)


@jit
def write_numbers_on(game, tiles, node, cell, picture):
    """Write the same planes as `write_numbers`, but only on the square `cell`."""
    square, what = game.board[cell], game.features[game.segments[node].feature]
    number, group = node - square.first_segment, ROAD if what.kind == Kind.ROAD else CITY
    for side in range(4):
        if tiles.kinds[square.tile].side_segment[square.rotation, side] == number:
            put(picture, group + side, cell, min(MOST, int(what.tiles) + int(what.pennants)))
            # without ferries, `extras` and `cathedral_ends` never decrease, so zeros need not be written again
            if what.extras or what.cathedral_ends or game.boxes.ferries:
                put(picture, EXTRAS + side, cell, (what.extras > 0) + 2 * (what.cathedral_ends > 0))
            if game.boxes.german_castles or game.boxes.darmstadt:
                put(picture, BONUS + side, cell, min(MOST, bonus(game, int64(game.segments[node].feature))))
            traders_and_builders.write_edge(game, what, side, cell, picture)
            put(picture, OPEN + side, cell, min(MOST, int(what.open)))


@jit
def write_control(game, tiles, node, value, picture):
    """Write `value` to the planes that describe a segment. `value` tells who has the majority in the segment's
    feature, and is a result of the function `control`. For a road, city or field, the function writes to the planes of
    the edges or half-edges that the segment touches. For a building, the function writes to the plane
    `building_control`.
    """
    cell = int64(game.segments[node].cell)
    write_control_on(game, tiles, node, value, cell, picture)
    if other_square(game, cell) != NONE:
        write_control_on(game, tiles, node, value, other_square(game, cell), picture)


@jit
def write_control_on(game, tiles, node, value, cell, picture):
    """Write the same planes as `write_control`, but only on the square `cell`."""
    square = game.board[cell]
    tile, number = tiles.kinds[square.tile], node - square.first_segment
    if tile.kind[number] == Kind.FIELD:
        write_at_halves(game, tiles, node, FIELD, value, cell, picture)
    elif is_built(tile.kind[number]):
        put(picture, BUILDING_CONTROL, cell, value)
    else:
        for side in range(4):
            if tile.side_segment[square.rotation, side] == number:
                put(picture, CONTROLS + side, cell, value)


@jit
def write_at_halves(game, tiles, node, group, value, cell, picture):
    """On one square, write a number to the planes of all half-edges that a field segment touches. The planes of the
    eight half-edges are consecutive, and `group` is the index of the first of these planes.
    """
    square = game.board[cell]
    for half in range(8):
        if tiles.kinds[square.tile].half_segment[square.rotation, half] == node - square.first_segment:
            put(picture, group + half, cell, value)


@jit
def write_worth(game, tiles, field, room, picture):
    """Write a field's points to the planes of all half-edges that the field touches."""
    value, node = worth_of_field(game, tiles, field, room), int64(field)
    while value:
        write_worth_at(game, tiles, node, value, picture)
        node = int64(game.segments[node].next)
        if node == field:
            return


@jit
def write_worth_at(game, tiles, node, value, picture):
    """Write a field's points to the planes of the half-edges that one segment of the field touches."""
    cell = int64(game.segments[node].cell)
    write_at_halves(game, tiles, node, WORTH, value, cell, picture)
    if other_square(game, cell) != NONE:
        write_at_halves(game, tiles, node, WORTH, value, other_square(game, cell), picture)


@jit
def worth_of_field(game, tiles, field, room):
    """Return the points that a field would give to an owner if the game ended now. The result is at most MOST, the
    largest value that the planes can contain. See `scoring.points`.

    To count each city only once, the function lists the counted cities in `room.listed`. The state of the game is not
    changed.
    """
    cities, castles = 0, 0
    node, number = int64(field), int64(-1)
    while True:
        node, number, city = next_adjoining(game, tiles, int64(field), node, number)
        if city == NONE:
            return min(MOST, int(field_points(cities, castles)))
        if is_complete(game, city) and not is_met(room.listed, cities + castles, city):
            room.listed[cities + castles] = city
            if game.features[city].kind == Kind.CASTLE:
                castles += 1
            else:
                cities += 1


@jit
def is_met(listed, n, feature):
    """Return True if the first n entries of `listed` contain the feature."""
    for k in range(n):
        if listed[k] == feature:
            return True
    return False


@jit
def write_figure(game, tiles, player, figure, node, picture):
    """Write one figure to the planes. `player` is the owner of the figure: 0 for the observer, 1 for the next player
    clockwise, and so on.
    """
    cell = int64(game.segments[node].cell)
    square = game.board[cell]
    put(picture, FIGURE_PLAYER, cell, player + 1)
    put(picture, FIGURE_SPOT, cell, tiles.kinds[square.tile].spot[square.rotation, node - square.first_segment] + 1)
    if lies(game, int64(game.segments[node].feature)):
        put(picture, FIGURE_SPOT, cell, int64(Spot.LYING) + 1)
    put(picture, FIGURE + figure, cell, shown(picture, FIGURE + figure, cell) + 1)


@jit
def write_choice(game, picture):
    """Write the plane `choice`, which marks the cells that the current decision concerns. The plane marks the cells of
    movable ferries, the two tiles of a castle that scores, or the tiles from which an ingot can be taken.
    """
    if game.boxes.ferries or game.boxes.castles or goldmines.goes_by_features(game):
        wipe(picture, CHOICE)
        ferries.write_choice(game, picture)
        castles.write_choice(game, picture)
        goldmines.write_choice(game, picture)


@jit
def write_globals(game, observer, numbers):
    """Write the global features of one game."""
    forget(numbers, PLAYS, HAND)
    write_situation(game, observer, numbers)
    map_chips.write_chips(game, numbers)
    write_stack(game, numbers)


@jit
def write_situation(game, observer, numbers):
    """Write the global features that describe the decision, the turn and the players. The function writes nothing for
    unoccupied seats, because the global features of an unoccupied seat are already 0.
    """
    forget(numbers, 0, PLAYS)
    tell(numbers, PHASE + QUESTION[game.phase], 1.0)
    if game.player != NONE:
        tell(numbers, ASKED + int64((game.player - observer) % game.n_players), 1.0)
        tell(numbers, ACTIVE + int64((game.active - observer) % game.n_players), 1.0)
    traders_and_builders.write_turn(game, numbers)
    map_chips.write_turn(game, numbers)
    goldmines.write_turn(game, numbers)
    abbeys.write_turn(game, numbers)
    tell(numbers, PLAYERS, game.n_players)
    tell(numbers, TILES_LEFT, game.n_deck - game.n_drawn)
    tell(numbers, TILES_PLACED, game.n_tiles)
    for player in range(int64(game.n_players)):
        write_player(game, player, PER_PLAYER * int64((player - observer) % game.n_players), numbers)


@jit
def write_player(game, player, at, numbers):
    """Write the global features of one player. To find an entry of this player, the function adds `at` to the index of
    the observer's corresponding entry.
    """
    what = game.players[player]
    tell(numbers, PLAYS + at, 1.0)
    tell(numbers, SCORE + at, what.score)
    for figure in range(N_FIGURES):
        supply = 0
        for slot in range(FIRST_SLOT[figure], FIRST_SLOT[figure + 1]):
            supply += what.figures[slot] == IN_SUPPLY
        tell(numbers, SUPPLY + at + figure, supply)
    goldmines.write_player(game, player, at, numbers)
    map_chips.write_player(game, player, at, numbers)
    traders_and_builders.write_player(game, player, at, numbers)
    castles.write_player(game, player, at, numbers)
    abbeys.write_player(game, player, at, numbers)
    german_castles.write_player(game, player, at, numbers)


@jit
def write_stack(game, numbers):
    """Write the global features for the tile in hand and for the tiles that have not been drawn yet."""
    forget(numbers, HAND, N_GLOBALS)
    if game.tile != NONE:
        tell(numbers, HAND + game.tile, 1.0)
    for i in range(game.n_drawn, game.n_deck):
        tell_more(numbers, LEFT + game.deck[i], 1.0)


@jit
def write_mask(game, tiles, observer, room, mask, where):
    """Mark every legal action of the observer with 1 in `mask`. Before the call, `mask` must be filled with 0."""
    if game.player == observer:
        for k in range(legal_answers(game, tiles, room)):
            mask.legal[where.actions[room.answers[k]]] = 1


@jit
def write_observation(games, tiles, observers, places, pictures, numbers, masks):
    """Write one player's observation of each game to `pictures` (planes), `numbers` (global features) and `masks`. The
    masks must be filled with 0 before the call. If the planes or the masks are not needed, the caller passes a
    placeholder instead (see `as_records`). The function does not write to a placeholder.

    `places` is an array with one element of the dtype `writing.WHERE`. `places[0]` contains the position of each plane,
    global feature and action in the arrays of the observation.
    """
    rooms = np.empty(1, ROOM)
    for i in range(len(games)):
        if pictures.strides[0]:
            write_planes(games[i], tiles[0], int64(observers[i]), rooms[0], Picture(pictures[i], places[0]))
        write_globals(games[i], int64(observers[i]), Numbers(numbers[i], places[0]))
        if masks.strides[0]:
            write_mask(games[i], tiles[0], observers[i], rooms[0], masks[i], places[0])


@jit
def provisional_scores(games, tiles, out):
    """Write to `out` the score that each player would have if the game ended now. `out` is int64[n, MAX_PLAYERS]."""
    trial = np.zeros(1, games.dtype)
    for i in range(len(games)):
        trial[0] = games[i]
        score_now(trial[0], tiles[0])
        for player in range(MAX_PLAYERS):
            out[i, player] = trial[0].players[player].score


class ObservationSpec(NamedTuple):
    """Specifies which arrays an observation has."""

    layout: Layout  # the planes, global features and actions
    observation: str = "planes"  # "planes", "candidates" or "both"
    rows: int = MAX_CANDIDATES  # K, the maximum number of candidates
    by_row: bool = False  # True if actions are indices of candidates; a mask then has K entries
    table: bool = False  # True if the observation has the array `table` (see carc_env.observing.standing)
    price: bool = False  # True if candidates have the columns `price` and `rank` (from `greedy`'s heuristic values)

    @property
    def columns(self) -> dict[str, Entry]:
        """The columns of the array `candidates`, by name."""
        return dict(list(COLUMNS.items())[: N_COLUMNS if self.price else N_SHOWN])

    @property
    def n_actions(self) -> int:
        """The number of actions, which is the length of a mask."""
        return self.rows if self.by_row else self.layout.n_actions


def as_spec(observation: str | ObservationSpec, size: int) -> ObservationSpec:
    """Return `observation` as an ObservationSpec for games on a table with `size` rows and columns. If `observation` is
    a string, the spec uses the common layout, which is the same for all games on tables of the same size. Raises
    ArgumentError if the observation is unknown, or if its layout is for tables of another size.
    """
    spec = (
        observation
        if isinstance(observation, ObservationSpec)
        else ObservationSpec(layout_of(size, "common"), observation)
    )
    if not isinstance(spec.observation, str) or spec.observation not in ("planes", "candidates", "both"):
        raise ArgumentError(f"observation = {brief(spec.observation)}: should be 'planes', 'candidates' or 'both'")
    if spec.layout.size != size:
        raise ArgumentError(
            f"the layout is for tables of {spec.layout.size} rows and columns, but these games have tables of {size}"
        )
    return spec


def observe(
    records: np.ndarray,
    observers: np.ndarray,
    observation: str | ObservationSpec = "planes",
    out: dict[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Return one observation for each of n games, as a dict of arrays. The function `spaces` describes the arrays of
    one observation. In the returned dict, each array has an additional first axis for the games.

    Args:
        records: an array of n game records, such as `Games.records`.
        observers: the seat of the observer in each game, int[n], from 0 to players - 1. The seats are not checked.
        observation: "planes", "candidates" or "both", or an ObservationSpec. Candidates are written only if the
            observer is the player who has to act.
        out: the arrays to write to: the result of `empty` or of an earlier call with the same n and `observation`.
            This function does not check their shapes and dtypes, but `Games.observe` does. Arrays that are too small
            would corrupt the memory.

    Raises:
        ArgumentError: if the observation is unknown, or if its layout is for tables of another size.
        ArrayError: if an array of `out` is not contiguous.
    """
    n, spec = len(records), as_spec(observation, size_of_dtype(records.dtype))
    if out is None:
        out = empty(n, spec, np.empty)
    observers, every = np.asarray(observers, np.int64), np.arange(n)
    pictures, numbers, masks = as_records(out, spec)
    if not spec.by_row:
        out["action_mask"][:] = 0
    write_observation(records, tile_table(), observers, spec.layout.where, pictures, numbers, masks)
    if "candidates" in out:
        candidates(records, every, tile_table(), observed_prices(), out["candidates"], out["candidate_actions"])
        others = records["player"] != observers
        if others.any():
            out["candidates"][others] = 0
            out["candidate_actions"][others] = NONE
        if not spec.layout.is_common:
            out["candidate_actions"][:] = spec.layout.from_common_legal(out["candidate_actions"])
    if spec.by_row:
        out["action_mask"][:] = out["candidate_actions"] != NONE
    if "table" in out:
        write_standing(records, every, observers, spec, out["table"])
    return out


def write_standing(
    records: np.ndarray, which: np.ndarray, observers: np.ndarray, spec: ObservationSpec, out: np.ndarray
) -> None:
    """Write the array `table` of each game in `which` to `out`. The array is from the perspective of the game's
    observer. `which` contains indices of games. `out` is a float32 array with a row for each of the n games and a
    column for each entry of `table`.
    """
    observers = np.ascontiguousarray(observers)  # a column of a larger array would have another memory layout for numba
    if len(spec.layout.table) == N_STANDING:
        survey(records, which, tile_table(), observed_prices(), observers, out)
        return
    whole = np.empty((len(records), N_STANDING), np.float32)
    survey(records, which, tile_table(), observed_prices(), observers, whole)
    out[which] = whole[which][:, spec.layout.table_numbers]


def empty(n: int, spec: ObservationSpec, make: Callable[..., np.ndarray] = np.zeros) -> dict[str, np.ndarray]:
    """Allocate arrays for n observations. `make` is a function that creates an array from a shape and a dtype. If the
    caller writes all entries of the arrays afterwards, `make` can be `np.empty`.
    """
    out = {name: make((n, *shape), dtype) for name, (shape, dtype, _, _) in spaces(spec).items()}
    if "candidates" in out:
        out["candidates"][:] = 0
        out["candidate_actions"][:] = NONE
    return out


def as_records(observation: dict[str, np.ndarray], spec: ObservationSpec) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Convert the arrays of n observations to arrays of records. The records use the memory of the given arrays, so
    nothing is copied. The dtype of the records is PICTURE for planes, NUMBERS for global features, and MASK for masks.
    If the observations have no planes, the first array is a placeholder from `none_of`. If actions are indices of
    candidates, the array of masks is a placeholder.
    """
    pictures = _each_as(observation["planes"], PICTURE) if "planes" in observation else none_of(PICTURE)
    masks = none_of(MASK) if spec.by_row else _each_as(observation["action_mask"], MASK)
    return pictures, _each_as(observation["globals"], NUMBERS), masks


@cache
def none_of(dtype: np.dtype) -> np.ndarray:
    """Return a placeholder for an array of records. Compiled functions receive the placeholder instead of an array that
    they do not have to write. The placeholder has two entries at the same address, so its stride is 0. Compiled
    functions recognise the placeholder by its stride, and do not write to it.
    """
    return np.ndarray(2, dtype, np.zeros(dtype.itemsize, np.int8), 0, (0,))


_bytes = cache(c_ubyte.__mul__)  # the ctypes type of an array of n bytes


def _each_as(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return an array of records in the memory of `array`, where record i begins at the start of array[i]. Each
    record has the full size of `dtype`, so it can extend beyond the end of array[i]. Compiled functions write nothing
    beyond the end of array[i].

    The returned array ends with an additional record that is never used. Without this unused record at the end of the
    array, numba would compile all rules several times. Numba has different types for arrays with one record, arrays
    with several records, and arrays without gaps between the records.
    """
    if not array.flags.c_contiguous:
        raise ArrayError("the arrays of observations should be contiguous; `encode.empty` makes such arrays")
    if not array.size:
        return none_of(dtype)
    n, length = len(array), array.strides[0]
    address = addressof(c_ubyte.from_buffer(array))  # type: ignore[arg-type]
    memory: Any = _bytes(n * length + dtype.itemsize).from_address(address)
    memory.array = array  # keeps the array alive as long as the records exist
    return np.ndarray(n + 1, dtype, memory, 0, (length,))


def spaces(
    observation: str | ObservationSpec = "planes", size: int = USUAL_SIZE
) -> dict[str, tuple[tuple[int, ...], type, np.ndarray | int, np.ndarray | int]]:
    """Return the shape, dtype, lower bound and upper bound of each array in an observation. `size` is the number of
    rows and columns of the table. A bound is a number, or an array that broadcasts to the shape of the observation's
    array.
    """
    return _spaces(observation if isinstance(observation, ObservationSpec) else as_spec(observation, size))


@cache
def _spaces(spec: ObservationSpec) -> dict[str, tuple[Any, ...]]:
    layout = spec.layout
    found = {
        "globals": ((len(layout.globals),), np.float32, *bounds(layout.globals)),
        "action_mask": ((spec.n_actions,), np.int8, 0, 1),
    }
    if spec.observation != "candidates":
        low, high = bounds(layout.planes, 1, 1)
        found["planes"] = ((len(layout.planes), layout.rows, layout.columns), np.uint8, low, high)
    if spec.observation != "planes":
        found["candidates"] = ((spec.rows, len(spec.columns)), np.float32, *bounds(spec.columns))
        found["candidate_actions"] = ((spec.rows,), np.int32, NONE, layout.n_actions - 1)
    if spec.table:
        found["table"] = ((len(layout.table),), np.float32, *bounds(layout.table))
    return found


def bounds(entries: Mapping[str, Entry], *axes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two int64 arrays: the smallest value and the largest value that each entry can have. `axes` contains a 1
    for each axis of length 1 that is appended to the arrays.
    """
    ends = np.array([(entry.low, entry.high) for entry in entries.values()], np.int64)
    ends.flags.writeable = False
    return ends[:, 0].reshape(-1, *axes), ends[:, 1].reshape(-1, *axes)


def outline(entries: Mapping[str, Entry]) -> list[tuple[Any, ...]]:
    """Return the name, the kind and the range of each entry. A trained network depends on the names, kinds and ranges
    of the entries.
    """
    return [(name, entry.kind, entry.low, entry.high) for name, entry in entries.items()]


def layout_hash(observation: str = "both", layout: Layout | None = None) -> str:
    """Return a hash of a layout. If no layout is given, return the hash of the common layout. The hash changes whenever
    the meaning of an action, plane, global feature or candidate column changes. Checkpoints contain this hash.

    With observation = "candidates", the hash covers only the candidate columns, because an agent that uses candidates
    reads nothing else. The hash of the candidate columns does not depend on the size of the table.
    """
    names = [ROWS_VERSION, outline(COLUMNS), MAX_CANDIDATES]
    if observation != "candidates":
        layout = layout or layout_of(USUAL_SIZE, "common")
        blocks = [(block.name, block.start, block.shape, layout.labels[block.name]) for block in layout.blocks]
        names += [
            VERSION,
            layout.rows,
            layout.columns,
            blocks,
            outline(layout.planes),
            outline(layout.globals),
            outline(layout.table),
        ]
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16]


__getattr__ = old_names(__name__, {"Sight": "ObservationSpec", "look": "observe"})
