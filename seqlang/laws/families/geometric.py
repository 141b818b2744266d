"""geometric(ratio), two-sided on the whole numbers: P(k) = (1 - ratio) / (1 + ratio) ratio^|k|.

Translation: log P is |k| log(ratio) up to a constant, and | |k + u| - |k| | <= |u|: P(k) <= ratio^-|u| P(k + u) for
whole u. Other u leave the whole numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter, TranslationCost
from seqlang.laws.numbers import whole
from seqlang.process.late import NDArray, np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "geometric",
    (Parameter("ratio", "ratio"),),
    "points",
    "whole numbers",
    noise=True,
    symmetric=True,
    has_mean=True,
    translation=TranslationCost("whole"),
    curve="geometric",
    whole=True,
)
NEEDS = "a ratio in [0, 1)"
HOLES = {
    "quantile": "no reader inverts it: a draw is the difference of two",
    "numpy quantile": "as for one number",
}


def valid(ratio: Any) -> Any:
    return (ratio >= 0.0) & (ratio < 1.0)


def density(x: float, ratio: float) -> float:
    return (1.0 - ratio) / (1.0 + ratio) * ratio ** abs(x) if whole(x) else 0.0


def cdf(x: float, ratio: float) -> float:
    if x == math.inf:
        return 1.0
    if x == -math.inf:
        return 0.0
    k = math.floor(x)
    return float(ratio ** (-k) / (1.0 + ratio) if k < 0.0 else 1.0 - ratio ** (k + 1.0) / (1.0 + ratio))


def sample(random: Random, ratio: float) -> int:
    """The difference of two independent one-sided geometric variables has this law."""
    return sample_of_spread(random, -1.0 / math.log(ratio)) if ratio > 0 else 0


def sample_of_spread(random: Random, spread: float) -> int:
    """For the ratio exp(-1 / spread), which may be 1 in floating point."""
    from seqlang.laws.law import open_unit

    first = math.floor(-math.log(open_unit(random)) * spread)
    return first - math.floor(-math.log(open_unit(random)) * spread)


def sample_words(s: NDArray[np.uint64], ratio: float) -> float:
    if not valid(ratio):
        return math.nan
    return of_spread(s, -1.0 / math.log(ratio)) if ratio > 0.0 else 0.0


def of_spread(s: NDArray[np.uint64], spread: float) -> float:
    """For the ratio exp(-1 / spread): the difference of two independent one-sided variables has this law."""
    from seqlang.laws.variates.ziggurat import sample_standard_exponential

    first = math.floor(sample_standard_exponential(s) * spread)
    return float(first - math.floor(sample_standard_exponential(s) * spread))


def length(ratio: float) -> float:
    return max(1.0, -1 / math.log(ratio)) if ratio > 0 else 1.0


def log_density(x: float, ratio: float) -> float:
    return math.log1p(-ratio) - math.log1p(ratio) + abs(x) * math.log(ratio)


def log_below(x: float, ratio: float) -> float:
    slope = math.log(ratio)
    k = -math.floor(x) if not math.isinf(x) else -x
    if k >= 1:
        return k * slope - math.log1p(ratio)
    return math.log1p(-math.exp((1 - k) * slope - math.log1p(ratio)))


def densities(x: Any, ratio: Any) -> Any:
    r = np.asarray(ratio, dtype=np.float64)
    return np.where(np.floor(x) == x, (1 - r) / (1 + r) * _powers(ratio, np.abs(x)), 0.0)


def cdfs(x: Any, ratio: Any) -> Any:
    k = np.floor(x)
    tail = _powers(ratio, np.maximum(-k, k + 1)) / (1 + np.asarray(ratio, dtype=np.float64))
    return np.where(k < 0, tail, 1 - tail)


def _powers(ratio: Any, k: Any) -> Any:
    """ratio^k; by the logarithm, which is quicker, where there is one ratio."""
    if np.ndim(ratio) == 0 and ratio > 0:
        return np.exp(k * math.log(ratio))
    return np.asarray(ratio, dtype=np.float64) ** k


def samples(uniform: Any, shape: tuple[int, ...], ratio: Any) -> Any:
    with np.errstate(divide="ignore"):
        scale = 1 / np.log(np.asarray(ratio, dtype=np.float64))
    first = np.floor(np.log(uniform(shape)) * scale)
    first -= np.floor(np.log(uniform(shape)) * scale)
    return first


def atoms(tail: float, ratio: float) -> tuple[Any, Any]:
    from seqlang.laws.arrays import whole_numbers

    if ratio == 0:
        return np.zeros(1), np.ones(1)
    last = math.ceil(math.log(max(tail, 1e-300)) / math.log(ratio))
    k = whole_numbers(-last, last)
    return k, np.exp(np.abs(k) * math.log(ratio)) * (1 - ratio) / (1 + ratio)
