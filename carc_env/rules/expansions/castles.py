"""Implements castles (Bridges, Castles & Bazaars). Small cities become castles, and the lord of a castle scores a
feature that is completed near the castle.

When a city of two semicircles is completed, its owner may cover it with one of their castle tokens instead of scoring
it. The follower in the city becomes the lord of the castle and stays there. The lord waits until a feature in the
castle's vicinity is completed. The lord cannot score a feature that is completed in the part of the turn in which the
castle is founded. Later, when the next feature in the vicinity is completed, the owner of the castle scores the points
of this feature. The lord then returns to the supply.

Before anything is scored, players decide whether to found castles. Castles score after all other features. Castle
scoring has several rounds, because a castle that scores counts as a completed feature. In the first round, a castle
scores if its vicinity contains a feature completed in this part of the turn. In every later round, a castle scores if
its vicinity contains a castle that scored in the round before.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules import features
from carc_env.rules.answers import (
    VICINITY,
    castle_answer,
    castle_of,
    castle_score_answer,
    castle_score_of,
    insert_ascending,
    pass_of,
)
from carc_env.rules.features import feature_at
from carc_env.rules.geometry import nearby, neighbour, size_of
from carc_env.rules.scoring import add_points, enter_completed, first_of, place_of
from carc_env.rules.state import FOLLOWER_SLOTS, NONE, Kind, Source

EAST, SOUTH = 1, 2  # a castle's second cell lies on one of these two sides of the first cell


# --- founding ---------------------------------------------------------------------------------------------------------
@jit
def is_semicircle(game, tiles, node):
    """True if a city segment is a semicircle. A semicircle touches exactly one edge of its tile, and is not marked as
    `flat`. City segments printed on a map sheet are never semicircles.
    """
    square = game.board[game.segments[node].cell]
    tile, number = tiles.kinds[square.tile], node - int64(square.first_segment)
    return tile.open[number] == 1 and tile.flat[number] == 0 and square.large == 0


@jit
def is_small_city(game, tiles, feature):
    """True if a feature is a completed city that consists of exactly two semicircles."""
    what = game.features[feature]
    if what.kind != Kind.CITY or what.open != 0 or what.n_segments != 2:
        return False
    return is_semicircle(game, tiles, feature) and is_semicircle(game, tiles, int64(game.segments[feature].next))


@jit
def founder(game, city):
    """The player who has the only follower in a city, or NONE if the city has no follower or several followers."""
    found = int64(NONE)
    for player in range(int64(game.n_players)):
        for slot in range(FOLLOWER_SLOTS):
            node = game.players[player].figures[slot]
            if node >= 0 and game.segments[node].feature == city:
                if found != NONE:
                    return int64(NONE)
                found = player
    return found


@jit(absent=0)
def tokens(game, player):
    """The number of castle tokens in a player's supply."""
    return int64(game.systems.castles.tokens[player])


@jit(absent=0)
def founding_options(game, tiles, player, room):
    """List `pass` and the actions that turn newly completed small cities into castles. Returns the number of actions,
    which is 0 if the player cannot build a castle.
    """
    n, cell = int64(0), int64(game.placed)
    square = game.board[cell]
    for side in range(4):
        number = int64(tiles.kinds[square.tile].side_segment[square.rotation, side])
        if number == NONE or tokens(game, player) == 0:
            continue
        city = feature_at(game, cell, number)
        if is_small_city(game, tiles, city) and founder(game, city) == player:
            first = cell if side == EAST or side == SOUTH else neighbour(game, cell, side)
            n = insert_ascending(room, n, castle_answer(size_of(game), first, SOUTH if side % 2 == 0 else EAST))
    if n > 0:
        room.answers[n] = pass_of(game)
        n += 1
    return n


@jit(absent=False)
def begin_founding(game, tiles, room):
    """Begin the step in which castles are founded. The owners of newly completed small cities decide: the active player
    first, then the others clockwise. Returns False if no player may turn a city into a castle.
    """
    return game.ends_closed and ask_founder(game, tiles, int64(0), room)


