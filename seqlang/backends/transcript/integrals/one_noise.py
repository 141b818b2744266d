"""Conditions that read one noise only: the range of values that they allow, and the probability of that range."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, inf

from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    Conjunction,
    Key,
    LinearCondition,
    variables,
)
from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw, log_sum
from seqlang.backends.transcript.unsupported import Unsupported

LAST_DIGITS, NEXT_TO = 1e-15, 1e-9
"""Relative to a number: how far rounding moves one that is computed at once, and one that is added up."""
Laws = Callable[[Key], NoiseLaw]


def one_variable(step: Alternatives, laws: Laws) -> float | None:
    """log probability of a step that reads one noise (or none); None if it reads more."""
    keys = variables(step)
    if len(keys) > 1:
        return None
    law = laws(next(iter(keys))) if keys else None
    return log_sum([_between(conjunction, law) for conjunction in step])


def _between(conjunction: Conjunction, law: NoiseLaw | None) -> float:
    low, high = -inf, inf
    for constant, terms, strict in conjunction:
        factor = sum(f for _, f in terms)
        if law is None or factor == 0:
            if constant < 0 or (strict and constant == 0):
                return -inf
        elif factor > 0:
            low = max(low, at_least(-constant / factor, strict, law))
        else:
            high = min(high, at_most(-constant / factor, strict, law))
    return 0.0 if law is None else law.log_between(low, high)


def interval(condition: LinearCondition, law: NoiseLaw) -> tuple[float, float]:
    """The values of its single noise for which the condition holds."""
    constant, terms, strict = condition
    factor = sum(f for _, f in terms)
    if factor == 0:
        return (-inf, inf) if constant > 0 or (constant == 0 and not strict) else (inf, -inf)
    if factor > 0:
        return at_least(-constant / factor, strict, law), inf
    return -inf, at_most(-constant / factor, strict, law)


def _is_at(point: float, bound: float, law: NoiseLaw) -> bool:
    """Whether a bound is a point of the law but for its last digits. Raises Unsupported for one that is next to it:
    rounding may have moved it there, and it may lie there."""
    apart = abs(point - bound)
    rounded = LAST_DIGITS * max(abs(point), abs(bound))
    if apart <= rounded < law.gap / 4:
        return True
    if apart <= NEXT_TO * max(1.0, abs(bound)):
        raise Unsupported("a bound that is next to a value of a noise")
    return False


def at_least(bound: float, strict: bool, law: NoiseLaw) -> float:
    """The least point of the law's lattice that is >= bound (> bound if strict); for a density the bound itself. Raises
    Unsupported for a bound next to a point."""
    if law.kind == "density" or bound in (inf, -inf):
        return bound
    if law.kind == "finite":
        near = [p for p in law.points if _is_at(p, bound, law)]
        if near:
            later = [p for p in law.points if p > near[0]]
            return (later[0] if later else inf) if strict else near[0]
        return bound
    nearest = round(bound)
    if _is_at(nearest, bound, law):
        return float(nearest + 1 if strict else nearest)
    return float(ceil(bound))


def at_most(bound: float, strict: bool, law: NoiseLaw) -> float:
    """The largest point of the law's lattice that is <= bound (< bound if strict); for a density the bound itself."""
    if law.kind != "finite":
        return -at_least(-bound, strict, law)
    near = [p for p in law.points if _is_at(p, bound, law)]
    if not near:
        return bound
    if not strict:
        return near[0]
    return max((p for p in law.points if p < near[0]), default=-inf)
