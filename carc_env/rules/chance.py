"""A small random number generator that gives the same numbers in compiled and in uncompiled code.

The generator is xoroshiro64** (Blackman and Vigna 2018), with two 32-bit words of state. The state is a record, not
an array. Passing an array to compiled code takes time, because numba counts the references to arrays. Passing a record
avoids this cost.
"""

from carc_env.compiling.jit import jit
from carc_env.rules.state import record

WORD = 0xFFFFFFFF  # 32 bits
CHANCE = record(("a", "i8"), ("b", "i8"))


@jit
def rotated(word, k):
    """Rotate a 32-bit word left by k bits."""
    return (word << k | word >> (32 - k)) & WORD


@jit
def mixed(word):
    """Mix the bits of a 32-bit word with the finaliser of MurmurHash3, and return the result."""
    word = (word ^ word >> 16) * 0x85EBCA6B & WORD
    word = (word ^ word >> 13) * 0xC2B2AE35 & WORD
    return word ^ word >> 16


@jit
def seed_chance(chance, low, high):
    """Seed the generator with 64 bits, given as two 32-bit words."""
    first = mixed((low ^ 0x9E3779B9) & WORD)
    chance.a = mixed((first + high) & WORD)
    chance.b = mixed((mixed((high ^ 0x7F4A7C15) & WORD) + low + int(chance.a) * 3 + 1) & WORD) | 1


@jit
def random_word(chance):
    """The next 32 random bits."""
    a, b = int(chance.a), int(chance.b)
    result = rotated(a * 0x9E3779BB & WORD, 5) * 5 & WORD
    b ^= a
    chance.a = rotated(a, 26) ^ b ^ (b << 9 & WORD)
    chance.b = rotated(b, 13)
    return result


@jit
def random_below(chance, n):
    """A random number from 0 to n - 1. The probability of each number is 1 / n, with an error of at most 1 in 4
    billion.
    """
    return random_word(chance) * n >> 32


@jit
def shuffle(items, n, chance):
    """Shuffle the first n items in place (Fisher and Yates)."""
    for i in range(n - 1, 0, -1):
        j = random_below(chance, i + 1)
        items[i], items[j] = items[j], items[i]