@jit
def ask_founder(game, tiles, first, room):
    """Find the next player who may turn a city into a castle, and let this player decide. The check goes clockwise and
    begins `first` seats after the active player. Returns False if none of the checked players may turn a city into a
    castle.
    """
    for place in range(first, int64(game.n_players)):
        player = (int64(game.active) + place) % int64(game.n_players)
        if founding_options(game, tiles, player, room) > 0:
            game.player = player
            return True
    return False


@jit(absent=True)
def apply_founding(game, tiles, answer, room):
    """Carry out a player's action: turn the chosen city into a castle, or `pass`. After founding a castle, a player may
    found further castles. After `pass`, the next player decides. Returns True if no player is left who may turn a city
    into a castle.
    """
    place = (int64(game.player) - int64(game.active)) % int64(game.n_players)
    if answer == pass_of(game):
        place += 1
    else:
        found(game, tiles, answer)
    return not ask_founder(game, tiles, place, room)


@jit
def found(game, tiles, answer):
    """Cover a small city with a castle token. This city becomes a castle, and the follower in the city becomes the
    lord.
    """
    cell, side = castle_of(size_of(game), answer)
    castles, square = game.systems.castles, game.board[cell]
    castle = castles.built[castles.n_built]
    castle.node = int64(square.first_segment) + tiles.kinds[square.tile].side_segment[square.rotation, side]
    castle.scored = NONE
    castle.side = side
    castle.player = game.player
    castle.founded = 1
    castles.n_built += 1
    castles.tokens[game.player] -= 1
    features.cover(game, int64(game.segments[castle.node].feature))


@jit
def has_lord(game, castle):
    """True if the lord still stands in the castle. A lord that has scored returns to the supply."""
    return game.features[game.segments[castle.node].feature].strength[castle.player] > 0


@jit(absent=None)
def on_part_begun(game):
    """Begin a part of a turn: from now on, all castles founded earlier can score."""
    for k in range(game.systems.castles.n_built):
        game.systems.castles.built[k].founded = 0


