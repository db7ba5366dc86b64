"""Contains the batch engine of the vector environments. The engine plays actions in many games, and rewrites only the
changed entries of the observations.

The array `viewers` has one record of the dtype VIEWER for each game. The record holds the index of the observing
player, and one value for each player. The change in a player's value is the player's reward. Other fields of the record
describe the last observed position. To find changes, the engine compares these fields with the new position. When a
game begins, its planes are written in full. After each step, only the entries that have changed are written. Tests
check that the updated planes equal the planes that `encode.observe` writes.
"""

import numpy as np
from numpy import int64

from carc_env.boxes.writing import Numbers, Picture, put, shown, tell, tell_more, wipe
from carc_env.compiling.jit import jit
from carc_env.envs.rewards import write_value
from carc_env.observing.encode import (
    BUILDING_CONTROL,
    CONTROLS,
    FIELD,
    FIGURE,
    FIGURE_PLAYER,
    FIGURE_SPOT,
    HAND,
    LEFT,
    NEIGHBOURS,
    WORTH,
    control,
    is_met,
    worth_of_field,
    write_choice,
    write_control,
    write_figure,
    write_globals,
    write_numbers,
    write_placed,
    write_planes,
    write_situation,
    write_tile,
    write_worth,
    write_worth_at,
)
from carc_env.rules.answers import MAX_ANSWERS, ROOM, cell_laid, is_listed, pass_of
from carc_env.rules.batch import generators
from carc_env.rules.chance import random_below
from carc_env.rules.double_tiles import area_size, area_square, other_square, own_spot, own_square
from carc_env.rules.features import is_built
from carc_env.rules.geometry import size_of
from carc_env.rules.state import (
    FIRST_HALF,
    MAX_LARGE,
    MAX_PLAYERS,
    MAX_TOUCHED,
    N_FIGURES,
    N_SLOTS,
    NONE,
    SLOT_FIGURE,
    Kind,
    Phase,
    record,
)
from carc_env.rules.turn import answer, legal_answers
from carc_env.systems.castles import seen as castles
from carc_env.systems.ferries import seen as ferries
from carc_env.systems.german_castles import seen as german_castles
from carc_env.systems.goldmines import seen as goldmines
from carc_env.systems.map_chips import seen as map_chips

VIEWER = record(
    ("seat", "i1"),  # the seat of the agent, or NONE if the agent plays all seats
    ("reward", "i1"),  # the index of the setting `reward` in REWARDS
    ("blind", "i1"),  # 1: the observation has no planes
    ("begins", "i1"),  # 1: the agent has not acted in this game yet
    ("answered", "i1"),  # the player for whom the agent acted last
    ("values", "f8", (MAX_PLAYERS,)),  # a player's reward is the change in the player's value
    # the following fields describe the position that the arrays show
    ("observer", "i1"),
    ("rivals", "i1"),  # 1: the plane that counts the players who may take an ingot is not empty
    ("on_tiles", "i1"),  # ingots on tiles
    ("tile", "i2"),  # the tile in hand
    ("placed", "i2"),
    ("n_moves", "i2"),
    ("n_drawn", "i2"),
    ("n_touched", "i4"),  # the number of changes to features so far
    ("figures", "i2", (MAX_PLAYERS, N_SLOTS)),
    ("connected", "i1", (MAX_LARGE + 1,)),
    ("n_answers", "i2"),
    ("answers", "i4", (MAX_ANSWERS,)),  # the legal actions, ascending; `pass` when the game is over
)

RESULT = record(  # the result of the last step for the agent of a game
    ("waits", "i1"),  # 1: another player has to act first, so there is no result yet
    ("is_over", "i1"),
    ("player", "i8"),  # the observer
    ("reward", "f8"),
    ("rewards", "f8", (MAX_PLAYERS,)),
    ("scores", "i8", (MAX_PLAYERS,)),
)


# --- updating planes and globals after an action ----------------------------------------------------------------------
@jit
def show_touched(game, tiles, viewer, room, picture):
    """Update the planes for the changed features, and for the fields whose points depend on these features."""
    n = 0  # the length of the list room.partner, which contains the fields whose points could have changed
    for k in range(viewer.n_touched, game.n_touched):
        node = int64(game.touched[k % MAX_TOUCHED])
        show_feature(game, tiles, int64(viewer.observer), node, picture)
        n = list_fields(game, tiles, node, room, n)
    for k in range(n):
        show_worth(game, tiles, int64(room.partner[k]), int64(viewer.n_touched), room, picture)
    viewer.n_touched = game.n_touched


