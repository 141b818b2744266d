"""A law of one number by its family: the functions of `seqlang.laws`, with the arguments put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.values import EvaluationError, Value, describe
from seqlang.laws.law import Law

if TYPE_CHECKING:
    from random import Random


class OfFamily(LawValue):
    __slots__ = ("arguments", "discrete", "law", "name")

    def __init__(self, law: Law, arguments: tuple[Value, ...]) -> None:
        if not law.scalar.valid(*arguments):
            given = " and ".join(describe(a) for a in arguments)
            verb = "this is" if len(arguments) == 1 else "these are"
            raise EvaluationError(f"{law.facts.name} needs {law.needs}, {verb} {given}")
        self.law = law
        self.name = law.facts.name
        self.discrete = law.facts.kind == "points"
        self.arguments = tuple(float(a) for a in arguments)

    def sample(self, random: Random) -> Value:
        assert self.law.scalar.sample is not None
        return self.law.scalar.sample(random, *self.arguments)

    def centre(self) -> Value:
        return self.law.scalar.centre(*self.arguments)

    def pmf(self, x: Value) -> float:
        if not self.discrete or self.law.scalar.density is None:
            return super().pmf(x)
        return self.law.scalar.density(x, *self.arguments)

    def pdf(self, x: Value) -> float:
        if self.discrete or self.law.scalar.density is None:
            return super().pdf(x)
        found = self.law.scalar.density(x, *self.arguments)
        if found != found:
            raise EvaluationError(f"{self.name} has no density, as it is a constant")
        return found

    def cdf(self, x: Value) -> float:
        return super().cdf(x) if self.law.scalar.cdf is None else self.law.scalar.cdf(x, *self.arguments)

    def quantile(self, u: float) -> float | None:
        return None if self.law.scalar.quantile is None else self.law.scalar.quantile(u, *self.arguments)

    def support(self) -> tuple[Value, ...] | None:
        return None if self.law.arrays.values is None else self.law.arrays.values(*self.arguments)
