"""Computes the observation features of ferries: the pair of edges that each ferry joins, and the ferries that can be
moved.
"""

from numpy import int64

from carc_env.boxes.layout import column, plane
from carc_env.boxes.writing import put
from carc_env.compiling.jit import jit
from carc_env.rules.answers import pass_of
from carc_env.rules.expansions import ferries
from carc_env.rules.state import Phase

JOINS, CHOICE = plane("ferry"), plane("choice")
FERRY = column("ferry")


@jit(absent=None)
def write_planes(game, tiles, picture):
    """In games with ferries, write the observation plane `ferry`."""
    if game.boxes.ferries:
        write_pairs(game, tiles, picture)


@jit
def write_pairs(game, tiles, picture):
    """Write the plane `ferry`: at the cell of each ferry, the pair of edges that the ferry joins."""
    for ferry in range(int64(game.systems.ferries.n_lying)):
        put(picture, JOINS, ferries.cell_of_ferry(game, ferry), 1 + ferries.pair_of(game, tiles, ferry))


@jit(absent=None)
def write_choice(game, picture):
    """Write the plane `choice`: at the cell of each ferry that can be moved now, the ferry's index plus 1."""
    if game.phase == Phase.MOVE_FERRY:
        for ferry in range(int64(game.systems.ferries.n_lying)):
            if ferries.is_movable(game, ferry):
                put(picture, CHOICE, ferries.cell_of_ferry(game, ferry), 1 + ferries.number_of(game, ferry))


@jit
def describe_answer(game, phase, answer, row):
    """Write the column `ferry` of a candidate action: whether the action places or moves a ferry."""
    row[FERRY] = phase in ferries.STEPS and answer != pass_of(game)
