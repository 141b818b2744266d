"""Standard normal and exponential variates by ziggurats (Marsaglia and Tsang 2000) of 1024 strips.

A word is cut into parts that do not overlap, as Doornik (2005) asks for: bits 0 to 9 choose the strip, bits 11 to 63
are the place in it. For the normal law they are a signed number j of 53 bits, for the exponential law its upper 52
bits are j >= 0. The half in j + 1/2 is exact, keeps 0 out, and makes x and -x equally likely.

Strip 0 is the lowest one, with the tail; strip i is the rectangle from 0 to the edge x_i, and left of x_(i+1) it lies
wholly below the density. So a word is accepted outright if |j + 1/2| < INNER[strip], and then its variate is
(j + 1/2) * WIDTH[strip]: no branch, and no other word is used. This happens to all but 0.4 % of the words for the
normal law, 0.6 % for the exponential one; `.._rejected` goes on from there. Tails and wedges are exact.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqlang.laws.variates.words import next_word, uniform

STRIPS = 1024
STRIP_BITS = np.uint64(1023)
HALF_BITS = 2.0**52

NORMAL_EDGE = 4.038849846109504
"""Where the tail of exp(-x^2 / 2) begins, if 1024 strips have equal areas."""

EXPONENTIAL_EDGE = 9.256164544265543
"""The same for exp(-x)."""


def tables_normal_edges() -> NDArray[np.float64]:
    """x_0 .. x_1024: x_0 is the width of a rectangle as high as the lowest strip and of the same area; x_1024 = 0."""
    r = NORMAL_EDGE
    height = math.exp(-r * r / 2)
    area = r * height + math.sqrt(math.pi / 2) * math.erfc(r / math.sqrt(2))
    edges = [area / height, r]
    for _ in range(STRIPS - 2):
        height += area / edges[-1]
        edges.append(math.sqrt(-2 * math.log(height)))
    return np.array([*edges, 0.0])


def tables_exponential_edges() -> NDArray[np.float64]:
    """As for the normal law; strip and tail together have the area (r + 1) exp(-r)."""
    r = EXPONENTIAL_EDGE
    height = math.exp(-r)
    area = (r + 1) * height
    edges = [area / height, r]
    for _ in range(STRIPS - 2):
        height += area / edges[-1]
        edges.append(-math.log(height))
    return np.array([*edges, 0.0])


def tables_widths(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """What j + 1/2 is multiplied by, strip by strip."""
    return edges[:-1] * 2.0**-52


def tables_inner(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """The bounds of |j + 1/2| for words that are accepted outright."""
    return edges[1:] / edges[:-1] * 2.0**52


NORMAL_EDGES = tables_normal_edges()
NORMAL_WIDTH = tables_widths(NORMAL_EDGES)
NORMAL_INNER = tables_inner(NORMAL_EDGES)
EXPONENTIAL_EDGES = tables_exponential_edges()
EXPONENTIAL_WIDTH = tables_widths(EXPONENTIAL_EDGES)
EXPONENTIAL_INNER = tables_inner(EXPONENTIAL_EDGES)


def strip_of(word: np.uint64) -> np.int64:
    return np.int64(word & STRIP_BITS)


def signed_place(word: np.uint64) -> float:
    """j + 1/2 in (-2^52, 2^52)."""
    return float(np.int64(word) >> np.int64(11)) + 0.5


def positive_place(word: np.uint64) -> float:
    """j + 1/2 in (0, 2^52)."""
    return float(np.int64(word >> np.uint64(12))) + 0.5


def normal_value(word: np.uint64) -> float:
    """The variate of a word, if it is accepted."""
    return float(signed_place(word) * NORMAL_WIDTH[strip_of(word)])


def normal_accepted(word: np.uint64) -> bool:
    return bool(abs(signed_place(word)) < NORMAL_INNER[strip_of(word)])


def normal_rejected(s: NDArray[np.uint64], word: np.uint64) -> float:
    """A standard normal variate, after `word` of the stream `s` was not accepted."""
    while True:
        strip, x = strip_of(word), normal_value(word)
        if strip == 0:
            return math.copysign(normal_tail(s), x)
        low = math.exp(-0.5 * NORMAL_EDGES[strip] * NORMAL_EDGES[strip])
        high = math.exp(-0.5 * NORMAL_EDGES[strip + 1] * NORMAL_EDGES[strip + 1])
        if low + uniform(s) * (high - low) < math.exp(-0.5 * x * x):
            return x
        word = next_word(s)
        if normal_accepted(word):
            return normal_value(word)


def normal_tail(s: NDArray[np.uint64]) -> float:
    """Beyond the edge: Marsaglia's (1964) rejection from an exponential law of rate NORMAL_EDGE."""
    while True:
        beyond = sample_standard_exponential(s) / NORMAL_EDGE
        if 2.0 * sample_standard_exponential(s) > beyond * beyond:
            return NORMAL_EDGE + beyond


def sample_standard_normal(s: NDArray[np.uint64]) -> float:
    """Mean 0, standard deviation 1."""
    word = next_word(s)
    return normal_value(word) if normal_accepted(word) else normal_rejected(s, word)


def exponential_value(word: np.uint64) -> float:
    """The variate of a word, if it is accepted."""
    return float(positive_place(word) * EXPONENTIAL_WIDTH[strip_of(word)])


def exponential_accepted(word: np.uint64) -> bool:
    return bool(positive_place(word) < EXPONENTIAL_INNER[strip_of(word)])


def exponential_rejected(s: NDArray[np.uint64], word: np.uint64) -> float:
    """A standard exponential variate, after `word` of the stream `s` was not accepted."""
    strip, x, passed = strip_of(word), exponential_value(word), 0.0
    while True:
        if strip == 0:
            passed += EXPONENTIAL_EDGE  # the law has no memory: the tail is the whole law again
        else:
            low, high = math.exp(-EXPONENTIAL_EDGES[strip]), math.exp(-EXPONENTIAL_EDGES[strip + 1])
            if low + uniform(s) * (high - low) < math.exp(-x):
                return passed + x
        word = next_word(s)
        strip, x = strip_of(word), exponential_value(word)
        if exponential_accepted(word):
            return passed + x


def sample_standard_exponential(s: NDArray[np.uint64]) -> float:
    """Mean 1."""
    word = next_word(s)
    return exponential_value(word) if exponential_accepted(word) else exponential_rejected(s, word)
