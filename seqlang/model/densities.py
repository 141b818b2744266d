"""How well doubles compute the densities and masses of a law."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from seqlang.arithmetic.formula import Formula
from seqlang.model.constants import exactly
from seqlang.model.exact_numbers import Undecided, nearest
from seqlang.model.expression import Density, Expression, Law, Number, Sequence, Weights, WeightsOf, walk
from seqlang.model.grids import Grids, is_dyadic
from seqlang.model.growths import Growths
from seqlang.model.lines import plus, size_of, times

FEW = 2.0**8
"""Units of 2^-50: the relative error where the parameters have none. tests/laws compares masses with exact ones."""
OF_CONDITIONED = 2.0**13
"""Units more where a law is divided by a chance, which is at least 2^-10 (`LEAST_INSIDE`) and off by 2^-47."""
MANY = 2.0**20
"""Units, about 1e-9: constants that make the error larger are not treated."""


def relative_error(law: Expression, growths: Growths) -> Expression | None:
    """Of its densities and masses at most, in units of 2^-50, as an expression that a run computes; None where no bound
    is known, or constants make it larger than 1e-9.

    A parameter that is off by its last digit moves them by that times its size, over its distance from 0 and 1. (Masses
    that are no float are 0, so a score such as (x - mean) / scale is at most 40.) Parameters that change have to be on
    a grid."""
    fixed, changing = FEW, list[Expression]()
    if any(isinstance(part, Law) and part.family == "conditioned" for part in walk(law)):
        fixed += OF_CONDITIONED
    for weight in _weights(law):
        if growths.grids.is_constant(weight) or growths.grids.of(weight).denominator is not None:
            fixed += 1.0
            continue
        on_grid = isinstance(weight, Density) and growths.grids.of(weight.at).denominator is not None
        found = relative_error(weight.law, growths) if isinstance(weight, Density) and on_grid else None
        if found is None:
            return None
        changing.append(found)
    for parameter in _parameters(law):
        if growths.grids.is_constant(parameter):
            value = _constant(parameter, growths.grids)
            if value is None:
                return None
            fixed += _off(value)
            continue
        by = growths.grids.of(parameter).denominator
        if by is None:
            return None
        if not is_dyadic(by):
            changing.append(times(Number(Fraction(by)), size_of(parameter)))
    total: Expression = Number(Fraction(fixed))
    for part in changing:
        total = plus(total, part)
    return total if fixed <= MANY else None


def is_precise(law: Expression, growths: Growths, most: float) -> bool:
    """Whether that is at most so many units in every run."""
    return _fixed(relative_error(law, growths)) <= most


def has_constants(law: Expression, grids: Grids) -> bool:
    """Whether all its parameters are constants."""
    return all(map(grids.is_constant, _parameters(law)))


def _fixed(error: Expression | None) -> float:
    return float(error.value) if isinstance(error, Number) else inf


def _off(value: Fraction) -> float:
    if is_dyadic(value.denominator):
        return 0.0
    away = min(1.0, *(abs(float(d)) for d in (value, 1 - value)))
    return max(1.0, abs(float(value))) / away if away > 0 else inf


def _constant(parameter: Expression, grids: Grids) -> Fraction | None:
    """The value, or one that is next to it."""
    found = exactly(parameter, grids.values)
    if isinstance(found, Fraction):
        return found
    try:
        near = Fraction(nearest(found)) if isinstance(found, Formula) else None
    except (Undecided, OverflowError):
        return None
    return None if near is None else near + Fraction(1, 3 * 2**60)  # not the double itself


def _parameters(law: Expression) -> Iterator[Expression]:
    """The numbers on which the chances of a law depend; a law that holds others depends on theirs."""
    match law:
        case Law(_, arguments):
            for argument in arguments:
                if isinstance(argument, Law | Weights | WeightsOf):
                    yield from _parameters(argument)
                elif not isinstance(argument, Sequence):
                    yield argument
        case Weights() | WeightsOf():
            return
        case _:
            yield law


def _weights(law: Expression) -> Iterator[Expression]:
    """The weights of values that are listed. Masses are sums of products of them: they are off by their relative error,
    however small a weight is."""
    match law:
        case Law(_, arguments):
            for argument in arguments:
                yield from _weights(argument)
        case Weights(pairs):
            yield from (weight for _, weight in pairs)
        case WeightsOf(_, weight):
            yield weight
