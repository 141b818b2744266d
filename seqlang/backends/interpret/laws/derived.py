"""Laws made from laws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.laws.of_family import OfFamily
from seqlang.backends.interpret.values import EvaluationError, OutOfReach, Value, describe
from seqlang.laws.law import law
from seqlang.laws.weights import TOO_RARE, is_too_rare

if TYPE_CHECKING:
    from random import Random

TRIES = 1_000_000


def _below(law: LawValue, low: Value) -> float:
    """P(X < low) of a law whose values are not listed."""
    if not law.discrete:
        return law.cdf(low)
    # infinitely many values; those of a family are whole numbers
    return law.cdf(math.ceil(low) - 1) if isinstance(law, OfFamily) else law.cdf(low) - law.formula("pmf", low)


class Conditioned(LawValue):
    """`law` given that it lies in [low, high]: cut off and renormalised (not clamped)."""

    __slots__ = ("below", "discrete", "high", "law", "low", "mass")
    name = "conditioned"

    def __init__(self, law: LawValue, low: Value, high: Value) -> None:
        self.law, self.low, self.high, self.discrete = law, low, high, law.discrete
        values = law.support()
        if values is None:
            self.below = _below(law, low)
            self.mass = law.cdf(high) - self.below
            if is_too_rare(self.mass):
                raise OutOfReach(TOO_RARE)
            return
        self.below = 0.0
        self.mass = math.fsum(law.formula("pmf", value) for value in values if low <= value <= high)
        if not self.mass > 0:
            raise EvaluationError(f"{law.name} has no mass between {describe(low)} and {describe(high)}")

    def sample(self, random: Random) -> Value:
        if self.law.quantile(0.5) is not None:
            at = self.law.quantile(self.law.cdf(self.low) + random.random() * self.mass)
            return min(max(at, self.low), self.high)
        for _ in range(TRIES):
            value = self.law.sample(random)
            if self.low <= value <= self.high:
                return value
        raise EvaluationError(f"{self.law.name} is hardly ever between {describe(self.low)} and {describe(self.high)}")

    def centre(self) -> Value:
        return min(max(self.law.centre(), self.low), self.high)

    def _inside(self, x: Value) -> bool:
        return bool(self.low <= x <= self.high)

    def formula(self, method: str, x: Value) -> float:
        if method != "cdf":
            found = self.law.formula(method, x)
            return found / self.mass if self._inside(x) else 0.0
        if x < self.low:
            return 0.0
        values = self.support()
        below = self.law.cdf(min(x, self.high)) - self.below if values is None else self._up_to(x, values)
        return min(1.0, below / self.mass)

    def _up_to(self, x: Value, values: tuple[Value, ...]) -> float:
        return math.fsum(self.law.formula("pmf", value) for value in values if value <= x)

    def support(self) -> tuple[Value, ...] | None:
        values = self.law.support()
        return None if values is None else tuple(v for v in values if self._inside(v))


class Convolved(LawValue):
    """The law of the sum of two independent variables.

    Its pmf, pdf and cdf need one of the two to have finitely many values, or both to be normal.
    """

    __slots__ = ("discrete", "first", "second")
    name = "convolve"

    def __init__(self, first: LawValue, second: LawValue) -> None:
        self.first, self.second = first, second
        self.discrete = first.discrete and second.discrete

    def sample(self, random: Random) -> Value:
        return self.first.sample(random) + self.second.sample(random)

    def centre(self) -> Value:
        return self.first.centre() + self.second.centre()

    def formula(self, method: str, x: Value) -> float:
        if method == ("pdf" if self.discrete else "pmf"):
            return super().formula(method, x)
        for listed, other in ((self.first, self.second), (self.second, self.first)):
            values = listed.support()
            if values is not None:
                return math.fsum(listed.pmf(v) * other.formula(method, x - v) for v in values)
        first, second = _normal(self.first), _normal(self.second)
        if first is not None and second is not None:
            total = OfFamily(law("normal"), (first[0] + second[0], math.hypot(first[1], second[1])))
            return float(total.formula(method, x))
        raise EvaluationError(f"convolve has no {method} unless one of its laws has finitely many values")

    def support(self) -> tuple[Value, ...] | None:
        first, second = self.first.support(), self.second.support()
        if first is None or second is None:
            return None
        return tuple(dict.fromkeys(a + b for a in first for b in second))


class SumOf(LawValue):
    """The law of the sum of `count` independent variables.

    Its pmf and cdf need variables with finitely many values, all of them whole numbers.
    """

    __slots__ = ("_masses", "count", "discrete", "law")
    name = "sum_of"

    def __init__(self, count: Value, law: LawValue) -> None:
        if count < 0 or count != math.floor(count):
            raise EvaluationError(f"sum_of needs a whole number of variables >= 0, this is {describe(count)}")
        self.count, self.law, self.discrete = int(count), law, law.discrete
        self._masses: tuple[int, list[float]] | None = None

    def sample(self, random: Random) -> Value:
        return sum(self.law.sample(random) for _ in range(self.count))

    def centre(self) -> Value:
        return self.count * self.law.centre()

    def formula(self, method: str, x: Value) -> float:
        if method == ("pdf" if self.discrete else "pmf"):
            return super().formula(method, x)
        least, masses = self._sums()
        if method == "cdf":
            return min(1.0, math.fsum(masses[: max(0, math.floor(x) - least + 1)]))
        inside = x == math.floor(x) and least <= x < least + len(masses)
        return masses[int(x) - least] if inside else 0.0

    def support(self) -> tuple[Value, ...] | None:
        if self.law.support() is None:
            return None
        least, masses = self._sums()
        return tuple(least + i for i, mass in enumerate(masses) if mass > 0)

    def _sums(self) -> tuple[int, list[float]]:
        """The least sum, and the chances of it and of the next whole numbers: by squaring."""
        if self._masses is None:
            values = self.law.support()
            if not self.discrete or values is None or any(v != math.floor(v) for v in values):
                raise EvaluationError("sum_of has no pmf and no cdf unless its law has finitely many whole values")
            least = int(min(values))
            base = [self.law.pmf(v) for v in range(least, int(max(values)) + 1)]
            power, rest = [1.0], self.count
            while rest:
                if rest & 1:
                    power = _added(power, base)
                rest >>= 1
                base = _added(base, base) if rest else base
            self._masses = least * self.count, power
        return self._masses


def _added(first: list[float], second: list[float]) -> list[float]:
    """The masses of the sum of two independent variables, of masses at 0, 1, .. each."""
    found = [0.0] * (len(first) + len(second) - 1)
    for i, p in enumerate(first):
        if p:
            for j, q in enumerate(second, i):
                found[j] += p * q
    return found


def _normal(value: LawValue) -> tuple[float, float] | None:
    """Mean and standard deviation of a normal law."""
    if not isinstance(value, OfFamily) or value.name not in ("normal", "gaussian"):
        return None
    return (0.0, value.arguments[0]) if value.name == "gaussian" else (value.arguments[0], value.arguments[1])


class Tree(LawValue):
    """Noise of prefix sums: the prefix 1..n is covered by one node of `node`'s law for every bit of n.

    The machine keeps the nodes (Chan, Shi and Song 2011, Section 3.4); this value only carries the node's law.
    """

    __slots__ = ("node",)
    name = "tree"

    def __init__(self, node: LawValue) -> None:
        self.node = node

    def centre(self) -> Value:
        return self.node.centre()
