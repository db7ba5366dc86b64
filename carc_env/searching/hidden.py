"""Takes random samples of the hidden information: the order of the stack, and the faces of the face-down chips.

A sample assigns the hidden tiles to the positions in the stack, and the hidden faces to the chips. The samples are
stratified. With n hidden tiles, n consecutive samples form a block. The hidden tiles are sorted. For each block, a
random permutation of the numbers 0 to n - 1 is drawn. In sample s of a block, stack position i receives the sorted tile
with index `(permutation[i] + s * stride) % n`. Over the n samples of a block, each stack position therefore receives
each hidden tile exactly once. In consecutive samples, each stack position receives tiles from all parts of the sorted
list. A mean over a few stratified samples is therefore more precise than a mean over the same number of independent
shuffles. The chips receive the hidden faces in the same way as the stack positions receive the hidden tiles. Sorting
removes all information about the actual order of the hidden tiles. Two games that a player cannot distinguish therefore
give the same samples.
"""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.chance import mixed, seed_chance, shuffle
from carc_env.rules.expansions import map_chips
from carc_env.rules.history import mixed_with_history

GOLDEN = 0.6180339887498949  # 1 / (golden ratio): steps of this length on a circle of length 1 spread points evenly


@jit
def draw_hidden(game, low, high, number, room, chance):
    """Replace the hidden information of a game by a random sample. The course of the game so far and the seed define a
    sequence of samples, and `number` is the index of the sample in this sequence. `low` holds the low 32 bits of the
    seed, and `high` holds the high 32 bits.
    """
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
    """For n hidden items, draw the sample whose index is `number`. The function reads the items from `room.listed`, and
    writes them in the sampled order to `room.came_from`.
    """
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
    """Return a number that is coprime to n and close to n divided by the golden ratio. In a circle of n positions,
    steps of a length that is coprime to n reach every position.
    """
    stride = int64(GOLDEN * n + 0.5)
    while greatest_common_divisor(stride, n) != 1:
        stride += 1
    return stride


@jit
def greatest_common_divisor(a, b):
    """Return the greatest common divisor of two numbers. At least one of the two numbers must differ from 0."""
    while b:
        a, b = b, a % b
    return a


@jit
def sort(items, n):
    """Sort the first n items in ascending order. Insertion sort is used because there are few items, and because the
    items are often already sorted.
    """
    for i in range(1, n):
        item, at = int64(items[i]), i
        while at > 0 and items[at - 1] > item:
            items[at] = items[at - 1]
            at -= 1
        items[at] = item
