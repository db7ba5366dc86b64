"""What nobody may know, drawn anew: the order of the stack, and what the chips show that lie face down.

Draws are stratified. What is hidden is put in order first, and draw number s of a block gives place i the item at
`permutation[i] + shift(s)` of that order, counted around. So within a block each place holds each item once, and a few
draws in a row spread evenly over the order: means over few stacks are closer than over independent shuffles. Each block
has its own permutation. As the order does not depend on how the items lay, two games that a player cannot tell apart
give the same draws.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.chance import mixed, seed_chance, shuffle
from carc_env.rules.expansions import map_chips
from carc_env.rules.history import mixed_with_history

GOLDEN = 0.6180339887498949  # steps of this share of a circle cover it most evenly


@jit
def draw_hidden(game, low, high, number, room, chance):
    """Draw the hidden part of a game anew: draw `number` of those that a seed of two words gives in this position."""
    word = mixed_with_history(game, mixed(int(low)))
    n = int64(game.n_deck) - game.n_drawn
    for i in range(n):
        room.listed[i] = game.deck[game.n_drawn + i]
    deal(room, n, number, mixed(word ^ 1), high, chance)
    for i in range(n):
        game.deck[game.n_drawn + i] = room.came_from[i]
    deal(room, map_chips.list_faces(game, room), number, mixed(word ^ 2), high, chance)
    map_chips.turn_faces(game, room.came_from)


@jit
def deal(room, n, number, low, high, chance):
    """Deal the n items in room.listed to n places, room.came_from, as draw `number`."""
    if n == 0:
        return
    sort(room.listed, n)
    for i in range(n):
        room.partner[i] = i
    seed_chance(chance, mixed(low ^ int(number // n)), int(high))
    shuffle(room.partner, n, chance)
    stride = stride_of(n)
    for i in range(n):
        room.came_from[i] = room.listed[(int64(room.partner[i]) + number * stride) % n]


@jit
def stride_of(n):
    """A step around a circle of n places that comes to each of them, close to the golden ratio."""
    stride = int64(GOLDEN * n + 0.5)
    while greatest_common_divisor(stride, n) != 1:
        stride += 1
    return stride


@jit
def greatest_common_divisor(a, b):
    """Of two numbers that are not both 0."""
    while b:
        a, b = b, a % b
    return a


@jit
def sort(items, n):
    """Put the first n items in ascending order (insertion: they are few, and often in order)."""
    for i in range(1, n):
        item, at = int64(items[i]), i
        while at > 0 and items[at - 1] > item:
            items[at] = items[at - 1]
            at -= 1
        items[at] = item
