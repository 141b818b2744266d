"""Standard variates that are functions of one word: what a `Sample` of a kernel is, in lanes and one by one."""

from __future__ import annotations

import numpy as np

from seqlang.backends.kernels.runtime.packed_strips import (
    entry_exponential,
    entry_laplace,
    entry_normal,
    packed_refused,
    packed_value,
    place_exponential,
    place_laplace,
    place_normal,
)
from seqlang.backends.kernels.runtime.refused_words import slow_exponential, slow_laplace, slow_normal


def normal_of_word(word: np.uint64) -> float:
    """Mean 0, standard deviation 1."""
    entry, place = entry_normal(word), place_normal(word)
    return slow_normal(word) if packed_refused(entry, place) else packed_value(entry, place)


def exponential_of_word(word: np.uint64) -> float:
    """Mean 1."""
    entry, place = entry_exponential(word), place_exponential(word)
    return slow_exponential(word) if packed_refused(entry, place) else packed_value(entry, place)


def laplace_of_word(word: np.uint64) -> float:
    """Scale 1."""
    entry, place = entry_laplace(word), place_laplace(word)
    return slow_laplace(word) if packed_refused(entry, place) else packed_value(entry, place)


def lowest_bit(mask: np.uint64) -> np.int64:
    """The number, from 0, of the lowest bit of `mask` that is set; `mask` is not 0. LLVM sees that it is how many bits
    are below that one, which is one instruction."""
    n = ~mask & (mask - np.uint64(1))
    n = n - ((n >> np.uint64(1)) & np.uint64(0x5555555555555555))
    n = (n & np.uint64(0x3333333333333333)) + ((n >> np.uint64(2)) & np.uint64(0x3333333333333333))
    n = (n + (n >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((n * np.uint64(0x0101010101010101)) >> np.uint64(56))
