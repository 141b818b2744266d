"""Plain float values of ratios at a few places within the bounds.

They show which sign cannot be proved, so that nobody tries; nothing is ever proved by them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

from seqlang.arithmetic.enclosure import Bounds
from seqlang.arithmetic.functions import PRIMITIVES
from seqlang.arithmetic.ratios.polynomial import Monomial, Polynomial
from seqlang.arithmetic.ratios.ring import Ratio, Ring

PLACES = 3
"""Assignments of the names at which a sign is guessed before anybody tries to prove it."""
ANYTHING = Bounds()


class Guess:
    """Values at one place; NaN where there is none."""

    def __init__(self, ring: Ring, bounds: Mapping[str, Bounds], place: int) -> None:
        self.ring, self.bounds, self.place = ring, bounds, place
        self._known: dict[int, float] = {}

    def polynomial(self, poly: Polynomial) -> float:
        """The value, or NaN if rounding may have decided its sign."""
        try:
            terms = [float(coefficient) * self._monomial(mono) for mono, coefficient in poly.items()]
        except (OverflowError, ValueError, ZeroDivisionError):
            return math.nan
        if not all(map(math.isfinite, terms)):
            return math.nan
        value = math.fsum(terms)
        return value if abs(value) > 1e-9 * max(map(abs, terms), default=0.0) else math.nan

    def _monomial(self, mono: Monomial) -> float:
        value = 1.0
        for atom, exponent in mono:
            value *= math.pow(self._atom(atom), exponent)
        return value

    def _atom(self, atom: int) -> float:
        if atom not in self._known:
            self._known[atom] = self._value(atom)
        return self._known[atom]

    def _value(self, atom: int) -> float:
        known = self.ring.atoms[atom]
        match known.kind:
            case "symbol":
                return self._symbol(str(known.arguments[0]))
            case "prime":
                return float(cast(int, known.arguments[0]))
            case "polynomial":
                inner = self.ring.polynomials[atom]
                return sum(float(c) * self._monomial(m) for m, c in inner.items())
            case "slack":
                return 1.3 + self.place
        values = [float(c) * self._monomial(mono) for c, mono in cast(Sequence[Ratio], known.arguments)]
        match known.kind:
            case "max":
                return max(values)
            case "min":
                return min(values)
            case "power":
                return math.pow(values[0], values[1])
            case name:
                return PRIMITIVES[name].guess(values[0])

    def _symbol(self, name: str) -> float:
        known = self.bounds.get(name, ANYTHING)
        spread = (7 * sum(map(ord, name)) + 5 * self.place) % 11
        low, high = (None if end is None else float(end) for end in (known.low, known.high))
        if low is not None and high is not None:
            return low + (high - low) * (spread + 0.5) / 11
        if low is not None:
            return low + 2.0 ** (spread - 5)
        return (spread - 5) * 1.7 if high is None else high - 2.0 ** (spread - 5)
