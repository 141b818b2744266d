"""zCDP of one- and two-sided tests: their RDP curve lies below a line through 0."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from seqlang.accounting import concentrated, curves
from seqlang.arithmetic.formula import INFINITY, ORDER, ZERO, Formula, logarithm, number, of_float
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, RenyiBound
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.computed import Computed, bound_up, from_the_program
from seqlang.rules.search import Search
from seqlang.rules.stopping import gaussian_two_ends
from seqlang.rules.stopping.directions import directions_of, worst
from seqlang.rules.stopping.ends import End, Source, candidates, ends_of

ORDERS = (1.05, 1.125, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0)
"""Where the RDP bounds may be taken; a smaller rho would come of more of them."""
TAKEN = tuple(ORDERS.index(order) for order in (1.05, 2.0, 4.0, 8.0, 16.0, 32.0))
"""Which of them are always taken; the others, where the chord between two of these is what keeps rho from less."""


def bound(program: Program, gates: tuple[str, ...], horizon: int | None) -> float | str:
    """rho of the gates together within `horizon` steps (None: any number), rounded up; or why there is none."""
    curve = gaussian_two_ends.bound(program, gates, horizon)
    if isinstance(curve, str):
        return curve
    points: dict[int, tuple[float, float]] = {}
    for i in TAKEN:
        points[i] = ORDERS[i], _at(program, curve, ORDERS[i])
    ends = ends_of(program, gates)
    directions = "" if isinstance(ends, str) else directions_of(program, ends)
    if isinstance(ends, str) or isinstance(directions, str):
        return "its RDP bound was for other gates"
    pairs = list(zip(ends, directions.radii, strict=True))
    up = [_beyond(end.threshold, radius, 1) for end, radius in pairs]
    down = [_beyond(end.look, radius, horizon) for end, radius in pairs]
    rho = concentrated.between_orders([points[0]], value_up(program, worst(directions, up, down)))
    open_pairs = list(pairwise(TAKEN))
    while open_pairs:
        i, j = open_pairs.pop()
        if concentrated.between(points[i], points[j], concentrated.FEW) <= rho:
            continue
        most = concentrated.between(points[i], points[j])
        if most <= rho or j == i + 1:
            rho = max(rho, most)
            continue
        middle = j - 1  # bounds at low orders take the longest to compute
        points[middle] = ORDERS[middle], _at(program, curve, ORDERS[middle])
        open_pairs += [(i, middle), (middle, j)]
    return rho


def _at(program: Program, curve: Formula, order: float) -> float:
    return bound_up(program, RenyiBound((), Fraction(order), curve, None))


def _beyond(source: Source, radius: Formula, looks: int | None) -> Formula:
    """An end's share of epsilon / order from the last of `ORDERS` on; m = radius / sd.

    The Renyi integral of a Gaussian threshold is at most 1 + e^(a(a-1) m^2/2), of which the logarithm is at most log 2
    more than the exponent; that of n Gaussian looks at most 1 + n e^(a(a-1) m^2/2). All else is pure.
    """
    if radius == ZERO:
        return ZERO
    moved, last = radius / source.scale, number(Fraction(ORDERS[-1]))
    if source.family != "gaussian":
        return moved / last
    return INFINITY if looks is None else moved**2 / 2 + logarithm(number(looks + 1)) / (last * (last - 1))


def _short(rho: float) -> Fraction:
    """Six digits, rounded up, as people read it."""
    digits = 6 - math.ceil(math.log10(rho)) if rho > 0 else 0
    scale = Fraction(10) ** digits
    return math.ceil(Fraction(rho) * scale) / scale


def _has_gaussian_noise(end: End) -> bool:
    return "gaussian" in (end.threshold.family, end.look.family)


def _least(program: Program, asked: ConcentratedBound, _: Derivation) -> Formula | str:
    rho = bound(program, asked.gates, asked.horizon)
    return rho if isinstance(rho, str) else of_float(rho) if rho < math.inf else "no finite rho"


def _symbolic(program: Program, step: Derivation) -> Formula | None:
    asked = step.conclusion
    assert isinstance(asked, ConcentratedBound)
    curve = gaussian_two_ends.bound(program, asked.gates, asked.horizon)
    return None if isinstance(curve, str) else curves.shown("max_over_alpha", curve / ORDER)


STATEMENT = """
    gates as in stopping/gaussian_two_ends, (a, e(a))-RDP at orders a_1 < .. < a_m;   e(a) <= rho a for a >= a_m
    e(a_1) <= rho;   between a_i and a_(i+1) the chord of (a - 1) e(a) lies below rho a (a - 1)
    --------------------------------------------------------------------------------------------------------------
                                    the gates together are rho-zCDP

(a - 1) times a Renyi divergence is convex in the order, and the divergence does not fall with it. From the last order
on, e(a)/a is at most the sum of m^2/2 + log(n + 1)/(a_m (a_m - 1)) over the ends, m the radius over the deviation, n
the number of looks (threshold noise: 1); for Laplace and exponential noise m/a_m.
"""

RULE = Computed(
    "stopping/concentrated",
    "zCDP of noisy tests",
    STATEMENT,
    "Theorems G2 and G3 (seqlang, accounting/noisy_test); van Erven & Harremoes 2014, Corollary 2",
    ConcentratedBound,
    from_the_program,
    _least,
    symbolic=_symbolic,
).rule


def suggest(program: Program, horizon: int | None) -> Derivation | None:
    """A ConcentratedBound for all comparisons that are ends with noises of their own, one of them Gaussian."""
    gates = candidates(program)
    ends = ends_of(program, gates)
    if isinstance(ends, str) or not any(_has_gaussian_noise(end) for end in ends):
        return None  # a pure bound says more
    for valid_for in dict.fromkeys((None, horizon)):
        rho = bound(program, gates, valid_for)
        if not isinstance(rho, str) and rho < math.inf:
            because = f"its RDP bounds at orders {ORDERS[0]:g} to {ORDERS[-1]:g}, and beyond, lie below {rho:.6g} order"
            conclusion = ConcentratedBound(gates, number(_short(rho)), valid_for)
            return Derivation(conclusion, RULE.name, because=because, cite=RULE.cite)
    return None


SEARCH = Search(RULE.name, ("horizon",), suggest)
