"""What is certain of the chances of the levels of an entry, from the law of the entry as it was stated."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from seqlang.designs.bounds.enclosed import (
    ONE,
    Ends,
    Pair,
    enclosed,
    exponential,
    normal_below,
    times,
    zeros,
)
from seqlang.designs.data.data_law import DataLaw
from seqlang.designs.data.readings import Binned, Listed, Reading, Window
from seqlang.designs.problem.entry import Entry
from seqlang.model.expression import Apply, Expression, Law, Number, Weights


def arm_levels(entry: Entry, reading: Reading | None) -> tuple[Pair, ...] | str:
    """By arm the chances of the levels; of a law that is not enclosed here, why."""
    if entry.law is None or reading is None:
        return tuple(_pair([enclosed(c) for c in chances]) for chances in entry.arms)
    found = level_chances(entry.law, reading)
    return found if isinstance(found, str) else (found,)


def level_chances(law: DataLaw, reading: Reading) -> Pair | str:
    """The chances of the levels 0 .. range."""
    if isinstance(reading, Binned):
        return _binned(law, reading)
    masses = _masses_of(law)
    if masses is None:
        return f"the chances of {law.text} are not enclosed: those of binomial, poisson, normal and listed laws are"
    if isinstance(reading, Window):
        return _pair(_window(masses, reading))
    if isinstance(reading, Listed) and masses.most is not None:
        found = [(0, 0)] * (reading.range + 1)
        for value, level in reading.table:
            found[level] = _plus(found[level], masses.at(value))
        return _pair(found)
    return "the values of an entry have no end"


def _pair(found: Sequence[Ends]) -> Pair:
    law = zeros(len(found))
    law[0][:], law[1][:] = [max(0, low) for low, _ in found], [min(ONE, high) for _, high in found]
    return law


def _plus(x: Ends, y: Ends) -> Ends:
    return x[0] + y[0], x[1] + y[1]


def _window(masses: _Masses, reading: Window) -> list[Ends]:
    """Levels below the last from their values; the last has what they leave, as there may be no largest value."""
    first = min(reading.first, masses.least)
    found = [(0, 0)] * reading.range
    for value in range(first, reading.high):
        level = max(value, reading.low) - reading.low
        found[level] = _plus(found[level], masses.at(Fraction(value)))
    return [*found, (ONE - sum(high for _, high in found), ONE - sum(low for low, _ in found))]


def _binned(law: DataLaw, reading: Binned) -> Pair | str:
    arguments = _arguments(law.written, "normal")
    if arguments is None or arguments[1] <= 0:
        return f"the chances of {law.text} are not enclosed: those of binomial, poisson, normal and listed laws are"
    mean, sd = arguments
    below = [(0, 0), *(normal_below((edge - mean) / sd) for edge in reading.edges), (ONE, ONE)]
    return _pair([(b[0] - a[1], b[1] - a[0]) for a, b in pairwise(below)])


def _arguments(written: Expression | None, family: str) -> list[Fraction] | None:
    """Those of a law of that family, if they are rational."""
    if not isinstance(written, Law) or written.family != family:
        return None
    found = [_rational(argument) for argument in written.arguments]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else None


_EXACT: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip


def _rational(written: Expression) -> Fraction | None:
    """The value of sums, products and quotients of numbers; None for others, which floats may stand for elsewhere."""
    match written:
        case Number(value=value):
            return value
        case Apply(operator="negate", arguments=(inner,)):
            turned = _rational(inner)
            return None if turned is None else -turned
        case Apply(operator=name, arguments=(left, right)) if name in _EXACT:
            first, second = _rational(left), _rational(right)
            if first is None or second is None or (name == "/" and second == 0):
                return None
            return _EXACT[name](first, second)
    return None


class _Masses(Protocol):
    """P(X = value), of a law on points. No value is below `least`, nor above `most` if there is a largest."""

    least: int
    most: int | None

    def at(self, value: Fraction) -> Ends: ...


def _masses_of(law: DataLaw) -> _Masses | None:
    poisson, binomial = _arguments(law.written, "poisson"), _arguments(law.written, "binomial")
    coin, table = _arguments(law.written, "bernoulli"), _table(law.written)
    if poisson is not None and poisson[0] > 0:
        return _Poisson(poisson[0])
    if coin is not None:
        return _Binomial(1, coin[0])
    if binomial is not None and binomial[0].denominator == 1:
        return _Binomial(int(binomial[0]), binomial[1])
    return None if table is None else _Listed(table)


class _Poisson:
    least: int = 0
    most: int | None = None

    def __init__(self, mean: Fraction) -> None:
        self.mean, self.none = mean, exponential(mean)

    def at(self, value: Fraction) -> Ends:
        if value < 0 or value.denominator != 1:
            return 0, 0
        return times(self.none, enclosed(self.mean ** int(value) / math.factorial(int(value))))


class _Binomial:
    least: int = 0

    def __init__(self, count: int, chance: Fraction) -> None:
        self.count, self.chance = count, chance
        self.most: int | None = count

    def at(self, value: Fraction) -> Ends:
        if not 0 <= value <= self.count or value.denominator != 1:
            return 0, 0
        k = int(value)
        return enclosed(math.comb(self.count, k) * self.chance**k * (1 - self.chance) ** (self.count - k))


class _Listed:
    def __init__(self, table: Mapping[Fraction, Fraction]) -> None:
        self.table, self.total = table, sum(table.values(), Fraction(0))
        self.least = math.floor(min(table))
        self.most: int | None = math.ceil(max(table))

    def at(self, value: Fraction) -> Ends:
        return enclosed(self.table.get(value, Fraction(0)) / self.total)


def _table(written: Expression | None) -> dict[Fraction, Fraction] | None:
    if not isinstance(written, Weights):
        return None
    found: dict[Fraction, Fraction] = {}
    for pair in written.pairs:
        value, weight = (_rational(part) for part in pair)
        if value is None or weight is None:
            return None
        found[value] = found.get(value, Fraction(0)) + weight
    return found
