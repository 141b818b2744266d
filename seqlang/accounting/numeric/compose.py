"""The sum of many losses, by Fourier transform, with every error on the safe side.

delta(eps) = sum over l > eps of A(l) (1 - e^(eps - l)) + P(infinite), A the law of the sum. The law is tilted first:
B(l) = A(l) e^(t l)/M, with which delta(eps) = M e^(-t eps) sum B(l) g(l - eps), g(u) = e^(-t u) (1 - e^-u). At the tilt
of the saddle point B lies around eps, so errors of the transform are relative to delta itself and not to 1.

Cyclic convolution folds what lies outside the window onto it, which only adds; what lies above the window is bounded by
Chernoff's inequality.

What rounding does, with u = 2^-53, n the length of the transform, f_j the tilted masses of part j, used k_j times, and
F the transform (of length n, unnormalised):

1. Masses. log m + t l - log_sum and its exponential: libm's log and exp are right to LIBM units in the last place, as
   `arithmetic.rounding` takes them, + - * to half of one. With s the largest |log m| + t |l| + |log m + t l| +
   |log_sum| the relative error of a mass is at most (2 LIBM s + 4 s + 2 LIBM) u (`tilted`). As masses are not negative,
   the exact convolution of the computed masses times e^(sum of k_j times that) is above that of the exact ones
   (`factor`).
2. One transform. A stage of a transform of radix 2 has a relative l2 error of at most eta = mu + gamma_4 (sqrt 2 + mu),
   gamma_4 = 4 u/(1 - 4 u), mu the error of its roots of unity, and log2 n stages have at most log2(n) eta/(1 - log2(n)
   eta) (Higham 2002, Theorem 24.2). pocketfft, which numpy has, computes the roots to half a unit, mu <= u; a stage of
   radix 4 is two of radix 2 with fewer multiplications; the transform of real numbers leaves out what conjugation
   repeats. So eta <= 6.7 u; STAGE = 10 is taken, and two stages more, for the scaling of the inverse. That the
   transform at hand conserves the l2 norm to that accuracy, as it then must, is checked in every use (`_conserves`):
   one that does not gives no bound.
3. Products. With d_j = unit |F f_j|_2 <= unit sqrt(n) |f_j|_2 the error of a part's spectrum, whose largest value is at
   most |f_j|_1 + d_j: the product of all powers is off by at most sum_j k_j d_j times that of all (|f_j|_1 + d_j)
   <= e^(sum of k_j (d_j + ||f_j|_1 - 1|)) (`carried`, `grown`). A product of complex numbers has a relative error of
   at most sqrt(5) u (Brent, Percival & Zimmermann 2007); a k-th power by repeated squaring has k - 1 times that, so all
   of them together 3 u times the uses (PRODUCT).
4. Inverse. |F^-1 s|_2 = |s|_2/sqrt(n), and an l1 norm is at most sqrt(n) times the l2 norm: the l1 error of the result
   is at most the l2 error of the spectrum (3) plus unit times its l2 norm (`error`).
5. delta. |g'| <= 1 and 0 <= g <= 1, so wrongly placed grid points add at most their displacement times the mass; the
   weights and their sum are right to 1e-12 relatively (arguments up to 745, 2 LIBM + 745 units, pairwise summation).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from seqlang.accounting.numeric.losses import ROUNDING, Losses
from seqlang.arithmetic.rounding import INF, LIBM, exp_up
from seqlang.process.late import np
from seqlang.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

UNIT = ROUNDING / 2
STAGE = 10
PRODUCT = 3
SUMMED = 1e-9
"""Relative error, at most, of sums and norms of up to 2^22 numbers that are not negative, in whatever order."""
LEAST = 1e-300
"""What is below this may be rounded to 0."""
MOST_GROWN = 0.1
"""No bound where rounding alone may add a tenth: the error would exceed every delta of use."""


@record
class Tilted:
    """One part's masses times e^(t l), divided by e^`log_sum`; `rounding`: relative error of each mass."""

    part: Losses
    masses: Array
    log_sum: float
    mean: float
    variance: float
    rounding: float


