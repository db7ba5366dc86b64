"""Computes the observation features of castles: the two tiles of each castle, the castle tokens, and the expected
points of the lords.
"""

from math import exp, log

from numpy import int64

from carc_env.boxes.closing import chance_of_closing, work_out_chance
from carc_env.boxes.layout import column, plane, scalar
from carc_env.boxes.prospect_parts import Part
from carc_env.boxes.writing import put, tell
from carc_env.compiling.jit import jit
from carc_env.rules.answers import pass_of
from carc_env.rules.expansions import castles
from carc_env.rules.features import begin_count, end_of_tile, is_building, is_built, is_complete, lies
from carc_env.rules.geometry import is_near, nearby
from carc_env.rules.scoring import list_completed, points, points_for_square
from carc_env.rules.state import NONE, Kind, Phase, Source

HALF, SIDE, CHOICE = plane("castle"), plane("castle_side"), plane("choice")
TOKENS = scalar("castle_tokens_0")
FOUNDS, LORD_POINTS = column("founds"), column("lord_points")
# assumed for each empty square beside a castle: the rate at which a feature there is completed, and the points of this
# feature
NEW_RATE, NEW_WORTH = 0.2, 4.0
# the coefficients (a, b) and (c, d) in the docstring of `lord_prospects`
LORD_RATE, LORD_WORTH = (0.6, 0.25), (3.1, 0.68)
MOST_CERTAIN = 0.95  # larger chances are clipped to this value


# --- planes and globals -----------------------------------------------------------------------------------------------
@jit(absent=None)
def write_planes(game, picture):
    """Write the planes of the castles. A castle is never removed from the table, so the planes need not be reset to 0
    first.
    """
    if game.boxes.castles:
        write_halves(game, picture)


@jit
def write_halves(game, picture):
    """Write the planes `castle` and `castle_side` for both tiles of each castle. A tile can be part of several castles,
    but the planes describe only one of them. A castle with a lord takes precedence over a castle without a lord.
    Between two castles with a lord, or two castles without a lord, the newer castle takes precedence.
    """
    for lords in (False, True):
        for k in range(game.systems.castles.n_built):
            castle = game.systems.castles.built[k]
            if castles.has_lord(game, castle) == lords:
                half, other = (
                    int64(game.segments[castle.node].cell),
                    int64(game.segments[game.segments[castle.node].next].cell),
                )
                put(picture, HALF, half, 1 + lords + castle.founded)
                put(picture, HALF, other, 1 + lords + castle.founded)
                put(picture, SIDE, half, castle.side + 1)
                put(picture, SIDE, other, (castle.side + 2) % 4 + 1)


@jit(absent=None)
def write_choice(game, picture):
    """If a castle scores now, mark both of its tiles in the plane `choice`."""
    if game.phase == Phase.CASTLE_SCORE:
        node = game.systems.castles.built[game.systems.castles.scoring].node
        put(picture, CHOICE, int64(game.segments[node].cell), 1)
        put(picture, CHOICE, int64(game.segments[game.segments[node].next].cell), 1)


@jit
def write_player(game, player, at, numbers):
    """Write how many castle tokens a player holds."""
    tell(numbers, TOKENS + at, castles.tokens(game, player))


# --- prospects --------------------------------------------------------------------------------------------------------
@jit
def add_hand(game, player, parts):
    """Add a player's number of castle tokens to the heuristic estimate `Part.CASTLE_TOKENS`."""
    parts[player, Part.CASTLE_TOKENS] += castles.tokens(game, player)


@jit(absent=None)
def list_unscored(game, tiles):
    """List the features that the newly placed tile has completed. The lords of castles can score these features. The
    list is stored in GAME.completed, the array that is also used when a turn is scored.
    """
    if game.boxes.castles:
        list_completed(game, tiles)


@jit(absent=None)
def add_castle(view, game, tiles, castle, parts):
    """Add the expected points for a castle's lord to the heuristic estimates. If the last action completed a feature
    that the lord can score, add the points for this feature instead of the expected points, and count the lord as a
    follower in the supply.
    """
    for k in range(int64(game.systems.castles.n_built)):
        built = game.systems.castles.built[k]
        if game.segments[built.node].feature == castle and castles.has_lord(game, built):
            now = points_at_once(view, game, tiles, built)
            if now > 0:
                parts[built.player, Part.NOW] += now
                parts[built.player, Part.SUPPLY] += 1.0
                return
            expected, chance = lord_prospects(view, game, tiles, castle)
            parts[built.player, Part.CASTLES] += expected
            parts[built.player, Part.RETURNING] += chance


@jit
def points_at_once(view, game, tiles, built):
    """Return the points of the best feature that the last action completed and that the lord of a castle can score. If
    there is no such feature, return 0.
    """
    best = 0
    if view.unscored and not built.founded:
        for i in range(int64(game.n_completed)):
            feature = int64(game.completed[i].feature)
            if castles.answer_for(game, tiles, built, feature) != NONE:
                best = max(best, int64(points(game, tiles, feature, True)))
    return best


