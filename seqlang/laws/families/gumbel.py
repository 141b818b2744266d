"""gumbel(b), the law of largest values: P(X <= x) = exp(-exp(-x / b)). Its mode is 0, its mean 0.5772.. times b.

The position of the largest of a_i + noise is i with probability proportional to exp(a_i / b).

Translation downwards has no bounded cost. Upwards, f(z) / f(z + u) = exp(u / b - e^(-z / b) (1 - e^(-u / b))) is at
most e^(u / b); it is not declared, since no rule but that of the exponential mechanism has been tried on this law.
"""

from __future__ import annotations

import math
from typing import Any

from seqlang.laws.facts import Facts, Parameter
from seqlang.process.late import NDArray, np

FACTS = Facts(
    "gumbel",
    (Parameter("b", "scale"),),
    "density",
    "line",
    noise=True,
    has_mean=True,
    unit_scale=True,
    light_tails=True,
    steepest=800,
)
NEEDS = "a positive scale"
HOLES = {
    "translation": "downwards its density ratio has no bound; its maxima are the exponential mechanism",
}


def valid(scale: Any) -> Any:
    return (scale > 0.0) & (scale < math.inf)


def density(x: float, scale: float) -> float:
    t = -x / scale
    return math.exp(t - math.exp(t)) / scale if t < 700.0 else 0.0


def cdf(x: float, scale: float) -> float:
    t = -x / scale
    return math.exp(-math.exp(t)) if t < 700.0 else 0.0


def quantile(p: float, scale: float) -> float:
    """Infinite for p = 0 and 1."""
    if p <= 0.0 or p >= 1.0:
        return math.copysign(math.inf, p - 0.5)
    return -scale * math.log(-math.log(p))


def upper(q: float, scale: float) -> float:
    return -scale * math.log(-math.log1p(-q))


def sample_words(s: NDArray[np.uint64], scale: float) -> float:
    """exp(-X / scale) is a standard exponential variate."""
    from seqlang.laws.variates.ziggurat import sample_standard_exponential

    return -scale * math.log(sample_standard_exponential(s)) if valid(scale) else math.nan


def log_density(x: float, scale: float) -> float:
    return -math.log(scale) - x / scale - _hazard(x, scale)


def log_below(x: float, scale: float) -> float:
    return -_hazard(x, scale)


def log_above(x: float, scale: float) -> float:
    beyond = -math.expm1(-_hazard(x, scale))
    return math.log(beyond) if beyond > 0 else -x / scale


def _hazard(x: float, scale: float) -> float:
    """-log P(X <= x)."""
    return math.exp(min(-x / scale, 700.0))


def _hazards(x: Any, scale: Any) -> Any:
    return np.exp(np.minimum(-np.asarray(x, float) / scale, 700.0))


def densities(x: Any, scale: Any) -> Any:
    t = _hazards(x, scale)
    return t * np.exp(-t) / scale


def cdfs(x: Any, scale: Any) -> Any:
    return np.exp(-_hazards(x, scale))


def tails(x: Any, scale: Any) -> Any:
    return -np.expm1(-_hazards(x, scale))


def quantiles(u: Any, scale: Any) -> Any:
    return -scale * np.log(-np.log(u))
