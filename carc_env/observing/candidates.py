"""Computes the candidates: one row of numbers for each legal action. This module does not change the game.

The row of a candidate describes how its action changes the heuristic estimates for the acting player and for the other
players (see `prospects`). An action that places a tile or an ingot is evaluated together with the best ingot and
figure actions that can follow it in the same turn. The row of such a candidate therefore describes the whole turn. The
module `pricing` computes the heuristic value (price) of each action. The bot `greedy` plays the action with the highest
heuristic value.
"""

import numpy as np
from numpy import int64

from carc_env.boxes.closing import chance_of_closing
from carc_env.boxes.layout import N_COLUMNS, N_SHOWN, column
from carc_env.boxes.prospect_parts import N_PARTS, Part
from carc_env.compiling.jit import jit
from carc_env.observing.pricing import WORK, begin_question, forget_parts, price_answer, take_answer_back, take_prices
from carc_env.observing.prospects import VIEW, as_it_stands, n_parts
from carc_env.rules import turn
from carc_env.rules.answers import LAYING, MAX_ANSWERS, RECALL, cell_of_choice, figure_of, other_answer, pass_of
from carc_env.rules.expansions import special_monasteries
from carc_env.rules.features import count_open_roads, feature_at, is_building
from carc_env.rules.geometry import size_of
from carc_env.rules.scoring import lead
from carc_env.rules.state import NONE, QUESTION, Kind, Phase, Spot
from carc_env.systems.castles import seen as castles
from carc_env.systems.ferries import seen as ferries
from carc_env.systems.goldmines import seen as goldmines

# the maximum number of rows; if more actions are legal, those with the highest heuristic values get rows
MAX_CANDIDATES = 192

PRICE, RANK = column("price"), column("rank")
OWN_SUPPLY, OTHERS_SUPPLY = column("own_supply_after"), column("others_supply_after")
TILES_LEFT, LEAD, ASKED = column("tiles_left"), column("margin"), column("asked_abbey")
# CLAIMS is the first of the columns for the kinds of claimed features; all kinds of buildings share one column
CLAIMS, LIES, RECALLS = column("claims_road"), column("lies"), column("recalls")
CLAIM_WORTH, CLAIM_CHANCE, CLAIM_OPEN = column("claim_worth"), column("claim_chance"), column("claim_open")
NEIGHBOURS = column("neighbours")
OWN_MARGIN, OTHERS_MARGIN = column("own_margin"), column("others_margin")
JOINS, GAINS, LOSSES, FARMS = column("joins"), column("gains"), column("losses"), column("farms")
MARGIN_PARTS = (Part.NOW, Part.ROADS, Part.CITIES, Part.BUILDINGS, Part.FIELDS)


# --- one row ----------------------------------------------------------------------------------------------------------
@jit
def describe_answer(view, game, now, tiles, answer, work):
    """Write the effects of an action to work.row. `now` is a copy of the game, and the function `price_answer` has
    already tried the action on this copy.
    """
    cell, row = int(now.placed), work.row
    if game.phase in LAYING and answer == pass_of(game):
        return
    if game.phase in LAYING or game.phase == Phase.SELL_WINE:
        describe_claim(view, now, tiles, int64(work.figure), row)
        describe_joins(view, row)
    elif game.phase == Phase.PLACE_INGOT:
        cell = cell_of_choice(size_of(game), answer)
        row[goldmines.GOLD] = 1.0
        describe_claim(view, now, tiles, int64(work.figure), row)
    elif game.phase == Phase.PLACE_FIGURE:
        describe_claim(view, now, tiles, answer, row)
    elif game.phase == Phase.TAKE_INGOT:
        cell = cell_of_choice(size_of(game), answer)
        row[goldmines.OTHERS_WITH_RIGHT] = goldmines.count_rivals(game, int64(game.player), cell)
    else:
        ferries.describe_answer(game, game.phase, answer, row)
        castles.describe_answer(game, now, answer, row)
    row[NEIGHBOURS] = now.board[cell].neighbours
    goldmines.describe_tile(now, cell, row)


@jit
def describe_joins(view, row):
    """Write the columns `joins`, `gains`, `losses` and `farms`, which tell how the new tile affects features that have
    figures.
    """
    row[JOINS] = view.joins
    row[GAINS] = view.gains
    row[LOSSES] = view.losses
    row[FARMS] = view.farms


@jit
def describe_claim(view, game, tiles, answer, row):
    """Write the columns from `claims_road` to `claim_open`, which describe the feature that a figure will occupy."""
    if answer == other_answer(size_of(game), RECALL):
        row[RECALLS] = 1.0
    elif answer != pass_of(game):
        square, spot = game.board[game.placed], figure_of(size_of(game), answer)[1]
        number = tiles.kinds[square.tile].spot_segment[square.rotation, spot]
        feature = feature_at(game, int64(game.placed), int(number))
        what = game.features[feature]
        row[CLAIMS + min(int(what.kind), 3)] = 1.0
        row[CLAIM_WORTH] = as_it_stands(game, tiles, feature)
        if what.kind != Kind.FIELD:
            row[CLAIM_CHANCE] = chance_of_closing(view, game, tiles, feature)
        row[CLAIM_OPEN] = what.open
        if is_building(what.kind):
            row[CLAIM_OPEN] = square.around - square.neighbours
        elif what.kind == Kind.GERMAN_CATHEDRAL:
            row[CLAIM_OPEN] = count_open_roads(game, feature)
        if spot == Spot.LYING:
            row[LIES], row[CLAIM_CHANCE] = 1.0, 0.0
            row[CLAIM_WORTH] = special_monasteries.points_lying(game, feature)


