"""Where a law puts its mass, and whether a field's domain holds it."""

from __future__ import annotations

import math
from fractions import Fraction

from seqlang.elaborate.expressions.laws import short
from seqlang.elaborate.state import State
from seqlang.laws.facts import facts
from seqlang.laws.law import law as law_of_family
from seqlang.model import domain as d
from seqlang.model import expression as m
from seqlang.model.constants import exactly, number
from seqlang.model.limits import holds
from seqlang.record import record, replace

NEGLIGIBLE = 1e-12
"""A law with less mass than this outside a domain counts as inside: no run will ever see it."""

MOST_POINTS = 10_000
"""A listed domain has fewer values than this."""


@record
class Support:
    """`points`: the law sits on these; else it fills `low`..`high` (None: unbounded), whole numbers only if `whole`."""

    low: float | None
    high: float | None
    whole: bool = False
    points: tuple[Fraction, ...] | None = None


def leaves_domain(state: State, law: m.Expression, domain: d.Domain) -> str | None:
    """What part of the law lies outside, in words; None if none does, or if it is not plain to see."""
    match law:
        case m.Choice(yes=yes, no=no):
            return leaves_domain(state, yes, domain) or leaves_domain(state, no, domain)
        case m.Law(family="uniform", arguments=(m.RealVectors() as region,)):
            return _region(state, region, domain)
        case _:
            pass
    if isinstance(domain, d.Power):
        domain = domain.of
    support = _support(state, law)
    if support is None or isinstance(domain, d.Ball):
        return "a law of numbers for a vector in a ball" if isinstance(domain, d.Ball) and support else None
    if support.points is not None:
        return _points(state, support.points, domain)
    return _interval(state, support, domain)


def _points(state: State, points: tuple[Fraction, ...], domain: d.Domain) -> str | None:
    outside = next((p for p in points if holds(domain, p, state.declared.values) is False), None)
    return None if outside is None else f"{short(outside)} is outside"


def _interval(state: State, support: Support, domain: d.Domain) -> str | None:
    match domain:
        case d.Interval(low=None, high=None):
            return None
        case d.Interval(low=low, high=high):
            pass
        case d.Integers(low=low, high=high):
            if not support.whole:
                return "it is not on whole numbers"
        case d.Finite() if support.whole and support.low is not None and support.high is not None:
            if support.high - support.low > MOST_POINTS:
                return "it is not on these values"
            points = range(math.ceil(support.low), math.floor(support.high) + 1)
            return _points(state, tuple(Fraction(k) for k in points), domain)
        case _:
            return "it is not on these values" if isinstance(domain, d.Finite) else None
    ends = [None if e is None else number(e, state.declared.values) for e in (low, high)]
    rounding = 1e-12 * max(abs(end) for end in (support.low or 0.0, support.high or 0.0))
    if ends[0] is not None and (support.low is None or support.low < float(ends[0]) - rounding):
        return "it reaches below the domain"
    if ends[1] is not None and (support.high is None or support.high > float(ends[1]) + rounding):
        return "it reaches above the domain"
    return None


def _region(state: State, region: m.RealVectors, domain: d.Domain) -> str | None:
    if isinstance(domain, d.Ball) and region.radius is not None:
        inner, outer = number(region.radius, state.declared.values), number(domain.radius, state.declared.values)
        if inner is not None and outer is not None and inner > outer:
            return f"a ball of radius {short(inner)} in one of radius {short(outer)}"
        return None
    return None if isinstance(domain, d.Power) else "a law of vectors"


def _numbers(state: State, expressions: tuple[m.Expression, ...]) -> list[float] | None:
    values = [number(e, state.declared.values) for e in expressions]
    return None if None in values else [float(v) for v in values if v is not None]


def _support(state: State, law: m.Expression) -> Support | None:
    """None: not known."""
    match law:
        case m.Law(family="bernoulli"):
            return Support(0, 1, True, (Fraction(0), Fraction(1)))
        case m.Law(family="point", arguments=(at,)):
            value = exactly(at, state.declared.values)
            return Support(float(value), float(value), False, (value,)) if isinstance(value, Fraction) else None
        case m.Law(family="uniform", arguments=(m.Sequence(items=items),)):
            return _on(state, items)
        case m.Weights(pairs=pairs):
            return _on(state, tuple(value for value, _ in pairs))
        case m.Law(family="conditioned", arguments=(inner, *ends)):
            return _conditioned(state, inner, tuple(ends))
        case m.Law(family=family) if facts(family).kind == "points" and facts(family).support == "whole numbers":
            return Support(None, None, True)
        case m.Law(family=family) if facts(family).support == "counts":
            return Support(0, None, True)
        case m.Law(family="uniform", arguments=(_, _)):
            return _continuous(state, law)
        case m.Law(family=family) if facts(family).kind == "density":
            return _continuous(state, law)
        case m.Law(family="binomial", arguments=(n, _)):
            high = _numbers(state, (n,))
            return None if high is None else Support(0, high[0], True)
        case m.Law(family="convolve", arguments=(a, b)):
            return _sum(_support(state, a), _support(state, b))
        case m.Law(family="sum_of", arguments=(n, inner)):
            return _times(_support(state, inner), _numbers(state, (n,)))
        case _:
            return None


def _on(state: State, values: tuple[m.Expression, ...]) -> Support | None:
    """Of an irrational value it is not plain to see whether a domain holds it."""
    points = tuple(v for v in (exactly(e, state.declared.values) for e in values) if isinstance(v, Fraction))
    return Support(None, None, False, points) if len(points) == len(values) else None


def _conditioned(state: State, law: m.Expression, ends: tuple[m.Expression, ...]) -> Support | None:
    inner, numbers = _support(state, law), _numbers(state, ends)
    low, high = (number(end, state.declared.values) for end in ends)
    if inner is not None and inner.points is not None and low is not None and high is not None:
        return replace(inner, points=tuple(v for v in inner.points if low <= v <= high))
    return None if numbers is None else Support(numbers[0], numbers[1], inner is not None and inner.whole)


def _continuous(state: State, law: m.Law) -> Support | None:
    """All but NEGLIGIBLE of the mass on either side."""
    declared, values = facts(law.family), _numbers(state, law.arguments)
    if declared.joint:
        return None
    scalar = law_of_family(law.family).scalar
    if scalar.quantile is None or scalar.upper is None:
        return None
    if values is None or not scalar.valid(*values):
        return Support(None, None) if declared.support == "line" else None
    low, high = scalar.ends(*values)
    return Support(
        scalar.quantile(NEGLIGIBLE, *values) if math.isinf(low) else low,
        scalar.upper(NEGLIGIBLE, *values) if math.isinf(high) else high,
    )


def _sum(a: Support | None, b: Support | None) -> Support | None:
    if a is None or b is None:
        return None
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return Support(low, high, a.whole and b.whole)


def _times(one: Support | None, counts: list[float] | None) -> Support | None:
    """Of a sum of so many; a sum of variables on points is taken to fill what lies between its ends."""
    if one is None or counts is None:
        return None
    whole, points = one.whole, one.points
    low, high = one.low, one.high
    if points is not None:
        low, high, whole = float(min(points)), float(max(points)), all(p.denominator == 1 for p in points)
    (n,) = counts
    return Support(None if low is None else n * low, None if high is None else n * high, whole)