@record
class Composed:
    """The law of the sum, tilted by `tilt`: `masses[i]` at loss (first + i) step. `error`: the l1 error of `masses`;
    `factor`: what other rounding multiplies; `beyond`: the chance of a loss above the window or infinite; `log_sum`,
    right to `log_error`: log of what the masses were divided by."""

    first: int
    step: float
    masses: Array
    tilt: float
    log_sum: float
    log_error: float
    error: float
    factor: float
    beyond: float
    slack: float

    def delta(self, epsilon: float) -> float:
        """The delta at `epsilon`, rounded up; infinite where the window does not reach down to it."""
        if not math.isfinite(self.error) or not math.isfinite(self.factor):
            return INF
        start = math.floor((epsilon - self.slack) / self.step)
        if start < self.first:
            return INF
        if start >= self.first + len(self.masses):
            return self.beyond
        over = np.arange(start, self.first + len(self.masses)) * self.step - (epsilon - self.slack)
        over = np.maximum(over, 0.0)
        # neither factor is above 1, and their product is at most 1/(t + 1)
        weights = np.exp(-self.tilt * over) * -np.expm1(-over)
        inside = float(np.sum(self.masses[start - self.first :] * weights))
        exponent = self.log_sum - self.tilt * (epsilon - self.slack)
        cushion = self.log_error + 2 * ROUNDING * (LIBM + abs(self.log_sum) + 2 * self.tilt * abs(epsilon - self.slack))
        if exponent + cushion > 600:
            return INF
        furthest = abs(epsilon) + abs(self.first * self.step) + float(over[-1])
        placed = 4 * ROUNDING * furthest * 1.2  # of masses that are e^MOST_GROWN in all, at most
        found = max(0.0, inside) * (1 + 1e-12) + self.error * (1 + SUMMED) + placed + LEAST
        return exp_up(exponent + cushion) * found * self.factor * (1 + 8 * ROUNDING) + self.beyond

    def epsilon_near(self, delta: float) -> float:
        """Where delta(epsilon) is about `delta`: nothing is claimed. Infinite if it is more in all of the window."""
        scale = math.exp(min(600.0, max(-600.0, self.log_sum - self.tilt * self.first * self.step)))
        over = np.arange(len(self.masses)) * self.step
        first = np.exp(-self.tilt * over) * np.maximum(self.masses, 0.0)
        kept = np.cumsum(first[::-1])[::-1]  # of losses from here on: their chance, and that under the neighbour
        other = np.cumsum((first * np.exp(-over))[::-1])[::-1]
        with np.errstate(over="ignore", invalid="ignore"):
            enough = np.nonzero(scale * (kept - np.exp(over) * other) + self.beyond <= delta)[0]
        if len(enough) == 0:
            return INF
        cell = max(1, int(enough[0]))
        rest, lower = float(kept[cell]) - (delta - self.beyond) / scale, float(other[cell])
        inside = rest / lower if lower > LEAST else 0.0
        between = math.log(inside) if inside > 0 else 0.0
        near = min(max(between, float(over[cell - 1])), float(over[cell]))
        return self.first * self.step + near + self.slack


def tilted(part: Losses, step: float, tilt: float) -> Tilted:
    """The part's masses, tilted; see 1 above for `rounding`."""
    loss = (part.first + np.arange(len(part.masses))) * step
    with np.errstate(divide="ignore"):
        plain = np.log(part.masses)
    logs = plain + tilt * loss
    top = float(np.max(logs))
    log_sum = top + math.log(float(np.sum(np.exp(logs - top))))
    masses = np.exp(logs - log_sum)
    mean = float(np.dot(masses, loss))
    variance = float(np.dot(masses, (loss - mean) ** 2))
    kept = part.masses > 0
    sizes = np.abs(plain[kept]) + tilt * np.abs(loss[kept]) + np.abs(logs[kept]) + abs(log_sum)
    rounding = UNIT * ((2 * LIBM + 4) * float(np.max(sizes)) + 2 * LIBM)
    # of the computed mass; a share of the true one
    return Tilted(part, masses, log_sum, mean, variance, rounding / (1 - rounding) if rounding < 0.1 else INF)


