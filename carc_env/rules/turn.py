"""One turn, from drawing the tile to the next player, in the order of the rulebook.

A *phase* is a question put to a player. `apply` carries out an answer and moves on to the next phase; `proceed` goes
on until a question is reached that leaves a choice: a single answer is given by the engine itself, and a question
without answers, or with `pass` alone, is not asked.
"""

from numpy import int64

from carc_env.jit import jit
from carc_env.rules import figures, placement
from carc_env.rules.answers import (
    CHOOSE_CELL,
    CIRCLE_ADD,
    PASS,
    PLACE_FIGURE,
    PLACE_TILE,
    RECALL,
)
from carc_env.rules.expansions import abbot, crop_circles, goldmines, map_chips, traders_and_builders
from carc_env.rules.figures import deploy
from carc_env.rules.history import log, note
from carc_env.rules.placement import place_tile
from carc_env.rules.scoring import add_points, score_end, score_turn, source_of
from carc_env.rules.state import N_CELLS, N_SPOTS, NONE, EventKind, Phase, Source


@jit
def legal_answers(game, box, room):
    """List the answers to the question asked in the room, ascending. Returns their number."""
    n = 0
    if game.phase == Phase.PLACE_TILE:
        n = placement.options(game, box, room)
    elif game.phase == Phase.SELL_WINE:
        n = map_chips.options(game, room)
    elif game.phase == Phase.PLACE_INGOT:
        n = goldmines.second_ingot_options(game, box, room)
    elif game.phase == Phase.PLACE_FIGURE:
        n = figures.options(game, box, room)
        if game.boxes.traders_and_builders:
            n = traders_and_builders.options(game, box, room, n)
        if abbot.can_recall(game):
            room.answers[n] = RECALL
            n += 1
        room.answers[n] = PASS
        n += 1
    elif game.phase == Phase.TAKE_INGOT:
        n = goldmines.options(game, room)
    elif game.phase == Phase.CROP_CHOICE:
        n = crop_circles.choice_options(room)
    elif game.phase == Phase.CROP_ADD or game.phase == Phase.CROP_REMOVE:
        n = crop_circles.options(game, box, room)
    return n


