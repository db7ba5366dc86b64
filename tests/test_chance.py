"""Chance: its numbers are the published ones, and stay: a seed tells a game."""

import numpy as np

from carc_env.rules.batch import generators
from carc_env.rules.chance import CHANCE, mixed, random_word, seed_chance


def generator(*state: int) -> np.record:
    """A generator with these two words of state."""
    return generators(np.array([state]))[0]


def test_words_are_those_of_xoroshiro64():
    """The first ten of the state 1, 2, as other programs have them (rand_xoshiro)."""
    chance = generator(1, 2)
    assert [random_word(chance) for _ in range(10)] == [
        3802928447, 813792938, 1618621494, 2955957307, 3252880261, 1129983909, 2539651700, 1327610908, 1757650787,
        2763843748,
    ]  # fmt: skip


def test_bits_are_mixed_as_by_murmur_hash():
    assert [mixed(word) for word in (0, 1, 2, 0xFFFFFFFF)] == [0, 0x514E28B7, 0x30F4C306, 0x81F16F39]


def test_both_words_of_a_seed_count():
    found = []
    for low, high in ((0, 0), (1, 0), (0, 1), (0xFFFFFFFF, 0xFFFFFFFF)):
        chance = np.zeros(1, CHANCE)[0]
        seed_chance(chance, low, high)
        found.append((int(chance.a), int(chance.b)))
    assert found == [
        (2856213345, 3326086351),
        (2571226413, 609799649),
        (1863002342, 538622477),
        (3664794242, 1749410415),
    ]
