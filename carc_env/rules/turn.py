"""Implements one turn in the order of the rulebook, from drawing the tile to the next player's turn.

A turn is a list of steps (`state.TURN`). The boxes in play determine which of these steps a game has
(`GAME.following`). Each rule with steps of its own has a module, which implements these steps with three functions.
`begin` does everything that has to be done before a decision. `options` lists the legal actions. `apply` carries out an
action, and returns True if the step is finished. `go_on` continues the turn to the next step in which a player has to
decide.

`proceed` continues to the next decision with at least two legal actions. If only one action is legal, the engine plays
it automatically. A decision is skipped if no action is legal, or if `pass` is the only legal action.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules import ending, figure_action, placement, scoring
from carc_env.rules.answers import pass_of
from carc_env.rules.chance import random_below
from carc_env.rules.expansions import (
    abbeys,
    castles,
    crop_circles,
    darmstadt,
    ferries,
    german_castles,
    goldmines,
    map_chips,
    shrines,
)
from carc_env.rules.history import log
from carc_env.rules.state import NONE, Phase, Step


@jit(inline=True)
def begin(game, tiles, room):
    """Begin a step of the turn: do everything in this step that comes before the player's decision. Returns True if a
    decision follows.
    """
    if game.phase == Phase.PLACE_ABBEY:
        return abbeys.begin(game)
    if game.phase == Phase.PLACE_GERMAN_CASTLE:
        return german_castles.begin(game, tiles)
    if game.phase == Phase.PLACE_TILE:
        return ending.draw(game, tiles)
    if game.phase == Phase.SELL_WINE:
        return map_chips.begin(game)
    if game.phase == Phase.PLACE_INGOT:
        return goldmines.begin(game, tiles)
    if game.phase == Phase.PLACE_FIGURE:
        return True
    if game.phase in ferries.STEPS:
        return ferries.begin(game, tiles, room)
    if game.phase == Phase.FOUND_CASTLE:
        return castles.begin_founding(game, tiles, room)
    if game.phase == Step.SCORE:
        scoring.score_turn(game, tiles)
        if game.boxes.darmstadt:
            darmstadt.score_bonuses(game, tiles)
        return False
    if game.phase == Phase.CASTLE_SCORE:
        return castles.begin_scoring(game, tiles)
    if game.phase == Step.CLEAR_UP:
        if game.n_completed:
            scoring.clear_up(game)
        if game.boxes.shrines:
            shrines.settle_challenges(game)
        return False
    if game.phase == Phase.TAKE_INGOT:
        return goldmines.begin_draft(game, room)
    if game.phase in crop_circles.STEPS:
        return crop_circles.begin(game, tiles)
    if game.phase == Step.NEXT_PART:
        return ending.next_part(game, tiles)
    return False


@jit
def legal_answers(game, tiles, room):
    """Write the legal actions of the current decision to `room.answers`, in ascending order. Returns their number."""
    if game.phase == Phase.PLACE_ABBEY:
        return abbeys.options(game, room)
    if game.phase == Phase.PLACE_GERMAN_CASTLE:
        return german_castles.options(game, tiles, room)
    if game.phase == Phase.PLACE_TILE:
        return placement.options(game, tiles, room)
    if game.phase == Phase.SELL_WINE:
        return map_chips.options(game, room)
    if game.phase == Phase.PLACE_INGOT:
        return goldmines.second_ingot_options(game, tiles, room)
    if game.phase == Phase.PLACE_FIGURE:
        return figure_action.options(game, tiles, room)
    if game.phase in ferries.STEPS:
        return ferries.options(game, tiles, room)
    if game.phase == Phase.FOUND_CASTLE:
        return castles.founding_options(game, tiles, int64(game.player), room)
    if game.phase == Phase.CASTLE_SCORE:
        return castles.scoring_options(game, tiles, room)
    if game.phase == Phase.TAKE_INGOT:
        return goldmines.options(game, room)
    if game.phase in crop_circles.STEPS:
        return crop_circles.options(game, tiles, room)
    return 0


@jit
def carry_out(game, tiles, answer, room):
    """Carry out an action. If no action is legal, `answer` is `pass`. Returns True if the step is finished."""
    if game.phase == Phase.PLACE_ABBEY:
        return abbeys.apply(game, tiles, answer)
    if game.phase == Phase.PLACE_GERMAN_CASTLE:
        return german_castles.apply(game, tiles, answer)
    if game.phase == Phase.PLACE_TILE:
        return place_or_discard(game, tiles, answer)
    if game.phase == Phase.SELL_WINE:
        return map_chips.apply(game, answer)
    if game.phase == Phase.PLACE_INGOT:
        return goldmines.apply_second_ingot(game, answer)
    if game.phase == Phase.PLACE_FIGURE:
        return figure_action.apply(game, tiles, answer)
    if game.phase in ferries.STEPS:
        return ferries.apply(game, tiles, answer, room)
    if game.phase == Phase.FOUND_CASTLE:
        return castles.apply_founding(game, tiles, answer, room)
    if game.phase == Phase.CASTLE_SCORE:
        return castles.apply_scoring(game, tiles, answer)
    if game.phase == Phase.TAKE_INGOT:
        return goldmines.apply(game, answer, room)
    if game.phase in crop_circles.STEPS:
        return crop_circles.apply(game, tiles, answer)
    return True


@jit
def place_or_discard(game, tiles, answer):
    """Place the tile in hand. The action is `pass` if the tile fits nowhere. The tile is then removed from the game,
    and the player draws another one.
    """
    if answer == pass_of(game):
        placement.discard(game)
        return not ending.draw(game, tiles)
    return placement.apply(game, tiles, answer)


@jit
def go_on(game, tiles, room):
    """Go on to the next step of the turn that requires a decision. The active player decides, unless the step
    assigns the decision to a different player, such as the owner of a castle that scores.
    """
    asks = False
    while not asks:
        game.phase = game.following[game.phase]
        game.player = game.active
        asks = begin(game, tiles, room)


@jit
def begin_game(game, tiles, room):
    """Begin the first turn."""
    game.tile = game.placed = NONE
    game.phase = Step.NEXT_PART
    go_on(game, tiles, room)


@jit
def apply(game, tiles, answer, room):
    """Carry out a legal action, and go on to the next step if the action finishes the current step. `room` is working
    space.
    """
    log(game, answer, game.phase, game.player)
    if carry_out(game, tiles, answer, room):
        go_on(game, tiles, room)


@jit
def play_out(game, tiles, answer, room):
    """Look ahead to the end of this part of the turn: carry out an action, and then choose the first legal action in
    each further decision.

    The function never moves a ferry: in a decision about moving ferries, it chooses `pass`. If the player declines to
    place an abbey or a castle tile, the look-ahead ends before a tile is drawn. The look-ahead therefore never uses
    hidden information. The actions of the look-ahead are not recorded in GAME.moves. There is one exception: ingots
    that a player takes without a decision are recorded.

    The caller must pass a copy of a game. The function can also change MOVE.spot of the last recorded action.
    """
    is_done = carry_out(game, tiles, answer, room)
    while True:
        if is_done:
            game.phase = game.following[game.phase]
            game.player = game.active
            if game.phase == Step.NEXT_PART or game.placed == NONE:
                return
            is_done = not begin(game, tiles, room)
        else:
            n = legal_answers(game, tiles, room)
            is_done = carry_out(
                game, tiles, int64(room.answers[0]) if n > 0 and game.phase != Phase.MOVE_FERRY else pass_of(game), room
            )


@jit
def settle(game, tiles, room):
    """Go on to the next decision that has at least one legal action besides `pass`. Lists the legal actions of this
    decision and returns their number. At the end of the game, returns 0.
    """
    while game.phase != Phase.GAME_OVER:
        n = legal_answers(game, tiles, room)
        if n > 1 or (n == 1 and room.answers[0] != pass_of(game)):
            return n
        if carry_out(game, tiles, pass_of(game), room):
            go_on(game, tiles, room)
    return 0


@jit
def proceed(game, tiles, room):
    """Go on to the next decision that has at least two legal actions, and list these actions. Decisions with only one
    legal action are made automatically. Returns the number of legal actions, or 0 at the end of the game.
    """
    n = legal_answers(game, tiles, room)
    while n < 2 and game.phase != Phase.GAME_OVER:
        only = int64(room.answers[0]) if n == 1 else pass_of(game)
        if only != pass_of(game):
            log(game, only, game.phase, game.player)
        if carry_out(game, tiles, only, room):
            go_on(game, tiles, room)
        n = legal_answers(game, tiles, room)
    return n


@jit
def answer(game, tiles, action, room):
    """Play a legal action, and then all forced actions that follow it. Lists the legal actions of the next decision,
    and returns their number.
    """
    game.n_events = 0
    apply(game, tiles, action, room)
    return proceed(game, tiles, room)


@jit
def play_to_end(game, tiles, chance, room):
    """Play a game to its end with uniformly random actions. Returns the number of actions chosen."""
    decisions = 0
    n = legal_answers(game, tiles, room)
    while n > 0:
        n = answer(game, tiles, int64(room.answers[random_below(chance, n)]), room)
        decisions += 1
    return decisions
