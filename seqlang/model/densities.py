"""How well doubles compute the densities and masses of a law."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf, sqrt

from seqlang.arithmetic.formula import Formula
from seqlang.laws.facts import facts
from seqlang.model.constants import exactly
from seqlang.model.exact_numbers import Undecided, nearest
from seqlang.model.expression import Apply, Density, Expression, Law, Number, Sequence, Weights, WeightsOf, walk
from seqlang.model.grids import Grids, finest, is_dyadic
from seqlang.model.growths import Growths
from seqlang.model.lines import ZERO, plus, size_of, times
from seqlang.model.noise_scales import width_of

FEW, FEW_ON_POINTS = 2.0**8, 2.0**10
"""Units of 2^-50: the relative error of densities, and of masses, where the parameters have none. tests/laws compares
masses with exact ones. What the rounding of a place adds is counted apart, see `_of_scales`: of 30,000 places the
largest errors were 389 (normal) and 719 (gumbel), all far from the location."""
FARTHEST = 40.0
"""Scales: farther away the densities that change steeply there are 0 as floats."""
OF_CONDITIONED = 2.0**13
"""Units more where a law is divided by a chance, which is at least 2^-10 (`LEAST_INSIDE`) and off by 2^-47."""
BY_ROOT = 5.0
"""Units times the square root of a number or mean: a mass that is no 0 is at most 38 standard deviations away, and by
that distance the last digit of a mean counts."""
ON_POINTS = 100.0
"""By how much the relative error of a ratio or a mean counts more in a mass that is no 0, than in a density."""
MANY = 2.0**20
"""Units, about 1e-9: constants that make the error larger are not treated."""


Errors = Callable[[Expression], Expression]
"""How far a number is off, in units of 2^-50, as an expression that a run computes."""


def relative_error(e: Density, growths: Growths, error: Errors) -> Expression | None:
    """Of a density, mass or chance at most, in units of 2^-50, as an expression that a run computes; None where no
    bound is known, or constants make it larger than 1e-9.

    A parameter that is off by its last digit moves them by that times its size, over its distance from 0 and 1. (Masses
    that are no float are 0, so a score such as (x - mean) / scale is at most 40.) Parameters that change have to be on
    a grid."""
    law = e.law
    is_density = isinstance(law, Law) and facts(law.family).kind == "density"
    fixed, changing = FEW if is_density else FEW_ON_POINTS, list[Expression]()
    if is_density:
        fixed += _of_scales(e, growths)
    if _is_conditioned(law):
        fixed += OF_CONDITIONED
    places = error_of_places(e, growths, error)
    if places is None:
        return None
    if isinstance(places, Number):
        fixed += float(places.value)
    else:
        changing.append(places)
    for weight in _weights(law):
        if growths.grids.is_constant(weight) or growths.grids.of(weight).denominator is not None:
            fixed += 1.0
            continue
        found = relative_error(weight, growths, error) if isinstance(weight, Density) else None
        if found is None:
            return None
        changing.append(found)
    for parameter in _parameters(law):
        if growths.grids.is_constant(parameter):
            value = _constant(parameter, growths.grids)
            if value is None:
                return None
            fixed += _off(value) if is_density else _off(value) * ON_POINTS + BY_ROOT * sqrt(abs(value))
            continue
        by = growths.grids.of(parameter).denominator
        if by is None:
            return None
        if not is_dyadic(by):
            more = 1 if is_density else Fraction(ON_POINTS)
            changing.append(times(Number(Fraction(by) * more), size_of(parameter)))
        if not is_density:
            changing.append(times(Number(Fraction(BY_ROOT)), Apply("sqrt", (size_of(parameter),))))
    total: Expression = Number(Fraction(fixed))
    for part in changing:
        total = plus(total, part)
    return total if fixed <= MANY else None


def _of_scales(e: Density, growths: Growths) -> float:
    """Units that the number of scales from the location to the place adds: it is rounded a few times, which moves the
    logarithm of the density by `steepest` of the law times that."""
    width, places = width_of(growths.grids, e.law), (e.at, *_locations(e.law))
    many = FARTHEST
    if isinstance(width, Number) and width.value and all(growths.grids.of(place).exact for place in places):
        sizes = [growths.of(place).size for place in places]
        if not any(size.degree or size.plus for size in sizes):
            many = min(FARTHEST, sum(size.factor for size in sizes) / float(width.value))
    laws = [part for part in walk(e.law) if isinstance(part, Law) and _has_density(part)]
    return max((facts(law.family).steepest or 0 for law in laws), default=0) * many / 4


def is_absolute(e: Density) -> bool:
    """Whether the error is such a part of 1, and not of the number: a chance below a place of a conditioned law is the
    difference of two chances."""
    return e.method == "cdf" and _is_conditioned(e.law)


def _is_conditioned(law: Expression) -> bool:
    return any(isinstance(part, Law) and part.family == "conditioned" for part in walk(law))


def error_of_places(e: Density, growths: Growths, error: Errors) -> Expression | None:
    """What the errors of the number, of locations and of ends add. The number of scales by which the place is off,
    times `steepest` of the law, is what the logarithm of a density or chance is off. None where no bound is known."""
    grids, law = growths.grids, e.law
    width = width_of(grids, law)
    if width is None or not _has_density(law):
        return ZERO  # equal numbers have equal doubles there, see `jumps.py`
    families = [facts(part.family) for part in walk(law) if isinstance(part, Law) and _has_density(part)]
    places = (e.at, *_locations(law))
    if any(family.has_jumps and family.steepest is None for family in families):
        return None  # it jumps at places that doubles compute
    off: Expression = ZERO
    for place in places:
        off = off if _is_double(place, growths) else plus(off, error(place))
    if off == ZERO:
        return ZERO
    by = finest(*map(grids.of, places))
    slopes = [family.steepest for family in families if family.steepest is not None]
    if len(slopes) < len(families):
        return None
    by_width = times(off, _over(Number(Fraction(max(slopes))), width))
    if not any(family.has_jumps for family in families):
        return by_width
    if by is None or any(family.parameters[-1].kind == "law" for family in families):
        return None
    # a place on a grid is at least 1 / by from an end, or there; a chance rises no faster than in proportion to that
    return by_width if e.method == "pdf" else plus(by_width, times(off, Number(Fraction(2 * by))))


def _is_double(e: Expression, growths: Growths) -> bool:
    """Whether the number is a double: data as they are read, and small multiples of a power of 2."""
    grid = growths.grids.of(e)
    if not grid.exact:
        return True
    by = grid.denominator
    return by is not None and is_dyadic(by) and growths.last_step(e, 1 / (4 * by)) > 0


def _over(a: Number, width: Expression) -> Expression:
    return Number(a.value / width.value) if isinstance(width, Number) and width.value else Apply("/", (a, width))


def _has_density(law: Expression) -> bool:
    """Whether it is a law with a density, or holds one."""
    match law:
        case Law(family, arguments):
            parts = [part for part in arguments if isinstance(part, Law | Weights | WeightsOf)]
            if parts or facts(family).support == "listed":
                return any(map(_has_density, parts))
            return facts(family).kind != "points" and not any(isinstance(part, Sequence) for part in arguments)
    return False


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
