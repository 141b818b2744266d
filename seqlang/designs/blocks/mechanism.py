"""How the sum of a block is released: the law of what is seen under a law of the entries.

A release is the sum plus noise on the whole numbers, read clamped to a range. Geometric noise is clamped to the sums
that are possible, which loses nothing: beyond both ends the likelihood ratio is constant. Gaussian noise is clamped
four standard deviations further out, where next to nothing lies."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Protocol

import numpy as np
from scipy.signal import fftconvolve, lfilter

from seqlang.accounting import discrete_gaussian
from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.entry import Array
from seqlang.designs.problem.privacy import Privacy
from seqlang.record import record

BEYOND = 4
"""Standard deviations beyond the possible sums at which a release with Gaussian noise is clamped."""
SQUARED = 10**8
"""Least denominator of a variance: standard deviations have four decimals."""


class Mechanism(Protocol):
    """`margin`: by so much the clamp lies beyond the sums that are possible. `noise` is the law of the noise as the
    language writes it, or None; `setting` names and values that it reads."""

    @property
    def margin(self) -> int: ...

    @property
    def noise(self) -> str | None: ...

    @property
    def setting(self) -> tuple[str, str] | None: ...

    def noisy(self, law: Array) -> tuple[Array, Array]:
        """For a block whose sum has this law on 0, 1, ..: the chances of the clamped release, from -margin to the
        largest sum + margin, and the masses of the release without the clamp at the same points."""
        ...


@record
class NoNoise:
    """The sum itself."""

    margin: int = 0
    noise: str | None = None
    setting: tuple[str, str] | None = None

    def noisy(self, law: Array) -> tuple[Array, Array]:
        return law, law


@record
class Geometric:
    """Noise of law P(k) proportional to ratio^|k|, ratio = exp(-eps / sensitivity)."""

    eps: Fraction
    sensitivity: int = 1

    @property
    def variance(self) -> float:
        ratio = math.exp(-float(self.eps) / self.sensitivity)
        return 2 * ratio / (1 - ratio) ** 2

    @property
    def margin(self) -> int:
        return 0

    @property
    def noise(self) -> str:
        return "geometric(exp(-eps))" if self.sensitivity == 1 else f"geometric(exp(-eps / {self.sensitivity}))"

    @property
    def setting(self) -> tuple[str, str]:
        return "eps", decimal(self.eps)

    def noisy(self, law: Array) -> tuple[Array, Array]:
        """Two one-pole filters: f[s] = b[s] + r f[s-1] and g[s] = b[s] + r g[s+1] hold the noise from below and from
        above; the ends take all that the noise moves beyond them."""
        r = math.exp(-float(self.eps) / self.sensitivity)
        below = lfilter([1.0], [1.0, -r], law)
        above = lfilter([1.0], [1.0, -r], law[::-1])[::-1]
        plain = np.asarray((1 - r) / (1 + r) * (below + above - law))
        seen = plain.copy()
        seen[0], seen[-1] = above[0] / (1 + r), below[-1] / (1 + r)
        return seen, plain


@record
class DiscreteGaussian:
    """Noise of law P(k) proportional to exp(-k^2 / (2 sd^2)) (Canonne, Kamath & Steinke 2020)."""

    sd: Fraction

    @property
    def margin(self) -> int:
        return math.ceil(BEYOND * self.sd)

    @property
    def noise(self) -> str:
        return "discrete_gaussian(sd)"

    @property
    def setting(self) -> tuple[str, str]:
        return "sd", decimal(self.sd)

    def noisy(self, law: Array) -> tuple[Array, Array]:
        sd = float(self.sd)
        reach = max(self.margin, math.ceil(12 * sd))
        masses = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sd**2))
        whole = _convolved(law, masses / masses.sum())
        cut = reach - self.margin
        plain = whole[cut : len(whole) - cut]
        seen = plain.copy()
        seen[0], seen[-1] = whole[: cut + 1].sum(), whole[len(whole) - cut - 1 :].sum()
        return seen, plain


def _convolved(first: Array, second: Array) -> Array:
    """By sums, which keep small chances exact, unless there are very many."""
    if len(first) * len(second) < 50_000_000:
        return np.convolve(first, second)
    return np.maximum(0.0, np.asarray(fftconvolve(first, second)))


def mechanism_for(privacy: Privacy, sensitivity: int) -> Mechanism:
    """The noise that gives a release of that sensitivity the privacy asked for."""
    match privacy.notion:
        case "none":
            return NoNoise()
        case "pure":
            return Geometric(privacy.arguments[0], sensitivity)
        case "zcdp":  # Canonne, Kamath & Steinke 2020, Theorem 4: rho = 1 / (2 sd^2)
            return _gaussian(privacy.arguments[0], sensitivity)
        case "rdp":  # at order a the loss is a rho
            order, eps = privacy.arguments
            return _gaussian(eps / order, sensitivity)
        case "dp":
            loss, delta = privacy.arguments
            pure = Geometric(loss, sensitivity)  # of (eps, 0), which is more than asked for
            close = _approximate(float(loss), float(delta), sensitivity)
            return pure if pure.variance <= close.sd**2 else close


def _gaussian(rho: Fraction, sensitivity: int) -> DiscreteGaussian:
    """The least standard deviation of four decimals with sensitivity^2 / (2 sd^2) <= rho."""
    wanted = Fraction(sensitivity**2) / (2 * rho)
    root = math.isqrt(math.ceil(wanted * SQUARED))
    while Fraction(root**2, SQUARED) < wanted:
        root += 1
    return DiscreteGaussian(Fraction(root, math.isqrt(SQUARED)))


def _approximate(eps: float, delta: float, sensitivity: int) -> DiscreteGaussian:
    """The least standard deviation of four decimals that gives (eps, delta) by the exact formula; where that is too
    long, by zCDP."""
    safe = _gaussian(Fraction(concentrated_for(eps, delta)), sensitivity)
    if safe.sd > discrete_gaussian.WIDEST or sensitivity > discrete_gaussian.WIDEST:
        return safe
    unit = math.isqrt(SQUARED)
    low, high = 0, int(safe.sd * unit)
    while high - low > 1:
        middle = (low + high) // 2
        enough = discrete_gaussian.epsilon(delta, Fraction(middle, unit), sensitivity) <= eps
        low, high = (low, middle) if enough else (middle, high)
    return DiscreteGaussian(Fraction(high, unit))


def concentrated_for(eps: float, delta: float) -> float:
    """The largest rho for which rho-zCDP gives (eps, delta): the least over orders a of
    a rho + log(1 - 1/a) - log(a delta) / (a - 1) is eps (Canonne, Kamath & Steinke 2020, Corollary 13)."""
    orders = 1 + np.geomspace(1e-3, 1e5, 4000)
    return float(((eps - np.log1p(-1 / orders) + np.log(orders * delta) / (orders - 1)) / orders).max())