# --- the features that a castle can score -----------------------------------------------------------------------------
@jit
def tile_of_vicinity(game, castle, place):
    """Return the cell of one of the six tiles in a castle's vicinity. `place` is the index of the tile. If the castle's
    two tiles lie side by side from west to east, the vicinity has three rows of two tiles. Otherwise, the vicinity has
    two rows of three tiles.
    """
    first = game.segments[castle.node].cell
    if castle.side == EAST:
        return nearby(game, first, 1 + place + place // 2)
    return nearby(game, first, 3 + place)


@jit
def answer_for(game, tiles, castle, feature):
    """Return the action that lets a castle score a feature. If the feature has no segment in the castle's vicinity,
    return NONE. The action contains the feature's first spot in the vicinity. The first spot is found by searching the
    tiles of the vicinity row by row.
    """
    for place in range(VICINITY):
        square = game.board[tile_of_vicinity(game, castle, place)]
        if square.tile != NONE:
            tile = tiles.kinds[square.tile]
            for i in range(tile.n_segments):
                number = int64(tile.by_spot[square.rotation, i])
                if game.segments[square.first_segment + number].feature == feature:
                    return int64(castle_score_answer(size_of(game), place, tile.spot[square.rotation, number]))
    return int64(NONE)


@jit
def feature_of(game, tiles, castle, answer):
    """Decode an id made by `answer_for`: return the feature that the castle scores."""
    place, spot = castle_score_of(size_of(game), answer)
    cell = tile_of_vicinity(game, castle, place)
    return feature_at(
        game, cell, int64(tiles.kinds[game.board[cell].tile].spot_segment[game.board[cell].rotation, spot])
    )


# --- scoring ----------------------------------------------------------------------------------------------------------
@jit(absent=False)
def begin_scoring(game, tiles):
    """Begin the first round of castle scoring, in which castles score the features completed in this part of the turn.
    Returns False if no castle can score.
    """
    game.systems.castles.first = 0
    game.systems.castles.end = game.n_completed
    return ask_lord(game, tiles)


@jit
def ask_lord(game, tiles):
    """Find the next castle that can score, and let the castle's owner choose a feature. A castle that scores counts as
    a completed feature, which another castle can score in the next round. Returns False if no further castle can score.
    """
    castles = game.systems.castles
    castles.scoring = NONE
    while castles.first < castles.end:
        castles.scoring = next_castle(game, tiles)
        if castles.scoring != NONE:
            game.player = castles.built[castles.scoring].player
            return True
        castles.first, castles.end = castles.end, game.n_completed
    return False


@jit
def next_castle(game, tiles):
    """The castle that scores next in this round of castle scoring, or NONE. The castles of the active player score
    first. The castles of the other players follow in clockwise order. If one player has several castles, these castles
    score in the order of their places on the board, row by row.
    """
    best = int64(NONE)
    for k in range(int64(game.systems.castles.n_built)):
        if can_score(game, tiles, game.systems.castles.built[k]) and (
            best == NONE or goes_before(game, tiles, k, best)
        ):
            best = k
    return best


@jit
def goes_before(game, tiles, k, other):
    """True if castle `k` scores before castle `other`. If two castles have the same first cell, the castle that extends
    to the east scores before the castle that extends to the south.
    """
    mine, theirs = game.systems.castles.built[k], game.systems.castles.built[other]
    places = (int64(mine.player) - game.active) % game.n_players - (int64(theirs.player) - game.active) % game.n_players
    return (
        places < 0
        or places == 0
        and place_of(game, tiles, int64(mine.node)) < place_of(game, tiles, int64(theirs.node))
    )


@jit
def can_score(game, tiles, castle):
    """True if a castle can score in this round of castle scoring. At least one feature that counts in this round must
    lie in the castle's vicinity. A castle that was founded in the current part of the turn cannot score. The castle's
    lord must not have scored yet.
    """
    if castle.scored != NONE or castle.founded:
        return False
    for i in range(int64(game.systems.castles.first), int64(game.systems.castles.end)):
        if pays(game, tiles, castle, i):
            return True
    return False


@jit
def pays(game, tiles, castle, i):
    """True if the completed feature with index `i` is worth points and has a segment in the castle's vicinity."""
    done = game.completed[i]
    return done.worth > 0 and answer_for(game, tiles, castle, int64(done.feature)) != NONE


@jit(absent=0)
def scoring_options(game, tiles, room):
    """List one action for each feature that the current castle can score. Returns the number of actions."""
    castles, n = game.systems.castles, int64(0)
    for i in range(int64(castles.first), int64(castles.end)):
        if pays(game, tiles, castles.built[castles.scoring], i):
            n = insert_ascending(
                room, n, answer_for(game, tiles, castles.built[castles.scoring], int64(game.completed[i].feature))
            )
    return n


@jit(absent=True)
def apply_scoring(game, tiles, answer):
    """Give the castle's owner the points of the chosen feature. Afterwards, the castle counts as a completed feature
    and cannot score again. Returns True if no other castle can score.
    """
    castles = game.systems.castles
    castle = castles.built[castles.scoring]
    feature, worth = feature_of(game, tiles, castle, answer), int64(0)
    for i in range(int64(castles.first), int64(castles.end)):
        if game.completed[i].feature == feature:
            worth = int64(game.completed[i].worth)
    castle.scored = first_of(game, tiles, feature)
    game.moves[game.n_moves - 1].spot = castles.scoring
    add_points(game, int64(castle.player), Source.CASTLES, worth, int64(game.segments[castle.node].cell))
    enter_completed(game, int64(game.segments[castle.node].feature), 1 << int64(castle.player), worth)
    return not ask_lord(game, tiles)
