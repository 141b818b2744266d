"""Ziggurats as in `ziggurat.py`, of 1024 strips, with a fast path for many runs abreast: it reads one table entry a
word.

An entry is the width of a strip; its lowest ten bits, which weigh at most 1e-13 of it, are the bound of the words that
are accepted outright: the upper ten bits of the place must be less. The edges are those of the widths as they stand, so
that every strip is exactly what it is taken for. The strips' areas are equal to within 2e-10, and no chance is off by
more than 2e-11 for it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqlang.laws.variates.ziggurat import EXPONENTIAL_EDGES, NORMAL_EDGES, strip_of

BOUND_BITS = np.int64(1023)


def tables_packed(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Widths (an edge over 2^52) with the bounds in their lowest bits, strip by strip."""
    bounds = np.minimum(np.floor(edges[1:] / edges[:-1] * 1024.0 * (1.0 - 1e-12)), 1023.0).astype(np.int64)
    widths = (edges[:-1] * 2.0**-52).view(np.int64)
    return (((widths - bounds + 512) & ~np.int64(1023)) + bounds).view(np.float64)


def tables_edges_of(packed: NDArray[np.float64]) -> NDArray[np.float64]:
    """The edges as the widths have them; the last one is 0."""
    return np.append(packed * 2.0**52, 0.0)


NORMAL_PACKED = tables_packed(NORMAL_EDGES)
NORMAL_PACKED_EDGES = tables_edges_of(NORMAL_PACKED)
NORMAL_PACKED_HEIGHTS = np.exp(-0.5 * NORMAL_PACKED_EDGES * NORMAL_PACKED_EDGES)
EXPONENTIAL_PACKED = tables_packed(EXPONENTIAL_EDGES)
EXPONENTIAL_PACKED_EDGES = tables_edges_of(EXPONENTIAL_PACKED)
EXPONENTIAL_PACKED_HEIGHTS = np.exp(-EXPONENTIAL_PACKED_EDGES)


def packed_value(entry: float, place: np.int64) -> float:
    """The variate, unless the word is refused."""
    return (float(place) + 0.5) * entry


def packed_refused(entry: float, place: np.int64) -> bool:
    """Whether a word is not accepted outright."""
    return bool(abs(place) >> np.int64(42) >= np.float64(entry).view(np.int64) & BOUND_BITS)


def place_normal(word: np.uint64) -> np.int64:
    """53 bits as a number from -2^52."""
    return np.int64(word) >> np.int64(11)


def place_laplace(word: np.uint64) -> np.int64:
    """The same."""
    return np.int64(word) >> np.int64(11)


def place_exponential(word: np.uint64) -> np.int64:
    """52 bits as a number from 0."""
    return np.int64(word >> np.uint64(12))


def entry_normal(word: np.uint64) -> float:
    return float(NORMAL_PACKED[strip_of(word)])


def entry_exponential(word: np.uint64) -> float:
    return float(EXPONENTIAL_PACKED[strip_of(word)])


def entry_laplace(word: np.uint64) -> float:
    """A Laplace variate is exponential on either side of 0."""
    return float(EXPONENTIAL_PACKED[strip_of(word)])
