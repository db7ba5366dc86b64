"""Applies a small network in games of two players. The heuristic estimates predict a player's final margin, and the
network computes a correction that is added to this prediction.

The inputs of the network are:
- the heuristic estimates (`Part`) for both players;
- the ingots of both players, and the difference between their scores;
- which of the two players moves next;
- the number of turns that each player has left, and the number of tiles that are left.

Let `half(a, b)` be the output of the network for player a against player b. The correction for player a is then
`half(a, b) - half(b, a)`, and the correction for player b is `half(b, a) - half(a, b)`.

The network has two hidden layers with ReLU. The network was trained on games of two players
(`python -m training.learn_values`), and is used only in such games.
"""

from enum import IntEnum

import numpy as np
from numpy import float32

from carc_env.boxes.prospect_parts import N_PARTS, Part
from carc_env.compiling.jit import jit
from carc_env.rules.state import record

FIRST, SECOND = 64, 32  # the widths of the hidden layers


class Input(IntEnum):
    """The indices of the network's inputs that come after the heuristic estimates of the two players."""

    OWN_INGOTS = 2 * N_PARTS
    OTHER_INGOTS = 2 * N_PARTS + 1
    LEAD = 2 * N_PARTS + 2  # the player's score minus the other player's, in units of LEAD_UNIT
    MOVES = 2 * N_PARTS + 3  # 1: the player moves next; -1: the other player moves next
    TURNS = 2 * N_PARTS + 4  # turns that the player has left, in units of TURNS_UNIT
    LEFT = 2 * N_PARTS + 5  # tiles in the stack, in units of LEFT_UNIT


N_INPUTS = 2 * N_PARTS + 6
LEAD_UNIT, TURNS_UNIT, LEFT_UNIT = 20.0, 10.0, 20.0


class Asked(IntEnum):
    """The kinds of values that a bot computes with its network."""

    NOTHING = 0
    LEAVES = 1  # the value of a position at the end of a search
    PRICES = 2  # the value of a position at the end of a search, and the heuristic value of every action


NETWORK = record(
    ("asked", "i1"),
    ("first", "f4", (N_INPUTS, FIRST)),
    ("first_bias", "f4", (FIRST,)),
    ("second", "f4", (FIRST, SECOND)),
    ("second_bias", "f4", (SECOND,)),
    ("last", "f4", (SECOND,)),
    ("scatter", "f4", (1,)),  # see `chance_to_win`; 0 if the value is not known
)
ARRAYS = ("first", "first_bias", "second", "second_bias", "last", "scatter")
THOUGHT = record(("inputs", "f4", (N_INPUTS,)), ("hidden", "f4", (FIRST,)), ("deep", "f4", (SECOND,)))  # working space


@jit
def margin_to_come(network, view, game, parts, own, other, moves, drawn, thought):
    """Return the network's correction to the predicted final margin of `own` over `other`, in points. The heuristic
    estimates predict this margin.

    `moves` is 1 if `own` moves next, otherwise -1. `drawn` is the number of tiles that will be drawn before the next
    move. In `parts`, the points and ingots of completed features count as if the players already had them.
    """
    look(view, game, parts, own, other, moves, drawn, thought.inputs)
    found = half(network, thought)
    look(view, game, parts, other, own, -moves, drawn, thought.inputs)
    return found - half(network, thought)


@jit
def look(view, game, parts, own, other, moves, drawn, inputs):
    """Fill the array `inputs`, float32[N_INPUTS], with the network's inputs from the perspective of `own`."""
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
    """Return the output of the network for the inputs in `thought`."""
    hidden, deep = thought.hidden, thought.deep
    first, second = network.first, network.second
    for j in range(FIRST):
        hidden[j] = network.first_bias[j]
    for i in range(N_INPUTS):
        x = thought.inputs[i]
        if x != 0.0:  # most inputs are 0 in most games
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


SCATTER = 1.6  # the default of `scatter` in `chance_to_win`, as measured on `base`


def scale_of_winning(network: np.ndarray) -> float:
    """Return the value that is passed to `chance_to_win` as `scatter`. `network` is an array of one NETWORK record. If
    the field `scatter` of the record is 0 (not set), return the default, SCATTER.
    """
    return float(network[0]["scatter"][0]) or SCATTER


def chance_to_win(margin: np.ndarray | float, left: np.ndarray | int, scatter: float) -> np.ndarray:
    """Return the probability that a player with the expected margin `margin` wins. `left` is the number of tiles that
    have not been drawn yet. The probability is a logistic function of the margin. The scale of the function is
    `scatter` points times the square root of 1 + `left`. The scale grows with `left`, because the margin can change
    more if more tiles are still to be drawn.
    """
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * margin / (scatter * np.sqrt(1.0 + left))))


def network_of(tensors: dict[str, np.ndarray], asked: Asked) -> np.ndarray:
    """Make an array of one NETWORK record from the arrays of a checkpoint. Raises KeyError for a missing array, and
    ValueError for a wrong shape.
    """
    found = np.zeros(1, NETWORK)
    found["asked"] = asked
    for name in ARRAYS:
        array = tensors[name]
        if array.shape != found[0][name].shape:
            raise ValueError(f"{name} has the shape {array.shape}, but should have the shape {found[0][name].shape}")
        found[0][name] = array
    return found


def tensors_of(network: np.ndarray) -> dict[str, np.ndarray]:
    """Return copies of the arrays in a network, with the same names as in a checkpoint. `network` is an array of one
    NETWORK record.
    """
    return {name: np.array(network[0][name]) for name in ARRAYS}
