"""What every law can do. Plain classes: this is on the cold path of `check`, where dataclasses cost start-up time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlang.backends.interpret.values import EvaluationError, Value

if TYPE_CHECKING:
    from random import Random


class LawValue:
    """A probability law. `discrete` laws have `pmf`, the others `pdf`; `cdf(x)` is P(X <= x) for laws on numbers."""

    __slots__ = ()
    name = "law"
    discrete = False
    joint = False
    """True for a law of whole vectors, False for one that a vector uses coordinate by coordinate."""

    def sample(self, random: Random) -> Value:
        raise EvaluationError(f"{self.name} cannot be drawn from by itself")

    def centre(self) -> Value:
        """A typical value: 0 for a noise that is symmetric about 0 (what a run without noise uses)."""
        raise EvaluationError(f"{self.name} has no centre")

    def formula(self, method: str, x: Value) -> float:
        """`method` is pmf, pdf or cdf. Raises EvaluationError for a law that has none."""
        other = "pmf" if self.discrete else "pdf"
        hint = "" if method in ("cdf", other) else f"; it has a {other}"
        raise EvaluationError(f"{self.name} has no {method}{hint}")

    def pmf(self, x: Value) -> float:
        return self.formula("pmf", x)

    def pdf(self, x: Value) -> float:
        return self.formula("pdf", x)

    def cdf(self, x: Value) -> float:
        return self.formula("cdf", x)

    def quantile(self, u: float) -> float | None:
        """The u-quantile where it has a closed form, else None."""
        return None

    def support(self) -> tuple[Value, ...] | None:
        """The values of a law with finitely many, else None."""
        return None
