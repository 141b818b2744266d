"""Whether a weighted mean can be believed.

A wrong proposal gives a mean that looks sharp and is far too small: the runs that would correct it are too rare to be
drawn. What shows it: few runs hold the sum, the largest contributions follow a law whose variance (or mean) does not
exist, or two independent proposals disagree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seqlang.record import record

Array = NDArray[np.float64]
FEWEST = 100.0
LARGEST = 0.05
WORST = 0.1
SHAPE = 0.7
APART = 4.0
LEFT = 1e-3


@record
class Half:
    """The summary of some runs: mean contribution, its standard error and skewness, (sum w)^2 / sum w^2, the largest
    share, and the shape of the tail of the contributions (above 1/2: no variance, above 1: no mean)."""

    runs: int
    mean: float
    se: float
    skewness: float
    effective: float
    largest_share: float
    shape: float

    @staticmethod
    def of(logs: Array, strata: NDArray[np.intp]) -> Half:
        """From the logarithms of the contributions (-inf: none) and the strata of the runs (see `Allocation`)."""
        top = float(logs.max())
        if top == -math.inf:
            return Half(len(logs), 0.0, 0.0, 0.0, 0.0, 1.0, math.inf)
        w = np.exp(logs - top)
        total, n = float(w.sum()), len(w)
        scale = math.exp(top)
        effective = total**2 / float((w**2).sum())
        error, skewness = _error(w, strata)
        return Half(n, scale * total / n, scale * error, skewness, effective, 1.0 / total, tail_shape(w))


def _error(w: Array, strata: NDArray[np.intp]) -> tuple[float, float]:
    """The standard error of the mean, and the skewness of the mean. Every stratum has its fixed number of runs: what
    differs between strata does not add to the error (Cochran 1977, theorem 5.3)."""
    variance = third = 0.0
    for stratum in np.unique(strata):
        part = w[strata == stratum]
        variance += len(part) * float(part.var(ddof=1)) if len(part) > 1 else float(part[0]) ** 2
        third += float(((part - part.mean()) ** 3).sum())
    return math.sqrt(variance) / len(w), third / variance**1.5 if variance > 0 else 0.0


def tail_shape(w: Array) -> float:
    """The shape k of a generalised Pareto law fitted to the largest contributions (Zhang and Stephens 2009), by which
    Vehtari, Simpson, Gelman, Yao and Gabry (2024) judge importance weights."""
    size = int(min(0.2 * len(w), 3 * math.sqrt(len(w))))
    if size < 20:
        return math.inf
    largest = np.sort(w)[-size - 1 :]
    cut, x = largest[0], largest[1:] - largest[0]
    if x[-1] <= 1e-9 * max(cut, 1e-300) or x[-1] <= 0:
        return 0.0  # all alike
    x = x[x > 0]
    if len(x) < 20:
        return math.inf if cut <= 0 else 0.0
    n = len(x)
    m = 30 + int(math.sqrt(n))
    quartile = x[max(0, int(n / 4 + 0.5) - 1)]
    b = (1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))) / (3 * quartile) + 1 / x[-1]
    k = np.array([np.log1p(-c * x).mean() for c in b])
    with np.errstate(all="ignore"):
        likelihood = n * (np.log(-b / k) - k - 1)
    likelihood = np.where(np.isfinite(likelihood), likelihood, -np.inf)
    posterior = np.exp(likelihood - likelihood.max())
    mean = float((b * posterior).sum() / posterior.sum())
    return float(np.log1p(-mean * x).mean())


def doubts(halves: Sequence[Half], together: Half, se: float, left_over: float) -> tuple[str, ...]:
    """Why the estimate is not to be trusted; empty if nothing speaks against it."""
    found = []
    if together.effective < FEWEST:
        found.append(f"few runs hold the sum: the effective number is {together.effective:.3g}")
    if together.largest_share > LARGEST:
        found.append(f"one run holds {together.largest_share:.2g} of the sum")
    if together.mean > 0 and se > WORST * together.mean:
        found.append(f"the relative error is {se / together.mean:.2g}")
    shape = max(h.shape for h in (*halves, together))
    if shape > SHAPE:
        found.append("the largest contributions have too heavy a tail" + _shape(shape))
    if len(halves) == 2:
        one, other = halves
        gap, error = abs(one.mean - other.mean), math.hypot(one.se, other.se)
        if gap > APART * error and gap > 1e-12 * together.mean:
            found.append(f"two independent proposals disagree: {one.mean:.4g} and {other.mean:.4g}")
    if left_over > LEFT * together.mean:
        found.append(f"runs that had not stopped could add up to {left_over:.2g}")
    return tuple(found)


def _shape(shape: float) -> str:
    return f" (shape {shape:.2f})" if math.isfinite(shape) else ""
