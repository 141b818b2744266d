"""Densities and point masses of the laws that statistics and private choices are written with."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from seqlang.backends.transcript.reported_value import same
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.laws.facts import facts, names
from seqlang.laws.law import law as law_of_family
from seqlang.laws.weights import TOO_SMALL, is_too_small

LawValue = tuple[Any, ...]
"""(family, argument, ..), or ("weights", ((value, weight), ..))."""


def flipped(observed: Any, truth: Any, right: float, size: int) -> float:
    """The chance of this answer by randomised response among `size` values; of vectors coordinate by coordinate."""
    if not isinstance(truth, tuple):
        return right if same(observed, truth) else (1 - right) / (size - 1)
    if not isinstance(observed, tuple) or len(observed) != len(truth):
        raise Unsupported("as many answers as coordinates are needed")
    found = 1.0
    for one, other in zip(observed, truth, strict=True):
        found *= flipped(one, other, right, size)
    return found


def both_right(first: float, second: float, size: int) -> float:
    """The chance that two flips after each other end at the truth: both right, or the second undoes the first."""
    return first * second + (1 - first) * (1 - second) / (size - 1)


def alike(values: tuple[Any, ...], truth: Any) -> tuple[Any, ...]:
    """The values that are tried as answers: for a vector those with equal coordinates."""
    return tuple((v,) * len(truth) for v in values) if isinstance(truth, tuple) else values


def weighed(pairs: tuple[tuple[Any, Any], ...]) -> LawValue:
    """The law of these values with these weights."""
    if is_too_small(sum(w for _, w in pairs)):
        raise Unsupported(TOO_SMALL)
    return "weights", pairs


def total(law: LawValue) -> float:
    """The sum of the weights; 1 for a law without weights."""
    return float(sum(w for _, w in law[1])) if law[0] == "weights" else 1.0


def mass(law: LawValue, at: Any) -> float:
    """P(X = at)."""
    match law:
        case ("weights", pairs):
            total = sum(w for _, w in pairs)
            return float(sum(w for v, w in pairs if v == at) / total)
        case ("bernoulli", q):
            if isinstance(q, tuple):
                result = 1.0
                for one, bit in zip(q, at, strict=True):
                    result *= one if bit else 1 - one
                return result
            return float(q if at == 1 else (1 - q if at == 0 else 0.0))
        case ("point", value):
            return 1.0 if at == value else 0.0
        case ("uniform", values) if isinstance(values, tuple):
            return sum(1 for v in values if v == at) / len(values)
        case ("convolve", first, second):
            return _convolved(first, second, at)
        case ("sum_of", n, inner):
            return _sums(int(n), inner).get(at, 0.0)
        case (family, *arguments) if family in names() and facts(family).kind == "points":
            return _function(law_of_family(family).scalar.density, law, "point masses")(at, *arguments)
        case _:
            raise Unsupported(f"point masses of {law[0]}")


def support(law: LawValue) -> tuple[Any, ...]:
    """The values with positive probability, where they can be listed."""
    match law:
        case ("weights", pairs):
            likely = tuple(v for v, w in pairs if w > 0)
            if not likely:
                raise Unsupported("every weight is rounded to 0")
            return likely
        case ("bernoulli", q) if not isinstance(q, tuple):
            return (0, 1)
        case ("uniform", values) if isinstance(values, tuple):
            return values
        case ("point", value):
            return (value,)
        case ("binomial", n, _):
            return tuple(range(int(n) + 1))
        case ("sum_of", n, inner):
            return tuple(_sums(int(n), inner))
        case _:
            raise Unsupported(f"the values of {law[0]} are not listed")


@lru_cache(maxsize=4096)
def _convolved(first: LawValue, second: LawValue, at: float) -> float:
    if first[0] in ("binomial", "sum_of"):
        return sum(mass(first, k) * mass(second, at - k) for k in support(first))
    if second[0] in ("binomial", "sum_of"):
        return _convolved(second, first, at)
    raise Unsupported("a convolution without a finite part")


@lru_cache(maxsize=256)
def _sums(n: int, inner: LawValue) -> dict[Any, float]:
    """The chances of the sums of n independent values, one value after the other."""
    one = {value: mass(inner, value) for value in support(inner)}
    found: dict[Any, float] = {0: 1.0}
    for _ in range(n):
        after: dict[Any, float] = {}
        for total, p in found.items():
            for value, q in one.items():
                after[total + value] = after.get(total + value, 0.0) + p * q
        found = after
    return found


def density(method: str, law: LawValue, at: Any) -> float:
    """law.pmf(at), law.pdf(at) or law.cdf(at)."""
    if method == "pmf":
        return mass(law, at)
    family, *arguments = law
    if any(isinstance(a, tuple) for a in arguments) or family not in names() or facts(family).kind == "points":
        raise Unsupported(f"{family}.{method}")
    scalar = law_of_family(family).scalar
    return _function(scalar.density if method == "pdf" else scalar.cdf, law, method)(at, *arguments)


def _function(function: Callable[..., float] | None, law: LawValue, what: str) -> Callable[..., float]:
    if function is None:
        raise Unsupported(f"{what} of {law[0]}")
    return function
