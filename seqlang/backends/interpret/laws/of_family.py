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

    def formula(self, method: str, x: Value) -> float:
        function = self.law.scalar.cdf if method == "cdf" else self.law.scalar.density
        if function is None or method == ("pdf" if self.discrete else "pmf"):
            return super().formula(method, x)
        found = function(x, *self.arguments)
        if method == "pdf" and found != found:
            raise EvaluationError(f"{self.name} has no density, as it is a constant")
        return found

    def quantile(self, u: float) -> float | None:
        return None if self.law.scalar.quantile is None else self.law.scalar.quantile(u, *self.arguments)

    def support(self) -> tuple[Value, ...] | None:
        return None if self.law.arrays.values is None else self.law.arrays.values(*self.arguments)
