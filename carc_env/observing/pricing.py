"""Prices: what an answer is worth to the player who gives it, worked out without changing the game.

The price says what the prospects of the player asked, less those of the others, are worth after the answer. An answer
that places a tile or an ingot is followed, for this, by the ingot and the figure answer that look best: the price is
that of a whole turn, and the plan of that turn is kept (`WORK.ingot`, `WORK.figure`). The bot `greedy` plays the answer
with the best price; `candidates` tells learners in rows what the prices are made of.
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

NEAR = 1.5  # points, see `quick_answer`
SHUNNED_BY = 1e6  # points that the price of an answer is lower where the bot leaves it alone
UNSCORED = (
    int(Phase.SELL_WINE),
    int(Phase.PLACE_INGOT),
    int(Phase.PLACE_FIGURE),
    int(Phase.PLACE_FERRY),
    int(Phase.MOVE_FERRY),
    int(Phase.FOUND_CASTLE),
)  # questions while a tile lies that was not scored yet

# Room to work in.
WORK = record(
    ("before", "f8", (MAX_PLAYERS, N_PARTS)),  # the prospects before the answer,
    ("parts", "f8", (MAX_PLAYERS, N_PARTS)),  # after it,
    ("trial", "f8", (MAX_PLAYERS, N_PARTS)),  # and after a figure answer that is tried
    ("best", "f8", (N_PARTS,)),  # the best of these, for one player
    ("network", NETWORK),  # what it expects is added to prices
    ("thought", THOUGHT),
    ("ingot", "i8"),  # the cell of the second ingot that the answer priced last is followed by, NONE: no ingot
    ("figure", "i8"),  # and the figure answer, NONE: the answer places neither tile nor ingot
    ("placed", "i8"),  # the cell of the tile for which the plan of a turn is kept
    ("row", "f4", (N_COLUMNS,)),  # see `candidates`
    ("legal", ROOM),  # the answers to the question
    ("cells", ROOM),  # where the second ingot could go
    ("room", ROOM),
    ("by_prospects", "f8", (MAX_ANSWERS,)),  # prices of the answers without the network
)


# --- prices -----------------------------------------------------------------------------------------------------------
@jit
def take_prices(view, work, prices):
    """From now on these prices hold. Their network is large, and is copied only where it is asked."""
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
    """What followers in supply are worth with `turns` own turns to come: the first ones are worth most."""
    use = min(1.0, turns / prices.long)
    held = min(supply, float(MOST_HELD))
    low = int64(min(held, MOST_HELD - 1.0))
    more = prices.hands[low] + (held - low) * (prices.hands[low + 1] - prices.hands[low])
    return prices.follower * use * (supply + prices.first_followers * (1.0 - exp(-supply / 1.5))) + use * more


@jit
def worth(view, game, parts, player):
    """A player's prospects in points. What he has is no part of them: points on the track, ingots in hand."""
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
    """What a player has in hand that will be points at the end of the game, and that `worth` leaves out."""
    return goldmines.worth_in_hand(view, game, player)


@jit
def unused_worth(view, parts, player):
    """What tokens and tiles in hand lose of their worth as the game goes on: at its end nothing of it is left."""
    prices = view.prices
    held = (
        prices.parts[Part.CASTLE_TOKENS] * parts[player, Part.CASTLE_TOKENS]
        + prices.parts[Part.ABBEYS] * parts[player, Part.ABBEYS]
        + prices.parts[Part.GERMAN_CASTLES] * parts[player, Part.GERMAN_CASTLES]
    )
    return (1.0 - min(1.0, view.turns / prices.long)) * held


@jit
def price(view, game, work, player, active):
    """What the prospects in work.parts are worth to a player in a turn of `active`: the own ones less a share of the mean
    of the others', and what a network expects beyond them.
    """
    others = 0.0
    for other in range(int64(game.n_players)):
        if other != player:
            others += worth(view, game, work.parts, other)
    found = worth(view, game, work.parts, player) - view.prices.others * others / (game.n_players - 1)
    return found + learned_price(view, game, work.parts, player, active, work)


