"""Computes the heuristic value (price) of each action for the player who has to act. This module does not change the
game.

The heuristic value of an action is an estimate in points: the expected points from the acting player's features and
pieces after the action, minus a weight times the mean of the other players' expected points. An action that places a
tile or an ingot is evaluated together with the best ingot and figure actions that can follow it. The heuristic value of
an action that places a tile or an ingot is therefore an estimate for the whole turn. `WORK.ingot` and `WORK.figure`
store the planned ingot and figure actions for the rest of the turn. The bot `greedy` plays the action with the highest
heuristic value. For learning agents, the module `candidates` returns the components of each heuristic value as a row of
numbers.
"""

from math import exp

import numpy as np
from numpy import int64

from carc_env.boxes.layout import N_COLUMNS
from carc_env.boxes.prospect_parts import N_PARTS, Part
from carc_env.compiling.jit import jit
from carc_env.observing.prospects import (
    MOST_HELD,
    VIEW,
    add_feature,
    count_left,
    list_unscored,
    n_parts,
    value_after,
    value_all,
)
from carc_env.observing.value_network import NETWORK, THOUGHT, Asked, margin_to_come
from carc_env.rules import figures, turn
from carc_env.rules.answers import (
    LAYING,
    MAX_ANSWERS,
    RECALL,
    ROOM,
    cell_answer,
    cell_of_choice,
    figure_of,
    is_listed,
    other_answer,
    pass_of,
)
from carc_env.rules.expansions import abbeys, abbot
from carc_env.rules.expansions.goldmines import has_gold
from carc_env.rules.features import leave
from carc_env.rules.geometry import size_of
from carc_env.rules.placement import is_used_up
from carc_env.rules.state import MAX_PLAYERS, NONE, Figure, Phase, record
from carc_env.rules.undo import copy_in_use, take_tile_back
from carc_env.systems.darmstadt import seen as darmstadt
from carc_env.systems.goldmines import seen as goldmines
from carc_env.systems.map_chips import seen as map_chips
from carc_env.systems.traders_and_builders import seen as traders_and_builders

NEAR = 1.5  # in points, see `quick_answer`
SHUNNED_BY = 1e6  # points that are subtracted from the heuristic value of an action that the bot should avoid
UNSCORED = (
    int(Phase.SELL_WINE),
    int(Phase.PLACE_INGOT),
    int(Phase.PLACE_FIGURE),
    int(Phase.PLACE_FERRY),
    int(Phase.MOVE_FERRY),
    int(Phase.FOUND_CASTLE),
)  # phases in which the features completed by the tile just placed are not scored yet

# Working space.
WORK = record(
    ("before", "f8", (MAX_PLAYERS, N_PARTS)),  # the heuristic estimates before the action
    ("parts", "f8", (MAX_PLAYERS, N_PARTS)),  # the heuristic estimates after the action
    ("trial", "f8", (MAX_PLAYERS, N_PARTS)),  # the estimates after the figure action that is being evaluated
    ("best", "f8", (N_PARTS,)),  # one player's estimates after the best figure action found so far
    ("network", NETWORK),  # a network whose correction is added to heuristic values
    ("thought", THOUGHT),
    ("ingot", "i8"),  # the cell of the second ingot in the plan of the last evaluated action, or NONE for no ingot
    ("figure", "i8"),  # the planned figure action, or NONE if the evaluated action places neither a tile nor an ingot
    ("placed", "i8"),  # the plan is valid only if the last tile was placed on this cell
    ("row", "f4", (N_COLUMNS,)),  # see `candidates`
    ("legal", ROOM),  # the legal actions of the decision
    ("cells", ROOM),  # the legal actions that place the second ingot
    ("room", ROOM),
    ("by_prospects", "f8", (MAX_ANSWERS,)),  # the heuristic values of the actions, without the network's correction
)


# --- prices -----------------------------------------------------------------------------------------------------------
@jit
def take_prices(view, work, prices):
    """Copy the heuristic weights (prices) to `view` and `work`. Functions that are called later read the weights from
    `view` and `work`. The network in `prices` is large, so it is copied only if the bot uses it.
    """
    table = view.prices
    table.parts[:] = prices.parts
    table.follower = prices.follower
    table.first_followers = prices.first_followers
    table.returning = prices.returning
    table.long = prices.long
    table.ingot_gain = prices.ingot_gain
    table.others = prices.others
    table.closing = prices.closing
    table.fitting = prices.fitting
    table.filling = prices.filling
    table.early[:] = prices.early
    table.hands[:] = prices.hands
    table.shunned_steps = prices.shunned_steps
    table.shunned_kinds = prices.shunned_kinds
    table.shunned_spots = prices.shunned_spots
    work.network.asked = prices.network.asked
    if prices.network.asked:
        work.network = prices.network