@jit
def show_feature(game, tiles, observer, touched, picture):
    """Update the planes that describe a segment's feature. For roads, cities and castles, the planes with counts (such
    as the number of tiles) are always updated. The planes that show who has the majority are updated only if the
    majority has changed.
    """
    feature = int64(game.segments[touched].feature)
    value, what = control(game, feature, observer), game.features[feature]
    numbers = not (what.kind == Kind.FIELD or is_built(what.kind))
    differs = value != shown_control(game, tiles, touched, picture)
    if not (numbers or differs):
        return
    node = feature
    while True:
        if numbers:
            write_numbers(game, tiles, node, picture)
        if differs:
            write_control(game, tiles, node, value, picture)
        node = int64(game.segments[node].next)
        if node == feature:
            return


@jit
def list_fields(game, tiles, touched, room, n):
    """Add fields to the list `room.partner`, which already holds n fields. The function adds the fields whose points
    could have changed because the segment `touched` has changed. If the segment is part of a field, this field is
    added. If the segment is part of a completed city or a castle, the fields that adjoin this city or castle are added.
    Returns the length of the list after the call.
    """
    city = int64(game.segments[touched].feature)
    what = game.features[city]
    if what.kind == Kind.FIELD:
        return list_field(room, n, city)
    if what.open or not (what.kind == Kind.CITY or what.kind == Kind.CASTLE):
        return n
    node = city
    while True:
        square = game.board[game.segments[node].cell]
        first, tile = int64(square.first_segment), tiles.kinds[square.tile]
        for number in range(tile.n_segments):
            if tile.kind[number] == Kind.FIELD and int64(tile.adjoins[number]) >> node - first & 1:
                n = list_field(room, n, int64(game.segments[first + number].feature))
        node = int64(game.segments[node].next)
        if node == city:
            return n


@jit
def list_field(room, n, field):
    """Add a field to the list `room.partner`, which holds n fields. Do nothing if the list already contains the field.
    Returns the length of the list after the call.
    """
    if not is_met(room.partner, n, field):
        room.partner[n] = field
        n += 1
    return n


@jit
def show_worth(game, tiles, field, first, room, picture):
    """If the points of a field have changed, update the planes. The points of a field never decrease, so the planes
    need no update for a field with 0 points.

    From index `first` on, the list `game.touched` contains all new segments of the field, and segments of other
    features. If the planes show the right points at all new segments of the field, they also show the right points at
    all older segments. Therefore only the new segments are checked. On the newly placed tile, no points have been
    written yet, so the function writes the field's points at each segment of the field on this tile.
    """
    value, node, k = worth_of_field(game, tiles, field, room), int64(field), int64(first)
    while value:
        if game.segments[node].feature == field and shown_worth(game, tiles, node, picture) != value:
            if game.segments[node].cell != game.placed:
                write_worth(game, tiles, field, room, picture)
                return
            write_worth_at(game, tiles, node, value, picture)
        if k == game.n_touched:
            return
        node = int64(game.touched[k % MAX_TOUCHED])
        k += 1


@jit
def shown_worth(game, tiles, node, picture):
    """Return the points that the planes show for the field of a segment, or NONE if the segment touches no edge."""
    cell, spot = named_by(game, tiles, node)
    return shown(picture, WORTH + spot - FIRST_HALF, cell) if FIRST_HALF <= spot < FIRST_HALF + 8 else NONE


@jit
def named_by(game, tiles, node):
    """Return the square and the spot that identify a segment."""
    cell = own_square(game, tiles, node)
    square = game.board[cell]
    return cell, own_spot(int64(tiles.kinds[square.tile].spot[square.rotation, node - square.first_segment]))


@jit
def shown_control(game, tiles, node, picture):
    """Read from the planes who has the majority in the feature that contains a segment. The returned number,
    from 0 to 3, has the same meaning as the result of the function `control`.
    """
    cell, spot = named_by(game, tiles, node)
    if spot < FIRST_HALF:
        return shown(picture, CONTROLS + spot, cell)
    if spot < FIRST_HALF + 8:
        return shown(picture, FIELD + spot - FIRST_HALF, cell)
    return shown(picture, BUILDING_CONTROL, cell)


