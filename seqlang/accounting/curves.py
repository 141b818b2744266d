"""Renyi curves as formulas in the order: what each kind of release loses at the order ORDER, in nats.

The closed forms are those of `renyi`, written so that nothing overflows where the parameters are large. Functions
without one are named: their values are the numbers, rounded up, of the function that is named beside them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from seqlang.arithmetic.formula import DELTA, ONE, ORDER, ZERO, Formula, Named, exponential, logarithm, number

Span = tuple[float, float]
AFTER = ORDER - 1
TWICE = 2 * ORDER - 1


def gaussian(moved: Formula) -> Formula:
    """Moved by so many deviations: a m^2/2. Mironov 2017, Proposition 7."""
    return ORDER * moved**2 / 2


def laplace(moved: Formula) -> Formula:
    """Moved by t scales: log[a/(2a-1) e^((a-1) t) + (a-1)/(2a-1) e^(-a t)] / (a-1). Mironov 2017, Proposition 6."""
    return moved + logarithm((ORDER + AFTER * exponential(-TWICE * moved)) / TWICE) / AFTER


def pure(epsilon: Formula) -> Formula:
    """The largest divergence that epsilon-DP allows, that of randomised response: see `renyi.pure`."""
    return epsilon + logarithm((1 + exponential(-TWICE * epsilon)) / (1 + exponential(-epsilon))) / AFTER


def bounded_range(epsilon: Formula) -> Formula:
    """Of an exponential mechanism: see `renyi.bounded_range`; here with u = 1 - e^(-a eps), v = 1 - e^(-(a-1) eps),
    w = 1 - e^(-eps): eps + log[(a-1) u/(a v)] + log[u/(a w)]/(a-1)."""
    u, v, w = (1 - exponential(-part * epsilon) for part in (ORDER, AFTER, ONE))
    return epsilon + logarithm(AFTER * u / (ORDER * v)) + logarithm(u / (ORDER * w)) / AFTER


def subsampled(rate: Formula, deviation: Formula, replace: bool) -> Formula:
    """One release of a sum over a Poisson sample, a record's part at most 1 in the l2 norm, with Gaussian noise."""
    return named("subsampled_gaussian_replace_rdp" if replace else "subsampled_gaussian_rdp", rate, deviation, ORDER)


def threshold(moved: Formula, surcharge: Formula = ZERO) -> Formula:
    """A noisy test whose threshold noise is Gaussian and moves by so many deviations against the value, where all else
    costs the surcharge: `noisy_test.threshold`, Theorem G2."""
    return named("gaussian_threshold_rdp", moved, surcharge, ORDER)


def looks(moved: Formula, count: int) -> Formula:
    """So many Gaussian looks, each moving by so many deviations, of which one stops the test, Theorem G3."""
    return named("gaussian_looks_rdp", moved, number(count), ORDER)


def any_look(moved: Formula, count: int) -> Formula:
    """log(1 + N e^((a-1) v))/(a-1), v = a m^2/2: `noisy_test.shared`, what stops at one of N Gaussian looks add."""
    one = AFTER * gaussian(moved)
    return (one + logarithm(count + exponential(-one))) / AFTER


def places(count: int, most: int) -> Formula:
    """log of the number of ways in which at most `most` of so many looks report."""
    return logarithm(number(count + 1)) if most == 1 else named("log_subsets", number(count), number(most))


def converted(curve: Formula) -> Formula:
    """The (epsilon, delta) bound at the order, over ORDER and DELTA: Canonne, Kamath & Steinke 2020, Proposition 12."""
    return curve + logarithm(1 - 1 / ORDER) - logarithm(ORDER * DELTA) / AFTER


def at_delta(curve: Formula) -> Formula:
    """The same at the best order, over DELTA. For reports: the minimum has a name, and no number."""
    return shown("min_over_alpha", converted(curve))


def shown(name: str, *arguments: Formula) -> Formula:
    """A function that reports name; it is bounded by nothing, so that nothing can be proved by it."""
    return Named(name, arguments, lambda *_: math.inf)


def named(name: str, *arguments: Formula) -> Formula:
    """The function of that name, one of NAMED. Errors: KeyError for another name, ValueError for a wrong number of
    arguments."""
    count, upper = NAMED[name]
    if len(arguments) != count:
        raise ValueError(f"{name} has {count} arguments, got {len(arguments)}")
    return Named(name, arguments, upper)


def _subsampled_above(replace: bool) -> Callable[[Span, Span, Span], float]:
    """A larger chance, a smaller deviation and a higher order lose more."""

    def above(rate: Span, deviation: Span, order: Span) -> float:
        from seqlang.accounting import subsampled_gaussian

        curve = subsampled_gaussian.renyi_replace if replace else subsampled_gaussian.renyi
        if not (0 < rate[1] <= 1 and deviation[0] > 0 and 1 < order[1] < math.inf):
            return math.inf
        return curve(rate[1], deviation[0], order[1])

    return above


def _threshold_above(moved: Span, surcharge: Span, order: Span) -> float:
    """A longer move, a larger surcharge and a higher order lose more; so for looks."""
    from seqlang.accounting.noisy_test import mixed

    if not (0 <= moved[1] < math.inf and 0 <= surcharge[1] < math.inf and 1 < order[1] < math.inf):
        return math.inf
    return surcharge[1] if moved[1] == 0 else mixed.two_ends_renyi(order[1], moved[1], surcharge[1])


def _looks_above(moved: Span, count: Span, order: Span) -> float:
    from seqlang.accounting.noisy_test import looks as of_looks

    if moved[1] == 0:
        return 0.0
    inside = 0 < moved[1] < math.inf and 1 < order[1] < math.inf
    return of_looks.renyi(order[1], moved[1], math.ceil(count[1])) if inside else math.inf


def _subsets_above(count: Span, most: Span) -> float:
    from seqlang.accounting.factorial import log_subsets

    return log_subsets(round(count[1]), round(most[1]))


NAMED: dict[str, tuple[int, Callable[..., float]]] = {
    "subsampled_gaussian_rdp": (3, _subsampled_above(False)),
    "subsampled_gaussian_replace_rdp": (3, _subsampled_above(True)),
    "gaussian_threshold_rdp": (3, _threshold_above),
    "gaussian_looks_rdp": (3, _looks_above),
    "log_subsets": (2, _subsets_above),
}
"""Every named function: how many arguments it has, and its values from above."""
