"""Implements figure actions. In each part of a turn (a double turn has two parts), a player may place one figure (a
follower, the builder or the pig), or take back their own abbot.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules import figures
from carc_env.rules.answers import RECALL, figure_of, other_answer, pass_of
from carc_env.rules.expansions import abbot, traders_and_builders
from carc_env.rules.geometry import size_of


@jit
def options(game, tiles, room):
    """List `pass` and the legal actions with figures. Returns the number of actions."""
    n = figures.options(game, tiles, room)
    n = traders_and_builders.options(game, tiles, room, n)
    n = abbot.options(game, room, n)
    room.answers[n] = pass_of(game)
    return n + 1


@jit
def apply(game, tiles, answer):
    """Place a figure, or take back the abbot and score its building, or pass. The result is always True, because the
    step is finished after one action.
    """
    if answer == other_answer(size_of(game), RECALL):
        abbot.recall(game)
    elif answer != pass_of(game):
        figure, spot = figure_of(size_of(game), answer)
        figures.deploy(game, tiles, int64(game.active), figure, spot)
    return True