@jit
def show_tile(game, tiles, observer, cell, picture):
    """Write a newly placed tile to the planes, and update the surrounding squares."""
    write_tile(game, tiles, observer, cell, picture)
    other = other_square(game, cell)
    for k in range(area_size(other)):
        near = area_square(game, cell, other, k)
        if game.board[near].is_square:
            put(picture, NEIGHBOURS, near, game.board[near].neighbours)
    german_castles.write_neighbours(game, picture)


@jit
def show_moves(game, tiles, viewer, picture, numbers):
    """Update the planes for the tiles placed and the chips taken since the last update. Returns True if ingots have
    moved.
    """
    gold = game.systems.goldmines.on_tiles != viewer.on_tiles
    for k in range(int64(viewer.n_moves), int64(game.n_moves)):
        move = game.moves[k]
        cell = int64(cell_laid(size_of(game), int64(move.phase), int64(move.answer)))
        if cell != NONE:
            show_tile(game, tiles, int64(viewer.observer), cell, picture)
            if tiles.kinds[game.board[cell].tile].gold:
                gold = True
            map_chips.write_taken(game, cell, picture, numbers)
            if other_square(game, cell) != NONE:
                map_chips.write_taken(game, other_square(game, cell), picture, numbers)
        elif move.phase == Phase.PLACE_INGOT or move.phase == Phase.TAKE_INGOT:
            gold = True
        elif move.phase == Phase.SELL_WINE:
            map_chips.write_chips(game, numbers)
    viewer.n_moves = game.n_moves
    return gold


@jit
def show_figures(game, tiles, viewer, picture):
    """Rewrite all figures in the planes if a figure was placed or returned since the last update."""
    n = int64(game.n_players)
    if not figures_differ(game, viewer):
        return
    for player in range(n):
        for slot in range(N_SLOTS):
            node = int64(viewer.figures[player, slot])
            if node >= 0:
                cell = int64(game.segments[node].cell)
                put(picture, FIGURE_PLAYER, cell, 0)
                put(picture, FIGURE_SPOT, cell, 0)
                for figure in range(N_FIGURES):
                    put(picture, FIGURE + figure, cell, 0)
            viewer.figures[player, slot] = game.players[player].figures[slot]
    for player in range(n):
        for slot in range(N_SLOTS):
            node = int64(viewer.figures[player, slot])
            if node >= 0:
                write_figure(game, tiles, (player - int64(viewer.observer)) % n, SLOT_FIGURE[slot], node, picture)


@jit
def figures_differ(game, viewer):
    """True if a figure was placed or returned since the last update."""
    for player in range(int64(game.n_players)):
        if differ(game.players[player].figures, viewer.figures[player]):
            return True
    return False


@jit
def look_from(game, tiles, viewer, observer, picture):
    """Change the observer. The function rewrites two kinds of planes from the new observer's perspective: the planes
    that show who has the majority in each feature, and the plane that shows the owner of each figure. The owners are
    numbered in turn order, starting with the observer.
    """
    viewer.observer = observer
    n = int64(game.n_players)
    if n == 2:
        swap_sides(game, picture, CONTROLS, BUILDING_CONTROL + 1)  # the planes of roads, cities, fields and buildings
    else:
        for node in range(int64(game.n_segments)):
            write_control(game, tiles, node, control(game, int64(game.segments[node].feature), observer), picture)
    for player in range(n):
        for slot in range(N_SLOTS):
            node = int64(viewer.figures[player, slot])
            if node >= 0:
                put(picture, FIGURE_PLAYER, int64(game.segments[node].cell), 1 + (player - observer) % n)


@jit
def swap_sides(game, picture, first, end):
    """Change the observer in a game of two players. The values 1 (only the observer has the majority) and 3 (only the
    other player has the majority) are swapped.
    """
    top, bottom = rows(game)
    n = (bottom - top) * picture.where.columns
    for plane in range(first, end):
        begin = picture.where.planes[plane] + top * picture.where.columns
        line = picture.bytes.planes[begin : begin + n]
        for k in range(n):
            line[k] ^= (line[k] & np.uint8(1)) << np.uint8(1)


