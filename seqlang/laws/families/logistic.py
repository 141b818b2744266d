"""logistic(s): density e^(-x/s) / (s (1 + e^(-x/s))^2), distribution function 1 / (1 + e^(-x/s)).

Translation: the derivative of the log density is -tanh(x / (2 s)) / s, which lies between -1/s and 1/s. So a
translation by u changes the log density by at most |u| / s, everywhere: f(z) <= e^(|u| / s) f(z + u). No smaller bound
holds, since the derivative tends to 1/s. The tails have slopes within
the same bounds. Unlike Laplace noise, neither side of it is memoryless.
"""

from __future__ import annotations

import math
from typing import Any

from seqlang.laws.facts import Facts, Parameter, TranslationCost
from seqlang.process.late import np

FACTS = Facts(
    "logistic",
    (Parameter("s", "scale"),),
    "density",
    "line",
    noise=True,
    symmetric=True,
    has_mean=True,
    unit_scale=True,
    light_tails=True,
    translation=TranslationCost("linear"),
)
NEEDS = "a positive scale"
VARIATE = "uniform"


def valid(scale: Any) -> Any:
    return (scale > 0.0) & (scale < math.inf)


def density(x: float, scale: float) -> float:
    t = math.exp(-abs(x) / scale)
    return t / (scale * (1.0 + t) * (1.0 + t))


def cdf(x: float, scale: float) -> float:
    t = math.exp(-abs(x) / scale)
    return t / (1.0 + t) if x < 0.0 else 1.0 / (1.0 + t)


def quantile(p: float, scale: float) -> float:
    """Infinite for p = 0 and 1."""
    if p <= 0.0 or p >= 1.0:
        return math.copysign(math.inf, p - 0.5)
    return scale * (math.log(p) - math.log1p(-p))


def from_variate(z: float, scale: float) -> float:
    return scale * (math.log(z) - math.log1p(-z))


def log_density(x: float, scale: float) -> float:
    t = -abs(x) / scale
    return t - 2 * math.log1p(math.exp(t)) - math.log(scale)


def log_below(x: float, scale: float) -> float:
    t = -abs(x) / scale
    return (t if x < 0 else 0.0) - math.log1p(math.exp(t))


def densities(x: Any, scale: Any) -> Any:
    t = np.exp(-np.abs(x) / scale)
    return t / (scale * (1 + t) ** 2)


def cdfs(x: Any, scale: Any) -> Any:
    t = np.exp(-np.abs(x) / scale)
    return np.where(np.less(x, 0), t, 1.0) / (1 + t)


def quantiles(u: Any, scale: Any) -> Any:
    return scale * (np.log(u) - np.log1p(-u))