@jit
def apply(game, box, answer, room):
    """Carry out a legal answer and go to the next phase. `room` is room to work in."""
    log(game, answer, game.phase, game.player)
    if game.phase == Phase.PLACE_TILE:
        game.placed = (answer - PLACE_TILE) % N_CELLS
        place_tile(game, box, int64(game.tile), (answer - PLACE_TILE) // N_CELLS, int64(game.placed))
        game.tile = NONE
        take_chip(game)
        traders_and_builders.on_tile_placed(game)
        game.phase = Phase.SELL_WINE
    elif game.phase == Phase.SELL_WINE:
        if answer != PASS:
            add_points(game, int64(game.active), Source.WINE, int64(map_chips.sell(game, answer)), int64(game.placed))
        begin_gold(game, box)
    elif game.phase == Phase.PLACE_INGOT:
        goldmines.put(game, answer - CHOOSE_CELL)
        game.phase = Phase.PLACE_FIGURE
    elif game.phase == Phase.PLACE_FIGURE:
        act_with_figure(game, box, answer)
        finish_tile(game, box, room)
    elif game.phase == Phase.TAKE_INGOT:
        goldmines.apply(game, answer - CHOOSE_CELL, room)
        ask_claimant(game, box)
    elif game.phase == Phase.CROP_CHOICE:
        game.phase = Phase.CROP_ADD if answer == CIRCLE_ADD else Phase.CROP_REMOVE
        game.player = (game.active + 1) % game.n_players
    else:
        crop_circles.apply(game, box, answer)
        ask_next_in_circle(game, box)


@jit
def take_chip(game):
    """The chip of the square pays its value at once."""
    points = int64(map_chips.take_chip(game, game.placed))
    if points > 0:
        add_points(game, int64(game.active), Source.CHIPS, points, int64(game.placed))


@jit
def begin_gold(game, box):
    """A gold tile gets its first ingot; the second is asked for."""
    goldmines.on_tile_placed(game, box)
    game.phase = Phase.PLACE_INGOT


@jit
def act_with_figure(game, box, answer):
    """One figure action at most: place one, or take the own abbot back and score it."""
    if answer == RECALL:
        where = abbot.building(game, game.active)
        points, cell = abbot.recall_points(game), int64(game.segments[where].cell)
        abbot.recall(game)
        add_points(game, int64(game.active), source_of(game.features[where].kind), points, cell)
    elif answer != PASS:
        figure, spot = divmod(answer - PLACE_FIGURE, N_SPOTS)
        deploy(game, box, int64(game.active), figure, spot)


@jit
def finish_tile(game, box, room):
    """Score what the tile completed, then share out the gold on it."""
    score_turn(game, box)
    goldmines.begin_draft(game, room)
    game.phase = Phase.TAKE_INGOT
    ask_claimant(game, box)


@jit
def ask_claimant(game, box):
    """The visitor of the draft is asked; when the draft is over, the crop circle of the tile acts."""
    if game.goldmines.visitor != NONE:
        game.player = game.goldmines.visitor
    elif crop_circles.role(game, box) != NONE:
        game.phase = Phase.CROP_CHOICE
        game.player = game.active
    else:
        end_part(game, box)


@jit
def ask_next_in_circle(game, box):
    """Crop circles go round clockwise; the active player is the last."""
    if game.player == game.active:
        end_part(game, box)
    else:
        game.player = (game.player + 1) % game.n_players


@jit
def end_part(game, box):
    """The next player's turn begins, or the second part of a builder's double turn."""
    if not traders_and_builders.plays_again(game):
        game.active = (game.active + 1) % game.n_players
    map_chips.on_part_begun(game)
    begin_turn(game, box)


@jit
def begin_turn(game, box):
    """Draw a tile; when the stack is used up, the game ends."""
    game.placed = NONE
    if game.n_drawn == game.n_deck:
        game.tile = NONE
        score_end(game, box)
        game.phase = Phase.GAME_OVER
        game.player = NONE
        return
    game.tile = game.deck[game.n_drawn]
    game.n_drawn += 1
    game.phase = Phase.PLACE_TILE
    game.player = game.active


@jit
def skip(game, box, room):
    """Nobody can answer the question: go to the next phase."""
    if game.phase == Phase.PLACE_TILE:  # the tile leaves the game, the same player draws again
        note(game, EventKind.TILE_DISCARDED, game.active, 0, game.tile, NONE)
        begin_turn(game, box)
    elif game.phase == Phase.SELL_WINE:
        begin_gold(game, box)
    elif game.phase == Phase.PLACE_INGOT:
        game.phase = Phase.PLACE_FIGURE
    elif game.phase == Phase.PLACE_FIGURE:
        finish_tile(game, box, room)
    else:
        ask_next_in_circle(game, box)


@jit
def settle(game, box, room):
    """Go on to the next question that has an answer other than `pass` alone. Lists its answers, returns their number."""
    while game.phase != Phase.GAME_OVER:
        n = legal_answers(game, box, room)
        if n > 1 or (n == 1 and room.answers[0] != PASS):
            return n
        skip(game, box, room)
    return 0


@jit
def proceed(game, box, room):
    """Go on to the next question that leaves a choice, giving single answers. Lists its answers, returns their number.

    At the end of the game there are none.
    """
    while True:
        n = settle(game, box, room)
        if n != 1:
            return n
        apply(game, box, int64(room.answers[0]), room)


@jit
def answer(game, box, action, room):
    """Play one legal answer: carry it out, and all that follows unasked. Lists the next answers, returns their number."""
    game.n_events = 0
    apply(game, box, action, room)
    return proceed(game, box, room)