@jit
def followers_worth(prices, supply, turns):
    """Return the heuristic value of the followers in a player's supply. The player has `turns` turns left. The first
    few followers in the supply are worth more than each follower after them.
    """
    use = min(1.0, turns / prices.long)
    held = min(supply, float(MOST_HELD))
    low = int64(min(held, MOST_HELD - 1.0))
    more = prices.hands[low] + (held - low) * (prices.hands[low + 1] - prices.hands[low])
    return prices.follower * use * (supply + prices.first_followers * (1.0 - exp(-supply / 1.5))) + use * more


@jit
def worth(view, game, parts, player):
    """Return the points that a player's features and pieces will bring, according to the heuristic estimates. The
    result does not include the player's current score or the ingots in hand.
    """
    prices = view.prices
    total, use = 0.0, min(1.0, view.turns / prices.long)
    for part in range(n_parts(view, game)):
        total += (prices.parts[part] + use * prices.early[part]) * parts[player, part]
    if n_parts(view, game) > Part.CASTLE_TOKENS:
        total -= unused_worth(view, parts, player)
    supply = parts[player, Part.SUPPLY] + prices.returning * parts[player, Part.RETURNING]
    total += followers_worth(prices, supply, view.turns)
    return goldmines.with_ingots_to_come(view, game, parts, player, total)


@jit
def worth_in_hand(view, game, player):
    """Return the value of the ingots in a player's hand, which score points only at the end of the game. The result
    of the function `worth` does not include this value.
    """
    return goldmines.worth_in_hand(view, game, player)


@jit
def unused_worth(view, parts, player):
    """Return how much value a player's castle tokens, abbeys and castle tiles have lost so far. In the last turns,
    these pieces gradually lose their value. At the end of the game, they are worthless.
    """
    prices = view.prices
    held = (
        prices.parts[Part.CASTLE_TOKENS] * parts[player, Part.CASTLE_TOKENS]
        + prices.parts[Part.ABBEYS] * parts[player, Part.ABBEYS]
        + prices.parts[Part.GERMAN_CASTLES] * parts[player, Part.GERMAN_CASTLES]
    )
    return (1.0 - min(1.0, view.turns / prices.long)) * held


@jit
def price(view, game, work, player, active):
    """Return the heuristic value of a position for `player`. The array `work.parts` contains the heuristic estimates
    for this position. `active` is the player whose turn it is. The result is the `worth` of `player`, minus a weight
    times the mean `worth` of the other players, plus the network's contribution (`learned_price`).
    """
    others = 0.0
    for other in range(int64(game.n_players)):
        if other != player:
            others += worth(view, game, work.parts, other)
    found = worth(view, game, work.parts, player) - view.prices.others * others / (game.n_players - 1)
    return found + learned_price(view, game, work.parts, player, active, work)


@jit
def learned_price(view, game, parts, player, active, work):
    """Return the network's contribution to the heuristic value of a position. The contribution is 0 if the bot does not
    use a network for heuristic values, or if the game has more than two players.
    """
    if work.network.asked != Asked.PRICES or game.n_players != 2:
        return 0.0
    return learned(view, game, parts, player, active, work)


@jit
def learned(view, game, parts, player, active, work):
    """Return the network's correction to the estimated final margin of `player`, in points. Without this correction,
    the margin is estimated from the heuristic estimates alone. `active` is the player whose turn it is. The game must
    have two players.
    """
    moves = -1.0 if active == player else 1.0
    return margin_to_come(work.network, view, game, parts, player, 1 - player, moves, 1.0, work.thought)


# --- figure actions ---------------------------------------------------------------------------------------------------
@jit
def best_figure(view, game, tiles, work):
    """Return the best figure action of the active player. The function also updates `work.parts`: it writes the active
    player's heuristic estimates after this action, and does not change the other players' estimates.
    """
    best, choice, player = -1e9, int64(-1), int64(game.active)
    for other in range(int64(game.n_players)):
        for part in range(n_parts(view, game)):
            work.trial[other, part] = work.parts[other, part]
    for k in range(turn.legal_answers(game, tiles, work.room)):
        if is_shunned(view, game, tiles, int64(work.room.answers[k])):
            continue
        for part in range(n_parts(view, game)):
            work.trial[player, part] = work.parts[player, part]
        add_answer(view, game, tiles, int64(work.room.answers[k]), work.trial)
        value = worth(view, game, work.trial, player) + learned_price(view, game, work.trial, player, player, work)
        if value > best:
            best, choice = value, int64(work.room.answers[k])
            for part in range(n_parts(view, game)):
                work.best[part] = work.trial[player, part]
    for part in range(n_parts(view, game)):
        work.parts[player, part] = work.best[part]
    return choice


