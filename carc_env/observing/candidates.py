"""Candidates: one row of features for each legal answer, worked out without changing the game.

A row says what the prospects of the player asked, and of the others, would be after the answer. An answer that places
a tile or an ingot is followed, for this, by the figure answer that looks best at the prices below, so that a row speaks
of a whole turn. The prices are those of the bot `greedy`, which plays the row with the best one.
"""

from math import exp

import numpy as np
from numpy import int64

from carc_env.boxes.closing import chance_of_closing
from carc_env.boxes.layout import N_COLUMNS, column
from carc_env.boxes.prospect_parts import N_PARTS, Part
from carc_env.compiling.jit import jit
from carc_env.observing.prospects import (
    VIEW,
    add_feature,
    as_it_stands,
    count_left,
    list_unscored,
    n_parts,
    value_after,
    value_all,
)
from carc_env.rules import figures, turn
from carc_env.rules.answers import LAYING, MAX_ANSWERS, RECALL, ROOM, cell_of_choice, figure_of, other_answer, pass_of
from carc_env.rules.expansions import abbeys, abbot, special_monasteries
from carc_env.rules.expansions.goldmines import has_gold
from carc_env.rules.features import count_open_roads, feature_at, is_building, leave
from carc_env.rules.geometry import size_of
from carc_env.rules.placement import is_used_up
from carc_env.rules.scoring import lead
from carc_env.rules.state import MAX_PLAYERS, NONE, QUESTION, Figure, Kind, Phase, Spot, record
from carc_env.rules.undo import copy_in_use, take_tile_back
from carc_env.systems.castles import seen as castles
from carc_env.systems.darmstadt import seen as darmstadt
from carc_env.systems.ferries import seen as ferries
from carc_env.systems.goldmines import seen as goldmines
from carc_env.systems.map_chips import seen as map_chips
from carc_env.systems.traders_and_builders import seen as traders_and_builders

MAX_CANDIDATES = 192  # rows; a longer list of answers keeps those with the best prices

PRICE, RANK = column("price"), column("rank")
OWN_SUPPLY, OTHERS_SUPPLY = column("own_supply_after"), column("others_supply_after")
TILES_LEFT, LEAD, ASKED = column("tiles_left"), column("margin"), column("asked_abbey")
# claims: by Kind, all buildings as one
CLAIMS, LIES, RECALLS = column("claims_road"), column("lies"), column("recalls")
CLAIM_WORTH, CLAIM_CHANCE, CLAIM_OPEN = column("claim_worth"), column("claim_chance"), column("claim_open")
NEIGHBOURS = column("neighbours")
OWN_MARGIN, OTHERS_MARGIN = column("own_margin"), column("others_margin")
JOINS, GAINS, LOSSES, FARMS = column("joins"), column("gains"), column("losses"), column("farms")
SHUNNED = 1e6  # points that an answer lacks that the bot leaves alone
UNSCORED = (
    int(Phase.SELL_WINE),
    int(Phase.PLACE_INGOT),
    int(Phase.PLACE_FIGURE),
    int(Phase.PLACE_FERRY),
    int(Phase.MOVE_FERRY),
    int(Phase.FOUND_CASTLE),
)  # questions while a tile lies that was not scored yet
MARGIN_PARTS = (Part.NOW, Part.ROADS, Part.CITIES, Part.BUILDINGS, Part.FIELDS)

# Room to work in.
WORK = record(
    ("before", "f8", (MAX_PLAYERS, N_PARTS)),  # the prospects before the answer,
    ("parts", "f8", (MAX_PLAYERS, N_PARTS)),  # after it,
    ("trial", "f8", (MAX_PLAYERS, N_PARTS)),  # and after a figure answer that is tried
    ("best", "f8", (N_PARTS,)),  # the best of these, for one player
    ("row", "f4", (N_COLUMNS,)),
    ("legal", ROOM),  # the answers to the question
    ("cells", ROOM),  # where the second ingot could go
    ("room", ROOM),
)


# --- prices -----------------------------------------------------------------------------------------------------------
@jit
def followers_worth(prices, supply, turns):
    """What followers in supply are worth with `turns` own turns to come: the first ones are worth most."""
    use = min(1.0, turns / prices.long)
    return prices.follower * use * (supply + prices.first_followers * (1.0 - exp(-supply / 1.5)))


@jit
def worth(view, game, parts, player):
    """A player's prospects in points."""
    prices = view.prices
    total = 0.0
    for part in range(n_parts(view, game)):
        total += prices.parts[part] * parts[player, part]
    if n_parts(view, game) > Part.CASTLE_TOKENS:
        total -= unused_worth(view, parts, player)
    supply = parts[player, Part.SUPPLY] + prices.returning * parts[player, Part.RETURNING]
    total += followers_worth(prices, supply, view.turns)
    held, left = float(game.players[player].ingots), min(1.0, view.turns / prices.long)
    return (
        total
        + goldmines.worth_of(held + goldmines.to_come(prices, parts, player), left)
        - goldmines.worth_of(held, left)
    )


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
def price(view, game, parts, player):
    """What prospects are worth to a player: the own ones less a share of the mean of the others'."""
    others = 0.0
    for other in range(int64(game.n_players)):
        if other != player:
            others += worth(view, game, parts, other)
    return worth(view, game, parts, player) - view.prices.others * others / (game.n_players - 1)


