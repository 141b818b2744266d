"""staircase(eps, D, gamma) of Geng and Viswanath 2014: a density that falls by a factor e^-eps every D, in stairs of
gamma D. With k = floor(|x| / D) it is a e^(-eps k) where |x| < (k + gamma) D, and a e^(-eps (k + 1)) beyond, where a is
as in their equation (13).

Translation: |z + u| lies in a stair at most ceil(|u| / D) whole stairs away from that of |z|, and the density falls by
e^-eps from a point to the one D farther, never by more in between: f(z) <= e^(eps ceil(|u| / D)) f(z + u).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter, TranslationCost
from seqlang.process.late import NDArray, np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "staircase",
    (Parameter("eps", "scale"), Parameter("D", "scale"), Parameter("gamma", "probability")),
    "density",
    "line",
    optional=1,
    noise=True,
    symmetric=True,
    has_mean=True,
    translation=TranslationCost("stairs", "abs"),
    has_jumps=True,
    steepest=None,
)
NEEDS = "a positive eps, a positive D and gamma between 0 and 1"
HOLES = {
    "quantile": "no reader inverts it: its draws are made by parts",
    "numpy quantile": "as for one number",
}


def valid(eps: Any, width: Any, gamma: Any) -> Any:
    return (eps > 0.0) & (eps < math.inf) & (width > 0.0) & (width < math.inf) & (gamma >= 0.0) & (gamma <= 1.0)


def falls(eps: float) -> float:
    """1 - e^-eps: what a stair lacks of the one before it, also where eps is tiny."""
    return -math.expm1(-eps)


def parts(eps: float, gamma: float) -> tuple[float, float]:
    """The shares of a stair's mass in its high and in its low step."""
    low = math.exp(-eps) * (1.0 - gamma)
    if gamma == 0.0:
        return 0.0, 1.0
    return gamma / (gamma + low), low / (gamma + low)


def log_weight(eps: float, gamma: float) -> float:
    """log(gamma + e^-eps (1 - gamma)): of a stair's mass over the width and the height of its high step."""
    weight = gamma + math.exp(-eps) * (1.0 - gamma)
    return math.log(weight) if weight > 0.0 else -eps


def place(x: float, width: float) -> tuple[float, float]:
    """The number of the stair and the place in it, from 0 to 1, of a point x >= 0; far out none is told apart."""
    at = x / width
    stair = math.floor(at) if at < 1e300 else at
    return float(stair), at - stair if at < 1e300 else 0.0


def density(x: float, eps: float, width: float, gamma: float) -> float:
    stair, inside = place(abs(x), width)
    high, low = parts(eps, gamma)
    step = high / gamma if inside < gamma else low / (1.0 - gamma)
    return falls(eps) * step / (2.0 * width) * math.exp(-eps * stair)


def cdf(x: float, eps: float, width: float, gamma: float) -> float:
    stair, inside = place(abs(x), width)
    high, low = parts(eps, gamma)
    left = high * (1.0 - inside / gamma) + low if inside < gamma else low * (1.0 - inside) / (1.0 - gamma)
    # the k-th stair holds (1 - e^-eps) e^(-eps k) / 2
    tail = 0.5 * math.exp(-eps * stair) * (falls(eps) * left + math.exp(-eps))
    return 1.0 - tail if x >= 0.0 else tail


def sample(random: Random, eps: float, width: float, gamma: float) -> float:
    from seqlang.laws.law import open_unit

    sign = 1.0 if random.random() < 0.5 else -1.0
    stair = place(-math.log(open_unit(random)), eps)[0]
    high = random.random() < parts(eps, gamma)[0]
    u = random.random()
    inside = gamma * u if high else gamma + (1 - gamma) * u
    return sign * (stair + inside) * width


def sample_words(s: NDArray[np.uint64], eps: float, width: float, gamma: float) -> float:
    """By parts: the number of the stair, its higher or lower step, the place in the step together with the sign."""
    from seqlang.laws.variates.words import next_word, uniform
    from seqlang.laws.variates.ziggurat import HALF_BITS, sample_standard_exponential, signed_place

    if not valid(eps, width, gamma):
        return math.nan
    stair = math.floor(sample_standard_exponential(s) / eps)
    high = uniform(s) * (gamma + (1.0 - gamma) * math.exp(-eps)) < gamma
    signed = signed_place(next_word(s)) / HALF_BITS
    inside = gamma * abs(signed) if high else gamma + (1.0 - gamma) * abs(signed)
    return math.copysign((stair + inside) * width, signed)


