"""Variates of words that are not accepted outright (one in 200).

Such a word is the seed of a splitmix64 stream of its own. So a run takes one word of its stream for a variate, whatever
happens, and no run's words depend on how many runs are abreast.

A place in a strip's wedge, between its inner and its outer edge, counts if a height drawn there lies below the curve.
The curve is close to a parabola through both ends of it, so that nearly always the parabola tells. The exponential
function is asked where the height is too near to it, and where the next word is refused as well.
"""

from __future__ import annotations

import math

import numpy as np

from seqlang.backends.kernels.runtime.packed_strips import (
    BOUND_BITS,
    EXPONENTIAL_PACKED,
    EXPONENTIAL_PACKED_EDGES,
    EXPONENTIAL_PACKED_HEIGHTS,
    NORMAL_PACKED,
    NORMAL_PACKED_EDGES,
    NORMAL_PACKED_HEIGHTS,
    entry_exponential,
    entry_laplace,
    entry_normal,
    packed_refused,
    packed_value,
    place_exponential,
    place_laplace,
    place_normal,
)
from seqlang.laws.variates.words import GOLDEN, splitmix64, uniform_of_word
from seqlang.laws.variates.ziggurat import strip_of

WEDGE_DOUBT = 2.0**-7
"""In parts of a wedge's height: no curve is so far from its parabola, but for the lowest strip, which has no wedge."""


def slow_normal(word: np.uint64) -> float:
    """The standard normal variate of a word that is refused."""
    strip = strip_of(word)
    x = packed_value(NORMAL_PACKED[strip], place_normal(word))
    outer, inner = NORMAL_PACKED[strip] * 2.0**52, NORMAL_PACKED[(strip + 1) & BOUND_BITS] * 2.0**52
    inner = inner if strip < BOUND_BITS else 0.0
    both, width = outer + inner, outer - inner
    # How far in, and how far above the parabola there; f' = -x f and f'' = (x^2 - 1) f give its bend.
    y = min(outer - abs(x), width)
    above = uniform_of_word(splitmix64(word)) * width - y - (1.0 / both - 0.25 * both) * (y * (width - y))
    other = splitmix64(word + GOLDEN)
    entry, place = entry_normal(other), place_normal(other)
    if (strip > 0) & (abs(above) > WEDGE_DOUBT * width) & ((above < 0.0) | (not packed_refused(entry, place))):
        return x if above < 0.0 else packed_value(entry, place)
    counter = word
    while True:
        strip = strip_of(word)
        x = packed_value(NORMAL_PACKED[strip], place_normal(word))
        if strip == 0:
            return x if abs(x) < NORMAL_PACKED_EDGES[1] else math.copysign(tail_of_normal(counter), x)
        low, high = NORMAL_PACKED_HEIGHTS[strip], NORMAL_PACKED_HEIGHTS[strip + 1]
        accepted = low + uniform_of_word(splitmix64(counter)) * (high - low) < math.exp(-0.5 * x * x)
        # Half of the places are rejected, which no processor foresees, so the next word is looked at in any case.
        word = splitmix64(counter + GOLDEN)
        entry, place = entry_normal(word), place_normal(word)
        if accepted | (not packed_refused(entry, place)):
            return x if accepted else packed_value(entry, place)
        counter += GOLDEN + GOLDEN


def tail_of_normal(counter: np.uint64) -> float:
    """Beyond the first edge: Marsaglia's (1964) rejection from an exponential law whose rate is the edge."""
    edge = NORMAL_PACKED_EDGES[1]
    while True:
        beyond = -math.log(uniform_of_word(splitmix64(counter))) / edge
        if -2.0 * math.log(uniform_of_word(splitmix64(counter + GOLDEN))) > beyond * beyond:
            return float(edge + beyond)
        counter += GOLDEN + GOLDEN


def slow_exponential(word: np.uint64) -> float:
    """The standard exponential variate of a word that is refused."""
    return exponential_from(word, packed_value(entry_exponential(word), place_exponential(word)))


def slow_laplace(word: np.uint64) -> float:
    """The standard Laplace variate of a word that is refused."""
    x = packed_value(entry_laplace(word), place_laplace(word))
    return math.copysign(exponential_from(word, abs(x)), x)


def exponential_from(word: np.uint64, x: float) -> float:
    """A standard exponential variate; `x` is the place that `word` chose in its strip."""
    strip = strip_of(word)
    outer, inner = EXPONENTIAL_PACKED[strip] * 2.0**52, EXPONENTIAL_PACKED[(strip + 1) & BOUND_BITS] * 2.0**52
    inner = inner if strip < BOUND_BITS else 0.0
    width = outer - inner
    y = min(outer - x, width)
    above = uniform_of_word(splitmix64(word)) * width - y + 0.5 * (y * (width - y))
    other = splitmix64(word + GOLDEN)
    entry, place = entry_exponential(other), place_exponential(other)
    if (strip > 0) & (abs(above) > WEDGE_DOUBT * width) & ((above < 0.0) | (not packed_refused(entry, place))):
        return x if above < 0.0 else packed_value(entry, place)
    counter = word
    passed = 0.0
    while True:
        strip = strip_of(word)
        low, high = EXPONENTIAL_PACKED_HEIGHTS[strip], EXPONENTIAL_PACKED_HEIGHTS[strip + 1]
        accepted = low + uniform_of_word(splitmix64(counter)) * (high - low) < math.exp(-x)
        if strip == 0:
            if x < EXPONENTIAL_PACKED_EDGES[1]:
                return passed + x
            accepted = False
            passed += EXPONENTIAL_PACKED_EDGES[1]  # the law has no memory: the tail is the whole law again
        word = splitmix64(counter + GOLDEN)
        entry, place = entry_exponential(word), place_exponential(word)
        y = packed_value(entry, place)
        if accepted | (not packed_refused(entry, place)):
            return passed + (x if accepted else y)
        x = y
        counter += GOLDEN + GOLDEN
