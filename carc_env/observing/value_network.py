"""A small network that knows what prospects leave out: how much more of a margin two players may expect.

It sees the parts of the prospects of both, their ingots, the points between them, who moves next and how much of the
game is left. Seen by the other player the same table has the opposite value:

    margin to come (a, b) = half (a, b) - half (b, a)

`half` has two hidden layers of ReLU. It was learned from games of two players (`python -m training.learn_values`), so it
is asked in games of two players alone.
"""

from enum import IntEnum

import numpy as np
from numpy import float32

from carc_env.boxes.prospect_parts import N_PARTS, Part
from carc_env.compiling.jit import jit
from carc_env.rules.state import record

FIRST, SECOND = 64, 32  # widths of the hidden layers


class Input(IntEnum):
    """Inputs after the parts of the one player and of the other."""

    OWN_INGOTS = 2 * N_PARTS
    OTHER_INGOTS = 2 * N_PARTS + 1
    LEAD = 2 * N_PARTS + 2  # points on the track, own less the other's; in units of LEAD_UNIT
    MOVES = 2 * N_PARTS + 3  # 1: the one moves next, -1: the other does
    TURNS = 2 * N_PARTS + 4  # own turns to come, in units of TURNS_UNIT
    LEFT = 2 * N_PARTS + 5  # tiles in the stack, in units of LEFT_UNIT


N_INPUTS = 2 * N_PARTS + 6
LEAD_UNIT, TURNS_UNIT, LEFT_UNIT = 20.0, 10.0, 20.0


class Asked(IntEnum):
    """What a network is asked for."""

    NOTHING = 0
    LEAVES = 1  # the value of a table where a search ends
    PRICES = 2  # that, and the price of every answer


NETWORK = record(
    ("asked", "i1"),
    ("first", "f4", (N_INPUTS, FIRST)),
    ("first_bias", "f4", (FIRST,)),
    ("second", "f4", (FIRST, SECOND)),
    ("second_bias", "f4", (SECOND,)),
    ("last", "f4", (SECOND,)),
    ("scatter", "f4", (1,)),  # of the chance to win, see `chance_to_win`; 0: not known
)
ARRAYS = ("first", "first_bias", "second", "second_bias", "last", "scatter")
THOUGHT = record(
    ("inputs", "f4", (N_INPUTS,)), ("hidden", "f4", (FIRST,)), ("deep", "f4", (SECOND,))
)  # room to work in


@jit
def margin_to_come(network, view, game, parts, own, other, moves, drawn, thought):
    """How much more of a margin `own` may expect over `other` than prospects say, in points.

    `moves` is 1 if `own` moves next, else -1; `drawn` is how many tiles are drawn until then. Points and ingots that
    `parts` have for completed features count as had.
    """
    look(view, game, parts, own, other, moves, drawn, thought.inputs)
    found = half(network, thought)
    look(view, game, parts, other, own, -moves, drawn, thought.inputs)
    return found - half(network, thought)


@jit
def look(view, game, parts, own, other, moves, drawn, inputs):
    """Write what the network sees to `inputs`, float32[N_INPUTS]."""
    for part in range(N_PARTS):
        inputs[part] = parts[own, part]
        inputs[N_PARTS + part] = parts[other, part]
    lead = float(game.players[own].score) - float(game.players[other].score)
    lead += parts[own, Part.NOW] - parts[other, Part.NOW]
    inputs[Input.OWN_INGOTS] = game.players[own].ingots + parts[own, Part.INGOTS_NOW]
    inputs[Input.OTHER_INGOTS] = game.players[other].ingots + parts[other, Part.INGOTS_NOW]
    inputs[Part.NOW] = inputs[N_PARTS + Part.NOW] = 0.0
    inputs[Part.INGOTS_NOW] = inputs[N_PARTS + Part.INGOTS_NOW] = 0.0
    inputs[Input.LEAD] = lead / LEAD_UNIT
    inputs[Input.MOVES] = moves
    inputs[Input.TURNS] = (view.turns - drawn / game.n_players) / TURNS_UNIT
    inputs[Input.LEFT] = (view.n_left - drawn) / LEFT_UNIT


@jit
def half(network, thought):
    """What the network makes of its inputs."""
    hidden, deep = thought.hidden, thought.deep
    first, second = network.first, network.second
    for j in range(FIRST):
        hidden[j] = network.first_bias[j]
    for i in range(N_INPUTS):
        x = thought.inputs[i]
        if x != 0.0:  # most parts are, in most games
            for j in range(FIRST):
                hidden[j] += x * first[i, j]
    for j in range(SECOND):
        deep[j] = network.second_bias[j]
    for i in range(FIRST):
        x = hidden[i]
        if x > 0.0:
            for j in range(SECOND):
                deep[j] += x * second[i, j]
    found = float32(0.0)
    for j in range(SECOND):
        found += max(deep[j], float32(0.0)) * network.last[j]
    return float(found)


SCATTER = 1.6  # of the chance to win, where no network brings its own: as measured on `base`


def scale_of_winning(network: np.ndarray) -> float:
    """The `scatter` of an array of one NETWORK record for `chance_to_win`; SCATTER if it has none."""
    return float(network[0]["scatter"][0]) or SCATTER


def chance_to_win(margin: np.ndarray | float, left: np.ndarray | int, scatter: float) -> np.ndarray:
    """The chance to win that an expected margin means with so many tiles left: a logistic curve that is flatter the more
    are left. Its scale is `scatter` points for each square root of a tile: what games still change grows so.
    """
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * margin / (scatter * np.sqrt(1.0 + left))))


def network_of(tensors: dict[str, np.ndarray], asked: Asked) -> np.ndarray:
    """The NETWORK record of the arrays of a checkpoint. Raises KeyError for one that is missing, ValueError for one of
    another shape.
    """
    found = np.zeros(1, NETWORK)
    found["asked"] = asked
    for name in ARRAYS:
        array = tensors[name]
        if array.shape != found[0][name].shape:
            raise ValueError(f"{name} has the shape {array.shape}; it should be {found[0][name].shape}")
        found[0][name] = array
    return found


def tensors_of(network: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays of a NETWORK record, as a checkpoint holds them."""
    return {name: np.array(network[0][name]) for name in ARRAYS}
