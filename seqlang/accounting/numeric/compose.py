"""The sum of many losses, by Fourier transform, with every error on the safe side.

delta(eps) = sum over l > eps of A(l) (1 - e^(eps - l)) + P(infinite), A the law of the sum. The law is tilted first:
B(l) = A(l) e^(t l)/M, with which delta(eps) = M e^(-t eps) sum B(l) g(l - eps), g(u) = e^(-t u) (1 - e^-u). At the tilt
of the saddle point B lies around eps, so errors of the transform are relative to delta itself and not to 1.

Cyclic convolution folds what lies outside the window onto it, which only adds; what lies above the window is bounded by
Chernoff's inequality. The transform of length n has a relative l2 error of at most log2 n times 10 units of rounding
(Higham 2002, Theorem 24.2), which is carried through powers, product and inverse. The l1 error of the result is at most
the l2 error of its transform.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from seqlang.accounting.numeric.losses import ROUNDING, Losses
from seqlang.record import record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


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
    `factor`: what other rounding multiplies; `beyond`: the chance of a loss above the window or infinite."""

    first: int
    step: float
    masses: Array
    tilt: float
    log_sum: float
    error: float
    factor: float
    beyond: float
    slack: float

    def delta(self, epsilon: float) -> float:
        """The delta at `epsilon`, rounded up; infinite where the window does not reach down to it."""
        import numpy as np

        start = math.floor((epsilon - self.slack) / self.step)
        if start < self.first:
            return math.inf
        if start >= self.first + len(self.masses):
            return self.beyond
        over = np.arange(start, self.first + len(self.masses)) * self.step - (epsilon - self.slack)
        over = np.maximum(over, 0.0)
        # neither factor is above 1, and their product is at most 1/(t + 1)
        weights = np.exp(-self.tilt * over) * -np.expm1(-over)
        inside = float(np.sum(self.masses[start - self.first :] * weights))  # pairwise: right to some 40 roundings
        exponent = self.log_sum - self.tilt * (epsilon - self.slack)
        cushion = 64 * ROUNDING * (100 + abs(self.log_sum) + self.tilt * (abs(epsilon) + float(over[-1])))
        if exponent > 600:
            return math.inf
        placed = 8 * ROUNDING * (abs(epsilon) + abs(self.first * self.step) + float(over[-1]))  # of the grid points
        found = math.exp(exponent + cushion) * (max(0.0, inside) * (1 + 1e-12) + self.error + placed) * self.factor
        return found + self.beyond

    def epsilon_near(self, delta: float) -> float:
        """Where delta(epsilon) is about `delta`: nothing is claimed. Infinite if it is more in all of the window."""
        import numpy as np

        scale = math.exp(min(600.0, max(-600.0, self.log_sum - self.tilt * self.first * self.step)))
        over = np.arange(len(self.masses)) * self.step
        first = np.exp(-self.tilt * over) * np.maximum(self.masses, 0.0)
        kept = np.cumsum(first[::-1])[::-1]  # of losses from here on: their chance, and that under the neighbour
        other = np.cumsum((first * np.exp(-over))[::-1])[::-1]
        with np.errstate(over="ignore", invalid="ignore"):
            enough = np.nonzero(scale * (kept - np.exp(over) * other) + self.beyond <= delta)[0]
        if len(enough) == 0:
            return math.inf
        cell = max(1, int(enough[0]))
        inside = (kept[cell] - (delta - self.beyond) / scale) / other[cell] if other[cell] > 0 else 0.0
        between = math.log(inside) if inside > 0 else 0.0
        near = min(max(between, float(over[cell - 1])), float(over[cell]))
        return self.first * self.step + near + self.slack


def tilted(part: Losses, step: float, tilt: float) -> Tilted:
    import numpy as np

    loss = (part.first + np.arange(len(part.masses))) * step
    with np.errstate(divide="ignore"):
        logs = np.log(part.masses) + tilt * loss
    top = float(np.max(logs))
    log_sum = top + math.log(float(np.sum(np.exp(logs - top))))
    masses = np.exp(logs - log_sum)
    mean = float(np.dot(masses, loss))
    variance = float(np.dot(masses, (loss - mean) ** 2))
    sizes = np.abs(np.where(part.masses > 0, logs, 0.0)) + 2 * tilt * np.abs(loss) + abs(log_sum) + 8
    return Tilted(part, masses, log_sum, mean, variance, 4 * ROUNDING * float(np.max(sizes)))


def composed(parts: tuple[Losses, ...], step: float, tilt: float, reach: float, most: int) -> Composed:
    """All uses of all parts. `reach`: an epsilon that the window should cover; `most`: its cells at most. A window that
    would be larger is cut, which loses tightness and nothing else."""
    import numpy as np

    lent = [tilted(part, step, tilt) for part in parts]
    mean = sum(t.part.count * t.mean for t in lent)
    deviation = math.sqrt(sum(t.part.count * t.variance for t in lent))
    # the lower end leaves room for smaller epsilons, the upper one for what Chernoff's inequality is to leave over
    width = max(24 * deviation, 2 * abs(reach - mean)) / step + 8
    size = 1 << max(1023, min(most, math.ceil(width)) - 1).bit_length()
    first = math.floor(mean / step) - size // 2
    spectrum = np.ones(size // 2 + 1, dtype=np.complex128)
    grown, carried, uses = 0.0, 0.0, 0
    unit = 10 * (math.log2(size) + 2) * ROUNDING / 2
    for t in lent:
        folded = np.bincount((t.part.first + np.arange(len(t.masses))) % size, weights=t.masses, minlength=size)
        length = float(np.sqrt(np.dot(folded, folded))) * (1 + 1e-9)
        spectrum *= _power(np.fft.rfft(folded), t.part.count)
        moved = unit * math.sqrt(size) * length
        grown += t.part.count * (moved + abs(float(np.sum(folded)) - 1) + 1e-12)
        carried += t.part.count * moved
        uses += t.part.count
    norm = math.sqrt(2 * float(np.sum(np.abs(spectrum) ** 2))) * (1 + 1e-9)
    back = np.fft.irfft(spectrum, size)
    # where position i of the window is found after folding
    masses = np.roll(back, -(first % size))
    error = (math.exp(grown) * carried + (8 * ROUNDING * (uses + len(lent)) + unit) * norm) * (1 + 1e-6)
    slack = sum(t.part.count * t.part.slack for t in lent)
    lost = sum(t.part.count * t.part.infinite for t in lent)
    log_sum = sum(t.part.count * t.log_sum for t in lent)
    factor = math.exp(sum(t.part.count * t.rounding for t in lent))
    largest = sum(part.count * (part.first + len(part.masses) - 1) for part in parts)
    above = _above(parts, step, tilt, (first + size) * step) if largest >= first + size else 0.0
    return Composed(first, step, masses, tilt, log_sum, error, factor, (lost + above) * (1 + 1e-9), slack)


def _power(base: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """By repeated squaring: each product of complex numbers is right to 3 units of rounding."""
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
    import numpy as np

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
        best = min(best, math.exp(min(0.0, exponent + cushion)))
    return best
