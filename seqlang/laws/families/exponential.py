"""exponential(mean), one-sided: density exp(-x / mean) / mean for x >= 0.

Translation: for u >= 0 and z >= 0 the density at z + u is exp(-u / mean) times that at z; for z < 0 it is 0 at z. A
translation towards the end of the support may leave it, and costs infinitely much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter, TranslationCost
from seqlang.process.late import np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "exponential",
    (Parameter("mean", "scale"),),
    "density",
    "half line",
    noise=True,
    has_mean=True,
    unit_scale=True,
    light_tails=True,
    translation=TranslationCost("upwards"),
    has_jumps=True,
)
NEEDS = "a positive mean"
VARIATE = "exponential"


def valid(mean: Any) -> Any:
    return (mean > 0.0) & (mean < math.inf)


def density(x: float, mean: float) -> float:
    return math.exp(-x / mean) / mean if x >= 0.0 else 0.0


def cdf(x: float, mean: float) -> float:
    return -math.expm1(-x / mean) if x > 0.0 else 0.0


def quantile(p: float, mean: float) -> float:
    """Infinite for p = 1."""
    return -mean * math.log1p(-p) if p < 1.0 else math.inf


def upper(q: float, mean: float) -> float:
    return -mean * math.log(q)


def from_variate(z: float, mean: float) -> float:
    return mean * z


def sample(random: Random, mean: float) -> float:
    from seqlang.laws.law import open_unit

    return -mean * math.log(open_unit(random))


def log_density(x: float, mean: float) -> float:
    return -x / mean - math.log(mean) if x >= 0 else -math.inf


def log_below(x: float, mean: float) -> float:
    return math.log(-math.expm1(-x / mean)) if x > 0 else -math.inf


def log_above(x: float, mean: float) -> float:
    return -x / mean if x > 0 else 0.0


def bends(low: float, high: float, mean: float) -> Sequence[float]:
    return (0.0,) if low < 0.0 < high else ()


tail_bends = bends


def densities(x: Any, mean: Any) -> Any:
    return np.where(np.less(x, 0), 0.0, np.exp(-np.maximum(x, 0) / mean) / mean)


def cdfs(x: Any, mean: Any) -> Any:
    return -np.expm1(-np.maximum(x, 0.0) / mean)


def tails(x: Any, mean: Any) -> Any:
    return np.exp(-np.maximum(x, 0.0) / mean)


def quantiles(u: Any, mean: Any) -> Any:
    return -mean * np.log1p(-u)


def samples(uniform: Any, shape: tuple[int, ...], mean: Any) -> Any:
    return -mean * np.log(uniform(shape))
