"""Noisy values that are compared with each other only: v1 < v2, v2 < v3, v1 < 4, each v a number plus a noise.

This says which system of conditions is one of such comparisons; `elimination` computes its chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from seqlang.backends.transcript.integrals.linear_conditions import (
    LinearCondition,
    System,
    is_shared,
)
from seqlang.model.connected import connected
from seqlang.record import record

MOST_VALUES = 400
Value = tuple[object, ...]
"""Which draw: its key, and for fresh noise the step and the repetition in which it is drawn."""


@record
class Ordering:
    """`places`: value -> where it lies without its noise, in a common coordinate. `above`: (larger, smaller) pairs.
    `ranges`: the ends between which a value must lie."""

    places: Mapping[Value, Fraction]
    above: tuple[tuple[Value, Value], ...]
    ranges: Mapping[Value, tuple[Fraction | None, Fraction | None]]

    @property
    def is_forest(self) -> bool:
        """Whether no circle of comparisons joins values: then each is summed out beside one other at most."""
        groups = connected((pair, set(pair)) for pair in self.above)
        return all(len(pairs) == len(values) - 1 for pairs, values in groups)


def ordering(system: System) -> Ordering | None:
    """The system as comparisons of values; None where it is something else."""
    apart: list[tuple[Value, Value, Fraction]] = []
    ends: dict[Value, tuple[Fraction | None, Fraction | None]] = {}
    for number, (step, times) in enumerate(system.items()):
        if len(step) != 1 or len(ends) + times > MOST_VALUES:
            return None
        for repetition in range(times if any(not is_shared(k) for _, terms, _ in step[0] for k, _ in terms) else 1):
            for condition in step[0]:
                if not _read(condition, (number, repetition), apart, ends):
                    return None
    places = _places(ends, apart)
    if places is None:
        return None
    shifted = {
        value: (None if low is None else low + places[value], None if high is None else high + places[value])
        for value, (low, high) in ends.items()
    }
    return Ordering(places, _without_implied((a, b) for a, b, _ in apart), shifted)


def _read(
    condition: LinearCondition,
    at: tuple[int, int],
    apart: list[tuple[Value, Value, Fraction]],
    ends: dict[Value, tuple[Fraction | None, Fraction | None]],
) -> bool:
    """Adds (first, second, d) to `apart` for first - second >= -d, or narrows the range of a single noise."""
    constant, terms, _ = condition
    exact = Fraction(constant)
    factors: dict[Value, Fraction] = {}
    for key, factor in terms:
        value = key if is_shared(key) else (*key, at)
        factors[value] = factors.get(value, Fraction(0)) + Fraction(factor)
    factors = {value: factor for value, factor in factors.items() if factor}
    for value in factors:
        ends.setdefault(value, (None, None))
    match sorted(factors, key=lambda value: -factors[value]):
        case [value]:
            low, high = ends[value]
            end = -exact / factors[value]
            if factors[value] > 0:
                ends[value] = (end if low is None else max(low, end), high)
            else:
                ends[value] = (low, end if high is None else min(high, end))
            return True
        case [first, second] if factors[first] == -factors[second]:
            apart.append((first, second, exact / factors[first]))
            return True
    return False


def _without_implied(pairs: Iterable[tuple[Value, Value]]) -> tuple[tuple[Value, Value], ...]:
    """Without those that others imply: if a >= b and b >= c, then a >= c."""
    below: dict[Value, dict[Value, None]] = {}
    for larger, smaller in pairs:
        below.setdefault(larger, {})[smaller] = None
    for larger, its in below.items():
        for smaller in list(its):
            del its[smaller]
            if not _leads(below, larger, smaller):
                its[smaller] = None
    return tuple((larger, smaller) for larger, its in below.items() for smaller in its)


def _leads(below: Mapping[Value, Mapping[Value, None]], start: Value, end: Value) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for value in below.get(waiting.pop(), ()):
            if value == end:
                return True
            if value not in seen:
                seen.add(value)
                waiting.append(value)
    return False


def _places(values: Iterable[Value], apart: Sequence[tuple[Value, Value, Fraction]]) -> dict[Value, Fraction] | None:
    """Coordinates in which first - second >= -d says that the first is at least the second; None if there are none."""
    beside: dict[Value, list[tuple[Value, Fraction]]] = {value: [] for value in values}
    for first, second, d in apart:
        beside[first].append((second, -d))
        beside[second].append((first, d))
    places: dict[Value, Fraction] = {}
    for start in beside:
        if start in places:
            continue
        places[start] = Fraction(0)
        waiting = [start]
        while waiting:
            one = waiting.pop()
            for other, d in beside[one]:
                if other not in places:
                    places[other] = places[one] + d
                    waiting.append(other)
                elif places[other] != places[one] + d:
                    return None
    return places
