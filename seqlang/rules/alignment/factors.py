"""Noises with factors that are no rational constants: `w / step`, `sqrt(step) * w`, `sqrt(2) * z`.

Given the transcript a public factor is a number, the same for neighbours. If all noises of a margin have one factor
g > 0, times rationals, the margin is divided by g: that changes neither whether it is >= 0 nor what is released, up to
a public factor. Else a noise with factor g may be taken for the noise g * w, with factor 1: a translation of it by u
moves w by u / g, so its cost per unit is that of w divided by g, at most that divided by a lower bound of g. The noise
must have this factor wherever it is read, and if g changes from step to step the noise must be drawn in each step.
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import Apply, Expression, Number, Term
from seqlang.model.life import EachStep
from seqlang.model.program import Margin, Program
from seqlang.record import record
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of
from seqlang.rules.sensitivity.facts.numbers import UNIT
from seqlang.rules.sensitivity.ranges.ranges import range_of

Shape = Expression | None
Factors = tuple[tuple[str, Fraction], ...]


@record
class Scaled:
    """Margins with rational factors; `least[z]`: what the factor of the noise z, left out of them, is at least."""

    margins: tuple[Margin, ...]
    factors: tuple[Factors, ...]
    least: dict[str, Formula]


def scaled_margins(program: Program, margins: list[Margin], signs: Signs, of: frozenset[str] | None) -> Scaled | str:
    """The margins with the factors of the noises `of` (None: of all) made rational, or why that cannot be."""
    made: list[Margin] = []
    factors: list[Factors] = []
    shapes: dict[str, Shape] = {}
    for margin in margins:
        terms = [t for t in margin.terms if of is None or t.noise in of]
        split = [(t.noise, *_split(program, t.factor)) for t in terms]
        common = {shape for _, _, shape in split}
        value = margin.value
        if len(common) == 1 and len(terms) == len(margin.terms):
            (shape,) = common
            divided = None if shape is None else _divided(program, value, shape, signs)
            if divided is not None:
                value, split = divided, [(z, r, None) for z, r, _ in split]
        collected: dict[str, Fraction] = {}
        for noise, rational, shape in split:
            if shapes.setdefault(noise, shape) != shape:
                return f"the noise {noise} has factors that are no multiples of each other"
            collected[noise] = collected.get(noise, Fraction(0)) + rational
        factors.append(tuple((z, f) for z, f in sorted(collected.items()) if f))
        made.append(Margin(value, tuple(Term(z, Number(f)) for z, f in factors[-1]), margin.strict))
    least: dict[str, Formula] = {}
    for noise, shape in shapes.items():
        if shape is not None:
            low = range_of(program, shape).low
            if low is None or signs.of(low) != 1:
                return f"the factor of the noise {noise} has no known lower bound above 0"
            if formula_of(program, shape) is None and not isinstance(program.noise(noise).life, EachStep):
                return f"the factor of the noise {noise} changes while the noise lasts"
            least[noise] = low
    return Scaled(tuple(made), tuple(factors), least)


def _split(program: Program, factor: Expression) -> tuple[Fraction, Shape]:
    """A factor as rational * shape; a shape of None is 1."""
    rational = _rational(program, factor)
    if rational is not None:
        return rational, None
    match factor:
        case Apply("negate", (a,)):
            number, shape = _split(program, a)
            return -number, shape
        case Apply("*", (a, b)):
            for known, rest in ((a, b), (b, a)):
                times = _rational(program, known)
                if times is not None:
                    number, shape = _split(program, rest)
                    return times * number, shape
        case Apply("/", (a, b)):
            below, above = _rational(program, b), _rational(program, a)
            if below:
                number, shape = _split(program, a)
                return number / below, shape
            if above is not None:
                return above, Apply("/", (UNIT, b))
    return Fraction(1), factor


def _rational(program: Program, expression: Expression) -> Fraction | None:
    formula = formula_of(program, expression)
    return None if formula is None else exact_value(formula, facts_of(program).values)


def _divided(program: Program, value: Expression, shape: Expression, signs: Signs) -> Expression | None:
    """value / shape for a shape that is certainly above 0."""
    match shape:
        case Apply("/", (one, by)) if one == UNIT and _is_positive(program, by, signs):
            return _multiplied(facts_of(program).expand(value), by)
        case _ if _is_positive(program, shape, signs):
            return _multiplied(facts_of(program).expand(value), Apply("/", (UNIT, shape)))
        case _:
            return None


def _is_positive(program: Program, expression: Expression, signs: Signs) -> bool:
    low = range_of(program, expression).low
    return low is not None and signs.of(low) == 1


def _multiplied(value: Expression, by: Expression) -> Expression:
    """by * value, with the factor on every part of a sum."""
    match value:
        case Apply("+" | "-" as operator, (a, b)):
            return Apply(operator, (_multiplied(a, by), _multiplied(b, by)))
        case Apply("negate", (a,)):
            return Apply("negate", (_multiplied(a, by),))
        case _:
            return Apply("*", (by, value))