@jit
def learned_price(view, game, parts, player, active, work):
    """What the network adds to a price: 0 where it is not asked for prices."""
    if work.network.asked != Asked.PRICES or game.n_players != 2:
        return 0.0
    return learned(view, game, parts, player, active, work)


@jit
def learned(view, game, parts, player, active, work):
    """What the network of two players expects beyond prospects, for one of them in a turn of `active`."""
    moves = -1.0 if active == player else 1.0
    return margin_to_come(work.network, view, game, parts, player, 1 - player, moves, 1.0, work.thought)


# --- figure answers ---------------------------------------------------------------------------------------------------
@jit
def best_figure(view, game, tiles, work):
    """The best figure answer of the active player; his work.parts become what they are after it, the others' stay."""
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
    """Whether an answer is one that the bot leaves alone."""
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
    """Add what a figure answer brings to parts, leaving the game as it was."""
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
        game.n_touched = touches  # all is as it was


@jit
def recall(view, game, tiles, player, parts):
    """The abbot comes home with what the building is worth now; what it promised is lost."""
    feature = int64(game.segments[abbot.building(game, player)].feature)
    for part in range(n_parts(view, game)):
        parts[player, part] = -parts[player, part]
    add_feature(view, game, tiles, feature, parts)
    for part in range(n_parts(view, game)):
        parts[player, part] = -parts[player, part]
    parts[player, Part.NOW] += abbot.recall_points(game)
    parts[player, Part.SUPPLY] += 1.0


# --- one answer -------------------------------------------------------------------------------------------------------
@jit
def price_answer(view, game, now, tiles, answer, work):
    """What an answer is worth to the player asked; fills work.parts, and the plan of what follows.

    `now` is a copy of the game. Only an answer that places a tile, or is played out, changes it.
    """
    work.ingot = work.figure = NONE
    if game.phase in LAYING and answer == pass_of(game):  # what is drawn then is not known
        keep_parts(work)
        return price(view, now, work, int64(game.player), int64(game.active)) + turn_worth(view, game)
    rivals = 0.0
    if game.phase in LAYING or game.phase == Phase.SELL_WINE:
        turn.carry_out(now, tiles, answer, work.room)
        work.row[goldmines.GOLD] = has_gold(now, tiles)  # before its ingots are put
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
    else:  # what else can come is carried out, with the first answers to what it leads to
        turn.play_out(now, tiles, answer, work.room)
        view.unscored = 0
        value_all(view, now, tiles, work.parts)
        add_scores(now, game, work.parts)
    found = price(view, now, work, int64(game.player), int64(game.active)) + rivals
    return found - SHUNNED_BY if is_shunned(view, game, tiles, answer) else found


@jit
def keep_parts(work):
    """The parts stay what they were before the answer."""
    for player in range(MAX_PLAYERS):
        for part in range(N_PARTS):
            work.parts[player, part] = work.before[player, part]


@jit
def turn_worth(view, game):
    """What the turn is worth in which a tile is drawn, for whoever keeps the abbey or the castle tile; 0 without a
    tile.
    """
    if is_used_up(game) or abbeys.is_offered(game):
        return 0.0
    return view.prices.parts[Part.EXTRA_TURN]


@jit
def add_scores(now, game, parts):
    """Add what the players have scored since."""
    for player in range(int64(game.n_players)):
        parts[player, Part.NOW] += now.players[player].score - game.players[player].score


@jit
def after_tile(view, game, tiles, work):
    """Value the table after a tile was placed, with the best ingot and figure answers to come; then they are taken
    back.
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
    """Value the table with the second ingot on a cell (NONE: none) and the best figure answer; the ingot comes off
    again.
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
    """Value the table with one ingot taken from a cell; it comes back again."""
    game.board[cell].ingots -= 1
    value_all(view, game, tiles, work.parts)
    game.board[cell].ingots += 1
    work.parts[int64(game.player), Part.INGOTS_NOW] += 1.0


