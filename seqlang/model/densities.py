"""How well doubles compute the densities and masses of a law."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from seqlang.arithmetic.formula import Formula
from seqlang.laws.facts import facts
from seqlang.model.constants import exactly
from seqlang.model.exact_numbers import Undecided, nearest
from seqlang.model.expression import Density, Expression, Law, Number, Sequence, Weights, WeightsOf, walk
from seqlang.model.grids import Grids, is_dyadic
from seqlang.model.growths import Growths
from seqlang.model.lines import plus, size_of, times
from seqlang.model.noise_scales import scale_of

FEW = 2.0**8
"""Units of 2^-50: the relative error where the parameters have none. tests/laws compares masses with exact ones."""
OF_CONDITIONED = 2.0**13
"""Units more where a law is divided by a chance, which is at least 2^-10 (`LEAST_INSIDE`) and off by 2^-47."""
STEEPEST = 100.0
"""Units for each scale by which a place is off times 2^53: the logarithm of a density that is no 0 changes by at most
40 a scale, that of gumbel's by 745."""
ON_POINTS = 100.0
"""By how much the relative error of a ratio or a mean counts more in a mass that is no 0, than in a density."""
MANY = 2.0**20
"""Units, about 1e-9: constants that make the error larger are not treated."""


def relative_error(law: Expression, growths: Growths, at: Expression) -> Expression | None:
    """Of its density, mass or chance at a number at most, in units of 2^-50, as an expression that a run computes; None
    where no bound is known, or constants make it larger than 1e-9.

    A parameter that is off by its last digit moves them by that times its size, over its distance from 0 and 1. (Masses
    that are no float are 0, so a score such as (x - mean) / scale is at most 40.) Parameters that change have to be on
    a grid."""
    fixed, changing = FEW, list[Expression]()
    if any(isinstance(part, Law) and part.family == "conditioned" for part in walk(law)):
        fixed += OF_CONDITIONED
    places = _of_places(law, growths, at)
    if places is None:
        return None
    fixed += places[0]
    changing += places[1]
    for weight in _weights(law):
        if growths.grids.is_constant(weight) or growths.grids.of(weight).denominator is not None:
            fixed += 1.0
            continue
        on_grid = isinstance(weight, Density) and growths.grids.of(weight.at).denominator is not None
        found = relative_error(weight.law, growths, weight.at) if isinstance(weight, Density) and on_grid else None
        if found is None:
            return None
        changing.append(found)
    for parameter in _parameters(law):
        if growths.grids.is_constant(parameter):
            value = _constant(parameter, growths.grids)
            if value is None:
                return None
            fixed += _off(value) * (1.0 if isinstance(law, Law) and facts(law.family).kind == "density" else ON_POINTS)
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


def _of_places(law: Expression, growths: Growths, at: Expression) -> tuple[float, list[Expression]] | None:
    """What the rounding of the number, of locations and of ends adds, as a number and as expressions: each is off by
    2^-53 of its size, and where the law has a scale, that moves the logarithm of a density by at most STEEPEST times as
    many scales. None where no bound is known, as for `uniform(low, high)` beside its end."""
    parts = [part for part in (at, *_locations(law)) if not _is_double(part, growths)]
    if (
        not parts
        or (isinstance(law, Law) and facts(law.family).kind == "points")
        or isinstance(law, Weights | WeightsOf)
    ):
        return 0.0, []
    scale = scale_of(growths.grids, law)
    if scale == inf:
        from_0 = isinstance(law, Law) and law.family == "uniform" and growths.grids.of(law.arguments[0]).value == 0
        return (0.0, []) if from_0 else None
    fixed, changing = 0.0, list[Expression]()
    for part in (at, *_locations(law)):
        size = growths.of(part).size
        if size.known() and not size.degree and not size.plus:
            fixed += STEEPEST * size.factor / scale
        else:
            changing.append(times(Number(Fraction(STEEPEST / scale)), size_of(part)))
    return fixed, changing


def _is_double(e: Expression, growths: Growths) -> bool:
    """Whether the number is a double: data as they are read, and small multiples of a power of 2."""
    grid = growths.grids.of(e)
    if not grid.exact:
        return True
    by = grid.denominator
    return by is not None and is_dyadic(by) and growths.last_step(e, 1 / (4 * by)) > 0


def _locations(law: Expression) -> Iterator[Expression]:
    """The numbers that are compared with the place at which a density is asked for."""
    match law:
        case Law(family, arguments):
            for parameter, argument in zip(facts(family).parameters, arguments, strict=False):
                if isinstance(argument, Law | Weights | WeightsOf):
                    yield from _locations(argument)
                elif parameter.kind == "number":
                    yield argument
        case Weights(pairs):
            yield from (value for value, _ in pairs)
        case WeightsOf(value):
            yield value


def is_precise(law: Expression, growths: Growths, at: Expression, most: float) -> bool:
    """Whether that is at most so many units in every run."""
    return _fixed(relative_error(law, growths, at)) <= most


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