@jit
def is_shunned(view, game, tiles, answer):
    """True if the bot should avoid an action according to the bot's settings (see SHUNNED in prospects.py)."""
    prices = view.prices
    if answer == pass_of(game) or prices.shunned_steps | prices.shunned_kinds | prices.shunned_spots == 0:
        return False
    if game.phase != Phase.PLACE_FIGURE:
        return prices.shunned_steps >> game.phase & 1 == 1
    if answer == other_answer(size_of(game), RECALL):
        return False
    square, spot = game.board[game.placed], figure_of(size_of(game), answer)[1]
    kind = tiles.kinds[square.tile].kind[tiles.kinds[square.tile].spot_segment[square.rotation, spot]]
    return prices.shunned_kinds >> kind & 1 == 1 or prices.shunned_spots >> spot & 1 == 1


@jit
def add_answer(view, game, tiles, answer, parts):
    """Add the effect of a figure action to the heuristic estimates in `parts`. The function does not change the
    game.
    """
    player = int64(game.active)
    if answer == other_answer(size_of(game), RECALL):
        recall(view, game, tiles, player, parts)
    elif answer != pass_of(game):
        figure, spot = figure_of(size_of(game), answer)
        if figure >= Figure.BUILDER:
            traders_and_builders.add_helper(view, game, tiles, player, figure, spot, parts)
            return
        slot, touches = figures.slot_in_supply(game, player, figure), int64(game.n_touched)
        parts[player, Part.CHURCHES] -= darmstadt.church_prospects(view, game, tiles, player)
        figures.deploy(game, tiles, player, figure, spot)
        parts[player, Part.SUPPLY] -= 1.0
        parts[player, Part.CHURCHES] += darmstadt.church_prospects(view, game, tiles, player)
        add_feature(view, game, tiles, int64(game.segments[game.players[player].figures[slot]].feature), parts)
        leave(game, player, slot)
        game.n_touched = touches  # from here on, the game is again as it was before the call


@jit
def recall(view, game, tiles, player, parts):
    """Change the heuristic estimates in `parts` as if the player took back the abbot. The function adds the points for
    taking back the abbot, and subtracts the heuristic estimates for the abbot's building.
    """
    feature = int64(game.segments[abbot.building(game, player)].feature)
    for part in range(n_parts(view, game)):
        parts[player, part] = -parts[player, part]
    add_feature(view, game, tiles, feature, parts)
    for part in range(n_parts(view, game)):
        parts[player, part] = -parts[player, part]
    parts[player, Part.NOW] += abbot.recall_points(game)
    parts[player, Part.SUPPLY] += 1.0


# --- one action -------------------------------------------------------------------------------------------------------
@jit
def price_answer(view, game, now, tiles, answer, work):
    """Return the heuristic value of an action for the acting player. The function also computes `work.parts` and the
    plan for the rest of the turn.

    `now` is a copy of the game. The function changes `now` if the action places a tile, sells wine, or belongs to a
    decision about ferries, castles or crop circles. An action of any other kind leaves `now` unchanged.
    """
    work.ingot = work.figure = NONE
    if game.phase in LAYING and answer == pass_of(game):  # the tile that would be drawn is not known
        keep_parts(work)
        return price(view, now, work, int64(game.player), int64(game.active)) + turn_worth(view, game)
    rivals = 0.0
    if game.phase in LAYING or game.phase == Phase.SELL_WINE:
        turn.carry_out(now, tiles, answer, work.room)
        work.row[goldmines.GOLD] = has_gold(now, tiles)  # computed before ingots are put on the tile
        list_unscored(view, now, tiles)
        after_tile(view, now, tiles, work)
        if game.phase in LAYING:
            map_chips.add_square(view, now, work)
        traders_and_builders.add_goods(now, tiles, work)
        add_scores(now, game, work.parts)
    elif game.phase == Phase.PLACE_INGOT:
        after_ingot(view, now, tiles, cell_of_choice(size_of(game), answer), work)
    elif game.phase == Phase.PLACE_FIGURE:
        keep_parts(work)
        add_answer(view, now, tiles, answer, work.parts)
    elif game.phase == Phase.TAKE_INGOT:
        cell = cell_of_choice(size_of(game), answer)
        take_ingot(view, now, tiles, cell, work)
        rivals = goldmines.count_rivals(game, int64(game.player), cell)
    else:  # carry out any other action, and then choose the first legal action in each further decision
        turn.play_out(now, tiles, answer, work.room)
        view.unscored = 0
        value_all(view, now, tiles, work.parts)
        add_scores(now, game, work.parts)
    found = price(view, now, work, int64(game.player), int64(game.active)) + rivals
    return found - SHUNNED_BY if is_shunned(view, game, tiles, answer) else found