# --- figure answers ---------------------------------------------------------------------------------------------------
@jit
def best_figure(view, game, tiles, work):
    """The best figure answer of the active player; his work.parts become what they are after it, the others' stay."""
    best, choice, player = -1e9, int64(-1), int64(game.active)
    for k in range(turn.legal_answers(game, tiles, work.room)):
        if is_shunned(view, game, tiles, int64(work.room.answers[k])):
            continue
        for part in range(n_parts(view, game)):
            work.trial[player, part] = work.parts[player, part]
        add_answer(view, game, tiles, int64(work.room.answers[k]), work.trial)
        value = worth(view, game, work.trial, player)
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


@jit
def describe_claim(view, game, tiles, answer, row):
    """Where a figure answer puts its figure, for the columns claims_road to claim_open."""
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


@jit
def keep_parts(work):
    """The parts stay what they were before the answer."""
    for player in range(MAX_PLAYERS):
        for part in range(N_PARTS):
            work.parts[player, part] = work.before[player, part]


# --- one row ----------------------------------------------------------------------------------------------------------
@jit
def after_answer(view, game, now, tiles, answer, work):
    """Value the table after an answer: fills work.parts, and work.row with what it says of the answer. Returns the
    price.

    `now` is a copy of the game; only an answer that places a tile changes it.
    """
    cell, row = int(now.placed), work.row
    if game.phase in LAYING and answer == pass_of(game):  # what is drawn then is not known
        keep_parts(work)
        return price(view, now, work.parts, int64(game.player)) + turn_worth(view, game)
    if game.phase in LAYING or game.phase == Phase.SELL_WINE:
        turn.carry_out(now, tiles, answer, work.room)
        cell = int(now.placed)
        row[goldmines.GOLD] = has_gold(now, tiles)
        list_unscored(view, now, tiles)
        after_tile(view, now, tiles, work)
        if game.phase in LAYING:
            map_chips.add_square(view, now, work)
        traders_and_builders.add_goods(now, tiles, work)
        add_scores(now, game, work.parts)
        describe_joins(view, row)
    elif game.phase == Phase.PLACE_INGOT:
        cell = cell_of_choice(size_of(game), answer)
        row[goldmines.GOLD] = 1.0
        after_ingot(view, now, tiles, cell, work)
    elif game.phase == Phase.PLACE_FIGURE:
        keep_parts(work)
        describe_claim(view, now, tiles, answer, row)
        add_answer(view, now, tiles, answer, work.parts)
    elif game.phase == Phase.TAKE_INGOT:
        cell = cell_of_choice(size_of(game), answer)
        take_ingot(view, now, tiles, cell, work)
    else:  # what else can come is carried out, with the first answers to what it leads to
        ferries.describe_answer(game, game.phase, answer, row)
        turn.play_out(now, tiles, answer, work.room)
        view.unscored = 0
        castles.describe_answer(game, now, answer, row)
        value_all(view, now, tiles, work.parts)
        add_scores(now, game, work.parts)
    row[NEIGHBOURS] = now.board[cell].neighbours
    goldmines.describe_tile(now, cell, row)
    return price(view, now, work.parts, int64(game.player)) + row[goldmines.OTHERS_WITH_RIGHT]


@jit
def turn_worth(view, game):
    """What the turn is worth in which a tile is drawn, for whoever keeps the abbey or the castle tile; 0 without a
    tile.
    """
    if is_used_up(game) or abbeys.is_offered(game):
        return 0.0
    return view.prices.parts[Part.EXTRA_TURN]


@jit
def describe_joins(view, row):
    """What the tile placed did to features with figures, for the columns joins to farms."""
    row[JOINS] = view.joins
    row[GAINS] = view.gains
    row[LOSSES] = view.losses
    row[FARMS] = view.farms


@jit
def leaves_as_it_was(phase):
    """Whether answers to a question are valued without changing the copy of the game."""
    return phase == Phase.PLACE_INGOT or phase == Phase.PLACE_FIGURE or phase == Phase.TAKE_INGOT


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
    best, choice = -1e9, int64(-1)
    for k in range(n):
        cell = cell_of_choice(size_of(game), int64(work.cells.answers[k]))
        after_ingot(view, game, tiles, cell, work)
        value = price(view, game, work.parts, int64(game.active))
        if value > best:
            best, choice = value, cell
    after_ingot(view, game, tiles, choice, work)
    game.phase = phase


@jit
def after_ingot(view, game, tiles, cell, work):
    """Value the table with the second ingot on a cell (-1: none) and the best figure answer; the ingot comes off
    again.
    """
    work.row[CLAIMS:NEIGHBOURS] = 0.0
    phase = game.phase
    game.phase = Phase.PLACE_FIGURE
    if cell >= 0:
        game.board[cell].ingots += 1
    value_after(view, game, tiles, work.parts)
    choice = best_figure(view, game, tiles, work)
    describe_claim(view, game, tiles, choice, work.row)
    if cell >= 0:
        game.board[cell].ingots -= 1
    game.phase = phase


