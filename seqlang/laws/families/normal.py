"""normal(mean, sd). A deviation of 0, which a run may come to, is the constant `mean` and has no density.

Translation has no bounded cost: the derivative of the log density grows without bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter
from seqlang.laws.numbers import LOG_HALF, log_normal_above, quantile_standard_normal
from seqlang.process.late import np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "normal",
    (Parameter("mean", "number"), Parameter("sd", "scale")),
    "density",
    "line",
    noise=True,
    has_mean=True,
    curve="gaussian",
)
NEEDS = "a finite mean and sd >= 0"
HOLES = {
    "translation": "its density ratio has no bound; Gaussian releases have rules of their own",
    "numpy quantile": "a conditioned normal draw is made by rejection",
}
VARIATE = "normal"


def valid(mean: Any, sd: Any) -> Any:
    return (-math.inf < mean) & (mean < math.inf) & (sd >= 0.0) & (sd < math.inf)


def density(x: float, mean: float, sd: float) -> float:
    """NaN for sd = 0."""
    if sd == 0.0:
        return math.nan
    z = (x - mean) / sd
    return math.exp(-0.5 * z * z) / (sd * math.sqrt(2.0 * math.pi))


def cdf(x: float, mean: float, sd: float) -> float:
    if sd == 0.0:
        return 1.0 if x >= mean else 0.0
    return 0.5 * math.erfc((mean - x) / (sd * math.sqrt(2.0)))


def quantile(p: float, mean: float, sd: float) -> float:
    """Infinite for p = 0 and 1, unless sd = 0."""
    return mean + sd * quantile_standard_normal(p) if sd > 0.0 else mean


def upper(q: float, mean: float, sd: float) -> float:
    return mean - sd * quantile_standard_normal(q)


def from_variate(z: float, mean: float, sd: float) -> float:
    return mean + sd * z


def sample(random: Random, mean: float, sd: float) -> float:
    return random.gauss(mean, sd)


def centre(mean: float, sd: float) -> float:
    return mean


def median(mean: float, sd: float) -> float:
    return mean


def length(mean: float, sd: float) -> float:
    return sd


def log_density(x: float, mean: float, sd: float) -> float:
    z = (x - mean) / sd
    return -math.log(sd * math.sqrt(2 * math.pi)) - z * z / 2


def log_below(x: float, mean: float, sd: float) -> float:
    return log_normal_above((mean - x) / sd)


def log_above(x: float, mean: float, sd: float) -> float:
    return log_normal_above((x - mean) / sd)


def log_above_all(starts: Sequence[float], slope: float, mean: float, sd: float) -> Callable[[float], float]:
    """As a product, where that is no denormal number."""
    unit = sd * math.sqrt(2)
    ends = [(a - mean) / unit for a in starts]
    halves = len(ends) * LOG_HALF

    def total(x: float) -> float:
        shift = slope * x / unit
        product = math.prod([math.erfc(a + shift) for a in ends])
        if product > 1e-250:
            return halves + math.log(product)
        return sum([log_normal_above((a - mean + slope * x) / sd) for a in starts])

    return total


def densities(x: Any, mean: Any, sd: Any) -> Any:
    z = (x - mean) / sd
    return np.exp(-z * z / 2) / (sd * math.sqrt(2 * math.pi))


def cdfs(x: Any, mean: Any, sd: Any) -> Any:
    from scipy.special import ndtr

    return ndtr((x - mean) / sd)


def tails(x: Any, mean: Any, sd: Any) -> Any:
    return cdfs(mean, x, sd)


def samples(uniform: Any, shape: tuple[int, ...], mean: Any, sd: Any) -> Any:
    from seqlang.laws.arrays import standard_normals

    return standard_normals(uniform, shape) * sd + mean