def composed(parts: tuple[Losses, ...], step: float, tilt: float, reach: float, most: int) -> Composed:
    """All uses of all parts. `reach`: an epsilon that the window should cover; `most`: its cells at most. A window that
    would be larger is cut, which loses tightness and nothing else."""
    lent = [tilted(part, step, tilt) for part in parts]
    mean = sum(t.part.count * t.mean for t in lent)
    deviation = math.sqrt(sum(t.part.count * t.variance for t in lent))
    # the lower end leaves room for smaller epsilons, the upper one for what Chernoff's inequality is to leave over
    width = max(24 * deviation, 2 * abs(reach - mean)) / step + 8
    size = 1 << max(1023, math.ceil(min(most, width)) - 1).bit_length()
    first = math.floor(mean / step) - size // 2
    spectrum = np.ones(size // 2 + 1, dtype=np.complex128)
    grown, carried, rounded, uses = 0.0, 0.0, 0.0, 0
    unit = STAGE * (math.log2(size) + 2) * UNIT
    for t in lent:
        places = (t.part.first + np.arange(len(t.masses))) % size
        folded: Array = np.bincount(places, weights=t.masses, minlength=size).astype(np.float64)
        length = float(np.sqrt(np.dot(folded, folded))) * (1 + SUMMED)
        one = np.fft.rfft(folded)
        if not _conserves(one, folded, unit):
            carried = INF
        spectrum *= _power(one, t.part.count)
        moved = unit * math.sqrt(size) * length + LEAST
        grown += t.part.count * (moved + abs(float(np.sum(folded)) - 1) + 128 * UNIT)
        carried += t.part.count * moved
        rounded += t.part.count * (t.rounding + UNIT * math.ceil(len(t.masses) / size))  # masses, and their folding
        uses += t.part.count
    if not grown < MOST_GROWN:
        carried = INF
    norm = math.sqrt(_square(spectrum)) * (1 + SUMMED)
    back = np.fft.irfft(spectrum, size)
    if not _conserves(spectrum, back, unit):
        carried = INF
    # where position i of the window is found after folding
    masses = np.roll(back, -(first % size))
    error = (exp_up(grown) * carried + (PRODUCT * UNIT * (uses + len(lent)) + unit) * norm + LEAST) * (1 + 1e-6)
    slack = sum(t.part.count * t.part.slack for t in lent)
    lost = sum(t.part.count * t.part.infinite for t in lent)
    log_sum = math.fsum(t.part.count * t.log_sum for t in lent)
    log_error = ROUNDING * sum(t.part.count * abs(t.log_sum) for t in lent)
    largest = sum(part.count * (part.first + len(part.masses) - 1) for part in parts)
    above = _above(parts, step, tilt, (first + size) * step) if largest >= first + size else 0.0
    beyond = (lost + above) * (1 + SUMMED)
    return Composed(first, step, masses, tilt, log_sum, log_error, error, exp_up(rounded), beyond, slack)


def _square(spectrum: NDArray[np.complex128]) -> float:
    """The squared l2 norm of the whole transform of real numbers, of which half is kept; its length is even."""
    half = float(np.sum(np.square(spectrum.view(np.float64))))
    return 2 * half - abs(complex(spectrum[0])) ** 2 - abs(complex(spectrum[-1])) ** 2


def _conserves(spectrum: NDArray[np.complex128], values: Array, unit: float) -> bool:
    """|F f|_2 = sqrt(n) |f|_2 to the accuracy that the transform is taken to have, in the l2 norm."""
    whole, square = _square(spectrum), len(values) * float(np.sum(np.square(values)))
    return abs(whole - square) <= (3 * unit + 256 * UNIT) * square + LEAST  # the sums are pairwise: some 40 units each


def _power(base: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """By repeated squaring."""
    result = None
    while True:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        base = base * base


def _above(parts: tuple[Losses, ...], step: float, tilt: float, top: float) -> float:
    """P(the sum is at least `top`), by Chernoff's inequality at several tilts."""
    best = 1.0
    for factor in (1.0, 1.25, 1.6, 2.0, 3.0):
        t = tilt * factor
        exponent = -t * top
        cushion = 1e-9
        for part in parts:
            loss = (part.first + np.arange(len(part.masses))) * step
            with np.errstate(divide="ignore"):
                logs = np.log(part.masses) + t * loss
            peak = float(np.max(logs))
            exponent += part.count * (peak + math.log(float(np.sum(np.exp(logs - peak)))))
            cushion += part.count * 16 * ROUNDING * (64 + t * float(np.max(np.abs(loss))) + abs(peak))
        cushion += 16 * ROUNDING * t * abs(top)
        best = min(best, exp_up(min(0.0, exponent + cushion)))
    return best