@jit
def take_ingot(view, game, tiles, cell, work):
    """Value the table with one ingot taken from a cell; it comes back again. Says how many rivals it had."""
    player = int64(game.player)
    game.board[cell].ingots -= 1
    value_all(view, game, tiles, work.parts)
    game.board[cell].ingots += 1
    work.parts[player, Part.INGOTS_NOW] += 1.0
    goldmines.describe_rivals(game, player, cell, work.row)


# --- all rows of one game ---------------------------------------------------------------------------------------------
@jit
def fill_rows(view, game, trial_game, tiles, n, rows, prices, work):
    """Write a row and a price for each of the n legal answers in work.legal. `trial_game` is room to work in."""
    player = int64(game.player)
    count_left(view, game, tiles)
    copy_in_use(trial_game[0], game)
    if game.phase in UNSCORED:
        list_unscored(view, trial_game[0], tiles)
    value_all(view, trial_game[0], tiles, work.before)
    for k in range(n):
        work.row[:] = 0.0
        prices[k] = after_answer(view, game, trial_game[0], tiles, int64(work.legal.answers[k]), work)
        describe_change(view, game, work, player)
        describe_situation(view, game, work.row)
        for place in range(N_COLUMNS):
            rows[k, place] = work.row[place]
        if is_shunned(view, game, tiles, int64(work.legal.answers[k])):
            prices[k] -= SHUNNED
        if game.phase in LAYING:
            take_tile_back(trial_game[0], game)
        elif not leaves_as_it_was(game.phase):
            copy_in_use(trial_game[0], game)
    compare_prices(n, rows, prices)


@jit
def describe_change(view, game, work, player):
    """The columns of the parts, and the supplies after the answer."""
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
    """The columns that are the same for all answers to one question."""
    row[TILES_LEFT] = view.n_left / game.n_deck
    row[LEAD] = lead(game, int64(game.player))
    row[ASKED + QUESTION[game.phase]] = 1.0
    goldmines.describe_hands(game, int64(game.player), row)


@jit
def compare_prices(n, rows, prices):
    """The columns `price` and `rank`."""
    best = prices[:n].max()
    for k in range(n):
        rows[k, PRICE] = prices[k] - best
        better = 0
        for other in range(n):
            better += prices[other] > prices[k]
        rows[k, RANK] = better / max(1, n - 1)


# --- what Python calls ------------------------------------------------------------------------------------------------
@jit
def forget_parts(work):
    """Nothing is known of any prospects; the rooms stay as they are, for they are large, and lists alone."""
    work.before[:] = work.parts[:] = work.trial[:] = 0.0
    work.best[:] = 0.0


@jit
def candidates(games, which, tiles, prices, rows, actions):
    """Write the candidates of the games numbered `which`: rows[n, K, N_COLUMNS], actions[n, K], NONE and zeros where
    there are fewer.

    Of more than K legal answers those with the best prices are kept. The candidates ascend by action. The arrays come
    from `room_for` or from an earlier call: only what is not empty is emptied. Returns what the best answer in the last
    of the games is worth to the player asked: his prospects in points, less those of the others.
    """
    view, trial_game, works = np.zeros(1, VIEW), np.zeros(1, games.dtype), np.empty(1, WORK)
    view[0].prices = prices[0]
    forget_parts(works[0])
    all_rows, worths = np.empty((MAX_ANSWERS, N_COLUMNS), np.float32), np.empty(MAX_ANSWERS, np.float64)
    most, best = rows.shape[1], 0.0
    for i in which:
        n = turn.legal_answers(games[i], tiles[0], works[0].legal)
        if n:
            fill_rows(view[0], games[i], trial_game, tiles[0], n, all_rows, worths, works[0])
        best = worths[:n].max() if n else 0.0
        least = np.sort(worths[:n])[n - most] if n > most else -1e9
        kept = 0
        for k in range(n):
            if worths[k] >= least and kept < most:
                rows[i, kept] = all_rows[k]
                actions[i, kept] = works[0].legal.answers[k]
                kept += 1
        while kept < most and actions[i, kept] != NONE:
            rows[i, kept] = 0.0
            actions[i, kept] = NONE
            kept += 1
    return best


def room_for(n: int, most: int = MAX_CANDIDATES) -> tuple[np.ndarray, np.ndarray]:
    """Empty arrays for the candidates of n games: float32[n, most, N_COLUMNS], int32[n, most]."""
    return np.zeros((n, most, N_COLUMNS), np.float32), np.full((n, most), NONE, np.int32)


def best_answers(
    games: np.ndarray, tiles: np.ndarray, prices: np.ndarray, which: np.ndarray | None = None
) -> np.ndarray:
    """The legal answer with the best price in each game, or in each of those numbered `which`, the first if several
    are; NONE where a game is over.
    """
    rows, actions = room_for(len(games), 1)
    which = np.arange(len(games)) if which is None else which
    candidates(games, which, tiles, prices, rows, actions)
    best: np.ndarray = actions[which, 0].astype(np.int64)
    return best