@jit
def keep_parts(work):
    """Copy the heuristic estimates of the position before the action into `work.parts`."""
    for player in range(MAX_PLAYERS):
        for part in range(N_PARTS):
            work.parts[player, part] = work.before[player, part]


@jit
def turn_worth(view, game):
    """Return the value of drawing a tile in this turn instead of placing an abbey or a castle tile. The value is 0 if
    no tile is left.
    """
    if is_used_up(game) or abbeys.is_offered(game):
        return 0.0
    return view.prices.parts[Part.EXTRA_TURN]


@jit
def add_scores(now, game, parts):
    """Add the players' new points to the heuristic estimates in `parts`. The new points are those scored between the
    positions `game` and `now`.
    """
    for player in range(int64(game.n_players)):
        parts[player, Part.NOW] += now.players[player].score - game.players[player].score


@jit
def after_tile(view, game, tiles, work):
    """Evaluate the position after a tile was placed. The evaluation assumes that the best ingot action and the best
    figure action follow. The function does not play these actions in `game`.
    """
    n, phase = 0, game.phase
    game.phase = Phase.PLACE_INGOT
    if turn.begin(game, tiles, work.cells):
        n = turn.legal_answers(game, tiles, work.cells)
    best, choice = -1e9, int64(NONE)
    for k in range(n):
        cell = cell_of_choice(size_of(game), int64(work.cells.answers[k]))
        after_ingot(view, game, tiles, cell, work)
        value = price(view, game, work, int64(game.active), int64(game.active))
        if value > best:
            best, choice = value, cell
    after_ingot(view, game, tiles, choice, work)
    game.phase = phase


@jit
def after_ingot(view, game, tiles, cell, work):
    """Evaluate the position that results if the second ingot lies on `cell` and the best figure action is played. If
    `cell` is NONE, no second ingot is assumed. After the evaluation, the ingot is removed again.
    """
    phase = game.phase
    game.phase = Phase.PLACE_FIGURE
    if cell >= 0:
        game.board[cell].ingots += 1
    value_after(view, game, tiles, work.parts)
    work.ingot, work.figure = cell, best_figure(view, game, tiles, work)
    if cell >= 0:
        game.board[cell].ingots -= 1
    game.phase = phase


@jit
def take_ingot(view, game, tiles, cell, work):
    """Evaluate the position as if one ingot had been taken from `cell`. After the evaluation, the ingot is put back."""
    game.board[cell].ingots -= 1
    value_all(view, game, tiles, work.parts)
    game.board[cell].ingots += 1
    work.parts[int64(game.player), Part.INGOTS_NOW] += 1.0


# --- the actions of one decision --------------------------------------------------------------------------------------
@jit
def begin_question(view, game, trial, tiles, work):
    """Evaluate the current position, before the legal actions are evaluated. `trial` becomes a copy of the game."""
    count_left(view, game, tiles)
    copy_in_use(trial, game)
    if game.phase in UNSCORED:
        list_unscored(view, trial, tiles)
    value_all(view, trial, tiles, work.before)


@jit
def take_answer_back(trial, game):
    """After an action has been evaluated on `trial`, make `trial` a copy of the game again."""
    if game.phase in LAYING:
        take_tile_back(trial, game)
    elif game.phase != Phase.PLACE_INGOT and game.phase != Phase.PLACE_FIGURE and game.phase != Phase.TAKE_INGOT:
        copy_in_use(trial, game)


@jit
def best_answer(view, game, trial, tiles, n, work):
    """Return the action with the highest heuristic value among the n actions in `work.legal`. In a tie, return the
    first of the best actions. The function writes the plan for the rest of the turn to `work`. `trial` is working
    space.
    """
    begin_question(view, game, trial, tiles, work)
    return best_listed(view, game, trial, tiles, n, work, False)


@jit
def best_listed(view, game, trial, tiles, n, work, with_network):
    """Return the action with the highest heuristic value, like `best_answer`. In contrast to `best_answer`, this
    function does not call `begin_question`, so the caller must call `begin_question` first. If `with_network` is True,
    the network's correction is added to each heuristic value.
    """
    best, choice, ingot, figure = -1e300, int64(NONE), int64(NONE), int64(NONE)
    for k in range(n):
        answer = int64(work.legal.answers[k])
        value = price_answer(view, game, trial, tiles, answer, work)
        if with_network:
            value += learned(view, trial, work.parts, int64(game.player), int64(game.active), work)
        if value > best:
            best, choice, ingot, figure = value, answer, int64(work.ingot), int64(work.figure)
            work.placed = trial.placed
        take_answer_back(trial, game)
    work.ingot, work.figure = ingot, figure
    return choice