def length(eps: float, width: float, gamma: float) -> float:
    return width / min(1.0, eps)


def log_density(x: float, eps: float, width: float, gamma: float) -> float:
    stair, inside = place(abs(x), width)
    step = stair if inside < gamma else stair + 1
    return math.log(falls(eps)) - log_weight(eps, gamma) - math.log(2.0 * width) - eps * step


def log_below(x: float, eps: float, width: float, gamma: float) -> float:
    return log_above(-x, eps, width, gamma)


def log_above(x: float, eps: float, width: float, gamma: float) -> float:
    if x < 0:
        return math.log1p(-math.exp(log_above(-x, eps, width, gamma)))
    # the k-th stair holds (1 - e^-eps) e^(-eps k) / 2; beyond x lie a part of it and all later ones
    stair, inside = place(x, width)
    left = math.log(gamma - inside + math.exp(-eps) * (1.0 - gamma)) if inside < gamma else math.log1p(-inside) - eps
    here, later = math.log(falls(eps)) + left - log_weight(eps, gamma), -eps
    most = max(here, later)
    return most + math.log(math.exp(here - most) + math.exp(later - most)) - math.log(2.0) - eps * stair


def bends(low: float, high: float, eps: float, width: float, gamma: float) -> Sequence[float]:
    reach = (math.ceil(min(40 / eps, 2000.0)) + 1) * width  # beyond it there is less than 1e-17
    low, high = max(low, -reach), min(high, reach)
    points: set[float] = set()
    for k in range(math.floor(low / width) - 1, math.ceil(high / width) + 2):
        points |= {k * width, (k + gamma) * width if k >= 0 else (k + 1 - gamma) * width}
    return sorted(p for p in points if low < p < high)


tail_bends = bends


def densities(x: Any, eps: Any, width: Any, gamma: Any) -> Any:
    stair, inside = _places(np.abs(x), width)
    high, low = _parts(eps, gamma)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.where(inside < gamma, high / gamma, low / (1 - np.asarray(gamma)))
    return -np.expm1(-np.asarray(eps)) * step / (2 * width) * np.exp(-eps * stair)


def cdfs(x: Any, eps: Any, width: Any, gamma: Any) -> Any:
    stair, inside = _places(np.abs(x), width)
    high, low = _parts(eps, gamma)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(inside < gamma, high * (1 - inside / gamma) + low, low * (1 - inside) / (1 - np.asarray(gamma)))
    # the k-th stair holds (1 - e^-eps) e^(-eps k) / 2
    tail = 0.5 * np.exp(-eps * stair) * (-np.expm1(-np.asarray(eps)) * left + np.exp(-np.asarray(eps)))
    return np.where(np.less(x, 0), tail, 1 - tail)


def _places(x: Any, width: Any) -> tuple[Any, Any]:
    """`place` of an array."""
    at = np.asarray(x, dtype=np.float64) / width
    stair = np.floor(at)
    return stair, np.where(at < 1e300, at - np.where(at < 1e300, stair, 0.0), 0.0)


def _parts(eps: Any, gamma: Any) -> tuple[Any, Any]:
    """`parts` of arrays."""
    low = np.exp(-np.asarray(eps, dtype=np.float64)) * (1 - np.asarray(gamma))
    whole = np.where(np.asarray(gamma) > 0, gamma + low, 1.0)
    return gamma / whole, np.where(np.asarray(gamma) > 0, low / whole, 1.0)


def samples(uniform: Any, shape: tuple[int, ...], eps: Any, width: Any, gamma: Any) -> Any:
    sign = np.where(uniform(shape) < 0.5, 1.0, -1.0)
    stair = np.floor(np.log(uniform(shape)) / -eps)
    high = uniform(shape) < _parts(eps, gamma)[0]
    u = uniform(shape)
    inside = np.where(high, gamma * u, gamma + (1 - gamma) * u)
    return sign * (stair + inside) * width
