"""laplace(b): density exp(-|x| / b) / (2 b).

Translation: the log density is -|x| / b up to a constant, and | |z + u| - |z| | <= |u|: f(z) <= e^(|u| / b) f(z + u).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from seqlang.laws.facts import Facts, Parameter, TranslationCost
from seqlang.laws.numbers import LOG_HALF
from seqlang.process.late import np

FACTS = Facts(
    "laplace",
    (Parameter("b", "scale"),),
    "density",
    "line",
    noise=True,
    symmetric=True,
    has_mean=True,
    unit_scale=True,
    light_tails=True,
    translation=TranslationCost("linear"),
    curve="laplace",
)
NEEDS = "a positive scale"
VARIATE = "laplace"


def valid(scale: Any) -> Any:
    return (scale > 0.0) & (scale < math.inf)


def density(x: float, scale: float) -> float:
    return math.exp(-abs(x) / scale) / (2.0 * scale)


def cdf(x: float, scale: float) -> float:
    tail = 0.5 * math.exp(-abs(x) / scale)
    return tail if x < 0.0 else 1.0 - tail


def quantile(p: float, scale: float) -> float:
    """Infinite for p = 0 and 1."""
    if p <= 0.0 or p >= 1.0:
        return math.copysign(math.inf, p - 0.5)
    return scale * math.log(2.0 * p) if p < 0.5 else -scale * math.log(2.0 * (1.0 - p))


def from_variate(z: float, scale: float) -> float:
    return scale * z


def log_density(x: float, scale: float) -> float:
    return -abs(x) / scale - math.log(2 * scale)


def log_below(x: float, scale: float) -> float:
    return LOG_HALF + x / scale if x <= 0 else math.log1p(-0.5 * math.exp(-x / scale))


def log_above(x: float, scale: float) -> float:
    return LOG_HALF - x / scale if x >= 0 else math.log1p(-0.5 * math.exp(x / scale))


def log_above_all(starts: Sequence[float], slope: float, scale: float) -> Callable[[float], float]:
    """Ends far to the right are added up, those near 0 multiplied, those far to the left left out."""
    ends = sorted(a / scale for a in starts)
    if ends[-1] - ends[0] > 600:
        return lambda x: sum([log_above(a + slope * x, scale) for a in starts])
    top = ends[-1]
    ratios = [math.exp(a - top) for a in ends]
    after = [0.0]  # sums of the last ends
    for a in reversed(ends):
        after.append(after[-1] + a)

    def total(x: float) -> float:
        shift = slope * x / scale
        if top + shift > 600:
            return sum([log_above(a + slope * x, scale) for a in starts])
        # ends before `first` are so low that the tail is 1, those from `second` on lie above 0
        first, second = bisect_left(ends, -40 - shift), bisect_left(ends, -shift)
        right = len(ends) - second
        half = 0.5 * math.exp(top + shift)
        value = right * (LOG_HALF - shift) - after[right]
        if first == second:
            return value
        return value + math.log(math.prod([1.0 - half * r for r in ratios[first:second]]))

    return total


def bends(low: float, high: float, scale: float) -> Sequence[float]:
    return (0.0,) if low < 0.0 < high else ()


def densities(x: Any, scale: Any) -> Any:
    return np.exp(-np.abs(x) / scale) / (2 * scale)


def cdfs(x: Any, scale: Any) -> Any:
    return tails(-np.asarray(x), scale)


def tails(x: Any, scale: Any) -> Any:
    """In place: on large tables most of the time would go into memory for what is in between."""
    found = np.asarray(np.divide(x, scale))
    np.copysign(found, -1.0, out=found)
    np.exp(found, out=found)
    found *= 0.5
    np.subtract(1.0, found, out=found, where=np.less(x, 0))
    return found


def betweens(low: Any, high: Any, scale: float) -> Any:
    """Without the cancellation of a difference of tails."""
    across = (low <= 0) & (high >= 0)
    if not across.any():
        return _beside(low, high, scale)
    found = _within(high, scale)
    found -= _within(low, scale)
    found *= 0.5
    if not across.all():
        beside = ~across
        found[beside] = _beside(low[beside], high[beside], scale)
    return np.asarray(found)


def _within(x: Any, scale: float) -> Any:
    """2 P(0 <= X <= x), negative on the left."""
    found = np.asarray(np.abs(x))
    np.divide(found, -scale, out=found)
    np.expm1(found, out=found)
    return np.asarray(np.copysign(found, x, out=found))


def _beside(low: Any, high: Any, scale: float) -> Any:
    """P(low <= X <= high) on one side of 0; 0 where empty."""
    with np.errstate(invalid="ignore"):
        width = np.asarray(np.fmax(high - low, 0.0))
    near = np.asarray(np.maximum(low, -high))
    np.divide(width, -scale, out=width)
    np.expm1(width, out=width)
    np.divide(near, -scale, out=near)
    np.exp(near, out=near)
    near *= width
    near *= -0.5
    return near


def quantiles(u: Any, scale: Any) -> Any:
    v = u - 0.5
    return -scale * np.sign(v) * np.log1p(np.maximum(-2 * np.abs(v), -1 + 2.0**-53))
