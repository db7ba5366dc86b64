"""Implements The Goldmines: ingots are placed on tiles and awarded to players. The default rules are those of Hans im
Glück, and the rules of Rio Grande are variants.

A player who places a gold tile puts one ingot on this tile and one ingot on a neighbouring tile. When a feature is
completed, it is scored, and its owners then receive the ingots in its area in the same turn. The owners of all
completed features share one *draft*, in which they take ingots one after the other.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.answers import cell_answer, cell_of_choice, insert_ascending, pass_of
from carc_env.rules.double_tiles import area_size, area_square, first_square, other_square
from carc_env.rules.double_tiles import is_in_area as is_near_tile
from carc_env.rules.expansions import german_cathedrals
from carc_env.rules.features import is_building, is_first_of_road, is_in_vicinity, is_on_tile
from carc_env.rules.geometry import n_cells, nearby, size_of, x_of, y_of
from carc_env.rules.history import log, note
from carc_env.rules.state import NONE, EventKind, GoldRule, Kind, Phase


# --- placing gold -----------------------------------------------------------------------------------------------------
@jit
def has_gold(game, tiles):
    """True if the tile just placed has a gold symbol, and the supply still has an ingot."""
    return game.systems.goldmines.supply > 0 and tiles.kinds[game.board[game.placed].tile].gold > 0


@jit
def put(game, cell):
    """Put one ingot from the supply on a tile."""
    game.systems.goldmines.supply -= 1
    game.systems.goldmines.on_tiles += 1
    game.board[cell].ingots += 1
    note(game, EventKind.INGOT_PUT, game.active, 0, 1, cell)


@jit
def begin(game, tiles):
    """Put one ingot on a gold tile just placed. Returns True if the player has a second ingot to place."""
    if has_gold(game, tiles):
        put(game, int(game.placed))
    return has_gold(game, tiles)


@jit
def second_ingot_options(game, tiles, room):
    """List the actions that put the second ingot on a neighbouring tile. A gold tile has up to eight neighbouring
    tiles. Returns the number of actions.
    """
    n = 0
    if has_gold(game, tiles):
        for k in range(9):
            near = first_square(game, nearby(game, game.placed, k))
            if near != game.placed and game.board[near].tile != NONE and not game.board[near].large:
                n = insert_ascending(room, n, cell_answer(size_of(game), near))
    return n


@jit
def apply_second_ingot(game, answer):
    """Put the second ingot on the tile that the player chose. Always returns True, because any action finishes this
    step.
    """
    if answer != pass_of(game):
        put(game, cell_of_choice(size_of(game), answer))
    return True


# --- the area of a feature --------------------------------------------------------------------------------------------
@jit
def is_in_area(game, feature, cell):
    """True if a cell is in the area of a feature. The area of a road or city consists of its tiles. The area of a
    building consists of its tile and the tiles around it. The area of a German cathedral consists of the tiles of its
    roads. The area of a castle is its vicinity. `cell` must be the first square of its tile.
    """
    kind = game.features[feature].kind
    if kind == Kind.CASTLE:
        return is_in_vicinity(game, feature, cell) or is_in_vicinity(game, feature, other_square(game, cell))
    if kind == Kind.GERMAN_CATHEDRAL:
        return german_cathedrals.is_in_area(game, feature, cell)
    if not is_building(kind):
        return is_on_tile(game, feature, cell)
    building = int(game.segments[feature].cell)
    other = other_square(game, building)
    for k in range(area_size(other)):
        if first_square(game, area_square(game, building, other, k)) == cell:
            return True
    return False


@jit
def has_right_from(game, player, cell, first):
    """True if the player may take an ingot from `cell`. The cell must have an ingot and lie in the area of one of the
    player's completed features. The function considers only the features in GAME.completed with index `first` or
    higher.
    """
    if game.board[cell].ingots == 0:
        return False
    for i in range(first, int64(game.n_completed)):
        done = game.completed[i]
        if done.owners >> player & 1 and is_in_area(game, int(done.feature), cell):
            return True
    return False


@jit
def may_take(game, player, cell):
    """True if the player may still take an ingot from `cell` in this draft. The player must have a right to the ingot,
    and must still have a turn in the draft.
    """
    draft, first = game.systems.goldmines, int64(0)
    if game.variants.gold_rule == GoldRule.RGG_SINGLE_PASS and draft.visitor != NONE:
        place = (int64(player) - int64(game.active)) % int64(game.n_players)
        if player == draft.visitor:
            first = max(first, int64(draft.serving))  # the player has already had a turn for each earlier feature
        elif place < draft.visits:
            return False
    return has_right_from(game, player, cell, first)


@jit
def area_options(game, feature, room, n):
    """Add to `room.answers` all actions that take an ingot from the area of a feature. `n` is the number of actions in
    `room.answers` before the call. Returns the number of actions after the call.
    """
    kind = game.features[feature].kind
    if is_building(kind) or kind == Kind.CASTLE:
        building = int(game.segments[feature].cell)
        other = other_square(game, building)
        for k in range(area_size(other)):
            near = first_square(game, area_square(game, building, other, k))
            if game.board[near].ingots > 0 and is_in_area(game, feature, near):
                n = insert_ascending(room, n, cell_answer(size_of(game), near))
        return n
    if game.features[feature].kind == Kind.GERMAN_CATHEDRAL:
        for node in range(german_cathedrals.first_segment(game, feature), feature):
            if is_first_of_road(game, node):
                n = tile_options(game, int(game.segments[node].feature), room, n)
        return n
    return tile_options(game, feature, room, n)


@jit
def tile_options(game, feature, room, n):
    """Add to `room.answers` all actions that take an ingot from a tile of a road or city. `n` is the number of actions
    in `room.answers` before the call. Returns the number of actions after the call.
    """
    node = int(feature)
    while True:
        cell = int(game.segments[node].cell)
        if game.board[cell].ingots > 0:
            n = insert_ascending(room, n, cell_answer(size_of(game), cell))
        node = int(game.segments[node].next)
        if node == feature:
            return n


@jit
def count_around(game, cell):
    """Return how many ingots lie on a tile and on the tiles around it."""
    ingots, other = 0, other_square(game, cell)
    for k in range(area_size(other)):
        near = area_square(game, cell, other, k)
        tile = first_square(game, near)
        # if both squares of a double tile are near, count its ingots only once
        if tile == near or not is_near_tile(game, cell, tile):
            ingots += int(game.board[tile].ingots)
    return ingots


# --- the draft --------------------------------------------------------------------------------------------------------
@jit
def options(game, room):
    """List the actions with which `visitor` takes one ingot. `visitor` is the player whose turn it is in the draft.
    Returns the number of actions.

    By Hans im Glück's rule, the ingot may come from the area of any completed feature that the player owns. By Rio
    Grande's rules, the player takes one ingot for each of their completed features, one feature after the other. The
    ingot must come from the area of the current feature (`serving`).
    """
    draft = game.systems.goldmines
    if draft.visitor == NONE:
        return 0
    if game.variants.gold_rule == GoldRule.HIG:
        return own_options(game, int(draft.visitor), room)
    return area_options(game, int(game.completed[draft.serving].feature), room, 0)


@jit
def claimants(game, room):
    """Return a bit set of the players who still have a right to an ingot."""
    players = 0
    for i in range(game.n_completed):
        owners = int(game.completed[i].owners)
        if owners and area_options(game, int(game.completed[i].feature), room, 0) > 0:
            players |= owners
    return players


@jit
def begin_draft(game, room):
    """Begin the draft. The owners of the features completed in this turn take ingots one after the other, clockwise
    from the active player. Returns False if no player has to decide.
    """
    draft = game.systems.goldmines
    draft.visitor = NONE
    draft.visits = 0
    if draft.on_tiles > 0 and game.n_completed > 0:
        next_visit(game, room)
    return ask_visitor(game)


@jit
def ask_visitor(game):
    """Set GAME.player to the player whose turn it is in the draft. Returns False if the draft is over."""
    if game.systems.goldmines.visitor == NONE:
        return False
    game.player = game.systems.goldmines.visitor
    return True


@jit
def apply(game, answer, room):
    """Give the chosen ingot to the player whose turn it is in the draft, and continue the draft. Returns True if the
    draft is over.
    """
    take(game, int(game.systems.goldmines.visitor), cell_of_choice(size_of(game), answer))
    go_on(game, room)
    return not ask_visitor(game)


@jit
def take(game, player, cell):
    """Give one ingot from a tile to a player."""
    game.board[cell].ingots -= 1
    game.systems.goldmines.on_tiles -= 1
    game.players[player].ingots += 1
    note(game, EventKind.INGOT_TAKEN, player, 0, 1, cell)


@jit
def go_on(game, room):
    """After a player has taken an ingot, determine who takes the next ingot. By Hans im Glück's rule, a player takes
    only one ingot before the next player's turn in the draft. By Rio Grande's rules, a player takes one ingot for each
    of their completed features, in the order of GAME.completed.
    """
    draft = game.systems.goldmines
    if game.variants.gold_rule == GoldRule.HIG:
        next_visit(game, room)
    elif not takes_the_rest(game, room):
        serve_next(game, room)
        if draft.serving == game.n_completed:
            next_visit(game, room)


@jit
def serve_next(game, room):
    """Set `serving` to the next completed feature for which `visitor` can take an ingot (Rio Grande's rules). If there
    is no such feature, set `serving` to `n_completed`, which ends the turn of `visitor` in the draft.
    """
    draft = game.systems.goldmines
    draft.serving += 1
    while draft.serving < game.n_completed:
        done = game.completed[draft.serving]
        if done.owners >> draft.visitor & 1 and area_options(game, int(done.feature), room, 0) > 0:
            return
        draft.serving += 1


@jit
def next_visit(game, room):
    """Set `visitor` to the next player clockwise who has a right to an ingot. If no player has a right to an ingot, the
    draft ends, and `visitor` becomes NONE. With the variant `rgg_single_pass`, the draft also ends when each player has
    had one turn in the draft.
    """
    draft = game.systems.goldmines
    if takes_the_rest(game, room):
        return
    players = claimants(game, room)
    once = game.variants.gold_rule == GoldRule.RGG_SINGLE_PASS
    while players and not (once and draft.visits >= game.n_players):
        player = (int(game.active) + int(draft.visits)) % int(game.n_players)
        draft.visits += 1
        if players >> player & 1:
            draft.visitor = player
            draft.serving = -1
            if game.variants.gold_rule != GoldRule.HIG:
                serve_next(game, room)
            return
    draft.visitor = NONE


@jit
def takes_the_rest(game, room):
    """If only one player still has a right to ingots, give that player all of these ingots without a decision, and
    return True. Otherwise, return False. With the variant `rgg_single_pass`, always return False.
    """
    if game.variants.gold_rule == GoldRule.RGG_SINGLE_PASS:
        return False
    players = claimants(game, room)
    for player in range(int(game.n_players)):
        if players == 1 << player:
            while True:
                cell = first_row_by_row(game, player, room)
                if cell == NONE:
                    break
                log(game, cell_answer(size_of(game), cell), Phase.TAKE_INGOT, player)
                take(game, player, cell)
            game.systems.goldmines.visitor = NONE
            return True
    return False


@jit
def first_row_by_row(game, player, room):
    """Return the first cell (row by row) from which the player may take an ingot, or NONE if there is none."""
    best, best_x, best_y = int64(NONE), 0, 0
    for k in range(own_options(game, player, room)):
        cell = cell_of_choice(size_of(game), int64(room.answers[k]))
        x, y = x_of(game, cell), y_of(game, cell)
        if best == NONE or y < best_y or (y == best_y and x < best_x):
            best, best_x, best_y = cell, x, y
    return best


@jit
def own_options(game, player, room):
    """List the actions that take an ingot from the area of one of the player's completed features. Returns their
    number.
    """
    n = 0
    for i in range(game.n_completed):
        if game.completed[i].owners >> player & 1:
            n = area_options(game, int(game.completed[i].feature), room, int(n))
    return n


# --- the end ----------------------------------------------------------------------------------------------------------
@jit
def value(ingots):
    """Return the points that a player gets for this number of ingots at the end of the game. Each ingot is worth 1
    point to a player with 1 to 3 ingots, 2 points with 4 to 6 ingots, 3 points with 7 to 9 ingots, and 4 points with 10
    or more ingots.
    """
    if ingots >= 10:
        return 4 * ingots
    if ingots >= 7:
        return 3 * ingots
    if ingots >= 4:
        return 2 * ingots
    return ingots


@jit
def final_points(game, player):
    """Return the points for a player's ingots at the end of the game."""
    return value(int(game.players[player].ingots))


@jit
def set_aside(game):
    """Before the final scoring, remove all ingots that are still on tiles."""
    left = int64(game.systems.goldmines.on_tiles)
    if left > 0:
        game.systems.goldmines.on_tiles = 0
        for cell in range(n_cells(game)):
            game.board[cell].ingots = 0
        note(game, EventKind.INGOTS_SET_ASIDE, NONE, 0, left, NONE)