@jit
def lord_prospects(view, game, tiles, castle):
    """Estimate the expected points for the lord of a castle, and the chance that the lord scores. `castle` can also be
    a small city that could become a castle.

    The lord scores the first feature that is completed around the castle. The estimate of the lord's points uses a
    weighted mean of the points of all features in the vicinity. The weight of a feature is its estimated completion
    rate: the higher the rate, the sooner the feature is expected to be completed. Each empty square counts as a feature
    with a typical rate (NEW_RATE) and a typical number of points (NEW_WORTH).

    The chance that the lord scores is 1 - exp(-(a + b r)), where r is the sum of the rates of all features, and (a, b)
    is LORD_RATE. If the lord scores, the expected points are c + d m, where m is the weighted mean of the points, and
    (c, d) is LORD_WORTH. LORD_RATE and LORD_WORTH were fitted to games that a bot played against itself.
    """
    begin_count(game)
    game.features[castle].mark = game.counts
    new = NEW_RATE * min(1.0, view.turns / view.prices.long)
    rate, total = 0.0, 0.0
    first, second = int64(game.segments[castle].cell), int64(game.segments[game.segments[castle].next].cell)
    for k in range(9):
        cell = nearby(game, first, k)
        if not is_near(game, second, cell):
            continue
        if game.board[cell].tile != NONE:
            for node in range(int64(game.board[cell].first_segment), end_of_tile(game, cell)):
                feature = int64(game.segments[node].feature)
                if game.features[feature].mark != game.counts:
                    game.features[feature].mark = game.counts
                    soon = rate_of_closing(view, game, tiles, feature)
                    rate += soon
                    total += soon * worth_completed(game, tiles, feature)
        elif game.board[cell].is_square:
            rate += new
            total += new * NEW_WORTH
    if rate == 0.0:
        return 0.0, 0.0
    chance = 1.0 - exp(-LORD_RATE[0] - LORD_RATE[1] * rate)
    return chance * (LORD_WORTH[0] + LORD_WORTH[1] * total / rate), chance


@jit
def rate_of_closing(view, game, tiles, feature):
    """Return the rate at which a feature near a castle is expected to be completed. The result is 0 if the feature is
    completed already or can never be completed.
    """
    kind = int64(game.features[feature].kind)
    if (
        kind == Kind.FIELD
        or kind == Kind.CASTLE
        or game.kinds >> kind & 1 == 0
        or lies(game, feature)
        or is_complete(game, feature)
    ):
        return 0.0
    if is_built(kind):  # computed again, because the feature might have changed
        chance = work_out_chance(view, game, tiles, feature)
    else:
        chance = chance_of_closing(view, game, tiles, feature)
    return -log(1.0 - min(MOST_CERTAIN, chance))


@jit
def worth_completed(game, tiles, feature):
    """Return the points that a feature would give if it were completed at its present size. A building is completed
    when all squares around it are occupied, so the result includes the points for all these squares.
    """
    worth = float(points(game, tiles, feature, True))
    if is_building(game.features[feature].kind):
        square = game.board[game.segments[feature].cell]
        worth += points_for_square(int64(game.features[feature].kind)) * (
            int64(square.around) - int64(square.neighbours)
        )
    return worth


@jit(absent=False)
def is_founded(view, game, tiles, city, parts):
    """Return True if a player is expected to convert a completed small city into a castle instead of scoring the city.
    If the result is True, the function also adds the castle's effects to the heuristic estimates in `parts`.
    """
    if not game.boxes.castles or not view.unscored:
        return False
    return is_worth_founding(view, game, tiles, city, parts)


@jit
def is_worth_founding(view, game, tiles, city, parts):
    """Return True if `city` is a small city and a player is expected to convert it into a castle. See `is_founded`. If
    the result is True, the function also adds the castle's effects to the heuristic estimates in `parts`.
    """
    if not castles.is_small_city(game, tiles, city):
        return False
    player = castles.founder(game, city)
    if player == NONE or castles.tokens(game, player) == 0:
        return False
    prices = view.prices
    expected, chance = lord_prospects(view, game, tiles, city)
    use = min(1.0, view.turns / prices.long)
    away = prices.follower * use * (1.0 - prices.returning * chance)
    if prices.parts[Part.CASTLES] * expected - use * prices.parts[Part.CASTLE_TOKENS] - away <= points(
        game, tiles, city, True
    ):
        return False
    parts[player, Part.CASTLES] += expected
    parts[player, Part.RETURNING] += chance
    parts[player, Part.CASTLE_TOKENS] -= 1.0
    return True


# --- candidates -------------------------------------------------------------------------------------------------------
@jit
def describe_answer(game, after, answer, row):
    """Write the columns `founds` and `lord_points` of a candidate action. The column `founds` tells whether the action
    founds a castle. The column `lord_points` is the number of points that lords score immediately after the action.
    `after` is the state of the game after the action.
    """
    row[FOUNDS] = game.phase == Phase.FOUND_CASTLE and answer != pass_of(game)
    row[LORD_POINTS] = points_of_lords(after) - points_of_lords(game)


@jit
def points_of_lords(game):
    """The total points that all players have scored with castles."""
    points = 0
    for player in range(int64(game.n_players)):
        points += int64(game.players[player].points[int64(Source.CASTLES)])
    return points
