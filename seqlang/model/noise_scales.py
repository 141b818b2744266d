"""How wide noises are, and how well the numbers that a law depends on have to be known beside that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import inf

from seqlang.arithmetic.formula import Formula
from seqlang.laws.facts import facts
from seqlang.model.constants import exactly
from seqlang.model.exact_numbers import Undecided, nearest
from seqlang.model.expression import Expression, Law, Term, Weights, WeightsOf
from seqlang.model.grids import Grids


def least_scale(grids: Grids, terms: Iterable[Term]) -> float:
    """The smallest scale of the noises with a density among the terms, times its factor; infinite where none is known,
    as for noises on points, which are compared exactly."""
    return min((scale_of(grids, grids.law_of(t.noise)) * _size(grids, t.factor) for t in terms), default=inf)


def depends_on(grids: Grids, law: Expression) -> Iterator[tuple[Expression, float | None]]:
    """(number, scale) of its weights and parameters: the error has to be small beside the scale; where that is 0,
    beside the number itself. None: it is a weight, whose error has to be small beside all weights."""
    match law:
        case Law(family, arguments):
            wide = scale_of(grids, law)
            for parameter, e in zip(facts(family).parameters, arguments, strict=False):
                if parameter.kind in ("scale", "ratio"):
                    yield e, 0.0
                elif parameter.kind in ("probability", "number"):
                    yield e, 1.0 if parameter.kind == "probability" or wide == inf else wide
        case Weights(pairs):
            yield from ((weight, None) for _, weight in pairs)
        case WeightsOf(_, weight):
            yield weight, None


def scale_of(grids: Grids, law: Expression) -> float:
    """The smallest scale of a law with a density, or of those that it is made of; infinite where none is known."""
    if not isinstance(law, Law):
        return inf
    inner = [scale_of(grids, part) for part in law.arguments if isinstance(part, Law)]
    declared = facts(law.family)
    if declared.kind == "points":
        return inf
    own = [_size(grids, e) for p, e in zip(declared.parameters, law.arguments, strict=False) if p.kind == "scale"]
    return min((*inner, *(size for size in own if size > 0)), default=inf)


def _size(grids: Grids, e: Expression) -> float:
    value = exactly(e, grids.values) if grids.is_constant(e) else None
    try:
        return abs(nearest(value)) if isinstance(value, Fraction | Formula) else inf
    except (Undecided, OverflowError):
        return inf
