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
)
NEEDS = "a positive eps, a positive D and gamma between 0 and 1"
HOLES = {
    "quantile": "no reader inverts it: its draws are made by parts",
    "numpy quantile": "as for one number",
}


def valid(eps: Any, width: Any, gamma: Any) -> Any:
    return (eps > 0.0) & (eps < math.inf) & (width > 0.0) & (width < math.inf) & (gamma >= 0.0) & (gamma <= 1.0)


def height(eps: float, width: float, gamma: float) -> float:
    """Of the density at 0."""
    b = math.exp(-eps)
    return (1.0 - b) / (2.0 * width * (gamma + b * (1.0 - gamma)))


def density(x: float, eps: float, width: float, gamma: float) -> float:
    at = abs(x) / width
    if at > 1e15:
        return 0.0
    stair = math.floor(at)
    lower = 0.0 if at - stair < gamma else 1.0
    return height(eps, width, gamma) * math.exp(-eps * (stair + lower))


def cdf(x: float, eps: float, width: float, gamma: float) -> float:
    at = min(abs(x) / width, 1e15)
    stair = math.floor(at)
    inside, outer = at - stair, math.exp(-eps * stair)
    step = min(inside, gamma) + math.exp(-eps) * max(0.0, inside - gamma)
    tail = outer * (0.5 - height(eps, width, gamma) * width * step)
    return 1.0 - tail if x >= 0.0 else tail


def sample(random: Random, eps: float, width: float, gamma: float) -> float:
    from seqlang.laws.law import open_unit

    b = math.exp(-eps)
    sign = 1.0 if random.random() < 0.5 else -1.0
    stair = math.floor(math.log(open_unit(random)) / -eps)
    high = random.random() < gamma / (gamma + (1 - gamma) * b)
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
    place = signed_place(next_word(s)) / HALF_BITS
    inside = gamma * abs(place) if high else gamma + (1.0 - gamma) * abs(place)
    return math.copysign((stair + inside) * width, place)


def length(eps: float, width: float, gamma: float) -> float:
    return width / min(1.0, eps)


def log_density(x: float, eps: float, width: float, gamma: float) -> float:
    stair = math.floor(abs(x) / width)
    step = stair if abs(x) < (stair + gamma) * width else stair + 1
    return math.log(height(eps, width, gamma)) - eps * step


def log_below(x: float, eps: float, width: float, gamma: float) -> float:
    return log_above(-x, eps, width, gamma)


def log_above(x: float, eps: float, width: float, gamma: float) -> float:
    if x < 0:
        return math.log1p(-math.exp(log_above(-x, eps, width, gamma)))
    low, stair = math.exp(-eps), math.floor(x / width)
    # the k-th stair holds (1 - low) / 2 low^k; beyond x lie a part of it and all later ones
    part = x / width - stair
    left = (gamma - part + low * (1 - gamma)) if part < gamma else low * (1 - part)
    behind = math.log(left / (gamma + low * (1 - gamma)) + low / (1 - low))
    return math.log((1 - low) / 2) - eps * stair + behind


def bends(low: float, high: float, eps: float, width: float, gamma: float) -> Sequence[float]:
    reach = (math.ceil(min(40 / eps, 2000)) + 1) * width  # beyond it there is less than 1e-17
    low, high = max(low, -reach), min(high, reach)
    points: set[float] = set()
    for k in range(math.floor(low / width) - 1, math.ceil(high / width) + 2):
        points |= {k * width, (k + gamma) * width if k >= 0 else (k + 1 - gamma) * width}
    return sorted(p for p in points if low < p < high)


tail_bends = bends


def densities(x: Any, eps: Any, width: Any, gamma: Any) -> Any:
    x = np.minimum(np.abs(x), 1e15 * width)
    stair = np.floor(x / width)
    stair = stair + (x >= (stair + gamma) * width)
    weight = gamma + np.exp(-eps) * (1 - gamma)
    return -np.expm1(-eps) / (2 * width * weight) * np.exp(-eps * stair)


def cdfs(x: Any, eps: Any, width: Any, gamma: Any) -> Any:
    low = np.exp(-eps)
    at = np.minimum(np.abs(x), 1e15 * width)
    stair = np.floor(at / width)
    part = at / width - stair
    left = np.where(part < gamma, gamma - part + low * (1 - gamma), low * (1 - part))
    # the k-th stair holds (1 - low) low^k / 2
    tail = 0.5 * np.exp(-eps * stair) * ((1 - low) * left / (gamma + low * (1 - gamma)) + low)
    return np.where(np.less(x, 0), tail, 1 - tail)


def samples(uniform: Any, shape: tuple[int, ...], eps: Any, width: Any, gamma: Any) -> Any:
    b = np.exp(-eps)
    sign = np.where(uniform(shape) < 0.5, 1.0, -1.0)
    stair = np.floor(np.log(uniform(shape)) / -eps)
    high = uniform(shape) < gamma / (gamma + (1 - gamma) * b)
    u = uniform(shape)
    inside = np.where(high, gamma * u, gamma + (1 - gamma) * u)
    return sign * (stair + inside) * width
