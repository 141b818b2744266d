"""A few values of each domain: what streams for witnesses are put together from."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isinf
from typing import Any

from seqlang.model.domain import Ball, Domain, Finite, Integers, Interval, Power
from seqlang.model.program import Input

MOST_ENTRIES = 16


class Domains:
    """`value` evaluates constant expressions."""

    def __init__(self, value: Callable[[Any], float]) -> None:
        self.value = value

    def dimension(self, domain: Domain) -> float:
        return self.value(domain.dimension) if isinstance(domain, Ball | Power) else 1

    def range(self, domain: Domain) -> tuple[float, float]:
        match domain:
            case Interval(low, high, low_open, high_open):
                ends = (-inf if low is None else self.value(low), inf if high is None else self.value(high))
                inset = (ends[1] - ends[0]) * 2**-20 if not isinf(ends[1] - ends[0]) else 2**-20
                return ends[0] + inset * low_open, ends[1] - inset * high_open
            case Integers(low, high):
                return -inf if low is None else self.value(low), inf if high is None else self.value(high)
            case Finite(values):
                numbers = [self.value(v) for v in values]
                return min(numbers), max(numbers)
            case Power(of, _):
                return self.range(of)
            case _:
                return -inf, inf

    def values(self, source: Input) -> list[Any]:
        """A few values of the field: the extremes first."""
        return self._values(source.domain)

    def public(self, source: Input) -> Any:
        """A value for a public input: 0 if it may be a number that is 0, a vector of full length."""
        values = self.values(source)
        return values[1] if isinstance(source.domain, Ball) else 0 if 0 in values else values[0]

    def _values(self, domain: Domain) -> list[Any]:
        match domain:
            case Finite(values):
                return [tidy(self.value(v)) for v in values][:MOST_ENTRIES]
            case Ball(radius, dimension):
                r, d = self.value(radius), int(self.value(dimension))
                unit = (0.0,) * (d - 1)
                return [(0.0, *unit), (r, *unit), (-r, *unit)]
            case Power(of, dimension):
                d = int(self.value(dimension))
                inner = self._values(of)[:3]
                return [(v,) * d for v in inner] + [(inner[-1],) + (inner[0],) * (d - 1)]
            case _:
                low, high = self.range(domain)
                known = [x for x in (low, high) if not isinf(x)]
                middle = [0.0] if low <= 0 <= high else []
                if isinstance(domain, Integers):
                    more = [low + k for k in (0, 1, 2, 5) if not isinf(low) and low + k <= high]
                    return [int(x) for x in dict.fromkeys([*known, *middle, *more])]
                if not isinf(low) and not isinf(high):
                    middle.append((low + high) / 2)
                elif not known:
                    middle += [1.0, -1.0]
                else:
                    middle += [x for x in (known[0] + 1, known[0] - 1) if low <= x <= high]
                return [tidy(x) for x in dict.fromkeys([*known, *middle])]


def tidy(x: float) -> int | float:
    """A whole float as an int: states and witnesses read better."""
    return int(x) if abs(x) < 2**53 and x == int(x) else x
