"""What it costs to translate a noise: phi with f(z) <= e^phi(u) f(z + u) for every z, as its law declares
(`seqlang.laws.facts.TranslationCost`, proved in the law's own file). Where it declares nothing, only u = 0 is free of
charge, and everything else is infinite; so is a u that the law says nothing of.

A move by 0 costs nothing under every law, so a noise of an unknown law may take part as long as it stays where it is.
"""

from __future__ import annotations

from typing import Literal

from seqlang.arithmetic.formula import INFINITY, ZERO, Formula, absolute, function, logarithm, number
from seqlang.laws.facts import facts
from seqlang.model.expression import Law
from seqlang.model.program import Noise, Program
from seqlang.record import record, replace
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import formula_of


@record
class Translation:
    """`unit` is the cost of one unit of |u| (staircase: of one step of `width`); all in nats."""

    kind: Literal["linear", "upwards", "whole", "stairs", "fixed"]
    unit: Formula = INFINITY
    width: Formula = ZERO

    @property
    def movable(self) -> bool:
        return self.kind != "fixed"

    def stretched(self, factor: Formula) -> Translation:
        """For the noise times a factor that is at least this: a unit of it is less of the noise itself."""
        return replace(self, unit=self.unit / factor) if self.kind in ("linear", "upwards") else Translation("fixed")

    def cost(self, u: Formula, signs: Signs) -> Formula:
        """phi(u); infinite where u is not allowed or its sign cannot be decided."""
        sign = signs.of(u)
        if sign == 0:
            return ZERO
        if sign is None or u.is_infinite or not self.movable:
            return INFINITY
        size = u if sign > 0 else -u
        match self.kind:
            case "linear":
                return size * self.unit
            case "upwards":
                return size * self.unit if sign > 0 else INFINITY
            case "whole":
                return size * self.unit if is_whole(u, signs) else INFINITY
            case "stairs":
                return function("ceil", size / self.width) * self.unit
            case _:
                return INFINITY


def translation_of(program: Program, noise: Noise, signs: Signs) -> Translation:
    """How the noise may be moved. Scales that are not certainly in their range make it fixed."""
    fixed = Translation("fixed")
    law = noise.law
    if not isinstance(law, Law):
        return fixed
    arguments = tuple(formula_of(program, a) for a in law.arguments)
    found = tuple(a for a in arguments if a is not None)
    if len(found) != len(arguments) or any(a.is_infinite for a in found):
        return fixed
    declared = facts(law.family).translation
    if declared is None or declared.norm == "l2":
        return fixed
    match declared.kind, found:
        case "linear" | "upwards" as kind, (scale,) if signs.of(scale) == 1:
            return Translation(kind, number(1) / scale)
        case "whole", (ratio,) if signs.of(ratio) == 1 and signs.of(number(1) - ratio) == 1:
            return Translation("whole", -logarithm(ratio))
        case "stairs", (epsilon, width, *_) if signs.of(epsilon) == 1 and signs.of(width) == 1:
            return Translation("stairs", epsilon, width)
        case _:
            return fixed


def is_whole(u: Formula, signs: Signs) -> bool:
    """u is certainly a whole number at these parameter values."""
    if u == ZERO:
        return True
    size = absolute(u)
    return signs.equal(function("floor", size), size)
