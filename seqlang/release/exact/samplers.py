"""Exact draws from coins: Bernoulli of exp(-r) and of rationals, discrete Laplace, discrete Gaussian, listed laws.

After Canonne, Kamath & Steinke 2020, Algorithms 1 to 3. Every random bit comes from `below`, a uniform whole number
below another one, which the operating system's generator gives; there is no other randomness, and no floating-point
number. A draw is made of rejection loops: how long they take tells something of the draw, so that callers draw before
they look at any private value.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Below = Callable[[int], int]
"""below(n) is uniform on 0 .. n - 1, for n >= 1."""
SYSTEM: Below = secrets.randbelow


def bernoulli(p: Fraction, below: Below) -> bool:
    """True with probability p, a rational in [0, 1]."""
    if not 0 <= p <= 1:
        raise ValueError(f"{p} is no probability")
    return below(p.denominator) < p.numerator


def bernoulli_exp(r: Fraction, below: Below) -> bool:
    """True with probability exp(-r), r >= 0 (Algorithm 1)."""
    if r < 0:
        raise ValueError("exp(-r) is above 1")
    while r > 1:
        if not _below_one(Fraction(1), below):
            return False
        r -= 1
    return _below_one(r, below)


def _below_one(r: Fraction, below: Below) -> bool:
    """The same for r <= 1: of coins with chances r/1, r/2, .. the number that fall True before the first False is even
    with probability exp(-r)."""
    k = 1
    while bernoulli(r / k, below):
        k += 1
    return k % 2 == 1


def geometric(ratio: Fraction, below: Below) -> int:
    """P(k) proportional to ratio^|k|, for a rational ratio in [0, 1): the difference of two one-sided draws."""
    if not 0 <= ratio < 1:
        raise ValueError(f"{ratio} is no ratio below 1")
    return _one_sided(ratio, below) - _one_sided(ratio, below)


def _one_sided(ratio: Fraction, below: Below) -> int:
    count = 0
    while bernoulli(ratio, below):
        count += 1
    return count


def geometric_exp(rate: Fraction, below: Below) -> int:
    """P(k) proportional to exp(-rate |k|), rate > 0 (Algorithm 2: the discrete Laplace law of scale 1 / rate)."""
    if rate <= 0:
        raise ValueError("the rate must be positive")
    scale = 1 / rate
    t, s = scale.numerator, scale.denominator
    while True:
        u = below(t)
        if not bernoulli_exp(Fraction(u, t), below):
            continue
        v = 0
        while bernoulli_exp(Fraction(1), below):
            v += 1
        size = (u + t * v) // s
        negative = below(2) == 1
        if not (negative and size == 0):
            return -size if negative else size


def discrete_gaussian(variance: Fraction, below: Below) -> int:
    """P(k) proportional to exp(-k^2 / (2 variance)) (Algorithm 3)."""
    if variance <= 0:
        raise ValueError("the variance must be positive")
    t = _root(variance) + 1
    while True:
        y = geometric_exp(Fraction(1, t), below)
        if bernoulli_exp((abs(y) - variance / t) ** 2 / (2 * variance), below):
            return y


def _root(value: Fraction) -> int:
    """The largest whole number whose square is at most it."""
    from math import isqrt

    return isqrt(value.numerator // value.denominator)


def listed(pairs: Sequence[tuple[Any, Fraction]], below: Below) -> Any:
    """One of the values, with chances proportional to the rational weights."""
    from math import lcm

    unit = lcm(*(weight.denominator for _, weight in pairs))
    counts = [int(weight * unit) for _, weight in pairs]
    at = below(sum(counts))
    for (value, _), count in zip(pairs, counts, strict=True):
        if at < count:
            return value
        at -= count
    raise AssertionError("the weights add up to less than themselves")
