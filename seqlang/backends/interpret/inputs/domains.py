"""Membership in a domain, its text, and the nearest value in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import assert_never

from seqlang.backends.interpret.code import Expressions
from seqlang.backends.interpret.inputs.alphabet import letters_of
from seqlang.backends.interpret.values import Value, as_index, describe
from seqlang.model.domain import Ball, Domain, Finite, Integers, Interval, Power
from seqlang.model.expression import Expression

SLACK = 1e-9  # relative rounding forgiven in norms: a vector normalised in a file rarely has norm exactly 1


class CheckedDomain:
    """A domain with its ends evaluated: `contains(value)`, `nearest(value)`, `text`."""

    __slots__ = ("contains", "dimension", "nearest", "text")

    def __init__(self, compiler: Expressions, domain: Domain) -> None:
        self.dimension: int | None = None
        self.contains: Callable[[Value], bool]
        self.nearest: Callable[[Value], Value]
        match domain:
            case Interval():
                self._interval(compiler, domain)
            case Integers(low, high):
                self._integers(_end(compiler, low, -math.inf), _end(compiler, high, math.inf))
            case Finite():
                letters = letters_of(compiler, domain) or ()
                self.contains = lambda v: v in letters
                self.nearest = lambda v: min(letters, key=lambda w: abs(w - v))
                self.text = "{" + ", ".join(describe(v) for v in letters) + "}"
            case Ball(radius, dimension):
                self._ball(compiler.constant(radius), as_index(compiler.constant(dimension)))
            case Power(of, dimension):
                self._power(CheckedDomain(compiler, of), as_index(compiler.constant(dimension)))
            case _:
                assert_never(domain)

    def _interval(self, compiler: Expressions, d: Interval) -> None:
        low, high = _end(compiler, d.low, -math.inf), _end(compiler, d.high, math.inf)
        above: Callable[[Value], bool] = (lambda v: low < v) if d.low_open else (lambda v: low <= v)
        below: Callable[[Value], bool] = (lambda v: v < high) if d.high_open else (lambda v: v <= high)
        lowest = math.nextafter(low, math.inf) if d.low_open else low
        highest = math.nextafter(high, -math.inf) if d.high_open else high
        self.contains = lambda v: math.isfinite(v) and above(v) and below(v)
        self.nearest = lambda v: min(max(v, lowest), highest)
        left, right = ("(" if d.low_open else "["), (")" if d.high_open else "]")
        self.text = f"{left}{describe(low)}, {describe(high)}{right}" if d.low or d.high else "real"

    def _integers(self, low: Value, high: Value) -> None:
        self.contains = lambda v: math.isfinite(v) and v == math.floor(v) and low <= v <= high
        self.nearest = lambda v: min(max(round(v), low), high)
        self.text = f"{'' if low == -math.inf else describe(low)}..{'' if high == math.inf else describe(high)}"

    def _ball(self, radius: float, dimension: int) -> None:
        def nearest(v: Value) -> Value:
            size = math.hypot(*v)
            return v if size <= radius else tuple(x * radius / size for x in v)

        self.dimension = dimension
        self.contains = lambda v: len(v) == dimension and math.hypot(*v) <= radius * (1 + SLACK)
        self.nearest = nearest
        self.text = f"ball({describe(radius)}, {dimension})"

    def _power(self, of: CheckedDomain, dimension: int) -> None:
        self.dimension = dimension
        self.contains = lambda v: len(v) == dimension and all(of.contains(x) for x in v)
        self.nearest = lambda v: tuple(of.nearest(x) for x in v)
        self.text = f"{of.text} ^ {dimension}"


def _end(compiler: Expressions, end: Expression | None, missing: float) -> Value:
    return missing if end is None else compiler.constant(end)