@jit
def next_answer(view, game, trial, tiles, n, work):
    """Return the bot's next action. If a legal action was planned when the last tile was placed, return this planned
    action. If no legal action was planned, return the action with the highest heuristic value among the n actions in
    `work.legal`.
    """
    planned = planned_answer(game, n, work)
    return planned if planned != NONE else best_answer(view, game, trial, tiles, n, work)


@jit
def planned_answer(game, n, work):
    """Return the action that was planned when the last tile was placed. Return NONE if the planned action is not among
    the n actions in `work.legal`.
    """
    planned = int64(NONE)
    if work.placed == game.placed and game.placed != NONE:
        if game.phase == Phase.PLACE_INGOT and work.ingot != NONE:
            planned = cell_answer(size_of(game), int64(work.ingot))
        elif game.phase == Phase.PLACE_FIGURE:
            planned = int64(work.figure)
    return planned if planned != NONE and is_listed(work.legal.answers, n, planned) else int64(NONE)


@jit
def quick_answer(view, game, trial, tiles, n, work):
    """Choose the bot's next action. The function is a fast approximation of `next_answer`. If a network is used for
    heuristic values, this function takes half as long as `next_answer`, because it uses the network less often. The
    network is not used to plan figure actions. If no planned action is legal, the network evaluates only the legal
    actions whose heuristic value is at most NEAR points below the highest heuristic value.
    """
    if work.network.asked != Asked.PRICES or game.n_players != 2:
        return next_answer(view, game, trial, tiles, n, work)
    work.network.asked = Asked.LEAVES  # with this value, `best_figure` does not use the network
    found = planned_answer(game, n, work)
    if found == NONE:
        found = best_of_near(view, game, trial, tiles, n, work)
    work.network.asked = Asked.PRICES
    return found


@jit
def best_of_near(view, game, trial, tiles, n, work):
    """Return the action that `quick_answer` chooses if there is no planned action. The function writes the plan for the
    rest of the turn to `work`. After the call, the list in `work.legal` contains only the actions that the network has
    evaluated.
    """
    most, near = -1e300, 0
    begin_question(view, game, trial, tiles, work)
    for k in range(n):
        work.by_prospects[k] = price_answer(view, game, trial, tiles, int64(work.legal.answers[k]), work)
        most = max(most, work.by_prospects[k])
        take_answer_back(trial, game)
    for k in range(n):
        if work.by_prospects[k] >= most - NEAR:
            work.legal.answers[near] = work.legal.answers[k]
            near += 1
    return best_listed(view, game, trial, tiles, near, work, True)


# --- functions that Python calls --------------------------------------------------------------------------------------
@jit
def forget_parts(work):
    """Clear the heuristic estimates and the plan in `work`. The ROOM records in `work` are large and are not cleared.
    The lists in these records are always written before they are read.
    """
    work.before[:] = work.parts[:] = work.trial[:] = 0.0
    work.best[:] = 0.0
    work.ingot = work.figure = work.placed = NONE


@jit
def choose_best(games, which, tiles, prices, out):
    """In each game of `which`, choose the action with the highest heuristic value. `which` contains indices of games,
    and `out[k]` becomes the action for the game with the index `which[k]`. In a tie, `out[k]` is the first of the best
    actions. If the game is over, `out[k]` is NONE.
    """
    view, trial_game, works = np.zeros(1, VIEW), np.zeros(1, games.dtype), np.empty(1, WORK)
    take_prices(view[0], works[0], prices[0])
    forget_parts(works[0])
    for k in range(len(which)):
        game = games[which[k]]
        n = turn.legal_answers(game, tiles[0], works[0].legal)
        out[k] = best_answer(view[0], game, trial_game[0], tiles[0], n, works[0]) if n else NONE


def best_answers(
    games: np.ndarray, tiles: np.ndarray, prices: np.ndarray, which: np.ndarray | None = None
) -> np.ndarray:
    """Return the legal action with the highest heuristic value for each selected game. `which` contains the indices of
    the selected games; by default, all games are selected. In a tie, the first of the best actions is returned. For a
    game that is over, the entry is NONE.
    """
    which = np.arange(len(games)) if which is None else which
    best = np.empty(len(which), np.int64)
    choose_best(games, which, tiles, prices, best)
    return best
