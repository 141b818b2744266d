"""Riemann's zeta function for s > 1, with a remainder bound."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from functools import lru_cache
from typing import cast

from seqlang.arithmetic import intervals
from seqlang.arithmetic.ends import End, Ends
from seqlang.arithmetic.intervals import Interval


def enclose_zeta(ends: Ends, s: Interval) -> Interval:
    """zeta decreases on s > 1, from infinity to 1; for s <= 1 nothing is known."""
    one, key = ends.exact(Fraction(1))[0], cast(Hashable, ends)
    if s[1] <= 1:
        return intervals.everything(ends)
    low = one if s[1] == ends.infinity else max(one, _at(key, s[1])[0])
    return low, ends.infinity if s[0] <= 1 else one if s[0] == ends.infinity else _at(key, s[0])[1]


@lru_cache(maxsize=512)
def _at(ends: Ends, point: End) -> Interval:
    """Euler-Maclaurin summation (NIST DLMF 25.2.9): with f(x) = x^-s and N terms

        zeta(s) = sum_{n < N} f(n) + N^(1-s)/(s-1) + f(N)/2 + sum_{k=1..m} T_k + R,
        T_k = B_2k/(2k)! s (s+1) .. (s+2k-2) N^(1-s-2k).

    All derivatives of f keep one sign and they alternate, so R lies between 0 and T_{m+1}.
    """
    terms = 4 + ends.digits // 2
    corrections = 3 + ends.digits // 2
    n = ends.exact(Fraction(terms))
    s, minus_s = (point, point), (ends.negate(point), ends.negate(point))
    total = ends.exact(Fraction(1))
    for k in range(2, terms):
        total = intervals.add(ends, total, intervals.power(ends, ends.exact(Fraction(k)), minus_s))
    at_n = intervals.power(ends, n, minus_s)
    s_less_one = intervals.add(ends, s, ends.exact(Fraction(-1)))
    tail = intervals.multiply(ends, intervals.multiply(ends, at_n, n), intervals.reciprocal(ends, s_less_one))
    total = intervals.add(ends, intervals.add(ends, total, tail), _scaled(ends, at_n, Fraction(1, 2)))
    # rising = s (s+1) .. (s+2k-2) N^(1-s-2k) / (2k)!
    rising = _scaled(ends, intervals.multiply(ends, at_n, s), Fraction(1, 2 * terms))
    for k in range(1, corrections + 1):
        term = _scaled(ends, rising, _bernoulli(2 * k))
        if k == corrections:
            return intervals.add(ends, total, (min(term[0], ends.zero), max(term[1], ends.zero)))
        total = intervals.add(ends, total, term)
        for step in (2 * k - 1, 2 * k):
            rising = intervals.multiply(ends, rising, intervals.add(ends, s, ends.exact(Fraction(step))))
        rising = _scaled(ends, rising, Fraction(1, (2 * k + 1) * (2 * k + 2) * terms**2))
    raise AssertionError


def _scaled(ends: Ends, a: Interval, factor: Fraction) -> Interval:
    return intervals.multiply(ends, a, ends.exact(factor))


_bernoulli_numbers = [Fraction(1)]


def _bernoulli(index: int) -> Fraction:
    """B_index, from sum_{j <= m} C(m+1, j) B_j = 0."""
    from math import comb

    while len(_bernoulli_numbers) <= index:
        m = len(_bernoulli_numbers)
        known = sum((comb(m + 1, j) * b for j, b in enumerate(_bernoulli_numbers)), Fraction(0))
        _bernoulli_numbers.append(-known / (m + 1))
    return _bernoulli_numbers[index]