# --- all rows of one game ---------------------------------------------------------------------------------------------
@jit
def fill_rows(view, game, trial_game, tiles, n, rows, prices, work):
    """For each of the n legal actions in `work.legal`, write the columns of the candidate to `rows`, and the heuristic
    value of the action to `prices`. `trial_game` is working space.
    """
    player = int64(game.player)
    begin_question(view, game, trial_game[0], tiles, work)
    for k in range(n):
        answer = int64(work.legal.answers[k])
        work.row[:] = 0.0
        prices[k] = price_answer(view, game, trial_game[0], tiles, answer, work)
        describe_answer(view, game, trial_game[0], tiles, answer, work)
        describe_change(view, game, work, player)
        describe_situation(view, game, work.row)
        for place in range(N_COLUMNS):
            rows[k, place] = work.row[place]
        take_answer_back(trial_game[0], game)
    compare_prices(n, rows, prices)


@jit
def describe_change(view, game, work, player):
    """Write the columns that tell how the action changes the heuristic estimates, and how many followers are in supply
    after the action.
    """
    share, row = 1.0 / (game.n_players - 1), work.row
    for part in range(n_parts(view, game)):
        row[part] = work.parts[player, part] - work.before[player, part]
        for other in range(int64(game.n_players)):
            if other != player:
                row[N_PARTS + part] += share * (work.parts[other, part] - work.before[other, part])
    for part in MARGIN_PARTS:
        row[OWN_MARGIN] += row[part]
        row[OTHERS_MARGIN] += row[N_PARTS + part]
    row[OWN_SUPPLY] = work.parts[player, Part.SUPPLY]
    for other in range(int64(game.n_players)):
        if other != player:
            row[OTHERS_SUPPLY] += share * work.parts[other, Part.SUPPLY]


@jit
def describe_situation(view, game, row):
    """Write the columns that have the same values for all actions of one decision."""
    row[TILES_LEFT] = view.n_left / game.n_deck
    row[LEAD] = lead(game, int64(game.player))
    row[ASKED + QUESTION[game.phase]] = 1.0
    goldmines.describe_hands(game, int64(game.player), row)


@jit
def compare_prices(n, rows, prices):
    """Write the columns `price` and `rank`."""
    best = prices[:n].max()
    for k in range(n):
        rows[k, PRICE] = prices[k] - best
        better = 0
        for other in range(n):
            better += prices[other] > prices[k]
        rows[k, RANK] = better / max(1, n - 1)


@jit
def cut_at(prices, most):
    """Return the lowest heuristic value among the candidates, and how many candidates have exactly this value. If all
    actions become candidates, return -inf and 0. `prices` contains the heuristic values of all legal actions, and
    `most` is the maximum number of candidates.
    """
    n = len(prices)
    if n <= most:
        return -np.inf, 0
    least = np.sort(prices)[n - most]
    ties = most
    for k in range(n):
        ties -= prices[k] > least
    return least, ties


# --- functions that Python calls --------------------------------------------------------------------------------------
@jit
def candidates(games, which, tiles, prices, rows, actions):
    """Write the candidates of each game in `which` to `rows`, and the actions of these candidates to `actions`. `which`
    contains indices of games. The shapes are rows[n, K, columns] and actions[n, K]. Unused rows are filled with 0, and
    their actions are NONE. If `rows` has only N_SHOWN columns, the columns `price` and `rank` are left out.

    If there are more than K legal actions, the K actions with the highest heuristic values become candidates. If
    several actions have the same heuristic value, those with the lowest ids are chosen first. The candidates are
    ordered by the ids of their actions, in ascending order. `rows` and `actions` must come from `room_for` or from an
    earlier call of this function. The function clears only those rows that an earlier call has filled. Returns the
    heuristic value, in points, of the best action in the last game of `which`.
    """
    view, trial_game, works = np.zeros(1, VIEW), np.zeros(1, games.dtype), np.empty(1, WORK)
    take_prices(view[0], works[0], prices[0])
    forget_parts(works[0])
    all_rows, worths = np.empty((MAX_ANSWERS, N_COLUMNS), np.float32), np.empty(MAX_ANSWERS, np.float64)
    most, best = rows.shape[1], 0.0
    for i in which:
        n = turn.legal_answers(games[i], tiles[0], works[0].legal)
        if n:
            fill_rows(view[0], games[i], trial_game, tiles[0], n, all_rows, worths, works[0])
        best = worths[:n].max() if n else 0.0
        least, ties = cut_at(worths[:n], most)
        kept = 0
        for k in range(n):
            is_tie = worths[k] == least
            if worths[k] > least or is_tie and ties > 0:
                ties -= is_tie
                for place in range(rows.shape[2]):
                    rows[i, kept, place] = all_rows[k, place]
                actions[i, kept] = works[0].legal.answers[k]
                kept += 1
        while kept < most and actions[i, kept] != NONE:
            rows[i, kept] = 0.0
            actions[i, kept] = NONE
            kept += 1
    return best


def room_for(n: int, most: int = MAX_CANDIDATES, columns: int = N_SHOWN) -> tuple[np.ndarray, np.ndarray]:
    """Allocate an array for the candidates of n games, and an array for the actions of these candidates. The first
    array is float32[n, most, columns], and the second array is int32[n, most], where `most` is the maximum number of
    candidates per game. `columns` is N_COLUMNS for all columns, or N_SHOWN to leave out the columns `price` and `rank`.
    """
    return np.zeros((n, most, columns), np.float32), np.full((n, most), NONE, np.int32)
