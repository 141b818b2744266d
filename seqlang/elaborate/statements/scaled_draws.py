"""Draws whose scale changes from step to step: `draw z ~ gaussian(2 * sqrt(step))` is `2 * sqrt(step)` times a draw
from gaussian(1).

A law with `unit_scale` and the argument a is the law of a times a draw with the argument 1. The draw then has a
constant law, as a noise that proofs and engines know, and the scale is a public factor of it.
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.laws.facts import facts, names
from seqlang.model import expression as m
from seqlang.model.constants import Values, number
from seqlang.model.life import EachStep, Life
from seqlang.model.noise_factors import multiply
from seqlang.model.program import Noise
from seqlang.source import Span


def scaled_draw(
    name: str, law: m.Expression, life: Life, values: Values, span: Span
) -> tuple[Noise, m.Expression] | None:
    """The noise with the argument 1, and what the draw is in its terms. None for other laws, for draws that live longer
    than a step, and where the scale reads more than the step and constants, or is not plainly above 0: a step with
    such a scale fails."""
    match law:
        case m.Law(family=family, arguments=(scale,)) if family in names() and facts(family).unit_scale:
            if isinstance(life, EachStep) and _is_positive(scale, values):
                unit = Noise(name, m.Law(family, (m.Number(Fraction(1)),)), life, None, span)
                return unit, multiply(scale, m.Drawn(name))
    return None


def _is_positive(scale: m.Expression, values: Values) -> bool:
    least = _least(scale, values)
    return least is not None and least > 0


def _least(e: m.Expression, values: Values) -> Fraction | None:
    """A lower bound of a number that reads the step and constants only, if it is one of few plain forms."""
    known = number(e, values)
    if known is not None:
        return known
    match e:
        case m.StepNumber():
            return Fraction(1)
        case m.Apply(operator="+" | "*" | "max" as operator, arguments=(left, right)):
            a, b = _least(left, values), _least(right, values)
            if a is None or b is None or (operator == "*" and min(a, b) < 0):
                return None
            return a + b if operator == "+" else a * b if operator == "*" else max(a, b)
        case m.Apply(operator="/", arguments=(left, right)):
            a, b = _least(left, values), number(right, values)
            if a is not None and b is not None and a > 0 and b > 0:
                return a / b
            above = number(left, values)
            below = _least(right, values)
            # the quotient falls towards 0, and is never 0 while the step is a number that floating point holds
            return Fraction(1, 10**300) if above and below and min(above, below) > 0 else None
        case m.Apply(operator="sqrt", arguments=(inner,)):
            a = _least(inner, values)
            return None if a is None or a < 0 else min(a, Fraction(1))
        case m.Apply(operator="^", arguments=(base, power)):
            a, p = _least(base, values), number(power, values)
            return Fraction(1) if a is not None and p is not None and a >= 1 and p >= 0 else None
        case _:
            return None
