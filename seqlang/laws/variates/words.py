"""A run's random words: xoshiro256++ (Blackman and Vigna 2021), seeded run by run by splitmix64.

The states are those of `backends/arrays/streams.py`: the same word `start`, made of seed and purpose, gives a run the
same stream here and there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FOUR_GOLDEN = np.uint64(0x78DDE6E5FD29F054)
"""4 GOLDEN modulo 2^64: a stream has four words, so run n begins 4 n places after run 0."""

LARGEST_BELOW_ONE = 1.0 - 2.0**-53


def splitmix64(counter: np.uint64) -> np.uint64:
    """Steele, Lea and Flood's mixing function, a bijection of 64-bit words."""
    z = counter + GOLDEN
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def seed_stream(s: NDArray[np.uint64], start: np.uint64, run: int) -> None:
    """Puts the stream `s` at its beginning for that run."""
    counter = np.uint64(start) + np.uint64(run) * FOUR_GOLDEN
    for i in range(4):
        s[i] = splitmix64(counter)
        counter += GOLDEN


def next_word(s: NDArray[np.uint64]) -> np.uint64:
    """One step of xoshiro256++ in place."""
    s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
    total = s0 + s3
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    s2 ^= s0
    s3 ^= s1
    s[0] = s0 ^ s3
    s[1] = s1 ^ s2
    s[2] = s2 ^ (s1 << np.uint64(17))
    s[3] = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    return np.uint64(word)


def uniform_of_word(word: np.uint64) -> float:
    """53 bits and a half over 2^53, which is neither 0 nor 1: the largest value rounds to 1 and is put below it."""
    return min((float(np.int64(word >> np.uint64(11))) + 0.5) * 2.0**-53, LARGEST_BELOW_ONE)


def words_below(p: float) -> np.uint64:
    """How many of the numbers 0, 1, .. of 53 bits make a uniform variate below p: the least ones."""
    low, high = 0, 1 << 53
    while low < high:
        middle = (low + high) >> 1
        if uniform_of_word(np.uint64(middle) << np.uint64(11)) < p:
            low = middle + 1
        else:
            high = middle
    return np.uint64(low)


def uniform(s: NDArray[np.uint64]) -> float:
    """Uniform on the open interval (0, 1); uses one word."""
    return uniform_of_word(next_word(s))
