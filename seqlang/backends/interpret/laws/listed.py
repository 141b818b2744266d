"""Laws on listed values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.values import EvaluationError, OutOfReach, Value, describe
from seqlang.laws.weights import TOO_SMALL, is_too_small

if TYPE_CHECKING:
    from random import Random


def probability(name: str, value: Value) -> float:
    """`value` as a float if it lies in [0, 1], with the rounding of one operation forgiven; else an error."""
    if not -1e-12 <= value <= 1 + 1e-12:
        raise EvaluationError(f"{name} needs a probability, this is {describe(value)}")
    return min(1.0, max(0.0, float(value)))


class Point(LawValue):
    """One value, surely."""

    __slots__ = ("value",)
    name = "point"
    discrete = True
    joint = True

    def __init__(self, value: Value) -> None:
        self.value = value

    def sample(self, random: Random) -> Value:
        return self.value

    def centre(self) -> Value:
        return self.value

    def formula(self, method: str, x: Value) -> float:
        if method == "pdf":
            return super().formula(method, x)
        return 1.0 if (x == self.value if method == "pmf" else x >= self.value) else 0.0

    def support(self) -> tuple[Value, ...]:
        return (self.value,)


_TOO_LARGE = "a weight is too large for a number of the machine: subtract the largest exponent"


class Table(LawValue):
    """Values with weights, normalised: `{v: w, ..}`, and `uniform` on a set. Equal values add their weights."""

    __slots__ = ("table", "total")
    name = "weights"
    discrete = True

    def __init__(
        self, pairs: tuple[tuple[Value, Value], ...], name: str = "weights", exponentials: bool = False
    ) -> None:
        self.table: dict[Value, float] = {}
        for value, weight in pairs:
            if exponentials and weight == math.inf:
                raise OutOfReach(_TOO_LARGE)
            if not 0 <= weight < math.inf:
                raise EvaluationError(f"the weight of {describe(value)} must be finite and >= 0: {describe(weight)}")
            self.table[value] = self.table.get(value, 0.0) + float(weight)
        try:
            self.total = math.fsum(self.table.values())
        except OverflowError:  # each is a number, and their sum is none
            raise (OutOfReach if exponentials else EvaluationError)(_TOO_LARGE) from None
        if is_too_small(self.total) or (exponentials and self.total == 0):
            raise OutOfReach(TOO_SMALL)
        if not 0 < self.total < math.inf:
            raise EvaluationError(f"{name} needs weights with a positive sum, this is {describe(self.total)}")

    def sample(self, random: Random) -> Value:
        left = random.random() * self.total
        chosen = None
        for value, weight in self.table.items():
            if weight > 0:
                chosen = value
                left -= weight
                if left < 0:
                    break
        return chosen

    def centre(self) -> Value:
        return max(self.table, key=lambda v: self.table[v])

    def formula(self, method: str, x: Value) -> float:
        if method == "pdf":
            return super().formula(method, x)
        chance = self.table.get(x, 0.0) if method == "pmf" else math.fsum(w for v, w in self.table.items() if v <= x)
        return chance / self.total

    def support(self) -> tuple[Value, ...]:
        return tuple(self.table)


class Flip(LawValue):
    """Randomised response over an alphabet of `size`: how many places on the alphabet's circle the value moves.

    0 (the truth) with probability `truth`, else 1 .. size - 1 with equal chances.
    """

    __slots__ = ("size", "truth")
    name = "randomized_response"
    discrete = True

    def __init__(self, truth: Value, size: int = 2) -> None:
        self.truth = probability("randomized_response", truth)
        self.size = size

    def over(self, size: int) -> Flip:
        return Flip(self.truth, size)

    def sample(self, random: Random) -> int:
        if random.random() < self.truth or self.size < 2:
            return 0
        return 1 + math.floor(random.random() * (self.size - 1))

    def centre(self) -> int:
        return 0

    def formula(self, method: str, x: Value) -> float:
        if method != "pmf":
            return super().formula(method, x)
        return self.truth if x == 0 else (1 - self.truth) / (self.size - 1) if x in range(1, self.size) else 0.0
