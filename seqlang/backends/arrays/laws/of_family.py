"""A law of one number by its family, in many runs: the functions of `seqlang.laws`, with the arguments put in."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlang.backends.arrays.laws.law import Array, VectorLaw
from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import CannotVectorise, Value
from seqlang.backends.interpret.values import EvaluationError
from seqlang.laws.law import Law, NotInArrays


class OfFamily(VectorLaw):
    """A law of `seqlang.laws.families` with parameters that may differ from run to run."""

    def __init__(self, law: Law, parameters: tuple[Value, ...]) -> None:
        if not np.all(law.scalar.valid(*parameters)):
            raise EvaluationError(f"{law.facts.name} needs {law.needs}")
        self.law, self.family, self.parameters = law, law.facts.name, parameters

    @property
    def by_parameters(self) -> bool:
        return True

    def at(self, parameters: tuple[float, ...]) -> OfFamily:
        return OfFamily(self.law, parameters)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        draw = self.law.arrays.samples
        try:
            if draw is not None:
                return np.asarray(draw(source.uniform, shape, *self.parameters))
            return np.asarray(self._found(self.law.arrays.quantiles, "draws", source.uniform(shape)))
        except NotInArrays as why:
            raise CannotVectorise(str(why)) from None

    def quantile(self, u: Array) -> Array | None:
        return None if self.law.arrays.quantiles is None else np.asarray(self._found(self.law.arrays.quantiles, "", u))

    def formula(self, method: str, x: Value) -> Value:
        if method == ("pdf" if self.law.facts.kind == "points" else "pmf"):
            return super().formula(method, x)
        return self._found(self.law.arrays.cdfs if method == "cdf" else self.law.arrays.densities, method, x)

    def support(self) -> tuple[Value, ...] | None:
        return None if self.law.arrays.values is None else self.law.arrays.values(*self.parameters)

    def _found(self, function: Any, what: str, x: Value) -> Value:
        if function is None:
            raise CannotVectorise(f"the {what} of {self.family}")
        try:
            return function(x, *self.parameters)
        except NotInArrays as why:
            raise CannotVectorise(str(why)) from None
