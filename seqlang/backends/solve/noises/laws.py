"""The scalar laws of a program's noises, and the laws of sums of them.

For others: `noise_laws(program)` (name -> law) and `law_of(value)` make a `ScalarLaw` (see `scalar_law.py` for what it
offers: above, below, between, density, quantile, effective_support, atoms, scaled, support, kinks, scale);
`sum_of([(law, factor), ..])` is the law of the independent sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from seqlang.backends.solve.noises.family_laws import Normal, OfFamily, OnWholeNumbers, laplace, listed
from seqlang.backends.solve.noises.point_laws import (
    TAIL,
    Points,
    conditioned_points,
    listed_points,
    sum_of_points,
    weighted,
)
from seqlang.backends.solve.noises.scalar_law import FAINT, ScalarLaw
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.laws.facts import names
from seqlang.laws.law import law as law_of_family
from seqlang.model import program as p


def noise_laws(program: p.Program) -> dict[str, ScalarLaw]:
    """The laws of the noises that are scalar; flips, trees, vectors and laws that read the data are left out."""
    from seqlang.backends.transcript.plain_values import PlainWriter
    from seqlang.backends.transcript.unsupported import Unsupported

    plain = PlainWriter(program)
    found: dict[str, ScalarLaw] = {}
    for noise in program.noises:
        try:
            made = law_of(plain.value(noise.law))
        except (Unsupported, ArithmeticError, ValueError, NameError, TypeError):
            continue
        if made is not None:
            found[noise.name] = made
    return found


def law_of(value: Any) -> ScalarLaw | None:
    """The law of an evaluated `Law` expression: (family, argument, ..) or ("weights", ((value, weight), ..)).

    None where it is not a scalar law that is treated here; Unsolved where a condition has no chance.
    """
    match value:
        case ("l2_laplace", b) | ("l2_laplace", b, 1):
            return laplace(float(b))
        case ("gaussian", sd):
            return _normal(0.0, float(sd))
        case ("normal", mean, sd) if not isinstance(mean, tuple):
            return _normal(float(mean), float(sd))
        case ("uniform", low, high) if not high > low:
            return Points([float(low)], [1.0])
        case ("conditioned", inner, low, high):
            return _conditioned(law_of(inner), float(low), float(high))
        case ("convolve", first, second):
            one, two = law_of(first), law_of(second)
            return None if one is None or two is None else sum_of([(one, 1.0), (two, 1.0)])
        case ("point" | "uniform" | "weights", inner):
            return _listed(value[0], inner)
        case (family, *arguments) if family in names() and not any(isinstance(a, tuple) for a in arguments):
            return _of_family(family, [float(a) for a in arguments])
        case _:
            return None


def _of_family(family: str, arguments: Sequence[float]) -> ScalarLaw | None:
    found = law_of_family(family)
    if found.facts.kind != "points":
        return None if found.arrays.tails is None else OfFamily(found, *arguments)
    if found.arrays.atoms is None:
        return None
    if found.facts.support == "whole numbers" and found.arrays.tails is not None and arguments[0] > 0:
        return OnWholeNumbers(found, *arguments)
    points, chances = listed(found, 0.0, *arguments)
    return Points(points, chances, FAINT if found.facts.underflows else 0.0, listed=True)


def _normal(mean: float, sd: float) -> ScalarLaw:
    return Normal(mean, sd) if sd > 0 else Points([mean], [1.0])


def _listed(family: str, inner: Any) -> ScalarLaw | None:
    """A law on listed values, if they are numbers."""
    pairs = [(inner, 1)] if family == "point" else inner if family == "weights" else [(v, 1) for v in inner]
    if not all(isinstance(v, (int, float, np.number)) for v, _ in pairs):
        return None
    return weighted(pairs)


def _conditioned(inner: ScalarLaw | None, low: float, high: float) -> ScalarLaw | None:
    if inner is None:
        return None
    if not float(inner.between(low, high)) > 1e-290:
        raise Unsolved(f"a noise is conditioned on [{low:g}, {high:g}], which has no chance")
    if inner.discrete:
        return conditioned_points(inner, low, high)
    from seqlang.backends.solve.noises.sums import Conditioned

    return Conditioned(inner, low, high)


def sum_of(terms: Sequence[tuple[ScalarLaw, float]]) -> ScalarLaw:
    """The law of the sum of factor * noise over independent noises."""
    parts = [law.scaled(factor) for law, factor in terms if factor != 0]
    shift = sd = 0.0
    discrete: ScalarLaw | None = None
    scales: list[float] = []
    others: list[ScalarLaw] = []
    for part in parts:
        match part:
            case Normal():
                sd = math.hypot(sd, part.sd)
                shift += part.mean
            case OfFamily(name="laplace", arguments=(scale,)):
                scales.append(scale)
            case _ if part.discrete:
                discrete = part if discrete is None else sum_of_points(discrete, part)
            case _:
                others.append(part)
    dense = _closed(sd, sorted(scales), others)
    while len(dense) > 1:
        from seqlang.backends.solve.noises.convolution import Convolved

        dense = [Convolved(dense[0], dense[1]), *dense[2:]]
    if not dense:
        return discrete.scaled(1.0, shift) if discrete is not None else Points([shift], [1.0])
    smooth = dense[0].scaled(1.0, shift) if shift else dense[0]
    if discrete is None:
        return smooth
    points, chances, cut = listed_points(discrete, TAIL)
    if len(points) == 1:
        return smooth.scaled(1.0, float(points[0]))
    from seqlang.backends.solve.noises.convolution import Smeared

    return Smeared(smooth, points, chances, cut)


def _closed(sd: float, scales: list[float], others: list[ScalarLaw]) -> list[ScalarLaw]:
    """Few laws with the same sum: Gaussian and Laplace noises in pairs that have a closed form."""
    if not scales:
        return [*([Normal(0.0, sd)] if sd > 0 else []), *others]
    from seqlang.backends.solve.noises.sums import GaussLaplace, TwoLaplace

    found: list[ScalarLaw] = [GaussLaplace(sd, scales.pop())] if sd > 0 else []
    while len(scales) > 1:
        found.append(TwoLaplace(scales.pop(), scales.pop()))
    return found + [laplace(b) for b in scales] + others
