"""uniform(low, high) on an interval; uniform(set) on a finite set or a ball, which each engine makes from the set.

Translation moves mass out of the support: its cost has no bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter
from seqlang.process.late import np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "uniform",
    (Parameter("low", "number"), Parameter("high", "number")),
    "arguments",
    "arguments",
    optional=1,
    has_mean=True,
    bounded=True,
    underflows=False,
    has_jumps=True,
)
NEEDS = "low < high"
HOLES = {
    "translation": "a translation leaves its support",
}
VARIATE = "uniform"


def valid(low: Any, high: Any) -> Any:
    return (-math.inf < low) & (low < high) & (high < math.inf)


def density(x: float, low: float, high: float) -> float:
    return 1.0 / (high - low) if low <= x <= high else 0.0


def cdf(x: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (x - low) / (high - low)))


def quantile(p: float, low: float, high: float) -> float:
    return min(low + p * (high - low), high)


def upper(q: float, low: float, high: float) -> float:
    return high - q * (high - low)


def from_variate(z: float, low: float, high: float) -> float:
    return min(low + (high - low) * z, high)


def sample(random: Random, low: float, high: float) -> float:
    return quantile(random.random(), low, high)


def centre(low: float, high: float) -> float:
    return (low + high) / 2


median = centre


def length(low: float, high: float) -> float:
    return (high - low) / 4


def ends(low: float, high: float) -> tuple[float, float]:
    return low, high


def log_density(x: float, low: float, high: float) -> float:
    return -math.log(high - low) if low <= x <= high else -math.inf


def log_below(x: float, low: float, high: float) -> float:
    return log_above(low + high - x, low, high)


def log_above(x: float, low: float, high: float) -> float:
    return 0.0 if x <= low else (-math.inf if x >= high else math.log((high - x) / (high - low)))


def bends(lo: float, hi: float, low: float, high: float) -> Sequence[float]:
    return [end for end in (low, high) if lo < end < hi]


tail_bends = bends


def densities(x: Any, low: Any, high: Any) -> Any:
    return np.where((x >= low) & (x <= high), 1 / (high - low), 0.0)


def cdfs(x: Any, low: Any, high: Any) -> Any:
    return np.clip((x - low) / (high - low), 0.0, 1.0)


def tails(x: Any, low: Any, high: Any) -> Any:
    return np.clip((high - x) / (high - low), 0.0, 1.0)


def quantiles(u: Any, low: Any, high: Any) -> Any:
    return np.minimum(low + u * (high - low), high)
