"""What is composed: pairs of laws that dominate a mechanism, for any two neighbours, and how often each is used.

Mechanisms may be chosen from earlier outputs, in any order, as long as each part is used at most `count` times: given
what was shown, one more showing adds a loss that is dominated by its part's, and what remains is a fixed collection
(Zhu, Dong & Wang 2022, Theorem 10, applied from the last showing to the first).
"""

from __future__ import annotations

from seqlang.accounting import arguments
from seqlang.accounting import renyi as curves
from seqlang.accounting.interval import interval
from seqlang.record import record


@record
class Gaussian:
    """Gaussian releases that together move by `mu` deviations: N(mu, 1) and N(0, 1)."""

    mu: float


@record
class Laplace:
    """Numbers released with Laplace noise; each moves by at most `shift` times the scale."""

    shift: float
    count: int


@record
class Pure:
    """epsilon-DP mechanisms: randomised response is the worst of them (Kairouz, Oh & Viswanath 2015)."""

    epsilon: float
    count: int


@record
class BoundedRange:
    """Exponential mechanisms: the loss stays in a known interval of length `epsilon`. Their curves are lower than those
    of pure mechanisms; no pair of laws dominates all of them, so their losses are added up as merely pure."""

    epsilon: float
    count: int


@record
class Subsampled:
    """Gaussian releases of a sum over a Poisson sample: a record is in it with chance `rate`, and is worth at most 1 in
    l2 norm; `sigma` is the deviation. `replace`: neighbours differ in one record's value, not by one record."""

    rate: float
    sigma: float
    replace: bool
    count: int


Part = Gaussian | Laplace | Pure | BoundedRange | Subsampled


def checked(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts, or ValueError for numbers out of range."""
    for part in parts:
        match part:
            case Gaussian(mu):
                arguments.positive("mu", mu)
            case Laplace(shift, count):
                arguments.positive("shift", shift)
                arguments.count("count", count)
            case Pure(epsilon, count) | BoundedRange(epsilon, count):
                arguments.positive("epsilon", epsilon)
                arguments.count("count", count)
            case Subsampled(rate, sigma, _, count):
                arguments.positive("rate", rate)
                if rate > 1:
                    raise ValueError(f"rate must be a probability above 0, got {rate}")
                arguments.positive("sigma", sigma)
                arguments.count("count", count)
    return parts


def renyi(parts: tuple[Part, ...], order: float) -> float:
    """RDP of all parts together, rounded up. Mironov 2017, Proposition 1."""
    return curves.add(_renyi(part, order) for part in parts)


def _renyi(part: Part, order: float) -> float:
    match part:
        case Gaussian(mu):
            return curves.gaussian(1.0, order, mu)
        case Laplace(shift, count):
            return (interval(curves.laplace(1.0, order, shift)) * count).high
        case Pure(epsilon, count):
            return (interval(curves.pure(epsilon, order)) * count).high
        case BoundedRange(epsilon, count):
            return (interval(curves.bounded_range(epsilon, order)) * count).high
        case Subsampled(rate, sigma, replace, count):
            from seqlang.accounting import subsampled_gaussian as subsampled

            one = (subsampled.renyi_replace if replace else subsampled.renyi)(rate, sigma, order)
            return (interval(one) * count).high