@jit
def rows(game):
    """Return the range of the rows with tiles: the index of the first row, and the index of the last row plus 1.
    Without a map sheet, the table is a torus, so its top row follows its bottom row. If the placed tiles continue from
    the bottom row to the top row, the returned range contains all rows of the table. On a map sheet, rows are counted
    from the top of the sheet.
    """
    size = size_of(game)
    shift = 0 if game.systems.maps.on_sheet else size // 2
    top, bottom = int64(game.y_range[0]) + shift, int64(game.y_range[1]) + shift + 1
    if top < 0 or bottom > size:
        return 0, size
    return top, bottom


@jit
def update_planes(game, tiles, viewer, observer, room, picture, numbers):
    """Update the planes so that they show the current position from the perspective of an observer."""
    if differ(game.systems.maps.connected, viewer.connected) or game.n_touched - viewer.n_touched > MAX_TOUCHED:
        show_all(game, tiles, viewer, observer, room, picture, numbers)
        return
    if observer != viewer.observer:
        look_from(game, tiles, viewer, observer, picture)
    if game.placed != viewer.placed:
        if viewer.placed != NONE:
            write_placed(game, int64(viewer.placed), 0, picture)
        if game.placed != NONE:
            write_placed(game, int64(game.placed), 1, picture)
        viewer.placed = game.placed
    gold = show_moves(game, tiles, viewer, picture, numbers)
    if gold:
        goldmines.write_squares(game, tiles, picture)
        viewer.on_tiles = game.systems.goldmines.on_tiles
    show_touched(game, tiles, viewer, room, picture)
    show_figures(game, tiles, viewer, picture)
    if game.phase == Phase.TAKE_INGOT:
        goldmines.write_rivals(game, observer, picture)
        viewer.rivals = 1
    elif viewer.rivals:
        wipe(picture, goldmines.RIVALS)
        viewer.rivals = 0
    ferries.write_planes(game, tiles, picture)
    castles.write_planes(game, picture)
    write_choice(game, picture)


@jit
def differ(some, others):
    """True if two arrays of the same length differ."""
    for k in range(len(some)):
        if some[k] != others[k]:
            return True
    return False


@jit
def show_all(game, tiles, viewer, observer, room, picture, numbers):
    """Write all planes and global features, and record in `viewer` which position they show."""
    if not viewer.blind:
        write_planes(game, tiles, observer, room, picture)
    write_globals(game, observer, numbers)
    viewer.observer, viewer.rivals = observer, game.phase == Phase.TAKE_INGOT
    viewer.on_tiles, viewer.tile, viewer.placed = game.systems.goldmines.on_tiles, game.tile, game.placed
    viewer.n_moves, viewer.n_drawn, viewer.n_touched = game.n_moves, game.n_drawn, game.n_touched
    for number in range(len(viewer.connected)):
        viewer.connected[number] = game.systems.maps.connected[number]
    for player in range(int64(game.n_players)):
        for slot in range(N_SLOTS):
            viewer.figures[player, slot] = game.players[player].figures[slot]


@jit
def update_globals(game, viewer, observer, numbers):
    """Update the global features, except those of face-down chips. When a chip is taken, `show_moves` updates the
    global features of face-down chips.
    """
    write_situation(game, observer, numbers)
    if viewer.tile != game.tile:
        if viewer.tile != NONE:
            tell(numbers, HAND + viewer.tile, 0.0)
        if game.tile != NONE:
            tell(numbers, HAND + game.tile, 1.0)
        viewer.tile = game.tile
    for i in range(int64(viewer.n_drawn), int64(game.n_drawn)):
        tell_more(numbers, LEFT + game.deck[i], -1.0)
    viewer.n_drawn = game.n_drawn


