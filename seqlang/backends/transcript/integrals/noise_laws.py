"""Scalar noise laws for exact integration: logarithms of their tails and densities, and where these have kinks.

Everything is in logarithms, so that a probability of 1e-300 keeps its relative accuracy. `below` and `above` include
their end: P(X <= x) and P(X >= x).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, exp, expm1, floor, inf, isinf, log, log1p
from typing import Any

from seqlang.laws.facts import names
from seqlang.laws.law import law
from seqlang.laws.numbers import LOG_HALF
from seqlang.record import record

Scalar = Callable[[float], float]


@record
class NoiseLaw:
    """A law on the line. `kind`: "density", "lattice" (the integers) or "finite" (then `points` lists them).

    `log_density` is the log density, for the other kinds the log probability of a point. `kinks(lo, hi)` are the
    points in (lo, hi) where the density is not smooth, `tail_kinks` those where the tails have no derivative.
    `scale` is a length on which the density changes much. `support` has the ends of the support.
    `log_all_above(starts, slope)` is, where a law has a quick way, the function x -> sum of log P(X >= start +
    slope x); such a law is symmetric around 0. `of_arrays`: P(X <= x) and P(X >= x) of arrays, for some laws with a
    density. `gap`: how far apart bounds are that are not equal (`model/units.py`).
    """

    kind: str
    log_density: Scalar
    log_below: Scalar
    log_above: Scalar
    kinks: Callable[[float, float], Sequence[float]]
    tail_kinks: Callable[[float, float], Sequence[float]]
    scale: float
    support: tuple[float, float]
    points: tuple[float, ...] = ()
    log_all_above: Callable[[Sequence[float], float], Scalar] | None = None
    of_arrays: tuple[Callable[[Any], Any], Callable[[Any], Any]] | None = None
    gap: float = inf

    def log_tails(self, upper: bool, starts: Sequence[float], slope: float) -> Scalar:
        """The function x -> sum over the starts of log P(X >= start + slope x), or <= if not `upper`."""
        tail = self.log_above if upper else self.log_below
        if len(starts) == 1:
            start = starts[0]
            return lambda x: tail(start + slope * x)
        if self.log_all_above is None:
            return lambda x: sum([tail(a + slope * x) for a in starts])
        return self.log_all_above(starts, slope) if upper else self.log_all_above([-a for a in starts], -slope)

    def log_between(self, low: float, high: float) -> float:
        """log P(low <= X <= high)."""
        if high < low or (high == low and self.kind == "density"):
            return -inf
        if high == inf:
            return self.log_above(low)
        if low == -inf:
            return self.log_below(high)
        return self._log_inside(low, high)

    def _log_inside(self, low: float, high: float) -> float:
        if self.kind == "finite":
            return log_sum([self.log_density(p) for p in self.points if low <= p <= high])
        step = 1.0 if self.kind == "lattice" else 0.0
        before, behind = (ceil(low) - step, floor(high) + step) if step else (low, high)
        above = self.log_above(low)
        if above <= LOG_HALF:
            return log_minus(above, self.log_above(behind))
        below = self.log_below(high)
        if below <= LOG_HALF:
            return log_minus(below, self.log_below(before))
        outside = exp(self.log_below(before)) + exp(self.log_above(behind))
        return log1p(-outside) if outside < 1 else -inf


def log_minus(larger: float, smaller: float) -> float:
    """log(e^larger - e^smaller)."""
    if smaller == -inf:
        return larger
    if smaller >= larger:
        return -inf
    return larger + log(-expm1(smaller - larger))


def log_sum(terms: Sequence[float]) -> float:
    """log of the sum of e^term."""
    top = max(terms, default=-inf)
    if isinf(top):
        return top
    return top + log(sum(exp(t - top) for t in terms))


def no_kinks(low: float, high: float) -> Sequence[float]:
    return ()


def finite(weights: Sequence[tuple[float, float]]) -> NoiseLaw:
    """The law with these (point, weight), normalised. Raises ValueError where no point has a chance."""
    total = sum(w for _, w in weights)
    if not 0 < total < inf:
        raise ValueError("no value has a chance")
    table: dict[float, float] = {}
    for point, weight in weights:
        table[point] = table.get(point, 0.0) + weight / total
    points = tuple(sorted(p for p in table if table[p] > 0))
    logs = {p: log(table[p]) for p in points}
    return NoiseLaw(
        "finite",
        lambda x: logs.get(x, -inf),
        lambda x: log_sum([logs[p] for p in points if p <= x]),
        lambda x: log_sum([logs[p] for p in points if p >= x]),
        no_kinks,
        no_kinks,
        1.0,
        (points[0], points[-1]),
        points,
    )


def conditioned(law: NoiseLaw, low: float, high: float) -> NoiseLaw:
    """`law` given that it falls into [low, high]."""
    total = law.log_between(low, high)
    if law.kind == "finite":
        return finite([(p, exp(law.log_density(p))) for p in law.points if low <= p <= high])
    ends = (max(low, law.support[0]), min(high, law.support[1]))

    def kinks(lo: float, hi: float) -> Sequence[float]:
        return [p for p in (*law.kinks(lo, hi), *ends) if lo < p < hi]

    return NoiseLaw(
        law.kind,
        lambda x: law.log_density(x) - total if low <= x <= high else -inf,
        lambda x: min(0.0, law.log_between(low, min(x, high)) - total),
        lambda x: min(0.0, law.log_between(max(x, low), high) - total),
        kinks,
        kinks,
        law.scale,
        ends,
    )


def of_family(family: str, *arguments: float) -> NoiseLaw | None:
    """The law of that family; None where it is not a scalar noise that this module integrates."""
    match family:
        case "l2_laplace":
            return of_family("laplace", *arguments) if len(arguments) == 1 else None
        case "bernoulli":
            return finite([(0.0, 1 - arguments[0]), (1.0, arguments[0])])
        case "point":
            return finite([(arguments[0], 1.0)])
        case _ if family not in names():
            return None
    found = law(family)
    scalar = found.scalar
    if scalar.log_density is None or scalar.log_below is None or scalar.log_above is None:
        return None
    quick = scalar.log_above_all if found.facts.symmetric else None
    below, above = found.arrays.cdfs, found.arrays.tails
    return NoiseLaw(
        "lattice" if found.facts.kind == "points" else "density",
        _given(scalar.log_density, arguments),
        _given(scalar.log_below, arguments),
        _given(scalar.log_above, arguments),
        lambda low, high: scalar.bends(low, high, *arguments),
        lambda low, high: scalar.tail_bends(low, high, *arguments),
        scalar.length(*arguments),
        scalar.ends(*arguments),
        log_all_above=None if quick is None else lambda starts, slope: quick(starts, slope, *arguments),
        of_arrays=None if below is None or above is None else (_given(below, arguments), _given(above, arguments)),
    )


def _given(function: Callable[..., Any], arguments: Sequence[float]) -> Callable[[Any], Any]:
    """The function of x with the law's arguments put in; a loop over them would take longer than most laws do."""
    match arguments:
        case (a,):
            return lambda x: function(x, a)
        case (a, b):
            return lambda x: function(x, a, b)
        case _:
            return lambda x: function(x, *arguments)
