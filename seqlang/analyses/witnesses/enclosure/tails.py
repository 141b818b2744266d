"""Upper tails log P(W >= e) of a noise, with a bound on their rounding, and a bound on their analytic continuation.

Both families are symmetric around 0, so that a lower tail is an upper one. On either side of its kink at e = 0 the tail
of Laplace noise is an entire function of e, that of Gaussian noise is everywhere.
"""

from __future__ import annotations

from math import erfc, exp, expm1, inf, log, log1p, pi, sqrt

from seqlang.record import record

ROUNDING = 2.0**-50
"""Relative, of a few operations and of one call of exp, log or erfc: 8 units in the last place."""

LOG_HALF = -log(2)
FARTHEST = 25.0  # standard deviations from which on Mills' ratio takes the place of erfc
ROOT = sqrt(2)


@record
class Tail:
    """Laplace noise of scale `unit`, or Gaussian noise of that standard deviation."""

    family: str
    unit: float

    @property
    def kinked(self) -> bool:
        return self.family == "laplace"

    def log_above(self, e: float) -> float:
        """log P(W >= e)."""
        x = e / self.unit
        if self.family == "laplace":
            return LOG_HALF - x if x >= 0 else log1p(-0.5 * exp(x))
        return _log_gaussian_above(x)

    def rounding(self, size: float) -> float:
        """A bound on the error of `log_above(e)`, if e was computed from terms of which the absolute values sum up to
        `size`: |d log_above / dx| is at most 1 for Laplace noise, at most 1 + |x| for Gaussian noise."""
        x = size / self.unit
        found = ROUNDING * (1 + x)
        if self.family == "gaussian":
            found *= 1 + x
            if x > FARTHEST:
                found += 2e-11
        return found

    def roundings(self, sizes: list[float]) -> float:
        """The sum of `rounding(size)`."""
        unit = self.unit
        if self.family == "gaussian" and max(sizes, default=0.0) <= FARTHEST * unit:
            return ROUNDING * sum([(1 + size / unit) ** 2 for size in sizes])
        return sum(map(self.rounding, sizes))

    def log_density(self, z: float) -> float:
        x = z / self.unit
        if self.family == "laplace":
            return LOG_HALF - log(self.unit) - abs(x)
        return -x * x / 2 - log(self.unit * sqrt(2 * pi))

    def log_bound(self, low: float, high: float, imaginary: float, right: bool) -> float:
        """A bound on log |P(W >= e)| for low <= Re e <= high, |Im e| <= imaginary; `right`: continued from e > 0.

        |P(W >= u + i v)| <= e^(v^2 / 2) P(W >= u) for standard Gaussian noise: the integral of |density| along
        a horizontal line.
        """
        if self.family == "laplace":
            if right:
                return LOG_HALF - low / self.unit
            centre, reach = (low + high) / 2 / self.unit, (high - low) / 2 / self.unit
            if centre > 0 or reach > 700:
                return inf
            # |1 - e^w / 2| <= 1 + |e^w| / 2, and at most its value at the centre and how far e^w / 2 moves from there
            return min(log1p(0.5 * exp(centre + reach)), log1p(0.5 * exp(centre) * (expm1(reach) - 1)))
        return self.log_above(low) + half_square(imaginary / self.unit)

    def log_density_bound(self, low: float, high: float, imaginary: float, right: bool) -> float:
        """A bound on log |density|, continued from z > 0 if `right`."""
        if self.family == "laplace":
            return LOG_HALF - log(self.unit) - (low if right else -high) / self.unit
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        return self.log_density(nearest) + half_square(imaginary / self.unit)


def half_square(x: float) -> float:
    """x^2 / 2, infinite where a float cannot hold it (a power would raise an error there)."""
    return x * x / 2


def _log_gaussian_above(x: float) -> float:
    if x < FARTHEST:
        return log(0.5 * erfc(x / ROOT))
    square = 1 / (x * x)  # the series alternates: what is left out is below 945 x^-10, 1e-11 at x = 25
    series = 1 - square * (1 - 3 * square * (1 - 5 * square * (1 - 7 * square)))
    return -x * x / 2 - log(x * sqrt(2 * pi)) + log(series)


def tail_of(raw: object) -> Tail | None:
    """The tail of a law as (family, argument), or None."""
    match raw:
        case ("laplace", float() | int() as scale) if scale > 0:
            return Tail("laplace", float(scale))
        case ("gaussian", float() | int() as sd) | ("normal", 0 | 0.0, float() | int() as sd) if sd > 0:
            return Tail("gaussian", float(sd))
        case _:
            return None
