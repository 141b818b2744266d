"""How wide laws are, and how well the numbers that a law depends on have to be known beside that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce

from seqlang.arithmetic.formula import Formula
from seqlang.laws.facts import facts
from seqlang.model.constants import exactly
from seqlang.model.exact_numbers import Undecided, nearest
from seqlang.model.expression import Apply, Expression, Law, Number, Sequence, Term, Weights, WeightsOf
from seqlang.model.grids import Grids
from seqlang.model.lines import ONE, ZERO, minus, plus, size_of, times

FARTHEST = 2**10
"""In scales: exp(-1024) is 0 in doubles."""


def width_of_terms(grids: Grids, terms: Iterable[Term]) -> Expression | None:
    """The width of the narrowest of these noises, times its factor; None of noises on points."""
    widths = ((width_of(grids, grids.law_of(t.noise)), _size(grids, t.factor)) for t in terms)
    found = [times(width, factor) for width, factor in widths if width is not None]
    return _least(*found) if found else None


def reach_of_terms(grids: Grids, terms: Iterable[Term]) -> Expression | None:
    """A size that the sum of these noises exceeds with a chance that is 0 in doubles; None where one of them has a law
    for which none is known. If the sum is larger, then one of the noises is more than 1024 of its scales from 0."""
    reach: Expression = ZERO
    for term in terms:
        law = grids.law_of(term.noise)
        if not (isinstance(law, Law) and facts(law.family).light_tails):
            return None
        reach = plus(reach, times(_size(grids, law.arguments[0]), _size(grids, term.factor)))
    return times(Number(Fraction(FARTHEST)), reach)


def width_of(grids: Grids, law: Expression) -> Expression | None:
    """The scale of a law with a density, or the smallest of those that it is made of, as a number above 0. None of a
    law on points, as these are compared exactly."""
    match law:
        case Law("uniform", (low, high)):
            return _size(grids, minus(high, low))
        case Law(family, arguments):
            parameters = zip(facts(family).parameters, arguments, strict=False)
            own = [_size(grids, e) for p, e in parameters if p.kind == "scale" and facts(family).kind != "points"]
            inner = [width_of(grids, part) for part in arguments if not isinstance(part, Sequence)]
            found = [*own, *(width for width in inner if width is not None)]
            return _least(*found) if found else None
    return None


def depends_on(grids: Grids, law: Expression) -> Iterator[tuple[Expression, Expression | None]]:
    """(number, width) of its weights and parameters: the error has to be small beside the width. None: beside the
    number itself."""
    match law:
        case Law(family, arguments):
            for parameter, e in zip(facts(family).parameters, arguments, strict=False):
                if parameter.kind in ("scale", "ratio"):
                    yield e, None
                elif parameter.kind in ("probability", "number"):
                    width = width_of(grids, law) if parameter.kind == "number" else None
                    yield e, at_most_1(width)
        case Weights(pairs):
            yield from ((weight, None) for _, weight in pairs)
        case WeightsOf(_, weight):
            yield weight, None


def at_most_1(width: Expression | None) -> Expression:
    """The width, or 1 if that is larger or there is none."""
    return ONE if width is None else _least(ONE, width)


def _least(*sizes: Expression) -> Expression:
    known = [size.value for size in sizes if isinstance(size, Number)]
    constants = [Number(min(known))] if known else []
    return reduce(lambda a, b: Apply("min", (a, b)), [*constants, *(s for s in sizes if not isinstance(s, Number))])


def _size(grids: Grids, e: Expression) -> Expression:
    """A number for a constant."""
    value = exactly(e, grids.values) if grids.is_constant(e) else None
    try:
        near = abs(nearest(value)) if isinstance(value, Fraction | Formula) else None
    except (Undecided, OverflowError):
        near = None
    return size_of(e) if near is None else Number(Fraction(near))