# --- the answers to one question --------------------------------------------------------------------------------------
@jit
def begin_question(view, game, trial, tiles, work):
    """Look at the table before the answers to a question are priced; `trial` becomes a copy of the game."""
    count_left(view, game, tiles)
    copy_in_use(trial, game)
    if game.phase in UNSCORED:
        list_unscored(view, trial, tiles)
    value_all(view, trial, tiles, work.before)


@jit
def take_answer_back(trial, game):
    """`trial`, in which an answer was priced, becomes a copy of the game again."""
    if game.phase in LAYING:
        take_tile_back(trial, game)
    elif game.phase != Phase.PLACE_INGOT and game.phase != Phase.PLACE_FIGURE and game.phase != Phase.TAKE_INGOT:
        copy_in_use(trial, game)


@jit
def best_answer(view, game, trial, tiles, n, work):
    """The one with the best price of the n answers in work.legal, the first if several are; the plan of its turn is
    kept. `trial` is room to work in.
    """
    begin_question(view, game, trial, tiles, work)
    return best_listed(view, game, trial, tiles, n, work, False)


@jit
def best_listed(view, game, trial, tiles, n, work, with_network):
    """As `best_answer`, once the question is begun; what the network expects may be added to the prices."""
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
    """What the policy answers to the next question of a game that it plays on: what it has planned with the tile that
    lies there, or the answer with the best price of the n in work.legal.
    """
    planned = planned_answer(game, n, work)
    return planned if planned != NONE else best_answer(view, game, trial, tiles, n, work)


@jit
def planned_answer(game, n, work):
    """What was planned with the tile that lies there, if it is among the n answers in work.legal; otherwise NONE."""
    planned = int64(NONE)
    if work.placed == game.placed and game.placed != NONE:
        if game.phase == Phase.PLACE_INGOT and work.ingot != NONE:
            planned = cell_answer(size_of(game), int64(work.ingot))
        elif game.phase == Phase.PLACE_FIGURE:
            planned = int64(work.figure)
    return planned if planned != NONE and is_listed(work.legal.answers, n, planned) else int64(NONE)


@jit
def quick_answer(view, game, trial, tiles, n, work):
    """Nearly what `next_answer` gives, in half the time where a network is asked for prices: it is asked only about the
    answers within NEAR points of the best by prospects alone, with the figures that prospects choose.
    """
    if work.network.asked != Asked.PRICES or game.n_players != 2:
        return next_answer(view, game, trial, tiles, n, work)
    work.network.asked = Asked.LEAVES  # `best_figure` asks it no more
    found = planned_answer(game, n, work)
    if found == NONE:
        found = best_of_near(view, game, trial, tiles, n, work)
    work.network.asked = Asked.PRICES
    return found


@jit
def best_of_near(view, game, trial, tiles, n, work):
    """The answer of `quick_answer` that was not planned; the plan of its turn is kept, and work.legal keeps the answers
    that are near.
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


# --- what Python calls ------------------------------------------------------------------------------------------------
@jit
def forget_parts(work):
    """Nothing is known of any prospects; the rooms stay as they are, for they are large, and lists alone."""
    work.before[:] = work.parts[:] = work.trial[:] = 0.0
    work.best[:] = 0.0
    work.ingot = work.figure = work.placed = NONE


@jit
def choose_best(games, which, tiles, prices, out):
    """Write the answer with the best price in each game numbered which[k], the first if several are, to out[k]; NONE
    where the game is over.
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
    """The legal answer with the best price in each game, or in each of those numbered `which`, the first if several
    are; NONE where a game is over.
    """
    which = np.arange(len(games)) if which is None else which
    best = np.empty(len(which), np.int64)
    choose_best(games, which, tiles, prices, best)
    return best