@jit
def show(game, tiles, viewer, result, trial_game, n, room, picture, numbers, mask, where):
    """If the agent has to act or the game is over, write the agent's rewards, scores and observation. The working space
    `room` contains the n legal actions.

    When the game is over, no action is legal, but the mask marks `pass` as legal, so that an action can be sampled from
    the mask.
    """
    over = game.phase == Phase.GAME_OVER
    observer = int64(viewer.seat)
    if observer == NONE:
        observer = int64(0) if over else int64(game.player)
    result.is_over = over
    result.waits = not over and game.player != observer
    if result.waits:
        return
    result.player = observer
    for player in range(MAX_PLAYERS):
        result.rewards[player] = viewer.values[player]  # the values before the action
    write_value(game, tiles, int64(viewer.reward), trial_game, viewer.values)
    for player in range(int64(game.n_players)):
        result.scores[player] = game.players[player].score
        result.rewards[player] = 0.0 if viewer.begins else viewer.values[player] - result.rewards[player]
    result.reward = result.rewards[viewer.answered]
    if viewer.begins or viewer.blind:
        show_all(game, tiles, viewer, observer, room, picture, numbers)
    else:
        update_planes(game, tiles, viewer, observer, room, picture, numbers)
        update_globals(game, viewer, observer, numbers)
    viewer.begins = 0
    if over:  # mark `pass` as legal, so that the mask is not empty
        room.answers[0], n = pass_of(game), 1
    for k in range(int64(viewer.n_answers)):
        mask.legal[where.actions[viewer.answers[k]]] = 0
    for k in range(n):
        mask.legal[where.actions[room.answers[k]]] = 1
        viewer.answers[k] = room.answers[k]
    viewer.n_answers = n


# --- functions that Python calls --------------------------------------------------------------------------------------
@jit
def begin(games, which, tiles, viewers, results, pictures, numbers, masks, places):
    """Write the first results and observations of games that have just begun. The array `which` contains the indices of
    the games.
    """
    rooms, trial = np.empty(1, ROOM), np.empty(1, games.dtype)
    for k in range(len(which)):
        i = which[k]
        at = 0 if viewers[i].blind else i
        viewers[i].begins, viewers[i].answered = 1, 0
        n = legal_answers(games[i], tiles[0], rooms[0])
        show(
            games[i],
            tiles[0],
            viewers[i],
            results[i],
            trial,
            n,
            rooms[0],
            Picture(pictures[at], places[0]),
            Numbers(numbers[i], places[0]),
            masks[i],
            places[0],
        )


@jit
def play(games, which, tiles, actions, viewers, results, pictures, numbers, masks, places):
    """Play one legal action in each of the games whose indices are in `which`."""
    rooms, trial = np.empty(1, ROOM), np.empty(1, games.dtype)
    for k in range(len(which)):
        i = which[k]
        viewer = viewers[i]
        at = 0 if viewer.blind else i
        viewer.answered = games[i].player if viewer.seat == NONE else viewer.seat
        n = answer(games[i], tiles[0], int64(actions[k]), rooms[0])
        show(
            games[i],
            tiles[0],
            viewer,
            results[i],
            trial,
            n,
            rooms[0],
            Picture(pictures[at], places[0]),
            Numbers(numbers[i], places[0]),
            masks[i],
            places[0],
        )


@jit
def find_illegal(which, viewers, actions, legal):
    """Write 0 to `legal[k]` if `actions[k]` is not a legal action of the agent in the game `which[k]`. Returns the
    number of illegal actions.
    """
    wrong = 0
    for k in range(len(which)):
        viewer = viewers[which[k]]
        if not is_listed(viewer.answers, int64(viewer.n_answers), actions[k]):
            legal[k] = 0
            wrong += 1
    return wrong


@jit
def random_answers(viewers, chances, places, out):
    """Choose a legal action for the agent of each game, uniformly at random, and write the actions to out[n]. If a game
    is over, the function writes the action `pass`.
    """
    drawing = generators(chances)
    for i in range(len(viewers)):
        viewer = viewers[i]
        out[i] = places[0].actions[viewer.answers[random_below(drawing[i], int64(viewer.n_answers))]]


@jit
def random_legal(masks, chances, out):
    """Choose a legal action from each row of masks[n, actions], uniformly at random, and write the actions to out[n].
    If a row has no legal action, the function writes 0.
    """
    drawing = generators(chances)
    for i in range(len(masks)):
        out[i] = n = 0
        for k in range(masks.shape[1]):
            n += masks[i, k]
        left = random_below(drawing[i], int64(n))
        for k in range(masks.shape[1]):
            if masks[i, k]:
                out[i] = k
                left -= 1
                if left < 0:
                    break
